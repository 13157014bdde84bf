package campaign

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// outcome is the content of a reward's cell (problem.Outcome), combined with the status and note of its row. It is one of
// three kinds: not measured yet, a reward or limit, or a failed measurement.
type outcome struct {
	kind     outcomeKind
	reward   float64
	censored int8   // see ResultRecord.Censored
	reason   string // reason of a failure
	text     string // the text in the cell, if it is a text that means failure
	err      error  // fault of the cell, with its place in the sheet
}

type outcomeKind int

const (
	outcomeNone outcomeKind = iota
	outcomeReward
	outcomeFailed
)

// outcomeOf reads the reward in the given column, and the status and note of the row.
func outcomeOf(row problem.SheetRow, column string) outcome {
	said := strings.EqualFold(row.Text("status"), "failed")
	o, err := row.Outcome(column)
	switch {
	case err != nil:
		return outcome{kind: outcomeReward, err: err}
	case o.Failed != "":
		reason := row.Text("note")
		if reason == "" {
			reason = fmt.Sprintf("the sheet has %q instead of the reward", sentence.Brief(o.Failed))
		}
		return outcome{kind: outcomeFailed, reason: reason, text: o.Failed}
	case o.Missing && said:
		return outcome{kind: outcomeFailed, reason: row.Text("note")}
	case o.Missing:
		return outcome{}
	case said:
		err = row.Wrong(column, "the row has the reward %g and is marked as failed. Keep only one of these", o.Reward)
	}
	return outcome{kind: outcomeReward, reward: o.Reward, censored: o.Censored, err: err}
}

// readAsFailed adds a remark that a text was read as a failure, once for each text.
func (t *teller) readAsFailed(line int, id string, what outcome) {
	if what.text != "" && !t.failedTexts[what.text] {
		t.failedTexts[what.text] = true
		t.remark(line, RowFailed, "%q is not a number, so the measurement is recorded as failed and handed out again. "+
			"If it ran and failed, enter its worst possible reward instead: 0 for a reaction without product", what.text)
		t.receipt.Lines[len(t.receipt.Lines)-1].ID = sentence.Brief(Plain(id))
	}
}

// limits adds a remark on how limits such as <0.05 are used, once for each sheet.
func (t *teller) limits(line int, what outcome) {
	if what.censored != 0 && !t.limited {
		t.limited = true
		t.remark(line, RowNew, "a limit such as <0.05 is recorded as a limit. Estimates use it as a limit; the stopping rule of %s "+
			"calculates with the number itself", t.protocol.Algorithm)
	}
}

// failedOf processes a row without an id whose measurement failed: the k-th row of its arm. If a pull of the arm is handed
// out in the open round, one such pull is given back.
func (t *teller) failedOf(row problem.SheetRow, arm, k int, what outcome) {
	key := sheetKey{t.kind == KindAttach, t.opt.Sheet, t.opt.By}
	before := func(x *failedRow) bool { return x.sheet == key && x.Arm == arm && x.Row == k }
	if slices.ContainsFunc(t.state.failedRows, before) {
		t.say(row.Line, "", RowKnown, "")
		return
	}
	reason := what.reason
	if reason == "" {
		reason = "the sheet marks it as failed"
	}
	x := FailedRow{Arm: arm, Row: k}
	if r := t.state.open(); r != nil && !key.attached {
		open := t.openOf(r)[arm]
		if at := slices.IndexFunc(open, func(it Item) bool { return it.ID != "" }); at >= 0 {
			x.Pull = true
			t.failed[reason] = append(t.failed[reason], open[at].ID)
			t.failedIDs[open[at].ID] = true
			t.open[arm] = slices.Delete(slices.Clone(open), at, at+1)
		}
	}
	t.failedRows[reason] = append(t.failedRows[reason], x)
	t.say(row.Line, "", RowFailed, "")
	t.readAsFailed(row.Line, "", what)
}

// failures returns, by arm, the number of failed measurements without a result. It leaves out pulls of the open round.
func (s Moment) failures() []int {
	out := make([]int, s.Problem.N())
	for _, it := range s.order {
		if r := s.open(); it.failed != "" && it.result == nil && (r == nil || it.round != r.plan.Round) {
			out[it.Arm]++
		}
	}
	for _, x := range s.failedRows {
		if !x.Pull && x.Arm < len(out) {
			out[x.Arm]++
		}
	}
	return out
}

// mostRetries is the number of automatic repetitions of failed pulls of an arm without results.
const mostRetries = 2

// givenUp reports, by arm, whether the arm has no result and its pulls failed more than mostRetries times. In each round
// only the longest chain of failures counts, in which each pull replaces the previous one.
func (s Moment) givenUp() []bool {
	n := s.Problem.N()
	failures, measured := make([]map[int]int, n), make([]bool, n)
	tries := map[string]int{} // by id: number of failed pulls in the chain that ends with this id
	for _, it := range s.order {
		if it.result != nil {
			measured[it.Arm] = true
		}
		if it.failed == "" || it.result != nil {
			continue
		}
		tries[it.ID] = tries[it.Again] + 1
		if failures[it.Arm] == nil {
			failures[it.Arm] = map[int]int{}
		}
		failures[it.Arm][it.round] = max(failures[it.Arm][it.round], tries[it.ID])
	}
	out := make([]bool, n)
	if len(tries) == 0 {
		return out
	}
	for m := range resultsOf(s.rounds) {
		measured[m.Arm] = true
	}
	for _, g := range s.guides {
		measured[g.Arm] = true
	}
	for i, byRound := range failures {
		all := 0
		for _, k := range byRound {
			all += k
		}
		out[i] = all > mostRetries && !measured[i]
	}
	return out
}

// givenUpNote returns a note that names the arms that are given up; the zero Note if there are none.
func (s Moment) givenUpNote() Note {
	n := Note{Kind: NoteGivenUp}
	for i, up := range s.givenUp() {
		if up && !s.withdrawn(i) {
			n.Names = append(n.Names, s.Problem.NamesOf(i)...)
		}
	}
	if len(n.Names) == 0 {
		return Note{}
	}
	return n
}

// dropped returns the counts with 0 for arms that are given up. It returns them unchanged if no other arm has pulls, or if
// the algorithm has fixed rounds.
func (s Moment) dropped(counts []int) []int {
	up := s.givenUp()
	if !slices.Contains(up, true) || s.fixedRounds() {
		return counts
	}
	out := slices.Clone(counts)
	for i := range out {
		if up[i] {
			out[i] = 0
		}
	}
	if lists.Total(out) == 0 {
		return counts
	}
	return out
}
