package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// arms returns one task of arms that share nothing.
func arms(t *testing.T, noise problem.NoiseModel, means ...float64) *Model {
	t.Helper()
	p := enginetest.Small(t, enginetest.Identity, means)
	p.Noise = noise
	return model(t, p)
}

// T* of arms that share nothing, by its definition: to refute an answer, an arm must be above all right
// ones by epsilon.
func TestCharacteristicTimeWithEpsilon(t *testing.T) {
	unit := func(n int) problem.NoiseModel {
		s := make([]float64, n)
		for i := range s {
			s[i] = 1
		}
		return problem.NoiseModel{Scales: s}
	}
	for _, c := range []struct {
		name    string
		means   []float64
		epsilon float64
		want    float64
	}{
		// Two arms that must move by g together: 8/g².
		{"no epsilon", []float64{0.2, 0}, 0, 8 / 0.04},
		{"gap above epsilon", []float64{0.2, 0}, 0.1, 8 / 0.09},
		{"both right", []float64{0.2, 0}, 0.2, 0},
		// 0 must pass 0.5 and 0.4 by 0.2. With λ of it and λ/2 of the others each, moved by x, y, z: the
		// least of λ(x² + y²/2 + z²/2)/2 for x + y ≥ 0.7, x + z ≥ 0.6 over the best λ.
		{"two right", []float64{0.5, 0.4, 0}, 0.2, 0},
	} {
		if c.name == "two right" {
			c.want = twoRight()
		}
		got, _, err := arms(t, unit(len(c.means)), c.means...).Truth().CharacteristicTime(0, c.epsilon)
		if err != nil || math.Abs(got-c.want) > 5e-3*c.want {
			t.Errorf("%s: %g (%v), want %g", c.name, got, err, c.want)
		}
	}
}

// twoRight returns T* of arms at 0.5, 0.4 and 0 with epsilon 0.2 by a grid over allocations and a
// quadratic programme by its two active sets.
func twoRight() float64 {
	most := 0.0
	for a := 0.001; a < 1; a += 0.001 {
		for b := 0.0005; a+b < 1; b += 0.001 {
			c := 1 - a - b // of 0.5, 0.4 and 0
			one := 0.49 / 2 / (1/a + 1/c)
			if x := 0.7 * a / (a + c); x < 0.6 { // 0.4 must fall, too
				// x = 0.7 - y = 0.6 - z: a(0.7 - x)² + b(0.6 - x)² + c x²
				x = (0.7*a + 0.6*b) / (a + b + c)
				if x < 0.6 {
					one = (a*(0.7-x)*(0.7-x) + b*(0.6-x)*(0.6-x) + c*x*x) / 2
				}
			}
			most = math.Max(most, one)
		}
	}
	return 1 / most
}

// Rewards of two values are told apart by their divergence, and not by half of their range.
func TestCharacteristicTimeOfTwoRewards(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	bounded := problem.NoiseModel{Scales: []float64{0.5, 0.5}, Bounds: &[2]float64{0, 1}, Environment: problem.EnvironmentBernoulli}
	for _, c := range []struct{ high, low float64 }{{1, 0.999}, {0.6, 0.5}} {
		got, _, err := arms(t, bounded, c.high, c.low).Truth().CharacteristicTime(0, 0)
		want := 0.0 // 1 / max_λ min_q λ kl(high, q) + (1-λ) kl(low, q)
		for l := 0.0005; l < 1; l += 0.0005 {
			least := math.Inf(1)
			for k := range 2001 {
				q := c.low + (c.high-c.low)*float64(k)/2000
				least = math.Min(least, l*Divergence(c.high, q)+(1-l)*Divergence(c.low, q))
			}
			want = math.Max(want, least)
		}
		want = 1 / want
		// every q is an alternative, so the bound is below by the loss of the search
		if err != nil || got > want*1.001 || got < 0.5*want {
			t.Errorf("means %g and %g: T* %g (%v), by its definition %g, of normal noise %g", c.high, c.low, got, err, want, 2/math.Pow(c.high-c.low, 2))
		}
	}
	want, _ := try.Two(arms(t, bounded, 0.75, 0.5).Truth().CharacteristicTime(0, 0))
	bounded.Environment = problem.EnvironmentResampled
	p := enginetest.Small(t, enginetest.Identity, []float64{0.75, 0.5})
	for _, c := range []struct {
		rewards     [][]float64
		least, most float64 // T*, in parts of the one of two rewards
	}{{[][]float64{{1, 1, 0, 1}, {0, 1}}, 0.95, 1.05}, {[][]float64{{0.7, 0.8}, {0.4, 0.6}}, 0.02, 0.5}} {
		p.Noise, p.Rewards = bounded, c.rewards
		if got, _, err := model(t, p).Truth().CharacteristicTime(0, 0); !(got >= c.least*want && got <= c.most*want) || err != nil {
			t.Errorf("rewards %v within bounds: T* %g, of two rewards %g, %v", c.rewards, got, want, err)
		}
	}
}

