package campaign

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Note is a fact that a reader of a status or list must know. String returns it as a sentence. Programs use the kind,
// names and numbers, which stay the same if the sentence is reworded.
type Note struct {
	Kind    NoteKind  `json:"kind"`
	Names   []string  `json:"names,omitempty"`   // names of tasks, arms, people and others in the sentence
	Numbers []float64 `json:"numbers,omitempty"` // numbers in the sentence, in the sentence's units
}

// NoteKind is the kind of a Note.
type NoteKind string

// The kinds of notes in a status.
const (
	NoteLed     NoteKind = "led"      // names: the run that plans the rounds
	NoteUnused  NoteKind = "unused"   // numbers: the first unused round
	NotePending NoteKind = "pending"  // names: task and arm of each arm that is measured from the next round on
	NoteNoBest  NoteKind = "no best"  // names: the reason
	NoteGivenUp NoteKind = "given up" // names: task and arm of each arm that is given up
	NoteLeftOut NoteKind = "left out" // names: task and arm of each arm that is withdrawn after failures
	NoteEpsilon NoteKind = "epsilon"  // numbers: epsilon from the next round on, epsilon of the present answers
)

// The kinds of notes of an empty list.
const (
	NoteDecided NoteKind = "decided"
	NoteEnded   NoteKind = "ended" // names: the reason; numbers: decided tasks, all tasks
	NoteNoPulls NoteKind = "no pulls"
	// names: task and arm of each arm that is given up; nothing else is left
	NoteRequired  NoteKind = "required"
	NoteFixed     NoteKind = "fixed"      // the same, for an algorithm that cannot withdraw arms
	NoteHandedOut NoteKind = "handed out" // names: people ("" for no name); numbers: the round, then the pulls of each person
	// the requested task has no pull left, but others have; names: task; numbers: round
	NoteOtherTasks NoteKind = "other tasks"
)

// The kinds of notes on what answers assume in addition to the conditions of their guarantee.
const (
	NoteLost    NoteKind = "lost"         // numbers: pulls without a result
	NoteExtra   NoteKind = "extra"        // numbers: pulls beyond the plan
	NoteClosed  NoteKind = "closed"       // numbers: rounds that a person closed
	NoteEarly   NoteKind = "closed early" // numbers: rounds that ended without late results
	NoteDiffers NoteKind = "differs"      // see Difference
	// numbers: arms that a test withdrew, because they gave no result
	NoteWithdrawn NoteKind = "withdrawn"
	// reasons why the standing is only heuristic
	NoteLateDiffer NoteKind = "late results differ" // see engine.WarnLateDiffer
	NoteTwice      NoteKind = "told twice"          // see engine.WarnTwice
	NoteSkewed     NoteKind = "skewed"              // see engine.WarnSkewed
	NoteCensored   NoteKind = "censored"            // numbers: results that are only limits
	NoteManyLost   NoteKind = "many lost"           // numbers: pulls without a result, all pulls
)

// The kinds of notes on how a forecast was simulated.
const (
	NoteRewardsDrawn NoteKind = "rewards drawn"
	NoteRewardsKnown NoteKind = "rewards known"
	// rewards differ from run to run; they are drawn from the posterior given the table's measurements
	NoteRewardsBelieved NoteKind = "rewards believed"
	// the same, and each run begins with these measurements
	NoteRewardsAttached NoteKind = "rewards believed, measurements attached"
	NoteRewardsLed      NoteKind = "rewards of a lead" // numbers: lead of the best arm, reward units
	NoteOwnPart         NoteKind = "own part of arms"  // names: the algorithm that fits an independent part of each arm
	NoteNoiseBelow      NoteKind = "noise below what is stated"
	// names: unit of time; numbers: smallest and largest share of failed pulls, smallest and largest share of late
	// results, largest delay in that unit
	NoteLosses NoteKind = "losses"
)

// NoteRule is the rule for people who report pulls as failed or close a round. Numbers has the reward of a failed reaction.
// If it is unknown, Names has the goal.
const NoteRule NoteKind = "rule of failures"

