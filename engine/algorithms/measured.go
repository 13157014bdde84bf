package algorithms

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Measured returns the result of one run on measured rewards (problem.EnvironmentMeasured),
// finished or under way, on the model that its algorithm has now. No truth is known of them, so
// nothing is said of errors, regret or the lower bound; the guarantee names what it assumes in its
// place. Delta is what the run states after all changes of its question.
func Measured(e Entry, m *model.Model, s *engine.Steps) (engine.Result, error) {
	p := m.Problem
	if p.Noise.Environment != problem.EnvironmentMeasured {
		return engine.Result{}, fmt.Errorf("problem %q: a result of measured rewards needs the environment %q, got %q", p.Name,
			problem.EnvironmentMeasured, p.Noise.Environment)
	}
	opt, out := s.Options(), s.Outcome()
	r := Asked(e, p, opt, 1)
	r.Status, r.Unspent = out.Status, out.Unspent
	if out.Status != engine.StatusInterrupted {
		r.Runs = 1
	}
	if out.Bound > 0 {
		r.Delta = out.Bound
	}
	each := float64(out.Samples) / float64(p.V())
	r.SamplesPerAgent = engine.Interval{Mean: each, CI95: [2]float64{each, each}}
	r.SamplesTotal, r.Rounds, r.MaxRounds = float64(out.Samples), float64(len(out.Rounds)), len(out.Rounds)
	r.Answers, r.Trace, r.Eliminations = out.Answers, out.Rounds, out.Eliminations
	for v := range r.Answers {
		if r.Answers[v].Decided {
			r.DecidedTasks++
		} else {
			r.Undecided.Count = 1
		}
	}
	r.Undecided.Runs, r.Undecided.Rate, r.Undecided.CI95 = 1, float64(r.Undecided.Count), [2]float64{0, 1}
	if x, ok := s.Algorithm().(engine.Explainer); ok {
		r.Progress, r.Remaining = engine.ProgressOf(x)
	}
	if e.Regression == RegressionRidge {
		if ridge, err := m.RidgeOf(e.Mode, opt); err == nil {
			r.Ridge = ridge
		}
	}
	r.Warnings = append(out.Warnings, e.CostWarnings(p)...)
	if out.LackOfFit != nil {
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnLackOfFit, Numbers: []float64{1, 1}, LackOfFit: out.LackOfFit})
	}
	basis := Basis{Model: m, Options: opt, Algorithm: e, Result: r, Rejected: out.LackOfFit != nil}
	r.Standing, r.Guarantee = basis.Guarantee()
	r.Regime = basis.Regime()
	return r, nil
}
