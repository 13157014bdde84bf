package individual

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Algorithm runs one algorithm per task without any sharing: agent v knows only
// its own arms, kernel and data. It is the single-agent sampler of the speedup
// β [Du23, eq. (4)], copied V times.
type Algorithm struct {
	model *model.Model
	Parts []engine.Detailed
	plans []engine.Plan
	ended []error // why parts that are undecided can go no further; nil for the others
	round int
}

var (
	_ engine.Standard     = (*Algorithm)(nil)
	_ engine.DataAdder    = (*Algorithm)(nil)
	_ engine.RuleReporter = (*Algorithm)(nil)
)

// NewFB runs an algorithm by each agent alone on its own T pulls; what it calls
// decided is judged at δ/V.
func NewFB(m *model.Model, opt model.Terms,
	algorithm func(*model.Model, model.Terms) (engine.Algorithm, error)) (engine.Algorithm, error) {
	opt.Delta /= float64(m.Problem.V())
	return New(m, opt, algorithm)
}

// New runs an algorithm by each agent alone, with the given options for each.
func New(m *model.Model, opt model.Terms, algorithm func(*model.Model, model.Terms) (engine.Algorithm, error)) (_ *Algorithm, err error) {
	defer try.Caught(&err)
	a := &Algorithm{model: m, ended: make([]error, m.Problem.V())}
	for v, sub := range try.Of(m.TaskModels()) {
		part, err := algorithm(try.Of(sub.Exact()), opt)
		if err != nil {
			return nil, fmt.Errorf("task %q: %w", m.Problem.Tasks.Names[v], err)
		}
		a.Parts = append(a.Parts, engine.DetailedOf(part, sub.Problem))
	}
	return a, nil
}

// each asks all agents, and names the task of an error.
func (a *Algorithm) each(ask func(v int, part engine.Detailed) error) error {
	for v, part := range a.Parts {
		if err := ask(v, part); err != nil {
			return fmt.Errorf("task %q: %w", a.model.Problem.Tasks.Names[v], err)
		}
	}
	return nil
}

// Plan joins the plans of the tasks that are not done. A task that can go no further does not
// hold up the others.
func (a *Algorithm) Plan(ctx context.Context) (engine.Plan, error) {
	a.round++
	a.plans = make([]engine.Plan, len(a.Parts))
	joint := engine.Plan{Round: a.round, Counts: make([]int, a.model.Problem.N())}
	var last error
	err := a.each(func(v int, part engine.Detailed) error {
		if part.Done() || a.ended[v] != nil {
			last = cmp.Or(last, a.ended[v])
			return nil
		}
		plan, err := part.Plan(ctx)
		if limit := (engine.LimitError{}); errors.As(err, &limit) {
			a.ended[v], last, err = err, err, nil
		}
		lo, _ := a.model.Problem.ArmsOf(v)
		copy(joint.Counts[lo:], plan.Counts)
		joint.Rho += plan.Rho
		joint.RhoLower += plan.RhoLower
		joint.Rounding = max(joint.Rounding, plan.Rounding)
		joint.WantSquares = joint.WantSquares || plan.WantSquares
		a.plans[v] = plan
		return err
	})
	if joint.Pulls() == 0 && err == nil {
		err = last
	}
	return joint, err
}

// Learn hands every agent its own part of the batch.
func (a *Algorithm) Learn(ctx context.Context, b engine.Batch) error {
	if a.plans == nil {
		panic(rounds.LearnedEarly)
	}
	return a.each(func(v int, part engine.Detailed) error {
		if a.plans[v].Counts == nil {
			return nil
		}
		own := b
		if !a.plans[v].WantSquares || len(b.Squares) != len(b.Counts) { // or else it is the part that reports it
			own.Squares, own.Ranges = nil, nil
		}
		return part.Learn(ctx, own.Part(a.model.Problem.ArmsOf(v)))
	})
}

