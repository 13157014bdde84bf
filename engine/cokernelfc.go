package engine

import (
	"fmt"
	"math"
)

// CoKernelFC is [Du23, Alg. 1]: fixed confidence, by elimination in rounds.
type CoKernelFC struct {
	candidates
	opt   Options
	ridge float64 // ξ
	norm  float64 // bound on ‖θ*‖, normalised

	round     int
	stage     *stage
	estimates []float64 // of the last round, normalised
	latest    []float64 // per arm: of the last round its task was open in, normalised; NaN before any
	margins   []float64 // per task: certified bound on best - leader, normalised
}

var _ Algorithm = (*CoKernelFC)(nil)

// NewCoKernelFC prepares Algorithm 1 on a model [Du23, Alg. 1, l. 1-2].
func NewCoKernelFC(m *Model, opt Options) (*CoKernelFC, error) {
	opt, err := opt.withDefaults(ModeFC)
	if err != nil {
		return nil, err
	}
	ridge, err := m.Ridge(ModeFC, opt)
	if err != nil {
		return nil, err
	}
	norm, err := m.normBound(opt, ridge)
	if err != nil {
		return nil, err
	}
	a := &CoKernelFC{candidates: newCandidates(m), opt: opt, ridge: ridge, norm: norm}
	a.margins = make([]float64, m.Problem.V())
	for v, set := range a.alive {
		if len(set) > 1 {
			a.margins[v] = math.Inf(1)
		}
	}
	a.latest = make([]float64, m.Problem.N())
	for i := range a.latest {
		a.latest[i] = math.NaN()
	}
	return a, nil
}

// logTerm is log(2n²V/δ_r) with δ_r = δ/2r² [Du23, Alg. 1, l. 2, 5].
func (a *CoKernelFC) logTerm(r int) float64 {
	deltaR := a.opt.Delta / (2 * float64(r) * float64(r))
	return math.Log(2 * a.model.Problem.PairCount() / deltaR)
}

// RoundSamples is N^(r) [Du23, Alg. 1, l. 5] for a design of value rho, before
// the maximum with τ.
func RoundSamples(schedule string, round int, rho, logTerm float64) float64 {
	scale := math.Pow(4, float64(round)) * rho * logTerm
	if schedule == SchedulePaper {
		return math.Ceil(32 * (1 + RoundingEpsilon) * (1 + RoundingEpsilon) * scale)
	}
	return math.Ceil(2 * (1 + RoundingEpsilon) * scale)
}

// Plan chooses the round's pulls [Du23, Alg. 1, l. 4-7].
func (a *CoKernelFC) Plan() (Plan, error) {
	r := a.round + 1
	d, err := a.model.Design(a.ridge, a.alive) // l. 4
	if err != nil {
		return Plan{}, err
	}
	n := RoundSamples(a.opt.Schedule, r, d.Value, a.logTerm(r)) // l. 5
	if n > float64(a.opt.MaxSamples) {
		return Plan{}, errLimit{samples: n}
	}
	a.stage, err = a.model.atLeast(a.ridge, a.alive, max(1, int(n))) // l. 5-6
	if err != nil {
		return Plan{}, err
	}
	a.round = r
	return a.stage.plan(r), nil
}

// errLimit says that a round would need more samples than any limit allows.
type errLimit struct{ samples float64 }

func (e errLimit) Error() string {
	return fmt.Sprintf("the next round needs %.3g samples, more than max_samples", e.samples)
}

// Learn estimates all rewards and discards arms [Du23, Alg. 1, l. 11-15].
func (a *CoKernelFC) Learn(b Batch) error {
	if a.stage == nil {
		return fmt.Errorf("learn was called before plan")
	}
	if err := learned(a.stage.plan(a.round), b); err != nil {
		return err
	}
	a.estimates = a.stage.estimate.Estimates(b.Means) // l. 13, as rewards
	for v := range a.alive {
		if len(a.alive[v]) > 1 {
			for _, i := range a.alive[v] {
				a.latest[i] = a.estimates[i]
			}
			a.eliminate(v)
			a.settle(v)
		}
	}
	return nil
}

