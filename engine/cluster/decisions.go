package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Decisions says in short what a replica has decided: a digest of all, and what is new since the round
// before. Plans carry it, so that builds which round differently notice a decision that differs. Arms are numbers in the problem, from 0.
type Decisions struct {
	Digest  string   `json:"digest"`           // digest of the arms out, the leaders and the tasks closed; 64 bits in hexadecimal
	Out     []Out    `json:"out,omitempty"`    // in arm order; nil if none went
	Leaders []Leader `json:"leaders"`          // of each task; in task order
	Closed  []int    `json:"closed,omitempty"` // tasks that have their answer; numbers from 0; nil if none has
}

// Out is an arm that was eliminated in the last round.
type Out struct {
	Arm   int     `json:"arm"`   // number in the problem, from 0
	Gap   float64 `json:"gap"`   // by which it lost, reward units; 0 if it is not finite
	Width float64 `json:"width"` // the threshold that the gap reached, reward units; 0 if it is not finite
}

// Leader is the arm that leads a task.
type Leader struct {
	Arm      int     `json:"arm"`      // -1 without one; else a number in the problem
	Estimate float64 `json:"estimate"` // estimate of its reward, reward units
	Margin   float64 `json:"margin"`   // as engine.Answer
}

// Difference is a decision that two replicas made differently, which only builds that round differently do. Here has no numbers if the arm
// is open here, nor There if it is open there. Round counts the rounds that were learned before the decision. Task and Arm are "" if the
// author names an arm that the problem does not have.
type Difference struct {
	Round int    `json:"round"` // after which it shows
	Task  string `json:"task"`  // its name
	Arm   string `json:"arm"`   // its name
	What  string `json:"what"`  // what differs: "out", "leader", "closed"
	Here  string `json:"here"`  // the decision here with its statistic
	There string `json:"there"` // the decision of the plan's author, which counts
}

// String returns it as a sentence.
func (d Difference) String() string {
	return fmt.Sprintf("after round %d, task %q, arm %q: %s here, and %s for the author of the plan, which counts", d.Round, d.Task,
		d.Arm, d.Here, d.There)
}

// arms finds arms by task and name. Answers and eliminations have names, and plans have numbers. It is made once for each replica.
type arms map[[2]string]int

// find returns the number of an arm, -1 if there is none of that name.
func (a arms) find(task, arm string) int {
	if i, ok := a[[2]string{task, arm}]; ok {
		return i
	}
	return -1
}

// decisionsOf returns the decisions of an algorithm after a round. Out has the arms of that round alone, and the digest all so
// far. Replicas that learned the same, and round alike, have the same digest.
func decisionsOf(alg engine.Detailed, all arms, round int) Decisions {
	var d Decisions
	var out []int
	for _, e := range alg.Eliminations() {
		i := all.find(e.Task, e.Arm)
		if out = append(out, i); e.Round == round {
			d.Out = append(d.Out, Out{i, number(e.Gap), number(e.Width)})
		}
	}
	// within a round the order of the audit trail does not count
	slices.Sort(out)
	slices.SortFunc(d.Out, func(a, b Out) int { return a.Arm - b.Arm })
	// ';' ends each list, so that two lists do not read as one. As a varint it is -30; arms and tasks are -1 or more.
	h := sha256.New()
	add := func(numbers ...int) {
		for _, n := range numbers {
			h.Write(binary.AppendVarint(nil, int64(n)))
		}
		h.Write([]byte{';'})
	}
	add(out...)
	// answers are in task order
	for v, a := range alg.Answers() {
		l := Leader{all.find(a.Task, a.Leader), number(a.Estimate), number(a.Margin)}
		if d.Leaders = append(d.Leaders, l); a.Decided {
			d.Closed = append(d.Closed, v)
		}
		add(l.Arm)
	}
	add(d.Closed...)
	d.Digest = hex.EncodeToString(h.Sum(nil)[:8])
	return d
}

