package model

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Relations reports which arms of a model have equal features, and which arms the kernel relates.
type Relations struct{ *Model }

// Firsts returns, for each arm of a set, the first arm of the set with equal features, which may be the arm itself. With
// features of rank m it takes O(n m) operations. Without features it compares neighbours in the order of coarse features
// by exact kernel values. It returns an error if the context ends.
func (m Relations) Firsts(set []int) ([]int, error) { return m.firsts(set, math.MaxInt) }

// untilDone returns the relations without the context's end. Callers use it for answers after an interrupt, because these
// take only one pass over existing features.
func (m Relations) untilDone() Relations {
	return Relations{m.Own().Until(context.WithoutCancel(m.Context()))}
}

// errManyAlike is returned by firsts if the comparisons exceed its limit.
var errManyAlike = errors.New("too many arms are nearly equal in the leading directions of the kernel, so not all pairs can be compared")

// firsts is Firsts with at most `most` exact comparisons, and otherwise errManyAlike. A kernel without leading directions,
// such as identity(), would require all pairs.
func (m Relations) firsts(set []int, most int) (_ []int, err error) {
	defer try.Caught(&err)
	out := make([]int, len(set))
	if m.apartOnly {
		copy(out, set)
		return out, nil
	}
	if m.Features != nil {
		seen := make(map[string]int, len(set))
		for k, i := range set {
			try.To(m.Context().Err())
			id := canon.Fingerprint(m.Features.RawRowView(i))
			if first, known := seen[id]; known && m.Same(i, first) {
				out[k] = first
				continue
			}
			seen[id], out[k] = i, i
		}
		return out, nil
	}
	along, radius := try.Two(m.coarse())
	order := indices.All(len(set))
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(along[set[a]], along[set[b]]), cmp.Compare(a, b))
	})
	var near []int // positions of distinct arms within the radius
	for _, k := range order {
		try.To(m.Context().Err())
		near = slices.DeleteFunc(near, func(j int) bool { return along[set[k]]-along[set[j]] > radius })
		if most -= len(near); most < 0 {
			return nil, errManyAlike
		}
		same := slices.IndexFunc(near, func(j int) bool { return m.Same(set[k], set[j]) })
		if same < 0 {
			near, out[k] = append(near, k), k
			continue
		}
		out[k] = near[same]
	}
	least := map[int]int{} // by representative: its first position in the set
	for k, r := range out {
		if first, known := least[r]; !known || k < first {
			least[r] = k
		}
	}
	for k, r := range out {
		out[k] = set[least[r]]
	}
	return out, nil
}

// UnequalCopies returns the two arms with equal features whose known expected rewards differ most, and this difference
// (reward units). The difference is 0 if no such arms differ.
func (m Relations) UnequalCopies() (i, first int, difference float64, err error) {
	return m.unequalCopies(math.MaxInt)
}

func (m Relations) unequalCopies(most int) (i, first int, difference float64, err error) {
	all := indices.All(m.Problem.N())
	firsts, err := m.firsts(all, most)
	if err != nil {
		return 0, 0, 0, err
	}
	for k, f := range firsts {
		if d := math.Abs(m.Problem.Mean[k] - m.Problem.Mean[f]); d > difference {
			i, first, difference = k, f, d
		}
	}
	return i, first, difference, nil
}

// RankAtMost reports whether the kernel's rank on the arms is at most `most`, up to the rounding of its factor. Without
// features this takes O(N most²) operations. It is false if the features were cut.
func (m Relations) RankAtMost(most int) (bool, error) {
	if m.Features != nil || m.apartOnly {
		return m.Rank() <= most && !m.cut, nil
	}
	if m.Problem.N() <= most {
		return true, nil
	}
	pivots, err := m.Pivots(most+1, 0)
	return len(pivots) <= most, err
}

// coarseRank is the rank of the features that preselect pairs of equal arms. neighbours is the number of nearest arms that
// each arm is compared with, by kernel values.
const coarseRank, neighbours = 16, 16

// coarse returns the projections of coarse features on one direction (N values), and the largest distance of equal arms in
// this projection. The projections are cached.
func (m Relations) coarse() (along []float64, radius float64, err error) {
	along, err = m.source.along.get(m.Context(), func() ([]float64, error) {
		f, err := m.Stopped(coarseRank, 0)
		if err != nil {
			return nil, err
		}
		return alongDirection(f.Features), nil
	})
	return along, math.Sqrt(sameToFactor*m.Diagonal/m.Scale) + 1e-14*math.Sqrt(m.Diagonal/m.Scale), err
}

