package sim

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// environmentOf returns the environment of one run: the rewards of draw, with block effects if the problem has blocks, with
// the sign of Problem.Mean.
func environmentOf(p *problem.Problem, draw Drawer, seed uint64, run int) engine.Environment {
	env := &environment{draw, seed, uint64(run), p.Noise.Bounds}
	if p.Block != nil {
		return &blocks{env, p, seed, uint64(run)}
	}
	return env
}

// Step is the progress of an experiment: its runs and, for a single slow run, its rounds. Round is 0 if only runs are
// reported.
type Step struct {
	Done, Total int // runs
	// finished fraction of the computation of the posterior, which comes before the runs; 0 otherwise
	Believing float64

	Round          int
	Samples        int // number of samples so far, all agents together
	Tasks, Decided int // numbers of all tasks, and of those with an answer
	// expected remaining samples, as engine.Detailed.Samples: -1 if the run cannot be decided, NaN if unknown
	Remaining float64
}

const (
	patience     = 500 * time.Millisecond // shorter runs do not report their rounds
	interval     = 200 * time.Millisecond // between two reported rounds
	worthTelling = 20                     // estimates of the remaining samples may take 1/20 of the run's time
)

// watched is an environment that reports the progress of a slow run before each pull.
type watched struct {
	engine.Environment
	alg  engine.Detailed
	tell func(Step)

	began, reported, pulled time.Time
	spent                   time.Duration // time spent on estimates of the remaining samples
	rounds, samples         int           // numbers of rounds and samples so far
}

func watch(env engine.Environment, alg engine.Detailed, tell func(Step)) *watched {
	now := time.Now()
	return &watched{Environment: env, alg: alg, tell: tell, began: now, pulled: now}
}

// Pull reports the rounds so far, and forwards the plan.
func (w *watched) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	now := time.Now()
	if w.rounds > 0 && now.Sub(w.began) >= patience && now.Sub(w.reported) >= interval {
		w.reported = now
		w.tell(w.step(now))
	}
	b, err := w.Environment.Pull(ctx, p)
	w.pulled = time.Now()
	w.rounds++
	w.samples += p.Pulls()
	return b, err
}

// step returns the state of the run. It estimates the remaining samples if that does not take too much time; the cost is
// estimated by the time since the last pull.
func (w *watched) step(now time.Time) Step {
	s := Step{Total: 1, Round: w.rounds, Samples: w.samples, Remaining: math.NaN()}
	for _, a := range w.alg.Answers() {
		s.Tasks++
		s.Decided += indices.Indicator(a.Decided)
	}
	cost := now.Sub(w.pulled)
	if (w.spent+cost)*worthTelling <= now.Sub(w.began) {
		s.Remaining = engine.Remaining(w.alg)
		w.spent += time.Since(now)
	}
	return s
}

// blocks is an environment in which rewards of one task have a common effect within a block (problem.Block). It forwards
// plans without blocks to the inner environment.
type blocks struct {
	engine.Environment
	problem   *problem.Problem
	seed, run uint64
}

// Pull makes the plan's pulls. It draws all blocks of a side at once.
func (e *blocks) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	if p.Sides == nil {
		return e.Environment.Pull(ctx, p)
	}
	b := engine.Batch{Counts: p.Counts}
	for k, s := range p.Sides {
		if err := ctx.Err(); err != nil {
			return b, err
		}
		rng := stream(e.seed, e.run, uint64(p.Round)<<32|uint64(k), uint64(s.Arms[0]))
		if e.problem.Rewards != nil {
			b.Within = append(b.Within, e.resample(rng, s))
		} else {
			b.Within = append(b.Within, e.normal(rng, s))
		}
	}
	b.Means = engine.MeansOf(p.Sides, b.Within, len(p.Counts))
	return b, nil
}

// resample draws s.Blocks of the measured blocks with replacement, as one multinomial.
func (e *blocks) resample(rng *rand.Rand, s engine.Side) engine.Within {
	count, in := len(e.problem.Rewards[s.Arms[0]]), s.Arms
	taken, remaining := make([]float64, count), s.Blocks
	for k := range taken {
		if rest := count - k; rest > 1 {
			taken[k] = binomial(rng, remaining, 1/float64(rest))
		} else {
			taken[k] = float64(remaining)
		}
		remaining -= int(taken[k])
	}
	out := engine.Within{Means: make([]float64, len(in)), Products: make([]float64, len(in)*len(in))}
	for a, i := range in {
		for k, c := range taken {
			out.Means[a] += c * e.problem.Rewards[i][k] / float64(s.Blocks)
		}
	}
	for a, i := range in {
		for c, j := range in {
			for k, times := range taken {
				out.Products[a*len(in)+c] += times * (e.problem.Rewards[i][k] - out.Means[a]) * (e.problem.Rewards[j][k] - out.Means[c])
			}
		}
	}
	return out
}

// normal draws means and products for s.Blocks blocks of normal rewards with a common effect. The products are Wishart
// with s.Blocks - 1 degrees of freedom, independent of the means. They are drawn as LTTᵀLᵀ [Bartlett 1933], with L the
// Cholesky factor of the covariance.
func (e *blocks) normal(rng *rand.Rand, s engine.Side) engine.Within {
	in, n := s.Arms, s.Blocks
	sd, k := e.problem.Noise.Deviations(), len(in)
	factor := square(k)
	effect := e.problem.Block.Effect
	for i := range k { // Cholesky factor of diag(sd²) + effect²·11ᵀ
		for j := range i + 1 {
			sum := effect * effect
			if i == j {
				sum += sd[in[i]] * sd[in[i]]
			}
			for l := range j {
				sum -= factor[i][l] * factor[j][l]
			}
			if i == j {
				factor[i][i] = math.Sqrt(sum)
			} else {
				factor[i][j] = sum / factor[j][j]
			}
		}
	}
	z := lists.Make(k, func(int) float64 { return rng.NormFloat64() / math.Sqrt(float64(n)) })
	out := engine.Within{Products: e.wishart(rng, factor, n-1)}
	for i, arm := range in {
		mean := e.problem.Mean[arm]
		for j := range i + 1 {
			mean += factor[i][j] * z[j]
		}
		out.Means = append(out.Means, mean)
	}
	return out
}

// wishart draws LTTᵀLᵀ with the given degrees of freedom. If these are fewer than the rows, it draws a sum of outer
// products.
func (e *blocks) wishart(rng *rand.Rand, factor [][]float64, freedom int) []float64 {
	k := len(factor)
	t := make([][]float64, k)
	for i := range t {
		t[i] = make([]float64, min(k, freedom))
		for j := range t[i] {
			switch {
			case freedom < k || j < i:
				t[i][j] = rng.NormFloat64()
			case j == i:
				t[i][j] = math.Sqrt(distuv.ChiSquared{K: float64(freedom - i), Src: rng}.Rand())
			}
		}
	}
	lt := make([][]float64, k)
	for i := range lt {
		lt[i] = make([]float64, min(k, freedom))
		for j := range lt[i] {
			for l := range i + 1 {
				lt[i][j] += factor[i][l] * t[l][j]
			}
		}
	}
	out := make([]float64, k*k)
	for i := range k {
		for j := range k {
			for l := range lt[i] {
				out[i*k+j] += lt[i][l] * lt[j][l]
			}
		}
	}
	return out
}

// square returns an n×n matrix of zeros.
func square(n int) [][]float64 {
	return lists.Make(n, func(int) []float64 { return make([]float64, n) })
}
