package reference

import (
	"context"
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// oracle is a reference that no algorithm can match. It knows the expected rewards, and therefore the best arms x* and
// the proportions of T*. It only has to show that x* is the best arm. It pulls in these proportions. It begins with the
// lower bound T* log(1/2.4δ), and adds a quarter of all pulls so far in each further round. It ends if each rival of x*
// is beaten by its confidence width
//
//	√(2‖y‖²_{A⁻¹} log((N-V)/δ_r)),  δ_r = δ/2r².
//
// The allocation never depends on the data, so the rewards of all rounds are pooled. The union bound is one-sided and
// over the N-V rivals of x*. A rival that is better than x* would be beaten with probability at most δ.
type oracle struct {
	rounds.Candidates
	opt   model.Terms
	best  []int
	start int // pulls of the first round

	round int           // number of rounds with data
	stage *rounds.Stage // the last round with data; its estimator uses all data
	next  *rounds.Stage // the planned round
	model.Pool
	estimates []float64 // estimates from all data, normalised
}

var (
	_ engine.Detailed = (*oracle)(nil)
)

// NewOracleFC returns the reference that knows θ* and samples in the proportions of the design of T*. It ignores Schedule
// and ξ. With epsilon, a rival is beaten once it is known to be at most epsilon above the best arm x*. NewOracleFC returns
// an error if the expected rewards are unknown, or if arms tie for best and epsilon is 0.
func NewOracleFC(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	best, err := m.Truth().Best()
	if err != nil {
		return nil, fmt.Errorf("%w: the samples of the oracle depend on the true means: %w", engine.ErrUnsuited, err)
	}
	d, err := m.Truth().Confirmation(0, opt.Epsilon)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", engine.ErrUnsuited, err)
	}
	a := &oracle{Candidates: rounds.NewCandidates(m.Own()), opt: opt, best: best, Pool: model.NewPool(m.Problem.N())}
	start := 2 * d.Value * math.Log(1/(2.4*opt.Delta))
	a.start = max(1, int(min(math.Ceil(start), float64(opt.MaxSamples)+1)))
	return a, nil
}

// oracleGrowth is the size of a further round relative to all pulls so far. With 1, the last round is so much too large
// that CoKernelFC can take fewer samples. Below a quarter, the union bound over more rounds costs what the smaller rounds
// save.
const oracleGrowth = 0.25

// Plan returns a round of start pulls or, after round 1, of oracleGrowth times all pulls so far.
func (a *oracle) Plan(ctx context.Context) (_ engine.Plan, err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	n := engine.PullsOf(a.Counts)
	if n == 0 {
		n = a.start
	} else {
		n = int(math.Ceil(oracleGrowth * float64(n)))
	}
	if n > a.opt.MaxSamples {
		return engine.Plan{}, engine.LimitError{Samples: float64(n)}
	}
	r := a.round + 1
	// The start and the number of the round determine all earlier pulls.
	k := canon.Key{Kind: canon.KindOracleStage, Level: a.opt.Epsilon, Pulls: a.start, Sets: [][]int{{r}}}
	stage := func() *rounds.Stage { return oracleStage(a.Model, a.opt.Epsilon, a.Counts, n) }
	a.next = try.Of(model.Remembered(a.Model, k, try.Returning(stage)))
	return a.next.Plan(r), nil
}

// oracleStage rounds the design of T* to n further pulls, or to as many more as the rounding needs. Its estimator is for
// these and the earlier pulls together.
func oracleStage(m *model.Model, epsilon float64, before []int, n int) *rounds.Stage {
	d := try.Of(m.Truth().Confirmation(0, epsilon))
	contrasts := try.Of(m.Truth().Rivals(epsilon))
	for {
		r, covered, err := m.Designs().Round(0, contrasts, d.Weights, n)
		try.To(err)
		if !covered {
			n += max(1, n/4)
			continue
		}
		all := lists.Make(len(before), func(i int) int { return before[i] + r.Counts[i] })
		return &rounds.Stage{Design: d, Rounding: r, Estimate: try.Of(model.NewEstimator(m, 0, all))}
	}
}

// Learn adds the round to the earlier data, and eliminates the rivals that are beaten.
func (a *oracle) Learn(_ context.Context, b engine.Batch) error {
	if err := rounds.CheckBatch(a.next.Plan(a.round+1), b); err != nil {
		return err
	}
	a.stage, a.next = a.next, nil
	a.round++
	a.estimates = a.stage.Estimate.Estimates(a.Add(b))
	slack := a.opt.Epsilon
	for v, first := range a.best {
		keep := a.Sets[v][:0]
		for _, i := range a.Sets[v] {
			gap, width := a.estimates[first]-a.estimates[i], a.width(i, first)
			switch {
			case i == first || gap < width-slack:
				keep = append(keep, i)
			case gap < width:
				a.Drop(a.round, i, first, gap, width, engine.RuleEpsilon)
			default:
				a.Drop(a.round, i, first, gap, width, engine.RuleInterval)
			}
		}
		a.Sets[v] = keep
	}
	return nil
}

