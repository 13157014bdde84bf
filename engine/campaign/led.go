package campaign

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
)

// A campaign is led where a run of agents plans its rounds: people measure the pulls of one agent as
// those of a campaign, and the agent tells the others.

// Lead returns the events that make a plan the open round: none where it is open or over already, by
// its digest. A round that is not whole is closed for the reason given, because the run went on
// without it. Rounds are numbered as they come, without those in which the agent has no pulls.
func (s *State) Lead(p Protocol, plan engine.Plan, reason, build string, now time.Time) []Event {
	for _, r := range s.rounds {
		if r.plan.Digest == plan.Digest {
			return nil
		}
	}
	var out []Event
	if r := s.open(); r != nil && !s.complete(r) {
		lost := -r.measured()
		for _, n := range r.plan.Counts {
			lost += n
		}
		out = append(out, NewEvent(KindClose, now, "", CloseBody{Round: r.plan.Round, Lost: lost, Reason: reason}))
	}
	b := PlanBody{Round: len(s.rounds) + 1, Revision: Revision, Build: build, Counts: plan.Counts, WantSquares: plan.WantSquares, Digest: plan.Digest, Plate: p.Plate}
	b.Seed = s.orderSeed(b.Round)
	return append(out, NewEvent(KindPlan, now, "", b))
}

// measured returns the pulls of the round that have a result.
func (r *round) measured() int {
	sum := 0
	for i := range r.results {
		sum += r.measuredOf(i)
	}
	return sum
}

// ToldOf returns the results of the round with a plan's digest, by arm and number of the pull, once the
// round is whole.
func (s *State) ToldOf(digest string) (results []ResultRecord, whole bool) {
	i := slices.IndexFunc(s.rounds, func(r *round) bool { return r.plan.Digest == digest })
	if i < 0 || !s.complete(s.rounds[i]) {
		return nil, false
	}
	r := s.rounds[i]
	for _, arm := range slices.Sorted(maps.Keys(r.results)) {
		sorted := slices.SortedStableFunc(slices.Values(r.results[arm]), func(a, b *measured) int { return cmp.Compare(a.Number, b.Number) })
		for _, m := range sorted {
			results = append(results, m.ResultRecord)
		}
	}
	return results, true
}
