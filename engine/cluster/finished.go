package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Finished holds the outcome of a run, or of the part of it that was made. It is what an agent, a follower and Replay return,
// and what a result of measured rewards is made from.
type Finished struct {
	Run    string        `json:"run"`    // the name of the run
	Status engine.Status `json:"status"` // interrupted before the end and of a run that was stopped
	// the answers of this replica; the agent that published the end has the same answers
	Answers []engine.Answer `json:"answers"`           // in task order
	Author  int             `json:"author"`            // agent who said that the run is over, from 1 as in its name; 0 before the end
	Stopped *StopBody       `json:"stopped,omitempty"` // by whom and why; nil of a run that was not
	Refused string          `json:"refused,omitempty"` // why it cannot continue: a plan or a message that no replica takes
	Rounds  int             `json:"rounds"`            // rounds that were learned by the replica here
	Samples int             `json:"samples"`           // samples of all agents together; pulls that were learned
	Traffic Traffic         `json:"traffic"`           // of the rounds up to here
	// plans of others that were taken instead of the replica's own
	Taken int `json:"plans_taken"`
	// decisions of authors that the replica did not make so, in the order of the rounds
	Differences []Difference `json:"differences,omitempty"`
	Silent      []Silence    `json:"silent,omitempty"` // one for each round and agent whose message did not count
	// as of measured rewards (algorithms.Measured); nil if the algorithm knows expected rewards
	Result *engine.Result `json:"result,omitempty"`

	Outcome engine.Outcome `json:"-"` // of the replica here
}

// Silence is a round that continued without an agent. The next plan said so.
type Silence struct {
	Round int    `json:"round"` // from 1
	Task  string `json:"task"`  // task of the agent
	Why   string `json:"why"`   // the sentence of its Absence, with the reason of a message that was refused
}

// finished returns the outcome of the run; done is nil before its end. Nothing backs the answers where why is
// a plan or a message that no replica takes. Why is the error that ended the run here; nil at its end and of a stop. An error
// that it returns is of the Result alone: the other fields are set.
func (r *replica) finished(done *PlanBody, why error) (Finished, error) {
	out := Finished{Run: r.run, Outcome: r.asked.Outcome(), Traffic: r.sent, Taken: r.taken, Differences: r.differ, Rounds: r.rounds}
	// the replica gives its current answers
	out.Status, out.Answers, out.Samples = engine.StatusInterrupted, written(out.Outcome.Answers), out.Outcome.Samples
	if refused(why) { // no program can continue
		out.Refused = why.Error()
	}
	if done != nil {
		out.Status, out.Author = done.Status, done.Author+1 // from 1, as agents are named
	}
	// rounds of each agent that continued without it, for the warnings
	silent := map[int]int{}
	for round, all := range r.absent {
		for _, a := range all {
			silent[a.Agent]++
			out.Silent = append(out.Silent, Silence{round + 1, r.opened.Tasks[a.Agent], a.String()})
		}
	}
	// rewards of a simulation make no result of measurements
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
		// a run that came to its end counts as one run; before, as none
		result.Runs = 1
	}
	// what the answers rest on is refused, so that no guarantee represents them
	if out.Refused != "" {
		result.Standing, result.Guarantee = engine.StandingNone, engine.StandingNone+": "+out.Refused
	}
	// of the messages alone, without plans
	result.Messages, result.Bytes = float64(r.sent.Messages), float64(r.sent.Bytes)
	result.BytesRaw, result.BytesTheta = float64(r.sent.Raw), float64(r.sent.Theta)
	// readers of the result should see which tasks lack rewards
	for v, task := range r.opened.Tasks {
		if silent[v] > 0 {
			result.Warnings = append(result.Warnings, engine.Warning{Kind: engine.WarnSilent, Names: []string{task},
				Numbers: []float64{float64(silent[v]), float64(r.rounds)}})
		}
	}
	out.Result = &result
	return out, nil
}

