package cotest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// within holds what rewards of the same blocks say of the arms of each task: reward = arm + block + noise.
type within struct {
	model  *model.Model
	limits *rounds.Limits // of rewards that are bet on by their bounds; nil of others
	fair   bool           // whether differences are bet on because they are symmetric
	most   float64        // the accuracy that is asked, normalised
	groups [][]int
	each   bool          // whether every pair of arms has a scale of its own
	sides  []engine.Side // of the round
	round  []blockFit    // by task: of the round alone
	spread []scatter     // by task: of the round alone
	all    []blockFit    // by task: of all rounds
	past   []scatter
	levels []level // by task: of all rewards so far
}

// scatter holds squares that arms and blocks do not explain, normalised.
type scatter struct{ squares, freedom float64 }

// level is a mean of some rewards, normalised.
type level struct{ mean, pulls float64 }

func newWithin(m *model.Model, limits *rounds.Limits) *within {
	w := &within{model: m, limits: limits, groups: m.Problem.Groups(), each: m.Problem.Noise.UnknownBy == problem.UnknownArm}
	w.past, w.levels = make([]scatter, len(w.groups)), make([]level, len(w.groups))
	w.all = w.fits()
	return w
}

// fits returns a fit for each task, before any data.
func (w *within) fits() (out []blockFit) {
	for _, set := range w.groups {
		out = append(out, newBlockFit(len(set)))
	}
	return out
}

// at returns the task of a side and where its arms stand in it.
func (w *within) at(s engine.Side) (v int, at []int) {
	v = w.model.Problem.TaskOf[s.Arms[0]]
	for _, i := range s.Arms {
		at = append(at, i-w.groups[v][0])
	}
	return v, at
}

// planned fixes the blocks of a round, which say before its data how well it will tell gaps.
func (w *within) planned(sides []engine.Side) error {
	w.sides, w.round = sides, w.fits()
	for _, s := range sides {
		v, at := w.at(s)
		w.round[v].add(at, float64(s.Blocks), nil)
	}
	return solve(w.round)
}

func solve(fits []blockFit) error {
	for v := range fits {
		if err := fits[v].solve(); err != nil {
			return err
		}
	}
	return nil
}

// take reads the round's own data: its estimates, and the squares that they leave with their degrees of
// freedom, Σ n(K - 1) over sides of n blocks and K arms less the gaps that are estimated.
func (w *within) take(b engine.Batch) error {
	w.round, w.spread = w.fits(), make([]scatter, len(w.groups))
	rewards := make([]float64, len(w.groups)) // their squares
	for k, s := range w.sides {
		v, at := w.at(s)
		w.round[v].add(at, float64(s.Blocks), w.means(b, k))
		w.spread[v].squares += w.residual(b, k)
		w.spread[v].freedom += float64((len(at) - 1) * s.Blocks)
	}
	if err := solve(w.round); err != nil {
		return err
	}
	for k, s := range w.sides { // of means of different sides
		v, at := w.at(s)
		w.spread[v].squares += float64(s.Blocks) * w.round[v].unexplained(at, w.means(b, k))
		for _, y := range w.means(b, k) {
			rewards[v] += float64(s.Blocks) * y * y
		}
	}
	for v := range w.round {
		w.spread[v].freedom -= float64(w.round[v].rank())
		if w.spread[v].squares <= rounding*rewards[v] {
			w.spread[v].squares = 0
		}
	}
	return nil
}

// rounding is the part of the squares of rewards below which residual squares are errors of rounding: then all
// blocks of a round are alike, and say nothing of a scale.
const rounding = 1e-26

// means returns the means of a side's arms, normalised.
func (w *within) means(b engine.Batch, side int) []float64 {
	out := slices.Clone(b.Within[side].Means)
	for a := range out {
		out[a] /= w.model.Unit
	}
	return out
}

// residual returns the squares in a side's blocks that its arms and blocks do not explain, normalised: the squares of each
// arm, less the squares of the blocks' means: the sum over arms of Σ_k (Y_ik - Ȳ_i - Y_.k + Ȳ)².
func (w *within) residual(b engine.Batch, side int) (squares float64) {
	n, products, all := len(w.sides[side].Arms), b.Within[side].Products, 0.0
	for i, x := range products {
		if all += x; i%(n+1) == 0 {
			squares += x
		}
	}
	return max(0, squares-all/float64(n)) / (w.model.Unit * w.model.Unit)
}

