package bayes

import (
	"errors"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var (
	_ engine.Amender  = (*coBayes)(nil)
	_ engine.Informer = (*coBayes)(nil)
)

// Amend takes the counts as they are: a posterior does not mind how pulls came about.
func (a *coBayes) Amend(counts []int) error {
	if a.planned.Counts == nil {
		return errors.New(rounds.LearnedEarly)
	}
	a.planned.Counts, a.loose = counts, true
	return nil
}

// Inform takes rewards into the posterior as it takes rewards of a round, and closes the tasks that it
// is then sure of. Rewards from before the first round stand for it.
func (a *coBayes) Inform(b engine.Batch) error {
	if err := rounds.CheckInform(a.Model.Problem, b); err != nil {
		return err
	}
	a.loose = true
	return a.take(b)
}

// Guided reports that the posterior takes all rewards.
func (a *coBayes) Guided() bool { return true }

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
