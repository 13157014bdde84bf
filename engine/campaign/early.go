package campaign

import "time"

// lateAfter is the part of a unit of time after which a result that is still out counts as late. It is
// less than a whole unit, because people do not ask at the same minute every day.
const lateAfter = 0.5

// endsEarly reports whether a round that was cut to the capacity may end with what came: every pull of
// it was handed out, a result has come, and what is out was handed out more than lateAfter units of
// time ago. Rewards do not count in this rule, so that they cannot choose what a round is made of. A
// posterior takes late results whole, and plans failed pulls again if they are still of use; a test
// needs the round that it planned.
func (s *State) endsEarly(p Protocol, r *round, now time.Time) bool {
	q := p
	q.Capacity = s.capacity(p)
	if !q.Cuts() || p.fixedRounds() || s.complete(r) || len(r.results) == 0 {
		return false
	}
	for _, slot := range r.list {
		if r.filled[[2]int{slot.Arm, slot.Number}] == nil && !s.withdrawn(slot.Arm) {
			return false
		}
	}
	wait := time.Duration(lateAfter * float64(unitLength(p.TimeUnit)))
	for _, id := range s.order {
		if it := s.items[id]; it.round == r.plan.Round && it.outstanding() && now.Sub(it.at) <= wait {
			return false
		}
	}
	return true
}

// CloseEarly returns the event that ends the open round with what came, where a request finds nothing
// to do but to wait for late results; see endsEarly. It returns none where the asker has a list of his
// own that he is to tell first.
func (s *State) CloseEarly(p Protocol, q Request, now time.Time) []Event {
	r := s.open()
	if s.Start.Led != "" || s.done != nil || r == nil || !q.More && len(s.owed(q.By)) > 0 || !s.endsEarly(p, r, now) {
		return nil
	}
	b := CloseBody{Round: r.plan.Round, Early: true, Reason: "all of it was handed out, and what is out is late"}
	for i, n := range r.plan.Counts {
		if !s.withdrawn(i) {
			b.Lost += max(0, n-r.measuredOf(i))
		}
	}
	return []Event{NewEvent(KindClose, now, q.By, b)}
}

// cameLate returns how many pulls of a round came after it was over.
func (s *State) cameLate(r *round) int {
	n := 0
	for _, g := range s.guides {
		if g.late && g.round == r.plan.Round {
			n += g.count()
		}
	}
	return n
}
