package bayes

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// SetEpsilon closes tasks by the current posterior; a smaller epsilon reopens tasks that it no
// longer decides.
func (a *coBayes) SetEpsilon(epsilon float64) (err error) {
	defer try.Caught(&err)
	before := a.opt.Epsilon
	a.opt.SetEpsilon(epsilon)
	a.review(a.opt.Epsilon < before)
	return nil
}

// SetDelta closes tasks by the current posterior; a smaller delta reopens tasks that it no longer
// decides.
func (a *coBayes) SetDelta(delta float64) (err error) {
	defer try.Caught(&err)
	stricter := delta < a.opt.Delta
	a.opt.Delta = delta
	a.review(stricter)
	return nil
}

// Withdraw removes arms. Their data still inform the posterior of other arms.
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

// review closes the tasks that the posterior is sure of, and opens those whose answer was
// withdrawn. Where more is asked than before it opens those that it is not sure of any more.
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

// Continue takes over all rewards.
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

// takeClosed closes a task that was closed, unless it has new arms, and reports whether it did. Its arms
// had the numbers from lo to hi.
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

// Amend accepts any counts: a posterior does not depend on how pulls were chosen.
func (a *coBayes) Amend(counts []int) error {
	if a.planned.Counts == nil {
		return errors.New(rounds.LearnedEarly)
	}
	a.planned.Counts, a.loose = counts, true
	return nil
}

// AddData adds rewards to the posterior like rewards of a round, and closes the tasks that it then
// decides. Rewards from before the first round replace it.
func (a *coBayes) AddData(b engine.Batch) (err error) {
	defer try.Caught(&err)
	try.To(rounds.CheckInform(a.Model.Problem, b))
	a.loose = true
	a.take(b)
	return nil
}

// UsesAddedData reports that the posterior uses all rewards.
func (a *coBayes) UsesAddedData() bool { return true }

// replicate sees to the replicates that unknown noise scales are estimated from, where the first round
// did not bring them.
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

// ArmEstimates returns posterior means and credible intervals.
func (a *coBayes) ArmEstimates() engine.ArmEstimates {
	if a.estimates == nil {
		return engine.ArmEstimates{}
	}
	return a.recalled()(indices.All(len(a.estimates)))
}

// DeferEstimates keeps the posteriors of the round.
func (a *coBayes) DeferEstimates() (later func(arms []int) engine.ArmEstimates, latest []float64) {
	if a.estimates == nil {
		return nil, nil
	}
	return a.recalled(), a.estimates
}

// recalled returns a function that states what the data make now of some arms.
func (a *coBayes) recalled() func(arms []int) engine.ArmEstimates {
	members, by, estimates := a.belief.Mixture.Members, slices.Clone(a.by), a.estimates
	freedom := lists.Make(len(estimates), func(i int) float64 { return a.scales.FreedomOf([]int{i}) })
	return func(arms []int) engine.ArmEstimates {
		n := len(estimates)
		means, variances := slices.Repeat([]float64{math.NaN()}, n), slices.Repeat([]float64{math.NaN()}, n)
		for _, i := range arms {
			means[i], variances[i] = estimates[i], 0
		}
		for k, of := range members {
			own, err := of.ArmVariances(arms)
			if err != nil { // the run ends before its next round
				return engine.ArmEstimates{}
			}
			for l, i := range arms {
				off := by[k][i] - estimates[i]
				variances[i] += of.Weight * (own[l] + of.Scale*a.truncated/2 + off*off)
			}
		}
		return rounds.Intervals(a.Model, means, variances, func(i int) float64 { return freedom[i] })
	}
}

// Hardest returns the most probable rival.
func (a *coBayes) Hardest(v int) engine.Rival {
	set := a.Sets[v]
	if a.estimates == nil {
		return a.NoData(v, set[0])
	}
	rival, gap, sd := a.likeliest(v)
	return a.Shown(rival, engine.Rival{Open: len(set), Gap: gap, Error: sd, Statistic: a.shown(v), Threshold: a.needed()})
}

// Samples returns the number of further pulls of each task, in the proportions of the pulls so far, that would make
// its most probable rival improbable enough if it were the only one.
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

// likeliest returns the most probable rival of an open task's leader, with the leader's lead over it
// and its posterior standard deviation, normalised.
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

// shown returns by how many posterior standard deviations a single rival with the risk of task v would be behind. The stopping rule
// compares this risk, which counts all rivals and averages over the members of the mixture.
func (a *coBayes) shown(v int) float64 { return upper(min(a.tasks[v].risk, 1)) }

// needed returns by how many posterior standard deviations a single rival must be behind.
func (a *coBayes) needed() float64 { return upper(a.share()) }
