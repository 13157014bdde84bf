package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
)

// A Drawer returns the mean of n rewards of arm i, reward units, using only the
// given source of randomness.
type Drawer func(rng *rand.Rand, i, n int) (float64, error)

// environment is one run's view of a Drawer.
type environment struct {
	draw      Drawer
	seed, run uint64
}

// NewEnvironment returns the environment of one run: each (round, arm) has its
// own stream of random numbers, derived from seed and run.
func NewEnvironment(draw Drawer, seed uint64, run int) engine.Environment {
	return &environment{draw, seed, uint64(run)}
}

// Pull draws the mean reward of every arm that the plan pulls.
func (e *environment) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	b := engine.Batch{Counts: p.Counts, Means: make([]float64, len(p.Counts))}
	for i, n := range p.Counts {
		if n == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return b, err
		}
		mean, err := e.draw(stream(e.seed, e.run, uint64(p.Round), uint64(i)), i, n)
		if err != nil {
			return b, fmt.Errorf("arm %d: %w", i, err)
		}
		b.Means[i] = mean
	}
	return b, nil
}

// stream returns the random numbers of (seed, run, round, arm): a PCG whose
// state is the counters hashed by the finaliser of SplitMix64 [Steele, Lea and
// Flood 2014], which changes half of the output bits when one input bit does.
func stream(seed, run, round, arm uint64) *rand.Rand {
	a := mix(mix(mix(mix(seed)+run)+round) + arm)
	return rand.New(rand.NewPCG(a, mix(a)))
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// DrawerOf returns the drawer of the problem's environment. It reports a problem
// that cannot be simulated.
func DrawerOf(p *engine.Problem) (Drawer, error) {
	if p.Environment == engine.EnvironmentResampled {
		return Resampled(p.Rewards), nil
	}
	if p.Mean == nil {
		return nil, fmt.Errorf("problem %q cannot be simulated: it has no mean column and no raw rewards", p.Name)
	}
	if p.Environment == engine.EnvironmentBernoulli {
		return Bernoulli(p.Mean), nil
	}
	sd := p.SD
	if sd == nil {
		sd = p.Noise
	}
	return Gaussian(p.Mean, sd), nil
}

// Gaussian draws the mean of n rewards N(mean_i, sd_i²) as one N(mean_i, sd_i²/n).
func Gaussian(mean, sd []float64) Drawer {
	return func(rng *rand.Rand, i, n int) (float64, error) {
		return mean[i] + sd[i]*rng.NormFloat64()/math.Sqrt(float64(n)), nil
	}
}

// Bernoulli draws the mean of n rewards that are 1 with probability mean_i.
func Bernoulli(mean []float64) Drawer {
	return func(rng *rand.Rand, i, n int) (float64, error) {
		return binomial(rng, n, mean[i]) / float64(n), nil
	}
}

// Resampled draws the mean of n rewards taken with replacement from the measured
// rewards of the arm: one multinomial, as a chain of binomials.
func Resampled(rewards [][]float64) Drawer {
	return func(rng *rand.Rand, i, n int) (float64, error) {
		population := rewards[i]
		left, sum := float64(n), 0.0
		for k, reward := range population {
			if left == 0 {
				break
			}
			taken := left
			if rest := len(population) - k; rest > 1 {
				taken = binomial(rng, int(left), 1/float64(rest))
			}
			sum += taken * reward
			left -= taken
		}
		return sum / float64(n), nil
	}
}

// Func makes a Go function an environment: f returns the mean of n rewards of an
// arm, given its task and name. It is called once per arm and round.
func Func(p *engine.Problem, f func(rng *rand.Rand, task, arm string, n int) (float64, error)) Drawer {
	return func(rng *rand.Rand, i, n int) (float64, error) {
		return f(rng, p.Tasks.Names[p.TaskOf[i]], p.Arms.Names[i], n)
	}
}

// binomial draws from B(n, p) at a cost that does not grow with n.
func binomial(rng *rand.Rand, n int, p float64) float64 {
	switch {
	case p <= 0:
		return 0
	case p >= 1:
		return float64(n)
	}
	return distuv.Binomial{N: float64(n), P: p, Src: rng}.Rand()
}
