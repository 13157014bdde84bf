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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Decisions summarises what a replica has decided: a digest of everything, and the changes since the previous round. Plans
// contain it, so that builds with different rounding notice differing decisions. Arms are numbers in the problem, from 0.
type Decisions struct {
	Digest  string   `json:"digest"`           // digest of eliminated arms, leaders and decided tasks; 64 bits in hexadecimal
	Out     []Out    `json:"out,omitempty"`    // arms eliminated in the last round, in arm order
	Leaders []Leader `json:"leaders"`          // one for each task, in task order
	Closed  []int    `json:"closed,omitempty"` // numbers of the decided tasks, from 0
}

// Out is an arm that was eliminated in the last round.
type Out struct {
	Arm   int     `json:"arm"`   // number in the problem, from 0
	Gap   float64 `json:"gap"`   // by how much the arm lost, reward units; 0 if not finite
	Width float64 `json:"width"` // threshold that the gap reached, reward units; 0 if not finite
}

// Leader is the leading arm of a task.
type Leader struct {
	Arm      int     `json:"arm"`      // number in the problem; -1 if there is none
	Estimate float64 `json:"estimate"` // estimate of its expected reward, reward units
	Margin   float64 `json:"margin"`   // see engine.Answer
}

// Difference is a decision on which two replicas differ, which happens only between builds with different rounding. Task
// and Arm are "" if the author names an arm that the problem does not have.
type Difference struct {
	Round int    `json:"round"` // number of rounds learned before the decision
	Task  string `json:"task"`  // name of the task
	Arm   string `json:"arm"`   // name of the arm
	What  string `json:"what"`  // kind of decision: "out", "leader" or "closed"
	Here  string `json:"here"`  // this replica's decision, with its statistic
	There string `json:"there"` // the decision of the plan's author, which counts
}

// String returns the difference as a sentence.
func (d Difference) String() string {
	return fmt.Sprintf("after round %d, task %q, arm %q: %s here, and %s for the author of the plan, which counts", d.Round, d.Task,
		d.Arm, d.Here, d.There)
}

// arms maps task and arm names to numbers: answers and eliminations contain names, and plans contain numbers. Each replica
// makes it once.
type arms map[[2]string]int

// find returns the number of an arm; -1 if the name does not exist.
func (a arms) find(task, arm string) int {
	if i, ok := a[[2]string{task, arm}]; ok {
		return i
	}
	return -1
}

// decisionsOf returns the decisions of an algorithm after a round. Out has only the eliminations of that round; Digest
// covers all rounds. Replicas that learned the same data with the same rounding have the same digest.
func decisionsOf(alg engine.Detailed, all arms, round int) Decisions {
	var d Decisions
	var out []int
	for _, e := range alg.Eliminations() {
		i := all.find(e.Task, e.Arm)
		if out = append(out, i); e.Round == round {
			d.Out = append(d.Out, Out{i, number(e.Gap), number(e.Width)})
		}
	}
	// the order within a round does not matter
	slices.Sort(out)
	slices.SortFunc(d.Out, func(a, b Out) int { return a.Arm - b.Arm })
	// each list ends with ';', so that lists cannot be confused. As a varint, ';' is -30, and numbers of arms and tasks
	// are at least -1.
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

// differences returns the decisions on which this replica and a plan's author differ. It returns nil if the digests are
// equal, as they nearly always are. Both are after the same round.
func (r *replica) differences(round int, there Decisions) []Difference {
	here := r.decisions(round)
	if here.Digest == there.Digest {
		return nil
	}
	// another program may name an arm that this problem does not have
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
	// arms that the author eliminated in this round and that are open here; an arm eliminated here earlier is out for both
	for _, o := range there.Out {
		if o.Arm < 0 || o.Arm >= p.N() {
			add(o.Arm, "out", "no such arm", lost(o))
			continue
		}
		if _, both := slices.BinarySearchFunc(here.Out, o.Arm, byArm); !both && !r.isOut(o.Arm) {
			add(o.Arm, "out", r.standing(here, o.Arm), lost(o))
		}
	}
	// arms eliminated here in this round, but not by the author
	for _, o := range here.Out {
		if _, both := slices.BinarySearchFunc(there.Out, o.Arm, byArm); !both {
			add(o.Arm, "out", lost(o), openAt(there, p.TaskOf[o.Arm]))
		}
	}
	// leaders and decided tasks; the list of another program may be shorter
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

// led describes a leader in words.
func (r *replica) led(l Leader) string {
	name := "nobody"
	if l.Arm >= 0 && l.Arm < r.question.Problem.N() {
		name = fmt.Sprintf("%q", r.question.Problem.Arms.Names[l.Arm])
	}
	return fmt.Sprintf("led by %s with %.6g, margin %.6g", name, l.Estimate, l.Margin)
}

// openAt describes an arm of task v as open. The list of leaders from another program may be too short.
func openAt(d Decisions, v int) string {
	if v >= len(d.Leaders) {
		return "open"
	}
	return fmt.Sprintf("open (the leader's estimate is %.6g, margin %.6g)", d.Leaders[v].Estimate, d.Leaders[v].Margin)
}

// isOut reports whether this replica has eliminated an arm. It searches all eliminations, and is called only if digests
// differ.
func (r *replica) isOut(arm int) bool {
	name := r.question.Problem.NamesOf(arm)
	return slices.ContainsFunc(r.asked.Algorithm().Eliminations(),
		func(e engine.Elimination) bool { return e.Task == name[0] && e.Arm == name[1] })
}

// standing describes an open arm compared with the leader of its task. If the algorithm has estimates of all arms, it
// states their difference and both intervals; otherwise only the leader's estimate.
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
	Before Decisions `json:"before"` // replicas compare them with their own
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
