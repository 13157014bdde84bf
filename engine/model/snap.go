package model

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
)

// sameToFactor is the squared distance of two arms, relative to the largest variance of the
// kernel, below which its factor cannot tell them apart: each is off by up to
// [kernels.PivotedCholesky]'s tolerance of 1e-12 of that variance.
const sameToFactor = 4e-12

// Same reports whether two arms are one to the model: their exact features are equal. In a model
// without these it is whether their squared distance is below what features can tell apart.
func (m *Model) Same(i, j int) bool {
	if m.apartOnly {
		return i == j
	}
	if m.Features != nil {
		return slices.Equal(m.Features.RawRowView(i), m.Features.RawRowView(j))
	}
	diagonal := m.source.factor.Diagonal()
	return i == j || diagonal[i]+diagonal[j]-2*m.Scale*m.Entry(i, j) <= sameToFactor*m.Diagonal
}

// Merged returns the first two arms of a task that are one to the model, -1 and -1 where none are.
func (m *Model) Merged() (i, j int) {
	if m.Features == nil {
		return m.mergedByValues()
	}
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

// snap gives arms that the factor cannot tell apart, those whose squared distance is at most square,
// the features of the first of them, so that they are one arm to everything that follows. What the
// kernel lets their rewards differ by is of the order of what its features leave out anyway,
// √Truncation‖θ*‖.
//
// Arms are sorted by their projection on a fixed direction, which are no farther apart than the
// arms.
func snap(features *mat.Dense, square float64) {
	n, _ := features.Dims()
	projection, order := alongDirection(features), make([]int, n)
	for i := range n {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(projection[i], projection[j]), cmp.Compare(i, j))
	})
	radius := math.Sqrt(square)
	first := make([]bool, n) // whether no earlier arm is the same
	for i := range n {
		row := features.RawRowView(i)
		begin, _ := slices.BinarySearchFunc(order, projection[i]-radius, func(j int, at float64) int { return cmp.Compare(projection[j], at) })
		same := n
		for k := begin; k < n && projection[order[k]] <= projection[i]+radius; k++ {
			if j := order[k]; first[j] && j < same && squaredDistance(row, features.RawRowView(j)) <= square {
				same = j
				if projection[j] == projection[i] {
					break // of many copies, which stand side by side, the first is enough
				}
			}
		}
		if first[i] = same == n; !first[i] {
			copy(row, features.RawRowView(same))
		}
	}
}

// alongDirection returns the projections of the rows on a direction in general position, of length at
// most 1.
func alongDirection(features *mat.Dense) []float64 {
	n, dim := features.Dims()
	direction := make([]float64, dim)
	for k := range direction {
		direction[k] = math.Sin(float64(k+1)) / math.Sqrt(float64(dim))
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = Dot(direction, features.RawRowView(i))
	}
	return out
}
