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
)

// The mean of n disturbed rewards has the mean and variance that follow from single rewards, also if a draw represents several rewards;
// likewise the mean of the squares. 4,000 draws, five standard errors; t with 10 degrees of freedom, because 3 have no fourth moment.
func TestDisturbed(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	rho := 0.6
	ar := func(n float64) float64 { // n times the variance of the mean, by its double sum
		sum := 0.0
		for lag := 1.0; lag < n && lag < 200; lag++ {
			sum += (1 - lag/n) * math.Pow(rho, lag)
		}
		return 1 + 2*sum
	}
	one := func(float64) float64 { return 1 }
	for name, c := range map[string]struct {
		draw   sim.Drawer
		single float64                 // variance of a reward
		factor func(n float64) float64 // n times the variance of the mean, divided by it
	}{
		"student":        {sim.Student([]float64{2}, []float64{3}, 10), 9, one},
		"outliers":       {sim.Outliers([]float64{2}, []float64{3}, 0.1), 9 * (0.9 + 0.1*problem.OutlierFactor*problem.OutlierFactor), one},
		"autocorrelated": {sim.Autocorrelated([]float64{2}, []float64{3}, rho), 9, ar},
		"two points":     {sim.TwoPoint([]float64{2}, -1, 5), 9, one},
	} {
		for _, n := range []float64{1, 2, 30, 3000} {
			rng := rand.New(rand.NewPCG(7, uint64(n)))
			means, squares := make([]float64, 4000), make([]float64, 4000)
			for k := range means {
				d, err := c.draw(rng, 0, int(n), true)
				if err != nil {
					t.Fatal(err)
				}
				means[k], squares[k] = d.Mean, d.Squares
			}
			mean, variance := stat.MeanVariance(means, nil)
			want := c.single * c.factor(n) / n
			if math.Abs(mean-2) > 5*math.Sqrt(want/4000) {
				t.Errorf("%s, n = %g: mean %g, want 2", name, n, mean)
			}
			// a normal mixture with 1 in 10 ten times as wide has kurtosis 3·(0.9+0.1·10⁴)/10.9² = 25
			if r := variance / want; math.Abs(r-1) > 5*math.Sqrt(24./4000) || n > 100 && math.Abs(r-1) > 5*math.Sqrt(3./4000) {
				t.Errorf("%s, n = %g: the variance of the mean is %g times the expected one", name, n, r)
			}
			level, scatter := stat.MeanStdDev(squares, nil)
			if wanted := n*c.single - n*want; math.Abs(level-wanted) > 5*scatter/math.Sqrt(4000)+1e-9 {
				t.Errorf("%s, n = %g: squares %g on average, want %g ± %g", name, n, level, wanted, 5*scatter/math.Sqrt(4000))
			}
		}
	}
}

// Shifts of drift and batch are 0 in round 1; later they are proportional to the rounds, or common to the arms of a task. Runs differ,
// and the same run is reproducible.
func TestShifts(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.4)
	still, err := sim.DrawerOf(p)
	if err != nil {
		t.Fatal(err)
	}
	shifts := func(environment string, run, round int) []float64 {
		q, err := p.WithNoise(problem.NoiseModel{Environment: environment, Strength: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]int, p.N())
		for i := range counts {
			counts[i] = 4
		}
		plan := engine.Plan{Round: round, Counts: counts}
		env, err := sim.EnvironmentOf(context.Background(), q, 9, run)
		if err != nil {
			t.Fatal(err)
		}
		moved, err1 := env.Pull(context.Background(), plan)
		plain, err2 := sim.NewEnvironment(p, still, 9, run).Pull(context.Background(), plan)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		out := make([]float64, p.N())
		for i := range out {
			out[i] = moved.Means[i] - plain.Means[i]
		}
		return out
	}
	first, second, fourth := shifts(problem.EnvironmentDrift, 0, 1), shifts(problem.EnvironmentDrift, 0, 2), shifts(problem.EnvironmentDrift, 0, 4)
	sizes := 0.0
	for i := range first {
		if first[i] != 0 || math.Abs(fourth[i]-3*second[i]) > 1e-12 {
			t.Errorf("drift of arm %d: %g, %g and %g in rounds 1, 2 and 4", i, first[i], second[i], fourth[i])
		}
		sizes += second[i] * second[i]
	}
	// 0.5 ± 4 standard errors of 30 numbers
	if rms := math.Sqrt(sizes / float64(p.N())); rms < 0.25 || rms > 0.75 {
		t.Errorf("drift per round has root mean square %g, want about 0.5", rms)
	}
	batch, other := shifts(problem.EnvironmentBatch, 0, 1), shifts(problem.EnvironmentBatch, 1, 1)
	for i, v := range p.TaskOf {
		lo, _ := p.ArmsOf(v)
		if math.Abs(batch[i]-batch[lo]) > 1e-12 || batch[i] == 0 || batch[i] == other[i] {
			t.Errorf("batch: arm %d moves by %g, the first arm of its task by %g, in another run by %g", i, batch[i], batch[lo], other[i])
		}
	}
	if lo, _ := p.ArmsOf(1); batch[0] == batch[lo] {
		t.Error("batch: two tasks move alike")
	}
}
