package model

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// OwnPart returns a variance that each arm of each task has by itself under the kernel, in the kernel's units, as its terms
// show it: 0 where they show none, or less than features resolve.
func OwnPart(m *Model) float64 {
	if own := kernels.Own(m.Problem.Kernel, m.Problem.V()); own > sameToFactor*m.Diagonal {
		return own
	}
	return 0
}

// EachApart reports whether data on some arms exclude nothing about any other: the rank of the kernel is the number of
// arms. It is shown by the terms of the kernel, or for at most MaxRank arms by its features.
func EachApart(m *Model) bool {
	if m.apartOnly || OwnPart(m) > 0 {
		return true
	}
	return m.Problem.N() <= MaxRank && (m.Relations().Unrelated() || m.Relations().AdmitsAll() && m.Rank() == m.Problem.N())
}

// errNoPulls is an estimate from nothing.
var errNoPulls = errors.New("no pulls, nothing to estimate from")

// onMeans returns the estimator of arms that say nothing of each other: their own means.
func onMeans(m *Model, counts []int, total int) *Estimator {
	e := &Estimator{Total: make([]float64, len(counts)), Pulls: total, unit: m.Unit, root: math.Sqrt(m.Scale)}
	for i, c := range counts {
		e.Total[i] = float64(c) * m.Precision[i]
		e.precision += e.Total[i]
	}
	e.dual = ownMeans(e.Total)
	return e
}

// ownMeans are the precisions of means of arms that say nothing of each other, 0 where there is none.
type ownMeans []float64

var _ conditioned = ownMeans(nil)

func (o ownMeans) floats() int { return 0 } // the estimator has them all

func (o ownMeans) estimates(_ float64, y []float64) []float64 {
	out := make([]float64, len(o))
	for i, t := range o {
		if t > 0 {
			out[i] = y[i]
		}
	}
	return out
}

func (o ownMeans) armVariance(i int) float64 {
	if o[i] > 0 {
		return 1 / o[i]
	}
	return 0 // as of features that were not measured
}

func (o ownMeans) variance(i, j int) float64 {
	if i == j {
		return 0
	}
	return o.armVariance(i) + o.armVariance(j)
}

func (o ownMeans) variances(dst []float64, arms []int, from int) error {
	for k, i := range arms {
		if dst[k] = o.armVariance(i); from >= 0 {
			dst[k] = o.variance(i, from)
		}
	}
	return nil
}

func (o ownMeans) covariances(dst []float64, arms []int, with int) {
	clear(dst)
	for k, i := range arms {
		if i == with {
			dst[k] = o.armVariance(i)
		}
	}
}

func (o ownMeans) matrix(arms []int) *mat.SymDense {
	return symmetric.Add(mat.NewSymDense(len(arms), nil), func(k int) float64 { return o.armVariance(arms[k]) })
}

// missing reports whether the estimator uses own means and has none of that arm.
func (e *Estimator) missing(i int) bool {
	_, own := e.dual.(ownMeans)
	return own && e.Total[i] == 0
}

// roughly is the variance under a bound that counts as unseen, over the square of a gap. On 400 arms under matern(1) and a
// norm of 3.6 it takes a test by the norm, which needs 1,517 pulls at an accuracy of 0.3 instead of 2,138 and 3,154 at 0.1 in
// place of 3,328; with one half, or a whole, it would take one by means.
const roughly = 2

// Rough reports whether more than half of the arms need pulls of their own under that bound on known rewards: a function
// within it may differ at an arm from what it is at any half of the others by more than a gap, of the median arm or epsilon
// where that is larger. Then a test by the norm spares hardly any pulls.
func Rough(m *Model, b Bound, opt Terms) (bool, error) {
	t, err := m.known()
	if err != nil {
		return false, err
	}
	gaps := slices.Sorted(slices.Values(t.gap))
	rest := roughly * math.Pow(max(gaps[len(gaps)/2], opt.Epsilon)/b.Norm, 2)
	if OwnPart(m) >= rest {
		return true, nil
	}
	half := m.Problem.N() / 2
	if half > MaxRank {
		return false, nil
	}
	pivots, err := m.Pivots(half+1, rest/m.Scale)
	return len(pivots) > half, err
}
