package campaign

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// What became of a row of a sheet of results.
const (
	RowNew      = "new"      // recorded
	RowKnown    = "known"    // told before, with this value
	RowLate     = "late"     // of a round that is over: it guides and decides nothing
	RowFailed   = "failed"   // recorded as a pull without result
	RowWaiting  = "waiting"  // no reward yet
	RowConflict = "conflict" // told before, with another value
	RowUnknown  = "unknown"  // no such id
	RowBad      = "bad"      // it cannot be read, or cannot be right
	RowSure     = "unlikely" // the value may be a slip: --sure confirms it
)

// Receipt says what became of every row of a sheet. It is given out once the results are durable.
type Receipt struct {
	Campaign string         `json:"campaign"`
	Sheet    string         `json:"sheet,omitempty"`
	Taken    bool           `json:"taken"` // whether anything was recorded
	Counts   map[string]int `json:"counts"`
	Lines    []ReceiptLine  `json:"lines"` // of rows that are not simply new, known or waiting
	Round    int            `json:"round,omitempty"`
	Left     int            `json:"left"` // pulls of the open round without result
	Over     bool           `json:"round_over"`
	Notes    []problem.Note `json:"notes,omitempty"`
	Hash     string         `json:"hash,omitempty"` // of the last event
}

// ReceiptLine is a row of a sheet.
type ReceiptLine struct {
	Line int    `json:"line,omitempty"`
	ID   string `json:"id,omitempty"`
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
}

// Refused reports whether a row was not taken because something is wrong with it.
func (r Receipt) Refused() bool {
	return r.Counts[RowConflict]+r.Counts[RowUnknown]+r.Counts[RowBad]+r.Counts[RowSure] > 0
}

// TellOptions say how a sheet is taken.
type TellOptions struct {
	By       string
	Sheet    string // its name: rows without ids are told from those of other sheets by it
	Sure     bool   // rewards that look like slips are right
	TakeGood bool   // take the good rows of a sheet in which others are wrong
	Extra    bool   // rows without ids beyond the open pulls are extra measurements
}

// ownColumns are the columns of a list; others of a sheet are kept as notes.
var ownColumns = []string{"id", "round", "plate", "position", "task", "arm", "reward", "status", "note", "count", "mean", "sd"}

// teller matches the rows of a sheet with pulls.
type teller struct {
	state    *State
	protocol Protocol
	opt      TellOptions
	now      time.Time
	receipt  Receipt

	told, late []ResultRecord
	failed     map[string][]string // ids by reason
	mine       map[string]*ResultRecord
	used       map[[2]int]bool // pulls that rows of this sheet fill
	passed     map[[2]int]int  // by task and arm: rows of this sheet that were told before or are new
}

// Tell matches a sheet with what is open, and returns the receipt with the events to record: none
// where nothing is new, or something is wrong. An error is of the sheet as a whole.
func (s *State) Tell(p Protocol, data []byte, opt TellOptions, now time.Time) (Receipt, []Event, error) {
	sheet, set, err := problem.ReadSheet(cmp.Or(opt.Sheet, "the sheet"), data, p.Problem.Long, []string{"id", "reward"}, []string{"task", "arm", "count", "mean"}, []string{"task", "arm", "reward"})
	if err != nil {
		return Receipt{}, nil, err
	}
	t := s.teller(p, opt, now)
	for _, row := range sheet.Rows {
		if set == 0 {
			t.byID(row, sheet.Columns)
		} else {
			t.byArm(row, sheet.Columns, set == 1, KindTell)
		}
	}
	t.receipt.Notes = sheet.Notes() // known once numbers were read
	sum := sha256.Sum256(data)
	receipt, events := t.finish(hex.EncodeToString(sum[:]))
	return receipt, events, nil
}

// TellOne matches one result with its pull.
func (s *State) TellOne(p Protocol, id string, reward float64, opt TellOptions, now time.Time) (Receipt, []Event) {
	t := s.teller(p, opt, now)
	t.one(0, id, ResultRecord{Reward: reward})
	return t.finish("")
}

func (s *State) teller(p Protocol, opt TellOptions, now time.Time) *teller {
	return &teller{
		state: s, protocol: p, opt: opt, now: now, failed: map[string][]string{}, mine: map[string]*ResultRecord{},
		used: map[[2]int]bool{}, passed: map[[2]int]int{},
		receipt: Receipt{Campaign: s.Start.Name, Sheet: opt.Sheet, Counts: map[string]int{}},
	}
}

