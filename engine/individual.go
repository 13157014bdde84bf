package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// individual runs one algorithm per task without any sharing: agent v knows only
// its own arms, kernel and data. It is the single-agent sampler of the speedup
// β [Du23, eq. (4)], copied V times.
type individual struct {
	model *Model
	parts []Algorithm
	plans []Plan
	ended []error // why parts that are undecided can go no further; nil for the others
	round int
}

var (
	_ Algorithm = (*individual)(nil)
	_ Explainer = (*individual)(nil)
)

// NewIndKernelFC is Alg. 1 run by each agent on its own task at confidence δ/V,
// so that all answers hold together with probability 1 - δ.
func NewIndKernelFC(m *Model, opt Options) (Algorithm, error) {
	return newIndividualFC(m, opt, func() method { return joint{shared()} })
}

// newIndividualFC runs a method of elimination by each agent alone at δ/V.
func newIndividualFC(m *Model, opt Options, own func() method) (Algorithm, error) {
	opt, err := opt.withDefaults(ModeFC)
	if err != nil {
		return nil, err
	}
	opt.Delta /= float64(m.Problem.V())
	return newIndividual(m, opt, func(m *Model, opt Options) (Algorithm, error) { return newElimination(m, opt, own()) })
}

// NewIndKernelFB is Alg. 2 run by each agent on its own task with its own T
// pulls.
func NewIndKernelFB(m *Model, opt Options) (Algorithm, error) {
	return newIndividualFB(m, opt, func(m *Model, opt Options) (Algorithm, error) { return NewCoKernelFB(m, opt) })
}

// newIndividualFB runs an algorithm by each agent alone on its own T pulls; what it calls
// decided is judged at δ/V.
func newIndividualFB(m *Model, opt Options, algorithm func(*Model, Options) (Algorithm, error)) (Algorithm, error) {
	opt, err := opt.withDefaults(ModeFB)
	if err != nil {
		return nil, err
	}
	opt.Delta /= float64(m.Problem.V())
	return newIndividual(m, opt, algorithm)
}

func newIndividual(m *Model, opt Options, algorithm func(*Model, Options) (Algorithm, error)) (*individual, error) {
	a := &individual{model: m, ended: make([]error, m.Problem.V())}
	alone, err := m.tasks()
	if err != nil {
		return nil, err
	}
	for v, sub := range alone {
		part, err := algorithm(sub, opt)
		if err != nil {
			return nil, fmt.Errorf("task %q: %w", m.Problem.Tasks.Names[v], err)
		}
		a.parts = append(a.parts, part)
	}
	return a, nil
}

// Plan joins the plans of the tasks that are not done. A task that can go no further does not
// hold up the others.
func (a *individual) Plan() (Plan, error) {
	a.round++
	a.plans = make([]Plan, len(a.parts))
	joint := Plan{Round: a.round, Counts: make([]int, a.model.Problem.N())}
	var last error
	for v, part := range a.parts {
		if part.Done() || a.ended[v] != nil {
			last = cmp.Or(last, a.ended[v])
			continue
		}
		plan, err := part.Plan()
		if limit := (errLimit{}); errors.As(err, &limit) {
			a.ended[v], last = err, err
			continue
		}
		if err != nil {
			return Plan{}, fmt.Errorf("task %q: %w", a.model.Problem.Tasks.Names[v], err)
		}
		lo, _ := a.model.Problem.ArmsOf(v)
		copy(joint.Counts[lo:], plan.Counts)
		joint.Rho += plan.Rho
		joint.RhoLower += plan.RhoLower
		joint.Rounding = max(joint.Rounding, plan.Rounding)
		joint.Spread = joint.Spread || plan.Spread
		a.plans[v] = plan
	}
	if joint.Pulls() == 0 && last != nil {
		return Plan{}, last
	}
	joint.Digest = digest(a.round, joint.Counts)
	return joint, nil
}

// Learn hands every agent its own part of the batch.
func (a *individual) Learn(b Batch) error {
	if a.plans == nil {
		panic(learnedEarly)
	}
	for v, part := range a.parts {
		if a.plans[v].Counts == nil {
			continue
		}
		lo, hi := a.model.Problem.ArmsOf(v)
		own := Batch{Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]}
		if a.plans[v].Spread && len(b.Squares) == len(b.Counts) { // or else it is the part that reports it
			own.Squares = b.Squares[lo:hi]
		}
		if err := part.Learn(own); err != nil {
			return fmt.Errorf("task %q: %w", a.model.Problem.Tasks.Names[v], err)
		}
	}
	return nil
}

// Done reports whether every agent is done.
func (a *individual) Done() bool {
	for _, part := range a.parts {
		if !part.Done() {
			return false
		}
	}
	return true
}

// Answers joins the answers of the agents, in task order.
func (a *individual) Answers() []Answer {
	var out []Answer
	for _, part := range a.parts {
		out = append(out, part.Answers()...)
	}
	return out
}

// Eliminations joins the audit trails of the agents, by round and then by task.
func (a *individual) Eliminations() []Elimination {
	var out []Elimination
	for _, part := range a.parts {
		out = append(out, part.Eliminations()...)
	}
	slices.SortStableFunc(out, func(x, y Elimination) int { return x.Round - y.Round })
	return out
}

// Alive is the number of arms not eliminated.
func (a *individual) Alive() int {
	sum := 0
	for _, part := range a.parts {
		sum += part.Alive()
	}
	return sum
}

// Warnings joins the warnings of the agents, each once.
func (a *individual) Warnings() []Warning {
	var out []Warning
	for _, part := range a.parts {
		for _, w := range part.Warnings() {
			if !slices.ContainsFunc(out, w.Same) {
				out = append(out, w)
			}
		}
	}
	return out
}

// Progress joins the progress of the agents, in task order.
func (a *individual) Progress() []Progress {
	var out []Progress
	for _, part := range a.parts {
		if x, ok := part.(Explainer); ok {
			out = append(out, x.Progress()...)
		}
	}
	return out
}

// Remaining is the sum over the agents, who share nothing.
func (a *individual) Remaining() float64 {
	sum := 0.0
	for _, part := range a.parts {
		x, ok := part.(Explainer)
		if !ok {
			return math.NaN()
		}
		left := x.Remaining()
		if left < 0 {
			return -1
		}
		sum += left
	}
	return sum
}
