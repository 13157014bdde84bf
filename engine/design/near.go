package design

import "slices"

// A problem whose contrasts concern few of many arms is solved in the span of those
// arms and of the others that prove to help, which is much smaller than that of all.
// With a ridge this is exact: for weights on the arms near, A⁻¹y lies in their
// span, so a variance is the same there, and so is how much an arm outside would
// help. When one outside helps more than those inside, it joins, the span grows,
// and the problem is solved again: column generation over arms. Without a ridge the
// arms outside might measure what those inside leave out.

const (
	// manyArms is the size from which the span is worth restricting.
	manyArms = 64
	// nearPart is the part of all arms up to which it is.
	nearPart = 0.5
)

// nearby returns 1 for the arms of contrasts and 0 for the others where the problem is worth
// restricting to them; else nil.
func nearby(s Space, c Contrasts) ([]float64, error) {
	if s.Ridge == 0 {
		return nil, nil
	}
	if err := checkSpace(s); err != nil {
		return nil, err
	}
	n, _ := s.Features.Dims()
	p := &problem{}
	if err := p.setContrasts(c, n); err != nil {
		return nil, err
	}
	near := p.contrasted(make([]float64, n))
	if !restrictable(near) {
		return nil, nil
	}
	return near, nil
}

func restrictable(near []float64) bool {
	size := sum(near)
	return len(near) >= manyArms && size <= nearPart*float64(len(near)) && size <= smallArms && size > 0
}

// first returns the arms of the first iterate with their weights.
func (m *minimax) first() (arms []int, lambda []float64) {
	if m.near == nil {
		return m.p.start()
	}
	for i, v := range m.near {
		if v > 0 {
			arms = append(arms, i)
		}
	}
	if m.from != nil {
		lambda = make([]float64, len(arms))
		for a, i := range arms {
			lambda[a] = 0.9*m.from[i] + 0.1/float64(len(arms))
		}
		scale(1/sum(lambda), lambda)
		return arms, lambda
	}
	return arms, uniform(len(arms))
}

// narrow reports whether the arms near are solved for well enough to see that others
// help more.
func (m *minimax) narrow() bool {
	if m.near == nil || m.fixed || m.over <= m.top*(1+1e-12) {
		return false
	}
	return m.value/m.lower-1 <= max(m.tolerance, 0.1*(m.over/m.top-1))
}

// widened adds the arms that would help most, at most half as many as there are; nil
// when they become too many, or when the restricted solve ended for another reason.
func (m *minimax) widened(status Status) []float64 {
	if status != tooNarrow {
		return nil
	}
	near, size := slices.Clone(m.near), sum(m.near)
	m.order = m.order[:0]
	for i, g := range m.g {
		if !m.may(i) && g > m.top {
			m.order = append(m.order, ranked{i, g})
		}
	}
	slices.SortFunc(m.order, byRank)
	for _, a := range m.order[:min(len(m.order), max(8, int(size)/2))] {
		near[a.arm] = 1
	}
	if !restrictable(near) {
		return nil
	}
	return near
}
