package sim

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// believed holds what measurements say of the expected rewards, for runs that each draw their own
// (problem.EnvironmentPosterior).
type believed struct {
	draws *mat.Dense // a row a draw, higher is better, reward units
	sd    []float64  // of a reward of each arm
	laws  string     // the environment of a run whose expected rewards are drawn
}

// believe computes what the measurements of a problem say, once for all experiments that share the memory, and tells how
// much of it is done. It reports a problem with fewer than two measured arms.
func believe(ctx context.Context, p *problem.Problem, memory *model.Memory, tell func(share float64)) (*believed, error) {
	b, err := belief.Of(ctx, p, belief.Options{Memory: memory, Progress: tell})
	if err != nil {
		return nil, err
	}
	out := &believed{draws: b.Draws, laws: problem.EnvironmentGaussian}
	for _, v := range b.Noise {
		out.sd = append(out.sd, math.Sqrt(v))
	}
	switch {
	case b.Scatter.Kind != belief.ScatterCounts && p.Noise.Bounds == nil:
	case b.Scatter.Kind != belief.ScatterCounts && p.Rewards != nil:
		out.laws = problem.EnvironmentResampled
	default:
		out.laws = problem.EnvironmentBernoulli
	}
	return out, nil
}

// average returns the mean of what is drawn.
func (b *believed) average() []float64 {
	rows, columns := b.draws.Dims()
	mean := make([]float64, columns)
	for i := range rows {
		for j, v := range b.draws.RawRowView(i) {
			mean[j] += v / float64(rows)
		}
	}
	return mean
}

// unknown returns the problem as algorithms have it: its expected rewards are not known.
func (b *believed) unknown(p *problem.Problem) *problem.Problem {
	q := *p
	q.Mean, q.Partial = nil, nil
	q.Noise.SD, q.Noise.Environment = b.sd, b.laws
	if b.laws != problem.EnvironmentResampled {
		q.Rewards = nil
	}
	return &q
}

// of returns the problem p, which unknown made, with the expected rewards of a run. Rewards that have bounds keep
// them: measured ones are moved to their new mean m' from their mean m by
//
//	r' = hi - (hi - r) (hi - m')/(hi - m) for m' > m,  r' = lo + (r - lo) (m' - lo)/(m - lo) otherwise.
func (b *believed) of(p *problem.Problem, run int) *problem.Problem {
	q := *p
	rows, columns := b.draws.Dims()
	q.Mean = make([]float64, columns)
	// neighbouring draws are of one kernel: multiples of the golden ratio fill the unit interval evenly
	copy(q.Mean, b.draws.RawRowView(int(math.Mod(float64(run)*math.Phi, 1)*float64(rows))))
	bounds := p.Noise.Bounds
	if b.laws == problem.EnvironmentBernoulli && bounds == nil {
		lo, hi := p.TwoRewards()
		bounds = &[2]float64{lo, hi}
	}
	if bounds != nil {
		for i, m := range q.Mean {
			q.Mean[i] = min(max(m, bounds[0]), bounds[1])
		}
	}
	if b.laws == problem.EnvironmentResampled {
		q.Rewards = make([][]float64, columns)
		for i, rewards := range p.Rewards {
			q.Rewards[i] = moved(rewards, q.Mean[i], bounds[0], bounds[1])
		}
	}
	return &q
}

// moved returns rewards within bounds with another mean.
func moved(rewards []float64, to, lo, hi float64) []float64 {
	mean := 0.0
	for _, r := range rewards {
		mean += r / float64(len(rewards))
	}
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
