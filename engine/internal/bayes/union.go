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
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
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
// same ones each time.
//
// [OMC19]: A. B. Owen, Y. Maximov, M. Chertkov, Importance sampling the union of rare events with an application to power
// systems analysis, Electronic Journal of Statistics 13 (2019) 231.
func anyOf(p *model.Posterior, set []int, leader int, chances []float64, drawn *unionSpace) float64 {
	rivals := make([]int, 0, len(chances))
	for k, c := range chances {
		if c > 0 {
			rivals = append(rivals, k)
		}
	}
	slices.SortStableFunc(rivals, func(x, y int) int { return cmp.Compare(chances[y], chances[x]) })
	added := lists.Sum(rivals[min(unionRivals, len(rivals)):], func(k int) float64 { return chances[k] })
	rivals = rivals[:min(unionRivals, len(rivals))]
	sum := lists.Sum(rivals, func(k int) float64 { return chances[k] })
	draws := unionDrawn[len(rivals)]()
	for len(rivals) > 0 && !(chances[rivals[len(rivals)-1]] > unionLeast*sum) { // so seldom that it is never drawn
		rivals = rivals[:len(rivals)-1]
	}
	if len(rivals) < 2 || !drawn.correlate(p, set, leader, rivals) {
		return sum + added
	}
	for k, i := range rivals {
		row, x := drawn.row(k), drawn.rewards[k][:]
		drawn.heights[k] = upper(chances[i])
		floats.ScaleTo(x, row[0], draws.normal[0])
		for l := 1; l <= k; l++ {
			floats.AddScaled(x, row[l], draws.normal[l])
		}
	}
	shares, r, passed := 0.0, 0, chances[rivals[0]]
	for d := 0; d < unionDraws; {
		for drawnAt(d)*sum > passed && r < len(rivals)-1 {
			r++
			passed += chances[rivals[r]]
		}
		end := d + 1
		for end < unionDraws && !(drawnAt(end)*sum > passed && r < len(rivals)-1) {
			end++
		}
		drawn.count(len(rivals), r, d, end, chances[rivals[r]], draws)
		for ; d < end; d++ {
			shares += 1 / float64(drawn.counts[d])
		}
	}
	return sum*shares/unionDraws + added
}

// drawnAt returns the part of the sum of probabilities at which a draw takes its rival.
func drawnAt(d int) float64 { return (float64(d) + 0.5) / unionDraws }

// unionSpace is where anyOf makes its draws.
type unionSpace struct {
	lower     [unionRivals * unionRivals]float64 // the Cholesky factor of the rivals' correlations, see correlate
	with      [unionRivals]float64               // by rival: its correlation with the rival that the draw is conditioned on
	heights   [unionRivals]float64               // by rival: what its normalised reward exceeds where the event is
	rewards   [unionRivals][unionDraws]float64   // by rival and draw: normalised rewards before anything is given
	low, high [unionDraws]float64                // by draw: bounds on the shift of the rival that exceeds
	counts    [unionDraws]uint8                  // by draw: how many rivals exceed
	differ    [unionDraws]uint8                  // by draw: 1 if the bounds give different counts
}

// row returns the row of a rival in the factor.
func (s *unionSpace) row(k int) []float64 { return s.lower[k*unionRivals : k*unionRivals+k+1] }

// count counts the rivals that exceed, of n, in the draws from ≤ d < end, given that rival r with that chance does: its value is drawn
// from there, and the others follow. It is above its height h, and at most -ln u / h above, since the hazard of a normal variable
// rises; if both bounds give the same count, the value is not needed.
func (s *unionSpace) count(n, r, from, end int, chance float64, draws unionDraw) {
	given, height := s.rewards[r][from:end], s.heights[r]
	low, high, counts, differ := s.low[:len(given)], s.high[:len(given)], s.counts[from:end], s.differ[:len(given)]
	for d, x := range given {
		low[d] = height - x
		high[d] = low[d] - draws.log[from+d]/height
		counts[d], differ[d] = 1, one(!(height > 0))
	}
	for k := range n {
		if k == r {
			continue
		}
		n := min(k, r) + 1
		with, h := floats.Dot(s.row(k)[:n], s.row(r)[:n]), s.heights[k]
		s.with[k] = with
		for d, x := range s.rewards[k][from:end][:len(given)] {
			least, most := one(x+with*low[d] > h), one(x+with*high[d] > h)
			counts[d] += least
			differ[d] |= least ^ most
		}
	}
	for d, unknown := range differ {
		if unknown == 0 {
			continue
		}
		shift := upper(draws.uniform[from+d]*chance) - given[d]
		counts[d] = 1
		for k := range n {
			if k != r && s.rewards[k][from+d]+s.with[k]*shift > s.heights[k] {
				counts[d]++
			}
		}
	}
}

// one returns 1 for true, without a branch; as a byte, since the count of draws takes a fifth longer with indices.Indicator.
func one(is bool) uint8 {
	if is {
		return 1
	}
	return 0
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

// correlate sets lower to the Cholesky factor of the correlations of the rivals' rewards less the leader's, and reports whether there is
// one.
func (s *unionSpace) correlate(p *model.Posterior, set []int, leader int, rivals []int) bool {
	var at [unionRivals + 1]int
	n := len(rivals)
	for r, k := range rivals {
		at[r] = set[k]
	}
	at[n] = leader
	all := p.CovarianceMatrix(at[:n+1])
	between := func(r, l int) float64 { return all.At(r, l) - all.At(r, n) - all.At(l, n) + all.At(n, n) }
	var own [unionRivals]float64
	for r := range n {
		own[r] = between(r, r)
	}
	const jitter = 1e-9
	for r := range n {
		row := s.row(r)
		for l := range r {
			row[l] = between(r, l) / math.Sqrt(own[r]*own[l])
		}
		row[r] = 1 + jitter
	}
	_, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: unionRivals, Data: s.lower[:]})
	return ok
}