// noteSentences have one verb for each text in words and then for each number, in the order of the Note or by explicit
// index.
var noteSentences = map[NoteKind]string{
	NoteLed:     "the rounds are planned by %s, which has the answers",
	NoteUnused:  "round %d and later rounds are not used, because everything is decided without them",
	NotePending: "measured from the next round on: %s",
	NoteGivenUp: "measurements keep failing at %s. They probably fail again, so other measurements come first. To try again after these, " +
		"ask with --retry (retry=true in a script)",
	NoteLeftOut: "measurements keep failing at %s. These are left out, and the answers are about the others",
	NoteNoBest:  "the measurements do not show the best arms: %s",
	NoteEpsilon: "epsilon is changed to %g. These answers are still for %g, until results of a later round are recorded",

	NoteDecided: "everything is decided",
	NoteEnded:   "%[1]s; tasks decided: %[2]d of %[3]d; nothing more is asked for",
	NoteNoPulls: "nothing is left to hand out",
	NoteRequired: "measurements keep failing at %s, and nothing can be decided without these. If they cannot be measured, leave them out: " +
		"gonb-cope campaign amend DIR --withdraw TASK/ARM --reason TEXT. The answers are then about the others. To try again, ask with " +
		"--retry (retry=true in a script)",
	NoteFixed: "measurements keep failing at %s, and the algorithm needs these. To try again, ask with --retry (retry=true in a script). If " +
		"they cannot be measured, start another campaign without them, and attach the measurements of this one",
	NoteHandedOut: "all measurements of round %[2]d are handed out (%[1]s). To get the list of a person again, ask with that name (--by). " +
		"If the results will never come, end the round: gonb-cope campaign close DIR",

	NoteOtherTasks: "all measurements of task %q in round %d are handed out; other tasks still have some",

	NoteLost:      "the %s independent of %s (what fails is a result, and not lost)",
	NoteExtra:     "the %s not chosen by %s",
	NoteClosed:    "%s closed for reasons unrelated to rewards",
	NoteWithdrawn: "%s withdrawn only because their measurements cannot give a result",
	NoteEarly: "the time of a result does not depend on its reward: %s ended without late results, which the posterior used when " +
		"they came",

	NoteRewardsDrawn: "rewards drawn from the kernel as prior, whose variances are in squared reward units " +
		"(gaps= plans for a lead of the best arm instead)",
	NoteRewardsKnown: "the means of the table as true means",
	NoteRewardsBelieved: "true means that each run draws from the posterior, given the table; each run starts without " +
		"the table's measurements",
	NoteRewardsAttached: "true means that each run draws from the posterior, given the table; each run starts with " +
		"the table's measurements (attach=false: without them)",
	NoteRewardsLed: "the hardest rewards that the kernel can represent in which the best arm of every task leads by %g",
	NoteNoiseBelow: "the noise variance of each task is drawn between zero and the stated value",
	NoteOwnPart: "%s estimates how far arms differ from the kernel. In its runs, about half of the variance between the arms of a task " +
		"is independent for each arm (from none to twice that)",
	NoteLosses: "%s of measurements fail, and %s of results are up to %s late%s",

	NoteRule:       "a reaction that ran and gave nothing is a result: record %s. " + givenBack,
	NoteLateDiffer: "lateness of results seems to depend on their rewards (see the warning)",
	NoteTwice:      "measurements seem to be recorded twice (see the warning)",
	NoteSkewed:     "the rewards of some arms are skewed (see the warning)",
	NoteCensored:   "%d results are only limits, such as <0.05. They count as that number, which no guarantee allows for",
	NoteManyLost:   "%d of the %d finished measurements have no result. With so many, the guarantee depends on the reason",
	NoteDiffers:    "decisions changed after results were corrected or the program was replaced. No theorem allows for this",
}