// mergedByValues returns the result of Merged, from exact kernel values. It sorts arms by a projection of their coarse
// features, which does not increase distances, and then by their points. It compares each arm with its next `neighbours`
// arms only, so it may miss a pair if more arms are that close.
func (m Relations) mergedByValues() (i, j int) {
	along, radius, err := m.coarse()
	if err != nil {
		return -1, -1
	}
	n := m.Problem.N()
	order := indices.All(n)
	slices.SortFunc(order, func(a, b int) int {
		c := cmp.Or(cmp.Compare(m.Problem.TaskOf[a], m.Problem.TaskOf[b]), cmp.Compare(along[a], along[b]))
		for _, column := range m.Problem.Arms.X {
			c = cmp.Or(c, cmp.Compare(column[a], column[b]))
		}
		return cmp.Or(c, cmp.Compare(a, b))
	})
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

// sameToFactor is the squared distance of two arms, divided by the kernel's largest variance, up to which the factor
// cannot distinguish them. The error of each arm is up to 1e-12 of that variance, the tolerance of
// [kernels.PivotedCholesky].
const sameToFactor = 4e-12

// Same reports whether two arms have equal features. In a model without features, it reports whether their squared
// distance is below the resolution of features.
func (m Relations) Same(i, j int) bool {
	if m.apartOnly {
		return i == j
	}
	if m.Features != nil {
		return slices.Equal(m.Features.RawRowView(i), m.Features.RawRowView(j))
	}
	diagonal := m.source.factor.Diagonal()
	return i == j || diagonal[i]+diagonal[j]-2*m.Scale*m.Entry(i, j) <= sameToFactor*m.Diagonal
}

// Merged returns the first two arms of a task with equal features, and -1, -1 if there are none.
func (m Relations) Merged() (i, j int) {
	if m.Features == nil {
		return m.mergedByValues()
	}
	for _, group := range m.Problem.Groups() {
		firsts, _ := m.untilDone().Firsts(group)
		for k, first := range firsts {
			if first != group[k] {
				return first, group[k]
			}
		}
	}
	return -1, -1
}

// surely is a number of standard errors: an estimation error exceeds it with probability at most engine.LackLevel/2.
const surely = 2.81

// MostApart returns two arms of a task with equal features whose expected rewards may differ most, given all data of a
// run. `most` is an upper bound on their difference (reward units), +Inf if one of the two has no data. It returns -1, -1, 0
// if no task has such arms. The kernel gives no information on this difference, so the bound uses only these arms' own
// rewards.
func (m Relations) MostApart(d *Replicates) (i, j int, most float64) {
	i, j = -1, -1
	if m.Features == nil {
		if i, j = m.mergedByValues(); i >= 0 {
			most = math.Inf(1)
		}
		return i, j, most
	}
	s, _ := d.Scales(m.Model)
	for _, group := range m.Problem.Groups() {
		firsts, _ := m.untilDone().Firsts(group)
		high, low := map[int]int{}, map[int]int{} // by first arm: the arms with the highest upper and the lowest lower bound
		bound := func(arm int, sign float64) float64 {
			if d.Counts[arm] == 0 || !(s.Factor[arm] > 0) {
				return math.Inf(1)
			}
			scale := m.Problem.Noise.Scales[arm]
			return sign*d.means[arm] + surely*scale*math.Sqrt(s.Factor[arm]/float64(d.Counts[arm]))
		}
		for k, first := range firsts {
			arm := group[k]
			if _, known := high[first]; !known {
				high[first], low[first] = arm, arm
				continue
			}
			if bound(arm, 1) > bound(high[first], 1) {
				high[first] = arm
			}
			if bound(arm, -1) > bound(low[first], -1) {
				low[first] = arm
			}
			a, b := first, arm
			if high[first] != low[first] {
				a, b = high[first], low[first]
			}
			if apart := bound(a, 1) + bound(b, -1); apart > most {
				i, j, most = a, b, apart
			}
		}
	}
	return i, j, most
}

// snap makes the features of near arms equal: an arm within squared distance `square` of an earlier arm gets the features
// of the first such arm. The factor cannot distinguish these arms, and later computations then treat them as one. Their
// rewards may still differ by about √Truncation‖θ*‖, which is also the error of features.
//
// Arms are sorted by their projection on a fixed direction, which does not increase distances.
func snap(features *mat.Dense, square float64) {
	n, _ := features.Dims()
	projection, order := alongDirection(features), indices.All(n)
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(projection[i], projection[j]), cmp.Compare(i, j))
	})
	radius := math.Sqrt(square)
	first := make([]bool, n) // whether the arm keeps its own features
	for i := range n {
		row := features.RawRowView(i)
		begin, _ := slices.BinarySearchFunc(order, projection[i]-radius, func(j int, at float64) int { return cmp.Compare(projection[j], at) })
		same := n
		for k := begin; k < n && projection[order[k]] <= projection[i]+radius; k++ {
			if j := order[k]; first[j] && j < same && squaredDistance(row, features.RawRowView(j)) <= square {
				same = j
				if projection[j] == projection[i] {
					break // the first of many adjacent copies is enough
				}
			}
		}
		if first[i] = same == n; !first[i] {
			copy(row, features.RawRowView(same))
		}
	}
}

// alongDirection returns the projections of the rows of features on a fixed direction of length at most 1, chosen so that
// different rows rarely have equal projections.
func alongDirection(features *mat.Dense) []float64 {
	n, dim := features.Dims()
	direction := lists.Make(dim, func(k int) float64 { return math.Sin(float64(k+1)) / math.Sqrt(float64(dim)) })
	return lists.Make(n, func(i int) float64 { return Dot(direction, features.RawRowView(i)) })
}
