package published

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// topTwo is top-two Thompson sampling [Russo16, Section 3.3] with β = ½. Each agent draws rewards of its arms from the
// posterior. With probability ½ it pulls the best arm of this draw. Otherwise it draws again until another arm is best,
// and pulls that arm. After mostDraws draws without another arm, it pulls the rival with the smallest gap in standard
// deviations, which is the most probable one.
//
// An algorithm must be a function of its rewards. The random numbers therefore follow from a hash of the posterior means,
// and replicas draw the same numbers.
//
// [Russo16]: D. Russo, Simple Bayesian algorithms for best arm identification, COLT 2016.
type topTwo struct{}

const mostDraws = 200

// NewTopTwoThompson returns top-two Thompson sampling with a fixed budget.
func NewTopTwoThompson(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return newBudgeted(m, opt, topTwo{})
}

func (topTwo) choose(a *budgeted, v, n int) (chosen []int) {
	set := a.Sets[v]
	rng := a.random(v)
	draw := a.drawer(set, rng)
	for range n {
		first := draw()
		pulled := first
		if len(set) > 1 && rng.Float64() >= 0.5 {
			for range mostDraws {
				if pulled = draw(); pulled != first {
					break
				}
			}
			if pulled == first {
				pulled = a.nearest(set, first)
			}
		}
		chosen = append(chosen, set[pulled])
	}
	return chosen
}

// random returns the generator of random numbers for task v in this round.
func (a *budgeted) random(v int) *rand.Rand {
	h := fnv.New64a()
	const resolution = 1e-4 // coarse, so that rounding errors and units have no influence
	for _, x := range a.estimates {
		h.Write(binary.AppendVarint(nil, int64(math.Round((x-a.estimates[0])/resolution))))
	}
	return rand.New(rand.NewPCG(h.Sum64(), uint64(a.round)<<32|uint64(v)))
}

// drawer returns a function that draws rewards of the arms in set from the posterior, and returns the position of the
// largest.
func (a *budgeted) drawer(set []int, rng *rand.Rand) func() int {
	means := a.pool.Means()
	type normal struct {
		weight float64
		mean   []float64
		root   *mat.Dense
	}
	var members []normal
	for _, member := range a.mixture.Members {
		one := normal{weight: member.Weight, root: rootOf(member.CovarianceMatrix(set))}
		estimates := member.Estimates(means)
		for _, i := range set {
			one.mean = append(one.mean, estimates[i])
		}
		members = append(members, one)
	}
	z, off := mat.NewVecDense(len(set), nil), new(mat.VecDense)
	return func() int {
		at, u := 0, rng.Float64()
		for u -= members[0].weight; u > 0 && at < len(members)-1; u -= members[at].weight {
			at++
		}
		for k := range set {
			z.SetVec(k, rng.NormFloat64())
		}
		off.MulVec(members[at].root, z)
		best, most := 0, math.Inf(-1)
		for k, mean := range members[at].mean {
			if x := mean + off.AtVec(k); x > most {
				best, most = k, x
			}
		}
		return best
	}
}

// rootOf returns the symmetric matrix R with R² = C. C may be singular. Unlike other square roots, R is unique up to
// rounding, so units do not change the draws.
func rootOf(c *mat.SymDense) *mat.Dense {
	var eigen mat.EigenSym
	n := c.SymmetricDim()
	root := mat.NewDense(n, n, nil)
	if !eigen.Factorize(c, true) {
		for k := range n {
			root.Set(k, k, math.Sqrt(max(0, c.At(k, k))))
		}
		return root
	}
	var vectors, scaled mat.Dense
	eigen.VectorsTo(&vectors)
	scaled.CloneFrom(&vectors)
	for k, value := range eigen.Values(nil) {
		for i := range n {
			scaled.Set(i, k, scaled.At(i, k)*math.Sqrt(max(0, value)))
		}
	}
	root.Mul(&scaled, vectors.T())
	return root
}

// nearest returns the position in set of the rival whose gap to the arm at position first is the fewest standard
// deviations.
func (a *budgeted) nearest(set []int, first int) int {
	c := a.covariance(set)
	best, least := -1, math.Inf(1)
	for k, i := range set {
		gap := a.estimates[set[first]] - a.estimates[i]
		score := gap / math.Sqrt(max(1e-300, c.At(k, k)+c.At(first, first)-2*c.At(k, first)))
		if k != first && (best < 0 || score < least) {
			best, least = k, score
		}
	}
	return best
}
