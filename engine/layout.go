package engine

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/memlimit"
)

// layout is how the arms of a model hang together. Arms with the same features, to
// rounding, and the same precision are one arm to a design. Arms with no feature in common
// belong to different blocks: the information matrix is block-diagonal, and pulls
// in one block say nothing about another.
type layout struct {
	first  []int   // N: the first of the arms that equal this one
	copies []int   // N: how many arms equal this one, itself counted
	same   [][]int // N: the arms that equal this one, where it is the first of them
	block  []int   // N: the block of the arm
	blocks []block // in the order of their first arm
}

// block is one block.
type block struct {
	arms, columns []int  // without copies
	all           []int  // the arms with their copies
	identity      string // of its features and precisions, without copies
}

// sameFeature is the difference of two features, relative to the largest, that is
// rounding of their Cholesky factor: with it even 1024 of them stay below the 1e-10
// of a feature's norm that designs count as rounding.
const sameFeature = 1e-12

// newLayout finds the copies and the blocks.
func newLayout(ctx context.Context, features *mat.Dense, precision []float64) (*layout, error) {
	n, dim := features.Dims()
	l := &layout{copies: make([]int, n), same: make([][]int, n), block: make([]int, n)}
	if err := l.findCopies(ctx, features, precision); err != nil {
		return nil, err
	}
	columns := newSets(dim + 1) // arms without any feature share a column that does not exist
	for i := range n {
		l.block[i] = dim
		for k, v := range features.RawRowView(i) {
			if v == 0 {
				continue
			}
			if l.block[i] < dim {
				columns.join(l.block[i], k)
			}
			l.block[i] = k // a column of the block, for now
		}
	}
	number := map[int]int{}
	for i := range n {
		root := columns.find(l.block[i])
		if _, known := number[root]; !known {
			number[root] = len(l.blocks)
			l.blocks = append(l.blocks, block{})
		}
		l.block[i] = number[root]
		b := &l.blocks[l.block[i]]
		b.all = append(b.all, i)
		if l.first[i] == i {
			b.arms = append(b.arms, i)
		}
	}
	for k := range dim {
		if b, known := number[columns.find(k)]; known {
			l.blocks[b].columns = append(l.blocks[b].columns, k)
		}
	}
	for k := range l.blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := &l.blocks[k]
		if err := memlimit.Matrices(ctx, "the features", 1, len(b.arms), len(b.columns)); err != nil {
			return nil, err
		}
		b.identify(features, precision)
	}
	return l, nil
}

// findCopies sets which arms are equal.
func (l *layout) findCopies(ctx context.Context, features *mat.Dense, precision []float64) (err error) {
	if l.first, err = firstOf(ctx, features, precision); err != nil {
		return err
	}
	for i, first := range l.first {
		l.same[first] = append(l.same[first], i)
	}
	for i, first := range l.first {
		l.copies[i] = len(l.same[first])
	}
	return nil
}

// firstOf is the first of the arms that equal each arm.
func firstOf(ctx context.Context, features *mat.Dense, precision []float64) ([]int, error) {
	n, dim := features.Dims()
	quantum, rounded := sameFeature*largestEntry(features), make([]float64, dim)
	first, seen := make([]int, n), map[string]int{}
	for i := range n {
		if i%eachRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for k, v := range features.RawRowView(i) {
			rounded[k] = math.Round(v/quantum) + 0 // not -0
		}
		id := fingerprint(rounded, precision[i:i+1])
		if _, known := seen[id]; !known {
			seen[id] = i
		}
		first[i] = seen[id]
	}
	return first, nil
}

// eachRows is how many rows are worked on between two looks at the context.
const eachRows = 1024

// identify sets the block's identity, bit for bit: designs of equal blocks are equal.
func (b *block) identify(features *mat.Dense, precision []float64) {
	lists := [][]float64{make([]float64, len(b.arms))}
	for a, i := range b.arms {
		lists[0][a] = precision[i]
	}
	if len(b.columns) > 0 {
		lists = append(lists, submatrix(features, b.arms, b.columns).RawMatrix().Data)
	}
	b.identity = fingerprint(lists...)
}

// largestEntry is the largest absolute value of x; 1 when all are 0.
func largestEntry(x *mat.Dense) float64 {
	if largest := max(mat.Max(x), -mat.Min(x)); largest > 0 {
		return largest
	}
	return 1
}

// submatrix copies rows and columns of x; of no columns it makes one of zeros, since matrices have some.
func submatrix(x *mat.Dense, rows, columns []int) *mat.Dense {
	out := mat.NewDense(len(rows), max(1, len(columns)), nil)
	for a, i := range rows {
		from, to := x.RawRowView(i), out.RawRowView(a)
		for b, k := range columns {
			to[b] = from[k]
		}
	}
	return out
}

// subset tells whether every element of a is in b; both ascend.
func subset(a, b []int) bool {
	for _, i := range a {
		k, found := slices.BinarySearch(b, i)
		if !found {
			return false
		}
		b = b[k+1:]
	}
	return true
}

// sets are disjoint sets of 0, …, n-1; each is named by one of its members.
type sets []int

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func (s sets) find(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

func (s sets) join(i, j int) { s[s.find(j)] = s.find(i) }
