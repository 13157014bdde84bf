package model

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
)

// representation splits the known expected rewards: μ = f + u with f in the kernel's space.
type representation struct {
	// ‖f‖ of the smallest f that is closest to μ, kernel units; NaN where it was not computed
	norm   float64
	off    []float64 // N: u, normalised
	misfit float64   // max |u|, normalised
	worst  int       // the arm of the misfit
	// how far the features may be off f by what they leave out and by rounding, normalised
	keeps   float64
	partial bool // the features were cut, and f is what they represent
}

// represent computes the representation by least squares: on the features, or where these were cut
// on those of the whole Gram matrix. That is too large for very many arms; then the norm is not
// known.
func (m *Model) represent() (*representation, error) {
	if m.Problem.Mean == nil {
		_, err := m.known()
		return nil, err
	}
	if m.apartOnly { // every reward is that of its own arm
		return &representation{norm: math.Sqrt(SquaredNorm(m.Problem.Mean)) / m.Unit, off: make([]float64, m.Problem.N())}, nil
	}
	if small, err := m.representable(); err != nil || !small {
		return &representation{partial: true, norm: math.NaN(), off: make([]float64, m.Problem.N())}, err
	}
	m, err := m.Exact()
	if err != nil {
		return nil, err
	}
	t := new(representation)
	features, scale, rest := m.Features, m.Scale, m.Truncation
	if m.cut && m.Problem.N() <= exactNorm {
		whole, err := m.source.whole(m.Context())
		if err != nil {
			return nil, fmt.Errorf("problem %q: %w", m.Problem.Name, err)
		}
		features, scale, rest = whole.L, 1, whole.Residual
	}
	t.partial = m.cut && m.Problem.N() > exactNorm
	mu := mat.NewVecDense(m.Problem.N(), nil)
	for i, v := range m.Problem.Mean {
		mu.SetVec(i, v/m.Unit)
	}
	solution, err := solveLeastSquares(m.Context(), features, mu.RawVector().Data)
	if err != nil {
		return nil, fmt.Errorf("problem %q: fitting the expected rewards: %w", m.Problem.Name, err)
	}
	theta := mat.NewVecDense(len(solution), solution)
	var fit mat.VecDense
	t.norm = mat.Norm(theta, 2) / math.Sqrt(scale)
	t.keeps = t.norm * (math.Sqrt(rest) + keptDigits*math.Sqrt(m.Diagonal))
	if t.partial {
		t.norm = math.NaN()
	}
	fit.MulVec(features, theta)
	t.off = make([]float64, m.Problem.N())
	for i := range t.off {
		t.off[i] = mu.AtVec(i) - fit.AtVec(i)
	}
	t.misfit, t.worst = farthest(t.off)
	return t, nil
}

// representWork bounds the products that a fit of the expected rewards takes beside a result.
const representWork = 2e8

// representable reports whether the representation is computed: always for exactNorm arms, and beyond
// for kernels of a rank that makes it little work.
func (m *Model) representable() (bool, error) {
	n := m.Problem.N()
	if m.Features != nil || n <= exactNorm {
		return true, nil
	}
	return m.RankAtMost(int(math.Sqrt(representWork / float64(n))))
}

func isCondition(err error) bool {
	var c mat.Condition
	return errors.As(err, &c)
}

// keptDigits is the rounding of features, and of rewards computed from them, relative to
// √k(x̃,x̃)‖f‖.
const keptDigits = 1e-9

// Norm returns ‖θ*‖ of the known expected rewards in the kernel's space, of the smallest θ that
// reproduces them, in units of Unit per root of the kernel's.
func (m *Model) Norm() (float64, error) {
	t, err := m.represented()
	if err != nil {
		return 0, err
	}
	if t.partial {
		return 0, fmt.Errorf("problem %q: the norm of the expected rewards is computed for at most %d arms unless the kernel has few dimensions on them, and there are %d", m.Problem.Name, exactNorm, m.Problem.N())
	}
	return t.norm, nil
}

// Misfit returns the largest distance, in reward units, between the expected rewards and the
// function of the kernel's space that is closest to them in squares, and the arm where it occurs.
func (m *Model) Misfit() (float64, int, error) {
	t, err := m.represented()
	if err != nil {
		return 0, 0, err
	}
	return t.misfit * m.Unit, t.worst, nil
}

// Fidelity says how far the expected rewards are from the nearest that the kernel can represent.
type Fidelity int

const (
	Unknown  Fidelity = iota // the expected rewards are not known, or the features were cut
	Faithful                 // what they are off it decides nothing
	// they may be in its space, but the features do not hold them as precisely as decisions need
	Blurred
	Rounded // they are not, by little beside the gap that decides, as rewards of a table that were rounded
	Foreign // they are not
)

// decisive is the part of the smallest lead that the misfit may have: an estimated lead Σ c_k ȳ_k
// is off by at most misfit·‖c‖₁, and as long as that is less than the lead no test of it errs more
// often. ‖c‖₁ is of the order of the root of the rank.
const decisive = 1e-3

// beside is the part of the smallest gap, or of epsilon where that is larger, up to which a misfit is
// that of rounding: estimates are off by some times as much.
const beside = 1.0 / 25

// Fidelity compares what the expected rewards are off the kernel's space with the smallest lead of
// a best arm, in reward units, beyond epsilon. Noise does not matter to it.
func (m *Model) Fidelity(epsilon float64) Fidelity {
	t, err := m.represented()
	if err != nil || t.partial {
		return Unknown
	}
	known, err := m.known()
	switch {
	case err != nil:
		return Unknown
	case t.misfit <= decisive*m.leastLead(known, epsilon):
		return Faithful
	case t.misfit <= t.keeps:
		return Blurred
	}
	if gap, err := m.gapOf(engine.Options{Epsilon: epsilon}); err == nil && t.misfit <= beside*gap {
		return Rounded
	}
	return Foreign
}

// leastLead returns the smallest gap beyond epsilon, normalised; +Inf where every arm is within it.
func (m *Model) leastLead(t *truth, epsilon float64) float64 {
	least := math.Inf(1)
	for i, gap := range t.gap {
		rounding := TieTolerance * (2*math.Abs(m.Problem.Mean[i])/m.Unit + gap + epsilon/m.Unit)
		if lead := gap - epsilon/m.Unit; lead > rounding {
			least = min(least, lead)
		}
	}
	return least
}

// RoundUp returns a number of two digits that is not below x > 0: a misfit to state.
func RoundUp(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Ceil(x/unit) * unit
}
