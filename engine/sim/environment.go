package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Drawer draws n ≥ 1 rewards of arm i and returns their summary, with Squares and Range if squares is set. It must use
// only the given random source.
type Drawer func(rng *rand.Rand, i, n int, squares bool) (Draw, error)

// Draw summarises the n rewards of an arm in a round.
type Draw struct {
	Mean    float64     // reward units
	Squares float64     // Σ (reward - Mean)², reward units²
	Range   *[2]float64 // smallest and largest reward, only if squares are requested; nil if unknown
}

// environment draws the rewards of one run with a Drawer.
type environment struct {
	draw      Drawer
	seed, run uint64
	bounds    *[2]float64 // bounds of the problem's rewards; nil without. If set, Pull reports ranges
}

// NewEnvironment returns the environment of one run on a problem, with rewards from draw. Each (round, arm) has its own
// random stream, derived from seed and run.
func NewEnvironment(p *problem.Problem, draw Drawer, seed uint64, run int) engine.Environment {
	env := &environment{draw, seed, uint64(run), p.Noise.Bounds}
	if p.Block != nil {
		return asMeasured(p, &blocks{env, p, seed, uint64(run)})
	}
	return asMeasured(p, env)
}

// asMeasured converts the rewards of an environment from the sign of Problem.Mean, which drawers use, to the sign of the
// data.
func asMeasured(p *problem.Problem, env engine.Environment) engine.Environment {
	if p.Goal == problem.GoalMax {
		return env
	}
	return turned{env, p.Goal}
}

// turned is an environment with negated rewards.
type turned struct {
	engine.Environment
	goal string
}

// Pull implements engine.Environment.
func (t turned) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	b, err := t.Environment.Pull(ctx, p)
	return b.Turned(t.goal), err
}

// Pull draws the mean reward of every pulled arm, and the squares if the plan requests them.
func (e *environment) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	b := engine.Batch{Counts: p.Counts, Means: make([]float64, len(p.Counts))}
	if p.WantSquares {
		b.Squares = make([]float64, len(p.Counts))
		if e.bounds != nil {
			b.Ranges = slices.Repeat([][2]float64{*e.bounds}, len(p.Counts))
		}
	}
	for i, n := range p.Counts {
		if n == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return b, err
		}
		d, err := e.draw(stream(e.seed, e.run, uint64(p.Round), uint64(i)), i, n, p.WantSquares)
		if err != nil {
			return b, fmt.Errorf("arm %d: %w", i, err)
		}
		b.Means[i] = d.Mean
		if p.WantSquares {
			b.Squares[i] = d.Squares
		}
		if b.Ranges != nil && d.Range != nil {
			b.Ranges[i] = *d.Range
		}
	}
	return b, nil
}

// stream returns the random source of (seed, run, round, arm): a PCG whose state is a hash of these numbers by the
// finaliser of SplitMix64 [Steele, Lea and Flood 2014]. If one input bit changes, half of the output bits change.
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

// DrawerOf returns the source of simulated rewards for the problem's environment. It returns an error for a
// problem that cannot be simulated.
func DrawerOf(p *problem.Problem) (Drawer, error) {
	if p.Noise.Environment == problem.EnvironmentResampled {
		return Resampled(p.Rewards), nil
	}
	if unmeasured := p.Unmeasured(); unmeasured != "" {
		return nil, fmt.Errorf("problem %q cannot be simulated: %s", p.Name, unmeasured)
	}
	if p.Mean == nil {
		return nil, fmt.Errorf("problem %q cannot be simulated, because it lacks raw rewards and the means of some arms. To predict sample "+
			"sizes, use plan(p, gaps=…)", p.Name)
	}
	mean, sd := p.Mean, p.Noise.Deviations()
	if p.Block != nil && p.Block.Effect > 0 { // a reward measured outside blocks has a block effect of its own
		sd = slices.Clone(sd)
		for i := range sd {
			sd[i] = math.Hypot(sd[i], p.Block.Effect)
		}
	}
	switch p.Noise.Environment {
	case problem.EnvironmentBernoulli:
		lo, hi := p.TwoRewards()
		if p.Noise.Scatter > 0 {
			return Beta(mean, p.Noise.Scatter, lo, hi), nil
		}
		return TwoPoint(mean, lo, hi), nil
	}
	return Gaussian(mean, sd), nil
}

// Gaussian draws the mean of n rewards N(mean_i, sd_i²) as one N(mean_i, sd_i²/n), and
// their squares as one sd_i² χ²(n-1), which is independent of it.
func Gaussian(mean, sd []float64) Drawer {
	return func(rng *rand.Rand, i, n int, squares bool) (Draw, error) {
		d := Draw{Mean: mean[i] + sd[i]*rng.NormFloat64()/math.Sqrt(float64(n))}
		if squares && n > 1 {
			d.Squares = sd[i] * sd[i] * distuv.ChiSquared{K: float64(n - 1), Src: rng}.Rand()
		}
		return d, nil
	}
}

// TwoPoint draws the mean of n rewards that are either hi or lo, with mean mean_i: the distribution on [lo, hi] with the
// largest variance. If k of n are hi, the squares are (hi-lo)² k(n-k)/n.
func TwoPoint(mean []float64, lo, hi float64) Drawer {
	return func(rng *rand.Rand, i, n int, squares bool) (Draw, error) {
		high := binomial(rng, n, (mean[i]-lo)/(hi-lo))
		share := high / float64(n)
		d := Draw{Mean: lo + (hi-lo)*share}
		if squares {
			d.Squares = (hi - lo) * (hi - lo) * high * (1 - share)
			d.Range = &[2]float64{lo, hi}
			if high == 0 {
				d.Range[1] = lo
			} else if high == float64(n) {
				d.Range[0] = hi
			}
		}
		return d, nil
	}
}

