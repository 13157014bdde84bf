package cotest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// sideBySide is CoTestFC where the arms of a task are measured side by side (docs/theory/blocks.md): every open arm of a task has one pull in each block of a round, and arms are compared within blocks,
// where what the blocks add cancels. Each agent tests alone, on its arms' own means.
type sideBySide struct {
	*coTest
	within *within
}

var (
	_ engine.Algorithm = (*sideBySide)(nil)
	_ engine.Explainer = (*sideBySide)(nil)
	_ engine.Loner     = (*sideBySide)(nil)
)

func newSideBySide(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	if opt.Misfit > 0 || opt.Robust {
		return nil, errors.New("misfit and robust are for tests that go by the kernel; arms that are measured side by side are compared by their own rewards: leave them out")
	}
	apart, err := m.Independent()
	if err != nil {
		return nil, err
	}
	a, err := newCoTest(apart, opt, blockPlanner{})
	if err != nil {
		return nil, err
	}
	a.within = newWithin(apart, a.limits)
	return &sideBySide{a, a.within}, nil
}

// Alone reports that the agents exchange nothing.
func (a *sideBySide) Alone() bool { return true }

// Plan says that the pulls of a task are made side by side.
func (a *sideBySide) Plan() (engine.Plan, error) {
	plan, err := a.coTest.Plan()
	plan.SideBySide, plan.WantSquares = true, false
	return plan, err
}

// Amend refuses blocks that are not whole.
func (a *sideBySide) Amend(counts []int) error {
	for v, set := range a.Model.Problem.Groups() {
		if _, err := blocksOf(counts, set); err != nil {
			return fmt.Errorf("%w: task %q: %w", engine.ErrFixedPlans, a.Model.Problem.Tasks.Names[v], err)
		}
	}
	return a.coTest.Amend(counts)
}

// Continue is not there: arms that are added were in no block so far.
func (a *sideBySide) Continue(engine.Algorithm, []int) error {
	return fmt.Errorf("%w: arms that are measured side by side", engine.ErrFixedQuestion)
}

// Guided reports that rewards of no block are of no use.
func (a *sideBySide) Guided() bool { return false }

// blocksOf returns how many blocks a task has in a round, in which its arms with pulls are measured.
func blocksOf(counts []int, set []int) (n int, err error) {
	for _, i := range set {
		switch c := counts[i]; {
		case c == 0:
		case n == 0:
			n = c
		case n != c:
			return 0, fmt.Errorf("its arms have %d and %d pulls, and side by side all have equally many", n, c)
		}
	}
	return n, nil
}

// within holds what rewards of the same blocks say of the arms of each task: reward = arm + block + noise.
type within struct {
	model    *model.Model
	limits   *rounds.Limits // of rewards that are bet on; nil where scores are
	groups   [][]int
	info     []*mat.SymDense // by task: Σ over rounds of n (I - 11ᵀ/K), of the K arms that were measured
	right    []*mat.VecDense // Σ n (ȳ - mean of ȳ), normalised
	inverse  []*mat.SymDense // of info + 11ᵀ
	levels   []float64       // by task: mean of all rewards so far, normalised
	pulls    []float64
	squares  []float64 // by task: residual squares of the rounds so far, normalised
	freedom  []float64
	each     bool        // whether every pair of arms has a scale of its own
	products [][]float64 // of the round, while its bets are settled
}

func newWithin(m *model.Model, limits *rounds.Limits) *within {
	w := &within{model: m, limits: limits, groups: m.Problem.Groups(), each: m.Problem.Noise.UnknownBy == problem.UnknownArm}
	n := len(w.groups)
	w.levels, w.pulls, w.squares, w.freedom = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for _, set := range w.groups {
		w.info, w.right = append(w.info, mat.NewSymDense(len(set), nil)), append(w.right, mat.NewVecDense(len(set), nil))
		w.inverse = append(w.inverse, nil)
	}
	return w
}

// product returns Σ (Y_i - Ȳ_i)(Y_j - Ȳ_j) over the blocks of the round, normalised, of arms at these places
// of a task.
func (w *within) product(products [][]float64, v, i, j int) float64 {
	return products[v][i*len(w.groups[v])+j] / (w.model.Unit * w.model.Unit)
}

