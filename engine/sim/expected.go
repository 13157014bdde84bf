package sim

import (
	"context"
	"math"

	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// Expected returns about how many samples an agent takes whose algorithm follows a schedule (Entry.Scheduled), where the
// expected rewards are known: the pulls of its first round, fourfold in each round until gaps of the smallest gap, or
// of epsilon, are told apart. It is 0 for others, and of the order of magnitude only: later designs are of fewer arms.
func (x Experiment) Expected(ctx context.Context) (float64, error) {
	entry, err := algorithms.Named(x.Mode, x.Algorithm)
	if err != nil || !entry.Scheduled || x.Problem.Mean == nil {
		return 0, err
	}
	m, err := model.NewContext(ctx, x.Problem, x.Options.Unit)
	if err != nil {
		return 0, err
	}
	if x.Memory != nil {
		m.Share(x.Memory)
	}
	gap, err := m.DeltaMin()
	if err != nil {
		return 0, err
	}
	if gap = math.Max(gap, x.Options.Epsilon/m.Unit); !(gap > 0) {
		return math.Inf(1), nil
	}
	alg, err := entry.New(m, x.Options)
	if err != nil {
		return 0, err
	}
	plan, err := alg.Plan()
	if err != nil {
		return 0, err
	}
	rounds := math.Max(1, math.Ceil(-math.Log2(gap)))
	return float64(plan.Pulls()) * (math.Pow(4, rounds) - 1) / 3 / float64(x.Problem.V()), nil
}
