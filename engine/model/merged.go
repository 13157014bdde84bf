package model

import (
	"cmp"
	"math"
	"slices"
)

// coarseRank is the rank of the features by which pairs of arms are found that may be the same, and
// neighbours is how many of those nearest to an arm are compared with it by the kernel's values.
const coarseRank, neighbours = 16, 16

// mergedByValues returns what Merged does from exact values of the kernel. Pairs to compare are
// neighbours in the order of their coarse features along a direction, which are no farther apart than
// the arms, and of their points where those are equal. An arm that has more than some neighbours as
// near as that, all of which are other arms, is not compared with the rest.
func (m *Model) mergedByValues() (i, j int) {
	f, err := m.Stopped(coarseRank, 0)
	if err != nil {
		return -1, -1
	}
	n := m.Problem.N()
	along, order := alongDirection(f.Features), make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		c := cmp.Or(cmp.Compare(m.Problem.TaskOf[a], m.Problem.TaskOf[b]), cmp.Compare(along[a], along[b]))
		for _, column := range m.Problem.Arms.X {
			c = cmp.Or(c, cmp.Compare(column[a], column[b]))
		}
		return cmp.Or(c, cmp.Compare(a, b))
	})
	radius := math.Sqrt(sameToFactor*m.Diagonal/m.Scale) + 1e-14*math.Sqrt(m.Diagonal/m.Scale)
	i, j = -1, n
	for k, a := range order {
		for _, b := range order[k+1 : min(k+1+neighbours, n)] {
			if m.Problem.TaskOf[a] != m.Problem.TaskOf[b] || along[b]-along[a] > radius {
				break
			}
			if max(a, b) < j && m.Same(a, b) {
				i, j = min(a, b), max(a, b)
			}
		}
	}
	if i < 0 {
		return -1, -1
	}
	return i, j
}
