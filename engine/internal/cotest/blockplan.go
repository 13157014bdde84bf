package cotest

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sides"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// blockPlanner asks for the blocks that the open arms of each task need.
type blockPlanner struct{ *sides.Planner }

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
			leader, rivals, blocks = q.blocks(w.needs, b.Size == 0 || b.Size > len(w.needs))
		}
		sum := lists.Total(blocks)
		if !(sum <= float64(q.most)) {
			return nil, engine.LimitError{Samples: sum}
		}
		arranged := b.Arrange(m.Problem.TaskOf[leader], leader, rivals, q.within.enough(blocks))
		st.Sides = append(st.Sides, arranged...)
		widest = max(widest, 2/slices.Min(blocks))
	}
	if len(st.Sides) == 0 { // every open contest is exhausted
		return nil, engine.LimitError{Samples: math.Inf(1)}
	}
	st.Rounding.Counts = engine.CountsOf(st.Sides, m.Problem.N())
	total := float64(engine.PullsOf(st.Rounding.Counts))
	st.Design.Value, st.Design.Lower = total*widest, total*widest
	return st, q.within.Planned(st.Sides)
}

// blocks returns the leader of a contest, its open rivals, and the blocks that each of them needs. With all of them
// in a block its effect is estimated from many arms, and the variance of a gap is about the sum of the two
// arms' variances; in small blocks it is the one of differences.
func (q ask) blocks(needs []design.Pair, whole bool) (leader int, rivals []int, blocks []float64) {
	leader = needs[0].I
	unit := q.within.Scale(q.model.Problem.TaskOf[leader])
	most := lists.Max(needs, func(need design.Pair) float64 { return 2 * unit * need.Weight })
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