// String returns the sentence, without a full stop. For an unknown kind it returns the kind.
func (n Note) String() string {
	format, listed := noteSentences[n.Kind]
	if !listed {
		return string(n.Kind)
	}
	// kinds without a case below use their names and numbers unchanged
	words, numbers := n.Names, n.Numbers
	k, none := n.number(0), []float64(nil) // numbers after their conversion to words
	its := agreed(k, "its reward", "their rewards")
	switch n.Kind {
	case NotePending, NoteGivenUp, NoteLeftOut, NoteRequired, NoteFixed:
		var arms []string
		for k := 0; k+1 < len(n.Names); k += 2 {
			arms = append(arms, fmt.Sprintf("task %q, arm %q", n.Names[k], n.Names[k+1]))
		}
		words = []string{sentence.List(arms, 8)}
	case NoteHandedOut:
		var parts []string
		for k, by := range n.Names {
			parts = append(parts, fmt.Sprintf("%s to %s", pulls(n.number(k+1)), someone(by)))
		}
		// the words include the number of each person; only the round remains a number
		words, numbers = []string{strings.Join(parts, ", ")}, n.Numbers[:1]
	case NoteLost:
		words, numbers = []string{pulls(k) + agreed(k, " that was lost is", " that were lost are"), its}, none
	case NoteExtra:
		words, numbers = []string{pulls(k) + agreed(k, " beyond the plan was", " beyond the plan were"), its}, none
	case NoteClosed:
		words, numbers = []string{sentence.Count(k, "round") + agreed(k, " was", " were")}, none
	case NoteWithdrawn:
		words, numbers = []string{sentence.Count(k, "option") + agreed(k, " was", " were")}, none
	case NoteEarly:
		words, numbers = []string{sentence.Count(k, "round")}, none
	case NoteRule:
		words, numbers = []string{"the lowest possible reward"}, none
		if len(n.Numbers) > 0 {
			words[0] = fmt.Sprintf("the reward %g", n.Numbers[0])
		} else if slices.Contains(n.Names, problem.GoalMin) {
			words[0] = "the largest possible reward (0 would be among the best)"
		}
	case NoteLosses:
		words, numbers = n.lossWords(), none
	}
	return sentence.Write(format, words, numbers)
}

// notes returns the notes of the status.
func (s review) notes() []Note {
	out := slices.Concat(s.Notes, s.pending(), s.nextEpsilon())
	for _, n := range []Note{s.failedNote(NoteGivenUp, false), s.failedNote(NoteLeftOut, true)} {
		if n.Kind != "" {
			out = append(out, n)
		}
	}
	return out
}

// number returns the k-th number as an integer; 0 if there is none.
func (n Note) number(k int) int {
	if k < len(n.Numbers) {
		return int(n.Numbers[k])
	}
	return 0
}

// UnmarshalJSON reads a note in its stored form, or a sentence as package report writes it.
func (n *Note) UnmarshalJSON(b []byte) error {
	// a JSON string is a sentence, which becomes the kind (see String)
	var said string
	if json.Unmarshal(b, &said) == nil {
		*n = Note{Kind: NoteKind(said)}
		return nil
	}
	type note Note
	return json.Unmarshal(b, (*note)(n))
}

// noteOf returns a note whose numbers are counts.
func noteOf(kind NoteKind, counts ...int) Note {
	return Note{Kind: kind, Numbers: lists.Map(counts, func(n int) float64 { return float64(n) })}
}

// Difference is a decision that differs between the record and the replay, because results were corrected or the program
// was replaced. String returns it as a sentence.
type Difference struct {
	Round int    `json:"round"`         // the decision was made before this round
	AtEnd bool   `json:"at_end"`        // the decision was made after the last round, whose number is Round
	Task  string `json:"task"`          // name
	Was   string `json:"was,omitempty"` // the recorded answer; "" if the task was undecided
	Now   string `json:"now,omitempty"` // the answer of the replay; "" if the task is undecided
}

// String returns the difference as a sentence, without a full stop.
func (d Difference) String() string {
	when := fmt.Sprintf("before round %d", d.Round)
	if d.AtEnd {
		when = "at the end"
	}
	switch {
	case d.Was == "":
		return fmt.Sprintf("%s task %q was open and now has the answer %q", when, d.Task, d.Now)
	case d.Now == "":
		return fmt.Sprintf("%s task %q had the answer %q and is now open", when, d.Task, d.Was)
	}
	return fmt.Sprintf("%s task %q had the answer %q and now has %q", when, d.Task, d.Was, d.Now)
}