// The least divergence from a law with another mean within bounds is the one of two rewards where rewards are two, and the law
// with the density 1/(1 - λx) on the rewards, the rest at the bound, has that mean and that divergence; laws that are mixed with one
// at the bound have none that is less.
func TestLeastDivergence(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 300 {
		n, q := 2+rng.IntN(8), 0.02+0.96*rng.Float64()
		y, two, ones := make([]float64, n), make([]float64, n), 0.0
		for k := range y {
			y[k], two[k] = rng.Float64(), float64(rng.IntN(2))
			ones += two[k] / float64(n)
		}
		if got, want := LeastDivergence(two, 0, 1, q), Divergence(ones, q); math.Abs(got-want) > 1e-6*(1+want) {
			t.Errorf("%v, mean %g: %g, of two rewards %g", two, q, got, want)
		}
		got := LeastDivergence(y, 0, 1, q)
		mean := stat.Mean(y, nil)
		for share := 0.01; share < 1; share += 0.01 { // of the bound; the others tilted exponentially to the mean that is left
			bound := 1.0
			if q < mean {
				bound = 0
			}
			if rest := (q - share*bound) / (1 - share); rest > slices.Min(y) && rest < slices.Max(y) {
				tilt, weight := tilted(y, rest), 0.0
				for _, w := range tilt {
					weight -= math.Log((1-share)*w*float64(n)) / float64(n)
				}
				if weight < got-1e-6 {
					t.Fatalf("%v, mean %g: %g, and a law with %g", y, q, got, weight)
				}
			}
		}
		if back := LeastDivergence([]float64{1 - y[0], 1 - y[1]}, 0, 1, 1-q); math.Abs(back-LeastDivergence(y[:2], 0, 1, q)) > 1e-6 {
			t.Errorf("%v, mean %g: not the same from the other side", y[:2], q)
		}
	}
	if !math.IsInf(LeastDivergence([]float64{0, 0.5}, 0, 1, 1.1), 1) || LeastDivergence([]float64{0, 1}, 0, 1, 0.5) != 0 {
		t.Error("a mean beyond the bounds, or the same mean")
	}
}

// tilted returns the weights, in proportion to exp(x y), with which rewards have a mean.
func tilted(y []float64, mean float64) []float64 {
	w, lo, hi := make([]float64, len(y)), -300.0, 300.0
	for range 60 {
		x, sum, at := (lo+hi)/2, 0.0, 0.0
		for k := range y {
			w[k] = math.Exp(x * (y[k] - mean))
			sum, at = sum+w[k], at+w[k]*y[k]
		}
		floats.Scale(1/sum, w)
		if at/sum < mean {
			lo = x
		} else {
			hi = x
		}
	}
	return w
}

// kl(δ, 1-δ) is above log(1/2.4δ), and vanishes where errors are as frequent as right answers.
func TestNats(t *testing.T) {
	for _, delta := range []float64{1e-6, 0.005, 0.05, 0.1, 0.3, 0.49} {
		if got := Nats(delta); got < -math.Log(2.4*delta) || math.Abs(got-Divergence(delta, 1-delta)) > 1e-9*got {
			t.Errorf("δ = %g: %g, log(1/2.4δ) = %g, by its definition %g", delta, got, -math.Log(2.4*delta), Divergence(delta, 1-delta))
		}
	}
	if Nats(0.5) != 0 || Nats(0.9) != 0 {
		t.Error("some information for no certainty")
	}
}
