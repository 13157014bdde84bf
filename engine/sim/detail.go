package sim

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// detail lays the scores out run by run, with what theory predicts of the speedup.
func (x Experiment) detail(ctx context.Context, entry algorithms.Entry, model *model.Model, known bool, ridge float64, scores []score,
	runs []int) *engine.Detail {
	d := &engine.Detail{Run: runs, Samples: column(scores, func(s score) float64 { return s.Samples })}
	for _, s := range scores {
		d.Rounds = append(d.Rounds, s.Rounds)
		d.Undecided = append(d.Undecided, s.Undecided)
		if known {
			d.Wrong = append(d.Wrong, s.Wrong)
			d.WrongTasks = append(d.WrongTasks, s.WrongTasks)
			d.Regret = append(d.Regret, s.Regret)
		}
	}
	if rank, err := bounds.RankTask(ctx, x.Problem); err == nil {
		d.TaskRank = rank
	}
	if x.Mode == engine.ModeFC && x.Problem.N() <= predictedArms {
		d.Speedup = x.hardnessSpeedup(ctx, model, ridge)
	}
	literal := x.Mode == engine.ModeFB || x.Options.Schedule == engine.SchedulePaper
	if entry.Theorem != "" && literal && x.Problem.N() <= predictedArms {
		d.Theorem = x.theorem(ctx, model)
	}
	return d
}

// theorem returns what the paper's theorem about the algorithm promises; 0 where it cannot be
// evaluated.
func (x Experiment) theorem(ctx context.Context, model *model.Model) float64 {
	b, err := bounds.Of(ctx, model, x.Options)
	switch {
	case err != nil:
		return 0
	case x.Mode == engine.ModeFB:
		return b.Theorem.FB
	}
	return b.Theorem.FC
}

// hardnessSpeedup returns Σ_v ρ*_v(ξ) / ρ*(ξ): how much harder the tasks are one by one than
// together, at the same ridge. 0 when the expected rewards are unknown, two arms tie for best, or a
// design fails.
func (x Experiment) hardnessSpeedup(ctx context.Context, m *model.Model, ridge float64) float64 {
	together, err := m.Hardness(ridge, x.Options.Epsilon)
	if err != nil || !(together.Value > 0) {
		return 0
	}
	sum := 0.0
	for v := range m.Problem.V() {
		alone, err := model.NewContext(ctx, m.Problem.Only(v), m.Unit)
		if err != nil {
			return 0
		}
		d, err := alone.Share(x.Memory).Hardness(ridge, x.Options.Epsilon)
		if err != nil {
			return 0
		}
		sum += d.Value
	}
	return sum / together.Value
}
