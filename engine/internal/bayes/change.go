package bayes

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"gonum.org/v1/gonum/stat/distuv"
)

// SetEpsilon changes ε and closes tasks that the current posterior decides. A smaller ε reopens tasks that the posterior
// no longer decides.
func (a *coBayes) SetEpsilon(epsilon float64) (err error) {
	defer try.Caught(&err)
	before := a.opt.Epsilon
	a.opt.SetEpsilon(epsilon)
	a.review(a.opt.Epsilon < before)
	return nil
}

// SetDelta changes δ and closes tasks that the current posterior decides. A smaller δ reopens tasks that the posterior no
// longer decides.
func (a *coBayes) SetDelta(delta float64) (err error) {
	defer try.Caught(&err)
	stricter := delta < a.opt.Delta
	a.opt.Delta = delta
	a.review(stricter)
	return nil
}

// Withdraw removes arms from their tasks. Their data still influence the posterior of other arms. Unknown arms and the
// last arm of a task are errors.
func (a *coBayes) Withdraw(arms []int) (err error) {
	defer try.Caught(&err)
	try.To(a.CanWithdraw(arms))
	for _, i := range arms {
		if !a.Removed[i] {
			a.Withdrawn(a.round, i)
		}
	}
	a.loose = true
	a.review(false)
	return nil
}

// review updates the tasks after a change of the question. It closes tasks that the posterior decides, and reopens tasks
// whose answer was withdrawn. If stricter, it also reopens tasks that the posterior no longer decides.
func (a *coBayes) review(stricter bool) {
	for v, set := range a.Model.Problem.Groups() {
		remaining := slices.DeleteFunc(set, func(i int) bool { return a.Removed[i] })
		now := slices.DeleteFunc(slices.Clone(a.Sets[v]), func(i int) bool { return !slices.Contains(remaining, i) })
		if len(now) == 1 && len(a.Sets[v]) == 1 && !(stricter && a.estimates != nil) {
			a.Sets[v] = now
			continue
		}
		a.Sets[v], a.spent[v] = remaining, 0
		for _, i := range remaining {
			a.Reopen(i)
		}
	}
	if a.estimates != nil {
		a.judge()
	}
}

// Continue takes over all data of another CoBayesFC state. at has the new index of each of its arms, -1 for removed arms.
// Other algorithms are an error.
func (a *coBayes) Continue(from engine.Algorithm, at []int) (err error) {
	defer try.Caught(&err)
	old, same := from.(*coBayes)
	if !same || len(at) != old.Model.Problem.N() {
		return fmt.Errorf("%w: only a CoBayesFC state with the same arms can be continued", engine.ErrFixedQuestion)
	}
	a.Pool.Take(old.Pool, at)
	try.To(a.scales.Take(old.scales, at))
	a.round, a.loose = old.round, true
	a.TakeTrail(&old.Candidates)
	for v := range old.Sets {
		if lo, hi := old.Model.Problem.ArmsOf(v); a.takeClosed(old.Sets[v], at, lo, hi) {
			a.spent[a.Model.Problem.TaskOf[at[old.Sets[v][0]]]] = old.spent[v]
		}
	}
	for k, i := range at {
		if i >= 0 {
			a.Removed[i] = old.Removed[k]
			a.taken[a.Model.Problem.TaskOf[i]] += old.Counts[k]
		}
	}
	if engine.PullsOf(a.Counts) > 0 {
		a.believe(a.Means())
	}
	a.review(a.Model.Problem.V() > old.Model.Problem.V())
	return nil
}

// takeClosed closes the corresponding task if the old one was closed and the new one has no added arms, and reports
// whether it did. set holds the old task's candidates; its arms had the indices lo to hi-1.
func (a *coBayes) takeClosed(set, at []int, lo, hi int) bool {
	if len(set) != 1 || at[set[0]] < 0 {
		return false
	}
	v := a.Model.Problem.TaskOf[at[set[0]]]
	if slices.ContainsFunc(a.Sets[v], func(i int) bool { return !slices.Contains(at[lo:hi], i) }) {
		return false
	}
	a.Sets[v] = []int{at[set[0]]}
	return true
}

// Amend replaces the counts of the planned round. A posterior does not depend on how pulls were chosen, so any counts are
// valid.
func (a *coBayes) Amend(counts []int) error {
	if a.planned.Counts == nil {
		return errors.New(rounds.LearnedEarly)
	}
	a.planned.Counts, a.loose = counts, true
	return nil
}

// AddData adds rewards from outside the rounds to the posterior, and closes tasks that it then decides. Added before the
// first round, they replace round 1.
func (a *coBayes) AddData(b engine.Batch) (err error) {
	defer try.Caught(&err)
	try.To(rounds.CheckInform(a.Model.Problem, b))
	a.loose = true
	a.take(b)
	return nil
}

// UsesAddedData reports that the posterior uses all rewards.
func (a *coBayes) UsesAddedData() bool { return true }

// replicate adds the replicates that unknown noise scales need, if unplanned pulls replaced a complete round 1.
func (a *coBayes) replicate(counts []int) {
	if !a.loose || a.scales.Groups == nil {
		return
	}
	for _, set := range a.Sets {
		for _, i := range set {
			if counts[i] > 0 && a.scales.Few([]int{i}) {
				a.scales.Replicate(counts)
				return
			}
		}
	}
}

// Hardest returns the most probable rival of task v's leader.
func (a *coBayes) Hardest(v int) engine.Rival {
	set := a.Sets[v]
	if a.estimates == nil {
		return a.NoData(v, set[0])
	}
	rival, gap, sd := a.likeliest(v)
	return a.Shown(rival, engine.Rival{Open: len(set), Gap: gap, Error: sd, Statistic: a.shown(v), Threshold: a.needed()})
}

// Samples returns the predicted number of further pulls, summed over the tasks, in the proportions of the pulls so far.
// For each task, it counts only the most probable rival, until that is improbable enough.
func (a *coBayes) Samples(tasks []int) float64 {
	if a.estimates == nil {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range tasks {
		_, gap, sd := a.likeliest(v)
		z := (rounds.MedianGap(gap, sd) + a.opt.Epsilon) / sd
		if now := a.shown(v); now > 0 {
			z = min(z, now)
		}
		times := a.needed() / z
		sum += max(1, math.Ceil(float64(a.taken[v])*(times*times-1)))
	}
	return sum
}

// likeliest returns the most probable rival of an open task's leader, with its gap to the leader and the posterior
// standard deviation, normalised.
func (a *coBayes) likeliest(v int) (rival int, gap, sd float64) {
	set, at := a.Sets[v], 0
	first, most := rounds.Leader(set, a.estimates), -1.0
	for k, i := range set {
		p := exceeds(a.estimates[i]-a.estimates[first], a.variances[v][k], a.opt.Epsilon, a.scales.FreedomOf([]int{i, first}))
		if i != first && p > most {
			at, most = k, p
		}
	}
	return set[at], a.estimates[first] - a.estimates[set[at]], math.Sqrt(a.variances[v][at])
}

// shown returns the risk of task v as a number of posterior standard deviations: a single rival with this risk would be
// that far behind. The stopping rule compares the risk, which counts all rivals and averages over the members of the
// mixture.
func (a *coBayes) shown(v int) float64 { return upper(min(a.tasks[v].risk, 1)) }

// needed returns the number of posterior standard deviations by which a single rival must be behind for a task to close.
func (a *coBayes) needed() float64 { return upper(a.share()) }

// upper returns the value that a standard normal variable exceeds with probability p.
func upper(p float64) float64 { return -distuv.UnitNormal.Quantile(p) }