// Done reports whether every agent is done.
func (a *Algorithm) Done() bool {
	return !slices.ContainsFunc(a.Parts, func(part engine.Detailed) bool { return !part.Done() })
}

// Unspent says why the first agent that has pulls left has them.
func (a *Algorithm) Unspent() string {
	for v, part := range a.Parts {
		if s, ok := part.(engine.UnspentReporter); ok {
			if why := s.Unspent(); why != "" {
				return fmt.Sprintf("task %q: %s", a.model.Problem.Tasks.Names[v], why)
			}
		}
	}
	return ""
}

// State implements engine.Algorithm.
func (a *Algorithm) State() engine.State { return engine.StateOf(a) }

// Answers joins the answers of the agents, in task order.
func (a *Algorithm) Answers() []engine.Answer {
	return lists.Flat(a.Parts, engine.Detailed.Answers)
}

// Eliminations joins the audit trails of the agents, by round and then by task.
func (a *Algorithm) Eliminations() []engine.Elimination {
	out := lists.Flat(a.Parts, engine.Detailed.Eliminations)
	slices.SortStableFunc(out, func(x, y engine.Elimination) int { return x.Round - y.Round })
	return out
}

// UsedRule reports whether an arm of some agent has left by the rule.
func (a *Algorithm) UsedRule(rule engine.Rule) bool {
	return slices.ContainsFunc(a.Parts, func(part engine.Detailed) bool { return engine.UsedRule(part, rule) })
}

// Goal returns the problem's goal.
func (a *Algorithm) Goal() string { return a.model.Problem.Goal }

// Alive returns the number of arms not eliminated.
func (a *Algorithm) Alive() int {
	return lists.Sum(a.Parts, func(part engine.Detailed) int { return part.Alive() })
}

// Warnings joins the warnings of the agents, each once.
func (a *Algorithm) Warnings() []engine.Warning {
	var out []engine.Warning
	for _, part := range a.Parts {
		for _, w := range part.Warnings() {
			if !slices.ContainsFunc(out, w.Same) {
				out = append(out, w)
			}
		}
	}
	return out
}

// Hardest returns the rival that task v's own agent has.
func (a *Algorithm) Hardest(v int) engine.Rival {
	x, ok := a.Parts[v].(engine.Explainer)
	if !ok {
		return engine.Rival{}
	}
	r := x.Hardest(0)
	r.Tasks = nil
	return r
}

// Samples returns the sum over the agents, who share nothing.
func (a *Algorithm) Samples(tasks []int) float64 {
	sum := 0.0
	for _, v := range tasks {
		x, ok := a.Parts[v].(engine.Explainer)
		if !ok {
			return math.NaN()
		}
		samples := x.Samples([]int{0})
		if samples < 0 {
			return -1
		}
		sum += samples
	}
	return sum
}

// NoiseCheck tests the scales of all agents together; an unknown one is each agent's own.
func (a *Algorithm) NoiseCheck() engine.NoiseCheck {
	part, ok := a.Parts[0].(engine.NoiseReliant)
	if !ok || part.NoiseCheck() == nil {
		return nil
	}
	p := a.model.Problem
	if p.Noise.UnknownBy == "" {
		return engine.NewNoiseCheck(p, nil)
	}
	return engine.NewNoiseCheck(p, p.TaskOf)
}

// FitCheck tests the kernel of each agent on its own data, at its part of the level; nil if no data would
// speak against any of them.
func (a *Algorithm) FitCheck() engine.FitCheck {
	c := &fitChecks{algorithm: a, parts: make([]engine.FitCheck, len(a.Parts)), least: make([]float64, len(a.Parts))}
	some := false
	for v, part := range a.Parts {
		c.least[v] = math.Inf(1)
		if r, ok := part.(engine.KernelReliant); ok {
			c.parts[v] = r.FitCheck()
			some = some || c.parts[v] != nil
		}
	}
	if !some {
		return nil
	}
	return c
}

