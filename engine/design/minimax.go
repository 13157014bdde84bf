package design

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Minimax returns the allocation that minimises the largest variance of the contrasts,
//
//	min_{λ ∈ simplex} max_p ‖y_p‖²_{A(ξ,λ)⁻¹}   [Du23, Alg. 1, l. 4],
//
// with bounds Lower ≤ optimum ≤ Value. Optimal weights are not unique, so compare values. The method is deterministic
// and runs in the calling goroutine.
//
// Groups of one arm contribute nothing, and duplicate arms have a contrast of zero. Without contrasts the Status is
// Trivial, the Value 0 and the Weights uniform.
//
// It returns an error if a feature or precision is not finite, or if a pair's weight is not positive; the message has
// the arms. At ξ = 0, a contrast that no arm can measure (arms of precision 0) is ErrUnestimable. Wrong shapes and
// unknown arms panic.
func Minimax(s Space, c Contrasts, opt Options) (d Design, err error) {
	defer try.Caught(&err)
	if d, ok := orthogonal(s, c); ok {
		return d, nil
	}
	near := nearby(s, c)
	for best, spent := (*bound)(nil), 0; ; {
		m := newMinimax(s, c, near, best, opt)
		status := m.solve()
		best, spent = m.best, spent+m.iterations
		switch {
		case status == Trivial:
			return trivial(m.p.phi.Rows), nil
		case near != nil && status != Optimal && status != Separated:
			near = m.widened(status)
			continue
		}
		d = m.finish(status)
		d.Iterations = spent
		if d.Status == Separated {
			return d, nil
		}
		return trimmed(m.p.stop, d, s, c, m.tolerance), nil
	}
}

func (o Options) tolerance() float64 {
	if o.Tolerance > 0 {
		return o.Tolerance
	}
	return 1e-6
}

func (o Options) limit() int {
	if o.MaxIterations > 0 {
		return o.MaxIterations
	}
	return 500
}

// minimax is the state of one solve.
type minimax struct {
	*working
	opt        Options
	tolerance  float64
	best       *bound
	iterations int

	priced  int     // iteration in which all arms and contrasts were last evaluated
	lastGap float64 // the gap in that iteration
	resumed bool    // whether the first iterate is the solution of a sample
	slack   float64 // relative distance below the largest variance at which contrasts are candidates
}

const (
	// unsolved is the status of a phase after which the solve continues.
	unsolved Status = -1
	// tooNarrow is the status of a restricted solve that needs more arms.
	tooNarrow Status = -2
)

// newMinimax prepares a solve over the near arms, or over all arms if near is nil. best has the bounds of earlier solves;
// nil means none.
func newMinimax(s Space, c Contrasts, near []float64, best *bound, opt Options) *minimax {
	p := try.Of(newProblem(stopper{opt.Context}, s, c, near))
	m := &minimax{working: newWorking(p, near), opt: opt, tolerance: opt.tolerance(), best: best, lastGap: 1}
	m.worth = m.tolerance / 4
	if best == nil {
		m.best = &bound{value: math.Inf(1), lambda: make([]float64, p.phi.Rows), dual: Certificate{Weights: make([]float64, p.phi.Rows)}}
	}
	return m
}

// solve runs the phases of the interior-point method in a loop, until one of them returns a status other than unsolved.
func (m *minimax) solve() Status {
	if m.p.phi.Cols == 0 || !m.begin() {
		return Trivial
	}
	for m.iterations = 1; ; m.iterations++ {
		m.p.stop.check()
		for _, phase := range [...]func(*minimax) Status{
			(*minimax).evaluate, // the restricted problem at the iterate
			(*minimax).certify,  // both bounds, over all arms and all contrasts, when due
			(*minimax).revise,   // the working sets, when there are new bounds
			(*minimax).advance,  // the next iterate
		} {
			if status := phase(m); status != unsolved {
				return status
			}
		}
	}
}

// begin sets the working sets and the first iterate. It reports whether any contrast is not zero.
func (m *minimax) begin() bool {
	in := &m.inner
	arms, lambda := m.first()
	m.arms = arms
	for _, i := range arms {
		m.inArms[i] = true
	}
	m.resize()
	copy(in.lambda, lambda)
	if !in.evaluate() {
		try.To(errSingular)
	}
	m.whole = len(arms) == m.p.phi.Rows
	slack, gap := 0.3, 2.0 // gap: the assumed duality gap of the first iterate
	if m.resumed {
		slack, gap = 0.02, 0.3
	}
	m.price(slack)
	if m.value <= 0 {
		return false
	}
	m.addPairs(1, m.pairLimit())
	m.resize()
	in.evaluate()
	in.center(gap*m.value/float64(len(m.arms)+len(m.pairs)), true)
	return true
}

// evaluate computes the quantities of the restricted problem at the iterate. In the first iteration, begin has already
// done this.
func (m *minimax) evaluate() Status {
	if m.iterations > 1 && !m.inner.evaluate() {
		return Stalled
	}
	return unsolved
}

// certify evaluates all arms and contrasts if that is due, stores the best bounds, and compares them with the tolerance
// and the threshold.
func (m *minimax) certify() Status {
	if !m.due() {
		return unsolved
	}
	m.slack = min(max(0.5*m.lastGap, 2*m.tolerance), 0.5)
	m.price(m.slack)
	m.record()
	threshold := m.opt.Threshold
	switch {
	case m.best.gap() <= m.tolerance:
		return Optimal
	case threshold > 0 && (m.best.value <= threshold || m.best.lower > threshold):
		return Separated
	case m.needsArms():
		return tooNarrow
	}
	return unsolved
}

