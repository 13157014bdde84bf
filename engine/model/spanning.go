package model

import "slices"

// Dual reports whether the problem has more arms than posteriors are formed of in features of all of
// them. Then the model need not have exact features for a posterior.
func (m *Model) Dual() bool { return m.Problem.N() > mostOwn }

const (
	// FinelySpanningRest is the part of the largest variance of the kernel that rewards on the arms of the first round of
	// CoBayesFC may leave of any arm; it may stop after that round: with 500 arms of internal/manyarms,
	// ε = 0.1, δ = 0.05 and 200 runs, a rest of 1e-2 takes 64 samples an agent with 16 runs wrong,
	// 5e-3 65 with 13, 2e-3 66 with 11, and 5e-4 71 with 9.
	FinelySpanningRest = 5e-4
)

// Spanning returns arms that all follow from, in their order: the pivots of the Cholesky factor of the
// kernel down to a part rest of its largest variance, at most 256 and at most most. Arms of one name in several tasks that
// are one to the kernel are shared out among these. Only arms of the sets count.
func (m *Model) Spanning(sets [][]int, most int, rest float64) ([]int, error) {
	pivots, err := m.Pivots(min(most, spanningMost), rest*m.Diagonal/m.Scale)
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
