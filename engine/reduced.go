package engine

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

// reduced is a design problem in canonical form: without copies of arms, without
// blocks that no contrast touches, without candidate sets whose contrasts others
// have, and with its independent parts in an order that does not depend on where
// they stand in the model. Problems that only differ in these are the same
// problem, in one model or in two. None of it changes the optimum: what is left
// out measures no contrast, or the same as what is kept.
type reduced struct {
	arms, columns []int
	groups        [][]int // positions in arms
	identity      string
}

// reduce returns the canonical form of the contrasts within the groups; without
// any contrast its arms are empty.
func (l *layout) reduce(groups [][]int) reduced {
	groups = l.distinct(groups)
	linked := newSets(len(l.blocks))
	for _, g := range groups {
		for _, i := range g[1:] {
			linked.join(l.block[g[0]], l.block[i])
		}
	}
	parts := map[int]*reduced{} // by root block
	var roots []int
	for _, g := range groups {
		root := linked.find(l.block[g[0]])
		if parts[root] == nil {
			parts[root] = &reduced{}
			roots = append(roots, root)
		}
		parts[root].groups = append(parts[root].groups, g)
	}
	sorted := make([]*reduced, len(roots))
	for k, root := range roots {
		l.fill(parts[root], linked, root)
		sorted[k] = parts[root]
	}
	slices.SortStableFunc(sorted, func(a, b *reduced) int { return strings.Compare(a.identity, b.identity) })
	var out reduced
	for _, part := range sorted {
		for _, g := range part.groups {
			for k := range g {
				g[k] += len(out.arms)
			}
		}
		out.groups = append(out.groups, part.groups...)
		out.arms, out.columns = append(out.arms, part.arms...), append(out.columns, part.columns...)
		out.identity += part.identity
	}
	return out
}

// distinct replaces arms by the first of their copies and leaves out groups that
// contrast nothing or whose contrasts are all in another.
func (l *layout) distinct(groups [][]int) [][]int {
	var out [][]int
	for _, g := range groups {
		if len(g) < 2 {
			continue
		}
		set := make([]int, len(g))
		for k, i := range g {
			set[k] = l.first[i]
		}
		slices.Sort(set)
		if set = slices.Compact(set); len(set) > 1 {
			out = append(out, set)
		}
	}
	slices.SortStableFunc(out, func(a, b []int) int { return len(b) - len(a) })
	kept := out[:0]
	for _, g := range out {
		if !slices.ContainsFunc(kept, func(larger []int) bool { return subset(g, larger) }) {
			kept = append(kept, g)
		}
	}
	return kept
}

// fill sets the arms, columns and identity of the independent part whose blocks
// have the given root, and its groups to positions.
func (l *layout) fill(part *reduced, linked sets, root int) {
	code := []byte{}
	for k, b := range l.blocks {
		if linked.find(k) == root {
			part.arms, part.columns = append(part.arms, b.arms...), append(part.columns, b.columns...)
			code = append(code, b.identity...)
		}
	}
	position := make(map[int]int, len(part.arms))
	for k, i := range part.arms {
		position[i] = k
	}
	for _, g := range part.groups {
		for k, i := range g {
			g[k] = position[i]
		}
	}
	slices.SortFunc(part.groups, slices.Compare)
	sets := appendSets(nil, part.groups)
	code = binary.AppendUvarint(code, uint64(len(sets)))
	part.identity = string(append(code, sets...))
}

// space returns the part of the model's space that the reduced design is chosen over.
func (r reduced) space(whole design.Space) design.Space {
	n, dim := whole.Features.Dims()
	if len(r.arms) == n && slices.IsSorted(r.arms) && slices.IsSorted(r.columns) && len(r.columns) == dim {
		return whole
	}
	s := design.Space{Features: submatrix(whole.Features, r.arms, r.columns), Ridge: whole.Ridge, Precision: make([]float64, len(r.arms))}
	for k, i := range r.arms {
		s.Precision[k] = whole.Precision[i]
	}
	return s
}

// restore returns the design for all arms of the model: copies share their weight
// equally, arms left out get none.
func (r reduced) restore(l *layout, d design.Design) design.Design {
	position := make([]int, len(l.first))
	for i := range position {
		position[i] = -1
	}
	for k, i := range r.arms {
		position[i] = k
	}
	spread := func(weights []float64) []float64 {
		if weights == nil {
			return nil
		}
		out := make([]float64, len(l.first))
		for i, first := range l.first {
			if k := position[first]; k >= 0 {
				out[i] = weights[k] / float64(l.copies[i])
			}
		}
		return out
	}
	d.Weights, d.Certificate.Weights = spread(d.Weights), spread(d.Certificate.Weights)
	d.Certificate.Pairs = slices.Clone(d.Certificate.Pairs)
	for k, q := range d.Certificate.Pairs {
		d.Certificate.Pairs[k].I, d.Certificate.Pairs[k].J = r.arms[q.I], r.arms[q.J]
	}
	return d
}