// fitChecks are the tests of the agents.
type fitChecks struct {
	algorithm *Algorithm
	parts     []engine.FitCheck
	least     []float64 // p-value of all data of an agent so far; infinite if there is nothing to test
	found     *engine.LackOfFit
}

// Learn implements engine.FitCheck. The p-value is the smallest of all agents, times the number of
// agents with data to test.
func (c *fitChecks) Learn(round int, b engine.Batch) (*float64, *engine.LackOfFit) {
	against := make([]*engine.LackOfFit, len(c.parts))
	for v, part := range c.parts {
		lo, hi := c.algorithm.model.Problem.ArmsOf(v)
		own := engine.Batch{Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]}
		if len(b.Squares) == len(b.Counts) {
			own.Squares = b.Squares[lo:hi]
		}
		if part == nil || own.Empty() {
			continue
		}
		var p *float64
		if p, against[v] = part.Learn(round, own); p != nil {
			c.least[v] = *p
		}
	}
	tested, at := 0, -1
	for v, p := range c.least {
		if math.IsInf(p, 1) {
			continue
		}
		tested++
		if at < 0 || p < c.least[at] {
			at = v
		}
	}
	if at < 0 {
		return nil, c.found
	}
	p := min(1, float64(tested)*c.least[at])
	if level := engine.LackLevel / float64(round*(round+1)); p <= level && c.found == nil && against[at] != nil {
		found := *against[at]
		found.Round, found.PValue, found.Level = round, p, level
		c.found = &found
	}
	return &p, c.found
}

// Amend hands every agent that takes part in the round its own counts. Pulls of an agent that does not
// are of no use to anyone.
func (a *Algorithm) Amend(counts []int) error {
	if a.plans == nil {
		return errors.New(rounds.LearnedEarly)
	}
	before := slices.Clone(a.plans)
	return a.each(func(v int, part engine.Detailed) (err error) {
		if a.plans[v].Counts == nil {
			return nil
		}
		lo, hi := a.model.Problem.ArmsOf(v)
		own := slices.Clone(counts[lo:hi])
		if amender, able := part.(engine.Amender); !able {
			err = engine.ErrFixedPlans
		} else {
			err = amender.Amend(own)
		}
		if err != nil {
			a.restore(before[:v])
			return err
		}
		a.plans[v].Counts = own
		return nil
	})
}

// restore gives the first agents back the plans that they had.
func (a *Algorithm) restore(plans []engine.Plan) {
	for v, plan := range plans {
		if plan.Counts != nil && a.Parts[v].(engine.Amender).Amend(slices.Clone(plan.Counts)) == nil {
			a.plans[v] = plan
		}
	}
}

// AddData gives every agent the rewards of its own arms.
func (a *Algorithm) AddData(b engine.Batch) error {
	if err := rounds.CheckInform(a.model.Problem, b); err != nil {
		return err
	}
	return a.each(func(v int, part engine.Detailed) error {
		own := b.Part(a.model.Problem.ArmsOf(v))
		if own.Empty() || part.Done() {
			return nil
		}
		return part.(engine.DataAdder).AddData(own)
	})
}

// UsesAddedData reports whether the agents' algorithm uses such rewards.
func (a *Algorithm) UsesAddedData() bool {
	return !slices.ContainsFunc(a.Parts, func(part engine.Detailed) bool { return !engine.UsesAddedData(part) })
}

// ArmEstimates joins what the agents say; NaN for the arms of one who says nothing.
func (a *Algorithm) ArmEstimates() engine.ArmEstimates {
	n := a.model.Problem.N()
	nothing := func() []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
	out := engine.ArmEstimates{Mean: nothing(), Half: nothing()}
	for v, part := range a.Parts {
		x, ok := part.(engine.ArmEstimator)
		if !ok {
			continue
		}
		own := x.ArmEstimates()
		lo, _ := a.model.Problem.ArmsOf(v)
		copy(out.Mean[lo:], own.Mean)
		copy(out.Half[lo:], own.Half)
		out.Posterior = out.Posterior || own.Posterior
	}
	return out
}
