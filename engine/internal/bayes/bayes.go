package bayes

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// coBayes is CoBayesFC: it takes the kernel for the prior covariance of the expected
// rewards, in squared reward units up to a scale (rounds.Belief), and stops a task when the posterior makes it
// improbable that any arm is better than the leader by more than ε:
//
//	Σ_x P(μ_x - μ_leader > ε | all data) ≤ δ/V.
//
// The sum bounds the probability that some arm is. It is a probability under the prior, not over
// the data of a fixed instance: where the kernel believes in more likeness than there is, errors
// are more frequent than δ. Posterior means, variances and stops do not mind how the pulls were
// chosen.
//
// Pulls of a round are chosen one after another, the open tasks in turn: the one of the task's arms
// that most reduces the posterior variance between the leader and its most probable rival, the
// knowledge tops [Russo20] tells apart, until the task would stop if the means stayed what they
// are.
type coBayes struct {
	rounds.Candidates
	opt     engine.Options
	epsilon float64 // normalised
	risk    float64 // δ/V
	// kernel's variance of a difference that features which were cut leave out, normalised
	left float64

	round   int
	planned engine.Plan
	knowledge
	taken     []int  // V: pulls so far
	loose     bool   // whether there are pulls that no plan foresaw
	withdrawn []bool // N; nil where no arm is
}

var _ engine.Algorithm = (*coBayes)(nil)

// NewCoBayesFC prepares the rule on a model. Schedule and ξ do not apply: the prior is
// the kernel as it is, with ξ of the Gaussian process.
func NewCoBayesFC(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
	opt, err := opt.Checked(engine.ModeFC)
	if err != nil {
		return nil, err
	}
	if opt.Misfit > 0 || opt.Robust {
		return nil, engine.ErrNoMisfit
	}
	a := &coBayes{
		Candidates: rounds.NewCandidates(m), opt: opt, epsilon: opt.Epsilon / m.Unit, risk: opt.Delta / float64(m.Problem.V()),
		taken: make([]int, m.Problem.V()),
	}
	if !m.Dual() && m.Cut() {
		a.left = 2 * m.Truncation / (m.Unit * m.Unit)
	}
	a.knowledge, err = newKnowledge(m, opt)
	a.belief = rounds.NewGrowingBelief(model.PriorOf(opt))
	return a, err
}

// posteriorGrowth is the largest number of a task's pulls in a round over those that it
// has had. Smaller rounds take fewer pulls in more rounds.
const posteriorGrowth = 0.5

// Plan returns round 1, and afterwards what the open tasks are expected to need.
func (a *coBayes) Plan() (engine.Plan, error) {
	counts := make([]int, a.Model.Problem.N())
	var err error
	if a.estimates == nil {
		err = a.explore(counts)
	} else {
		err = a.fill(counts)
		a.replicate(counts)
	}
	if err != nil {
		return engine.Plan{}, err
	}
	p := engine.Plan{Round: a.round + 1, Counts: counts, WantSquares: a.scales.Groups != nil}
	if n := p.Pulls(); n > a.opt.MaxSamples {
		return engine.Plan{}, engine.LimitError{Samples: float64(n)}
	}
	a.round++
	a.planned = p
	return p, nil
}

// explore adds the pulls of round 1: one of every arm, or of many arms one of each that the others
// follow from.
func (a *coBayes) explore(counts []int) error {
	open := model.Contrasting(a.Sets)
	if a.Model.Dual() {
		arms, err := a.Model.Spanning(open, a.opt.MaxSamples, model.FinelySpanningRest)
		if err != nil {
			return err
		}
		open = [][]int{arms}
	}
	for _, set := range open {
		for _, i := range set {
			counts[i] = 1
		}
	}
	a.scales.Replicate(counts)
	return nil
}

// fill adds the pulls of a round.
func (a *coBayes) fill(counts []int) error {
	f := newForesight(a.belief.Estimator, a.scales.Model.Precision)
	f.cost = a.Model.Problem.RelativeCost()
	var open []*outlook
	for v, set := range a.Sets {
		if len(set) > 1 {
			open = append(open, f.watch(set, rounds.Leader(set, a.estimates), a.allowance(v), a.scales.FreedomOf(set), a.apart[v]))
		}
	}
	for len(open) > 0 {
		left := open[:0]
		for _, o := range open {
			if err := a.Model.Context().Err(); err != nil {
				return err
			}
			o.update()
			_, rival := o.outcome(a.estimates, a.epsilon)
			k, n := o.most(rival), min(o.step, o.left)
			counts[o.arms[k]] += n
			o.pull(k, n)
			if o.left -= n; o.left > 0 {
				left = append(left, o)
			}
		}
		open = left
		for k := 0; k < len(open); {
			open[k].update()
			if risk, _ := open[k].outcome(a.estimates, a.epsilon); risk <= a.risk {
				open = append(open[:k], open[k+1:]...)
				continue
			}
			k++
		}
	}
	return nil
}

