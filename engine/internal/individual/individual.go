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

// Set is a set of one-task algorithms that share nothing: agent v knows only its own arms, kernel and data. It is the
// single-agent sampler of the speedup β [Du23, eq. (4)], copied V times.
type Set struct {
	model *model.Model
	Parts []engine.Detailed
	plans []engine.Plan
	ended []error // per task: the error for which an undecided algorithm cannot continue; nil otherwise
	round int
	why   *engine.Warning // reason why a method that can share data became a set; nil for methods that never share
}

var (
	_ engine.Detailed  = (*Set)(nil)
	_ engine.Amender   = (*Set)(nil)
	_ engine.DataAdder = (*Set)(nil)

	_ engine.Withdrawer = (*Set)(nil)
)

// NewFB returns a set in which each agent runs a fixed-budget algorithm alone on its own T pulls. Answers are decided at
// level δ/V.
func NewFB(m *model.Model, opt model.Terms,
	algorithm func(*model.Model, model.Terms) (engine.Algorithm, error)) (engine.Algorithm, error) {
	opt.Delta /= float64(m.Problem.V())
	return New(m, opt, algorithm)
}

// New returns a set in which each agent runs the algorithm alone with these options.
func New(m *model.Model, opt model.Terms, algorithm func(*model.Model, model.Terms) (engine.Algorithm, error)) (_ *Set, err error) {
	defer try.Caught(&err)
	a := &Set{model: m, ended: make([]error, m.Problem.V())}
	for v, sub := range try.Of(m.TaskModels()) {
		part, err := algorithm(try.Of(sub.Exact()), opt)
		if err != nil {
			return nil, fmt.Errorf("task %q: %w", m.Problem.Tasks.Names[v], err)
		}
		a.Parts = append(a.Parts, engine.DetailedOf(part, sub.Problem))
	}
	return a, nil
}

// each calls ask for all agents in order. It stops at the first error, and returns it with the name of the task.
func (a *Set) each(ask func(v int, part engine.Detailed) error) error {
	for v, part := range a.Parts {
		if err := ask(v, part); err != nil {
			return fmt.Errorf("task %q: %w", a.model.Problem.Tasks.Names[v], err)
		}
	}
	return nil
}