// learn takes the round in that take has read, and returns the estimates of all data, normalised.
func (w *within) learn(b engine.Batch) ([]float64, error) {
	for k, s := range w.sides {
		v, at := w.at(s)
		means := w.means(b, k)
		w.all[v].add(at, float64(s.Blocks), means)
		for _, y := range means {
			l := &w.levels[v]
			l.pulls += float64(s.Blocks)
			l.mean += (y - l.mean) * float64(s.Blocks) / l.pulls
		}
	}
	if err := solve(w.all); err != nil {
		return nil, err
	}
	out := make([]float64, len(b.Counts))
	for v, set := range w.groups {
		w.past[v].squares += w.spread[v].squares
		w.past[v].freedom += w.spread[v].freedom
		middle := 0.0
		for k := range set {
			middle += w.all[v].gaps[k] / float64(len(set))
		}
		for k, i := range set {
			out[i] = w.levels[v].mean + w.all[v].gaps[k] - middle
		}
	}
	return out, nil
}

// shareOfScale is what the common scale of all tasks weighs, in degrees of freedom, beside a task's own scale,
// in guesses.
const shareOfScale = 40

// scale returns the guess of the variance of one reward within blocks of task v, normalised.
func (w *within) scale(v int) float64 {
	var all scatter
	for _, s := range w.past {
		all.squares, all.freedom = all.squares+s.squares, all.freedom+s.freedom
	}
	if !(all.squares > 0 && all.freedom > 0) {
		return w.apart()
	}
	return (w.past[v].squares + shareOfScale*all.squares/all.freedom) / (w.past[v].freedom + shareOfScale)
}

// apart returns the mean square of arms' effects, normalised, which stands for the scale where all blocks so far were alike:
// it is mostly too large, so that clocks begin too early and not too late. 1 where arms are alike, too.
func (w *within) apart() float64 {
	var all scatter
	for v := range w.all {
		if gaps := w.all[v].gaps; gaps != nil {
			mean := floats.Sum(gaps) / float64(len(gaps))
			for _, x := range gaps {
				all.squares += (x - mean) * (x - mean)
			}
			all.freedom += float64(w.all[v].rank())
		}
	}
	if !(all.squares > 0 && all.freedom > 0) {
		return 1
	}
	return all.squares / all.freedom
}

// places returns the task of two arms and where they stand in it.
func (w *within) places(i, j int) (v, a, b int) {
	v = w.model.Problem.TaskOf[i]
	return v, i - w.groups[v][0], j - w.groups[v][0]
}

// variance returns the variance of the estimated gap of two arms, by the guessed scale, normalised.
func (w *within) variance(i, j int) float64 {
	v, a, b := w.places(i, j)
	return w.scale(v) * w.all[v].variance(a, b)
}

// coming returns the variance of the estimate of a gap in the round that is planned; +Inf where it has none.
func (w *within) coming(i, j int) float64 {
	v, a, b := w.places(i, j)
	if w.pooled() {
		return w.scale(v) * w.round[v].variance(a, b)
	}
	n := 0
	for _, s := range w.sides {
		if slices.Contains(s.Arms, i) && slices.Contains(s.Arms, j) {
			n += s.Blocks
		}
	}
	return 2 * w.scale(v) / float64(n)
}

// origin returns the least information that a first round brings to a gap.
func (w *within) origin() float64 {
	widest := 0.0
	for _, set := range w.groups {
		for _, i := range set {
			if x := w.variance(set[0], i); !math.IsInf(x, 1) {
				widest = max(widest, x)
			}
		}
	}
	return 1 / widest
}

// score returns what a round says of a bet; estimates are from the data before the round.
func (w *within) score(bet sequential.Bet, estimates []float64, b engine.Batch) sequential.Score {
	v, i, j := w.places(bet.Leader, bet.Arm)
	if w.pooled() {
		s := sequential.Score{Gap: w.round[v].gaps[i] - w.round[v].gaps[j], Freedom: w.spread[v].freedom, Student: true}
		s.Sd = math.Sqrt(w.round[v].variance(i, j) * w.spread[v].squares / s.Freedom)
		return s
	}
	if w.fair {
		return sequential.Fair(bet.Walk.Stakes, w.one(bet, b), 2*w.scale(v), w.most)
	}
	n, mean, squares := w.differences(bet.Leader, bet.Arm, b)
	if w.limits != nil {
		return w.limits.StakeWithin(bet, mean, squares, n, estimates[bet.Leader]-estimates[bet.Arm])
	}
	return sequential.Score{Gap: mean, Freedom: n - 1, Student: true, Sd: math.Sqrt(squares / (n * (n - 1)))}
}

// staked reports whether walks are capitals.
func (w *within) staked() bool { return w.fair || w.limits != nil }

// widestFair is the largest gap of a stake on symmetric differences, in standard deviations of a difference.
const widestFair = 2

// one returns the differences between the arms of a bet in each block of a round that has both, normalised. Sides are single blocks.
func (w *within) one(bet sequential.Bet, b engine.Batch) (out []float64) {
	for k, s := range w.sides {
		x, y := slices.Index(s.Arms, bet.Leader), slices.Index(s.Arms, bet.Arm)
		if x >= 0 && y >= 0 {
			out = append(out, (b.Within[k].Means[x]-b.Within[k].Means[y])/w.model.Unit)
		}
	}
	return out
}

