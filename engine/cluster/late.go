package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Late is the message of an agent that came after its round had gone on without it. Its rewards are of
// no round any more; an algorithm that they can guide is informed of them (engine.Informer), as one of a
// campaign is of late results. The plan that is made next has the message itself, so that all
// replicas are informed of the same at the same place, whatever each of them has read by then.
type Late struct {
	Round   int    `json:"round"`
	Agent   int    `json:"agent"` // from 0
	Message []byte `json:"message"`
}

// maxLate is the most bytes of late messages in a plan; others wait for the next one.
const maxLate = MaxBody / 8

// late returns the messages that came late and of which the replica has not been informed: of rounds
// before the last, of which a plan has said that they count without them.
func (r *replica) late(message func(round, agent int) ([]byte, bool)) []Late {
	if r.ended || !engine.Guided(r.asked.Algorithm()) {
		return nil
	}
	var out []Late
	size := 0
	for round := 1; round < r.rounds; round++ {
		for _, a := range r.absent[round-1] {
			m, there := message(round, a.Agent)
			if l := (Late{round, a.Agent, m}); there && size+len(m) <= maxLate && r.checkLate(l) == nil {
				out = append(out, l)
				size += len(m)
			}
		}
	}
	return out
}

// checkLate reports a message of which the replica cannot be informed.
func (r *replica) checkLate(l Late) error {
	if l.Round < 1 || l.Round >= r.rounds || !slices.Contains(agents(r.absent[l.Round-1]), l.Agent) {
		return &PlanError{r.run, r.rounds + 1, "it has a late message of an agent or a round that nobody went on without"}
	}
	if r.informed[[2]int{l.Round, l.Agent}] {
		return &PlanError{r.run, r.rounds + 1, "it has a late message a second time"}
	}
	if _, err := parseMessage(l.Message, l.Agent, r.plans[l.Round-1], r.question.Problem); err != nil {
		return &MessageError{r.run, l.Round, l.Agent, err}
	}
	return nil
}

// read reads a plan, and reports one with a late message that its agent did not send.
func (w *agent) read(ctx context.Context, f Fact) (PlanBody, error) {
	p, err := readPlan(f, w.opened)
	if err != nil {
		return p, err
	}
	for _, l := range p.Late {
		if l.Round < 1 {
			continue // the replica refuses it
		}
		name := AgentName(l.Agent)
		said, ok := w.history.get(l.Round, name)
		if !ok {
			if said, ok, err = w.Facts.Find(ctx, w.Run, l.Round, name); err != nil {
				return p, err
			}
		}
		if !ok || !bytes.Equal(said.Body, l.Message) {
			return p, notSent(f, l.Round, name, p)
		}
	}
	return p, nil
}

// notSent is a plan that has a message in the name of another agent.
func notSent(f Fact, round int, name string, p PlanBody) error {
	return &PlanError{f.Run, f.Round, fmt.Sprintf("its author, %s, sends on a message of %s in round %d, and %s did not send that", AgentName(p.Author), name, round, name)}
}

// inform informs the algorithm of late messages, before it plans the next round.
func (r *replica) inform(all []Late) error {
	n := r.question.Problem.N()
	for _, l := range all {
		if err := r.checkLate(l); err != nil {
			return err
		}
		lo, hi := r.question.Problem.ArmsOf(l.Agent)
		plan := r.plans[l.Round-1]
		m, err := parseMessage(l.Message, l.Agent, plan, r.question.Problem)
		if err != nil {
			return err // checkLate has parsed it
		}
		b := engine.Batch{Counts: make([]int, n), Means: make([]float64, n)}
		copy(b.Counts[lo:hi], m.Counts)
		copy(b.Means[lo:hi], m.Means)
		if plan.WantSquares {
			b.Squares = make([]float64, n)
			copy(b.Squares[lo:hi], m.Squares)
		}
		if err := r.asked.Inform(b); err != nil {
			return err
		}
		r.informed[[2]int{l.Round, l.Agent}] = true
	}
	return nil
}

// errOtherLate says that the plan which stands informs of other late messages than the one that was made
// here. The replica has gone too far by then, and is made again from the facts.
var errOtherLate = errors.New("another plan was made here")

// sameLate reports whether two plans inform of the same.
func sameLate(a, b []Late) bool {
	return slices.EqualFunc(a, b, func(x, y Late) bool { return x.Round == y.Round && x.Agent == y.Agent })
}