// residual returns the squares that arms and blocks do not explain in a round, with their degrees of freedom:
// those of each arm, less those of the blocks' means, since Σ_k (Y_ik - Ȳ_i - Y_.k + Ȳ)² summed over arms is that.
func (w *within) residual(b engine.Batch, v int) (squares, freedom float64) {
	var in []int
	n := 0
	for k, i := range w.groups[v] {
		if c := b.Counts[i]; c > 0 {
			in, n = append(in, k), c
		}
	}
	if len(in) < 2 || n < 2 {
		return 0, 0
	}
	all := 0.0
	for _, i := range in {
		squares += w.product(b.Products, v, i, i)
		for _, j := range in {
			all += w.product(b.Products, v, i, j)
		}
	}
	return max(0, squares-all/float64(len(in))), float64((len(in) - 1) * (n - 1))
}

// shareOfScale is what the common scale of all tasks weighs, in degrees of freedom, beside that of a task,
// in guesses.
const shareOfScale = 40

// scale returns the guess of the variance of one reward within blocks of task v, normalised.
func (w *within) scale(v int) float64 {
	var squares, freedom float64
	for u := range w.squares {
		squares, freedom = squares+w.squares[u], freedom+w.freedom[u]
	}
	if !(squares > 0) {
		return 1
	}
	return (w.squares[v] + shareOfScale*squares/freedom) / (w.freedom[v] + shareOfScale)
}

// learn takes a round in and returns the estimates of all data, normalised.
func (w *within) learn(b engine.Batch) ([]float64, error) {
	out := make([]float64, len(b.Counts))
	for v, set := range w.groups {
		squares, freedom := w.residual(b, v)
		w.squares[v], w.freedom[v] = w.squares[v]+squares, w.freedom[v]+freedom
		w.add(b, v)
		estimates, err := w.solve(v)
		if err != nil {
			return nil, err
		}
		for k, i := range set {
			out[i] = w.levels[v] + estimates[k]
		}
	}
	return out, nil
}

// add takes the means of a task's round in.
func (w *within) add(b engine.Batch, v int) {
	var in []int
	mean, n := 0.0, 0.0
	for k, i := range w.groups[v] {
		if c := b.Counts[i]; c > 0 {
			in, n, mean = append(in, k), float64(c), mean+b.Means[i]/w.model.Unit
		}
	}
	if len(in) == 0 {
		return
	}
	mean /= float64(len(in))
	w.levels[v] = (w.pulls[v]*w.levels[v] + n*float64(len(in))*mean) / (w.pulls[v] + n*float64(len(in)))
	w.pulls[v] += n * float64(len(in))
	for _, i := range in {
		w.right[v].SetVec(i, w.right[v].AtVec(i)+n*(b.Means[w.groups[v][i]]/w.model.Unit-mean))
		for _, j := range in {
			if x := -n / float64(len(in)); j >= i {
				if i == j {
					x += n
				}
				w.info[v].SetSym(i, j, w.info[v].At(i, j)+x)
			}
		}
	}
}

// solve returns the estimates of a task's arms around their mean.
func (w *within) solve(v int) ([]float64, error) {
	k := len(w.groups[v])
	full := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			full.SetSym(i, j, w.info[v].At(i, j)+1)
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(full) {
		return nil, fmt.Errorf("task %q: its arms were never measured in the same blocks", w.model.Problem.Tasks.Names[v])
	}
	w.inverse[v] = mat.NewSymDense(k, nil)
	if err := factor.InverseTo(w.inverse[v]); err != nil {
		return nil, err
	}
	var out mat.VecDense
	out.MulVec(w.inverse[v], w.right[v])
	return out.RawVector().Data, nil
}

// places returns the task of two arms and where they stand in it.
func (w *within) places(i, j int) (v, a, b int) {
	v = w.model.Problem.TaskOf[i]
	return v, i - w.groups[v][0], j - w.groups[v][0]
}

// variance returns the variance of the estimated gap of two arms, by the guessed scale, normalised.
func (w *within) variance(i, j int) float64 {
	v, a, b := w.places(i, j)
	if w.inverse[v] == nil {
		return math.Inf(1)
	}
	return w.scale(v) * (w.inverse[v].At(a, a) + w.inverse[v].At(b, b) - 2*w.inverse[v].At(a, b))
}

