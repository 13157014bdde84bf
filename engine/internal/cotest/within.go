package cotest

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/internal/sides"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// within holds the data in blocks, and computes variances and scores of gaps within blocks.
type within struct {
	*sides.Data
	model  *model.Model
	limits *rounds.Limits // limits of the rewards, if bets use them; nil otherwise
	fair   bool           // bets use the symmetry of differences within blocks (law "symmetric")
	most   float64        // the requested accuracy, normalised
	each   bool           // every pair of arms has its own noise scale
}

func newWithin(m *model.Model, limits *rounds.Limits) *within {
	return &within{Data: sides.NewData(m), model: m, limits: limits, each: m.Problem.Noise.UnknownBy == problem.UnknownArm}
}

// coming returns the variance of the estimated gap of arms i and j in the planned round; +Inf if no block has both.
func (w *within) coming(i, j int) float64 {
	v, a, b := w.Places(i, j)
	if w.pooled() {
		return w.Scale(v) * w.Round[v].Variance(a, b)
	}
	n := 0
	for _, s := range w.Sides {
		if slices.Contains(s.Arms, i) && slices.Contains(s.Arms, j) {
			n += s.Blocks
		}
	}
	return 2 * w.Scale(v) / float64(n)
}

// origin returns the smallest information about a gap between the first arm of a task and another, after the first round.
// Gaps without an estimate do not count.
func (w *within) origin() float64 {
	widest := 0.0
	for _, set := range w.model.Problem.Groups() {
		for _, i := range set {
			if x := w.Variance(set[0], i); !math.IsInf(x, 1) {
				widest = max(widest, x)
			}
		}
	}
	return 1 / widest
}

// score returns the evidence of a round's data on a bet. estimates are the arms' estimates from earlier data.
func (w *within) score(bet sequential.Bet, estimates []float64, b engine.Batch) sequential.Score {
	v, i, j := w.Places(bet.Opponent, bet.Arm)
	if w.pooled() {
		s := sequential.Score{Gap: w.Round[v].Gaps[i] - w.Round[v].Gaps[j], Freedom: w.Spread[v].Freedom, Student: true}
		s.Sd = math.Sqrt(w.Round[v].Variance(i, j) * w.Spread[v].Squares / s.Freedom)
		return s
	}
	if w.fair {
		return sequential.Fair(bet.Walk.Stakes, w.one(bet, b), 2*w.Scale(v), w.most)
	}
	n, mean, squares := w.differences(bet.Opponent, bet.Arm, b)
	if w.limits != nil {
		return w.limits.StakeWithin(bet, mean, squares, n, estimates[bet.Opponent]-estimates[bet.Arm])
	}
	return sequential.Score{Gap: mean, Freedom: n - 1, Student: true, Sd: math.Sqrt(squares / (n * (n - 1)))}
}

// staked reports whether the walks are capitals.
func (w *within) staked() bool { return w.fair || w.limits != nil }

// widestFair is the largest gap of a stake for symmetric differences, in standard deviations of a difference.
const widestFair = 2

// one returns the differences between the two arms of a bet, normalised, one per block with both arms. Each side must be a
// single block.
func (w *within) one(bet sequential.Bet, b engine.Batch) (out []float64) {
	for k, s := range w.Sides {
		if x, y := slices.Index(s.Arms, bet.Opponent), slices.Index(s.Arms, bet.Arm); x >= 0 && y >= 0 {
			out = append(out, (b.Within[k].Means[x]-b.Within[k].Means[y])/w.model.Unit)
		}
	}
	return out
}

// differences returns the number n of blocks with both arms i and j, the mean of the differences of i and j in these
// blocks, and the sum of squared deviations from that mean. Differences are in units of model.Unit.
func (w *within) differences(i, j int, b engine.Batch) (n, mean, squares float64) {
	for k, s := range w.Sides {
		x, y := slices.Index(s.Arms, i), slices.Index(s.Arms, j)
		if x < 0 || y < 0 {
			continue
		}
		size, blocks, p := len(s.Arms), float64(s.Blocks), b.Within[k].Products
		off := (b.Within[k].Means[x]-b.Within[k].Means[y])/w.model.Unit - mean
		squares += max(0, p[x*size+x]+p[y*size+y]-2*p[x*size+y])/(w.model.Unit*w.model.Unit) + off*off*n*blocks/(n+blocks)
		n += blocks
		mean += off * blocks / n
	}
	return n, mean, squares
}

// sideBySide is CoTestFC for problems with blocks (docs/theory/blocks.md). The open arms of a task share blocks with its
// leader and are compared within them, so the block effects cancel. Each agent tests alone, and the kernel is not used.
type sideBySide struct {
	*coTest
	within *within
}

var (
	_ engine.Detailed     = (*sideBySide)(nil)
	_ engine.BlockAmender = (*sideBySide)(nil)
)

