package sim

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

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
