package design

const (
	// patience is the number of iterations after which a problem of few arms takes
	// in all contrasts: many of them are then active together, and finding them a
	// few at a time takes longer than carrying all.
	patience = 20
	// hurry replaces that number where all contrasts are at most fewPairs for each arm.
	hurry    = 10
	fewPairs = 8
	// mostPairs bounds the contrasts taken in at once.
	mostPairs = 40000
)

func (m *minimax) pairLimit() int {
	if m.fixed {
		return max(40, m.p.phi.Cols/2)
	}
	return max(40, 2*m.p.phi.Cols)
}

// revise changes the working sets as the pricing of this iteration demands.
func (m *minimax) revise() Status {
	ok := true
	switch {
	case m.priced < m.iterations || m.all: // nothing was priced, or nothing is left to take in
	case m.mustWiden():
		ok = m.widen()
	default:
		ok = m.exchange()
	}
	if !ok {
		return Stalled
	}
	return unsolved
}

// exchange drops and takes in contrasts and arms, and moves the iterate back towards the central
// path. A contrast that is barely violated joins without disturbing the others.
func (m *minimax) exchange() bool {
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

// mustWiden reports whether to take in all contrasts.
func (m *minimax) mustWiden() bool {
	count := m.p.contrasts()
	if m.fixed && count > fewPairs*m.p.phi.Rows {
		return false
	}
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
