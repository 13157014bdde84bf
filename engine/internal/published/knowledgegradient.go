package published

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// knowledgeGradient is the sampling rule of the correlated knowledge gradient [FPD09, Section 4]. Each agent pulls the
// arm x of its task whose reward most increases the expected largest posterior mean,
//
//	E max_i (μ_i + s_i Z) - max_i μ_i,  s_i = C_ix/√(C_xx + σ_x²),  Z ~ N(0, 1).
//
// The paper has one task. Here the increase is summed over all tasks, because a pull also informs other agents. Within
// a round, agents ignore the pulls of others. Within a batch the covariances count the agent's earlier pulls, and the
// means do not change.
//
// [FPD09]: P. Frazier, W. Powell, S. Dayanik, The knowledge-gradient policy for correlated normal beliefs, INFORMS
// Journal on Computing 21, 2009.
type knowledgeGradient struct{}

// NewKnowledgeGradient returns the correlated knowledge gradient with a fixed budget.
func NewKnowledgeGradient(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return newBudgeted(m, opt, knowledgeGradient{})
}

func (knowledgeGradient) choose(a *budgeted, v, n int) (chosen []int) {
	set := a.Sets[v]
	c := a.columns(set)
	for range n {
		best, most := 0, math.Inf(-1)
		for k, i := range set {
			if gain := a.logGain(c.ColView(k), c.At(i, k)+1/a.Model.Precision[i]); k == 0 || gain-most > tie*(1+math.Abs(gain)) {
				best, most = k, gain
			}
		}
		chosen = append(chosen, set[best])
		var column mat.VecDense // column of the chosen arm: its reward is unknown until the end of the round
		column.CloneFromVec(c.ColView(best))
		own := mat.NewVecDense(len(set), nil)
		for k, i := range set {
			own.SetVec(k, column.AtVec(i))
		}
		c.RankOne(c, -1/(own.AtVec(best)+1/a.Model.Precision[set[best]]), &column, own)
	}
	return chosen
}

// columns returns the posterior covariances of all arms with the arms of a task, normalised, over all members of the mixture.
func (a *budgeted) columns(set []int) *mat.Dense {
	n, means := a.Model.Problem.N(), a.pool.Means()
	out, column, every, off := mat.NewDense(n, len(set), nil), make([]float64, n), make([]int, n), make([]float64, n)
	for i := range every {
		every[i] = i
	}
	for _, member := range a.mixture.Members {
		floats.SubTo(off, member.Estimates(means), a.estimates)
		for k, x := range set {
			member.Covariances(column, every, x)
			for i := range column {
				out.Set(i, k, out.At(i, k)+member.Weight*(column[i]+off[i]*off[x]))
			}
		}
	}
	return out
}

// logGain returns the logarithm of the expected increase of the largest posterior means, summed over tasks, by one reward.
// The reward has this predictive variance and these covariances with all arms.
func (a *budgeted) logGain(covariances mat.Vector, variance float64) float64 {
	terms := []float64{math.Inf(-1)}
	for _, set := range a.Sets {
		lines := make([]line, len(set))
		for k, i := range set {
			lines[k] = line{mean: a.estimates[i], slope: covariances.AtVec(i) / math.Sqrt(variance)}
		}
		terms = appendGains(terms, lines)
	}
	return floats.LogSumExp(terms)
}

// line is mean + slope Z. It is the largest of several lines from Z = from on.
type line struct{ mean, slope, from float64 }

// appendGains appends the logarithms of the terms of E max_k (mean_k + slope_k Z) - max_k mean_k [FPD09, eq. (14)],
//
//	Σ_j (slope_j+1 - slope_j) f(-|z_j|),  f(z) = φ(z) + z Φ(z),
//
// to terms. The sum is over the points z_j at which the largest of the lines changes [FPD09, Algorithm 1]. Logarithms
// are used because gains may underflow. appendGains overwrites lines.
func appendGains(terms []float64, lines []line) []float64 {
	slices.SortFunc(lines, func(l, m line) int { return cmp.Or(cmp.Compare(l.slope, m.slope), cmp.Compare(l.mean, m.mean)) })
	equal := tie * max(math.Abs(lines[0].slope), math.Abs(lines[len(lines)-1].slope))
	largest := lines[:0]
	for _, l := range lines {
		l.from = math.Inf(-1)
		for covered := true; covered && len(largest) > 0; {
			last := largest[len(largest)-1]
			switch {
			case l.slope-last.slope > equal:
				l.from = (last.mean - l.mean) / (l.slope - last.slope)
				covered = l.from <= last.from
			case l.mean > last.mean:
			default:
				l, covered = last, true
			}
			if covered {
				largest = largest[:len(largest)-1]
				l.from = math.Inf(-1)
			}
		}
		largest = append(largest, l)
	}
	for j := 1; j < len(largest); j++ {
		terms = append(terms, math.Log(largest[j].slope-largest[j-1].slope)+logLoss(math.Abs(largest[j].from)))
	}
	return terms
}

// logLoss returns log(φ(z) - z Φ(-z)) for z ≥ 0.
func logLoss(z float64) float64 {
	density := -z*z/2 - math.Log(2*math.Pi)/2
	if z < 30 {
		return math.Log(math.Exp(density) - z*math.Erfc(z/math.Sqrt2)/2)
	}
	w := 1 / (z * z) // the asymptotic series; both terms above underflow
	return density + math.Log(w) + math.Log1p(w*(-3+w*(15+w*(-105+w*945))))
}
