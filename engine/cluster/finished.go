package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Finished is the outcome of a run, or of its part so far. Agent.Take and Replay return it. A result of
// measured rewards is made from it.
type Finished struct {
	Run    string        `json:"run"`    // name of the run
	Status engine.Status `json:"status"` // interrupted before the end, and for a stopped run
	// answers of this replica; at the end they equal the author's
	Answers []engine.Answer `json:"answers"`           // in task order
	Author  int             `json:"author"`            // agent that published the end, from 1 as in its name; 0 before the end
	Stopped *StopBody       `json:"stopped,omitempty"` // who stopped the run and why; nil if it was not stopped
	Refused string          `json:"refused,omitempty"` // why the run cannot continue: a plan or message that no replica accepts
	Rounds  int             `json:"rounds"`            // rounds that this replica learned
	Samples int             `json:"samples"`           // learned samples of all agents together
	Traffic Traffic         `json:"traffic"`           // traffic of these rounds
	// number of plans of other agents that were adopted
	Taken int `json:"plans_taken"`
	// decisions on which authors and this replica differ, in the order of the rounds
	Differences []Difference `json:"differences,omitempty"`
	Silent      []Silence    `json:"silent,omitempty"` // one entry for each round and agent whose message did not count
	// result of measured rewards (algorithms.Measured); nil in a simulation, where expected rewards are known
	Result *engine.Result `json:"result,omitempty"`

	Outcome engine.Outcome `json:"-"` // outcome of this replica
}

// Silence is a round that continued without an agent, according to the next plan.
type Silence struct {
	Round int    `json:"round"` // from 1
	Task  string `json:"task"`  // the agent's task
	Why   string `json:"why"`   // sentence of its Absence, with the reason if its message was refused
}

// finished returns the outcome of the run. done is the plan that ends it, or nil before the end. why is the error that
// ended the run here, or nil. If why is a plan or message that no replica accepts, the answers have no guarantee. A
// returned error concerns only Result: the other fields are set.
func (r *replica) finished(done *PlanBody, why error) (Finished, error) {
	out := Finished{Run: r.run, Outcome: r.asked.Outcome(), Traffic: r.sent, Taken: r.taken, Differences: r.differ, Rounds: r.rounds}
	// the replica's present answers
	out.Status, out.Answers, out.Samples = engine.StatusInterrupted, written(out.Outcome.Answers), out.Outcome.Samples
	if refused(why) { // no program can continue the run
		out.Refused = why.Error()
	}
	if done != nil {
		out.Status, out.Author = done.Status, done.Author+1 // from 1, as in names of agents
	}
	// by agent: number of rounds that continued without it, for the warnings
	silent := map[int]int{}
	for round, all := range r.absent {
		for _, a := range all {
			silent[a.Agent]++
			out.Silent = append(out.Silent, Silence{round + 1, r.opened.Tasks[a.Agent], a.String()})
		}
	}
	// simulated rewards give no result of measurements
	if r.question.Simulated {
		return out, nil
	}
	result, err := r.asked.Result()
	if err != nil {
		return out, err
	}
	result.Status, result.Answers = out.Status, out.Answers
	// the result states that agents measured it, and in which run
	result.Stated = append(slices.Clip(result.Stated), engine.Setting{Name: engine.SettingAgents, Value: r.run})
	if done != nil {
		// a finished run counts as one run; otherwise Runs stays 0
		result.Runs = 1
	}
	// the answers rest on data that was refused, and so have no guarantee
	if out.Refused != "" {
		result.Standing, result.Guarantee = engine.StandingNone, engine.StandingNone+": "+out.Refused
	}
	// only messages, without plans
	result.Messages, result.Bytes = float64(r.sent.Messages), float64(r.sent.Bytes)
	result.BytesRaw, result.BytesTheta = float64(r.sent.Raw), float64(r.sent.Theta)
	// readers of the result must see which tasks lack rewards
	for v, task := range r.opened.Tasks {
		if silent[v] > 0 {
			result.Warnings = append(result.Warnings, engine.Warning{Kind: engine.WarnSilent, Names: []string{task},
				Numbers: []float64{float64(silent[v]), float64(r.rounds)}})
		}
	}
	out.Result = &result
	return out, nil
}

