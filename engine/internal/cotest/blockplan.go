package cotest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// blockPlanner puts the leader of a task into every block of a round, and each open arm into as many as it
// needs: into the same as the others where blocks hold all, else evenly over blocks of their size.
type blockPlanner struct {
	size    int   // places of a block; 0 is any number
	control []int // by task: the arm that is in every block; -1 without one
}

func newBlockPlanner(p *problem.Problem) (*blockPlanner, error) {
	out := &blockPlanner{size: p.Block.Size, control: slices.Repeat([]int{-1}, p.V())}
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
	for _, k := range order { // one pull in each of consecutive blocks, of which the last is followed by the first
		if whole {
			next = 0
		}
		for range pulls[k] {
			blocks[next%count] = append(blocks[next%count], rivals[k])
			next++
		}
	}
	return alike(blocks)
}

// alike returns blocks as sides, those of the same arms as one.
func alike(blocks [][]int) (out []engine.Side) {
	for _, arms := range blocks {
		slices.Sort(arms)
		at := slices.IndexFunc(out, func(s engine.Side) bool { return slices.Equal(s.Arms, arms) })
		if at < 0 {
			at, out = len(out), append(out, engine.Side{Arms: arms})
		}
		out[at].Blocks++
	}
	return out
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
func (w *within) pooled() bool { return !w.each && w.limits == nil }

// enough returns whole numbers of blocks: at least these, and so many that the scale can be estimated.
func (w *within) enough(blocks []float64) []int {
	out := make([]int, len(blocks))
	least := 1
	if w.each && w.limits == nil {
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

// pulls predicts them in the proportions of those so far.
func (*blockPlanner) pulls(_ terms, needs []design.Pair, sofar pulled) float64 {
	return sofar.more(needs)
}