func newSideBySide(m *model.Model, opt model.Terms) (_ engine.Algorithm, err error) {
	defer try.Caught(&err)
	if opt.Misfit > 0 {
		return nil, errors.New("misfit is for tests that rely on the kernel; arms in blocks are compared by their own rewards. Leave it out")
	}
	independent := try.Of(m.Independent())
	planner := try.Of(sides.NewPlanner(independent.Problem, opt.Law))
	blocks := &blockPlanner{Planner: planner}
	a := try.Of(newCoTest(independent, opt, blocks))
	blocks.within = newWithin(independent, a.limits)
	blocks.within.fair, blocks.within.most = opt.Law == engine.LawSymmetric, a.opt.Epsilon
	a.estimator = inBlocks{a, blocks.within}
	return &sideBySide{a, blocks.within}, nil
}

// CanWithdraw returns an error: blocks are planned for all arms.
func (a *sideBySide) CanWithdraw([]int) error { return engine.ErrFixedQuestion }

// Independent reports that agents do not share data.
func (a *sideBySide) Independent() bool { return true }

// Plan returns the plan of coTest, in which Sides has the arms of each block.
func (a *sideBySide) Plan(ctx context.Context) (engine.Plan, error) {
	plan, err := a.coTest.Plan(ctx)
	plan.WantSquares = false
	return plan, err
}

// Amend always returns an error: counts do not state which arms were measured in one block. Use AmendBlocks.
func (a *sideBySide) Amend([]int) error {
	return sides.ErrCounts
}

// AmendBlocks replaces the blocks of the planned round and fixes its bets again. An arm that shares no block with its
// leader gets no bet.
func (a *sideBySide) AmendBlocks(arranged []engine.Side) (err error) {
	defer try.Caught(&err)
	if a.stage == nil {
		return errors.New("no round is planned")
	}
	for _, s := range arranged {
		try.To(sides.Check(a.Model.Problem, s))
	}
	st := *a.stage
	st.Sides, st.Rounding.Counts = arranged, engine.CountsOf(arranged, a.Model.Problem.N())
	try.To(a.within.Planned(arranged))
	a.loose = true
	a.fix(&st)
	return nil
}

// UsesAddedData reports that added rewards, which have no block, are not used.
func (a *sideBySide) UsesAddedData() bool { return false }

// blockPlanner plans the blocks that the open arms of each task need.
type blockPlanner struct {
	*sides.Planner
	proportional
	within *within
}

// next returns a stage with blocks that give the open arms the information they need.
func (b *blockPlanner) next(q ask) *rounds.Stage {
	m := q.model
	st := newStage(m)
	widest := 0.0
	for _, w := range q.wants {
		if w.closed {
			continue
		}
		leader, rivals, blocks := w.candidates[0], w.candidates[1:], slices.Repeat([]float64{blocksFirst}, len(w.candidates)-1)
		if q.oriented {
			if len(w.needs) == 0 {
				continue
			}
			leader, rivals, blocks = b.needed(q, w.needs, b.Size == 0 || b.Size > len(w.needs))
		}
		sum := lists.Total(blocks)
		if !(sum <= float64(q.most)) {
			try.To(engine.LimitError{Samples: sum})
		}
		arranged := b.Arrange(m.Problem.TaskOf[leader], leader, rivals, b.within.enough(blocks))
		st.Sides = append(st.Sides, arranged...)
		widest = max(widest, 2/slices.Min(blocks))
	}
	if len(st.Sides) == 0 { // every open contest is exhausted
		try.To(engine.LimitError{Samples: math.Inf(1)})
	}
	st.Rounding.Counts = engine.CountsOf(st.Sides, m.Problem.N())
	total := float64(engine.PullsOf(st.Rounding.Counts))
	st.Design.Value, st.Design.Lower = total*widest, total*widest
	try.To(b.within.Planned(st.Sides))
	return st
}

// needed returns the leader of a contest, its open arms, and the number of blocks that each arm needs. whole states that
// all of them fit into one block. The block effect is then estimated from many arms, so the variance of a gap is about the
// sum of the two arms' variances. In smaller blocks it is the variance of differences.
func (b *blockPlanner) needed(q ask, needs []design.Pair, whole bool) (leader int, rivals []int, blocks []float64) {
	leader = needs[0].I
	unit := b.within.Scale(q.model.Problem.TaskOf[leader])
	most := lists.Max(needs, func(need design.Pair) float64 { return 2 * unit * need.Weight })
	for _, need := range needs {
		n := 2 * unit * need.Weight
		if whole && b.within.pooled() {
			n = min(n, unit/(1/need.Weight-unit/most))
		}
		rivals, blocks = append(rivals, need.J), append(blocks, n)
	}
	return leader, rivals, blocks
}

// Constants for the sizes of rounds with blocks.
const (
	blocksFirst = 2 // blocks of the first round
	// smallest number of degrees of freedom that a round adds to the scale of a task or of a pair
	freedomWithin = 3
)

// pooled reports whether all arms have one scale, so that all rewards of a block improve the estimate of every gap.
func (w *within) pooled() bool { return !w.each && !w.staked() }

// enough rounds the numbers of blocks up, and increases them until the noise scale can be estimated.
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
