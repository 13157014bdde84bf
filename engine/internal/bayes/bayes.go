package bayes

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// coBayes is CoBayesFC. The prior covariance of the expected rewards is the kernel times a scale, plus an independent
// part of each arm, in squared reward units. Scale and part are unknown, so the posterior is averaged over both
// (model.Mixture). For task v let
//
//	r_v = P(some μ_x - μ_leader > ε | all data)
//
// at the time when the task is closed. Tasks are closed in ascending order of r_v, as long as the sum of r_v over closed
// tasks is at most δ times their share of all tasks. At the end the sum is therefore at most δ. Open tasks may use what
// easier tasks left over, and a given answer stays. Under the prior, the probability that some answer is wrong is at
// most δ for any choice of pulls, because r_v is a probability given all data. It is not an error probability over the
// data of a fixed instance.
//
// The kernel may decide about arms without pulls only if left-out data support it (see leastExplained). Otherwise a task
// stays open until each of its arms was pulled.
//
// The pulls of a round are chosen one after another, for one open task after another. They use the member of the mixture
// with the largest part of the risk. Each pull is the arm of the task that most reduces the posterior variance between
// the leader and its most probable rival, which are the two arms that [Russo20] compares. A task gets pulls until it
// would stop if the means did not change.
type coBayes struct {
	rounds.Candidates
	opt model.Terms
	// kernel's variance of a difference that is missing because features were cut, normalised
	truncated float64

	round   int
	planned engine.Plan
	knowledge
	tasks []judgement // V: for open tasks, what the last posterior implies
	spent []float64   // V: risk of the task when it was closed; 0 for open tasks
	taken []int       // V: number of pulls so far
	loose bool        // some pulls were not planned
	// fraction of the variation that the kernel explains in left-out data; 1 if all arms of open tasks have pulls
	explained   float64
	doubted     int     // first round in which explained was below leastExplained; 0 if none was
	unexplained float64 // value of explained in that round
}

var (
	_ engine.Detailed        = (*coBayes)(nil)
	_ engine.Amender         = (*coBayes)(nil)
	_ engine.DataAdder       = (*coBayes)(nil)
	_ engine.QuestionChanger = (*coBayes)(nil)
	_ engine.Continuer       = (*coBayes)(nil)
)

// NewCoBayesFC returns CoBayesFC on a model. Options.Schedule does not apply. The prior is the kernel with the scale and
// level of the options. Options.Misfit is an error.
func NewCoBayesFC(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	if opt.Misfit > 0 {
		return nil, engine.ErrNoMisfit
	}
	m = m.Own()
	a := &coBayes{
		Candidates: rounds.NewCandidates(m), opt: opt, explained: 1,
		tasks: make([]judgement, m.Problem.V()), spent: make([]float64, m.Problem.V()), taken: make([]int, m.Problem.V()),
	}
	if !m.Designs().Dual() && m.Cut() {
		a.truncated = 2 * m.Truncation / (m.Unit * m.Unit)
	}
	var err error
	a.knowledge, err = newKnowledge(m, opt)
	a.scales.Pool()
	a.belief = rounds.NewMixedBelief(model.PriorOf(opt.Options), negligible*opt.Delta/float64(m.Problem.V()))
	if err == nil && m.Problem.Block != nil {
		return newSideBySide(a)
	}
	return a, err
}

const (
	// negligible is the largest weight that the mixture may omit, as a fraction of the error probability of a task.
	negligible = 0.05
	// spent is the fraction of δ that is used if scale and part are unknown. The prior is correct about them only on
	// average, and may be wrong for the arms of a problem (see docs/explanation/robustness.md).
	spent = 0.8
	// leastExplained is the smallest fraction of the variation of arms' means within tasks that the posterior must explain
	// when these arms are left out. Otherwise the posterior may not decide about arms without pulls.
	leastExplained = 0.5
)

// posteriorGrowth is the largest number of a task's pulls in a round, relative to its pulls so far. A smaller value needs
// fewer pulls in more rounds.
const posteriorGrowth = 0.5

// Plan returns the pulls of round 1 or, in later rounds, the pulls that the open tasks are expected to need.
func (a *coBayes) Plan(ctx context.Context) (_ engine.Plan, err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	counts := make([]int, a.Model.Problem.N())
	if a.estimates == nil {
		a.explore(counts)
	} else {
		a.fill(counts)
		a.replicate(counts)
	}
	p := engine.Plan{Round: a.round + 1, Counts: counts, WantSquares: a.scales.Squares}
	if n := p.Pulls(); n > a.opt.MaxSamples {
		return engine.Plan{}, engine.LimitError{Samples: float64(n)}
	}
	a.round++
	a.planned = p
	return p, nil
}

