package bayes

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/model"
)

const (
	// unionRivals is how many rivals are drawn together, the likeliest; the probabilities of others are added.
	unionRivals = 12
	unionDraws  = 200
)

// anyOf returns the probability that some arm of a set exceeds the leader by more than ε, where chances has the
// probability of each, by draws from their joint posterior that are made where one of them does [OMC19]:
//
//	P(∪A_x) = Σ_x P(A_x) · E[1/N],
//
// where x is drawn in proportion to P(A_x), the rewards given A_x, and N counts the arms that exceed
// it. So few draws do however improbable it is. Arms depend on each other as normal variables do. The draws are the
// same ones each time.
//
// [OMC19]: A. B. Owen, Y. Maximov, M. Chertkov, Importance sampling the union of rare events with an application to power
// systems analysis, Electronic Journal of Statistics 13 (2019) 231.
func anyOf(p *model.Posterior, set []int, leader int, chances []float64) float64 {
	var rivals []int
	for k, c := range chances {
		if c > 0 {
			rivals = append(rivals, k)
		}
	}
	slices.SortStableFunc(rivals, func(x, y int) int { return cmp.Compare(chances[y], chances[x]) })
	added := 0.0
	for _, k := range rivals[min(unionRivals, len(rivals)):] {
		added += chances[k]
	}
	rivals = rivals[:min(unionRivals, len(rivals))]
	sum := 0.0
	for _, k := range rivals {
		sum += chances[k]
	}
	if len(rivals) < 2 || !(sum > 0) {
		return sum + added
	}
	lower, ok := correlations(p, set, leader, rivals)
	if !ok {
		return sum + added
	}
	n := len(rivals)
	heights := make([]float64, n)
	for r, k := range rivals {
		heights[r] = upper(chances[k])
	}
	rng := rand.New(rand.NewPCG(19, 231))
	z, x := make([]float64, n), make([]float64, n)
	shares, r, passed := 0.0, 0, chances[rivals[0]]
	for d := range unionDraws {
		for at := (float64(d) + 0.5) / unionDraws * sum; at > passed && r < n-1; {
			r++
			passed += chances[rivals[r]]
		}
		for k := range z {
			z[k] = rng.NormFloat64()
		}
		for k := range x {
			row := lower.RawRowView(k)
			x[k] = 0
			for l := range k + 1 {
				x[k] += row[l] * z[l]
			}
		}
		// given that rival r exceeds: its value is drawn from there, and the others follow
		shift := upper(rng.Float64()*chances[rivals[r]]) - x[r]
		count, from := 1, lower.RawRowView(r)
		for k := range x {
			if k == r {
				continue
			}
			rho, row := 0.0, lower.RawRowView(k)
			for l := range min(k, r) + 1 {
				rho += row[l] * from[l]
			}
			if x[k]+rho*shift > heights[k] {
				count++
			}
		}
		shares += 1 / float64(count)
	}
	return sum*shares/unionDraws + added
}

// upper returns the value that a standard normal variable exceeds with probability p.
func upper(p float64) float64 { return -distuv.UnitNormal.Quantile(p) }

// correlations returns the Cholesky factor of the correlations of the rivals' rewards less the leader's.
func correlations(p *model.Posterior, set []int, leader int, rivals []int) (*mat.Dense, bool) {
	arms := make([]int, len(rivals)+1)
	for r, k := range rivals {
		arms[r] = set[k]
	}
	n := len(rivals)
	arms[n] = leader
	all, covariance := p.CovarianceMatrix(arms), mat.NewSymDense(n, nil)
	for r := range n {
		for l := range r + 1 {
			covariance.SetSym(r, l, all.At(r, l)-all.At(r, n)-all.At(l, n)+all.At(n, n))
		}
	}
	const jitter = 1e-9
	scaled := mat.NewSymDense(n, nil)
	for r := range n {
		for l := range r + 1 {
			v := covariance.At(r, l) / math.Sqrt(covariance.At(r, r)*covariance.At(l, l))
			if r == l {
				v = 1 + jitter
			}
			scaled.SetSym(r, l, v)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(scaled) {
		return nil, false
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	return mat.DenseCopyOf(&lower), true
}
