package plan

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// scenario holds what is assumed of the rewards: some problems whose expected rewards are known,
// among which the runs are shared out.
type scenario struct {
	gap      float64 // 0: the problem's own rewards
	problems []*problem.Problem
	law      string // Options.Law where none is given
}

// draws is the number of choices of best arms that a gap is simulated with.
const draws = 5

// scenarios returns the known rewards, or one for each gap, and a note of what they are.
func (q Question) scenarios(ctx context.Context, p *problem.Problem) ([]scenario, []engine.Warning, error) {
	notes := engine.NoiseWarnings(p)
	gaps := q.Gaps
	if len(gaps) == 0 && p.Mean == nil && q.Options.Gap > 0 {
		gaps = []float64{q.Options.Gap}
	}
	measured := p.Noise.Environment == problem.EnvironmentPosterior // then each run draws its own rewards
	if len(gaps) == 0 && p.Mean == nil && !measured {
		if unmeasured := p.Unmeasured(); unmeasured != "" {
			return nil, nil, fmt.Errorf("%s; or give gaps, the smallest difference between best and second arm to plan for", unmeasured)
		}
		return nil, nil, errUnknown
	}
	if len(gaps) == 0 && p.N() > model.MaxRank { // more arms than any rank
		return []scenario{{problems: []*problem.Problem{p}}}, notes, nil
	}
	m, err := model.NewContext(ctx, p, q.Options.Unit)
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, m.KernelWarnings()...)
	if len(gaps) == 0 {
		return []scenario{{problems: []*problem.Problem{p}}}, notes, nil
	}
	if m, err = m.Exact(); err != nil {
		return nil, nil, err
	}
	var out []scenario
	for _, gap := range gaps {
		if !(gap > 0) || math.IsInf(gap, 0) {
			return nil, nil, fmt.Errorf("gaps must be positive numbers, got %g", gap)
		}
		if slices.ContainsFunc(out, func(s scenario) bool { return s.gap == gap }) {
			return nil, nil, fmt.Errorf("gaps must differ, got %g twice", gap)
		}
		s := scenario{gap: gap}
		if p.Noise.Bounds != nil {
			// what the bounds, which supposed takes away, would have said
			s.law = engine.LawSubGaussian
		}
		for d := range min(draws, q.Runs) {
			rng := rand.New(rand.NewPCG(q.Seed, uint64(d)))
			mean, err := leastFavourable(m, gap, rng)
			if err != nil {
				return nil, nil, err
			}
			s.problems = append(s.problems, supposed(p, mean))
		}
		out = append(out, s)
	}
	return out, append(notes, engine.Warning{Kind: engine.WarnLeastFavourable}), nil
}

// supposed returns the problem with these expected rewards, and normal noise of the problem's
// scales: reward laws with bounds or measured rewards do not fit rewards that are assumed.
func supposed(p *problem.Problem, mean []float64) *problem.Problem {
	q := *p
	q.Mean, q.Partial, q.Rewards, q.Noise.Bounds, q.Noise.Environment = mean, nil, nil, nil, problem.EnvironmentGaussian
	return &q
}

// only keeps some of the tasks; nil keeps all.
func (s scenario) only(tasks []int) scenario {
	if tasks == nil {
		return s
	}
	out := scenario{gap: s.gap, law: s.law}
	for _, p := range s.problems {
		out.problems = append(out.problems, p.Only(tasks...))
	}
	return out
}
