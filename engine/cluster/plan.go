package cluster

import (
	"context"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
)

// PlanBody is the plan of a round, or the end of a run. Whoever publishes it first is its author, and
// all agents make the pulls that it has: replicas of builds that round differently would otherwise
// plan differently, and none of them could take the others' rewards.
type PlanBody struct {
	Round  int    `json:"round"`
	Author int    `json:"author"` // agent, from 0, as whoever published it says; readPlan compares it with Fact.Sender
	Build  Build  `json:"build"`  // of the author
	Counts []int  `json:"counts,omitempty"`
	Digest string `json:"digest,omitempty"` // of the counts and of all that was learned before
	// whether squared deviations are wanted besides the means
	Squares bool `json:"squares,omitempty"`
	// agents whose messages of the round before nobody waits for any longer
	Absent []Absence `json:"absent,omitempty"`
	// messages that came after their rounds, of which all replicas are informed before this round
	Late []Late `json:"late,omitempty"`
	// what the author makes of the rounds before
	Before Decisions `json:"before"`
	// of runs with a relay: the messages of the round before, in agent order, nil of those absent
	Messages [][]byte `json:"messages,omitempty"`
	// the pieces of Messages where they are too long for a fact, as Facts.Keep named them
	Kept string `json:"kept,omitempty"`

	Done    bool            `json:"done,omitempty"` // nothing is left to plan
	Status  engine.Status   `json:"status,omitempty"`
	Answers []engine.Answer `json:"answers,omitempty"` // the answers of the run, when done; all replicas must come to them
}

// PlanError is a plan that stands and that no replica can follow: it was made of another history, by
// another program, or by nobody who takes part. The run cannot go on.
type PlanError struct {
	Run   string
	Round int
	Why   string
}

func (e *PlanError) Error() string {
	return fmt.Sprintf("run %s: the plan of round %d is refused: %s", e.Run, e.Round, e.Why)
}

// readPlan reads the plan of a round and reports one that nobody can follow, whatever was learned.
func readPlan(f Fact, b RunBody) (PlanBody, error) {
	var p PlanBody
	if err := decode(f, &p); err != nil {
		return p, &PlanError{f.Run, f.Round, err.Error()}
	}
	refuse := func(format string, args ...any) error {
		return &PlanError{f.Run, f.Round, fmt.Sprintf(format, args...)}
	}
	switch {
	case p.Round != f.Round:
		return p, refuse("it is of round %d", p.Round)
	case p.Author < 0 || p.Author >= len(b.Tasks):
		return p, refuse("its author is %s, and the run has %s", AgentName(p.Author), count(len(b.Tasks), "agent"))
	case f.Sender != "" && f.Sender != AgentName(p.Author):
		return p, refuse("it says that it is of %s, and %s published it", AgentName(p.Author), f.Sender)
	case p.Done != (len(p.Counts) == 0):
		return p, refuse("it has %s, and done is %t", count(len(p.Counts), "count"), p.Done)
	case p.Done && len(p.Answers) != len(b.Tasks):
		return p, refuse("it answers %s, and the run has %d", count(len(p.Answers), "task"), len(b.Tasks))
	case !p.Done && len(p.Counts) != b.Arms:
		return p, refuse("it has %s, and the problem has %d", count(len(p.Counts), "arm"), b.Arms)
	case f.Round == 1 && (len(p.Absent) > 0 || len(p.Messages) > 0):
		return p, refuse("it speaks of a round before the first")
	}
	for v, a := range p.Answers {
		if a.Task != b.Tasks[v] {
			return p, refuse("answer %d is of task %q, and task %d is %q", v+1, a.Task, v+1, b.Tasks[v])
		}
	}
	for i, c := range p.Counts {
		if c < 0 {
			return p, refuse("arm %d has %s", i+1, pulls(c))
		}
	}
	for i, a := range p.Absent {
		if a.Agent < 0 || a.Agent >= len(b.Tasks) || i > 0 && a.Agent <= p.Absent[i-1].Agent {
			return p, refuse("%s is among those absent", AgentName(a.Agent))
		}
	}
	return p, nil
}

// plan returns the body as an engine.Plan.
func (p PlanBody) plan() engine.Plan {
	return engine.Plan{Round: p.Round, Counts: slices.Clone(p.Counts), WantSquares: p.Squares, Digest: p.Digest}
}

// maxInline is the most bytes of messages that ride in a plan itself.
const maxInline = MaxBody / 2

// attach puts the messages of the round before into a plan.
func (p *PlanBody) attach(ctx context.Context, x Facts, run string, messages [][]byte) error {
	size := 0
	for _, m := range messages {
		size += len(m)
	}
	if p.Messages = messages; size <= maxInline {
		return nil
	}
	all, err := encode(messages)
	if err != nil {
		return err
	}
	p.Messages = nil
	p.Kept, err = x.Keep(ctx, run, all)
	return err
}

// messages returns what attach put in, V of them.
func (p PlanBody) messages(ctx context.Context, x Facts, run string, agents int) ([][]byte, error) {
	out := p.Messages
	if p.Kept != "" {
		all, err := x.Fetch(ctx, run, p.Kept)
		if err != nil {
			return nil, err
		}
		if err := decode(Fact{Run: run, Round: p.Round, Name: namePlan, Body: all}, &out); err != nil {
			return nil, err
		}
	}
	if len(out) != agents {
		return nil, &PlanError{run, p.Round,
			fmt.Sprintf("it sends %s on, and the run has %s", count(len(out), "message"), count(agents, "agent"))}
	}
	return out, nil
}
