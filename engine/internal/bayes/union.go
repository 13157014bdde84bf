package bayes

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// unionRivals is the largest number of rivals that are drawn together, and unionDraws the number of draws. The
// probabilities of all other rivals are added.
const unionRivals, unionDraws = 12, 200

// anyOf returns the probability that at least one arm of a set exceeds the leader by more than ε. chances has the
// probability of this event A_x for each arm x of set. The result is estimated by importance sampling [OMC19], which is
// accurate for small probabilities, too:
//
//	P(∪A_x) = Σ_x P(A_x) · E[1/N].
//
// An arm x is drawn in proportion to P(A_x), then rewards are drawn given A_x. N is the number of arms that exceed the
// leader in this draw. The rewards are drawn as jointly normal variables. All calls use the same random numbers.
//
// [OMC19]: A. B. Owen, Y. Maximov, M. Chertkov, Importance sampling the union of rare events with an application to
// power systems analysis, Electronic Journal of Statistics 13 (2019) 231.
func anyOf(p *model.Posterior, set []int, leader int, chances []float64) float64 {
	rivals := indices.Where(len(chances), func(k int) bool { return chances[k] > 0 })
	slices.SortStableFunc(rivals, func(x, y int) int { return cmp.Compare(chances[y], chances[x]) })
	others := lists.Sum(rivals[min(unionRivals, len(rivals)):], func(k int) float64 { return chances[k] })
	rivals = rivals[:min(unionRivals, len(rivals))]
	n, sum := len(rivals), lists.Sum(rivals, func(k int) float64 { return chances[k] })
	if n < 2 {
		return sum + others
	}
	correlation := correlationsWith(p, leader, lists.Map(rivals, func(k int) int { return set[k] }))
	var factor mat.Cholesky
	if !factor.Factorize(correlation) {
		return sum + others
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	limits := lists.Map(rivals, func(k int) float64 { return upper(chances[k]) })
	drawn := unionNumbers[n]()
	var rewards mat.Dense // for each draw, the normalised differences of the rivals to the leader
	rewards.Mul(drawn.normal, lower.T())
	r, passed, shares := 0, chances[rivals[0]], 0.0
	for d := range unionDraws {
		for (float64(d)+0.5)/unionDraws*sum > passed && r < n-1 {
			r++
			passed += chances[rivals[r]]
		}
		x := rewards.RawRowView(d)
		shift, exceed := upper(drawn.uniform[d]*chances[rivals[r]])-x[r], 1.0
		for k := range n {
			if k != r && x[k]+correlation.At(k, r)*shift > limits[k] {
				exceed++
			}
		}
		shares += 1 / exceed
	}
	return sum*shares/unionDraws + others
}

// randomNumbers are the random numbers of anyOf: normal ones (draws × rivals), and one uniform number per draw.
type randomNumbers struct {
	normal  *mat.Dense
	uniform []float64
}

// unionNumbers returns the random numbers for each number of rivals. They are generated on first use.
var unionNumbers = func() (out [unionRivals + 1]func() randomNumbers) {
	for n := range out {
		out[n] = sync.OnceValue(func() randomNumbers {
			rng := rand.New(rand.NewPCG(19, 231))
			numbers := randomNumbers{mat.NewDense(unionDraws, n, nil), make([]float64, unionDraws)}
			for d := range unionDraws {
				for k := range n {
					numbers.normal.Set(d, k, rng.NormFloat64())
				}
				numbers.uniform[d] = rng.Float64()
			}
			return numbers
		})
	}
	return out
}()

// correlationsWith returns the posterior correlations of the arms' gaps to the leader. The diagonal is slightly above 1,
// to allow for rounding.
func correlationsWith(p *model.Posterior, leader int, arms []int) *mat.SymDense {
	n := len(arms)
	all, out := p.CovarianceMatrix(append(slices.Clone(arms), leader)), mat.NewSymDense(n, nil)
	between := func(r, l int) float64 { return all.At(r, l) - all.At(r, n) - all.At(l, n) + all.At(n, n) }
	for r := range n {
		for l := range r {
			out.SetSym(r, l, between(r, l)/math.Sqrt(between(r, r)*between(l, l)))
		}
		out.SetSym(r, r, 1+1e-9)
	}
	return out
}

// upper returns the value that a standard normal variable exceeds with probability p.
func upper(p float64) float64 { return -distuv.UnitNormal.Quantile(p) }
