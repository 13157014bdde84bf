package sim

import (
	"context"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// summary folds the finished runs in run order.
func (ts *Trials) summary(ctx context.Context, t *tally) engine.Result {
	x, entry, model := ts.x, ts.entry, ts.model
	r := x.blank(entry)
	if t.done == 0 && t.left != nil {
		ts.unfinished(ctx, &r, t)
	}
	if t.done == 0 {
		return r
	}
	scores, runs := t.finished()
	r.Runs, r.Status, r.Warnings, r.Unspent = t.done, scores[0].Status, t.warned(), t.unspent
	var wrong, wrongDecided, undecided, rounds int
	wrongTasks := make([]int, 0, len(scores))
	for _, s := range scores {
		if worse(s.Status, r.Status) {
			r.Status = s.Status
		}
		wrong += count(s.Wrong)
		wrongDecided += count(s.WrongDecided)
		undecided += count(s.Undecided)
		r.DecidedTasks += s.Decided
		wrongTasks = append(wrongTasks, s.WrongTasks)
		rounds += s.Rounds
		r.MaxRounds = max(r.MaxRounds, s.Rounds)
	}
	n, p := float64(r.Runs), x.Problem
	r.SamplesPerAgent = Mean(column(scores, func(s score) float64 { return s.Samples }))
	r.SamplesTotal = r.SamplesPerAgent.Mean * float64(p.V())
	r.Rounds = float64(rounds) / n
	r.Messages, r.Bytes = float64(t.sent.Messages)/n, float64(t.sent.Merged)/n
	r.BytesRaw, r.BytesTheta = float64(t.sent.Raw)/n, float64(t.sent.Theta)/n
	r.Undecided = Proportion(undecided, r.Runs)
	if ts.judge.lost != nil {
		r.Errors, r.DecidedErrors = Proportion(wrong, r.Runs), Proportion(wrongDecided, r.Runs)
		r.TaskErrors = Shares(wrongTasks, p.V())
		r.Regret = Mean(column(scores, func(s score) float64 { return s.Regret }))
		r.RelativeRegret = Mean(column(scores, func(s score) float64 { return s.Relative }))
	}
	ts.first(&r, t.first)
	x.compare(ctx, &r, entry, model, t)
	if x.Detail {
		r.Detail = x.detail(ctx, entry, model, ts.judge.lost != nil, r.Ridge, scores, runs)
	}
	return r
}

// blank returns the result before any run: what was asked.
func (x Experiment) blank(entry algorithms.Entry) engine.Result {
	r := algorithms.Asked(entry, x.Problem, x.Options, x.Runs)
	r.Algorithm, r.Seed = x.Algorithm, x.Seed
	return r
}

// column takes one number of each score.
func column(scores []score, of func(score) float64) []float64 {
	out := make([]float64, len(scores))
	for i, s := range scores {
		out[i] = of(s)
	}
	return out
}

// unfinished fills in the run that had begun where none finished.
func (ts *Trials) unfinished(ctx context.Context, r *engine.Result, t *tally) {
	s := t.left.score
	r.SamplesPerAgent = Mean([]float64{s.Samples})
	r.SamplesTotal = s.Samples * float64(ts.x.Problem.V())
	r.Rounds, r.MaxRounds = float64(s.Rounds), s.Rounds
	sent := t.left.sent
	r.Messages, r.Bytes, r.BytesRaw, r.BytesTheta = float64(sent.Messages), float64(sent.Merged), float64(sent.Raw), float64(sent.Theta)
	r.Warnings = slices.Clone(t.left.warnings)
	ts.first(r, t.left)
	ts.x.compare(ctx, r, ts.entry, ts.model, t)
	r.RatioToLowerBound = 0 // of a run that is not over it would flatter
}

// first takes over what is shown of the first run.
func (ts *Trials) first(r *engine.Result, s *shown) {
	r.Answers = slices.Clone(s.answers)
	r.Trace, r.Eliminations, r.Estimates = s.trace, s.eliminations, s.estimates
	r.Progress, r.Remaining = slices.Clone(s.progress), s.remaining
	if ts.entry.DividedByV {
		divideByV(r)
	}
	if ts.judge.lost == nil {
		return
	}
	r.Drawn = ts.x.believed != nil
	r.Sampled = ts.x.Problem.Long != nil && !r.Drawn
	for v := range r.Answers {
		correct := ts.judge.shortfall(v, r.Answers[v].Leader) <= ts.judge.tolerance
		r.Answers[v].Best, r.Answers[v].Correct = ts.judge.best[v], &correct
	}
}

// divideByV divides predicted samples as those taken are (algorithms.Entry.DividedByV).
func divideByV(r *engine.Result) {
	agents := float64(r.Tasks)
	for v := range r.Progress {
		if s := &r.Progress[v].Samples; *s > 0 {
			*s /= agents
		}
	}
	if r.Remaining > 0 {
		r.Remaining /= agents
	}
}

// compare sets what relates the result to the theory: ridge, lower bound, guarantee,
// and warnings where the runs contradict it or are too few.
func (x Experiment) compare(ctx context.Context, r *engine.Result, entry algorithms.Entry, model *model.Model, t *tally) {
	if entry.Regression == algorithms.RegressionRidge {
		if ridge, err := model.RidgeOf(x.Mode, x.Options); err == nil {
			r.Ridge = ridge
		}
	}
	r.NormBound = x.Options.Norm * model.Unit
	if x.believed != nil && x.Problem.Mean != nil {
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnRidgeBelieved})
	}
	if x.Mode == engine.ModeFC {
		x.bound(ctx, r, entry, model)
		r.Warnings = append(r.Warnings, doubt(r.Errors, r.Delta)...)
	}
	basis := algorithms.Basis{Model: model, Options: x.Options, Algorithm: entry, Result: *r, Rejected: t.rejected()}
	if x.believed == nil { // of what measurements say nothing more is known than of an experiment
		basis.Truth = &algorithms.Truth{Drawn: x.natural}
	}
	r.Standing, r.Guarantee = basis.Guarantee()
	r.Regime = basis.Regime()
	if free, err := x.Problem.Kernel.Free(); err == nil && len(free) > 0 {
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnFree})
	}
	if x.believed == nil { // how far rewards scatter is then believed from the same data as the scales
		r.Warnings = append(r.Warnings, understated(x.Problem)...)
	}
	r.Warnings = append(r.Warnings, entry.CostWarnings(x.Problem)...)
	if x.natural {
		r.Warnings = append(r.Warnings, engine.NoiseWarnings(x.Problem)...)
	}
	r.Warnings = append(r.Warnings, x.inert(*r, entry, model)...)
}

// inert says that the kernel admits every truth, of an algorithm whose agents share in the hope that
// it rules something out; not where they have said so themselves, or go by a bound on the norm.
func (x Experiment) inert(r engine.Result, entry algorithms.Entry, m *model.Model) []engine.Warning {
	if _, bounded := entry.BoundOf(m, x.Options); bounded {
		return nil
	}
	said := slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool {
		return w.Kind == engine.WarnTestsAlone || w.Kind == engine.WarnTestsAloneMany || w.Kind == engine.WarnTestsMeans
	})
	if said || r.Mode != engine.ModeFC || !entry.Shares || !entry.Proven() || m.Problem.V() == 1 {
		return nil
	}
	return m.KernelWarnings()
}
