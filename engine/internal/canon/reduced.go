package canon

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/design"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// Reduced is a design problem in canonical form: without copies of arms, without blocks that no
// contrast touches, without candidate sets whose contrasts others have, and with its independent
// parts in an order that does not depend on where they stand in the model. Problems that only
// differ in these are the same problem, in one model or in two. None of it changes the optimum:
// what is left out measures no contrast, or the same as what is kept.
type Reduced struct {
	Arms, Columns []int
	Groups        [][]int // positions in arms
	Identity      string
}

// Reduce returns the canonical form of the contrasts within the groups; without
// any contrast its arms are empty.
func (l *Layout) Reduce(groups [][]int) Reduced {
	groups = l.distinct(groups)
	linked := newSets(len(l.Blocks))
	for _, g := range groups {
		for _, i := range g[1:] {
			linked.join(l.block[g[0]], l.block[i])
		}
	}
	parts := map[int]*Reduced{} // by root block
	var roots []int
	for _, g := range groups {
		root := linked.find(l.block[g[0]])
		if parts[root] == nil {
			parts[root] = &Reduced{}
			roots = append(roots, root)
		}
		parts[root].Groups = append(parts[root].Groups, g)
	}
	sorted := make([]*Reduced, len(roots))
	for k, root := range roots {
		l.fill(parts[root], linked, root)
		sorted[k] = parts[root]
	}
	slices.SortStableFunc(sorted, func(a, b *Reduced) int { return strings.Compare(a.Identity, b.Identity) })
	var out Reduced
	for _, part := range sorted {
		for _, g := range part.Groups {
			for k := range g {
				g[k] += len(out.Arms)
			}
		}
		out.Groups = append(out.Groups, part.Groups...)
		out.Arms, out.Columns = append(out.Arms, part.Arms...), append(out.Columns, part.Columns...)
		out.Identity += part.Identity
	}
	return out
}

// distinct replaces arms by the first of their copies and leaves out groups that
// contrast nothing or whose contrasts are all in another.
func (l *Layout) distinct(groups [][]int) [][]int {
	var out [][]int
	for _, g := range groups {
		if len(g) < 2 {
			continue
		}
		set := indices.Of(l.First, g)
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
func (l *Layout) fill(part *Reduced, linked sets, root int) {
	code := []byte{}
	for k, b := range l.Blocks {
		if linked.find(k) == root {
			part.Arms, part.Columns = append(part.Arms, b.arms...), append(part.Columns, b.Columns...)
			code = append(code, b.identity()...)
		}
	}
	position := make(map[int]int, len(part.Arms))
	for k, i := range part.Arms {
		position[i] = k
	}
	for _, g := range part.Groups {
		for k, i := range g {
			g[k] = position[i]
		}
	}
	slices.SortFunc(part.Groups, slices.Compare)
	sets := appendSets(nil, part.Groups)
	code = binary.AppendUvarint(code, uint64(len(sets)))
	part.Identity = string(append(code, sets...))
}

// Space returns the part of the model's space that the reduced design is chosen over.
func (r Reduced) Space(whole design.Space) design.Space {
	n, dim := whole.Features.Dims()
	if len(r.Arms) == n && slices.IsSorted(r.Arms) && slices.IsSorted(r.Columns) && len(r.Columns) == dim {
		return whole
	}
	s := design.Space{Features: Submatrix(whole.Features, r.Arms, r.Columns), Ridge: whole.Ridge, Precision: make([]float64, len(r.Arms))}
	for k, i := range r.Arms {
		s.Precision[k] = whole.Precision[i]
	}
	return s
}

// Restore returns the design for all arms of the model: copies share their weight
// equally, arms left out get none.
func (r Reduced) Restore(l *Layout, d design.Design) design.Design {
	position := make([]int, len(l.First))
	for i := range position {
		position[i] = -1
	}
	for k, i := range r.Arms {
		position[i] = k
	}
	expand := func(weights []float64) []float64 {
		if weights == nil {
			return nil
		}
		out := make([]float64, len(l.First))
		for i, first := range l.First {
			if k := position[first]; k >= 0 {
				out[i] = weights[k] / float64(l.Copies[i])
			}
		}
		return out
	}
	d.Weights, d.Certificate.Weights = expand(d.Weights), expand(d.Certificate.Weights)
	d.Certificate.Pairs = slices.Clone(d.Certificate.Pairs)
	for k, q := range d.Certificate.Pairs {
		d.Certificate.Pairs[k].I, d.Certificate.Pairs[k].J = r.Arms[q.I], r.Arms[q.J]
	}
	return d
}
