package sim

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// mostKept is the largest number of float64 values that are stored for the estimates of a run: 8 MB.
const mostKept = 1 << 20

// keeper is an environment that stores the algorithm's estimates of every arm after each round. It does so before the next
// pull, and at the end.
type keeper struct {
	engine.Environment
	alg       engine.Detailed
	many      bool // whether a task has more than mostWhole arms
	problem   *problem.Problem
	rounds    int // number of rounds so far
	stride    int // only rounds that are multiples of stride are stored; it starts at 1 and doubles when the limit is reached
	estimates engine.Estimates
	later     map[int]func(arms []int) engine.ArmEstimates // by round: functions that compute estimates later, for the given arms
}

func keepEstimates(env engine.Environment, alg engine.Detailed, p *problem.Problem) *keeper {
	k := &keeper{Environment: env, alg: alg, problem: p, stride: 1, later: map[int]func([]int) engine.ArmEstimates{},
		estimates: engine.Estimates{Tasks: p.Tasks.Names, Arms: p.Arms.Names, TaskOf: p.TaskOf}}
	k.estimates.Truth = append(k.estimates.Truth, lists.Map(p.Mean, p.Turned)...)
	k.many = slices.ContainsFunc(p.Groups(), func(arms []int) bool { return len(arms) > mostWhole })
	return k
}

const (
	// mostWhole is the largest number of arms of a task for which all estimates are stored even if the algorithm can defer
	// them.
	mostWhole = 1000
	// mostRecalled is the number of arms of a larger task whose estimates are stored: twice as many as a figure draws.
	mostRecalled = 400
)

// Pull stores the estimates after the previous round, and forwards the plan.
func (k *keeper) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	if k.rounds > 0 && k.rounds%k.stride == 0 {
		k.keep()
	}
	b, err := k.Environment.Pull(ctx, p)
	if err == nil {
		k.rounds++
	}
	return b, err
}

// keep stores the estimates after the last round.
func (k *keeper) keep() {
	if k.many {
		if later, _ := k.alg.DeferEstimates(); later != nil {
			k.later[k.rounds] = later
			k.estimates.Rounds = append(k.estimates.Rounds, engine.RoundEstimates{Round: k.rounds})
			k.limit(k.problem.N())
			return
		}
	}
	now := k.alg.ArmEstimates()
	k.note(k.rounds, now)
	k.limit(len(now.Mean))
}

func (k *keeper) note(round int, now engine.ArmEstimates) {
	if len(now.Mean) == 0 {
		return
	}
	for i := range now.Mean { // with the sign of the data
		now.Mean[i] = k.problem.Turned(now.Mean[i])
	}
	k.estimates.Posterior = now.Posterior
	k.estimates.Rounds = append(k.estimates.Rounds, engine.RoundEstimates{Round: round, Mean: now.Mean, Half: now.Half})
}

// limit drops every other round, except the first and the last, until the estimates of this many arms fit into mostKept.
func (k *keeper) limit(arms int) {
	for len(k.estimates.Rounds)*2*arms > mostKept && len(k.estimates.Rounds) > 2 {
		k.stride *= 2
		all := k.estimates.Rounds
		k.estimates.Rounds = nil
		for i, r := range all {
			if r.Round%k.stride == 0 || i == 0 || i == len(all)-1 {
				k.estimates.Rounds = append(k.estimates.Rounds, r)
			} else {
				delete(k.later, r.Round)
			}
		}
	}
}

// recall computes the deferred estimates of the stored rounds. It selects the arms of each task with the best latest
// estimates.
func (k *keeper) recall() {
	_, latest := k.alg.DeferEstimates()
	var arms []int
	for _, group := range k.problem.Groups() {
		slices.SortStableFunc(group, func(i, j int) int { return cmp.Compare(latest[j], latest[i]) })
		arms = append(arms, group[:min(len(group), mostRecalled)]...)
	}
	slices.Sort(arms)
	rounds := k.estimates.Rounds
	k.estimates.Rounds = nil
	for _, r := range rounds {
		k.note(r.Round, k.later[r.Round](arms))
	}
}

// finish returns the stored estimates, including the last round; nil if there are none.
func (k *keeper) finish() *engine.Estimates {
	if n := len(k.estimates.Rounds); k.rounds > 0 && (n == 0 || k.estimates.Rounds[n-1].Round < k.rounds) {
		k.keep()
	}
	if len(k.later) > 0 {
		k.recall()
	}
	if len(k.estimates.Rounds) == 0 {
		return nil
	}
	return &k.estimates
}

// believed is a distribution of expected rewards from which each run draws. It is either the posterior given measurements
// (problem.EnvironmentPosterior) or a prior (problem.EnvironmentPrior).
type believed struct {
	prior *problem.Prior // nil for a posterior
	seed  uint64         // seed of draws from the prior
	draws *mat.Dense     // one draw per row, higher is better, reward units
	sd    []float64      // noise standard deviation of each arm
	laws  string         // environment of the noise in a run, after its expected rewards are drawn
}

