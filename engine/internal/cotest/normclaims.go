package cotest

import (
	"iter"
	"math"

	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// Claims and clocks under a bound on the norm. With an accuracy a contest of many arms has several claims, which share delta: a
// round informs about all gaps of a task, and among many near ties the first leader is seldom the last one (docs/adr/0034).
const (
	normClaims = 3   // of a contest of more than model.MostOneLeader arms, where an accuracy is asked
	normHold   = 2.0 // times what its leader may gain another arm must, to have its claim
	normEarly  = 8   // clockEarly where noise scales are known
	normLooks  = 4   // looks that walks are expected to need are rounded up to a multiple
)

// contend gives the contests their claims and the level of each, before any data.
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

// allClaims returns the claims of all contests.
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

// choose chooses the leaders of a contest, judges its gaps, and closes it where a claim is settled.
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

// rise gives a claim to the arm that is expected to gain most over the leaders of all claims: a claim that no arm has, or else the claim
// whose leader gains least over the other leaders, if the arm gains much more. The claim that rounds are planned for and the one whose
// leader has the largest estimate stay. It returns the claim; nil if all stay.
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

// gain returns the expected excess of the arm at position k over the leaders of the claims except one, normalised, 0 for such a leader: the
// least of E max(0, μ_k - μ_leader), which is an upper bound.
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

// most returns the largest information that a round should add about the gap at position k.
func (c *claim) most(k int) float64 { return min(spreadGrowth/c.spread[k], certainGrowth/c.certain[k]) }

// startClocks sets the clocks and the heights of walks that have not begun.
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

// expect states how many looks a walk is expected to need, where an accuracy is asked, and sees that the clock has heights for them.
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