// origin returns the least information that a first round brings to a gap.
func (w *within) origin(b engine.Batch) float64 {
	least := math.Inf(1)
	for v, set := range w.groups {
		for _, i := range set {
			if n := b.Counts[i]; n > 0 {
				least = min(least, float64(n)/(2*w.scale(v)))
			}
		}
	}
	return least
}

// planned returns the variance of the estimate of a round of so many blocks.
func (w *within) planned(leader, blocks int) float64 {
	return 2 * w.scale(w.model.Problem.TaskOf[leader]) / float64(blocks)
}

// score returns what a round says of a bet, from the differences of the two arms within blocks; estimates are
// those of the data before the round.
func (w *within) score(bet sequential.Bet, estimates []float64, b engine.Batch) sequential.Score {
	v, i, j := w.places(bet.Leader, bet.Arm)
	n := float64(b.Counts[bet.Leader])
	mean := (b.Means[bet.Leader] - b.Means[bet.Arm]) / w.model.Unit
	squares := max(0, w.product(b.Products, v, i, i)+w.product(b.Products, v, j, j)-2*w.product(b.Products, v, i, j))
	if w.limits != nil {
		return w.limits.StakeWithin(bet, mean, squares, n, estimates[bet.Leader]-estimates[bet.Arm])
	}
	s := sequential.Score{Gap: mean, Freedom: n - 1, Sd: math.Sqrt(squares / (n * (n - 1)))}
	if !w.each {
		var all float64
		all, s.Freedom = w.residual(b, v)
		s.Sd = math.Sqrt(2 * all / (s.Freedom * n))
	}
	return s
}

// blockPlanner measures the open arms of a task in the same blocks.
type blockPlanner struct{}

// next returns the stage with as many blocks of a task as half of its open arms ask for: those that need more go
// on with fewer beside them.
func (blockPlanner) next(q ask) (*rounds.Stage, error) {
	m := q.model
	st := newStage(m)
	total, widest := 0, 0.0
	for _, w := range q.wants {
		in, blocks := w.left, float64(blocksFirst)
		switch {
		case w.closed:
			continue
		case q.oriented:
			if in, blocks = q.half(w.needs); len(in) == 0 {
				continue
			}
		}
		if !(blocks*float64(len(in)) <= float64(q.most)) {
			return nil, engine.LimitError{Samples: blocks * float64(len(in))}
		}
		n := q.within.enough(int(math.Ceil(blocks)), len(in))
		for _, i := range in {
			st.Rounding.Counts[i] = n
		}
		total, widest = total+n*len(in), max(widest, 2/float64(n))
	}
	if total == 0 { // every open contest is exhausted
		return nil, engine.LimitError{Samples: math.Inf(1)}
	}
	st.Design.Value, st.Design.Lower = float64(total)*widest, float64(total)*widest
	var err error
	st.Estimate, err = model.NewEstimator(m, 0, st.Rounding.Counts)
	return st, err
}

// half returns the arms of a contest that are open, the leader first, and the blocks that the half of them
// ask for which need least.
func (q ask) half(needs []design.Pair) (in []int, blocks float64) {
	if len(needs) == 0 {
		return nil, 0
	}
	in = []int{needs[0].I}
	var all []float64
	for _, need := range needs {
		in = append(in, need.J)
		all = append(all, 2*q.within.scale(q.model.Problem.TaskOf[need.I])*need.Weight)
	}
	slices.Sort(all)
	return in, all[len(all)/2]
}

// The sizes of rounds of blocks. On the coupling data the blocks that the neediest arm asks for, in place of
// half of them, took a quarter more samples at an accuracy of 5, in two rounds less.
const (
	blocksFirst = 2 // of the first round
	// the degrees of freedom that a round brings at least to the scale of a task, or of a pair
	freedomWithin = 3
)

// enough returns so many blocks, or as many as estimate the scale.
func (w *within) enough(blocks, arms int) int {
	if w.limits != nil {
		return max(blocks, 1)
	}
	if w.each {
		return max(blocks, 1+freedomWithin)
	}
	return max(blocks, 1+(freedomWithin+arms-2)/(arms-1))
}

// pulls predicts them in the proportions of those so far.
func (blockPlanner) pulls(_ terms, needs []design.Pair, sofar pulled) float64 {
	return sofar.more(needs)
}