// differences states how the decisions of a plan's author differ from those here. It is nil if the digests are alike, as nearly
// always. Both are of the same round.
func (r *replica) differences(round int, there Decisions) []Difference {
	here := r.decisions(round)
	if here.Digest == there.Digest {
		return nil
	}
	// an arm of another program may be none of this problem
	p := r.question.Problem
	var out []Difference
	add := func(arm int, what, here, there string) {
		d := Difference{Round: round, What: what, Here: here, There: there}
		if arm >= 0 && arm < p.N() {
			d.Task, d.Arm = p.Tasks.Names[p.TaskOf[arm]], p.Arms.Names[arm]
		}
		out = append(out, d)
	}
	lost := func(o Out) string { return fmt.Sprintf("out (behind by %.6g at a threshold of %.6g)", o.Gap, o.Width) }
	byArm := func(o Out, arm int) int { return o.Arm - arm }
	// arms that the author lost in this round and that are open here; one that left here in an earlier round is out in both
	for _, o := range there.Out {
		if o.Arm < 0 || o.Arm >= p.N() {
			add(o.Arm, "out", "no such arm", lost(o))
			continue
		}
		if _, both := slices.BinarySearchFunc(here.Out, o.Arm, byArm); !both && !r.isOut(o.Arm) {
			add(o.Arm, "out", r.standing(here, o.Arm), lost(o))
		}
	}
	// arms that were lost here in this round, and not there
	for _, o := range here.Out {
		if _, both := slices.BinarySearchFunc(there.Out, o.Arm, byArm); !both {
			add(o.Arm, "out", lost(o), openAt(there, p.TaskOf[o.Arm]))
		}
	}
	// leaders and closed tasks; a list of another program may be shorter
	for v := range min(len(here.Leaders), len(there.Leaders)) {
		h, t := here.Leaders[v], there.Leaders[v]
		if h.Arm != t.Arm {
			add(t.Arm, "leader", r.led(h), r.led(t))
		}
		closedHere, closedThere := slices.Contains(here.Closed, v), slices.Contains(there.Closed, v)
		if closedHere != closedThere {
			word := map[bool]string{true: "closed", false: "open"}
			add(t.Arm, "closed", word[closedHere]+", "+r.led(h), word[closedThere]+", "+r.led(t))
		}
	}
	return out
}

// led returns a leader in words.
func (r *replica) led(l Leader) string {
	name := "nobody"
	if l.Arm >= 0 && l.Arm < r.question.Problem.N() {
		name = fmt.Sprintf("%q", r.question.Problem.Arms.Names[l.Arm])
	}
	return fmt.Sprintf("led by %s with %.6g, margin %.6g", name, l.Estimate, l.Margin)
}

// openAt states that an arm of a task is open for others. A list of another program may be shorter than the tasks.
func openAt(d Decisions, v int) string {
	if v >= len(d.Leaders) {
		return "open"
	}
	return fmt.Sprintf("open (the leader's estimate is %.6g, margin %.6g)", d.Leaders[v].Estimate, d.Leaders[v].Margin)
}

// isOut reports whether an arm is eliminated here. It looks through the whole audit trail: it is asked only where digests differ.
func (r *replica) isOut(arm int) bool {
	name := r.question.Problem.NamesOf(arm)
	return slices.ContainsFunc(r.asked.Algorithm().Eliminations(),
		func(e engine.Elimination) bool { return e.Task == name[0] && e.Arm == name[1] })
}

// standing compares an arm that is open here with the leader of its task. If the algorithm has estimates of all arms, both are given with
// their intervals; otherwise only the leader is.
func (r *replica) standing(here Decisions, arm int) string {
	p := r.question.Problem
	l := here.Leaders[p.TaskOf[arm]]
	var est engine.ArmEstimates
	if l.Arm >= 0 {
		est = r.asked.Algorithm().ArmEstimates()
	}
	if len(est.Mean) != p.N() {
		return openAt(here, p.TaskOf[arm])
	}
	return fmt.Sprintf("open (behind by %.6g, 95 %% intervals of ±%.3g and ±%.3g)", est.Mean[l.Arm]-est.Mean[arm],
		est.Half[l.Arm], est.Half[arm])
}

