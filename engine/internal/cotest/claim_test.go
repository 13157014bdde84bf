package cotest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// threeClaims returns a contest of four arms, with the clock of its walks.
func threeClaims() (*contest, sequential.Clock) {
	fresh := func(leader int) claim {
		c := claim{arms: []int{0, 1, 2, 3}, leader: leader, spread: []float64{1, 1, 1, 1}}
		for range c.arms {
			c.walks = append(c.walks, &sequential.Walk{Look: -1})
		}
		return c
	}
	clock := sequential.Clock{Origin: 1}
	for range sequential.ClockLooks {
		clock.Z = append(clock.Z, 3)
	}
	return &contest{tasks: []int{0}, claim: fresh(0), others: []claim{fresh(-1), fresh(-1)}}, clock
}

// tell makes a step of a claim's walk at which the leader is by so much above the arm.
func tell(c *claim, clock sequential.Clock, k int, gap float64) {
	const look = 30
	sd := 1 / math.Sqrt(clock.Time(look))
	b := sequential.Bet{Walk: c.walks[k], Opponent: c.arms[c.leader], Arm: k, Variance: sd * sd, Look: look}
	b.Settle(clock, sequential.Score{Gap: gap, Sd: sd, Freedom: math.Inf(1)})
}

// The arm with the largest estimate has a claim that no arm had, and the others go to arms that may be far above all leaders.
func TestClaimsRise(t *testing.T) {
	c, clock := threeClaims()
	estimates := []float64{1, 1.2, 0.5, 0.9}
	c.follow(estimates, clock, 0.1)
	if c.leader != 1 || c.others[0].leader != -1 {
		t.Fatalf("leaders %d and %d; want 1 and none", c.leader, c.others[0].leader)
	}
	know := func(arm int, variance float64) {
		for _, l := range c.claims() {
			l.spread[arm] = variance
		}
	}
	know(2, 16)
	if l, replaced := c.rise(estimates); l != &c.others[0] || l.leader != 2 || replaced {
		t.Fatalf("the second claim is of arm %d, want 2: little is known of it", c.others[0].leader)
	}
	estimates[0] = 1.3
	if c.follow(estimates, clock, 0.1); c.leader != 1 || c.others[1].leader != 0 {
		t.Fatalf("leaders %d, and %d of the last claim; want 1 and 0", c.leader, c.others[1].leader)
	}
	know(2, 0.01)
	if l, replaced := c.rise(estimates); l != &c.others[0] || l.leader != 3 || !replaced {
		t.Errorf("the second claim is of arm %d, want 3: the leader is known to be far below", c.others[0].leader)
	}
	know(2, 1)
	if l, replaced := c.rise(estimates); l != nil || !replaced {
		t.Errorf("a leader goes for one that hardly gains more")
	}
}

// An arm that is out for one claim is out for all, and the claim that is settled answers.
func TestClaimsDecide(t *testing.T) {
	const epsilon = 0.1
	c, clock := threeClaims()
	c.others[0].leader, c.others[1].leader = 1, 2
	tell(&c.others[1], clock, 3, 5)
	if c.walks[3].Out || !c.others[1].walks[3].Out {
		t.Fatal("the walk of one claim moved another's, or did not cross")
	}
	if dropped := c.share(); len(dropped) != 2 || !c.walks[3].Out || !c.others[0].walks[3].Out {
		t.Fatalf("an arm that is out for one claim is not for all, %d walks dropped", len(dropped))
	}
	second := &c.others[0]
	for _, k := range []int{0, 2} { // within epsilon of it, and not out
		tell(second, clock, k, 3/math.Sqrt(clock.Time(30))-epsilon/2)
		if second.walks[k].Out || !second.walks[k].Excludes(clock, 1, epsilon) {
			t.Fatalf("arm %d is out, or not within epsilon", k)
		}
	}
	estimates := []float64{1, 1.01, 0.99, 0}
	c.decide(estimates, clock, epsilon)
	if !c.closed || c.leader != 1 {
		t.Errorf("arm %d leads, closed %v; want 1, true", c.leader, c.closed)
	}
	if c.open(0, clock, epsilon) || !c.others[0].open(1, clock, epsilon) {
		t.Error("claims are not told apart")
	}
}

// Rounds are planned for a claim of several arms that lack little each, instead of a claim of one that lacks much.
func TestClaimsLack(t *testing.T) {
	const epsilon = 0.1
	c, clock := threeClaims()
	c.others[0].leader = 1
	for _, k := range []int{2, 3} {
		tell(&c.claim, clock, k, 3/math.Sqrt(clock.Time(30))-epsilon/2) // within epsilon, and not out
	}
	estimates := []float64{1, 1.02, 1, 1}
	one, several := c.lack(0, estimates, clock, epsilon, 1), c.others[0].lack(1, estimates, clock, epsilon, 1)
	if c.open(2, clock, epsilon) || !(one < several) {
		t.Fatalf("claims lack %g and %g, added up", one, several)
	}
	if c.decide(estimates, clock, epsilon); c.leader != 1 {
		t.Errorf("rounds are planned for the claim of arm %d, which lacks %g for one arm; want 1", c.leader, one)
	}
}

// The walks of all claims together keep the level of their contest, by the heights of their own horizons.
func TestClaimsShareTheirLevel(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	const delta = 0.05
	p, m := smoothOn(t, 5*(model.MostOneLeader+1))
	opt := engine.Options{Norm: manyarms.Norm, Unit: 1, Epsilon: 0.1, Delta: delta}
	a := try.Of(newNormed(m, plain.TermsOf(t, m, engine.ModeFC, opt), Bound{Bound: model.Bound{Norm: manyarms.Norm}}))
	for round := range uint64(2) {
		plan := try.Of(a.Plan(t.Context()))
		try.To(a.Learn(t.Context(), enginetest.Pull(rand.New(rand.NewPCG(round, 6)), p, plan)))
	}
	horizons := map[int]bool{}
	for _, c := range a.contests {
		leaders := map[int]bool{}
		for _, l := range c.claims() {
			leaders[l.leader] = true
			for _, w := range l.walks {
				horizons[w.Horizon] = horizons[w.Horizon] || w.Look >= 0
			}
		}
		if len(c.claims()) != normClaims || len(leaders) != normClaims {
			t.Errorf("leaders %v of %d claims", leaders, len(c.claims()))
		}
	}
	alpha := delta / float64(len(a.contests)*normClaims)
	seen := 0
	for looks, begun := range horizons {
		if !begun {
			continue
		}
		seen++
		z := a.clock.Of(&sequential.Walk{Horizon: looks}).Z
		times := sequential.Geometric(sequential.ClockGrowth, looks)
		if got, _, err := sequential.Crossing(z[0], times); err != nil || math.Abs(got/((1-tieShare)*alpha)-1) > 1e-4 {
			t.Errorf("%d looks cross with probability %g, want %g (%v)", looks, got, (1-tieShare)*alpha, err)
		}
		if z[looks-1] != z[0] || !(z[looks] > z[0]) {
			t.Errorf("heights %g, %g and %g around look %d", z[0], z[looks-1], z[looks], looks)
		}
	}
	if seen < 2 {
		t.Errorf("walks have %d horizons", seen)
	}
}
