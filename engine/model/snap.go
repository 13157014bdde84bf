package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
)

// sameToFactor is the squared distance of two arms, relative to the largest variance of the
// kernel, below which its factor cannot tell them apart: each is off by up to
// [kernels.PivotedCholesky]'s tolerance of 1e-12 of that variance.
const sameToFactor = 4e-12

// Same reports whether two arms are one to the model.
func (m *Model) Same(i, j int) bool {
	return slices.Equal(m.Features.RawRowView(i), m.Features.RawRowView(j))
}

// Merged returns the first two arms of a task that are one to the model, -1 and -1 where none are.
func (m *Model) Merged() (i, j int) {
	for _, group := range m.Problem.Groups() {
		seen := map[string]int{}
		for _, i := range group {
			id := canon.Fingerprint(m.Features.RawRowView(i))
			if first, known := seen[id]; known {
				return first, i
			}
			seen[id] = i
		}
	}
	return -1, -1
}

// snap gives arms that the factor cannot tell apart the features of the first of them, so that
// they are one arm to everything that follows. What the kernel lets their rewards differ by is
// of the order of what its features leave out anyway, √Truncation‖θ*‖.
//
// Arms are sorted by their projection on a fixed direction, which are no farther apart than the
// arms.
func (m *Model) snap() {
	n, dim := m.Features.Dims()
	direction := make([]float64, dim)
	for k := range direction { // a direction in general position, of length at most 1
		direction[k] = math.Sin(float64(k+1)) / math.Sqrt(float64(dim))
	}
	projection, order := make([]float64, n), make([]int, n)
	for i := range n {
		projection[i], order[i] = Dot(direction, m.Features.RawRowView(i)), i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(projection[i], projection[j]), cmp.Compare(i, j))
	})
	square := sameToFactor * m.Diagonal / m.Scale
	radius := math.Sqrt(square)
	first := make([]bool, n) // whether no earlier arm is the same
	for i := range n {
		row := m.Features.RawRowView(i)
		begin, _ := slices.BinarySearchFunc(order, projection[i]-radius, func(j int, at float64) int { return cmp.Compare(projection[j], at) })
		same := n
		for k := begin; k < n && projection[order[k]] <= projection[i]+radius; k++ {
			if j := order[k]; first[j] && j < same && squaredDistance(row, m.Features.RawRowView(j)) <= square {
				same = j
				if projection[j] == projection[i] {
					break // of many copies, which stand side by side, the first is enough
				}
			}
		}
		if first[i] = same == n; !first[i] {
			copy(row, m.Features.RawRowView(same))
		}
	}
}