// Absence is an agent whose message of a round does not count. Its String is the sentence, without the
// agent.
type Absence struct {
	Agent int    `json:"agent"` // from 0
	Why   Reason `json:"why"`
	Error string `json:"error,omitempty"` // error of the message if it is refused; "" otherwise
}

// Reason says why the message of an agent does not count. Plans carry reasons, so their meaning must not change.
type Reason string

// The reasons.
const (
	ReasonSilent    Reason = "silent"     // nothing came while it was waited for
	ReasonRefused   Reason = "refused"    // a message came that does not answer the plan
	ReasonNotJoined Reason = "not joined" // a follower says it of an agent that never joined; no plan has it
)

// reasonSentences holds the sentence of each reason, without its subject, which the caller adds.
var reasonSentences = map[Reason]string{
	ReasonSilent:    "it is silent",
	ReasonRefused:   "its message is refused",
	ReasonNotJoined: "it has not joined",
}

// String returns the sentence. A reason that is not listed is its own sentence.
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
	NoticeJoined  NoticeKind = "joined"  // this agent is in the run
	NoticePlan    NoticeKind = "plan"    // a round begins
	NoticePulled  NoticeKind = "pulled"  // its pulls are on the disk and its message is published
	NoticeSilent  NoticeKind = "silent"  // an agent publishes nothing, or nothing valid
	NoticeDiffers NoticeKind = "differs" // a decision differs from the one of the plan's author
	NoticeClosed  NoticeKind = "closed"  // the round continues without some agents
	NoticeDone    NoticeKind = "done"    // the run is over
	NoticeStopped NoticeKind = "stopped" // the run was stopped
)

// Notice is something that people who look at an agent want to know.
type Notice struct {
	Kind  NoticeKind `json:"kind"`
	Round int        `json:"round,omitempty"` // that it is about; 0 of none
	Pulls int        `json:"pulls,omitempty"` // pulls of this agent that are left in the round
	Tasks []string   `json:"tasks,omitempty"` // tasks of the agents concerned; nil if none in particular
	Text  string     `json:"text"`            // one sentence, which may change from version to version
}

// StopBody ends a run before its algorithm is done. The first one counts; see Stop.
type StopBody struct {
	By     string `json:"by,omitempty"`     // who stopped it, as that person says; may be empty
	Reason string `json:"reason,omitempty"` // in words; may be empty
}

// String returns it as a sentence.
func (b StopBody) String() string {
	if b.By == "" {
		return "the run was stopped" + b.why()
	}
	return "the run was stopped by " + b.By + b.why()
}

// why returns the reason behind a colon; "" without one.
func (b StopBody) why() string {
	if b.Reason == "" {
		return ""
	}
	return ": " + b.Reason
}

// readStop returns the stop that a fact holds. An unreadable one stops the run as well, without a person and a reason: every program with
// the right to publish it may end the run.
func readStop(f Fact) *StopBody {
	var b StopBody
	if decode(f, &b) != nil {
		return new(StopBody)
	}
	return &b
}

// Stop ends a run: every agent ends after what it does just now. A run that was stopped stays stopped. It is an error if the run was over
// before. If two programs stop a run at once, the first one has stopped it, and the error of the other names the first.
func Stop(ctx context.Context, x Facts, run string, b StopBody) error {
	// a run that is done has an answer, which a stop would only hide; the end may still come between this look and the stop, and then both are
	// published
	s, err := StatusOf(ctx, x, run)
	if err != nil {
		return err
	}
	if s.Status != engine.StatusInterrupted {
		return fmt.Errorf("run %s was %s, so there is nothing to stop", run, s)
	}
	// this stop was first, or the same words are there
	stands, stopped, err := publish(ctx, x, Fact{Run: run, Name: nameStop}, b)
	if stopped || err != nil {
		return err
	}
	var first StopBody
	if err := decode(stands, &first); err != nil {
		return err
	}
	by := ""
	if first.By != "" {
		by = ", by " + first.By
	}
	return fmt.Errorf("run %s was already stopped%s%s", run, by, first.why())
}
