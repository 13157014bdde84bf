package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/gonb-cope/gonb-cope/engine"
)

// judged is what one run scores against the truth.
type judged struct {
	wrong, undecided          bool // some task
	wrongTasks                int
	regret, relative, samples float64
}

// summary folds the finished runs in run order.
func (x Experiment) summary(entry engine.AlgorithmEntry, model *engine.Model, outcomes []*engine.Outcome) engine.Result {
	p := x.Problem
	r := engine.Result{
		Mode: x.Mode, Algorithm: x.Algorithm, Problem: p.Name, Status: engine.StatusInterrupted, Asked: x.Runs, Seed: x.Seed,
		Tasks: p.V(), Arms: p.N(), Epsilon: x.Options.Epsilon, Budget: x.Options.Budget,
	}
	r.Delta = x.Options.Delta
	if r.Delta == 0 {
		r.Delta = engine.DefaultDelta
	}
	if x.Mode == engine.ModeFC {
		r.Schedule = x.Options.Schedule
		if r.Schedule == "" {
			r.Schedule = engine.ScheduleTuned
		}
	}
	var samples, regret, relative []float64
	var wrong, undecided, wrongTasks, rounds int
	for _, o := range outcomes {
		if o == nil {
			continue
		}
		if r.Runs == 0 {
			x.first(&r, model, o)
		}
		r.Runs++
		if worse(o.Status, r.Status) || r.Runs == 1 {
			r.Status = o.Status
		}
		j := x.judge(o)
		samples = append(samples, j.samples)
		regret, relative = append(regret, j.regret), append(relative, j.relative)
		wrong += count(j.wrong)
		undecided += count(j.undecided)
		wrongTasks += j.wrongTasks
		rounds += len(o.Rounds)
		r.MaxRounds = max(r.MaxRounds, len(o.Rounds))
		for _, w := range o.Warnings {
			if !slices.Contains(r.Warnings, w) {
				r.Warnings = append(r.Warnings, w)
			}
		}
	}
	if r.Runs == 0 {
		return r
	}
	r.SamplesPerAgent = Mean(samples)
	r.SamplesTotal = r.SamplesPerAgent.Mean * float64(p.V())
	r.Rounds = float64(rounds) / float64(r.Runs)
	if entry.Shares {
		r.Messages = r.Rounds * float64(p.V())
		r.Bytes = r.Rounds * float64(p.N()) * engine.BytesPerArm
	}
	r.Undecided = Proportion(undecided, r.Runs)
	if p.Mean != nil {
		r.Errors = Proportion(wrong, r.Runs)
		r.TaskErrors = Proportion(wrongTasks, r.Runs*p.V())
		r.Regret, r.RelativeRegret = Mean(regret), Mean(relative)
	}
	x.compare(&r, entry, model)
	return r
}

// first takes over what is shown of the first finished run.
func (x Experiment) first(r *engine.Result, model *engine.Model, o *engine.Outcome) {
	r.Answers = slices.Clone(o.Answers)
	r.Trace, r.Eliminations = o.Rounds, o.Eliminations
	best, err := model.Best()
	if err != nil {
		return
	}
	for v := range r.Answers {
		correct := x.shortfall(v, r.Answers[v].Leader) <= x.tolerance()
		r.Answers[v].Best = x.Problem.Arms.Names[best[v]]
		r.Answers[v].Correct = &correct
	}
}

// compare sets what relates the result to the theory: ridge, lower bound,
// guarantee, and a warning when errors exceed delta.
func (x Experiment) compare(r *engine.Result, entry engine.AlgorithmEntry, model *engine.Model) {
	if ridge, err := model.RidgeOf(x.Mode, x.Options); err == nil {
		r.Ridge = ridge
	}
	if x.Mode == engine.ModeFC {
		bound, err := model.LowerBound(r.Delta, x.Options.Epsilon)
		if err == nil && bound > 0 {
			r.LowerBoundSamples = bound / float64(x.Problem.V())
			r.RatioToLowerBound = r.SamplesPerAgent.Mean / r.LowerBoundSamples
		} else if errors.Is(err, context.DeadlineExceeded) {
			r.Warnings = append(r.Warnings, "no lower bound: it was not computed after the interrupt")
		} else if err != nil && !errors.Is(err, engine.ErrUnknownMeans) {
			r.Warnings = append(r.Warnings, "no lower bound: "+err.Error())
		}
		if r.Errors.CI95[0] > r.Delta {
			r.Warnings = append(r.Warnings, fmt.Sprintf("errors exceed delta: %d of %d runs, 95 %% interval from %.3g", r.Errors.Count, r.Errors.Runs, r.Errors.CI95[0]))
		}
	}
	r.Guarantee = guarantee(*r, entry, x.Problem)
	if w := understated(x.Problem); w != "" {
		r.Warnings = append(r.Warnings, w)
	}
	if model.Misspecified() {
		r.Guarantee = "none: the kernel cannot represent the expected rewards"
	}
}

