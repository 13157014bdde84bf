package sim_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The squares of n rewards have the mean and variance that follow from the moments of one reward: (n-1)σ² and, with fourth central moment
// μ4, (n-1)²/n (μ4 - σ⁴(n-3)/(n-1)) [Cramér, Mathematical Methods of Statistics, 1946, eq. (27.4.2), times n²]. 4,000 draws, five
// standard errors.
func TestSquares(t *testing.T) {
	population := []float64{0, 1, 1, 5} // mean 1.75
	mu4 := (math.Pow(1.75, 4) + 2*math.Pow(0.75, 4) + math.Pow(3.25, 4)) / 4
	for name, c := range map[string]struct {
		draw              sim.Drawer
		variance, moment4 float64
		symmetric         bool // mean and squares are then uncorrelated
	}{
		"gaussian":  {sim.Gaussian([]float64{2}, []float64{3}), 9, 3 * 81, true},
		"bernoulli": {sim.Bernoulli([]float64{0.5}), 0.25, 0.0625, true},
		"unequal":   {sim.Bernoulli([]float64{0.2}), 0.16, 0.2 * 0.8 * (0.2*0.2*0.2 + 0.8*0.8*0.8), false},
		"resampled": {sim.Resampled([][]float64{population}), stat.PopVariance(population, nil), mu4, false},
	} {
		for _, n := range []float64{1, 2, 7, 1000, 1e7} {
			rng := rand.New(rand.NewPCG(2, uint64(n)))
			means, squares := make([]float64, 4000), make([]float64, 4000)
			for k := range squares {
				d := try.Of(c.draw(rng, 0, int(n), true))
				means[k], squares[k] = d.Mean, d.Squares
			}
			mean, variance := stat.MeanVariance(squares, nil)
			if n == 1 {
				if mean != 0 || variance != 0 {
					t.Errorf("%s: the squares of one reward have mean %g and variance %g, want 0", name, mean, variance)
				}
				continue
			}
			wantVar := (n - 1) * (n - 1) / n * (c.moment4 - c.variance*c.variance*(n-3)/(n-1))
			if se := math.Sqrt(wantVar / 4000); math.Abs(mean-(n-1)*c.variance) > 5*se+1e-9*n {
				t.Errorf("%s, n = %g: mean %g, want %g ± %g", name, n, mean, (n-1)*c.variance, 5*se)
			}
			// the largest kurtosis is 15, for χ²(1)
			if r := variance / wantVar; math.Abs(r-1) > 5*math.Sqrt(14./4000) {
				t.Errorf("%s, n = %g: variance %g times the expected one", name, n, r)
			}
			if r := stat.Correlation(means, squares, nil); c.symmetric && math.Abs(r) > 5/math.Sqrt(4000) {
				t.Errorf("%s, n = %g: mean and squares have correlation %g", name, n, r)
			}
		}
	}
}

// Normal squares are independent of the mean, not only uncorrelated: they do not depend on its distance from the truth, either. 4,000
// draws, five standard errors.
func TestSquaresIndependent(t *testing.T) {
	draw := sim.Gaussian([]float64{2}, []float64{3})
	rng := rand.New(rand.NewPCG(3, 1))
	off, squares := make([]float64, 4000), make([]float64, 4000)
	for k := range squares {
		d := try.Of(draw(rng, 0, 4, true))
		off[k], squares[k] = math.Abs(d.Mean-2), d.Squares
	}
	if r := stat.Correlation(off, squares, nil); math.Abs(r) > 5/math.Sqrt(4000) {
		t.Errorf("correlation %g", r)
	}
}