// Beta draws n rewards between lo and hi from beta distributions with mean mean_i and standard deviation sd. A mean near a
// bound allows less than sd; the standard deviation is then at most 1/√2 of that of TwoPoint.
func Beta(mean []float64, sd, lo, hi float64) Drawer {
	return func(rng *rand.Rand, i, n int, squares bool) (Draw, error) {
		m, s := (mean[i]-lo)/(hi-lo), sd/(hi-lo)
		most := m * (1 - m) // variance of TwoPoint
		if most <= 0 {
			return Draw{Mean: mean[i], Range: &[2]float64{mean[i], mean[i]}}, nil
		}
		strength := max(most/(s*s)-1, 1)
		law := distuv.Beta{Alpha: m * strength, Beta: (1 - m) * strength, Src: rng}
		var d Draw
		for k := 1; k <= n; k++ {
			d.add(k, lo+(hi-lo)*law.Rand())
		}
		return d, nil
	}
}

// Resampled draws n rewards with replacement from the measured rewards of the arm: one multinomial, as a chain of binomials.
func Resampled(rewards [][]float64) Drawer {
	return func(rng *rand.Rand, i, n int, squares bool) (Draw, error) {
		population := rewards[i]
		remaining, sum := float64(n), 0.0
		var counts []float64 // number of draws of each reward
		for k, reward := range population {
			if remaining == 0 {
				break
			}
			taken := remaining
			if rest := len(population) - k; rest > 1 {
				taken = binomial(rng, int(remaining), 1/float64(rest))
			}
			sum += taken * reward
			remaining -= taken
			if squares {
				counts = append(counts, taken)
			}
		}
		d := Draw{Mean: sum / float64(n)}
		if squares {
			d.Range = &[2]float64{math.Inf(1), math.Inf(-1)}
		}
		for k, taken := range counts {
			if taken > 0 {
				d.Range[0], d.Range[1] = min(d.Range[0], population[k]), max(d.Range[1], population[k])
			}
			d.Squares += taken * (population[k] - d.Mean) * (population[k] - d.Mean)
		}
		return d, nil
	}
}

// RewardFunc returns the mean of n random rewards of an arm of a task, with the sign of the data. It must use only the
// given random source, so that the same seed gives the same numbers.
type RewardFunc = func(rng *rand.Rand, task, arm string, n int) (float64, error)

// Func returns a Drawer that calls f once for each arm and round, with the number n of rewards. If squares are requested,
// it calls f n times for one reward each, because a mean does not give squares.
func Func(p *problem.Problem, f RewardFunc) Drawer {
	return func(rng *rand.Rand, i, n int, squares bool) (Draw, error) {
		task, arm := p.Tasks.Names[p.TaskOf[i]], p.Arms.Names[i]
		if !squares {
			mean, err := f(rng, task, arm, n)
			return Draw{Mean: p.Turned(mean)}, err
		}
		var d Draw
		for k := 1; k <= n; k++ {
			reward, err := f(rng, task, arm, 1)
			if err != nil {
				return d, err
			}
			d.add(k, p.Turned(reward))
		}
		return d, nil
	}
}

// add adds the k-th reward, by the recurrences of Welford, Technometrics 4 (1962), p. 420.
func (d *Draw) add(k int, reward float64) {
	if k == 1 {
		d.Range = &[2]float64{reward, reward}
	}
	d.Range[0], d.Range[1] = min(d.Range[0], reward), max(d.Range[1], reward)
	off := reward - d.Mean
	d.Mean += off / float64(k)
	d.Squares += off * (reward - d.Mean)
}

// binomial draws from B(n, p) at a cost independent of n.
func binomial(rng *rand.Rand, n int, p float64) float64 {
	switch {
	case p <= 0:
		return 0
	case p >= 1:
		return float64(n)
	}
	return distuv.Binomial{N: float64(n), P: p, Src: rng}.Rand()
}

// EnvironmentOf returns the environment of run number run (from 0) of Run, for rewards of the problem. It returns an error
// for a problem that cannot be simulated and if ctx ends.
func EnvironmentOf(ctx context.Context, p *problem.Problem, seed uint64, run int) (_ engine.Environment, err error) {
	defer try.Caught(&err)
	if problem.DrawsMeans(p.Noise.Environment) {
		b := try.Of(believe(ctx, p, seed, new(model.Memory), nil))
		p = b.of(b.unknown(p), run)
	}
	return asMeasured(p, environmentOf(p, try.Of(DrawerOf(p)), seed, run)), nil
}

// meter is an environment that records the pulls of each agent and the size of its messages. The size depends on the plan
// alone.
type meter struct {
	engine.Environment
	taskOf    []int
	features  int  // dimension of θ̂
	broadcast bool // whether the agents send messages
	itemise   bool // whether pulls are recorded

	sent  wire.Traffic
	pulls [][]int // rounds × V
}

// Pull makes the plan's pulls and records them with the messages.
func (m *meter) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	b, err := m.Environment.Pull(ctx, p)
	if err != nil {
		return b, err
	}
	if m.broadcast {
		m.sent.Add(wire.Round(p.Round, m.taskOf, b.Counts, m.features, p.WantSquares, b.Ranges != nil))
	}
	if m.itemise {
		own := make([]int, m.taskOf[len(m.taskOf)-1]+1)
		for i, n := range b.Counts {
			own[m.taskOf[i]] += n
		}
		m.pulls = append(m.pulls, own)
	}
	return b, nil
}
