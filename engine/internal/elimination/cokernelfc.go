package elimination

import (
	"context"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// CoKernelFC is [Du23, Alg. 1]: fixed confidence, with elimination in rounds. Its allocation is optimal for the open pairs
// of all tasks together. The loop over rounds is Run; a round is Plan, the agents' pulls, and Learn.
type CoKernelFC struct{ *elimination }

// NewCoKernelFC returns Algorithm 1 on a model [Du23, Alg. 1, l. 1-2].
func NewCoKernelFC(m *model.Model, opt model.Terms) (CoKernelFC, error) {
	m, err := byValues(m)
	if err != nil {
		return CoKernelFC{}, err
	}
	e, err := newElimination(m, opt, joint{shared()})
	if err == nil && m.Many() && e.opt.Schedule == engine.ScheduleTuned && e.opt.Ridge.Kind == engine.RidgeAuto {
		e.resolution = newResolution(e)
	}
	return CoKernelFC{e}, err
}

// elimination is Algorithm 1 with a method for the steps in which variants differ. A round allocates, pulls and estimates,
// and eliminates every arm that a rival of its task beats by the threshold. IndRAGE, IndALBA and others use it on models
// of one task.
type elimination struct {
	rounds.Candidates
	own   method
	opt   model.Terms
	ridge float64 // ξ
	bound model.Bound
	// with very many arms, chooses ξ for each round; nil if ξ is fixed
	resolution *resolution

	round int
	planned
	last      planned   // the round of the latest estimates
	estimates []float64 // estimates of the last round, normalised
	// N: estimate from the last round in which the arm's task was open, normalised; NaN before any
	latest  []float64
	margins []float64 // per task: certified bound on best - leader, normalised
}

// planned holds the numbers that the plan of a round fixes.
type planned struct {
	step    int     // s: 4^s scales the pulls and 2^-s is the literal threshold
	logTerm float64 // log(2n²V/δ_r) of the round
	stage   *rounds.Stage
}

// A method holds the steps in which elimination algorithms differ.
type method interface {
	allocator
	// confidence returns the step s of the next round and its error probability δ_r. The sum of δ_r over all rounds must
	// be at most δ.
	confidence(e *elimination) (s int, deltaR float64)
	// cut eliminates arms of task v from the latest estimates.
	cut(e *elimination, v int)
}

// joint is the method of Alg. 1, with any allocation.
type joint struct{ allocation }

// confidence gives round r the share δ_r = δ/2r² [Du23, Alg. 1, l. 2].
func (joint) confidence(e *elimination) (s int, deltaR float64) {
	r := e.round + 1
	return r, e.opt.Delta / (2 * float64(r) * float64(r))
}

// cut applies line 14 of Alg. 1.
func (joint) cut(e *elimination, v int) { e.eliminate(v) }

var (
	_ engine.Detailed = (*elimination)(nil)
	_ engine.Amender  = (*elimination)(nil)
)

// newElimination returns an elimination with this method [Du23, Alg. 1, l. 1-2].
func newElimination(m *model.Model, opt model.Terms, own method) (_ *elimination, err error) {
	defer try.Caught(&err)
	if opt.Misfit > 0 {
		return nil, engine.ErrNoMisfit
	}
	if opt.Ridge.Kind == "" {
		opt.Ridge.Kind = engine.RidgeAuto // models with many arms have their own form
	}
	m = m.Own()
	ridge := try.Of(m.Designs().Ridge(engine.ModeFC, opt))
	bound := try.Of(m.Designs().NormBound(opt, ridge))
	e := &elimination{Candidates: rounds.NewCandidates(m), own: own, opt: opt, ridge: ridge, bound: bound}
	e.margins = make([]float64, m.Problem.V())
	for v, set := range e.Sets {
		if len(set) > 1 {
			e.margins[v] = math.Inf(1)
		}
	}
	e.latest = slices.Repeat([]float64{math.NaN()}, m.Problem.N())
	return e, nil
}

// Plan returns the pulls of the next round [Du23, Alg. 1, l. 4-7].
func (e *elimination) Plan(ctx context.Context) (_ engine.Plan, err error) {
	defer try.Caught(&err)
	defer e.Model.During(ctx)()
	s, deltaR := e.own.confidence(e) // l. 2
	if e.resolution != nil {
		s = e.resolution.refine(e, s)
	}
	logTerm := math.Log(2 * e.Model.Problem.PairCount() / deltaR)
	d := e.own.design(e.Model, e.ridge, e.Sets)               // l. 4
	n := e.samples(s, designValue(d), logTerm)                // l. 5
	st := coveredStage(e.own, e.Model, e.ridge, e.Sets, d, n) // l. 5, τ; l. 6
	e.round++
	e.planned = planned{step: s, logTerm: logTerm, stage: st}
	return st.Plan(e.round), nil // l. 7
}

// samples returns RoundSamples as an integer of at least 1. It fails with a LimitError if the number exceeds MaxSamples.
func (e *elimination) samples(step int, rho, logTerm float64) int {
	n := RoundSamples(e.opt.Schedule, step, rho, logTerm)
	if n > float64(e.opt.MaxSamples) {
		try.To(engine.LimitError{Samples: n})
	}
	return max(1, int(n))
}

// RoundSamples returns N^(r) of [Du23, Alg. 1, l. 5] without the maximum with τ. round is the step s, and rho the value of
// the design.
func RoundSamples(schedule string, round int, rho, logTerm float64) float64 {
	scale := math.Pow(4, float64(round)) * rho * logTerm
	if schedule == engine.SchedulePaper {
		return math.Ceil(32 * (1 + engine.RoundingEpsilon) * (1 + engine.RoundingEpsilon) * scale)
	}
	return math.Ceil(2 * (1 + engine.RoundingEpsilon) * scale)
}

// Learn estimates all rewards and eliminates arms [Du23, Alg. 1, l. 11-15].
func (e *elimination) Learn(_ context.Context, b engine.Batch) error {
	if err := rounds.CheckBatch(e.stage.Plan(e.round), b); err != nil || b.Empty() {
		return err // nil if Amend has set all counts to 0
	}
	e.estimates = e.stage.Estimate.Estimates(b.Means) // l. 11-13, as rewards
	e.last = e.planned
	for v := range e.Sets {
		if len(e.Sets[v]) > 1 {
			for _, i := range e.Sets[v] {
				e.latest[i] = e.estimates[i]
			}
			e.own.cut(e, v) // l. 14
			e.boundMargin(v)
		}
	}
	return nil
}

// eliminate applies line 14 to task v: it eliminates every arm that some rival of the same set beats by the threshold.
func (e *elimination) eliminate(v int) {
	var keep []int
	rivals := rounds.Strongest(e.Model, e.Sets[v], e.estimates)
	for _, i := range e.Sets[v] {
		rival, gap, width := e.strongestRival(rivals, i)
		// arms with equal features have gap and width 0: keep only the first
		if gap >= width && (gap > 0 || rival < i) {
			e.Drop(e.round, i, rival, gap, width, e.rule())
			continue
		}
		keep = append(keep, i)
	}
	e.Sets[v] = keep
}

func (e *elimination) rule() engine.Rule {
	if e.opt.Schedule == engine.SchedulePaper {
		return engine.RulePaper
	}
	return engine.RuleInterval
}

// strongestRival returns the rival whose estimate exceeds that of arm i by the most beyond the threshold, with its gap and
// threshold.
func (e *elimination) strongestRival(rivals []int, i int) (rival int, gap, width float64) {
	rival, gap, width = i, 0, math.Inf(1)
	most := math.Inf(-1)
	for _, j := range rivals {
		if j == i {
			continue
		}
		if g, w := e.estimates[j]-e.estimates[i], e.width(i, j); g-w > most {
			most, rival, gap, width = g-w, j, g, w
		}
	}
	return rival, gap, width
}

// width returns the threshold of line 14 for the pair (i, j). The literal schedule uses 2^-s. The tuned schedule uses the
// half-width √(2‖y‖²_{A⁻¹} log(2n²V/δ_r)) plus the bias of regularisation. Both are valid for all pairs and rounds
// together with probability 1 - δ [Du23, Lemma 1 before its step (a)].
func (e *elimination) width(i, j int) float64 {
	if e.opt.Schedule == engine.SchedulePaper {
		return math.Pow(2, -float64(e.step))
	}
	est := e.stage.Estimate
	return math.Sqrt(2*est.Variance(i, j)*e.logTerm) + est.Bias(i, j, e.bound)
}

// boundMargin sets an upper bound on how far the leader of task v is below the best arm. The bound is 2^(1-s) for the
// literal schedule [Du23, Lemma 2]. For the tuned schedule it is the largest upper confidence bound of a rival. If the
// bound is at most epsilon, the task is decided for the leader.
func (e *elimination) boundMargin(v int) {
	first := rounds.Leader(e.Sets[v], e.estimates)
	margin := 0.0
	for _, i := range e.Sets[v] {
		if i != first {
			margin = max(margin, e.estimates[i]-e.estimates[first]+e.width(i, first))
		}
	}
	if e.opt.Schedule == engine.SchedulePaper && len(e.Sets[v]) > 1 {
		margin = math.Pow(2, 1-float64(e.step))
	}
	e.margins[v] = margin
	if len(e.Sets[v]) > 1 && e.opt.Epsilon > 0 && margin <= e.opt.Epsilon {
		for _, i := range e.Sets[v] {
			if i != first {
				e.Drop(e.round, i, first, e.estimates[first]-e.estimates[i], margin, engine.RuleEpsilon)
			}
		}
		e.Sets[v] = []int{first}
	}
}

// Done reports whether every task has one candidate left [Du23, Alg. 1, l. 16].
func (e *elimination) Done() bool { return e.Single() }

// State implements engine.Algorithm.
func (e *elimination) State() engine.State { return engine.StateOf(e) }

// Answers returns one answer per task: the best arm, or the candidates if the task is undecided.
func (e *elimination) Answers() []engine.Answer {
	out := make([]engine.Answer, len(e.Sets))
	for v, set := range e.Sets {
		// a decided task is no longer sampled: its estimate is from the round that decided it
		first := rounds.Leader(set, e.latest)
		out[v] = e.Answer(v, first, e.latest[first])
		out[v].Margin = e.margins[v] * e.Model.Unit
	}
	return out
}

// Warnings returns the conditions of the guarantee that do not hold.
func (e *elimination) Warnings() []engine.Warning {
	return e.Model.Designs().RidgeWarnings(engine.ModeFC, e.opt, e.ridge)
}

// NoiseCheck returns a test whether stated noise scales are large enough; nil if none are stated.
func (e *elimination) NoiseCheck() engine.NoiseCheck {
	if n := e.Model.Problem.Noise; n.Bounds != nil || n.UnknownBy != "" || n.Estimated() {
		return nil
	}
	return engine.NewNoiseCheck(e.Model.Problem, nil)
}

// FitCheck returns a test of the kernel. It is nil for very many arms, which have no features to test.
func (e *elimination) FitCheck() engine.FitCheck {
	if e.Model.Many() {
		return nil
	}
	return model.NewFitCheck(e.Model, 0)
}