// eliminate applies line 14 to task v: every arm that some rival of the same
// set beats by the threshold goes.
func (a *CoKernelFC) eliminate(v int) {
	var keep []int
	for _, i := range a.alive[v] {
		rival, gap, width := a.strongestRival(v, i)
		// Arms that the kernel cannot tell apart have gap and width 0: the first stays.
		if gap >= width && (gap > 0 || rival < i) {
			a.drop(a.round, i, rival, gap, width, a.rule())
			continue
		}
		keep = append(keep, i)
	}
	a.alive[v] = keep
}

func (a *CoKernelFC) rule() string {
	if a.opt.Schedule == SchedulePaper {
		return rulePaper
	}
	return ruleInterval
}

// strongestRival returns the rival of arm i whose estimated gap exceeds its
// threshold by most, with both.
func (a *CoKernelFC) strongestRival(v, i int) (rival int, gap, width float64) {
	rival, gap, width = i, 0, math.Inf(1)
	most := math.Inf(-1)
	for _, j := range a.alive[v] {
		if j == i {
			continue
		}
		g, w := a.estimates[j]-a.estimates[i], a.width(i, j)
		if g-w > most {
			most, rival, gap, width = g-w, j, g, w
		}
	}
	return rival, gap, width
}

// width is the threshold of line 14: 2^-r, or in the tuned schedule the
// half-width √(2‖y‖²_{A⁻¹} log(2n²V/δ_r)) plus the bias of regularisation, both
// of which hold for all pairs and rounds at once with probability 1 - δ
// [Du23, Lemma 1 before its step (a)].
func (a *CoKernelFC) width(i, j int) float64 {
	if a.opt.Schedule == SchedulePaper {
		return math.Pow(2, -float64(a.round))
	}
	e := a.stage.estimate
	return math.Sqrt(2*e.Variance(i, j)*a.logTerm(a.round)) + e.Bias(i, j, a.norm)
}

// settle bounds how far the leader of task v can be below the best arm, and
// gives the PAC answer when that is within epsilon: 2^(1-r) for the literal
// schedule [Du23, Lemma 2], the largest upper confidence bound of a rival for
// the tuned one.
func (a *CoKernelFC) settle(v int) {
	first := leader(a.alive[v], a.estimates)
	margin := 0.0
	for _, i := range a.alive[v] {
		if i != first {
			margin = max(margin, a.estimates[i]-a.estimates[first]+a.width(i, first))
		}
	}
	if a.opt.Schedule == SchedulePaper && len(a.alive[v]) > 1 {
		margin = math.Pow(2, 1-float64(a.round))
	}
	a.margins[v] = margin
	if len(a.alive[v]) > 1 && a.opt.Epsilon > 0 && margin <= a.opt.Epsilon/a.model.Unit {
		for _, i := range a.alive[v] {
			if i != first {
				a.drop(a.round, i, first, a.estimates[first]-a.estimates[i], margin, ruleEpsilon)
			}
		}
		a.alive[v] = []int{first}
	}
}

// Done tells whether every task has one arm left [Du23, Alg. 1, l. 16].
func (a *CoKernelFC) Done() bool { return a.single() }

// Answers returns the best arms, or the candidates of undecided tasks.
func (a *CoKernelFC) Answers() []Answer {
	out := make([]Answer, len(a.alive))
	for v, set := range a.alive {
		// A decided task is not sampled any more, so its estimate is of the round
		// that decided it.
		first := leader(set, a.latest)
		ans := a.answer(v, first, a.latest[first])
		ans.Margin = a.margins[v] * a.model.Unit
		if len(set) == 1 {
			ans.Decided, ans.Arm = true, ans.Leader
		}
		out[v] = ans
	}
	return out
}

// Warnings has the conditions of the guarantee that are known not to hold.
func (a *CoKernelFC) Warnings() []string { return a.model.ridgeWarnings(ModeFC, a.opt, a.ridge) }
