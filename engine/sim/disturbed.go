package sim

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// oneByOne is the largest number of rewards of an arm and round that are drawn singly. It applies if their mean has no
// distribution that is easy to draw from. For more rewards, each draw represents several: the expectations of mean and
// squares and the variance of the mean stay exact, but tails are slightly heavier.
const oneByOne = 1000

// Student draws rewards with heavy tails, Student's t with ν > 2 degrees of freedom scaled
// to the standard deviation sd_i. It costs one draw per reward up to oneByOne.
func Student(mean, sd []float64, nu float64) Drawer {
	law := distuv.StudentsT{Sigma: math.Sqrt((nu - 2) / nu), Nu: nu}
	return serial(mean, sd, func(rng *rand.Rand, out []float64) {
		law := law
		law.Src = rng
		for k := range out {
			out[k] = law.Rand()
		}
	}, func(n, draws float64) float64 { return draws / n })
}

// Autocorrelated draws normal rewards as a stationary AR(1) process: successive rewards of an arm in a round have
// correlation rho. It costs one draw per reward up to oneByOne.
func Autocorrelated(mean, sd []float64, rho float64) Drawer {
	fresh := math.Sqrt(1 - rho*rho)
	return serial(mean, sd, func(rng *rand.Rand, out []float64) {
		last := rng.NormFloat64()
		for k := range out {
			out[k] = last
			last = rho*last + fresh*rng.NormFloat64()
		}
	}, func(n, draws float64) float64 { return meanVariance(rho, n) / meanVariance(rho, draws) })
}

// meanVariance returns the variance of the mean of n rewards of variance 1 under AR(1),
//
//	(1 + 2 Σ_{k<n} (1 - k/n) ρ^k)/n = ((1+ρ)/(1-ρ) - 2ρ(1-ρⁿ)/(n(1-ρ)²))/n.
func meanVariance(rho, n float64) float64 {
	return ((1+rho)/(1-rho) - 2*rho*(1-math.Pow(rho, n))/(n*(1-rho)*(1-rho))) / n
}

// serial returns a Drawer whose noise, of variance 1, is drawn by fill. shrink returns Var(mean of n rewards) / Var(mean
// of the draws made).
func serial(mean, sd []float64, fill func(*rand.Rand, []float64), shrink func(n, draws float64) float64) Drawer {
	return func(rng *rand.Rand, i, n int, squares bool) (Draw, error) {
		noise := make([]float64, min(n, oneByOne))
		fill(rng, noise)
		level, draws := stat.Mean(noise, nil), float64(len(noise))
		d := Draw{Mean: level}
		if n > len(noise) {
			d.Mean *= math.Sqrt(shrink(float64(n), draws))
		}
		if squares {
			for _, v := range noise {
				d.Squares += (v - level) * (v - level)
			}
			if n > len(noise) {
				d.Squares *= float64(n-1) / (draws - 1)
			}
		}
		return Draw{Mean: mean[i] + sd[i]*d.Mean, Squares: sd[i] * sd[i] * d.Squares}, nil
	}
}

// Outliers draws normal rewards. Each is an outlier with probability share; its standard deviation is then
// problem.OutlierFactor times as large [Tukey60]. The number of outliers is one binomial draw, and each kind has one mean
// and one χ² draw, so the cost does not depend on n.
func Outliers(mean, sd []float64, share float64) Drawer {
	return func(rng *rand.Rand, i, n int, squares bool) (Draw, error) {
		outliers := binomial(rng, n, share)
		total := float64(n)
		counts, factors := [2]float64{total - outliers, outliers}, [2]float64{1, problem.OutlierFactor}
		var levels [2]float64
		for k, c := range counts {
			if c > 0 {
				levels[k] = factors[k] * rng.NormFloat64() / math.Sqrt(c)
			}
		}
		level := (counts[0]*levels[0] + counts[1]*levels[1]) / total
		d := Draw{Mean: mean[i] + sd[i]*level}
		for k, c := range counts {
			if !squares || c == 0 {
				continue
			}
			squares := c * (levels[k] - level) * (levels[k] - level)
			if c > 1 {
				squares += factors[k] * factors[k] * distuv.ChiSquared{K: c - 1, Src: rng}.Rand()
			}
			d.Squares += sd[i] * sd[i] * squares
		}
		return d, nil
	}
}

// shifted is an environment that adds a shift to all rewards of an arm in a round. shift returns it in units of sd.
type shifted struct {
	engine.Environment
	taskOf []int
	sd     []float64
	shift  func(round, task, arm uint64) float64
}

// Pull makes the plan's pulls and adds the shifts.
func (s *shifted) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	b, err := s.Environment.Pull(ctx, p)
	for i, v := range s.taskOf {
		if b.Counts[i] > 0 {
			b.Means[i] += s.sd[i] * s.shift(uint64(p.Round), uint64(v), uint64(i))
		}
	}
	return b, err
}

// Streams of random numbers for shifts. Streams of rewards use an arm index in the same place.
const (
	streamDrift = math.MaxUint64 - iota
	streamBatch
)

// environmentOf returns the environment of one run: the rewards of draw plus shifts or block effects, with the sign of
// Problem.Mean.
func environmentOf(p *problem.Problem, draw Drawer, seed uint64, run int) engine.Environment {
	env := &environment{draw, seed, uint64(run), p.Noise.Bounds}
	if p.Block != nil {
		return &blocks{env, p, seed, uint64(run)}
	}
	s := &shifted{Environment: env, taskOf: p.TaskOf, sd: p.Noise.Deviations()}
	switch entry, _ := problem.EnvironmentNamed(p.Noise.Environment); entry.Name {
	case problem.EnvironmentDrift:
		s.shift = func(round, _, arm uint64) float64 {
			return strength(p) * float64(round-1) * stream(mix(seed)+arm, uint64(run), 1, streamDrift).NormFloat64()
		}
	case problem.EnvironmentBatch:
		s.shift = func(round, task, _ uint64) float64 {
			return strength(p) * stream(mix(seed)+task, uint64(run), round, streamBatch).NormFloat64()
		}
	default:
		return env
	}
	return s
}

// strength returns the strength of the problem's environment, or its default.
func strength(p *problem.Problem) float64 {
	if entry, err := problem.EnvironmentNamed(p.Noise.Environment); p.Noise.Strength == 0 && err == nil {
		return entry.Strength
	}
	return p.Noise.Strength
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
