package model

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// OwnPart returns the variance (kernel units) of the independent effect that the kernel gives each arm of each task. It
// returns 0 if the kernel has no such term, or if the variance is below the resolution of features.
func OwnPart(m *Model) float64 {
	if own := kernels.Own(m.Problem.Kernel, m.Problem.V()); own > sameToFactor*m.Diagonal {
		return own
	}
	return 0
}

// EachApart reports whether the kernel has full rank on the arms, so that data on some arms never determine another arm.
// The answer comes from the kernel's terms or, for at most MaxRank arms, from the features.
func EachApart(m *Model) bool {
	if m.apartOnly || OwnPart(m) > 0 {
		return true
	}
	return m.Problem.N() <= MaxRank && (m.Relations().Unrelated() || m.Relations().AdmitsAll() && m.Rank() == m.Problem.N())
}

// errNoPulls is returned if an estimate is requested without data.
var errNoPulls = errors.New("nothing was measured, so no arm can be estimated")

// onMeans returns the estimator for unrelated arms, which estimates each arm by the mean of its own rewards.
func onMeans(m *Model, counts []int, total int) *Estimator {
	e := &Estimator{Total: make([]float64, len(counts)), Pulls: total, unit: m.Unit, root: math.Sqrt(m.Scale)}
	for i, c := range counts {
		e.Total[i] = float64(c) * m.Precision[i]
		e.precision += e.Total[i]
	}
	e.dual = ownMeans(e.Total)
	return e
}

// ownMeans is an estimator by the arms' own means. Entry i is the precision of the mean of arm i, 0 without data.
type ownMeans []float64

var _ conditioned = ownMeans(nil)

func (o ownMeans) floats() int { return 0 } // Estimator.Floats already counts this slice

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
	return 0 // as for features in unmeasured directions
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

// missing reports whether the estimator uses the arms' own means and has no data on arm i.
func (e *Estimator) missing(i int) bool {
	_, own := e.dual.(ownMeans)
	return own && e.Total[i] == 0
}

// roughly is a threshold for Rough: if the variance under a bound exceeds roughly times the squared gap, an arm counts as
// unseen. On 400 arms under matern(1) with norm 3.6, Rough then selects a test with the norm. That test needs 1,517 pulls
// at accuracy 0.3 (by means: 2,138) and 3,154 at 0.1 (by means: 3,328). With 0.5 or 1, the test by means would be
// selected.
const roughly = 2

// Rough reports whether more than half of the arms need pulls of their own under bound b on known rewards. This is so if,
// given any half of the arms, a function within the bound may still differ by more than a gap at another arm. The gap is
// that of the median arm, or epsilon if larger. A test with the norm then saves hardly any pulls.
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
