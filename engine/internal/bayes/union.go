package bayes

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/model"
)

const (
	// unionRivals is how many rivals are drawn together, the likeliest; the probabilities of others are added.
	unionRivals = 12
	unionDraws  = 200
	unionLeast  = 1e-7 // of the sum of probabilities, below which a rival is not drawn
)

// anyOf returns the probability that some arm of a set exceeds the leader by more than ε, where chances has the
// probability of each, by draws from their joint posterior that are made where one of them does [OMC19]:
//
//	P(∪A_x) = Σ_x P(A_x) · E[1/N],
//
// where x is drawn in proportion to P(A_x), the rewards given A_x, and N counts the arms that exceed
// it. So few draws do however improbable it is. Arms depend on each other as normal variables do. The draws are the
// same ones each time; drawn is where they are made.
//
// [OMC19]: A. B. Owen, Y. Maximov, M. Chertkov, Importance sampling the union of rare events with an application to power
// systems analysis, Electronic Journal of Statistics 13 (2019) 231.
func anyOf(p *model.Posterior, set []int, leader int, chances []float64, drawn *[unionRivals][unionDraws]float64) float64 {
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
	draws := unionDrawn[len(rivals)]()
	for len(rivals) > 0 && !(chances[rivals[len(rivals)-1]] > unionLeast*sum) { // so seldom that it is never drawn
		rivals = rivals[:len(rivals)-1]
	}
	if len(rivals) < 2 {
		return sum + added
	}
	lower, ok := correlations(p, set, leader, rivals)
	if !ok {
		return sum + added
	}
	n, raw := len(rivals), lower.RawTriangular()
	row := func(k int) []float64 { return raw.Data[k*raw.Stride : k*raw.Stride+n] }
	heights, x, with := make([]float64, n), make([][]float64, n), make([]float64, n)
	for k := range x {
		heights[k], x[k] = upper(chances[rivals[k]]), drawn[k][:]
		floats.ScaleTo(x[k], row(k)[0], draws.normal[0])
		for l := 1; l <= k; l++ {
			floats.AddScaled(x[k], row(k)[l], draws.normal[l])
		}
	}
	shares, r, passed := 0.0, -1, 0.0
	for d := range unionDraws {
		for at := (float64(d) + 0.5) / unionDraws * sum; r < 0 || at > passed && r < n-1; {
			r++
			passed += chances[rivals[r]]
			for k := range with { // their correlations with rival r
				with[k] = floats.Dot(row(k)[:min(k, r)+1], row(r)[:min(k, r)+1])
			}
		}
		// given that rival r exceeds: its value is drawn from there, and the others follow. It is above its height h, and at most
		// -ln u / h above, since the hazard of a normal variable rises; where these tell the same, it need not be known.
		exceed := func(k int, shift float64) bool { return k != r && x[k][d]+with[k]*shift > heights[k] }
		low := heights[r] - x[r][d]
		high := low - draws.log[d]/heights[r]
		count, same := 1, heights[r] > 0
		for k := 0; k < n && same; k++ {
			at := exceed(k, low)
			if same = at == exceed(k, high); at {
				count++
			}
		}
		if !same {
			count = 1
			shift := upper(draws.uniform[d]*chances[rivals[r]]) - x[r][d]
			for k := range n {
				if exceed(k, shift) {
					count++
				}
			}
		}
		shares += 1 / float64(count)
	}
	return sum*shares/unionDraws + added
}

// unionDraw holds the numbers that anyOf draws for some rivals: by rival and draw, and by draw.
type unionDraw struct {
	normal       [][]float64
	uniform, log []float64 // u and ln u
}

// unionDrawn has them by the number of rivals, each made once.
var unionDrawn = func() (out [unionRivals + 1]func() unionDraw) {
	for n := range out {
		out[n] = sync.OnceValue(func() unionDraw {
			rng := rand.New(rand.NewPCG(19, 231))
			d := unionDraw{uniform: make([]float64, unionDraws), log: make([]float64, unionDraws)}
			for range n {
				d.normal = append(d.normal, make([]float64, unionDraws))
			}
			for k := range unionDraws {
				for _, z := range d.normal {
					z[k] = rng.NormFloat64()
				}
				d.uniform[k] = rng.Float64()
				d.log[k] = math.Log(d.uniform[k])
			}
			return d
		})
	}
	return out
}()

// upper returns the value that a standard normal variable exceeds with probability p.
func upper(p float64) float64 { return -distuv.UnitNormal.Quantile(p) }

// correlations returns the Cholesky factor of the correlations of the rivals' rewards less the leader's.
func correlations(p *model.Posterior, set []int, leader int, rivals []int) (*mat.TriDense, bool) {
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
	scaled := mat.NewTriDense(n, mat.Lower, nil)
	for r := range n {
		for l := range r {
			scaled.SetTri(r, l, covariance.At(r, l)/math.Sqrt(covariance.At(r, r)*covariance.At(l, l)))
		}
		scaled.SetTri(r, r, 1+jitter)
	}
	raw := scaled.RawTriangular()
	_, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: raw.Stride, Data: raw.Data})
	return scaled, ok
}
