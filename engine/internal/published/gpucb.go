package published

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// gpUCB is the sampling rule of GP-UCB [SKKS10, Algorithm 1] with β of its Theorem 1. In round t each agent pulls the
// arm of its task with the largest
//
//	μ_i + √(β_t) σ_i,  β_t = 2 log(N t² π²/(6δ)),
//
// where N is the number of arms of all tasks. GP-UCB minimises cumulative regret; here it has the recommendation rule
// of budgeted. Within a batch the variances count the agent's earlier pulls, and the means do not change, as in
// GP-BUCB.
//
// [SKKS10]: N. Srinivas, A. Krause, S. M. Kakade, M. Seeger, Gaussian process optimization in the bandit setting, ICML
// 2010.
type gpUCB struct{}

// NewGPUCB returns GP-UCB with a fixed budget.
func NewGPUCB(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return newBudgeted(m, opt, gpUCB{})
}

func (gpUCB) choose(a *budgeted, v, n int) (chosen []int) {
	set := a.Sets[v]
	c := a.covariance(set)
	for k := range n {
		t := float64(a.round*max(1, a.opt.Batch) + k + 1)
		beta := 2 * math.Log(float64(a.Model.Problem.N())*t*t*math.Pi*math.Pi/(6*a.opt.Delta))
		best, most := 0, math.Inf(-1)
		for l, i := range set {
			if bound := a.estimates[i] + math.Sqrt(beta*max(0, c.At(l, l))); bound > most+tie*math.Abs(most) || l == 0 {
				best, most = l, bound
			}
		}
		chosen = append(chosen, set[best])
		if k < n-1 { // the pull that is made without its reward
			column := mat.NewVecDense(len(set), nil)
			column.CopyVec(mat.DenseCopyOf(c).ColView(best))
			c.SymRankOne(c, -1/(c.At(best, best)+1/a.Model.Precision[set[best]]), column)
		}
	}
	return chosen
}
