package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// State is the current result of an algorithm. Only Answers is required.
type State struct {
	// one per task, in task order; required are Leader and Decided, and Estimate for figures
	Answers []Answer
	// estimated reward of each of N arms, for figures; may be nil
	Estimates    []float64
	Eliminations []Elimination // audit trail, in order of elimination
	Alive        int           // number of arms that are not eliminated, summed over tasks
	Warnings     []Warning     // conditions of the guarantee that do not hold
	Independent  bool          // whether agents exchange no data: each agent uses only its own measurements
	Unspent      string        // reason why part of a fixed budget was not spent; "" if all of it was
}

// Detailed is an Algorithm that returns the parts of its State separately, because the whole is slow to build.
type Detailed interface {
	Algorithm
	// Answers returns State.Answers.
	Answers() []Answer
	// Eliminations returns State.Eliminations.
	Eliminations() []Elimination
	// UsedRule reports whether at least one arm was eliminated by the rule.
	UsedRule(rule Rule) bool
	// Alive returns State.Alive.
	Alive() int
	// Warnings returns State.Warnings.
	Warnings() []Warning
	// Goal returns the goal of the problem, problem.GoalMax or problem.GoalMin. An algorithm always maximises. For GoalMin, Steps
	// changes the sign of rewards before Learn, and of estimates in answers.
	Goal() string
	// Independent returns State.Independent.
	Independent() bool
	// Unspent returns State.Unspent.
	Unspent() string
	// MaxRounds returns the limit on rounds that applies if Options.MaxRounds is not set; 0 means the default of Options.
	MaxRounds() int

	// Hardest returns the comparison that keeps task v undecided. This method and those below only inform readers; they have no
	// effect on decisions.
	Hardest(v int) Rival
	// Samples returns the estimated further samples, summed over all agents, until the given open tasks are decided, with the
	// assumptions of Progress.Samples. It is at most the sum over the tasks, since tasks share rounds. It is -1 if one of them
	// cannot be decided, and NaN before any data.
	Samples(tasks []int) float64

	// FitCheck returns a new test of the kernel for one run; nil if no data could contradict the kernel, or if answers do not
	// depend on it.
	FitCheck() FitCheck
	// NoiseCheck returns a new test of the noise model for one run; nil if no data could contradict it, or if no guarantee
	// depends on it.
	NoiseCheck() NoiseCheck
}

// StateOf returns the State of an algorithm from its parts. A Detailed algorithm implements its method State with it.
func StateOf(alg interface {
	Answers() []Answer
	Eliminations() []Elimination
	Alive() int
	Warnings() []Warning
	Independent() bool
	Unspent() string
}) State {
	return State{Answers: alg.Answers(), Eliminations: alg.Eliminations(), Alive: alg.Alive(), Warnings: alg.Warnings(),
		Independent: alg.Independent(), Unspent: alg.Unspent()}
}

// DetailedOf returns alg itself if it is Detailed. Otherwise it returns an adapter that reads the parts from State. The
// adapter also checks that plans and answers match p, the problem for which alg was made. If p is nil, higher rewards are
// better and nothing is checked.
func DetailedOf(alg Algorithm, p *problem.Problem) Detailed {
	if d, ok := alg.(Detailed); ok {
		return d
	}
	return &whole{Algorithm: alg, problem: p, budget: -1}
}

// whole adapts an Algorithm to Detailed by reading the parts from its State.
type whole struct {
	Algorithm
	problem *problem.Problem
	round   int    // round of the last plan
	budget  int    // pulls left in the budget; -1 without a budget
	state   *State // State after the last round; nil before the first
}

var _ Detailed = (*whole)(nil)

// Plan returns the algorithm's plan. It returns an error for a plan without pulls, which would never end, and for arms that do
// not exist.
func (w *whole) Plan(ctx context.Context) (Plan, error) {
	plan, err := w.Algorithm.Plan(ctx)
	w.round++
	plan.Round = w.round
	if err == nil && w.problem != nil {
		err = CheckPlan(plan, w.problem.N())
	}
	if err == nil && w.budget >= 0 {
		if w.budget -= plan.Pulls(); w.budget < 0 {
			err = fmt.Errorf("the plan has %d pulls, but only %d of the budget of all agents are left", plan.Pulls(), w.budget+plan.Pulls())
		}
	}
	return plan, err
}

// CheckPlan returns an error unless a plan has n counts ≥ 0, at least one of them above 0.
func CheckPlan(p Plan, n int) error {
	if len(p.Counts) != n {
		return fmt.Errorf("the plan has %d counts for %d arms; it must have one count for each arm of each task", len(p.Counts), n)
	}
	if i := slices.IndexFunc(p.Counts, func(c int) bool { return c < 0 }); i >= 0 {
		return fmt.Errorf("the plan has %d pulls of arm %d; a count must be 0 or more", p.Counts[i], i)
	}
	if p.Pulls() == 0 {
		return fmt.Errorf("the plan has no pulls, although the algorithm is not done; when nothing is left to measure, Done must return true")
	}
	return nil
}

