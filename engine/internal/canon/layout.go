package canon

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/internal/memlimit"
)

// Layout describes how the arms of a model depend on each other. Arms with the same features, to
// rounding, and the same precision are one arm to a design. Arms with no feature in common belong
// to different blocks: the information matrix is block-diagonal, and pulls in one block say nothing
// about another.
type Layout struct {
	First  []int   // N: the first of the arms that equal this one
	Copies []int   // N: how many arms equal this one, itself counted
	Same   [][]int // N: the arms that equal this one, where it is the first of them
	block  []int   // N: the block of the arm
	Blocks []Block // in the order of their first arm
}

// Block is one block.
type Block struct {
	arms, Columns []int  // without copies
	All           []int  // the arms with their copies
	identity      string // of its features and precisions, without copies
}

// SameFeature is the difference of two features, relative to the largest, that is
// rounding of their Cholesky factor: with it even 1024 of them stay below the 1e-10
// of a feature's norm that designs count as rounding.
const SameFeature = 1e-12

// NewLayout finds the copies and the blocks.
func NewLayout(ctx context.Context, features *mat.Dense, precision []float64) (*Layout, error) {
	n, dim := features.Dims()
	l := &Layout{Copies: make([]int, n), Same: make([][]int, n), block: make([]int, n)}
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
			number[root] = len(l.Blocks)
			l.Blocks = append(l.Blocks, Block{})
		}
		l.block[i] = number[root]
		b := &l.Blocks[l.block[i]]
		b.All = append(b.All, i)
		if l.First[i] == i {
			b.arms = append(b.arms, i)
		}
	}
	for k := range dim {
		if b, known := number[columns.find(k)]; known {
			l.Blocks[b].Columns = append(l.Blocks[b].Columns, k)
		}
	}
	for k := range l.Blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := &l.Blocks[k]
		if err := memlimit.Matrices(ctx, "the features", 1, len(b.arms), len(b.Columns)); err != nil {
			return nil, err
		}
		b.identify(features, precision)
	}
	return l, nil
}

// findCopies sets which arms are equal.
func (l *Layout) findCopies(ctx context.Context, features *mat.Dense, precision []float64) (err error) {
	if l.First, err = FirstEqual(ctx, features, precision); err != nil {
		return err
	}
	for i, first := range l.First {
		l.Same[first] = append(l.Same[first], i)
	}
	for i, first := range l.First {
		l.Copies[i] = len(l.Same[first])
	}
	return nil
}

// FirstEqual returns the first of the arms that equal each arm.
func FirstEqual(ctx context.Context, features *mat.Dense, precision []float64) ([]int, error) {
	n, dim := features.Dims()
	quantum, rounded := SameFeature*LargestEntry(features), make([]float64, dim)
	first, seen := make([]int, n), map[string]int{}
	for i := range n {
		if i%eachRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for k, v := range features.RawRowView(i) {
			rounded[k] = math.Round(v/quantum) + 0 // not -0
		}
		id := Fingerprint(rounded, precision[i:i+1])
		if _, known := seen[id]; !known {
			seen[id] = i
		}
		first[i] = seen[id]
	}
	return first, nil
}

// eachRows counts the rows that are worked on between two looks at the context.
const eachRows = 1024

// identify sets the block's identity, bit for bit: designs of equal blocks are equal.
func (b *Block) identify(features *mat.Dense, precision []float64) {
	lists := [][]float64{make([]float64, len(b.arms))}
	for a, i := range b.arms {
		lists[0][a] = precision[i]
	}
	if len(b.Columns) > 0 {
		lists = append(lists, Submatrix(features, b.arms, b.Columns).RawMatrix().Data)
	}
	b.identity = Fingerprint(lists...)
}

// LargestEntry returns the largest absolute value of x; 1 when all are 0.
func LargestEntry(x *mat.Dense) float64 {
	if largest := max(mat.Max(x), -mat.Min(x)); largest > 0 {
		return largest
	}
	return 1
}

// Submatrix copies rows and columns of x; of no columns it makes one of zeros, since matrices have
// some.
func Submatrix(x *mat.Dense, rows, columns []int) *mat.Dense {
	out := mat.NewDense(len(rows), max(1, len(columns)), nil)
	for a, i := range rows {
		from, to := x.RawRowView(i), out.RawRowView(a)
		for b, k := range columns {
			to[b] = from[k]
		}
	}
	return out
}

// subset reports whether every element of a is in b; both ascend.
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

// Parts splits contrasts into those that no arm measures together.
func (l *Layout) Parts(pairs []design.Pair) []part {
	linked := newSets(len(l.Blocks))
	for _, q := range pairs {
		linked.join(l.block[q.I], l.block[q.J])
	}
	var out []part
	number, position := map[int]int{}, make([]int, len(l.First))
	for _, q := range pairs {
		root := linked.find(l.block[q.I])
		n, known := number[root]
		if !known {
			n, number[root] = len(out), len(out)
			out = append(out, part{})
			for k, b := range l.Blocks {
				if linked.find(k) == root {
					out[n].Arms, out[n].Columns = append(out[n].Arms, b.arms...), append(out[n].Columns, b.Columns...)
				}
			}
			for k, i := range out[n].Arms {
				position[i] = k
			}
		}
		out[n].Pairs = append(out[n].Pairs, design.Pair{I: position[l.First[q.I]], J: position[l.First[q.J]], Weight: q.Weight})
	}
	return out
}