// Means are equal with and without squares, and squares are present only if requested.
func TestSquaresLeaveMeans(t *testing.T) {
	for name, draw := range map[string]sim.Drawer{
		"gaussian":  sim.Gaussian([]float64{2, 3}, []float64{3, 1}),
		"bernoulli": sim.Bernoulli([]float64{0.2, 0.5}),
		"resampled": sim.Resampled([][]float64{{0, 1, 1, 5}, {2, 3}}),
	} {
		env := sim.NewEnvironment(new(problem.Problem), draw, 5, 3)
		plan := engine.Plan{Round: 2, Counts: []int{40, 9}}
		without, err1 := env.Pull(context.Background(), plan)
		plan.WantSquares = true
		with, err2 := env.Pull(context.Background(), plan)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if without.Squares != nil || len(with.Squares) != 2 || !(with.Squares[0] > 0) {
			t.Errorf("%s: squares %v and %v", name, without.Squares, with.Squares)
		}
		if without.Means[0] != with.Means[0] || without.Means[1] != with.Means[1] {
			t.Errorf("%s: means %v and with squares %v", name, without.Means, with.Means)
		}
	}
}

// A Go function returns single rewards if squares are requested: for 1, 2, 4 they are (16 + 1 + 25)/9.
func TestFuncSquares(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.5)
	next := 0.5
	draw := sim.Func(p, func(_ *rand.Rand, _, _ string, n int) (float64, error) {
		if n != 1 {
			t.Errorf("asked for %d rewards at once", n)
		}
		next *= 2
		return next, nil
	})
	d, err := draw(nil, 0, 3, true)
	if err != nil || math.Abs(d.Mean-7./3) > 1e-14 || math.Abs(d.Squares-42./9) > 1e-13 {
		t.Errorf("mean %g, squares %g, error %v; want 7/3 and 42/9", d.Mean, d.Squares, err)
	}
}

// The range of a draw is the range of its rewards: the mean itself for one reward, the whole population for many, with the mean between
// its ends. If lower rewards are better, a batch has the ends exchanged and negated.
func TestRanges(t *testing.T) {
	p := bounded(t, law{chance: 0.3})
	rng := rand.New(rand.NewPCG(4, 1))
	for name, draw := range map[string]sim.Drawer{
		"two":       sim.Bernoulli([]float64{0.3}),
		"resampled": sim.Resampled([][]float64{{0, 0.25, 0.25, 1}}),
		"function":  sim.Func(p, func(rng *rand.Rand, _, _ string, _ int) (float64, error) { return float64(rng.IntN(5)) / 4, nil }),
	} {
		for n, want := range map[int]*[2]float64{1: nil, 3: nil, 200: {0, 1}} {
			for range 30 {
				d, err := draw(rng, 0, n, true)
				if err != nil || d.Range == nil || !(d.Range[0] <= d.Mean && d.Mean <= d.Range[1]) {
					t.Fatalf("%s: range %v of %d rewards with mean %g, error %v", name, d.Range, n, d.Mean, err)
				}
				if n == 1 && d.Range[0] != d.Range[1] || want != nil && *d.Range != *want || d.Range[0] == d.Range[1] && d.Squares > 0 {
					t.Fatalf("%s: range %v of %d rewards with squares %g", name, *d.Range, n, d.Squares)
				}
			}
		}
	}
	b := engine.Batch{Counts: []int{2}, Means: []float64{0.5}, Ranges: [][2]float64{{0.2, 0.8}}}
	if got := b.Turned(problem.GoalMin).Ranges[0]; got != [2]float64{-0.8, -0.2} || b.Ranges[0] != [2]float64{0.2, 0.8} {
		t.Errorf("turned range %v of %v", got, b.Ranges[0])
	}
	lower := p.Minimised()
	draw, err := sim.DrawerOf(lower)
	if err != nil {
		t.Fatal(err)
	}
	got, err := sim.NewEnvironment(lower, draw, 1, 0).Pull(context.Background(), engine.Plan{Round: 1, Counts: []int{50}, WantSquares: true})
	if err != nil || len(got.Ranges) != 1 || got.Ranges[0] != [2]float64{0, 1} {
		t.Errorf("ranges %v where lower rewards are better, error %v", got.Ranges, err)
	}
}
