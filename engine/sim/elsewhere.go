package sim

import (
	"context"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Kept collects what the algorithm of a run that is made elsewhere makes of every arm after each round,
// as Experiment.Estimates does for runs that are made here.
type Kept struct {
	problem *problem.Problem
	alg     engine.Algorithm
	keeper  *keeper
}

// KeepEstimates returns a Kept of no rounds. The problem is the one of the user, with the expected
// rewards that it may have.
func KeepEstimates(p *problem.Problem) *Kept { return &Kept{problem: p} }

// Learned takes in a round; it is called after each, with the same steps.
func (k *Kept) Learned(s *engine.Steps) {
	if k.alg == nil {
		k.alg = s.Algorithm()
		if a, able := k.alg.(engine.Estimating); able {
			k.keeper = keepEstimates(nil, a, k.problem)
		}
	}
	if k.keeper == nil {
		return
	}
	k.keeper.rounds++
	if k.keeper.rounds%k.keeper.stride == 0 {
		k.keeper.keep()
	}
}

// Estimates returns what was kept; nil where there were no rounds or the algorithm estimates nothing.
func (k *Kept) Estimates() *engine.Estimates {
	if k.keeper == nil {
		return nil
	}
	return k.keeper.finish()
}

// Complete adds to the result of one run of the experiment whose rewards were measured elsewhere
// (algorithms.Measured) what Run says beside a result: where the problem has expected rewards, whether
// the answers are right and what the lower bound is, and in any case what is to be said of the
// kernel. What backs the answers stays as it is: expected rewards of a table are not what was
// measured.
func (x Experiment) Complete(ctx context.Context, r engine.Result) (engine.Result, error) {
	entry, err := x.entry()
	if err != nil {
		return r, err
	}
	m, err := model.NewContext(ctx, x.Problem, x.Options.Unit)
	if err != nil {
		return r, err
	}
	if x.Memory != nil {
		m.Share(x.Memory)
	}
	// means of measurements are no truth by which others could be judged
	if x.Problem.Mean != nil && x.Problem.Noise.Environment != problem.EnvironmentPosterior {
		x.judged(&r, newJudge(x, x.Problem, entry))
	}
	if r.Runs == 1 {
		r.Undecided = Proportion(r.Undecided.Count, 1)
	}
	r.NormBound = x.Options.Norm * m.Unit
	if x.Mode == engine.ModeFC {
		x.bound(ctx, &r, entry, m)
		r.Warnings = append(r.Warnings, doubt(r.Errors, r.Delta)...)
	}
	if r.Runs == 0 {
		r.RatioToLowerBound = 0 // of a run that is not over it would flatter
	}
	if free, err := x.Problem.Kernel.Free(); err == nil && len(free) > 0 {
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnFree})
	}
	r.Warnings = append(r.Warnings, x.inert(r, entry, m)...)
	return r, nil
}

// judged compares the answers with the best arms of the tasks.
func (x Experiment) judged(r *engine.Result, j judge) {
	r.Answers = slices.Clone(r.Answers)
	for v := range r.Answers {
		correct := j.shortfall(v, r.Answers[v].Leader) <= j.tolerance
		r.Answers[v].Best, r.Answers[v].Correct = j.best[v], &correct
	}
	if r.Runs == 0 {
		return
	}
	s := j.score(&engine.Outcome{Status: r.Status, Samples: int(r.SamplesTotal), Answers: r.Answers})
	r.DecidedErrors = Proportion(count(s.WrongDecided), 1)
	r.Errors, r.TaskErrors = Proportion(count(s.Wrong), 1), Shares([]int{s.WrongTasks}, x.Problem.V())
	r.Regret, r.RelativeRegret = Mean([]float64{s.Regret}), Mean([]float64{s.Relative})
}