// differences returns the number of blocks of a round that have both arms, with the mean of their differences and the
// squared deviations from it, normalised.
func (w *within) differences(i, j int, b engine.Batch) (n, mean, squares float64) {
	for k, s := range w.sides {
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

// sideBySide is CoTestFC where the arms of a task are measured side by side (docs/theory/blocks.md): the open
// arms of a task share blocks with its leader, and are compared within them, where what the blocks add cancels. Each agent tests alone, on its arms' own means.
type sideBySide struct{ *coTest }

var (
	_ engine.Algorithm = (*sideBySide)(nil)
	_ engine.Explainer = (*sideBySide)(nil)
	_ engine.Loner     = (*sideBySide)(nil)
	_ engine.Arranger  = (*sideBySide)(nil)
)

func newSideBySide(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	if opt.Misfit > 0 || opt.Robust {
		return nil, errors.New("misfit and robust are for tests that go by the kernel; arms that are measured side by side " +
			"are compared by their own rewards: leave them out")
	}
	apart, err := m.Independent()
	if err != nil {
		return nil, err
	}
	planner, err := newBlockPlanner(apart.Problem, opt.Law)
	if err != nil {
		return nil, err
	}
	a, err := newCoTest(apart, opt, planner)
	if err != nil {
		return nil, err
	}
	a.within = newWithin(apart, a.limits)
	a.within.fair, a.within.most = opt.Law == engine.LawSymmetric, a.epsilon
	return &sideBySide{a}, nil
}

// Alone reports that the agents exchange nothing.
func (a *sideBySide) Alone() bool { return true }

// Plan says which arms share blocks.
func (a *sideBySide) Plan() (engine.Plan, error) {
	plan, err := a.coTest.Plan()
	plan.WantSquares = false
	return plan, err
}

// Amend refuses counts, which do not say what was measured together.
func (a *sideBySide) Amend([]int) error {
	return fmt.Errorf("%w: arms are measured side by side, and counts do not say which of them together", engine.ErrFixedPlans)
}

// Arrange fixes the bets on the round from its blocks. An arm that no block compares with its leader sits out.
func (a *sideBySide) Arrange(sides []engine.Side) error {
	if a.stage == nil {
		return errors.New("no round is planned")
	}
	for _, s := range sides {
		if err := a.check(s); err != nil {
			return err
		}
	}
	st := *a.stage
	st.Sides, st.Rounding.Counts = sides, engine.CountsOf(sides, a.Model.Problem.N())
	if err := a.within.planned(sides); err != nil {
		return err
	}
	a.loose = true
	a.fix(&st)
	return nil
}

// check reports a side that has none or arms of several tasks.
func (a *sideBySide) check(s engine.Side) error {
	p := a.Model.Problem
	switch {
	case len(s.Arms) == 0 || s.Blocks < 1:
		return fmt.Errorf("a block needs an arm, and a set of arms a block, got %d arms and %d blocks", len(s.Arms), s.Blocks)
	case !slices.IsSorted(s.Arms) || s.Arms[0] < 0 || s.Arms[len(s.Arms)-1] >= p.N() ||
		len(slices.Compact(slices.Clone(s.Arms))) != len(s.Arms):
		return fmt.Errorf("the arms of a block must be different ones of 0 to %d in rising order, got %v", p.N()-1, s.Arms)
	case p.TaskOf[s.Arms[0]] != p.TaskOf[s.Arms[len(s.Arms)-1]]:
		return fmt.Errorf("the arms of a block must be of one task, got %s and %s", p.Where(s.Arms[0]), p.Where(s.Arms[len(s.Arms)-1]))
	}
	return nil
}

// learnWithin takes rewards of blocks in that estimates go by.
func learnWithin(a *coTest, b engine.Batch, means []float64) error {
	first := a.estimates == nil
	var err error
	if a.estimates, err = a.within.learn(b); err != nil {
		return err
	}
	if first {
		a.clock.Origin = a.within.origin()
		if a.within.fair {
			for _, c := range a.contests {
				stake(c, a.epsilon, widestFair*math.Sqrt(2*a.within.scale(c.tasks[0])))
			}
		}
		if err := foresee(a); err != nil {
			return err
		}
	}
	a.pooled, err = a.pool(means)
	return err
}

// Continue is not there: arms that are added were in no block so far.
func (a *sideBySide) Continue(engine.Algorithm, []int) error {
	return fmt.Errorf("%w: arms that are measured side by side", engine.ErrFixedQuestion)
}

// Guided reports that rewards of no block are of no use.
func (a *sideBySide) Guided() bool { return false }
