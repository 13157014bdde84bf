package campaign

import (
	"math"
	"math/rand/v2"

	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// fitsOwn reports whether the algorithm goes by a posterior that looks for a part of each arm by itself,
// which the kernel does not have.
func (p Protocol) fitsOwn() bool {
	e, err := p.Entry()
	return err == nil && e.Backing == algorithms.BackingPosterior && model.PriorOf(p.Options).FitsOwn()
}

// loosened returns expected rewards drawn from the kernel, m_i, with a share s of the variance between the
// arms of a task by each arm itself,
//
//	μ_i = m̄ + √h (√(1-s) (m_i - m̄) + √(s c) z_i),  z_i ~ N(0, 1),
//
// where m̄ is the mean of the arms of the task and 2c the mean square of the difference of two of them
// under the kernel, which the share leaves as it is, and the factor h of the task (spreads) in the mean. s
// has the density 6 s (1 - s) over the runs, which
// keeps it from both ends: a kernel that is all of the truth and one that is nothing of it [as the
// penalty of Chung et al. 2013 keeps a scale from 0]. Its quantiles ½ - sin(asin(1 - 2u)/3) are taken at the
// fractional parts u of 1/2 + run/Φ, so that few runs have them evenly too [Niederreiter 1992, sec. 3.1].
//
// A posterior that fits such a part does not take the kernel at its word, and a forecast that did would
// promise it more than the kernel can hold: one draw from a kernel under which tasks are much
// alike has one best arm in all of them, which all tasks find together. Arms that are one to the kernel
// stay one.
func (from prior) loosened(p *problem.Problem, mean []float64, run int) *problem.Problem {
	rng := rand.New(rand.NewPCG(0x6f776e, uint64(run))) // "own"
	_, u := math.Modf(0.5 + float64(run)/math.Phi)
	share := 0.5 - math.Sin(math.Asin(1-2*u)/3)
	out := make([]float64, len(mean))
	spread := from.spreads(p, run)
	for v := range p.V() {
		lo, hi := p.ArmsOf(v)
		centre := 0.0
		for _, x := range mean[lo:hi] {
			centre += x / float64(hi-lo)
		}
		own := math.Sqrt(share * from.contrast(lo, hi))
		z := map[int]float64{} // by the first of the same arms
		for i := lo; i < hi; i++ {
			first := from.firstOf(i)
			if _, drawn := z[first]; !drawn {
				z[first] = rng.NormFloat64()
			}
			out[i] = centre + math.Sqrt(spread[v])*(math.Sqrt(1-share)*(mean[i]-centre)+own*z[first])
		}
	}
	return plan.Supposed(p, out)
}
