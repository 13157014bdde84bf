package canon

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Layout describes the dependence of a model's arms. Arms with the same precision and the same features, up to rounding,
// count as one arm in a design. Arms without common features belong to different blocks. The information matrix is
// block-diagonal, so pulls in one block do not inform about another.
type Layout struct {
	First  []int   // N: first arm that equals this one
	Copies []int   // N: number of arms that equal this one, including itself
	Same   [][]int // N: all arms that equal this one, if it is the first of them; otherwise nil
	block  []int   // N: the block of the arm
	Blocks []Block // in the order of their first arm

	rows []string // N: hash of an arm's rounded features
}

// Block is a set of arms that share features, directly or through other arms.
type Block struct {
	arms, Columns []int         // without copies
	All           []int         // all arms
	identity      func() string // hash of its features and precisions, without copies; computed once
}

// SameFeature is the largest difference of two equal features, relative to the largest feature of all arms. Such
// differences are rounding errors of the Cholesky factor. The sum of 1024 of them is still below 1e-10 of a feature's
// norm, which designs treat as rounding.
const SameFeature = 1e-12

// NewLayout computes the layout of N arms with these features (N × m) and precisions.
func NewLayout(ctx context.Context, features *mat.Dense, precision []float64) (*Layout, error) {
	n, dim := features.Dims()
	l := &Layout{block: make([]int, n)}
	var err error
	if l.rows, err = rowsOf(ctx, features); err != nil {
		return nil, err
	}
	l.findCopies(precision)
	columns := newSets(dim + 1) // arms without features share an extra column
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
	}
	for k := range dim {
		if b, known := number[columns.find(k)]; known {
			l.Blocks[b].Columns = append(l.Blocks[b].Columns, k)
		}
	}
	return l, l.weigh(ctx, features, precision)
}

// Reweighted returns the layout of the same features with other precisions. It reuses the blocks and hashes of features.
func (l *Layout) Reweighted(ctx context.Context, features *mat.Dense, precision []float64) (*Layout, error) {
	out := &Layout{block: l.block, rows: l.rows, Blocks: slices.Clone(l.Blocks)}
	out.findCopies(precision)
	return out, out.weigh(ctx, features, precision)
}

// weigh sets the fields of blocks that depend on the precisions.
func (l *Layout) weigh(ctx context.Context, features *mat.Dense, precision []float64) (err error) {
	defer try.Caught(&err)
	for k := range l.Blocks {
		try.To(ctx.Err())
		b := &l.Blocks[k]
		b.arms = lists.Where(b.All, func(i int) bool { return l.First[i] == i })
		try.To(memlimit.Matrices(ctx, "the features", 1, len(b.arms), len(b.Columns)))
		b.identity = sync.OnceValue(b.identifier(features, precision))
	}
	return nil
}

// findCopies sets First, Same and Copies.
func (l *Layout) findCopies(precision []float64) {
	l.First = firstOf(l.rows, precision)
	l.Same = indices.Groups(len(l.First), l.First)
	l.Copies = lists.Map(l.First, func(first int) int { return len(l.Same[first]) })
}

// eachRows is the number of rows that a core processes between two checks of the context.
const eachRows = 1024

// rowsOf returns one hash per arm of its features, rounded. Each hash covers the non-zero features in contiguous
// stretches, with the start of each stretch.
func rowsOf(ctx context.Context, features *mat.Dense) ([]string, error) {
	n, dim := features.Dims()
	quantum, rows := SameFeature*LargestEntry(features), make([]string, n)
	err := cores.Do(ctx, n, eachRows, func(from, to int) {
		rounded, stretches := make([]float64, 0, dim), make([]float64, 0, dim)
		for i := from; i < to; i++ {
			rounded, stretches = rounded[:0], stretches[:0]
			next := -1
			for k, v := range features.RawRowView(i) {
				if v == 0 {
					continue
				}
				if v = math.Round(v / quantum); v == 0 {
					continue
				}
				if k != next {
					stretches = append(stretches, float64(k), float64(len(rounded)))
				}
				rounded, next = append(rounded, v), k+1
			}
			rows[i] = Fingerprint(rounded, stretches)
		}
	})
	return rows, err
}

// firstOf returns, for each arm, the first arm with the same hash and precision.
func firstOf(rows []string, precision []float64) []int {
	type arm struct {
		row       string
		precision float64
	}
	first, seen := make([]int, len(rows)), make(map[arm]int, len(rows))
	for i, row := range rows {
		id := arm{row, precision[i]}
		if _, known := seen[id]; !known {
			seen[id] = i
		}
		first[i] = seen[id]
	}
	return first
}

// FirstEqual returns, for each arm, the first arm with the same features. It returns an error if ctx ends.
func FirstEqual(ctx context.Context, features *mat.Dense) ([]int, error) {
	rows, err := rowsOf(ctx, features)
	if err != nil {
		return nil, err
	}
	return firstOf(rows, make([]float64, len(rows))), nil
}

// identifier returns a function that hashes all bits of the block's features and precisions, so equal blocks have equal
// designs. The hash reads N·m numbers, and is computed only if a design needs it.
func (b *Block) identifier(features *mat.Dense, precision []float64) func() string {
	arms, columns := b.arms, b.Columns
	return func() string {
		lists := [][]float64{indices.Of(precision, arms)}
		if len(columns) > 0 {
			lists = append(lists, Submatrix(features, arms, columns).RawMatrix().Data)
		}
		return Fingerprint(lists...)
	}
}

// LargestEntry returns the largest absolute value of x; 1 if all are 0.
func LargestEntry(x *mat.Dense) float64 {
	if largest := max(mat.Max(x), -mat.Min(x)); largest > 0 {
		return largest
	}
	return 1
}

// Submatrix returns these rows and columns of x. Without columns it returns one column of zeros, because matrices cannot
// be empty.
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

// subset reports whether every element of a is in b. Both must be ascending.
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

// sets are disjoint sets of the numbers 0, …, n-1. find returns the member that names the set of i, and join unites two
// sets.
type sets []int

func newSets(n int) sets { return indices.All(n) }

func (s sets) find(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

func (s sets) join(i, j int) { s[s.find(j)] = s.find(i) }

// Parts splits pairs into independent parts. Pulls for one part do not inform about pairs of another, so the numbers of
// pulls add up. The results have Pairs and no Groups.
func (l *Layout) Parts(pairs []design.Pair) (out []Reduced) {
	linked := newSets(len(l.Blocks))
	for _, q := range pairs {
		linked.join(l.block[q.I], l.block[q.J])
	}
	number, positions := map[int]int{}, []map[int]int(nil)
	for _, q := range pairs {
		root := linked.find(l.block[q.I])
		n, known := number[root]
		if !known {
			part, at := l.part(linked, root)
			n, number[root] = len(out), len(out)
			out, positions = append(out, part), append(positions, at)
		}
		at := positions[n]
		out[n].Pairs = append(out[n].Pairs, design.Pair{I: at[l.First[q.I]], J: at[l.First[q.J]], Weight: q.Weight})
	}
	return out
}

// part returns the arms and columns of the blocks whose set has this root, and the position of each of these arms.
func (l *Layout) part(linked sets, root int) (out Reduced, position map[int]int) {
	for k, b := range l.Blocks {
		if linked.find(k) == root {
			out.Arms, out.Columns = append(out.Arms, b.arms...), append(out.Columns, b.Columns...)
			out.blocks = append(out.blocks, k)
		}
	}
	return out, lists.Keyed(out.Arms, func(k int, i int) (int, int) { return i, k })
}
