package cotest

import (
	"iter"
	"math"

	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// Constants for claims and clocks under a bound on the norm. If an accuracy is requested, a contest of many arms has
// several claims, which share delta. A round informs about all gaps of a task, and with many near ties the first leader is
// seldom the last one (docs/adr/0034).
const (
	normClaims = 3   // claims of a contest of more than model.MostOneLeader arms, if an accuracy is requested
	normHold   = 2.0 // an arm takes over a claim if its expected gain exceeds this multiple of the leader's gain
	normEarly  = 8   // Clock.Early if noise scales are known
	normLooks  = 4   // expected numbers of looks are rounded up to a multiple of this
)

// contend creates the further claims of the contests and sets the level of each claim. It must be called before any data.
// Without a requested accuracy it does nothing.
func (a *normed) contend() {
	if !(a.opt.Epsilon > 0) {
		return
	}
	for _, c := range a.contests {
		if c.closed {
			continue
		}
		a.claims++
		if len(c.arms) <= model.MostOneLeader {
			continue
		}
		for range normClaims - 1 {
			other := claim{arms: c.arms, leader: -1}
			for range c.arms {
				other.walks = append(other.walks, &sequential.Walk{Look: -1})
			}
			c.others = append(c.others, other)
			a.claims++
		}
	}
	a.alpha = a.level(a.opt.Delta)
}

// allClaims iterates over the claims of all contests.
func (a *normBets) allClaims() iter.Seq[*claim] {
	return func(yield func(*claim) bool) {
		for _, c := range a.contests {
			for _, l := range c.claims() {
				if !yield(l) {
					return
				}
			}
		}
	}
}

// choose sets the leaders of a contest's claims, computes the variances of their gaps, and closes the contest if a claim
// is settled.
func (a *normed) choose(c *contest) {
	for _, w := range c.share() {
		delete(a.sums.walks, w)
	}
	c.follow(a.estimates, a.clock, a.opt.Epsilon)
	for _, l := range c.claims() {
		if !l.vacant() {
			a.judge(l)
		}
	}
	for replaced := false; !replaced; {
		var l *claim
		if l, replaced = c.rise(a.estimates); l == nil {
			break
		}
		a.judge(l)
	}
	c.decide(a.estimates, a.clock, a.opt.Epsilon)
	if !c.closed {
		for k, i := range c.arms {
			a.spread[i] = c.spread[k]
		}
	}
}

// rise gives a claim to the arm with the largest expected gain over the leaders of all claims. It prefers a vacant claim.
// Otherwise it replaces the leader with the smallest gain over the other leaders, if the arm gains more than normHold
// times as much. It never changes the claim for which rounds are planned or the claim of the arm with the largest
// estimate. It returns the changed claim; nil if there is none. replaced is false if the claim was vacant: then further
// claims may change.
func (c *contest) rise(estimates []float64) (to *claim, replaced bool) {
	claims, at, most := c.claims(), -1, 0.0
	for k, w := range c.walks {
		if w.Out {
			continue
		}
		if gain := c.gain(k, claims, nil, estimates); gain > most {
			at, most = k, gain
		}
	}
	if at < 0 {
		return nil, false
	}
	best, least := c.largest(estimates), most/normHold
	for j := range c.others {
		l := &c.others[j]
		if l.vacant() {
			l.leader = at
			return l, false
		}
		if gain := c.gain(l.leader, claims, l, estimates); l.leader != best && gain < least {
			to, least = l, gain
		}
	}
	if to != nil {
		to.leader = at
	}
	return to, true
}

// gain returns an upper bound on the expected excess of the arm at position k over the best leader, normalised. Leaders
// of vacant claims, and of the claim passed as but, do not count. The result is the smallest E max(0, μ_k - μ_leader).
// It is 0 if the arm is one of the leaders.
func (c *contest) gain(k int, claims []*claim, but *claim, estimates []float64) float64 {
	least := math.Inf(1)
	for _, l := range claims {
		switch {
		case l == but || l.vacant():
		case l.leader == k:
			return 0
		default:
			least = min(least, excess(estimates[c.arms[k]]-estimates[c.arms[l.leader]], l.spread[k]))
		}
	}
	return least
}

// most returns the largest information that a round should add about the gap of the arm at position k.
func (c *claim) most(k int) float64 { return min(spreadGrowth/c.spread[k], certainGrowth/c.certain[k]) }

// startClocks sets the offset, and with an accuracy the boundary, of every walk that has no step and begins no step in
// this round.
func (a *normed) startClocks() {
	for c := range a.allClaims() {
		if c.spread == nil || c.vacant() {
			continue
		}
		for k, w := range c.walks {
			if k == c.leader || w.Look >= 0 || a.fixed.first[w] {
				continue
			}
			w.Offset = a.clock.OffsetFor(c.most(k) / spreadGrowth)
			a.expect(w)
		}
	}
}

// expect sets the number of looks that a walk is expected to need, and adds the boundary for it to the clock. Without a
// requested accuracy, or if the number exceeds the clock's looks, the number is 0, meaning unknown.
func (a *normed) expect(w *sequential.Walk) {
	if w.Horizon = 0; !(a.opt.Epsilon > 0) {
		return
	}
	looks := normLooks * max(1, (a.looksOfTies(a.clock.Of(w).Origin)+normLooks-1)/normLooks)
	if looks >= len(a.clock.Z) {
		return
	}
	w.Horizon = looks
	if _, known := a.clock.Within[looks]; known {
		return
	}
	a.clock.Within[looks] = a.heights(looks)
}