// Absence is an agent whose message of a round does not count. String returns the reason as a sentence that lacks the
// agent.
type Absence struct {
	Agent int    `json:"agent"` // from 0
	Why   Reason `json:"why"`
	Error string `json:"error,omitempty"` // why its message was refused; otherwise ""
}

// Reason is why the message of an agent does not count. Plans contain reasons, and so their meaning must not change.
type Reason string

// The reasons why a message does not count.
const (
	ReasonSilent  Reason = "silent"  // no message came in time
	ReasonRefused Reason = "refused" // a message came that does not match the plan
)

// reasonSentences holds the sentence for each reason.
var reasonSentences = map[Reason]string{
	ReasonSilent:  "it is silent",
	ReasonRefused: "its message is refused",
}

// String returns the sentence. For an unknown reason it returns the reason.
func (a Absence) String() string {
	text := cmp.Or(reasonSentences[a.Why], string(a.Why))
	if a.Error != "" {
		text += ": " + a.Error
	}
	return text
}

// agents returns the numbers of the absent agents.
func agents(all []Absence) []int {
	return lists.Map(all, func(a Absence) int { return a.Agent })
}

// NoticeKind is the kind of a Notice. Programs use the kind; the text is for people.
type NoticeKind string

// The kinds of notices of an agent.
const (
	NoticeJoined  NoticeKind = "joined"  // this agent has joined the run
	NoticePlan    NoticeKind = "plan"    // a round begins
	NoticePulled  NoticeKind = "pulled"  // its pulls are on disk and its message is published
	NoticeSilent  NoticeKind = "silent"  // an agent publishes nothing, or nothing valid
	NoticeDiffers NoticeKind = "differs" // a decision differs from that of the plan's author
	NoticeClosed  NoticeKind = "closed"  // the round continues without some agents
	NoticeDone    NoticeKind = "done"    // the run is over
	NoticeStopped NoticeKind = "stopped" // the run was stopped
)

// Notice is information for people who watch an agent.
type Notice struct {
	Kind  NoticeKind `json:"kind"`
	Round int        `json:"round,omitempty"` // round of the notice; 0 if none
	Pulls int        `json:"pulls,omitempty"` // this agent's remaining pulls in the round
	Tasks []string   `json:"tasks,omitempty"` // tasks of the agents concerned; nil if none
	Text  string     `json:"text"`            // a sentence, which may differ between versions
}

// StopBody ends a run before its algorithm is done. The first stop counts; see Stop.
type StopBody struct {
	By     string `json:"by,omitempty"`     // name of the person who stopped it, as given; may be ""
	Reason string `json:"reason,omitempty"` // reason in words; may be ""
}

// String returns the stop as a sentence.
func (b StopBody) String() string {
	if b.By == "" {
		return "the run was stopped" + b.why()
	}
	return "the run was stopped by " + b.By + b.why()
}

// why returns ": " and the reason; "" without a reason.
func (b StopBody) why() string {
	if b.Reason == "" {
		return ""
	}
	return ": " + b.Reason
}

// readStop parses a stop. If the fact is unreadable, it returns a stop without person and reason: any program that may
// publish a stop may end the run.
func readStop(f Fact) *StopBody {
	var b StopBody
	if decode(f, &b) != nil {
		return new(StopBody)
	}
	return &b
}

// Stop ends a run: every agent ends after its present action. It returns an error if the run is already over or stopped.
// If two programs stop a run at once, the first one succeeds, and the error of the other names the first.
func Stop(ctx context.Context, x Facts, run string, b StopBody) (err error) {
	defer try.Caught(&err)
	// a finished run has answers, which a stop would hide; if the end is published between this check and the stop, both
	// are stored
	s := try.Of(StatusOf(ctx, x, run))
	if s.Status != engine.StatusInterrupted {
		return fmt.Errorf("run %s was %s, so there is nothing to stop", run, s)
	}
	// this stop was first, or an identical one exists
	stands, stopped, err := publish(ctx, x, Fact{Run: run, Name: nameStop}, b)
	if stopped || err != nil {
		return err
	}
	var first StopBody
	try.To(decode(stands, &first))
	by := ""
	if first.By != "" {
		by = ", by " + first.By
	}
	return fmt.Errorf("run %s was already stopped%s%s", run, by, first.why())
}
