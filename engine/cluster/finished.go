package cluster

import (
	"context"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Finished holds the outcome of a run, or of the part of it that was made.
type Finished struct {
	Run    string        `json:"run"`
	Status engine.Status `json:"status"`
	// of the replica here, with which the author of the end agrees
	Answers []engine.Answer `json:"answers"`
	Author  int             `json:"author"`            // agent who said that the run is over, from 1 as in its name; 0 before the end
	Stopped *StopBody       `json:"stopped,omitempty"` // by whom and why; nil of a run that was not
	Refused string          `json:"refused,omitempty"` // why it cannot go on: a plan or a message that no replica takes
	Rounds  int             `json:"rounds"`
	Samples int             `json:"samples"` // of all agents together
	Traffic Traffic         `json:"traffic"`
	// plans of others that were taken in place of the replica's own
	Taken       int          `json:"plans_taken"`
	Differences []Difference `json:"differences,omitempty"`
	Silent      []Silence    `json:"silent,omitempty"`
	// as of measured rewards (algorithms.Measured); nil where the algorithm knows expected rewards
	Result *engine.Result `json:"result,omitempty"`

	Outcome engine.Outcome `json:"-"` // of the replica here
}

// Silence is a round that went on without an agent.
type Silence struct {
	Round int    `json:"round"`
	Task  string `json:"task"`
	Why   string `json:"why"`
}

// finished returns what became of the run; done is nil before its end. Nothing backs the answers where why is
// a plan or a message that no replica takes.
func (r *replica) finished(done *PlanBody, why error) (Finished, error) {
	out := Finished{Run: r.run, Outcome: r.asked.Outcome(), Traffic: r.sent, Taken: r.taken, Differences: r.differ, Rounds: r.rounds}
	out.Status, out.Answers, out.Samples = engine.StatusInterrupted, written(out.Outcome.Answers), out.Outcome.Samples
	if refused(why) {
		out.Refused = why.Error()
	}
	if done != nil {
		out.Status, out.Author = done.Status, done.Author+1
	}
	silent := map[int]int{}
	for round, all := range r.absent {
		for _, a := range all {
			silent[a.Agent]++
			out.Silent = append(out.Silent, Silence{round + 1, r.opened.Tasks[a.Agent], a.String()})
		}
	}
	if r.question.Simulated {
		return out, nil
	}
	result, err := r.asked.Result()
	if err != nil {
		return out, err
	}
	result.Status, result.Answers = out.Status, out.Answers
	result.Stated = append(slices.Clip(result.Stated), engine.Setting{Name: engine.SettingAgents, Value: r.run})
	if done != nil {
		result.Runs = 1
	}
	if out.Refused != "" {
		result.Standing, result.Guarantee = engine.StandingNone, engine.StandingNone+": "+out.Refused
	}
	result.Messages, result.Bytes = float64(r.sent.Messages), float64(r.sent.Bytes)
	result.BytesRaw, result.BytesTheta = float64(r.sent.Raw), float64(r.sent.Theta)
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
	Error string `json:"error,omitempty"` // of the message, where it is refused
}

// Reason says why the message of an agent does not count.
type Reason string

// The reasons.
const (
	ReasonSilent    Reason = "silent"
	ReasonRefused   Reason = "refused"
	ReasonNotJoined Reason = "not joined"
)

var reasonSentences = map[Reason]string{
	ReasonSilent:    "it is silent",
	ReasonRefused:   "its message is refused",
	ReasonNotJoined: "it has not joined",
}

// String returns the sentence. A reason that is not listed is its own: plans of before there were kinds
// have sentences.
func (a Absence) String() string {
	text, listed := reasonSentences[a.Why]
	if !listed {
		text = string(a.Why)
	}
	if a.Error != "" {
		text += ": " + a.Error
	}
	return text
}

// agents returns the numbers of the absent agents.
func agents(all []Absence) []int {
	return lists.Map(all, func(a Absence) int { return a.Agent })
}

// NoticeKind says what a Notice tells.
type NoticeKind string

// The kinds of notices of an agent.
const (
	NoticeJoined  NoticeKind = "joined"
	NoticePlan    NoticeKind = "plan"    // a round begins
	NoticePulled  NoticeKind = "pulled"  // its pulls are on the disk and its message is published
	NoticeSilent  NoticeKind = "silent"  // somebody says nothing, or nothing that can be taken
	NoticeDiffers NoticeKind = "differs" // a decision differs from the one of the plan's author
	NoticeClosed  NoticeKind = "closed"  // the round goes on without some agents
	NoticeDone    NoticeKind = "done"
	NoticeStopped NoticeKind = "stopped"
)

// Notice is something that people who look at an agent want to know.
type Notice struct {
	Kind  NoticeKind `json:"kind"`
	Round int        `json:"round,omitempty"`
	Pulls int        `json:"pulls,omitempty"` // of this agent that are left in the round
	Tasks []string   `json:"tasks,omitempty"` // of the agents that it is about
	Text  string     `json:"text"`
}

// StopBody ends a run before its algorithm is done.
type StopBody struct {
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
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

// readStop returns the stop that a fact holds. One that cannot be read stops as well, by nobody and
// without a reason.
func readStop(f Fact) *StopBody {
	var b StopBody
	if decode(f, &b) != nil {
		return new(StopBody)
	}
	return &b
}

// Stop ends a run: every agent ends after what it does just now. A run that was stopped stays
// stopped. It is an error where the run was over before.
func Stop(ctx context.Context, x Facts, run string, b StopBody) error {
	s, err := StatusOf(ctx, x, run)
	if err != nil {
		return err
	}
	if s.Status != engine.StatusInterrupted {
		return fmt.Errorf("run %s was %s; there is nothing to stop", run, s)
	}
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
	return fmt.Errorf("run %s was stopped already%s%s", run, by, first.why())
}
