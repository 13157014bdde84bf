package rounds

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Candidates holds the candidate sets B_v^(r) and the audit trail of eliminated arms.
type Candidates struct {
	Model   *model.Model
	Sets    [][]int // per task, in arm order
	Removed []bool  // N: withdrawn arms
	trail   []dropped
}

// dropped is an entry of the audit trail.
type dropped struct {
	engine.Elimination
	width func() float64 // computes the width in reward units on request; nil if it is known
}

// NewCandidates returns sets with all arms of each task.
func NewCandidates(m *model.Model) Candidates {
	return Candidates{Model: m, Sets: m.Problem.Groups(), Removed: make([]bool, m.Problem.N())}
}

// Eliminations returns the audit trail. It computes widths that are still missing.
func (c *Candidates) Eliminations() []engine.Elimination {
	if c.trail == nil {
		return nil
	}
	out := make([]engine.Elimination, len(c.trail))
	for k := range c.trail {
		e := &c.trail[k]
		if e.width != nil {
			e.Width, e.width = e.width(), nil
		}
		out[k] = e.Elimination
	}
	return out
}

// UsedRule reports whether at least one arm was eliminated by the rule.
func (c *Candidates) UsedRule(rule engine.Rule) bool {
	return slices.ContainsFunc(c.trail, func(e dropped) bool { return e.Rule == rule })
}

// Goal returns the problem's goal.
func (c *Candidates) Goal() string { return c.Model.Problem.Goal }

// Independent returns false: agents share their data. Algorithms whose agents do not share override this default. All
// may override the defaults below.
func (c *Candidates) Independent() bool { return false }

// Unspent returns "": the whole budget is spent.
func (c *Candidates) Unspent() string { return "" }

// MaxRounds returns 0: the usual limit of rounds applies.
func (c *Candidates) MaxRounds() int { return 0 }

// FitCheck returns nil: answers do not depend on the kernel.
func (c *Candidates) FitCheck() engine.FitCheck { return nil }

// NoiseCheck returns nil: no guarantee depends on the noise model.
func (c *Candidates) NoiseCheck() engine.NoiseCheck { return nil }

// Alive returns the number of arms in all candidate sets.
func (c *Candidates) Alive() int {
	return lists.Sum(c.Sets, func(set []int) int { return len(set) })
}

// Single reports whether every task has one candidate left.
func (c *Candidates) Single() bool { return c.Alive() == len(c.Sets) }

// Drop adds the elimination of arm by rival to the audit trail. It does not change Sets. gap and width are normalised.
func (c *Candidates) Drop(round, arm, rival int, gap, width float64, rule engine.Rule) {
	p := c.Model.Problem
	c.trail = append(c.trail, dropped{Elimination: engine.Elimination{
		Round: round, Task: p.Tasks.Names[p.TaskOf[arm]], Arm: p.Arms.Names[arm], Rival: p.Arms.Names[rival],
		Gap: gap * c.Model.Unit, Width: width * c.Model.Unit, Rule: rule,
	}})
}

// DropLater is Drop with a width that is computed when the audit trail is requested. The width is normalised.
func (c *Candidates) DropLater(round, arm, rival int, gap float64, width func() float64, rule engine.Rule) {
	c.Drop(round, arm, rival, gap, 0, rule)
	unit := c.Model.Unit
	c.trail[len(c.trail)-1].width = func() float64 { return width() * unit }
}

// Reopen removes an arm's elimination from the audit trail.
func (c *Candidates) Reopen(arm int) {
	p := c.Model.Problem
	c.trail = slices.DeleteFunc(c.trail, func(e dropped) bool {
		return e.Task == p.Tasks.Names[p.TaskOf[arm]] && e.Arm == p.Arms.Names[arm]
	})
}

// Withdrawn records that an arm was withdrawn from its task, and deletes its elimination from the audit trail.
func (c *Candidates) Withdrawn(round, arm int) {
	p := c.Model.Problem
	c.Removed[arm] = true
	c.Reopen(arm)
	c.trail = append(c.trail, dropped{Elimination: engine.Elimination{Round: round, Task: p.Tasks.Names[p.TaskOf[arm]],
		Arm: p.Arms.Names[arm], Rule: engine.RuleWithdrawn}})
}

// TakeTrail appends the audit trail of other candidates, without arms that were merged because their features are equal.
func (c *Candidates) TakeTrail(from *Candidates) {
	c.trail = append(c.trail, lists.Where(from.trail, func(e dropped) bool { return e.Rule != engine.RuleSame })...)
}

// CanWithdraw returns an error if an arm does not exist or its task would have no arm left.
func (c *Candidates) CanWithdraw(arms []int) error {
	p, removed := c.Model.Problem, slices.Clone(c.Removed)
	for _, i := range arms {
		if i < 0 || i >= p.N() {
			return fmt.Errorf("arm %d does not exist", i)
		}
		removed[i] = true
	}
	for _, i := range arms {
		if lo, hi := p.ArmsOf(p.TaskOf[i]); !slices.Contains(removed[lo:hi], false) {
			return fmt.Errorf("task %q must keep at least one arm, and %q is its last one", p.Tasks.Names[p.TaskOf[i]], p.Arms.Names[i])
		}
	}
	return nil
}

