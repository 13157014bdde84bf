package model

import "slices"

// Dual reports whether the problem has more arms than posteriors are formed of in features of all of
// them. Then the model need not have exact features for a posterior.
func (m *Model) Dual() bool { return m.Problem.N() > mostOwn }

// spanningRest is the part of the largest variance of the kernel that the rewards of Spanning leave of
// any arm, and spanningMost the most arms of it.
const spanningRest, spanningMost = 1e-2, 256

// Spanning returns arms that all follow from, in their order: the pivots of the Cholesky factor of the
// kernel down to a hundredth of its largest variance, at most 256 and at most most. Arms of one name in several tasks that
// are one to the kernel are shared out among these. Only arms of the sets count.
func (m *Model) Spanning(sets [][]int, most int) ([]int, error) {
	pivots, err := m.Pivots(min(most, spanningMost), spanningRest*m.Diagonal/m.Scale)
	if err != nil {
		return nil, err
	}
	p := m.Problem
	among, named := make([]bool, p.N()), map[int][]int{}
	for _, set := range sets {
		for _, i := range set {
			among[i] = true
			named[p.Arms.ID[i]] = append(named[p.Arms.ID[i]], i)
		}
	}
	load := make([]int, p.V())
	var out []int
	for _, i := range pivots {
		best := i
		for _, j := range named[p.Arms.ID[i]] {
			if (!among[best] || load[p.TaskOf[j]] < load[p.TaskOf[best]]) && m.Same(i, j) {
				best = j
			}
		}
		if among[best] {
			load[p.TaskOf[best]]++
			out = append(out, best)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// RankAbove reports whether the kernel has a larger rank than this on the arms, to rounding.
func (m *Model) RankAbove(rank int) (bool, error) {
	if rank >= m.Problem.N() {
		return false, nil
	}
	pivots, err := m.Pivots(rank+1, 0)
	return len(pivots) > rank, err
}
