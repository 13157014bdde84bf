package design

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Space is the input of an allocation: the features of all arms, the precision of one pull of each, and the ridge.
// Weights λ on the simplex have the information matrix, per unit of sampling effort,
//
//	A(ξ, λ) = ξ I + Σ_i λ_i φ_i φ_iᵀ / σ_i²   [Du23, eq. of ρ*(ξ)].
type Space struct {
	Features *mat.Dense // Φ: N × m, row i is φ_i
	// N: 1/σ_i² ≥ 0; 0 for an arm that cannot be pulled. nil means 1 for all arms
	Precision []float64
	Ridge     float64 // ξ ≥ 0
}

// Pair is one contrast y = √Weight · (φ_I - φ_J).
type Pair struct {
	I, J   int
	Weight float64 // w > 0; 1 for a plain difference, 1/gap² for ρ*
}

// Contrasts are the differences of arms whose largest variance is minimised: all pairs within each group, and the listed
// pairs. In Alg. 1 l. 4, a group has a task's surviving arms; for ρ*, the pairs are the best arm and each rival. Groups of
// fewer than two arms contribute nothing.
type Contrasts struct {
	Groups [][]int
	Pairs  []Pair
}

// Options has the options of the solvers. The zero value means the defaults stated here.
type Options struct {
	Tolerance     float64 // relative duality gap; 0 means 1e-6
	MaxIterations int     // 0 means 500
	// Minimax stops when the optimum is proved to be above or at most Threshold, whatever the gap; 0 means no threshold
	Threshold float64
	// largest number of products for a comparison of all pairs (Exchange); 0 means 1e12
	Scan float64
	// a solver checks it between steps and returns its error; nil never ends
	Context context.Context
}

// Status is the reason why a solver stopped.
type Status int

const (
	// Optimal: the requested relative duality gap was reached.
	Optimal Status = iota
	// Stalled: rounding errors prevented further progress. The reported gap is valid but larger than requested.
	Stalled
	// IterationLimit: the solver used MaxIterations. The reported gap is valid.
	IterationLimit
	// Separated: the optimum is proved to be at most, or above, Options.Threshold.
	Separated
	// Trivial: there is no contrast, or all are zero.
	Trivial
)

// String returns the status as a word.
func (s Status) String() string {
	return [...]string{"optimal", "stalled", "iteration limit", "separated", "trivial"}[s]
}

// MarshalText writes the status as its word.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Design is an allocation with bounds on its objective: Lower ≤ optimum ≤ Value. For InformationGain, which is a maximum,
// Value ≤ optimum ≤ Upper.
type Design struct {
	Value      float64   // objective for Weights, over all arms and all contrasts
	Lower      float64   // proven lower bound on the minimum (Minimax)
	Upper      float64   // proven upper bound on the maximum (InformationGain)
	Reached    float64   // largest variance found for Weights, at most Value (Exchange)
	Weights    []float64 // λ, one per arm of the Space, ≥ 0, sum 1
	Iterations int
	Status     Status
	// Certificate proves Lower or Upper, by formulas that do not depend on the solver.
	Certificate Certificate
}

// Certificate has the dual point that proves the best bound.
//
// For Minimax, Lower = f² / (f - λ·g + G) at λ = Weights and u = Dual. Here h_p = ‖y_p‖²_{A⁻¹}, f = Σ u_p h_p, g_i = Σ_p
// u_p (φ_iᵀA⁻¹y_p)²/σ_i² and G = max_i g_i.
//
// For InformationGain, Upper = log det(A/ξ) + max_i g_i - λ·g at λ = Weights, with g_i = φ_iᵀA⁻¹φ_i/σ_i².
type Certificate struct {
	Weights []float64 // λ at which the bound holds (may differ from Design.Weights)
	Pairs   []Pair    // contrasts with u > 0 (Minimax only)
	Dual    []float64 // u_p, sum 1, one per entry of Pairs
}

// certificate returns a Certificate with the contrasts whose dual weight is positive. It divides the dual weights by their
// sum.
func certificate(weights []float64, pairs []Pair, dual []float64) Certificate {
	c, total := Certificate{Weights: weights}, sum(dual)
	for k, u := range dual {
		if u > 0 {
			c.Pairs, c.Dual = append(c.Pairs, pairs[k]), append(c.Dual, u/total)
		}
	}
	return c
}

// DualityGap returns the relative gap between the two bounds, ≥ 0.
func (d Design) DualityGap() float64 {
	if d.Upper != 0 {
		return d.Upper/d.Value - 1
	}
	if d.Lower == 0 {
		return 0
	}
	return d.Value/d.Lower - 1
}