// believe computes the posterior of a problem's measurements, once for all experiments that share memory. It passes the
// progress to the function argument. It returns an error for measurements that do not distinguish arms. For
// problem.EnvironmentPrior it returns the prior of the kernel, and an error for a problem with measurements.
func believe(ctx context.Context, p *problem.Problem, seed uint64, memory *model.Memory, tell func(share float64),
) (_ *believed, err error) {
	defer try.Caught(&err)
	if p.Noise.Environment == problem.EnvironmentPrior {
		prior := try.Of(p.Prior(ctx))
		out := &believed{prior: prior, seed: seed, laws: problem.EnvironmentGaussian, sd: p.Noise.SD}
		if p.Noise.Bounds != nil {
			out.laws = problem.EnvironmentBernoulli
		}
		return out, nil
	}
	b := try.Of(belief.Of(ctx, p, belief.Options{Memory: memory, Progress: tell}))
	out := &believed{draws: b.Draws, laws: problem.EnvironmentGaussian, sd: lists.Map(b.Noise, math.Sqrt)}
	switch {
	case b.Scatter.Kind != belief.ScatterCounts && p.Noise.Bounds == nil:
	case b.Scatter.Kind != belief.ScatterCounts && p.Rewards != nil:
		out.laws = problem.EnvironmentResampled
	default:
		out.laws = problem.EnvironmentBernoulli
	}
	return out, nil
}

// average returns the mean of the draws. For a prior this mean has no gaps between arms, so it returns the draw of the
// first run.
func (b *believed) average() []float64 {
	if b.prior != nil {
		return b.prior.Draw(b.seed, 0)
	}
	rows, columns := b.draws.Dims()
	mean := make([]float64, columns)
	for i := range rows {
		for j, v := range b.draws.RawRowView(i) {
			mean[j] += v / float64(rows)
		}
	}
	return mean
}

// within moves expected rewards that are outside the bounds of the problem's rewards to the nearest bound. It changes and
// returns mean.
func (b *believed) within(p *problem.Problem, mean []float64) []float64 {
	bounds := p.Noise.Bounds
	if b.laws == problem.EnvironmentBernoulli && bounds == nil {
		lo, hi := p.TwoRewards()
		bounds = &[2]float64{lo, hi}
	}
	if bounds != nil {
		for i, m := range mean {
			mean[i] = min(max(m, bounds[0]), bounds[1])
		}
	}
	return mean
}

// unknown returns the problem as algorithms see it, without expected rewards.
func (b *believed) unknown(p *problem.Problem) *problem.Problem {
	q := *p
	q.Mean, q.Partial = nil, nil
	q.Noise.SD, q.Noise.Environment = b.sd, b.laws
	if b.laws != problem.EnvironmentResampled {
		q.Rewards = nil
	}
	return &q
}

// of returns the problem p, which unknown returned, with the expected rewards of a run. If rewards have bounds, they stay
// within them. Measured rewards r with mean m are moved to the new mean m' by
//
//	r' = hi - (hi - r) (hi - m')/(hi - m) for m' > m,  r' = lo + (r - lo) (m' - lo)/(m - lo) otherwise.
func (b *believed) of(p *problem.Problem, run int) *problem.Problem {
	q := *p
	if b.prior != nil {
		q.Mean = b.prior.Draw(b.seed, uint64(run))
	} else { // neighbouring draws use the same kernel; multiples of the golden ratio spread runs evenly over all draws
		rows, _ := b.draws.Dims()
		q.Mean = slices.Clone(b.draws.RawRowView(int(math.Mod(float64(run)*math.Phi, 1) * float64(rows))))
	}
	q.Mean = b.within(p, q.Mean)
	if b.laws == problem.EnvironmentResampled {
		bounds := p.Noise.Bounds
		q.Rewards = make([][]float64, len(p.Rewards))
		for i, rewards := range p.Rewards {
			q.Rewards[i] = moved(rewards, q.Mean[i], bounds[0], bounds[1])
		}
	}
	return &q
}

// moved returns rewards in [lo, hi], changed so that their mean is to.
func moved(rewards []float64, to, lo, hi float64) []float64 {
	mean := lists.Sum(rewards, func(r float64) float64 { return r / float64(len(rewards)) })
	out := make([]float64, len(rewards))
	for k, r := range rewards {
		switch {
		case to > mean:
			out[k] = max(hi-(hi-r)*(hi-to)/(hi-mean), lo)
		case mean > lo:
			out[k] = min(lo+(r-lo)*(to-lo)/(mean-lo), hi)
		default:
			out[k] = to
		}
	}
	return out
}
