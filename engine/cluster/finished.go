package cluster

import (
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
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
	out.Status, out.Answers, out.Samples = engine.StatusInterrupted, slices.Clone(out.Outcome.Answers), out.Outcome.Samples
	for v := range out.Answers {
		out.Answers[v].Estimate, out.Answers[v].Margin = number(out.Answers[v].Estimate), number(out.Answers[v].Margin)
	}
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
			result.Warnings = append(result.Warnings, engine.Warning{Kind: engine.WarnSilent, Names: []string{task}, Numbers: []float64{float64(silent[v]), float64(r.rounds)}})
		}
	}
	out.Result = &result
	return out, nil
}