// ErrUnestimable is returned if Ridge is zero and some contrast has a component that no arm measures. Arms of precision 0
// (Minimax) or of weight 0 (MaxVariance, Round) measure nothing.
var ErrUnestimable = errors.New("design: a contrast lies outside the span of the arms and the ridge is zero")

// errSingular is returned if the features are so nearly dependent that a Cholesky factor fails even in graded coordinates.
var errSingular = errors.New("design: the features are almost linearly dependent. Use a larger ridge")

// errNoRidge is returned by InformationGain for a ridge of zero.
var errNoRidge = errors.New("design: the information gain needs a ridge above zero, because it is unbounded at zero")

// RatioError reports that n pulls are too few for a rounding of an allocation.
type RatioError struct {
	Ratio float64 // ratio reached; +Inf if the pulls do not measure some contrast
	Limit float64 // 2(1+ε)
	Pulls int     // n
}

// Error returns the message for users.
func (e *RatioError) Error() string {
	return fmt.Sprintf("design: %d pulls are too few for the allocation: the largest variance is %.4g times its own, but at most %.4g is "+
		"allowed. Use more pulls", e.Pulls, e.Ratio, e.Limit)
}

// errNoRidgeOfMany is returned by NewExchange without a positive ridge. Contrasts may then have components outside the
// pivots' span, which no pull measures.
var errNoRidgeOfMany = errors.New("design: a design of very many arms needs a ridge above zero")

// stopper ends long loops if a context ends. A check takes nanoseconds and occurs at least every few million operations.
type stopper struct{ ctx context.Context } // a nil ctx never ends

func (s stopper) check() {
	if s.ctx != nil {
		try.To(s.ctx.Err())
	}
}

// claim checks that memory for so many float64 numbers is available before they are allocated; n is the number of arms,
// for the message. It panics with an error, through try, if it is not.
func (s stopper) claim(n int, numbers ...int) {
	ctx := cmp.Or(s.ctx, context.Background())
	total := 0.0
	for _, k := range numbers {
		total += 8 * float64(k)
	}
	try.To(memlimit.Claim(ctx, memlimit.Need{What: "the design", Bytes: total, Count: n, Of: "arms"}))
}

// bound has the best bounds of a solve, each with the point that proves it. The two points may come from different
// iterations.
type bound struct {
	value  float64   // smallest objective over all contrasts
	lambda []float64 // its weights, one per arm of the space

	lower float64 // largest lower bound
	dual  Certificate
}

// gap returns the relative duality gap proved so far; +Inf without a lower bound.
func (b *bound) gap() float64 {
	if b.lower <= 0 {
		return math.Inf(1)
	}
	return max(b.value/b.lower-1, 0)
}

// lowerBound returns the dual bound at (λ, u). For every λ' on the simplex and every number a, ‖y‖²_{A(λ')⁻¹} ≥ 2a
// yᵀA⁻¹y - a² yᵀA⁻¹ A(λ') A⁻¹ y. The sum over contrasts with weights u_p, minimised over λ' and maximised over a, gives
//
//	min_λ' max_p ‖y_p‖²_{A(λ')⁻¹} ≥ f² / (f - λ·g + G),
//
// with f = Σ u_p h_p, g_i = Σ_p u_p (φ_iᵀA⁻¹y_p)²/σ_i², and top = G = max g_i over all arms. lambdaG is λ·g. If the
// dual weights have another sum than 1, total is that sum.
func lowerBound(f, lambdaG, top, total float64) float64 {
	// f - λ·g = ξ Σ u_p ‖A⁻¹y_p‖² is not negative, except by rounding
	return f / total * f / (max(f-lambdaG, 0) + top)
}

// pull sets g to the gradient of each arm, g_i = ρ_i v_iᵀ M v_i, with M = Σ u_p y_p y_pᵀ (all whitened) and ρ_i = 1/σ_i².
// It stores V M in vm.
func pull(stop stopper, t blas.Transpose, v, m blas64.General, root []float64, vm blas64.General, g []float64) {
	multiply(stop, t, 1, v, m, 0, vm)
	for i := range g {
		g[i] = dot(row(vm, i), row(v, i)) * (root[i] * root[i])
	}
}

// moment sets m = Σ_p u_p y_p y_pᵀ, where y_p are the rows of y. scaled is workspace of the size of y.
func moment(stop stopper, y blas64.General, u []float64, scaled, m blas64.General) {
	for k, w := range u {
		f := math.Sqrt(w)
		to := row(scaled, k)
		for i, x := range row(y, k) {
			to[i] = f * x
		}
	}
	addOuter(stop, scaled, m)
	mirror(m)
}
