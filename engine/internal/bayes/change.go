package bayes

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
)

var (
	_ engine.Changer   = (*coBayes)(nil)
	_ engine.Continuer = (*coBayes)(nil)
)

// Bound returns delta: whatever changes, tasks are closed by the posterior of all data as it is then.
func (a *coBayes) Bound() float64 { return a.opt.Delta }

// SetEpsilon closes tasks by the posterior as it is; a smaller one opens those that it is not sure
// of any more.
func (a *coBayes) SetEpsilon(epsilon float64) error {
	stricter := epsilon < a.opt.Epsilon
	a.opt.Epsilon, a.epsilon = epsilon, epsilon/a.Model.Unit
	return a.review(stricter)
}

// SetDelta closes tasks by the posterior as it is; a smaller one opens those that it is not sure of
// any more.
func (a *coBayes) SetDelta(delta float64) error {
	stricter := delta < a.opt.Delta
	a.opt.Delta = delta
	return a.review(stricter)
}

// CanWithdraw reports arms that are not there, and the last one of a task.
func (a *coBayes) CanWithdraw(arms []int) error { return a.CheckWithdraw(a.withdrawn, arms) }

// Withdraw takes arms out. What they told of others stays in the posterior.
func (a *coBayes) Withdraw(arms []int) error {
	if err := a.CanWithdraw(arms); err != nil {
		return err
	}
	if a.withdrawn == nil {
		a.withdrawn = make([]bool, a.Model.Problem.N())
	}
	for _, i := range arms {
		if !a.withdrawn[i] {
			a.withdrawn[i] = true
			a.Withdrawn(a.round, i)
		}
	}
	a.loose = true
	return a.review(false)
}

// review closes the tasks that the posterior is sure of, and opens those whose answer was
// withdrawn. Where more is asked than before it opens those that it is not sure of any more.
func (a *coBayes) review(stricter bool) error {
	for v, set := range a.Model.Problem.Groups() {
		left := slices.DeleteFunc(set, func(i int) bool { return a.withdrawn != nil && a.withdrawn[i] })
		now := slices.DeleteFunc(slices.Clone(a.Sets[v]), func(i int) bool { return !slices.Contains(left, i) })
		if len(now) == 1 && len(a.Sets[v]) == 1 && !(stricter && a.estimates != nil) {
			a.Sets[v] = now
			continue
		}
		a.Sets[v], a.spent[v] = left, 0
		for _, i := range left {
			a.Reopen(i)
		}
	}
	if a.estimates == nil {
		return nil
	}
	return a.judge()
}

// Continue takes over all rewards.
func (a *coBayes) Continue(from engine.Algorithm, at []int) error {
	old, same := from.(*coBayes)
	if !same || len(at) != old.Model.Problem.N() {
		return fmt.Errorf("%w: it goes on from a posterior", engine.ErrFixedQuestion)
	}
	a.Pool.Take(old.Pool, at)
	if err := a.scales.Take(old.scales, at); err != nil {
		return err
	}
	a.round, a.loose, a.withdrawn = old.round, true, make([]bool, a.Model.Problem.N())
	a.TakeTrail(&old.Candidates)
	for v := range old.Sets {
		lo, hi := old.Model.Problem.ArmsOf(v)
		if a.takeClosed(old.Sets[v], at, lo, hi) {
			a.spent[a.Model.Problem.TaskOf[at[old.Sets[v][0]]]] = old.spent[v]
		}
	}
	for k, i := range at {
		if i >= 0 {
			a.withdrawn[i] = old.withdrawn != nil && old.withdrawn[k]
			a.taken[a.Model.Problem.TaskOf[i]] += old.Counts[k]
		}
	}
	if engine.PullsOf(a.Counts) > 0 {
		if err := a.believe(a.Means()); err != nil {
			return err
		}
	}
	return a.review(a.Model.Problem.V() > old.Model.Problem.V())
}

// takeClosed closes a task that was closed, unless it has new arms, and reports whether it did. Its arms
// had the numbers from lo to hi.
func (a *coBayes) takeClosed(set, at []int, lo, hi int) bool {
	if len(set) != 1 || at[set[0]] < 0 {
		return false
	}
	v := a.Model.Problem.TaskOf[at[set[0]]]
	for _, i := range a.Sets[v] {
		if !slices.Contains(at[lo:hi], i) {
			return false
		}
	}
	a.Sets[v] = []int{at[set[0]]}
	return true
}