// advance makes a step of the interior-point method, unless a step cannot reduce the gap any further or the limit of
// iterations is reached.
func (m *minimax) advance() Status {
	in := &m.inner
	switch {
	case m.spent():
		return Stalled
	case m.iterations >= m.opt.limit():
		return IterationLimit
	case !in.step():
		return Stalled
	}
	return unsolved
}

// spent reports whether further steps cannot reduce the gap of the restricted problem.
func (m *minimax) spent() bool { return m.inner.complementarity() < 0.01*m.tolerance*m.inner.t }

// due reports whether certify should evaluate all arms and contrasts. This is always so for small problems. For others the
// restricted problem must be solved so well that new arms and contrasts matter.
func (m *minimax) due() bool {
	return m.whole || m.priced == 0 && !m.resumed || m.iterations-m.priced >= 15 ||
		m.inner.gap() < max(0.3*m.lastGap, 0.3*m.tolerance) || m.spent()
}

// record stores the bounds of this iterate that are the best so far.
func (m *minimax) record() {
	in, b := &m.inner, m.best
	m.priced, m.lastGap = m.iterations, m.value/m.lower-1
	if m.value < b.value {
		b.value = m.value
		scatter(m.arms, in.lambda, b.lambda)
	}
	if m.proven > b.lower {
		b.lower = m.proven
		scatter(m.arms, in.lambda, b.dual.Weights)
		b.dual.Pairs = append(b.dual.Pairs[:0], m.pairs...)
		b.dual.Dual = append(b.dual.Dual[:0], in.u...)
	}
}

func (m *minimax) pairLimit() int {
	return max(40, 2*m.p.phi.Cols)
}

// revise changes the working sets if this iteration evaluated all arms and contrasts.
func (m *minimax) revise() Status {
	ok := true
	switch {
	case m.priced < m.iterations || m.all && m.whole: // no new bounds, or nothing left to add
	default:
		ok = m.exchange()
	}
	if !ok {
		return Stalled
	}
	return unsolved
}

// exchange drops and adds contrasts and arms, and moves the iterate back towards the central path. If only slightly
// violated contrasts are added, the rest of the iterate does not change. It reports false if A is not positive definite.
func (m *minimax) exchange() bool {
	in := &m.inner
	gap := max(m.value/m.lower-1, 0)
	count := float64(len(m.arms) + len(m.pairs))
	mu, oldT, oldPairs := in.mu(), in.t, len(m.pairs)
	if len(m.arms)+len(m.pairs) > 128 && gap < 0.1 {
		m.prune(gap)
		oldPairs = len(m.pairs)
	}
	addedPairs, violation := 0, 0.0
	if !m.all {
		addedPairs, violation = m.addPairs(min(max(0.5*gap, 2*m.tolerance), m.slack), m.pairLimit())
	}
	excess := m.top/m.inTop - 1
	addedArms := m.addArms(min(max(0.3*excess, 1e-4), 0.05), m.p.phi.Cols)
	if len(m.arms)+len(m.pairs) == int(count) && addedPairs+addedArms == 0 {
		return true
	}
	m.resize()
	for k := oldPairs; k < len(m.pairs); k++ {
		in.u[k] = 0
	}
	for a := len(m.arms) - addedArms; a < len(m.arms); a++ {
		in.z[a] = 0
	}
	if !in.evaluate() {
		return false
	}
	if addedArms == 0 && violation <= count*mu {
		for k := oldPairs; k < len(m.pairs); k++ {
			in.s[k] = max(oldT-in.h[k], float64(len(m.pairs))*mu)
			in.u[k] = mu / in.s[k]
		}
		in.weigh()
		return true
	}
	wanted := gap
	if addedArms > 0 {
		wanted = max(wanted, excess)
	}
	in.center(max(mu, 0.3*wanted*in.t/float64(len(m.arms)+len(m.pairs))), false)
	return true
}

// finish returns the best bounds as a Design.
func (m *minimax) finish(status Status) Design {
	b := m.best
	return Design{Value: b.value, Lower: min(b.lower, b.value), Weights: b.lambda, Iterations: m.iterations, Status: status,
		Certificate: certificate(b.dual.Weights, b.dual.Pairs, b.dual.Dual)}
}

// trimBelow is a fraction of the uniform weight 1/N: smaller weights are dropped.
const trimBelow = 1e-3

// trimmed returns d without small weights, if the value then is still within the tolerance; otherwise it returns d. The
// interior-point method leaves small weights on every arm, and rounding would give each of these arms a pull.
func trimmed(stop stopper, d Design, s Space, c Contrasts, tolerance float64) Design {
	lambda, dropped := withoutSmall(d.Weights)
	if !dropped {
		return d
	}
	value, _, err := maxVariance(stop, s, c, lambda)
	if err == nil && value <= max(d.Value, d.Lower*(1+tolerance)) {
		d.Value, d.Weights, d.Lower = value, lambda, min(d.Lower, value)
	}
	return d
}

// withoutSmall returns the weights without those below trimBelow times their mean, rescaled to sum 1. dropped is whether
// any of these was positive.
func withoutSmall(weights []float64) (lambda []float64, dropped bool) {
	lambda = slices.Clone(weights)
	for i, l := range lambda {
		if l < trimBelow/float64(len(lambda)) {
			lambda[i], dropped = 0, dropped || l > 0
		}
	}
	scale(1/sum(lambda), lambda)
	return lambda, dropped
}

func trivial(n int) Design { return Design{Weights: uniform(n), Status: Trivial} }

func uniform(n int) []float64 {
	return lists.Make(n, func(int) float64 { return 1 / float64(n) })
}