// allowance returns the pulls that a task may get in a round. With many arms it may have had none, while
// others were pulled that its rewards follow from.
func (a *coBayes) allowance(v int) int {
	had := float64(a.taken[v])
	if a.Model.Dual() {
		had = max(had, float64(engine.PullsOf(a.Counts))/float64(len(a.Sets)))
	}
	return max(1, int(math.Ceil(posteriorGrowth*had)))
}

// Learn forms the posterior and closes the tasks that it is sure of.
func (a *coBayes) Learn(b engine.Batch) error {
	if err := rounds.CheckBatch(a.planned, b); err != nil {
		return err
	}
	return a.take(b)
}

// take takes rewards in, of a round or of none.
func (a *coBayes) take(b engine.Batch) error {
	if b.Empty() {
		return nil
	}
	for i, c := range b.Counts {
		a.taken[a.Model.Problem.TaskOf[i]] += c
	}
	if err := a.learn(b); err != nil {
		return err
	}
	return a.judge()
}

// judge closes the tasks that the posterior is sure of.
func (a *coBayes) judge() error {
	for v, set := range a.Sets {
		if len(set) == 1 {
			continue
		}
		first, apart, risk, err := a.riskOf(set)
		if err != nil {
			return err
		}
		if a.apart[v] = apart; !(risk <= a.risk) {
			continue
		}
		for k, i := range set {
			if i != first {
				a.Drop(a.round, i, first, a.estimates[first]-a.estimates[i], math.Sqrt(apart[k]), engine.RulePosterior)
			}
		}
		a.Sets[v], a.apart[v] = []int{first}, nil
	}
	return nil
}

// riskOf returns the leader of a set, the posterior variances of its arms' rewards less that of the
// leader, and the sum of the probabilities that another arm is above it by more than epsilon.
func (a *coBayes) riskOf(set []int) (first int, apart []float64, risk float64, err error) {
	first, freedom := rounds.Leader(set, a.estimates), a.scales.FreedomOf(set)
	apart = make([]float64, len(set))
	if err := a.belief.VariancesFrom(apart, set, first); err != nil {
		return 0, nil, 0, err
	}
	for k, i := range set {
		variance := apart[k]
		if i != first {
			variance += a.belief.Scale * a.left
		}
		risk += exceeds(a.estimates[i]-a.estimates[first], variance, a.epsilon, freedom)
	}
	return first, apart, risk, nil
}

// exceeds returns the posterior probability that a difference of the given mean and variance is
// above epsilon; Student's law where the variance goes by an estimated scale. 0 for the leader
// itself and arms that the kernel takes for it.
func exceeds(mean, variance, epsilon, freedom float64) float64 {
	switch {
	case !(variance > 0):
		return 0
	case math.IsInf(freedom, 1):
		return 0.5 * math.Erfc((epsilon-mean)/math.Sqrt(2*variance))
	case !(freedom > 0): // the limit of Student's law: nothing is known of the scale
		return 0.5
	}
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Survival((epsilon - mean) / math.Sqrt(variance))
}

// Done reports whether every task is closed.
func (a *coBayes) Done() bool { return a.Single() }

// Answers returns the leaders.
func (a *coBayes) Answers() []engine.Answer {
	out := make([]engine.Answer, len(a.Sets))
	for v, set := range a.Sets {
		first, estimate := set[0], math.NaN()
		if a.estimates != nil {
			first = rounds.Leader(set, a.estimates)
			estimate = a.estimates[first]
		}
		out[v] = a.Answer(v, first, estimate)
		if out[v].Decided = len(set) == 1; out[v].Decided {
			out[v].Arm = out[v].Leader
		}
	}
	return out
}

// Warnings reports a kernel that cannot represent the rewards, and data that its prior does not
// expect.
func (a *coBayes) Warnings() []engine.Warning {
	m, prior := a.Model, model.PriorOf(a.opt)
	switch {
	case prior.FitsOwn():
		return a.belief.Doubts()
	case !prior.Level.Known:
		m = m.Levelled()
	}
	return append(model.MisfitWarnings(m, a.opt), a.belief.Doubts()...)
}