// explore adds the pulls of round 1 to counts: one of every arm in an open task. If there are many arms, it adds one pull
// of each arm in a subset that determines the others.
func (a *coBayes) explore(counts []int) {
	open := model.Contrasting(a.Sets)
	if a.Model.Designs().Dual() {
		arms := try.Of(a.Model.Designs().Spanning(open, a.opt.MaxSamples, model.FinelySpanningRest))
		open = [][]int{arms}
	}
	for _, set := range open {
		for _, i := range set {
			counts[i] = 1
		}
	}
	a.scales.Replicate(counts)
}

// fill adds the pulls of a later round to counts.
func (a *coBayes) fill(counts []int) {
	member := a.decisive()
	of := a.belief.Mixture.Members[member]
	f := &foresight{posterior: of.Estimator, precision: a.scales.Model.Precision}
	f.cost = a.Model.Problem.RelativeCost()
	if g := of.Groups(); g != nil {
		f.groups = g.Plan()
	}
	var open []*outlook
	share, means, allowances := a.share(), a.by[member], a.allowances()
	for v, set := range a.Sets {
		if len(set) == 1 {
			continue
		}
		most := allowances[v]
		if a.explained < leastExplained {
			missing := a.missing(set)
			for _, i := range missing[:min(most, len(missing))] {
				counts[i] = 1
				most--
			}
		}
		if j := a.tasks[v]; most > 0 && j.risk > share {
			variances := make([]float64, len(set))
			try.To(of.VariancesFrom(variances, set, j.first))
			o := f.watch(set, j.first, most, a.scales.FreedomOf, variances)
			o.enough = share * j.wrong[member] / j.risk
			open = append(open, o)
		}
	}
	for len(open) > 0 {
		for _, o := range open {
			try.To(a.Model.Context().Err())
			o.update()
			_, rival := o.outcome(means, a.opt.Epsilon)
			k, n := o.most(rival), min(o.step, o.remaining)
			counts[o.arms[k]] += n
			o.pull(k, n)
			o.remaining -= n
		}
		open = slices.DeleteFunc(open, func(o *outlook) bool {
			if o.remaining == 0 {
				return true
			}
			o.update()
			risk, _ := o.outcome(means, a.opt.Epsilon)
			return risk <= o.enough
		})
	}
}

// decisive returns the index of the mixture member with the largest part of the open tasks' risk.
func (a *coBayes) decisive() int {
	best, largest := 0, -1.0
	for k, of := range a.belief.Mixture.Members {
		sum := 0.0
		for v, set := range a.Sets {
			if len(set) > 1 {
				sum += of.Weight * a.tasks[v].wrong[k]
			}
		}
		if sum > largest {
			best, largest = k, sum
		}
	}
	return best
}

// delta returns the largest allowed probability that some answer is wrong.
func (a *coBayes) delta() float64 {
	if model.PriorOf(a.opt.Options).FitsOwn() {
		return spent * a.opt.Delta
	}
	return a.opt.Delta
}

// open returns the open tasks, and the part of delta that closed tasks have not used.
func (a *coBayes) open() (open []int, unspent float64) {
	unspent = a.delta()
	for v, set := range a.Sets {
		if unspent -= a.spent[v]; len(set) > 1 {
			open = append(open, v)
		}
	}
	return open, unspent
}

// share returns the error probability that each open task may use.
func (a *coBayes) share() float64 {
	open, unspent := a.open()
	return max(unspent, 0) / max(float64(len(open)), 1)
}

// allowances returns the largest number of pulls of each task in the next round. If there are many arms, a task may have
// had no pulls, because arms of other tasks determine its rewards. Its pulls so far then count as at least the average.
func (a *coBayes) allowances() []int {
	least := 0.0
	if a.Model.Designs().Dual() {
		least = float64(engine.PullsOf(a.Counts)) / float64(len(a.Sets))
	}
	return lists.Map(a.taken, func(had int) int { return max(1, int(math.Ceil(posteriorGrowth*max(float64(had), least)))) })
}

// Learn computes the posterior and closes the tasks that it decides.
func (a *coBayes) Learn(ctx context.Context, b engine.Batch) (err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	try.To(rounds.CheckBatch(a.planned, b))
	a.take(b)
	return nil
}

