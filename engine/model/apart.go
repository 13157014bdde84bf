package model

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// OwnPart returns the variance of an independent effect that each arm of each task has under the kernel, in the kernel's units, as read
// from its terms: 0 if they have none, or if it is below the resolution of features.
func OwnPart(m *Model) float64 {
	if own := kernels.Own(m.Problem.Kernel, m.Problem.V()); own > sameToFactor*m.Diagonal {
		return own
	}
	return 0
}

// EachApart reports whether the kernel has full rank, so that data on some arms exclude nothing about the others. It is read from the
// kernel's terms or, for at most MaxRank arms, from its features.
func EachApart(m *Model) bool {
	if m.apartOnly || OwnPart(m) > 0 {
		return true
	}
	return m.Problem.N() <= MaxRank && (m.Relations().Unrelated() || m.Relations().AdmitsAll() && m.Rank() == m.Problem.N())
}

// errNoPulls is returned for an estimate without data.
var errNoPulls = errors.New("nothing was measured, so no arm can be estimated")

// onMeans returns the estimator for unrelated arms: their own means.
func onMeans(m *Model, counts []int, total int) *Estimator {
	e := &Estimator{Total: make([]float64, len(counts)), Pulls: total, unit: m.Unit, root: math.Sqrt(m.Scale)}
	for i, c := range counts {
		e.Total[i] = float64(c) * m.Precision[i]
		e.precision += e.Total[i]
	}
	e.dual = ownMeans(e.Total)
	return e
}

// ownMeans has the precisions of the means of unrelated arms, 0 for arms without data.
type ownMeans []float64

var _ conditioned = ownMeans(nil)

func (o ownMeans) floats() int { return 0 } // the estimator counts them

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
	return 0 // as for features that were not measured
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

// missing reports whether the estimator uses own means and has no data on arm i.
func (e *Estimator) missing(i int) bool {
	_, own := e.dual.(ownMeans)
	return own && e.Total[i] == 0
}

// roughly is the variance under a bound, divided by the squared gap, above which an arm counts as unseen. On 400 arms under matern(1)
// with norm 3.6 it selects a test with the norm, which needs 1,517 pulls at accuracy 0.3 (by means: 2,138) and 3,154 at 0.1 (by means:
// 3,328). With 0.5 or 1 it would select the test by means.
const roughly = 2

// Rough reports whether more than half of the arms need pulls of their own under bound b on known rewards: a function within the bound
// may differ at an arm, given any half of the others, by more than a gap (of the median arm, or epsilon if larger). A test with the norm
// then saves hardly any pulls.
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