// PlanBody is the plan of a round, or the end of a run. The agent that publishes it first is its author, and all agents make the pulls that
// it has: replicas of builds that round differently would otherwise plan differently, and none of them could take the others' rewards.
// Replicas make it from the messages of the rounds before. It contains all that they could do differently: the counts, whose messages
// count, and which late messages the algorithm learns.
type PlanBody struct {
	Round  int    `json:"round"`            // from 1, as in the address of its fact
	Author int    `json:"author"`           // agent, from 0, as the publisher states; readPlan compares it with Fact.Sender
	Build  Build  `json:"build"`            // build of the author
	Counts []int  `json:"counts,omitempty"` // N pulls in arm order, each at least 0; nil at the end
	Digest string `json:"digest,omitempty"` // digest of the counts and of all that was learned before; "" at the end
	// whether squared deviations are wanted besides the means
	Squares bool `json:"squares,omitempty"`
	// agents that were too late with their messages of the round before
	Absent []Absence `json:"absent,omitempty"` // with their reasons, in agent order
	// messages that came after their rounds; all replicas are informed of them before this round
	Late []Late `json:"late,omitempty"`
	// what the author makes of the rounds before
	Before Decisions `json:"before"` // replicas compare it with their own decisions
	// of runs with a relay: the messages of the round before, in agent order, nil for absent agents
	Messages [][]byte `json:"messages,omitempty"` // nil without a relay, and where they are a file
	// the pieces of Messages where they are too long for a fact, as Facts.Keep named them
	Stored string `json:"kept,omitempty"` // "" where they are not

	Done    bool            `json:"done,omitempty"`    // nothing is left to plan
	Status  engine.Status   `json:"status,omitempty"`  // why the run ended; "" before
	Answers []engine.Answer `json:"answers,omitempty"` // the answers of the run, when done; all replicas must come to them
}

// PlanError is a published plan that no replica can follow: it was made of another history, by another program, or by a program that does
// not take part. The run cannot continue. The address of the plan is used up, so that another plan cannot take its place.
type PlanError struct {
	Run   string // its name
	Round int    // round of the plan
	Why   string // a sentence without the run and the round
}

func (e *PlanError) Error() string {
	return fmt.Sprintf("run %s: the plan of round %d is refused: %s", e.Run, e.Round, e.Why)
}

// readPlan reads the plan of a round and reports one that no replica can follow. It checks the plan against RunBody only; the replica that
// adopts the plan checks the counts against the problem. After nil all indices in the plan are in range: its author, those absent, its
// counts and its answers.
func readPlan(f Fact, b RunBody) (PlanBody, error) {
	var p PlanBody
	if err := decode(f, &p); err != nil {
		return p, &PlanError{f.Run, f.Round, err.Error()}
	}
	// an error of decode has the address of the fact in it
	refuse := func(format string, args ...any) error {
		return &PlanError{f.Run, f.Round, fmt.Sprintf(format, args...)}
	}
	switch {
	case p.Round != f.Round:
		return p, refuse("the plan belongs to round %d", p.Round)
	case p.Author < 0 || p.Author >= len(b.Tasks):
		return p, refuse("the plan's author is %s, but the run has %s", AgentName(p.Author), sentence.Count(len(b.Tasks), "agent"))
	case f.Sender != "" && f.Sender != AgentName(p.Author): // on a server with keys
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
	// answers are in task order, as the replica's own
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
	// in agent order, each once
	for i, a := range p.Absent {
		if a.Agent < 0 || a.Agent >= len(b.Tasks) || i > 0 && a.Agent <= p.Absent[i-1].Agent {
			return p, refuse("%s is among those absent", AgentName(a.Agent))
		}
	}
	return p, nil
}

// maxInline is the most bytes of messages that ride in a plan itself. In JSON they are a third longer. That leaves a third of
// the fact to the counts, the decisions and the late messages.
const maxInline = MaxBody / 2

// attach puts the messages of the round before into a plan. Messages is nil afterwards if they are a file, which is kept
// before the plan that has its hash is published.
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

// messages returns the V messages that attach stored in the plan. A message is nil if its agent is absent. The error is a *PlanError if
// there are not as many as agents, or comes from the exchange.
func (p PlanBody) messages(ctx context.Context, x Facts, run string, agents int) ([][]byte, error) {
	out := p.Messages
	if p.Stored != "" {
		all, err := x.Fetch(ctx, run, p.Stored)
		if err != nil {
			return nil, err
		}
		if err := decode(Fact{Run: run, Round: p.Round, Name: namePlan, Body: all}, &out); err != nil {
			return nil, err
		}
	}
	if len(out) != agents {
		return nil, &PlanError{run, p.Round,
			fmt.Sprintf("the plan passes on %s, but the run has %s", sentence.Count(len(out), "message"), sentence.Count(agents, "agent"))}
	}
	return out, nil
}
