package campaign

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
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

// failures returns, by arm, the number of failed measurements without a result, including those of the problem's table. It
// leaves out pulls of the open round.
func (s Moment) failures() []int {
	out := s.failedRowsOf()
	for _, it := range s.order {
		if r := s.open(); it.failed != "" && it.result == nil && (r == nil || it.round != r.plan.Round) {
			out[it.Arm]++
		}
	}
	return out
}

// failedRowsOf returns, by arm, the number of rows without ids whose measurement failed: of sheets, and of the problem's
// table.
func (s Moment) failedRowsOf() []int {
	out := make([]int, s.Problem.N())
	for _, x := range s.failedRows {
		if !x.Pull && x.Arm < len(out) {
			out[x.Arm]++
		}
	}
	if !slices.ContainsFunc(s.guides, s.ofTable) { // otherwise the failures were attached together with the table
		for i, k := range s.Problem.Failed {
			out[i] += k
		}
	}
	return out
}

const (
	// mostRetries is the number of automatic repetitions of failed pulls of an arm that probably gives no result.
	mostRetries = 2
	// likely is the least probability that an arm works at which its failed pulls are repeated, and algorithms that need not
	// measure each arm plan it.
	likely = 0.3
)

// working states which arms work, from the numbers of results and failures alone. It uses those of the open round too.
type working struct {
	tries    []int     // failed pulls of each arm
	measured []bool    // arms with a result
	works    []float64 // answer.Works: probability that a pull of the arm gives a value; nil if unknown
}

// working returns the record of failures. In each round only the longest chain of failures counts, in which each pull
// replaces the previous one: pulls that were made together may have failed for one reason.
func (s Moment) working() working {
	n := s.Problem.N()
	failures := make([]map[int]int, n)
	chain := map[string]int{} // by id: number of failed pulls in the chain that ends with this id
	for _, it := range s.order {
		if it.failed == "" || it.result != nil {
			continue
		}
		chain[it.ID] = chain[it.Again] + 1
		if failures[it.Arm] == nil {
			failures[it.Arm] = map[int]int{}
		}
		failures[it.Arm][it.round] = max(failures[it.Arm][it.round], chain[it.ID])
	}
	failed := s.failedRowsOf()
	for i, byRound := range failures {
		for _, k := range byRound {
			failed[i] += k
		}
	}
	out := working{tries: make([]int, n), measured: make([]bool, n)}
	if lists.Total(failed) == 0 {
		return out
	}
	counts := s.counts()
	q := *s.Problem
	q.Mean, q.Partial, q.Reps, q.Failed = nil, slices.Repeat([]float64{math.NaN()}, n), counts, failed
	for i := range n {
		if out.measured[i] = counts[i] > 0; out.measured[i] {
			q.Partial[i] = 0 // any value: only its presence counts
		}
	}
	out.tries = failed
	out.works = answer.Works(&q)
	return out
}

// counts returns, by arm, the number of results, including those of the open round.
func (s Moment) counts() []float64 {
	out := make([]float64, s.Problem.N())
	for m := range resultsOf(s.rounds) {
		out[m.Arm] += float64(m.count())
	}
	for _, g := range s.guides {
		out[g.Arm] += float64(g.count())
	}
	return out
}

// unlikely reports whether arm i probably gives no result.
func (w working) unlikely(i int) bool { return w.works != nil && w.works[i] < likely }

// givenUp reports, by arm, whether pulls of the arm failed, and it probably gives no further result. Without a result, this
// follows from the failures of all arms, or from more than mostRetries failures. With one, both must hold.
func (s Moment) givenUp() []bool {
	w := s.working()
	return lists.Make(len(w.tries), func(i int) bool {
		often := w.tries[i] > mostRetries
		if w.measured[i] {
			return often && w.unlikely(i)
		}
		return often || w.tries[i] > 0 && w.unlikely(i)
	})
}

// givenUpMeasured reports whether an arm that is given up has a result.
func (s Moment) givenUpMeasured() bool {
	measured := s.working().measured
	for i, up := range s.givenUp() {
		if up && measured[i] {
			return true
		}
	}
	return false
}

// failedNote returns a note of the kind that names the arms that are given up, and are withdrawn or not; the zero Note if
// there are none.
func (s Moment) failedNote(kind NoteKind, withdrawn bool) Note {
	n := Note{Kind: kind}
	for i, up := range s.givenUp() {
		if up && s.withdrawn(i) == withdrawn {
			n.Names = append(n.Names, s.Problem.NamesOf(i)...)
		}
	}
	if len(n.Names) == 0 {
		return Note{}
	}
	return n
}

// dropped returns the counts of a plan without arms that are given up, arms that probably fail, and arms of tasks with at
// most one other candidate, which their pulls cannot decide. Arms that probably fail come if no others are left. If only
// arms that are given up are left, the plan has these, and waits. If the algorithm needs all its pulls, the counts are
// returned unchanged.
func (s Moment) dropped(counts []int, answers []engine.Answer) []int {
	up := s.givenUp()
	if !slices.Contains(up, true) || !s.continues() {
		return counts
	}
	decides := slices.Repeat([]bool{true}, s.Problem.V())
	for v, a := range answers {
		arms := indices.All(len(counts))
		lo, hi := s.Problem.ArmsOf(v)
		rivals := func(i int) bool { return !up[i] && slices.Contains(a.Candidates, s.Problem.Arms.Names[i]) }
		decides[v] = s.Mode == engine.ModeFB || a.Decided || lists.Count(arms[lo:hi], rivals) > 1
	}
	w := s.working()
	need := func(i int) bool { return !up[i] && decides[s.Problem.TaskOf[i]] }
	for _, is := range []func(i int) bool{
		func(i int) bool { return need(i) && !w.unlikely(i) }, need, func(i int) bool { return up[i] },
	} {
		out := lists.Make(len(counts), func(i int) int { return counts[i] * indices.Indicator(is(i)) })
		if lists.Total(out) > 0 {
			return out
		}
	}
	return counts
}

// continues reports whether the algorithm continues without arms that are given up: it decides by a posterior, or it has a
// budget and its rounds may be changed. A test waits for a person's decision, because its guarantee is about all arms.
func (s Moment) continues() bool { return s.posterior() || s.Mode == engine.ModeFB && !s.fixedRounds() }

// posterior reports whether the algorithm decides by a posterior.
func (p Protocol) posterior() bool {
	e, err := p.Entry()
	return err == nil && e.Backing == algorithms.BackingPosterior
}

// leaveOut returns the event that withdraws the arms that are given up, if the algorithm decides by a posterior. It keeps
// tasks in which all arms are given up. If there are no arms to withdraw, it returns nil.
func (s Moment) leaveOut(r *round, by string) []Event {
	up := s.givenUp()
	b := AmendBody{Reason: "its measurements keep failing"}
	for v := range s.Problem.V() {
		lo, hi := s.Problem.ArmsOf(v)
		arms := lists.Where(indices.All(hi)[lo:], func(i int) bool { return !s.withdrawn(i) })
		if failed := lists.Where(arms, func(i int) bool { return up[i] }); len(failed) < len(arms) {
			b.WithdrawArms = append(b.WithdrawArms, failed...)
		}
	}
	if b.WithdrawArms == nil || !s.posterior() || r.plan.Sides != nil {
		return nil
	}
	b.Withdraw = lists.Map(b.WithdrawArms, func(i int) [2]string { return [2]string(s.Problem.NamesOf(i)) })
	return []Event{NewEvent(KindAmend, s.Now, by, b)}
}