// say notes what became of a row.
func (t *teller) say(line int, id, kind, format string, args ...any) {
	t.receipt.Counts[kind]++
	if format == "" {
		return
	}
	t.receipt.Lines = append(t.receipt.Lines, ReceiptLine{Line: line, ID: id, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// bad notes a cell that cannot be read.
func (t *teller) bad(line int, id string, err error) {
	text := err.Error()
	if e := (*problem.DataError)(nil); errors.As(err, &e) && e.Column > 0 {
		text = fmt.Sprintf("column %d: %s", e.Column, e.Message)
	}
	t.say(line, id, RowBad, "%s", text)
}

// byID takes a row with an id.
func (t *teller) byID(row problem.SheetRow, columns []string) {
	id := row.Text("id")
	if id == "" {
		t.say(row.Line, "", RowBad, "the id is missing")
		return
	}
	if row.Empty("reward") {
		t.withoutReward(row, id)
		return
	}
	reward, err := row.Number("reward")
	if err != nil {
		t.bad(row.Line, id, err)
		return
	}
	arm := -1
	if it, err := t.item(id); err == nil {
		arm = it.Arm
		names := t.protocol.Problem.NamesOf(it.Arm)
		for k, column := range []string{"task", "arm"} {
			if text := row.Text(column); text != "" && text != names[k] {
				t.say(row.Line, id, RowBad, "this id is of task %q, arm %q, and the row says %s %q: was a column sorted without the others?", names[0], names[1], column, text)
				return
			}
		}
	}
	t.one(row.Line, id, ResultRecord{Reward: reward, Note: t.notesOf(row, columns, arm), Plate: row.Text("plate")})
}

// withoutReward takes a row whose reward is empty: not yet measured, or failed where its status says
// so.
func (t *teller) withoutReward(row problem.SheetRow, id string) {
	if !strings.EqualFold(row.Text("status"), "failed") {
		t.say(row.Line, id, RowWaiting, "")
		return
	}
	it, err := t.item(id)
	switch reason := row.Text("note"); {
	case err != nil:
		t.say(row.Line, id, RowUnknown, "%s", err)
	case it.failed != "":
		t.say(row.Line, id, RowKnown, "")
	case it.told != nil:
		t.say(row.Line, id, RowConflict, "the row says failed, and %g was told before", it.told.Reward)
	case reason == "":
		t.say(row.Line, id, RowBad, "a pull that failed needs a reason in the column note (a failed reaction is a reward of 0, not a failed pull)")
	default:
		t.failed[reason] = append(t.failed[reason], it.ID)
		t.say(row.Line, it.ID, RowFailed, "")
	}
}

// item returns the pull of an id.
func (t *teller) item(text string) (*item, error) {
	id, err := readID(text)
	if err == nil {
		if it := t.state.items[id]; it != nil {
			return it, nil
		}
		err = fmt.Errorf("%q was never issued in this campaign", text)
	}
	if near := nearestID(text, t.state.order); near != "" {
		err = fmt.Errorf("%w; the nearest is %s", err, near)
	}
	return nil, err
}

// one takes a result of an id.
func (t *teller) one(line int, text string, x ResultRecord) {
	it, err := t.item(text)
	if err != nil {
		t.say(line, text, RowUnknown, "%s", err)
		return
	}
	x.ID, x.Arm, x.Number, x.line = it.ID, it.Arm, it.Number, line
	if x.Plate == fmt.Sprint(it.Plate) || x.Plate == "0" || it.Plate == 0 && x.Plate == "" {
		x.Plate = ""
	}
	before := t.mine[it.ID]
	if it.told != nil {
		before = &it.told.ResultRecord
	}
	switch r := t.state.open(); {
	case before != nil && before.Reward == x.Reward:
		t.say(line, it.ID, RowKnown, "")
	case it.told != nil && slices.Contains(it.told.old, x.Reward):
		t.say(line, it.ID, RowKnown, "%g was told before and is corrected to %g", x.Reward, before.Reward)
	case before != nil && before.Count > 1:
		t.say(line, it.ID, RowConflict, "it is one of %d whose mean was told before", before.Count)
	case before != nil && it.told != nil:
		t.say(line, it.ID, RowConflict, "%g was told before by %s, and now %g; where the first was wrong: correct %s", before.Reward, someone(it.told.by), x.Reward, it.ID)
	case before != nil:
		t.say(line, it.ID, RowConflict, "the same sheet has %g and %g", before.Reward, x.Reward)
	case r != nil && it.round == r.plan.Round && t.full(r, it.Arm) && t.protocol.fixedRounds():
		t.mine[it.ID] = &x
		t.late = append(t.late, x)
		t.say(line, it.ID, RowLate, "the arm has its pulls of round %d, and %s takes a round only as it was planned", it.round, t.protocol.Algorithm)
	case r == nil || it.round != r.plan.Round:
		t.mine[it.ID] = &x
		t.late = append(t.late, x)
		t.say(line, it.ID, RowLate, "its round, %d, is over: the result guides what is measured next", it.round)
	default:
		t.mine[it.ID] = &x
		t.told = append(t.told, x)
		t.used[[2]int{x.Arm, x.Number}] = true
		t.say(line, it.ID, RowNew, "")
	}
}

// full reports whether an arm has all results that the round was planned with, those of this sheet
// included.
func (t *teller) full(r *round, arm int) bool {
	n := r.measuredOf(arm)
	for _, x := range t.told {
		if x.Arm == arm {
			n += max(1, x.Count)
		}
	}
	return n >= r.plan.Counts[arm]
}

// finish decides what is recorded.
func (t *teller) finish(sha string) (Receipt, []Event) {
	if !t.opt.Sure {
		t.doubtful()
	} else {
		t.confirm()
	}
	r := &t.receipt
	slices.SortStableFunc(r.Lines, func(a, b ReceiptLine) int { return cmp.Compare(a.Line, b.Line) })
	if r.Refused() && !t.opt.TakeGood {
		return *r, nil
	}
	var events []Event
	if len(t.told) > 0 {
		events = append(events, NewEvent(KindTell, t.now, t.opt.By, TellBody{Sheet: t.opt.Sheet, SHA256: sha, Results: t.told}))
	}
	if len(t.late) > 0 {
		events = append(events, NewEvent(KindLate, t.now, t.opt.By, TellBody{Sheet: t.opt.Sheet, SHA256: sha, Results: t.late}))
	}
	for _, reason := range slices.Sorted(maps.Keys(t.failed)) {
		events = append(events, NewEvent(KindFail, t.now, t.opt.By, FailBody{IDs: t.failed[reason], Reason: reason}))
	}
	r.Taken = len(events) > 0
	return *r, events
}