// take updates the posterior with a batch of a round or with added rewards, and closes the tasks that it decides.
func (a *coBayes) take(b engine.Batch) {
	if b.Empty() {
		return
	}
	for i, c := range b.Counts {
		a.taken[a.Model.Problem.TaskOf[i]] += c
	}
	a.learn(b)
	a.judge()
}

// judge closes the tasks that the posterior decides.
func (a *coBayes) judge() {
	open, unspent := a.open()
	if len(open) == 0 {
		return
	}
	a.support(open)
	for _, v := range open {
		a.tasks[v] = a.judged(a.Sets[v])
		a.variances[v] = a.tasks[v].variances
	}
	slices.SortStableFunc(open, func(v, w int) int { return cmp.Compare(a.tasks[v].risk, a.tasks[w].risk) })
	members, each := a.belief.Mixture.Members, a.delta()/float64(len(a.Sets))
	sums, closed := make([]float64, len(members)), 0
	before := 0.0
	for _, v := range open {
		set, j := a.Sets[v], a.tasks[v]
		if a.explained < leastExplained && len(a.missing(set)) > 0 {
			continue
		}
		floats.Add(sums, j.wrong)
		closed++
		sum := together(members, sums)
		// the open tasks keep their equal parts of delta; the closed ones may use the rest
		if !(sum <= unspent-each*float64(len(open)-closed)) {
			break
		}
		a.spent[v], before = sum-before, sum
		for k, i := range set {
			if i != j.first {
				a.Drop(a.round, i, j.first, a.estimates[j.first]-a.estimates[i], math.Sqrt(j.variances[k]), engine.RulePosterior)
			}
		}
		a.Sets[v], a.variances[v] = []int{j.first}, nil
	}
}

// support computes explained from left-out data, if arms of open tasks have no pulls.
func (a *coBayes) support(open []int) {
	a.explained = 1
	if !slices.ContainsFunc(open, func(v int) bool { return len(a.missing(a.Sets[v])) > 0 }) {
		return
	}
	if a.within != nil { // left-out blocks are not computed
		a.explained = 0
		return
	}
	a.explained = a.belief.Explained(a.Model, a.Means())
	if a.explained < leastExplained && a.doubted == 0 {
		a.doubted, a.unexplained = max(a.round, 1), a.explained
	}
}

// exceeds returns the posterior probability that a difference with this mean and variance is larger than epsilon. It uses
// Student's distribution if freedom is finite, because the variance then uses an estimated scale. It returns 0 if the
// variance is 0: for the leader itself, and for arms that the kernel treats as equal to it.
func exceeds(mean, variance, epsilon, freedom float64) float64 {
	switch {
	case !(variance > 0):
		return 0
	case math.IsInf(freedom, 1):
		return 0.5 * math.Erfc((epsilon-mean)/math.Sqrt(2*variance))
	case !(freedom > 0): // the limit of Student's distribution: the scale is unknown
		return 0.5
	}
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Survival((epsilon - mean) / math.Sqrt(variance))
}

// Done reports whether every task is closed.
func (a *coBayes) Done() bool { return a.Single() }

// State implements engine.Algorithm.
func (a *coBayes) State() engine.State { return engine.StateOf(a) }

// Answers returns the leader of each task.
func (a *coBayes) Answers() []engine.Answer { return leaders(&a.Candidates, a.estimates) }

// leaders returns one answer per task: the arm with the largest of the N estimates, or the first arm if estimates is nil.
// The task is decided if no other arm is left.
func leaders(c *rounds.Candidates, estimates []float64) []engine.Answer {
	out := make([]engine.Answer, len(c.Sets))
	for v, set := range c.Sets {
		first, estimate := set[0], math.NaN()
		if estimates != nil {
			first = rounds.Leader(set, estimates)
			estimate = estimates[first]
		}
		out[v] = c.Answer(v, first, estimate)
	}
	return out
}

// Warnings returns warnings about rewards that the kernel cannot represent and data that are implausible under the prior.
// It also warns if left-out data do not support a kernel that decides about arms without pulls.
func (a *coBayes) Warnings() []engine.Warning {
	m, prior := a.Model, model.PriorOf(a.opt.Options)
	out := a.belief.Doubts()
	if a.doubted > 0 {
		out = append(out, engine.Warning{Kind: engine.WarnUnexplained, Numbers: []float64{a.unexplained, leastExplained}})
	}
	out = append(out, a.scales.Doubts()...)
	if prior.FitsOwn() {
		return out
	}
	if !prior.Level.Known {
		m = m.Levelled()
	}
	return append(model.MisfitWarnings(m, a.opt), out...)
}
