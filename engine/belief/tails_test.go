package belief

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestObserved compares the law of an own part given an observation, its moments and draws with quantiles of it with numerical integrals.
func TestObserved(t *testing.T) {
	for _, s := range shapes[2:] {
		checkObserved(t, s.parts(0.3))
	}
}

func checkObserved(t *testing.T, prior []part) {
	const y, noise = 1.5, 0.2
	if m, v := moments(prior); math.Abs(m) > 1e-12 || math.Abs(v-0.3) > 1e-12 {
		t.Errorf("own parts have mean %g and variance %g", m, v)
	}
	density := func(law []part, x float64) (sum float64) {
		for _, p := range law {
			sum += p.weight * math.Exp(-(x-p.mean)*(x-p.mean)/(2*p.variance)) / math.Sqrt(2*math.Pi*p.variance)
		}
		return sum
	}
	law, log := observed(prior, y, noise)
	var xs, of, first, given []float64
	for x := -8.0; x <= 8; x += 0.001 {
		joint := density(prior, x) * density([]part{{1, x, noise}}, y)
		xs, of, first = append(xs, x), append(of, joint), append(first, x*joint)
		given = append(given, density(law, x))
	}
	total := integrate.Trapezoidal(xs, of)
	mean, _ := moments(law)
	if want := integrate.Trapezoidal(xs, first) / total; math.Abs(mean-want) > 1e-6 || math.Abs(log-math.Log(total)) > 1e-6 {
		t.Errorf("mean %g, want %g; log density %g, want %g", mean, want, log, math.Log(total))
	}
	rng, draws := rand.New(rand.NewPCG(1, 1)), make([]float64, 20000)
	for k := range draws {
		draws[k] = 7 + 3*rng.NormFloat64()
	}
	bent(draws, 7, 3, law)
	slices.Sort(draws)
	for _, x := range []float64{-0.5, 0, 0.5, 1, 1.5, 2} {
		k, _ := slices.BinarySearchFunc(xs, x, func(a, b float64) int { return int(math.Copysign(1, a-b)) })
		want := integrate.Trapezoidal(xs[:k], given[:k])
		if got := stat.CDF(x, stat.Empirical, draws, nil); math.Abs(got-want) > 0.015 {
			t.Errorf("%.3f of the draws are at most %g, want %.3f", got, x, want)
		}
	}
}

// TestNeedle checks that one option far better than all others is estimated by its own measurements, and that effects of a normal law are
// shrunk as before.
func TestNeedle(t *testing.T) {
	for _, height := range []float64{0, 6} {
		rng := rand.New(rand.NewPCG(4, 4))
		p := tableOf(t, 3, 12, func(task, arm int) (mean, sd, count float64) {
			m := float64(task)
			if task == 1 && arm == 7 {
				m += height
			}
			return m + 0.3*rng.NormFloat64(), 0.5, 3
		})
		b := try.Of(Of(t.Context(), p, Options{}))
		column := make([]float64, b.Draws.RawMatrix().Rows)
		for k := range column {
			column[k] = b.Draws.At(k, 12+7)
		}
		mean, off := stat.Mean(column, nil), 1+height
		if math.Abs(mean-off) > 0.6 || height > 0 && math.Abs(mean-p.Partial[12+7]) > 0.3 {
			t.Errorf("height %g: estimate %.3f, measured %.3f", height, mean, p.Partial[12+7])
		}
	}
}