// understated tells of an arm whose rewards vary more than its noise scale says,
// beyond the 5 % that separate a sample standard deviation from that of the
// population it was computed from; "" when there is none.
func understated(p *engine.Problem) string {
	worst, ratio := 0, 0.0
	for i, sd := range p.SD {
		if r := sd / p.Noise[i]; r > ratio {
			worst, ratio = i, r
		}
	}
	if ratio <= 1.05 {
		return ""
	}
	return fmt.Sprintf("the noise scale is too small at %s: its rewards have a standard deviation of %.4g, %.3g times the scale; the guarantee holds only approximately (noise=\"sd\" takes one scale per arm)",
		p.Where(worst), p.SD[worst], ratio)
}

// judge scores one run. A task is wrong when it was told an arm further than
// epsilon from its best; in fixed budget every leader counts as told.
func (x Experiment) judge(o *engine.Outcome) judged {
	j := judged{samples: float64(o.Samples) / float64(x.Problem.V())}
	for v, a := range o.Answers {
		j.undecided = j.undecided || !a.Decided
		if x.Problem.Mean == nil {
			continue
		}
		lost := x.shortfall(v, a.Leader)
		bad := lost > x.tolerance()
		j.wrong = j.wrong || (bad && (a.Decided || x.Mode == engine.ModeFB))
		j.wrongTasks += count(bad)
		j.regret += lost / float64(len(o.Answers))
		if spread := x.spread(v); spread > 0 {
			j.relative += lost / spread / float64(len(o.Answers))
		}
	}
	return j
}

// tolerance is the shortfall that is not an error: epsilon, and the rounding of
// tied means.
func (x Experiment) tolerance() float64 {
	largest := 0.0
	for _, m := range x.Problem.Mean {
		largest = max(largest, math.Abs(m))
	}
	return x.Options.Epsilon*(1+1e-12) + 1e-12*largest
}

// shortfall is best minus the named arm of task v, reward units.
func (x Experiment) shortfall(v int, name string) float64 {
	lo, hi := x.Problem.ArmsOf(v)
	best, got := math.Inf(-1), math.NaN()
	for i := lo; i < hi; i++ {
		best = max(best, x.Problem.Mean[i])
		if x.Problem.Arms.Names[i] == name {
			got = x.Problem.Mean[i]
		}
	}
	return best - got
}

// spread is best minus median arm of task v, reward units.
func (x Experiment) spread(v int) float64 {
	lo, hi := x.Problem.ArmsOf(v)
	sorted := slices.Clone(x.Problem.Mean[lo:hi])
	sort.Float64s(sorted)
	n := len(sorted)
	return sorted[n-1] - (sorted[(n-1)/2]+sorted[n/2])/2
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// worse orders the ways to end: a set of runs has the status of its worst.
func worse(a, b engine.Status) bool {
	order := []engine.Status{engine.StatusDecided, engine.StatusEpsilon, engine.StatusBudget, engine.StatusRounds, engine.StatusSamples, engine.StatusInterrupted}
	return slices.Index(order, a) > slices.Index(order, b)
}

// guarantee says in a sentence what backs the answers.
func guarantee(r engine.Result, entry engine.AlgorithmEntry, p *engine.Problem) string {
	if !entry.Proven {
		return "none: a baseline without guarantee; an answer counts as decided only where the data separate it at level " + percent(r.Delta)
	}
	var s string
	switch {
	case r.Mode == engine.ModeFB:
		s = fmt.Sprintf("each decided answer is the best arm with probability at least %s for all tasks together", percent(1-r.Delta))
	case r.Epsilon > 0:
		s = fmt.Sprintf("all decided answers are within %g of their best arm with probability at least %s", r.Epsilon, percent(1-r.Delta))
	default:
		s = fmt.Sprintf("all decided answers are best arms with probability at least %s", percent(1-r.Delta))
	}
	if p.NoiseEstimated {
		s += "; the noise scales were estimated from the data, so this holds approximately"
	}
	return s
}

func percent(x float64) string { return fmt.Sprintf("%.4g %%", 100*x) }
