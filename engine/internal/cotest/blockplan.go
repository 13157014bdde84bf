package cotest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// blockPlanner puts the leader of a task into every block of a round, and each open arm into as many as it
// needs: into the same as the others where blocks hold all, else evenly over blocks of their size.
type blockPlanner struct {
	law     string // of the noise
	size    int    // places of a block; 0 is any number
	control []int  // by task: the arm that is in every block; -1 without one
}

func newBlockPlanner(p *problem.Problem, law string) (*blockPlanner, error) {
	out := &blockPlanner{law: law, size: p.Block.Size, control: slices.Repeat([]int{-1}, p.V())}
	least := 2
	if name := p.Block.Control; name != "" {
		least = 3
		for v, set := range p.Groups() {
			at := slices.IndexFunc(set, func(i int) bool { return p.Arms.Names[i] == name })
			if at < 0 {
				return nil, fmt.Errorf("task %q has no arm %q, which was to be the control of every block (control=)", p.Tasks.Names[v], name)
			}
			out.control[v] = set[at]
		}
	}
	if out.size != 0 && out.size < least {
		return nil, fmt.Errorf("a block must have at least %d places (block_size=), for a leader, a rival%s, got %d",
			least, map[int]string{2: "", 3: " and the control"}[least], out.size)
	}
	return out, nil
}

// next returns the stage whose blocks bring the open arms what they need.
func (b *blockPlanner) next(q ask) (*rounds.Stage, error) {
	m := q.model
	st := newStage(m)
	widest := 0.0
	for _, w := range q.wants {
		if w.closed {
			continue
		}
		leader, rivals, blocks := w.left[0], w.left[1:], slices.Repeat([]float64{blocksFirst}, len(w.left)-1)
		if q.oriented {
			if len(w.needs) == 0 {
				continue
			}
			leader, rivals, blocks = q.blocks(w.needs, b.size == 0 || b.size > len(w.needs))
		}
		sum := 0.0
		for _, n := range blocks {
			sum += n
		}
		if !(sum <= float64(q.most)) {
			return nil, engine.LimitError{Samples: sum}
		}
		sides := b.arrange(leader, b.control[m.Problem.TaskOf[leader]], rivals, q.within.enough(blocks))
		st.Sides = append(st.Sides, sides...)
		widest = max(widest, 2/slices.Min(blocks))
	}
	if len(st.Sides) == 0 { // every open contest is exhausted
		return nil, engine.LimitError{Samples: math.Inf(1)}
	}
	st.Rounding.Counts = engine.CountsOf(st.Sides, m.Problem.N())
	total := float64(engine.PullsOf(st.Rounding.Counts))
	st.Design.Value, st.Design.Lower = total*widest, total*widest
	return st, q.within.planned(st.Sides)
}

// arrange returns blocks in which each rival has so many pulls, with leader and control in all of them.
func (b *blockPlanner) arrange(leader, control int, rivals, pulls []int) []engine.Side {
	fixed := []int{leader}
	if control >= 0 && control != leader {
		fixed = append(fixed, control)
	}
	var order []int // places in rivals, the neediest first
	count, sum := 0, 0
	for k, i := range rivals {
		if count = max(count, pulls[k]); i != control {
			order, sum = append(order, k), sum+pulls[k]
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(pulls[y], pulls[x]) })
	whole := b.size == 0 || len(order)+len(fixed) <= b.size
	if room := b.size - len(fixed); !whole {
		count = max(count, (sum+room-1)/room)
	}
	blocks := make([][]int, count)
	for k := range blocks {
		blocks[k] = slices.Clone(fixed)
	}
	next := 0
	for _, k := range order { // one pull in each of consecutive blocks; the first follows the last
		if whole {
			next = 0
		}
		for range pulls[k] {
			blocks[next%count] = append(blocks[next%count], rivals[k])
			next++
		}
	}
	sides, _ := engine.SidesOf(blocks, b.law)
	return sides
}

// blocks returns the leader of a contest, its open rivals, and the blocks that each of them needs. With all of them
// in a block its effect is estimated from many arms, and the variance of a gap is about the sum of the two
// arms' variances; in small blocks it is the one of differences.
func (q ask) blocks(needs []design.Pair, whole bool) (leader int, rivals []int, blocks []float64) {
	leader = needs[0].I
	unit := q.within.scale(q.model.Problem.TaskOf[leader])
	most := 0.0
	for _, need := range needs {
		most = max(most, 2*unit*need.Weight)
	}
	for _, need := range needs {
		n := 2 * unit * need.Weight
		if whole && q.within.pooled() {
			n = min(n, unit/(1/need.Weight-unit/most))
		}
		rivals, blocks = append(rivals, need.J), append(blocks, n)
	}
	return leader, rivals, blocks
}

