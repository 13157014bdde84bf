package published

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// sampling is the sampling rule of a fixed-confidence algorithm.
type sampling interface {
	// next returns the part and the position of the arm to pull next. draft[part][position] is the number of pulls planned
	// so far in this round.
	next(draft [][]float64) (part, arm int)
	// start returns the arms that are pulled once before the first call of next, as pairs of part and position.
	start() [][2]int
}

// sequential is a fixed-confidence algorithm that chooses one pull at a time. With Options.Batch it chooses several pulls
// before it sees their rewards. Equal arms of several agents count as one arm, which the agents pull in turn.
type sequential struct {
	rounds.Candidates
	*evidence
	rule      sampling
	initial   [][2]int // pulls of the start that were not made yet
	round     int
	planned   engine.Plan
	counts    []int     // N: pulls so far
	estimates []float64 // N: estimates that determine leaders, normalised; nil means least squares
	over      bool
}

var (
	_ engine.Detailed = (*sequential)(nil)
	_ engine.Amender  = (*sequential)(nil)
)

// tie is the relative difference, or the difference in pulls, below which the first of two arms is chosen. Builds with
// different rounding errors then choose the same arms.
const tie = 1e-9

// mostRounds is the default of Options.MaxRounds.
const mostRounds = 1e7

// newSequential returns an algorithm without a sampling rule.
func newSequential(m *model.Model, opt model.Terms) (*sequential, error) {
	if opt.Misfit > 0 {
		return nil, engine.ErrNoMisfit
	}
	if m.Cut() {
		return nil, fmt.Errorf("%w: the algorithm needs exact features, but the kernel's rank on these arms is above %d", engine.ErrUnsuited,
			model.MaxRank)
	}
	m = m.Own()
	e, err := newEvidence(m, opt)
	if err != nil {
		return nil, err
	}
	a := &sequential{Candidates: rounds.NewCandidates(m), evidence: e, counts: make([]int, m.Problem.N())}
	for _, pair := range a.merged {
		a.Drop(0, pair[0], pair[1], 0, 0, engine.RuleSame)
		v := m.Problem.TaskOf[pair[0]]
		a.Sets[v] = slices.DeleteFunc(a.Sets[v], func(i int) bool { return i == pair[0] })
	}
	a.over = a.Single()
	return a, nil
}

// begin sets the sampling rule and returns the algorithm.
func (a *sequential) begin(rule sampling) engine.Algorithm {
	a.rule = rule
	a.initial = rule.start()
	return a
}

// MaxRounds implements engine.Detailed.
func (a *sequential) MaxRounds() int { return mostRounds }

// Plan returns the pulls of one batch. The pulls of the start come first.
func (a *sequential) Plan(ctx context.Context) (_ engine.Plan, err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	counts := make([]int, a.Model.Problem.N())
	draft := make([][]float64, len(a.parts))
	for k, p := range a.parts {
		draft[k] = make([]float64, len(p.arms))
	}
	take := func(k, i int) {
		draft[k][i]++
		least := a.parts[k].copies[i][0]
		for _, j := range a.parts[k].copies[i] {
			if a.counts[j]+counts[j] < a.counts[least]+counts[least] {
				least = j
			}
		}
		counts[least]++
	}
	missing := a.missing()
	for n := range max(1, a.opt.Batch) {
		switch {
		case n < len(missing):
			take(missing[n][0], missing[n][1])
		case len(missing) == 0:
			take(a.rule.next(draft))
		}
	}
	a.planned = engine.Plan{Round: a.round + 1, Counts: counts}
	return a.planned, nil
}

// missing returns the arms of the start that have no pulls yet.
func (a *sequential) missing() (out [][2]int) {
	for _, at := range a.initial {
		if a.parts[at[0]].counts[at[1]] == 0 {
			out = append(out, at)
		}
	}
	if len(out) == 0 {
		a.initial = nil
	}
	return out
}

// Amend replaces the counts of the planned round. The test is valid for any pulls that are chosen before their rewards.
func (a *sequential) Amend(counts []int) error {
	a.planned.Counts = counts
	return nil
}

// Learn adds the rewards and tests all leaders. If all are separated from their rivals, the run is over.
func (a *sequential) Learn(_ context.Context, b engine.Batch) error {
	if err := rounds.CheckBatch(a.planned, b); err != nil {
		return err
	}
	a.planned = engine.Plan{}
	a.round++
	for i, c := range b.Counts {
		a.counts[i] += c
	}
	a.learn(b)
	if !a.evidence.measured() {
		return nil
	}
	a.over = true
	for _, p := range a.parts {
		if a.over = a.leadersSeparated(p); !a.over {
			break
		}
	}
	if a.over {
		a.close()
	}
	return nil
}

// close eliminates all arms except the leaders.
func (a *sequential) close() {
	for v := range a.Sets {
		first := a.leaderOf(v)
		for _, i := range a.Sets[v] {
			if i == first {
				continue
			}
			p := a.parts[a.taskPart[v]]
			gap := p.mean[a.position[first][1]] - p.mean[a.position[i][1]]
			rule, width := engine.RuleInterval, a.width(v, first, i)
			if gap < width {
				rule = engine.RuleEpsilon
			}
			a.Drop(a.round, i, first, gap, width, rule)
		}
		a.Sets[v] = []int{first}
	}
}

