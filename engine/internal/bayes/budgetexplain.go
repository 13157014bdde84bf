package bayes

import (
	"errors"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

// Amend takes the counts as they are, and lets the later rounds share what the budget has left then.
func (a *budgetFB) Amend(counts []int) error {
	if a.planned.Counts == nil {
		return errors.New(rounds.LearnedEarly)
	}
	a.planned.Counts, a.lost = counts, true
	a.purse.Amend(counts)
	return nil
}

// Inform takes rewards into the posterior as it takes rewards of a round.
func (a *budgetFB) Inform(b engine.Batch) error {
	if err := rounds.CheckInform(a.Model.Problem, b); err != nil {
		return err
	}
	return a.take(b)
}

// Guided reports that the posterior takes all rewards.
func (a *budgetFB) Guided() bool { return true }

// Unspent says that pulls of the last round were not made.
func (a *budgetFB) Unspent() string {
	if a.lost && a.Done() && a.purse.Left() > 0 {
		return "the last round has fewer pulls than were planned"
	}
	return ""
}

// Hardest returns the arm that the posterior tells from the leader with the fewest standard deviations.
func (a *budgetFB) Hardest(v int) engine.Rival {
	set := a.Sets[v]
	if a.estimates == nil {
		return a.NoData(v, set[0])
	}
	rival, gap, sd := a.nearest(v)
	return a.Shown(rival, engine.Rival{Open: len(set), Gap: gap, Error: sd})
}

// nearest returns that arm with the leader's lead over it and its posterior standard deviation,
// normalised.
func (a *budgetFB) nearest(v int) (rival int, gap, sd float64) {
	set := a.Sets[v]
	first, at, least := rounds.Leader(set, a.estimates), 0, math.Inf(1)
	apart := make([]float64, len(set))
	if err := a.believed().Posterior.VariancesFrom(apart, set, first); err != nil { // the context has ended, and with it the run
		return set[0], 0, math.NaN()
	}
	for k, i := range set {
		d := math.Sqrt(apart[k])
		if t := rounds.MedianGap(a.estimates[first]-a.estimates[i], d) / d; i != first && (t < least || math.IsInf(least, 1)) {
			at, least = k, t
		}
	}
	return set[at], a.estimates[first] - a.estimates[set[at]], math.Sqrt(apart[at])
}

// Samples returns -1: a run of this kind decides nothing, however long it is.
func (a *budgetFB) Samples([]int) float64 {
	if a.estimates == nil {
		return math.NaN()
	}
	return -1
}
