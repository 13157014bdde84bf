package campaign

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Moment is a campaign at one time: what was recorded, and the protocol in force.
type Moment struct {
	*State
	Protocol
	Now time.Time
}

// Plan returns the event that begins the next round, or says that nothing is left, from a run that
// was replayed of this state.
func (s Moment) Plan(x *Run, build string, revision int) Event {
	b := PlanBody{Round: len(s.rounds) + 1, Revision: revision, Build: build, Decided: decisions(x.Outcome.Answers)}
	if !x.More {
		b.Done, b.Status, b.Round = true, string(x.Outcome.Status), len(s.rounds)
		return NewEvent(KindPlan, s.Now, "", b)
	}
	b.Seed = s.Start.orderSeed(b.Round)
	b.Counts, b.Rho, b.RhoLower, b.Rounding = x.Next.Counts, x.Next.Rho, x.Next.RhoLower, x.Next.Rounding
	b.WantSquares, b.Digest, b.Plate = x.Next.WantSquares, x.Next.Digest, s.Plate
	b.Counts = s.capped(b.Counts, s.spent(s.Protocol), b.Seed)
	b.Sides = x.Next.Sides
	q := s.Protocol
	q.Capacity = s.capacity(s.Protocol)
	if q.Cuts() {
		whole := x.Next.Pulls()
		b.Counts = cut(b.Counts, q.Capacity, b.Seed)
		b.Cut = whole > q.Capacity
	}
	return NewEvent(KindPlan, s.Now, "", b)
}

// orderSeed returns the seed of the order of a round's list.
func (b StartBody) orderSeed(round int) uint64 {
	return rand.New(rand.NewPCG(b.Seed, uint64(round))).Uint64()
}

// PlanBody begins a round, or says that there is none.
type PlanBody struct {
	Round       int           `json:"round"`
	Counts      []int         `json:"counts,omitempty"` // pulls by arm: the recorded fact
	Sides       []engine.Side `json:"sides,omitempty"`  // of Counts: the arms that share blocks
	Cut         bool          `json:"cut,omitempty"`    // from a larger plan, to the capacity
	Rho         float64       `json:"rho,omitempty"`
	RhoLower    float64       `json:"rho_lower,omitempty"`
	Rounding    float64       `json:"rounding,omitempty"`
	WantSquares bool          `json:"want_squares,omitempty"`
	Digest      string        `json:"digest,omitempty"`
	Seed        uint64        `json:"seed,omitempty"` // of the order of the list
	Plate       int           `json:"plate,omitempty"`
	Done        bool          `json:"done,omitempty"`   // nothing is left to measure
	Status      string        `json:"status,omitempty"` // engine.Status, when done
	Decided     []Decision    `json:"decided,omitempty"`
	Revision    int           `json:"revision"`
	Build       string        `json:"build,omitempty"`
}

// Decision is the answer that a task had when a plan was made.
type Decision struct {
	Task string `json:"task"`
	Arm  string `json:"arm"`
}

func (b *PlanBody) fold(s *State, e Event) error {
	if r := s.open(); r != nil {
		if !s.complete(r) {
			return fmt.Errorf("round %d was not over", r.plan.Round)
		}
		r.closed = e.Seq
	}
	s.done, s.reopened = nil, false
	if b.Done {
		s.done, s.doneSeq = b, e.Seq
		return nil
	}
	if len(b.Counts) != len(s.taskOf) || b.Round != len(s.rounds)+1 {
		return fmt.Errorf("round %d with %d arms, where round %d with %d arms must come", b.Round, len(b.Counts), len(s.rounds)+1, len(s.taskOf))
	}
	if b.Sides != nil && !slices.Equal(engine.CountsOf(b.Sides, len(b.Counts)), b.Counts) {
		return fmt.Errorf("round %d: its blocks are not of the pulls that it has", b.Round)
	}
	r := &round{plan: *b, seq: e.Seq, at: e.At, generation: len(s.grown), filled: map[[2]int]*filling{}, highest: map[int]int{},
		results: map[int][]*measured{}}
	if r.list = worklist(b.Counts, s.taskOf, b.Plate, b.Seed); b.Sides != nil {
		r.list = blockList(b.Sides, b.Plate, b.Seed)
	}
	for i, n := range b.Counts {
		r.highest[i] = n
	}
	s.rounds = append(s.rounds, r)
	return nil
}

// A campaign is led where a run of agents plans its rounds: people measure the pulls of one agent as
// pulls of a campaign, and the agent tells the others.

// Lead returns the events that make a plan the open round: none where it is open or over already, by
// its digest. A round that is not whole is closed for the reason given, because the run went on
// without it. Rounds are numbered as they come, without those in which the agent has no pulls.
func (s Moment) Lead(plan engine.Plan, reason, build string) []Event {
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
		out = append(out, NewEvent(KindClose, s.Now, "", CloseBody{Round: r.plan.Round, Lost: lost, Reason: reason}))
	}
	b := PlanBody{Round: len(s.rounds) + 1, Revision: Revision, Build: build, Counts: plan.Counts, WantSquares: plan.WantSquares,
		Digest: plan.Digest, Plate: s.Plate}
	b.Seed = s.Start.orderSeed(b.Round)
	return append(out, NewEvent(KindPlan, s.Now, "", b))
}
