package design

// Minimax returns the allocation with the smallest largest variance,
//
//	min_{λ ∈ simplex} max_p ‖y_p‖²_{A(ξ,λ)⁻¹}   [Du23, Alg. 1, l. 4],
//
// certified from both sides: Lower ≤ optimum ≤ Value. Weights are not unique;
// compare values. The method is deterministic and runs in the calling goroutine.
//
// Groups of one arm contribute nothing, duplicate arms contrast by zero. With
// nothing to decide the Status is Trivial, the Value 0 and the Weights uniform.
//
// Errors name the arm whose feature or precision is not a finite number, or the
// pair whose weight is not positive; a contrast that no arm can measure at ξ = 0
// (arms of precision 0) is ErrUnestimable. Wrong shapes and arms that do not
// exist panic.
func Minimax(s Space, c Contrasts, opt Options) (d Design, err error) {
	defer caught(&err)
	if d, ok := orthogonal(s, c); ok {
		return d, nil
	}
	near, err := nearby(s, c)
	if err != nil {
		return Design{}, err
	}
	for best, spent := (*bound)(nil), 0; ; {
		p, err := newProblem(stopper{opt.Context}, s, c, near)
		if err != nil {
			return Design{}, err
		}
		m := &minimax{working: newWorking(p, near), best: best, tolerance: opt.tolerance(), threshold: opt.Threshold, lastGap: 1}
		if best == nil {
			m.best = newBound(p.phi.Rows)
		}
		if ok, err := m.begin(); err != nil {
			return Design{}, err
		} else if !ok {
			return trivial(p.phi.Rows), nil
		}
		status, err := m.iterate(opt)
		if err != nil {
			return Design{}, err
		}
		best, spent = m.best, spent+m.iterations
		if near != nil && status != Optimal && status != Separated {
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

// minimax is one solve.
type minimax struct {
	*working
	best       *bound
	tolerance  float64
	threshold  float64
	iterations int

	priced  int     // iteration of the last pricing
	lastGap float64 // its gap
	slack   float64 // how far below the largest it looked for contrasts
}

// begin sets up the working sets and the first iterate. It reports false when
// all contrasts are zero.
func (m *minimax) begin() (ok bool, err error) {
	if m.p.phi.Cols == 0 {
		return false, nil
	}
	in := &m.inner
	arms, lambda := m.first()
	m.arms = arms
	for _, i := range arms {
		m.inArms[i] = true
	}
	m.resize()
	copy(in.lambda, lambda)
	if !in.evaluate() {
		return false, errSingular
	}
	m.whole = len(arms) == m.p.phi.Rows
	m.price(0.3)
	if m.value <= 0 {
		return false, nil
	}
	if len(m.p.pairs) <= min(2*m.p.phi.Rows, mostPairs) && len(m.p.groups) == 0 {
		// One by one, each would be violated by a factor as A turns singular.
		m.takeAll()
	} else {
		m.addPairs(0.3, m.pairLimit())
	}
	m.resize()
	in.evaluate()
	in.center(2*m.value/float64(len(m.arms)+len(m.pairs)), true)
	return true, nil
}

const (
	// patience is the number of iterations after which a problem of few arms takes
	// in all contrasts: many of them are then active together, and finding them a
	// few at a time takes longer than carrying all.
	patience = 20
	// hurry is that number where all contrasts are at most fewPairs for each arm.
	hurry    = 10
	fewPairs = 8
	// mostPairs bounds the contrasts taken in at once.
	mostPairs = 40000
)

func (m *minimax) pairLimit() int { return max(40, 2*m.p.phi.Cols) }

// iterate runs the interior-point method until a reason to stop.
func (m *minimax) iterate(opt Options) (Status, error) {
	in := &m.inner
	for m.iterations = 1; ; m.iterations++ {
		if err := opt.ended(); err != nil {
			return Stalled, err
		}
		if m.iterations > 1 && !in.evaluate() {
			return Stalled, nil
		}
		if m.due() {
			m.slack = min(max(0.5*m.lastGap, 2*m.tolerance), 0.5)
			m.price(m.slack)
			m.record()
			if m.best.gap() <= m.tolerance {
				return Optimal, nil
			}
			if m.threshold > 0 && (m.best.value <= m.threshold || m.best.lower > m.threshold) {
				return Separated, nil
			}
			if m.narrow() {
				return tooNarrow, nil
			}
			if m.all {
				// nothing to price in
			} else if m.mustWiden() {
				if !m.widen() {
					return Stalled, nil
				}
			} else if !m.revise() {
				return Stalled, nil
			}
		}
		if in.complementarity() < 0.01*m.tolerance*in.t {
			return Stalled, nil
		}
		if m.iterations >= opt.limit() {
			return IterationLimit, nil
		}
		if !in.step() {
			return Stalled, nil
		}
	}
}

// due decides whether to price everything: always on small problems, else when
// the restricted problem is solved well enough for new items to matter.
func (m *minimax) due() bool {
	if m.p.phi.Rows <= smallArms || m.priced == 0 || m.iterations-m.priced >= 15 {
		return true
	}
	return m.inner.gap() < max(0.3*m.lastGap, 0.3*m.tolerance)
}

// record keeps the bounds of this iterate if they are the best so far.
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

// revise changes the working sets as the pricing demands and moves the iterate
// back towards the central path. A contrast that is hardly violated joins
// without disturbing the others.
func (m *minimax) revise() bool {
	in := &m.inner
	gap := max(m.value/m.lower-1, 0)
	count := float64(len(m.arms) + len(m.pairs))
	mu, oldT, oldPairs := in.mu(), in.t, len(m.pairs)
	if len(m.arms)+len(m.pairs) > 128 && gap < 0.1 {
		m.prune(gap)
		oldPairs = len(m.pairs)
	}
	addedPairs, violation := m.addPairs(min(max(0.5*gap, 2*m.tolerance), m.slack), m.pairLimit())
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

// mustWiden decides whether to take in all contrasts.
func (m *minimax) mustWiden() bool {
	count := m.p.contrasts()
	if !(m.whole || m.near != nil) || count > mostPairs {
		return false
	}
	return m.iterations >= patience || (m.iterations >= hurry && count <= fewPairs*m.p.phi.Rows)
}

// widen takes in all contrasts and moves the iterate back to the central path.
func (m *minimax) widen() bool {
	in := &m.inner
	m.takeAll()
	m.resize()
	clear(in.u)
	if !in.evaluate() {
		return false
	}
	gap := max(m.value/m.lower-1, 0)
	in.center(max(in.mu(), 0.3*gap*in.t/float64(len(m.arms)+len(m.pairs))), false)
	return true
}
