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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// coBayes is CoBayesFC: it takes the kernel, times a scale, and a part of each arm by itself for the prior covariance
// of the expected rewards, in squared reward units. Scale and part are not known, and the posterior is averaged
// over them (model.Mixture). Of task v let
//
//	r_v = P(some μ_x - μ_leader > ε | all data)
//
// when it is closed. Tasks are closed, the smallest r_v first, as long as the sum of r_v over closed
// tasks is at most δ times their share of all tasks: so by the end it is at most δ, what easy tasks leave is spent on
// the others, and an answer once given stays. Under the prior the probability that some answer is wrong is at
// most δ, because r_v is the probability of that given all data when v is closed, however pulls were chosen. It
// is not one over the data of a fixed instance.
//
// An arm without pulls counts as known by the kernel only where left-out data support the kernel (see
// leastExplained): else a task stays open until each of its arms was pulled.
//
// Pulls of a round are chosen one after another, the open tasks in turn, under the member of the mixture that has the largest
// part in the risk: the one of the task's arms that most reduces the posterior variance between the leader
// and its most probable rival, the knowledge tops [Russo20] tells apart, until the task would stop if
// the means stayed what they are.
type coBayes struct {
	rounds.Candidates
	opt model.Terms
	// kernel's variance of a difference that features which were cut leave out, normalised
	truncated float64

	round   int
	planned engine.Plan
	knowledge
	tasks []judgement // V: of open tasks by the last posterior
	spent []float64   // V: probability that the answer is wrong, when it was closed; 0 of open tasks
	taken []int       // V: pulls so far
	loose bool        // whether there are pulls that no plan foresaw
	// what the kernel explains of left-out data, where arms of open tasks have no pulls; else 1
	explained   float64
	doubted     int     // the first round in which that was too little; 0 if none was
	unexplained float64 // and how much it was
}

var (
	_ engine.Detailed        = (*coBayes)(nil)
	_ engine.Amender         = (*coBayes)(nil)
	_ engine.DataAdder       = (*coBayes)(nil)
	_ engine.QuestionChanger = (*coBayes)(nil)
	_ engine.Continuer       = (*coBayes)(nil)
)

// NewCoBayesFC prepares the rule on a model. Schedule and ξ do not apply: the prior is the given
// kernel, with ξ of the Gaussian process.
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
	// negligible is the weight that may be left out of the mixture, as part of the probability that a task is wrong.
	negligible = 0.05
	// spent is the part of δ that is spent where scale and part are not known: what the prior says of them on
	// average need not hold of the arms at hand (docs/explanation/robustness.md has what does).
	spent = 0.8
	// leastExplained is the part of the variation of arms' means within tasks that the posterior must explain when
	// they are left out for arms to be decided over that were never pulled.
	leastExplained = 0.5
)

// posteriorGrowth is the largest number of a task's pulls in a round over those that it has had. Smaller rounds take fewer pulls in
// more rounds.
const posteriorGrowth = 0.5

// Plan returns round 1, and afterwards what the open tasks are expected to need.
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

// explore adds the pulls of round 1: one of every arm, or of many arms one of each that the others
// follow from.
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

// fill adds the pulls of a round.
func (a *coBayes) fill(counts []int) {
	member := a.decisive()
	of := a.belief.Mixture.Members[member]
	f := &foresight{posterior: of.Estimator, precision: a.scales.Model.Precision}
	f.cost = a.Model.Problem.RelativeCost()
	if g := of.Groups(); g != nil {
		f.groups = g.Plan()
	}
	var open []*outlook
	share, means := a.share(), a.by[member]
	for v, set := range a.Sets {
		if len(set) == 1 {
			continue
		}
		most := a.allowance(v)
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
			o.enough = share * j.sum[member] / j.risk
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

// decisive returns the member with the largest part in the risk of the open tasks.
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

// delta returns the largest probability that some answer is wrong.
func (a *coBayes) delta() float64 {
	if model.PriorOf(a.opt.Options).FitsOwn() {
		return spent * a.opt.Delta
	}
	return a.opt.Delta
}

// open returns the tasks that are open, and what is left of delta for them.
func (a *coBayes) open() (open []int, unspent float64) {
	unspent = a.delta()
	for v, set := range a.Sets {
		if unspent -= a.spent[v]; len(set) > 1 {
			open = append(open, v)
		}
	}
	return open, unspent
}

// share returns what each open task may be wrong with.
func (a *coBayes) share() float64 {
	open, unspent := a.open()
	return max(unspent, 0) / max(float64(len(open)), 1)
}

// allowance returns the pulls that a task may get in a round. With many arms it may have had none, while
// others were pulled that its rewards follow from.
func (a *coBayes) allowance(v int) int {
	had := float64(a.taken[v])
	if a.Model.Designs().Dual() {
		had = max(had, float64(engine.PullsOf(a.Counts))/float64(len(a.Sets)))
	}
	return max(1, int(math.Ceil(posteriorGrowth*had)))
}

// Learn forms the posterior and closes the tasks that it is sure of.
func (a *coBayes) Learn(ctx context.Context, b engine.Batch) (err error) {
	defer try.Caught(&err)
	defer a.Model.During(ctx)()
	try.To(rounds.CheckBatch(a.planned, b))
	a.take(b)
	return nil
}

// take takes rewards in, of a round or of none.
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

// judge closes the tasks that the posterior is sure of.
func (a *coBayes) judge() {
	open, unspent := a.open()
	if len(open) == 0 {
		return
	}
	a.support(open)
	for _, v := range open {
		a.tasks[v] = a.judged(a.Sets[v], unspent)
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
		// what is left of the whole once the tasks that stay open have their parts
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

// support computes how well left-out data support the kernel, where arms of open tasks have no pulls.
func (a *coBayes) support(open []int) {
	a.explained = 1
	if !slices.ContainsFunc(open, func(v int) bool { return len(a.missing(a.Sets[v])) > 0 }) {
		return
	}
	if a.within != nil { // the evidence of blocks that are left out is not computed
		a.explained = 0
		return
	}
	a.explained = a.belief.Explained(a.Model, a.Means())
	if a.explained < leastExplained && a.doubted == 0 {
		a.doubted, a.unexplained = max(a.round, 1), a.explained
	}
}

// exceeds returns the posterior probability that a difference of the given mean and variance is
// above epsilon; Student's law where the variance uses an estimated scale. 0 for the leader
// itself and arms that the kernel takes for it.
func exceeds(mean, variance, epsilon, freedom float64) float64 {
	switch {
	case !(variance > 0):
		return 0
	case math.IsInf(freedom, 1):
		return 0.5 * math.Erfc((epsilon-mean)/math.Sqrt(2*variance))
	case !(freedom > 0): // the limit of Student's law: the scale is unknown
		return 0.5
	}
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Survival((epsilon - mean) / math.Sqrt(variance))
}

// Done reports whether every task is closed.
func (a *coBayes) Done() bool { return a.Single() }

// State implements engine.Algorithm.
func (a *coBayes) State() engine.State { return engine.StateOf(a) }

// Answers returns the leaders.
func (a *coBayes) Answers() []engine.Answer { return leaders(&a.Candidates, a.estimates) }

// leaders returns the arm of each task with the largest of the estimates (N), the first one where estimates is nil;
// it is the answer if no other arm is left.
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

// Warnings reports a kernel that cannot represent the rewards, data that its prior does not expect, and a kernel
// that left-out data do not support where arms had no pulls.
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
