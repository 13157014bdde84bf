package design

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Space holds what an allocation is chosen over: the features of all arms and how precise one pull
// of each is. With weights λ on the simplex it gives the information matrix of one unit of sampling
// effort,
//
//	A(ξ, λ) = ξ I + Σ_i λ_i φ_i φ_iᵀ / σ_i²   [Du23, eq. of ρ*(ξ)].
type Space struct {
	Features *mat.Dense // Φ, one row φ_i per arm: N × m
	// 1/σ_i² ≥ 0, one per arm, 0 for an arm that cannot be pulled; nil means 1 for all
	Precision []float64
	Ridge     float64 // ξ ≥ 0
}

// Pair is one contrast y = √Weight · (φ_I - φ_J).
type Pair struct {
	I, J   int
	Weight float64 // w > 0; 1 for a plain difference, 1/gap² for ρ*
}

// Contrasts are the differences whose largest variance is minimised: all pairs
// within each group (Alg. 1 l. 4: a group is a task's surviving arms), and the
// explicit pairs (ρ*: best arm against each rival). Groups of fewer than two
// arms contribute nothing.
type Contrasts struct {
	Groups [][]int
	Pairs  []Pair
}

// Options of the solvers; the zero value is the documented default.
type Options struct {
	Tolerance     float64 // relative duality gap asked for; 0 means 1e-6
	MaxIterations int     // 0 means 500
	// Threshold ends a Minimax as soon as the optimum is certified to lie on one
	// side of it, at whatever gap; 0 means no threshold.
	Threshold float64
	// Scan is the largest number of products that a scan of all pairs may take; 0 means 1e12 (Exchange).
	Scan float64
	// Context ends a solver between two steps, with its error; nil never does.
	Context context.Context
}

// ended returns the error of the context, once it has ended.
func (o Options) ended() error {
	if o.Context == nil {
		return nil
	}
	return o.Context.Err()
}

// Status says how a solver stopped.
type Status int

const (
	// Optimal: the relative duality gap asked for was reached.
	Optimal Status = iota
	// Stalled: rounding errors ended progress; the gap reported holds, but is above the one asked
	// for.
	Stalled
	// IterationLimit: MaxIterations were used; the gap reported holds.
	IterationLimit
	// Separated: the optimum is certified to be at most, or above, Options.Threshold.
	Separated
	// Trivial: there was nothing to decide (no contrast, or all are zero).
	Trivial
)

// String returns the status as a word for reports.
func (s Status) String() string {
	switch s {
	case Optimal:
		return "optimal"
	case Stalled:
		return "stalled"
	case IterationLimit:
		return "iteration limit"
	case Separated:
		return "separated"
	case Trivial:
		return "trivial"
	}
	return "unknown"
}

// MarshalText writes the status as its word.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Design is an allocation with its certificate: Lower ≤ optimum ≤ Value (for InformationGain, a
// maximum: Value ≤ optimum ≤ Upper).
type Design struct {
	Value      float64   // objective at Weights, over all arms and all contrasts
	Lower      float64   // certified lower bound of the minimum (Minimax)
	Upper      float64   // certified upper bound of the maximum (InformationGain)
	Reached    float64   // largest variance met at Weights, at most Value (Exchange)
	Weights    []float64 // λ, one per arm of the Space, ≥ 0, sum 1
	Iterations int
	Status     Status
	// Certificate re-proves Lower or Upper by formulas independent of the solver.
	Certificate Certificate
}

// Certificate holds the dual point of the best bound found.
//
// Minimax: Lower = f² / (f - λ·g + G) at λ = Weights and u = Dual, with h_p = ‖y_p‖²_{A⁻¹}, f = Σ
// u_p h_p, g_i = Σ_p u_p (φ_iᵀA⁻¹y_p)²/σ_i², G = max_i g_i.
//
// InformationGain: Upper = log det(A/ξ) + max_i g_i - λ·g at λ = Weights, with
// g_i = φ_iᵀA⁻¹φ_i/σ_i².
type Certificate struct {
	Weights []float64 // λ of the bound (may differ from Design.Weights)
	Pairs   []Pair    // contrasts with u > 0 (Minimax only)
	Dual    []float64 // u_p, sum 1, one per entry of Pairs
}

// DualityGap returns the relative gap between the two certified bounds, ≥ 0.
func (d Design) DualityGap() float64 {
	if d.Upper != 0 {
		return d.Upper/d.Value - 1
	}
	if d.Lower == 0 {
		return 0
	}
	return d.Value/d.Lower - 1
}