// Plan joins the plans of all tasks that are not done. A task whose algorithm cannot continue does not stop the others. If
// no task has pulls, Plan returns the error of such a task.
func (a *Set) Plan(ctx context.Context) (engine.Plan, error) {
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

// Learn gives every agent its own part of the batch.
func (a *Set) Learn(ctx context.Context, b engine.Batch) error {
	if a.plans == nil {
		panic(rounds.LearnedEarly)
	}
	return a.each(func(v int, part engine.Detailed) error {
		if a.plans[v].Counts == nil {
			return nil
		}
		own := b
		if !a.plans[v].WantSquares || len(b.Squares) != len(b.Counts) { // if their number is wrong, the algorithm reports it
			own.Squares, own.Ranges = nil, nil
		}
		return part.Learn(ctx, own.Part(a.model.Problem.ArmsOf(v)))
	})
}

// Done reports whether every agent is done.
func (a *Set) Done() bool {
	return !slices.ContainsFunc(a.Parts, func(part engine.Detailed) bool { return !part.Done() })
}

// Because sets the warning that states why the agents do not share data, and returns the set.
func (a *Set) Because(why engine.Warning) *Set {
	a.why = &why
	return a
}

// Independent reports whether a method that can share data became this set.
func (a *Set) Independent() bool { return a.why != nil }

// Unspent returns why the first agent with unspent pulls has them; "" if there is none.
func (a *Set) Unspent() string {
	for v, part := range a.Parts {
		if why := part.Unspent(); why != "" {
			return fmt.Sprintf("task %q: %s", a.model.Problem.Tasks.Names[v], why)
		}
	}
	return ""
}

// MaxRounds returns the largest limit of all agents.
func (a *Set) MaxRounds() int { return lists.Max(a.Parts, engine.Detailed.MaxRounds) }

// State implements engine.Algorithm.
func (a *Set) State() engine.State { return engine.StateOf(a) }

// Answers joins the answers of the agents, in task order.
func (a *Set) Answers() []engine.Answer {
	return lists.Flat(a.Parts, engine.Detailed.Answers)
}

// Eliminations joins the audit trails of the agents, by round and then by task.
func (a *Set) Eliminations() []engine.Elimination {
	out := lists.Flat(a.Parts, engine.Detailed.Eliminations)
	slices.SortStableFunc(out, func(x, y engine.Elimination) int { return x.Round - y.Round })
	return out
}

// UsedRule reports whether some agent eliminated an arm by the rule.
func (a *Set) UsedRule(rule engine.Rule) bool {
	return slices.ContainsFunc(a.Parts, func(part engine.Detailed) bool { return part.UsedRule(rule) })
}

// Goal returns the problem's goal.
func (a *Set) Goal() string { return a.model.Problem.Goal }

// Alive returns the number of arms not eliminated.
func (a *Set) Alive() int {
	return lists.Sum(a.Parts, engine.Detailed.Alive)
}

// Warnings joins the warnings of the agents without repetitions, and adds the reason for the set. With a reason, it omits
// the warnings WarnTestsMeans, which the reason includes.
func (a *Set) Warnings() []engine.Warning {
	var out []engine.Warning
	for _, w := range lists.Flat(a.Parts, engine.Detailed.Warnings) {
		same := w.Same
		if slices.Contains(engine.GroupKinds[:], w.Kind) { // the first agent is an example
			same = func(x engine.Warning) bool { return x.Kind == w.Kind }
		}
		if !slices.ContainsFunc(out, same) && (a.why == nil || w.Kind != engine.WarnTestsMeans) {
			out = append(out, w)
		}
	}
	if a.why != nil {
		out = append(out, *a.why)
	}
	return out
}

// Hardest returns the rival from task v's own algorithm.
func (a *Set) Hardest(v int) engine.Rival {
	r := a.Parts[v].Hardest(0)
	r.Tasks = nil
	return r
}

// Samples returns the sum over the agents, because they share nothing; -1 if some task needs infinitely many.
func (a *Set) Samples(tasks []int) float64 {
	sum := 0.0
	for _, v := range tasks {
		samples := a.Parts[v].Samples([]int{0})
		if samples < 0 {
			return -1
		}
		sum += samples
	}
	return sum
}

// NoiseCheck returns a test of the scales of all agents together. Unknown scales are tested for each agent separately.
func (a *Set) NoiseCheck() engine.NoiseCheck {
	p := a.model.Problem
	switch {
	case a.Parts[0].NoiseCheck() == nil:
		return nil
	case p.Noise.UnknownBy == "":
		return engine.NewNoiseCheck(p, nil)
	}
	return engine.NewNoiseCheck(p, p.TaskOf)
}

// FitCheck returns a test of each agent's kernel on its own data, at its part of the level. It is nil if no agent has a
// test.
func (a *Set) FitCheck() engine.FitCheck {
	c := &fitChecks{algorithm: a, parts: make([]engine.FitCheck, len(a.Parts)), least: make([]float64, len(a.Parts))}
	some := false
	for v, part := range a.Parts {
		c.least[v], c.parts[v] = math.Inf(1), part.FitCheck()
		some = some || c.parts[v] != nil
	}
	if !some {
		return nil
	}
	return c
}

// fitChecks holds the tests of the agents.
type fitChecks struct {
	algorithm *Set
	parts     []engine.FitCheck
	least     []float64 // latest p-value of each agent; +Inf if it has nothing to test
	found     *engine.LackOfFit
}

// Learn implements engine.FitCheck. The p-value is the smallest p-value of all agents times the number of agents with data
// to test.
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

// Amend gives each agent with a plan in this round its own counts. Pulls of other agents are ignored. If an agent returns
// an error, the earlier agents get their plans back.
func (a *Set) Amend(counts []int) error {
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

// restore gives the first len(plans) agents their earlier plans.
func (a *Set) restore(plans []engine.Plan) {
	for v, plan := range plans {
		if plan.Counts != nil && a.Parts[v].(engine.Amender).Amend(slices.Clone(plan.Counts)) == nil {
			a.plans[v] = plan
		}
	}
}

// AddData gives every agent the added rewards of its own arms.
func (a *Set) AddData(b engine.Batch) error {
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

// CanWithdraw returns an error if the algorithm of some agent cannot withdraw its arms.
func (a *Set) CanWithdraw(arms []int) error {
	return a.each(func(v int, part engine.Detailed) error {
		w, able := part.(engine.Withdrawer)
		if !able {
			return engine.ErrFixedQuestion
		}
		return w.CanWithdraw(a.own(v, arms))
	})
}

// Withdraw withdraws arms from their agents.
func (a *Set) Withdraw(arms []int) error {
	return a.each(func(v int, part engine.Detailed) error {
		if own := a.own(v, arms); len(own) > 0 {
			return part.(engine.Withdrawer).Withdraw(own)
		}
		return nil
	})
}

// own returns the arms that belong to agent v, with its numbers.
func (a *Set) own(v int, arms []int) []int {
	lo, hi := a.model.Problem.ArmsOf(v)
	return lists.Map(lists.Where(arms, func(i int) bool { return i >= lo && i < hi }), func(i int) int { return i - lo })
}

// UsesAddedData reports whether the algorithms of all agents use added rewards.
func (a *Set) UsesAddedData() bool {
	return !slices.ContainsFunc(a.Parts, func(part engine.Detailed) bool { return !engine.UsesAddedData(part) })
}
