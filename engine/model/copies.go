package model

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
)

// Firsts returns for each arm of a set the first of the set that it is the same as to the model, itself
// where there is none: in O(n m) operations for features of rank m, and without features by comparing
// those next to each other in the order of coarse ones.
func (m *Model) Firsts(set []int) ([]int, error) { return m.firsts(set, math.MaxInt) }

// errManyAlike is more comparisons than were allowed.
var errManyAlike = errors.New("too many arms are alike in the leading directions of the kernel to compare all pairs")

// firsts is Firsts with an error after that many comparisons of exact values: a kernel without leading directions,
// as identity() is, asks for all pairs.
func (m *Model) firsts(set []int, most int) ([]int, error) {
	out := make([]int, len(set))
	if m.apartOnly {
		copy(out, set)
		return out, nil
	}
	if m.Features != nil {
		seen := make(map[string]int, len(set))
		for k, i := range set {
			if err := m.Context().Err(); err != nil {
				return nil, err
			}
			id := canon.Fingerprint(m.Features.RawRowView(i))
			if first, known := seen[id]; known && m.Same(i, first) {
				out[k] = first
				continue
			}
			seen[id], out[k] = i, i
		}
		return out, nil
	}
	f, err := m.Stopped(coarseRank, 0)
	if err != nil {
		return nil, err
	}
	along, order := alongDirection(f.Features), make([]int, len(set))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(along[set[a]], along[set[b]]), cmp.Compare(a, b))
	})
	radius := math.Sqrt(sameToFactor*m.Diagonal/m.Scale) + 1e-14*math.Sqrt(m.Diagonal/m.Scale)
	var near []int // positions of different arms no farther along than the radius
	for _, k := range order {
		if err := m.Context().Err(); err != nil {
			return nil, err
		}
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
	least := map[int]int{} // by representative, the first of the set
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

// UnequalCopies returns the two arms that are one to the kernel whose known expected rewards differ most,
// and by how much (reward units); 0 where none differ.
func (m *Model) UnequalCopies() (i, first int, apart float64, err error) {
	return m.unequalCopies(math.MaxInt)
}

func (m *Model) unequalCopies(most int) (i, first int, apart float64, err error) {
	all := make([]int, m.Problem.N())
	for i := range all {
		all[i] = i
	}
	firsts, err := m.firsts(all, most)
	if err != nil {
		return 0, 0, 0, err
	}
	for k, f := range firsts {
		if d := math.Abs(m.Problem.Mean[k] - m.Problem.Mean[f]); d > apart {
			i, first, apart = k, f, d
		}
	}
	return i, first, apart, nil
}

// ByValues returns a model that tells arms apart by exact values of the kernel: itself, unless its
// features were cut.
func (m *Model) ByValues() *Model {
	if !m.cut {
		return m
	}
	out := *m
	out.Features, out.Layout, out.Truncation, out.cut = nil, nil, 0, false
	return &out
}

// RankAtMost reports whether the kernel has at most that many dimensions on the arms, to the rounding
// of its factor: O(N most²) operations where no features are known.
func (m *Model) RankAtMost(most int) (bool, error) {
	if m.Features != nil || m.apartOnly {
		return m.Rank() <= most && !m.cut, nil
	}
	if m.Problem.N() <= most {
		return true, nil
	}
	pivots, err := m.Pivots(most+1, 0)
	return len(pivots) <= most, err
}
