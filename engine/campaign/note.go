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

// Note is a fact that a reader of a status or of a list has to know. Its String is the sentence. Programs use the kind, names and
// numbers, which stay when a sentence is written better.
type Note struct {
	Kind    NoteKind  `json:"kind"`
	Names   []string  `json:"names,omitempty"`   // names of tasks, arms, people and others in the sentence
	Numbers []float64 `json:"numbers,omitempty"` // numbers of the sentence, in the units that it names
}

// NoteKind is the kind of a Note.
type NoteKind string

// The kinds of notes of a status.
const (
	NoteLed     NoteKind = "led"     // names: who plans the rounds
	NoteUnused  NoteKind = "unused"  // numbers: the first round that is not used
	NotePending NoteKind = "pending" // names: task and arm of each that waits for the next round
	NoteNoBest  NoteKind = "no best" // names: why
	// of a list, too; names: task and arm of each that is not asked for any more
	NoteGivenUp NoteKind = "given up"
	NoteEpsilon NoteKind = "epsilon" // numbers: the one of the next round, the one that the answers are for
)

// The kinds of notes of a list that is empty.
const (
	NoteDecided   NoteKind = "decided"
	NoteEnded     NoteKind = "ended" // names: how; numbers: tasks decided, tasks
	NoteNoPulls   NoteKind = "no pulls"
	NoteHandedOut NoteKind = "handed out" // names: people, "" without a name; numbers: round, pulls of each
	// nothing of the task that was asked for, and something of others; names: task; numbers: round
	NoteOtherTasks NoteKind = "other tasks"
)

// The kinds of notes on what answers assume besides the conditions of their guarantee.
const (
	NoteLost    NoteKind = "lost"         // numbers: pulls without result
	NoteExtra   NoteKind = "extra"        // numbers: pulls beyond the plan
	NoteClosed  NoteKind = "closed"       // numbers: rounds that a person closed
	NoteEarly   NoteKind = "closed early" // numbers: rounds that ended without late results
	NoteDiffers NoteKind = "differs"      // see Difference
	// why nothing is proven
	NoteLateDiffer NoteKind = "late results differ" // see engine.WarnLateDiffer
	NoteTwice      NoteKind = "told twice"          // see engine.WarnTwice
	NoteSkewed     NoteKind = "skewed"              // see engine.WarnSkewed
	NoteCensored   NoteKind = "censored"            // numbers: results of which only a limit is known
	NoteManyLost   NoteKind = "many lost"           // numbers: pulls without a result, pulls
)

// The kinds of notes on how a forecast was simulated.
const (
	NoteRewardsDrawn NoteKind = "rewards drawn"
	NoteRewardsKnown NoteKind = "rewards known"
	// of each run other ones, drawn from what the measurements of the table say
	NoteRewardsBelieved NoteKind = "rewards believed"
	// the same, if each run begins with these measurements
	NoteRewardsAttached NoteKind = "rewards believed, measurements attached"
	NoteRewardsLed      NoteKind = "rewards of a lead" // numbers: lead of the best arm, reward units
	NoteOwnPart         NoteKind = "own part of arms"  // names: algorithm
	NoteNoiseBelow      NoteKind = "noise below what is stated"
	// names: unit of time; numbers: smallest and largest share of pulls that fail, of results that come
	// late, and the most units by which
	NoteLosses NoteKind = "losses"
)

// NoteRule is the rule for everybody who gives pulls back or closes a round.
// Numbers: the reward of a failed pull, where one is known; names: else the goal.
const NoteRule NoteKind = "rule of failures"

