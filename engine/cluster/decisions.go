package cluster

import (
	"context"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Decision is what a replica has decided about a task. Plans contain the decisions of their authors, so that builds with
// different rounding notice different decisions.
type Decision struct {
	Task     string  `json:"task"`     // name of the task
	Leader   string  `json:"leader"`   // name of the leading arm; "" if there is none
	Estimate float64 `json:"estimate"` // estimate of its expected reward, reward units
	Margin   float64 `json:"margin"`   // see engine.Answer
	Open     int     `json:"open"`     // number of arms that are not eliminated
	Decided  bool    `json:"decided"`  // the leader is the answer
}

// String returns the decision in words.
func (d Decision) String() string {
	word := map[bool]string{true: "decided", false: "open"}[d.Decided]
	return fmt.Sprintf("%s, led by %q with %.6g, margin %.6g, %s left", word, d.Leader, d.Estimate, d.Margin, sentence.Count(d.Open, "arm"))
}

// decisionsOf returns the decisions in answers, in task order.
func decisionsOf(answers []engine.Answer) []Decision {
	return lists.Map(written(answers), func(a engine.Answer) Decision {
		return Decision{a.Task, a.Leader, a.Estimate, a.Margin, max(1, len(a.Candidates)), a.Decided}
	})
}

// Difference is a task on which two replicas decide differently, which happens only between builds with different rounding.
type Difference struct {
	Round int      `json:"round"` // number of rounds learned before the decision
	Here  Decision `json:"here"`  // this replica's decision
	There Decision `json:"there"` // the decision of the plan's author, which counts
}

// String returns the difference as a sentence.
func (d Difference) String() string {
	return fmt.Sprintf("after round %d, task %q: %s here, and %s for the author of the plan, which counts", d.Round, d.Here.Task, d.Here,
		d.There)
}

// differences compares the decisions of a plan's author with those of this replica, apart from their estimates. The list
// of another program may be shorter.
func (r *replica) differences(there []Decision) (out []Difference) {
	here := decisionsOf(r.asked.Algorithm().Answers())
	for v := range min(len(here), len(there)) {
		if h, t := here[v], there[v]; h.Leader != t.Leader || h.Open != t.Open || h.Decided != t.Decided {
			out = append(out, Difference{r.rounds, h, t})
		}
	}
	return out
}

// PlanBody is the plan of a round, or the end of a run. The agent that publishes it first is its author, and all agents
// make its pulls: replicas with different rounding could otherwise plan differently and refuse each other's rewards. A
// replica makes it from the messages of earlier rounds. It contains everything on which replicas could differ: the counts,
// the messages that count, and the late messages that the algorithm learns.
type PlanBody struct {
	Round  int    `json:"round"`            // from 1; equals the round of its fact
	Author int    `json:"author"`           // agent that made it, from 0; readPlan compares it with Fact.Sender
	Build  Build  `json:"build"`            // build of the author
	Counts []int  `json:"counts,omitempty"` // pulls of each of N arms, at least 0; nil at the end
	Digest string `json:"digest,omitempty"` // digest of the counts and of everything learned before; "" at the end
	// agents must publish squared deviations in addition to means
	Squares bool `json:"squares,omitempty"`
	// agents whose messages of the previous round do not count
	Absent []Absence `json:"absent,omitempty"` // with reasons, in agent order
	// messages that came after the end of their round; replicas learn them before this round
	Late []Late `json:"late,omitempty"`
	// decisions of the author after the previous round
	Before []Decision `json:"before"` // in task order; replicas compare them with their own
	// with a relay: the messages of the previous round, in agent order, nil for absent agents
	Messages [][]byte `json:"messages,omitempty"` // nil without a relay, or if they are stored as a file
	// hash of the file with Messages if they are too long for a fact (Facts.Keep)
	Stored string `json:"kept,omitempty"` // "" if they are not stored as a file

	Done    bool            `json:"done,omitempty"`    // nothing is left to plan: the run ends
	Status  engine.Status   `json:"status,omitempty"`  // why the run ended; "" before
	Answers []engine.Answer `json:"answers,omitempty"` // final answers, if Done; every replica must reach the same answers
}

// PlanError reports a published plan that no replica can follow: it was made from another history, by another program, or
// by a program that does not take part. The run cannot continue, because the address of the plan is used and no other plan
// can replace it.
type PlanError struct {
	Run   string // name of the run
	Round int    // round of the plan
	Why   string // the reason, without the run and the round
}

func (e *PlanError) Error() string {
	return fmt.Sprintf("run %s: the plan of round %d is refused: %s", e.Run, e.Round, e.Why)
}

// readPlan parses the plan of a round. It returns a *PlanError if no replica can follow the plan. It compares the plan
// only with b; the replica that adopts the plan compares the counts with the problem. If the error is nil, the author, the
// absent agents, the counts and the answers are in range.
func readPlan(f Fact, b RunBody) (PlanBody, error) {
	var p PlanBody
	if err := decode(f, &p); err != nil {
		return p, &PlanError{f.Run, f.Round, err.Error()}
	}
	// errors of decode already contain the address of the fact
	refuse := func(format string, args ...any) error {
		return &PlanError{f.Run, f.Round, fmt.Sprintf(format, args...)}
	}
	switch {
	case p.Round != f.Round:
		return p, refuse("the plan belongs to round %d", p.Round)
	case p.Author < 0 || p.Author >= len(b.Tasks):
		return p, refuse("the plan's author is %s, but the run has %s", AgentName(p.Author), sentence.Count(len(b.Tasks), "agent"))
	case f.Sender != "" && f.Sender != AgentName(p.Author): // only a server with keys sets Sender
		return p, refuse("the plan names %s as its author, but %s published it", AgentName(p.Author), f.Sender)
	case p.Done != (len(p.Counts) == 0): // an end has no counts, and every other plan has some
		return p, refuse("the plan has %s, but done is %t", sentence.Count(len(p.Counts), "count"), p.Done)
	case p.Done && len(p.Answers) != len(b.Tasks):
		return p, refuse("the plan answers %s, but the run has %d", sentence.Count(len(p.Answers), "task"), len(b.Tasks))
	case !p.Done && len(p.Counts) != b.Arms:
		return p, refuse("the plan has %s, but the problem has %d", sentence.Count(len(p.Counts), "arm"), b.Arms)
	case f.Round == 1 && (len(p.Absent) > 0 || len(p.Messages) > 0):
		return p, refuse("the plan refers to a round before the first")
	}
	// answers must be in task order
	for v, a := range p.Answers {
		if a.Task != b.Tasks[v] {
			return p, refuse("answer %d is for task %q, but task %d is %q", v+1, a.Task, v+1, b.Tasks[v])
		}
	}
	for i, c := range p.Counts {
		if c < 0 {
			return p, refuse("arm %d has %s", i+1, pulls(c))
		}
	}
	// in agent order, without repetition
	for i, a := range p.Absent {
		if a.Agent < 0 || a.Agent >= len(b.Tasks) || i > 0 && a.Agent <= p.Absent[i-1].Agent {
			return p, refuse("%s is among those absent", AgentName(a.Agent))
		}
	}
	return p, nil
}

// maxInline is the largest total size of messages inside a plan, in bytes. JSON makes them a third longer. A third of the
// fact remains for counts, decisions and late messages.
const maxInline = MaxBody / 2

// attach adds the messages of the previous round to a plan. If they are too long, it stores them as a file before the plan
// is published, and sets Stored instead of Messages.
func (p *PlanBody) attach(ctx context.Context, x Facts, run string, messages [][]byte) error {
	size := lists.Sum(messages, func(m []byte) int { return len(m) })
	if p.Messages = messages; size <= maxInline {
		return nil
	}
	all, err := encode(messages)
	if err != nil {
		return err
	}
	p.Messages = nil
	p.Stored, err = x.Keep(ctx, run, all)
	return err
}

// messages returns the messages that attach added, one for each agent, nil for absent agents. The error is a *PlanError if
// their number is wrong; other errors come from the exchange.
func (p PlanBody) messages(ctx context.Context, x Facts, run string, agents int) (_ [][]byte, err error) {
	defer try.Caught(&err)
	out := p.Messages
	if p.Stored != "" {
		all := try.Of(x.Fetch(ctx, run, p.Stored))
		try.To(decode(Fact{Run: run, Round: p.Round, Name: namePlan, Body: all}, &out))
	}
	if len(out) != agents {
		return nil, &PlanError{run, p.Round,
			fmt.Sprintf("the plan passes on %s, but the run has %s", sentence.Count(len(out), "message"), sentence.Count(agents, "agent"))}
	}
	return out, nil
}