// The sizes of rounds of blocks.
const (
	blocksFirst = 2 // of the first round
	// the degrees of freedom that a round brings at least to the scale of a task, or of a pair
	freedomWithin = 3
)

// pooled reports whether arms have one scale, so that all of a block serve every gap.
func (w *within) pooled() bool { return !w.each && !w.staked() }

// enough returns whole numbers of blocks: at least these, and so many that the scale can be estimated.
func (w *within) enough(blocks []float64) []int {
	out := make([]int, len(blocks))
	least := 1
	if w.each && !w.staked() {
		least += freedomWithin
	}
	sum := 0
	for k, n := range blocks {
		out[k] = max(least, int(math.Ceil(n)))
		sum += out[k]
	}
	// Σ (K - 1) over blocks, less the K - 1 gaps
	for w.pooled() && sum-len(out) < freedomWithin {
		for k := range out {
			out[k]++
		}
		sum += len(out)
	}
	return out
}

// pulls predicts them in the proportions of the pulls so far.
func (*blockPlanner) pulls(_ terms, needs []design.Pair, sofar pulled) float64 {
	return sofar.more(needs)
}

// blockFit is least squares on arms and blocks of one task: blocks are eliminated, so that a side of n blocks
// and K arms has the information n(I - 11ᵀ/K) on its arms (the intra-block analysis of incomplete blocks).
type blockFit struct {
	arms    int
	info    *mat.SymDense
	right   *mat.VecDense
	inverse *mat.SymDense // a generalised inverse of info; nil before solve
	part    []int         // by arm: which of the parts that blocks connect; -1 of arms that were not measured
	parts   int
	gaps    []float64 // estimates, but for the level of each part
}

func newBlockFit(arms int) blockFit {
	return blockFit{arms: arms, info: mat.NewSymDense(arms, nil), right: mat.NewVecDense(arms, nil)}
}

// add takes in the blocks of a side, of arms at these places with these means.
func (f *blockFit) add(at []int, blocks float64, means []float64) {
	mean, k := 0.0, float64(len(at))
	for _, y := range means {
		mean += y / k
	}
	for a, i := range at {
		if means != nil {
			f.right.SetVec(i, f.right.AtVec(i)+blocks*(means[a]-mean))
		}
		f.info.SetSym(i, i, f.info.At(i, i)+blocks)
		for _, j := range at {
			if j >= i {
				f.info.SetSym(i, j, f.info.At(i, j)-blocks/k)
			}
		}
	}
}

// solve works the estimates out, and which gaps have one.
func (f *blockFit) solve() error {
	f.connect()
	full := mat.NewSymDense(f.arms, nil)
	for i := range f.arms {
		for j := i; j < f.arms; j++ {
			x := f.info.At(i, j)
			if f.part[i] == f.part[j] && (f.part[i] >= 0 || i == j) {
				x++
			}
			full.SetSym(i, j, x)
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(full) {
		return errors.New("the arms of the blocks have no least squares estimate")
	}
	f.inverse = mat.NewSymDense(f.arms, nil)
	if err := factor.InverseTo(f.inverse); err != nil {
		return err
	}
	var out mat.VecDense
	out.MulVec(f.inverse, f.right)
	f.gaps = out.RawVector().Data
	return nil
}

// connect finds the parts of the arms that blocks connect.
func (f *blockFit) connect() {
	f.part, f.parts = slices.Repeat([]int{-1}, f.arms), 0
	for i := range f.arms {
		if f.part[i] >= 0 || f.info.At(i, i) == 0 {
			continue
		}
		todo := []int{i}
		f.part[i] = f.parts
		for len(todo) > 0 {
			a := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for j := range f.arms {
				if f.part[j] < 0 && f.info.At(a, j) != 0 {
					f.part[j], todo = f.parts, append(todo, j)
				}
			}
		}
		f.parts++
	}
}

// variance returns the variance of the estimated gap of two arms for rewards of variance 1; it is infinite where no blocks
// connect them.
func (f *blockFit) variance(a, b int) float64 {
	if f.inverse == nil || f.part[a] < 0 || f.part[a] != f.part[b] {
		return math.Inf(1)
	}
	return f.inverse.At(a, a) + f.inverse.At(b, b) - 2*f.inverse.At(a, b)
}

// rank returns the number of gaps that are estimated.
func (f *blockFit) rank() (rank int) {
	for _, p := range f.part {
		rank += min(p+1, 1)
	}
	return rank - f.parts
}

// unexplained returns the squares of the means of a side's block that neither arms nor the block explain.
func (f *blockFit) unexplained(at []int, means []float64) (sum float64) {
	off := 0.0
	for a, i := range at {
		off += (means[a] - f.gaps[i]) / float64(len(at))
	}
	for a, i := range at {
		sum += math.Pow(means[a]-f.gaps[i]-off, 2)
	}
	return sum
}