// width returns the confidence width of the gap between rival i and the best arm, from all data so far.
func (a *oracle) width(i, first int) float64 {
	p, r := a.Model.Problem, float64(a.round)
	deltaR := a.opt.Delta / (2 * r * r)
	return math.Sqrt(2 * a.stage.Estimate.Variance(i, first) * math.Log(float64(p.N()-p.V())/deltaR))
}

// Done reports whether every rival is beaten.
func (a *oracle) Done() bool { return a.Single() }

// State implements engine.Algorithm.
func (a *oracle) State() engine.State { return engine.StateOf(a) }

// Answers returns one answer per task, decided if every rival is beaten.
func (a *oracle) Answers() []engine.Answer {
	out := make([]engine.Answer, len(a.best))
	for v, first := range a.best {
		estimate := math.NaN()
		if a.estimates != nil {
			estimate = a.estimates[first]
		}
		ans := a.Answer(v, first, estimate)
		if !ans.Decided && a.estimates == nil {
			ans.Margin = math.Inf(1)
		}
		for _, i := range a.Sets[v] {
			if i != first && a.estimates != nil {
				ans.Margin = max(ans.Margin, a.Model.Unit*(a.estimates[i]-a.estimates[first]+a.width(i, first)))
			}
		}
		out[v] = ans
	}
	return out
}

// Warnings returns warnings about rewards that the kernel cannot represent.
func (a *oracle) Warnings() []engine.Warning { return model.MisfitWarnings(a.Model, a.opt) }

// NewOracleFB returns the fixed-budget oracle, which knows θ*. It spends the budget of all agents together in one round,
// in the proportions of T* (Truth.Confirmation at ξ = 0). With known rewards these are the best proportions for a large
// budget. The answer is the arm with the largest kernelised estimate. It is a reference for what a budget can achieve, not
// a competitor.
func NewOracleFB(m *model.Model, opt model.Terms) (_ engine.Algorithm, err error) {
	defer try.Caught(&err)
	if rival, tied := m.Truth().Ties(); tied && opt.Epsilon == 0 {
		return nil, fmt.Errorf("%w: the samples of the oracle depend on the true gaps, but %s ties for best", engine.ErrUnsuited,
			m.Problem.Where(rival))
	}
	d, err := m.Truth().Confirmation(0, opt.Epsilon)
	if err != nil {
		return nil, fmt.Errorf("%w: the samples of the oracle depend on the true gaps: %w", engine.ErrUnsuited, err)
	}
	contrasts := try.Of(m.Truth().Rivals(opt.Epsilon))
	n := opt.Budget * m.Problem.V()
	k := canon.Key{Kind: canon.KindOracleRounding, Level: opt.Epsilon, Pulls: n}
	r := try.Of(model.Remembered(m, k, func() (design.Rounding, error) {
		r, _, err := m.Designs().Round(0, contrasts, d.Weights, n)
		return r, err
	}))
	return newOneRound(m, opt, canon.KindOracleEstimate, r.Counts)
}

// Hardest returns the rival of task v whose width needs the most further samples to fall below its gap.
func (a *oracle) Hardest(v int) engine.Rival {
	if a.estimates == nil {
		return a.NoData(v, a.best[v])
	}
	r, _ := a.lacking(v)
	return r
}

// Samples returns the largest number of further samples that any of these tasks needs, because all tasks are sampled until
// the last one is decided. It is NaN before any data.
func (a *oracle) Samples(tasks []int) float64 {
	if a.estimates == nil {
		return math.NaN()
	}
	return rounds.Most(tasks, func(v int) float64 {
		_, samples := a.lacking(v)
		return samples
	})
}

// lacking returns the hardest rival in task v and the further samples until it is beaten. In constant proportions, the
// width is proportional to one over the square root of the samples.
func (a *oracle) lacking(v int) (out engine.Rival, samples float64) {
	pulls := float64(engine.PullsOf(a.Counts))
	first, most := a.best[v], math.Inf(-1)
	for _, i := range a.Sets[v] {
		if i == first {
			continue
		}
		gap, sd := a.estimates[first]-a.estimates[i], math.Sqrt(a.stage.Estimate.Variance(i, first))
		slack, width := a.opt.Epsilon, a.width(i, first)
		times := width / (rounds.MedianGap(gap, sd) + slack)
		if more := max(times*times-1, oracleGrowth) * pulls; more > most {
			most = more
			out = a.Shown(i, engine.Rival{Open: len(a.Sets[v]), Gap: gap, Error: sd, Statistic: gap + slack, Threshold: width})
		}
	}
	return out, math.Ceil(most)
}