// noteSentences have a verb for each text that words makes of the names, then for each number, in the order
// of the Note or by their place in it.
var noteSentences = map[NoteKind]string{
	NoteLed:     "the rounds are planned by %s, which has the answers",
	NoteUnused:  "round %d and later rounds are not used, because everything is decided without them",
	NotePending: "measured from the next round on: %s",
	NoteGivenUp: "every try failed, so lists no longer have these: %s. To try again, ask with --retry (retry=true in a script)",
	NoteNoBest:  "the measurements do not show the best arms: %s",
	NoteEpsilon: "epsilon is changed to %g. These answers are still for %g, until results of a later round are recorded",

	NoteDecided: "everything is decided",
	NoteEnded:   "%[1]s; tasks decided: %[2]d of %[3]d; nothing more is asked for",
	NoteNoPulls: "nothing is left to hand out",
	NoteHandedOut: "all pulls of round %[2]d are handed out (%[1]s). To get the list of a person again, ask with that name (--by). " +
		"If the results will never come, end the round: gonb-cope campaign close DIR",

	NoteOtherTasks: "all pulls of task %q in round %d are handed out; there are some of other tasks",

	NoteLost:   "the %s nothing to do with %s (what fails is a result, and not lost)",
	NoteExtra:  "the %s not chosen by %s",
	NoteClosed: "%s closed for reasons unrelated to rewards",
	NoteEarly:  "the time of a result does not depend on its reward: %s ended without late results, which the posterior used when they came",

	NoteRewardsDrawn: "rewards drawn from the kernel as prior, in squared reward units (gaps= plans for a lead of the best arm instead)",
	NoteRewardsKnown: "the means of the table for expected rewards",
	NoteRewardsBelieved: "expected rewards that agree with the table and differ from run to run; each run starts without " +
		"the table's measurements",
	NoteRewardsAttached: "expected rewards that agree with the table and differ from run to run; each run starts from " +
		"the table's measurements, unless the script has attach=false",
	NoteRewardsLed: "the hardest rewards that the kernel can represent in which the best arm of every task leads by %g",
	NoteNoiseBelow: "the noise variance of each task is drawn between zero and the stated value",
	NoteOwnPart: "%s estimates how far arms differ from the kernel. In its runs, about half of the variance between the arms of a task " +
		"is independent for each arm (from none to twice that)",
	NoteLosses: "%s of measurements fail, and %s of results are up to %s late%s",

	NoteRule:       "a reaction or run that fails gets %s. " + givenBack,
	NoteLateDiffer: "lateness of results seems to depend on their rewards (see the warning)",
	NoteTwice:      "measurements seem to be recorded twice (see the warning)",
	NoteSkewed:     "the rewards of some arms are skewed (see the warning)",
	NoteCensored:   "%d results are only limits, such as <0.05. They count as that number, which no guarantee allows for",
	NoteManyLost:   "%d of %d pulls have no result. With so many, the guarantee depends on the reason",
	NoteDiffers:    "decisions changed after results were corrected or the program was replaced. No theorem allows for this",
}

// String returns the sentence, without a full stop. A kind that is not listed is its own sentence.
func (n Note) String() string {
	format, listed := noteSentences[n.Kind]
	if !listed {
		return string(n.Kind)
	}
	// kinds that are not listed below have their names and numbers in the sentence unchanged
	words, numbers := n.Names, n.Numbers
	k, none := n.number(0), []float64(nil) // where numbers are words
	its := agreed(k, "its reward", "their rewards")
	switch n.Kind {
	case NotePending, NoteGivenUp:
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
		// the number of each person is in the words now, and the round alone is left
		words, numbers = []string{strings.Join(parts, ", ")}, n.Numbers[:1]
	case NoteLost:
		words, numbers = []string{pulls(k) + agreed(k, " that was lost has", " that were lost have"), its}, none
	case NoteExtra:
		words, numbers = []string{pulls(k) + agreed(k, " beyond the plan was", " beyond the plan were"), its}, none
	case NoteClosed:
		words, numbers = []string{sentence.Count(k, "round") + agreed(k, " was", " were")}, none
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

// notes returns the notes of a status.
func (s review) notes() []Note {
	out := slices.Concat(s.Notes, s.pending(), s.nextEpsilon())
	if n := s.givenUpNote(); n.Kind != "" {
		out = append(out, n)
	}
	return out
}

// number returns the count that is at a place, 0 if there is none.
func (n Note) number(k int) int {
	if k < len(n.Numbers) {
		return int(n.Numbers[k])
	}
	return 0
}

// UnmarshalJSON reads the note in its stored form, or its sentence as package report writes it.
func (n *Note) UnmarshalJSON(b []byte) error {
	// a text: a sentence is its own kind, see String
	var said string
	if json.Unmarshal(b, &said) == nil {
		*n = Note{Kind: NoteKind(said)}
		return nil
	}
	type note Note
	return json.Unmarshal(b, (*note)(n))
}

// noteOf returns a note of a kind whose numbers are counts.
func noteOf(kind NoteKind, counts ...int) Note {
	return Note{Kind: kind, Numbers: lists.Map(counts, func(n int) float64 { return float64(n) })}
}

// Difference is a decision that is not the one recorded when a plan was made: results were corrected
// since, or a program decides otherwise. Its String is the sentence.
type Difference struct {
	Round int    `json:"round"`         // before which the decision was made
	AtEnd bool   `json:"at_end"`        // whether it was made after the last round, which is Round
	Task  string `json:"task"`          // name
	Was   string `json:"was,omitempty"` // the answer recorded, "" of a task that was open
	Now   string `json:"now,omitempty"` // the answer of the replay, "" where the task is open
}

// String returns it as a sentence, without a full stop.
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