// Leader returns the arm of the set with the largest estimate; the first one if several are tied.
func Leader(set []int, estimates []float64) int {
	best := set[0]
	for _, i := range set[1:] {
		if estimates[i] > estimates[best] {
			best = i
		}
	}
	return best
}

// Answer returns the answer of task v with leader i. It is decided if the task has one candidate. estimate is normalised.
func (c *Candidates) Answer(v, i int, estimate float64) engine.Answer {
	p := c.Model.Problem
	a := engine.Answer{Task: p.Tasks.Names[v], Leader: p.Arms.Names[i], Estimate: estimate * c.Model.Unit}
	if a.Decided = len(c.Sets[v]) == 1; a.Decided {
		a.Arm = a.Leader
	} else {
		a.Candidates = indices.Of(p.Arms.Names, c.Sets[v])
	}
	return a
}

// CheckBatch returns an error if a batch does not match its plan. It panics if the plan is empty.
func CheckBatch(p engine.Plan, b engine.Batch) error {
	if p.Counts == nil {
		panic(LearnedEarly)
	}
	return engine.CheckBatch(p, b)
}

// Shown returns r with the name of arm i and with gap and error in reward units.
func (c *Candidates) Shown(i int, r engine.Rival) engine.Rival {
	r.Arm = c.Model.Problem.Arms.Names[i]
	r.Gap *= c.Model.Unit
	r.Error *= c.Model.Unit
	return r
}

// NoData returns the state of task v before any data: some arm other than the leader, with infinite error.
func (c *Candidates) NoData(v, leader int) engine.Rival {
	set := c.Sets[v]
	rival := set[0]
	if rival == leader {
		rival = set[1]
	}
	return c.Shown(rival, engine.Rival{Open: len(set), Error: math.Inf(1)})
}

// LearnedEarly is the panic message of algorithms whose Learn is called before Plan.
const LearnedEarly = "engine: Learn was called before Plan"

// CheckInform returns an error for added rewards that do not match the arms of a problem.
func CheckInform(p *problem.Problem, b engine.Batch) error {
	if len(b.Counts) != p.N() || len(b.Means) != p.N() {
		return fmt.Errorf("the batch has %d counts and %d means for %d arms", len(b.Counts), len(b.Means), p.N())
	}
	return nil
}

// mostRivals is the number of arms of a large set with which the other arms are compared: those with the largest
// estimates. Fewer comparisons may keep more arms, but never eliminate a wrong one.
const mostRivals = 256

// Strongest returns the arms with which the other arms of a set are compared. These are all arms or, for very many arms,
// those with the largest estimates.
func Strongest(m *model.Model, set []int, estimates []float64) []int {
	if len(set) <= mostRivals || !m.Many() {
		return set
	}
	out := slices.Clone(set)
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(estimates[j], estimates[i]) })
	return out[:mostRivals]
}

// Most returns the largest number of samples of any task. This is the total, because all tasks share the same samples. If
// the number of a task is negative or NaN, it returns that number.
func Most(tasks []int, samples func(v int) float64) float64 {
	most := 0.0
	for _, v := range tasks {
		n := samples(v)
		if n < 0 || math.IsNaN(n) {
			return n
		}
		most = max(most, n)
	}
	return most
}

// MedianGap returns the median of a normal gap with this estimate and standard error, conditional on a positive gap,
// because a leader's gap is positive. Without the condition, an estimate near 0 would make forecasts useless.
func MedianGap(gap, sd float64) float64 {
	if !(sd > 0) || gap > 6*sd {
		return max(gap, 0)
	}
	x := max(gap/sd, -6) // leaders are rarely that far behind
	positive := distuv.UnitNormal.CDF(x)
	return sd * (x + distuv.UnitNormal.Quantile(1-positive/2))
}

// Stage holds everything that a round fixes before its data: the design, the rounded counts and their estimator.
type Stage struct {
	Design   design.Design
	Rounding design.Rounding
	Estimate *model.Estimator
	Sides    []engine.Side // of arms that are compared within blocks
}

// Floats returns the number of stored floating-point numbers, for the limit of a canon.Memory.
func (st *Stage) Floats() int {
	return len(st.Design.Weights) + len(st.Design.Certificate.Weights) + len(st.Rounding.Counts) + st.Estimate.Floats()
}

// Plan returns the plan of the stage; without counts if the stage is nil.
func (st *Stage) Plan(round int) engine.Plan {
	if st == nil {
		return engine.Plan{}
	}
	return engine.Plan{
		Round: round, Counts: st.Rounding.Counts, Rho: st.Design.Value, RhoLower: st.Design.Lower,
		Rounding: st.Rounding.Ratio, Sides: st.Sides,
	}
}