// leaderOf returns the arm of task v with the largest estimate; the first arm before any estimate.
func (a *sequential) leaderOf(v int) int {
	if a.estimates != nil {
		return rounds.Leader(a.Sets[v], a.estimates)
	}
	p := a.parts[a.taskPart[v]]
	best := a.Sets[v][0]
	if !p.measured {
		return best
	}
	for _, i := range a.Sets[v] {
		if p.mean[a.position[i][1]] > p.mean[a.position[best][1]] {
			best = i
		}
	}
	return best
}

// width returns the half-width of the confidence interval of the gap between arms i and j of task v, normalised.
func (e *evidence) width(v, i, j int) float64 {
	p := e.parts[e.taskPart[v]]
	_, size := e.statistic(p, e.position[i][1], e.position[j][1])
	return math.Sqrt(2 * size * e.threshold(p))
}

// State implements engine.Algorithm.
func (a *sequential) State() engine.State { return engine.StateOf(a) }

// Done reports whether all leaders are separated from their rivals.
func (a *sequential) Done() bool { return a.over }

// Answers returns one answer per task. In an unfinished run, a task is decided if its leader is separated from all rivals.
func (a *sequential) Answers() []engine.Answer {
	out := make([]engine.Answer, len(a.Sets))
	for v, set := range a.Sets {
		p := a.parts[a.taskPart[v]]
		if a.pulls == 0 || !p.measured {
			out[v] = a.Answer(v, a.leaderOf(v), math.NaN())
			if len(set) > 1 {
				out[v].Margin = math.Inf(1)
			}
			continue
		}
		first := a.leaderOf(v)
		open := a.open(v, first)
		ans := engine.Answer{Task: a.Model.Problem.Tasks.Names[v], Leader: a.Model.Problem.Arms.Names[first],
			Estimate: p.mean[a.position[first][1]] * a.Model.Unit}
		if ans.Decided = len(open) == 0; ans.Decided {
			ans.Arm = ans.Leader
		} else {
			for _, i := range set {
				if i == first || slices.Contains(open, i) {
					ans.Candidates = append(ans.Candidates, a.Model.Problem.Arms.Names[i])
				}
			}
		}
		for _, i := range open {
			gap := p.mean[a.position[first][1]] - p.mean[a.position[i][1]]
			ans.Margin = max(ans.Margin, (a.width(v, first, i)-gap)*a.Model.Unit)
		}
		out[v] = ans
	}
	return out
}

// open returns the rivals in task v from which its leader is not separated.
func (a *sequential) open(v, first int) (out []int) {
	p := a.parts[a.taskPart[v]]
	beta := a.threshold(p)
	for _, i := range a.Sets[v] {
		if z, _ := a.statistic(p, a.position[first][1], a.position[i][1]); i != first && !(z >= beta) {
			out = append(out, i)
		}
	}
	return out
}

// Warnings returns warnings about rewards that the kernel cannot represent.
func (a *sequential) Warnings() []engine.Warning { return model.MisfitWarnings(a.Model, a.opt) }

// Hardest returns the rival of task v whose statistic needs the most further pulls.
func (a *sequential) Hardest(v int) engine.Rival {
	if p := a.parts[a.taskPart[v]]; a.pulls == 0 || !p.measured {
		return a.NoData(v, a.leaderOf(v))
	}
	r, _ := a.lacking(v)
	return r
}

// Samples returns the largest number of further pulls that any of these tasks needs; NaN before all arms have estimates.
func (a *sequential) Samples(tasks []int) float64 {
	if a.pulls == 0 || !a.evidence.measured() {
		return math.NaN()
	}
	return rounds.Most(tasks, func(v int) float64 {
		_, samples := a.lacking(v)
		return samples
	})
}

// lacking returns the rival in task v that needs the most further pulls, and this number. The statistic grows linearly in
// the pulls.
func (a *sequential) lacking(v int) (out engine.Rival, samples float64) {
	p, first := a.parts[a.taskPart[v]], a.leaderOf(v)
	open, beta, most := a.open(v, first), a.threshold(p), math.Inf(-1)
	for _, i := range open {
		gap := p.mean[a.position[first][1]] - p.mean[a.position[i][1]]
		variance, _ := p.contrast(a.position[first][1], a.position[i][1])
		z, size := a.statistic(p, a.position[first][1], a.position[i][1])
		lead := rounds.MedianGap(gap, math.Sqrt(variance)) + a.opt.Epsilon
		if more := float64(a.pulls) * max(0, 2*beta*size/(lead*lead)-1); more > most || math.IsInf(most, -1) {
			most = more
			out = a.Shown(i, engine.Rival{Open: len(open) + 1, Gap: gap, Error: math.Sqrt(variance), Statistic: math.Sqrt(z),
				Threshold: math.Sqrt(beta)})
		}
	}
	return out, math.Max(1, math.Ceil(most))
}