// Learn passes the batch to the algorithm and stores its State.
func (w *whole) Learn(ctx context.Context, b Batch) error {
	if err := w.Algorithm.Learn(ctx, b); err != nil {
		return err
	}
	state, err := w.checked()
	if err == nil {
		w.state = &state
	}
	return err
}

// checked returns the State with missing parts filled in, or an error if the answers do not match the problem.
func (w *whole) checked() (State, error) {
	s := w.Algorithm.State()
	p := w.problem
	if p == nil {
		return s, nil
	}
	if len(s.Answers) != p.V() {
		return s, fmt.Errorf("the state has %d answers for %d tasks; it must have one answer for each task", len(s.Answers), p.V())
	}
	if s.Estimates != nil && len(s.Estimates) != p.N() {
		return s, fmt.Errorf("the state has %d estimates for %d arms", len(s.Estimates), p.N())
	}
	s.Answers = slices.Clone(s.Answers)
	for v := range s.Answers {
		a := &s.Answers[v]
		if a.Task == "" {
			a.Task = p.Tasks.Names[v]
		}
		a.Leader, a.Arm = cmp.Or(a.Leader, a.Arm), ""
		if a.Decided {
			a.Arm = a.Leader
		}
		lo, hi := p.ArmsOf(v)
		if a.Task != p.Tasks.Names[v] || !slices.Contains(p.Arms.Names[lo:hi], a.Leader) {
			return s, fmt.Errorf("answer %d is arm %q of task %q; it must be an arm of task %q", v, a.Leader, a.Task, p.Tasks.Names[v])
		}
	}
	return s, nil
}

// latest returns the State after the last round.
func (w *whole) latest() State {
	if w.state != nil {
		return *w.state
	}
	s, err := w.checked()
	if err != nil { // before the first round, answers may be incomplete
		s = State{Answers: lists.Make(w.problem.V(), func(v int) Answer {
			first, _ := w.problem.ArmsOf(v)
			return Answer{Task: w.problem.Tasks.Names[v], Leader: w.problem.Arms.Names[first]}
		})}
	}
	return s
}

// Answers implements Detailed.
func (w *whole) Answers() []Answer { return w.latest().Answers }

// Eliminations implements Detailed.
func (w *whole) Eliminations() []Elimination { return w.latest().Eliminations }

// Alive implements Detailed.
func (w *whole) Alive() int { return w.latest().Alive }

// Warnings implements Detailed.
func (w *whole) Warnings() []Warning { return w.latest().Warnings }

// Goal implements Detailed.
func (w *whole) Goal() string {
	if w.problem == nil {
		return problem.GoalMax
	}
	return w.problem.Goal
}

// UsedRule implements Detailed.
func (w *whole) UsedRule(rule Rule) bool {
	return slices.ContainsFunc(w.Eliminations(), func(e Elimination) bool { return e.Rule == rule })
}

// Independent implements Detailed.
func (w *whole) Independent() bool { return w.latest().Independent }

// Unspent implements Detailed.
func (w *whole) Unspent() string { return w.latest().Unspent }

// MaxRounds implements Detailed.
func (w *whole) MaxRounds() int { return 0 }

// Hardest implements Detailed. A State has no comparisons.
func (w *whole) Hardest(int) Rival { return Rival{} }

// Samples implements Detailed.
func (w *whole) Samples([]int) float64 { return math.NaN() }

// FitCheck implements Detailed.
func (w *whole) FitCheck() FitCheck { return nil }

// NoiseCheck implements Detailed.
func (w *whole) NoiseCheck() NoiseCheck { return nil }

// PlanOfSets returns the plan of an elimination algorithm: the same number of pulls for each open arm of every undecided task.
// sets[v] has the open arms of task v.
func PlanOfSets(p *problem.Problem, sets [][]int, pulls int) Plan {
	counts := make([]int, p.N())
	for _, arms := range sets {
		for _, i := range arms {
			if len(arms) > 1 {
				counts[i] = pulls
			}
		}
	}
	return Plan{Counts: counts}
}

// StateOfSets returns the State of an elimination algorithm. sets[v] has the open arms of task v. The arm with the largest
// estimate leads its task, and a task with one open arm is decided. unit is the number of reward units in one unit of the
// estimates, such as model.Model.Unit. estimates is nil before any data.
func StateOfSets(p *problem.Problem, sets [][]int, estimates []float64, unit float64) State {
	if estimates != nil {
		estimates = lists.Map(estimates, func(x float64) float64 { return x * unit })
	}
	s := State{Estimates: estimates}
	for v, arms := range sets {
		best := arms[0]
		for _, i := range arms {
			if estimates != nil && estimates[i] > estimates[best] {
				best = i
			}
		}
		a := Answer{Task: p.Tasks.Names[v], Leader: p.Arms.Names[best], Decided: len(arms) == 1}
		if estimates != nil {
			a.Estimate = estimates[best]
		}
		if a.Decided {
			a.Arm = a.Leader
		} else {
			a.Candidates = lists.Map(arms, func(i int) string { return p.Arms.Names[i] })
		}
		s.Answers, s.Alive = append(s.Answers, a), s.Alive+len(arms)
	}
	return s
}
