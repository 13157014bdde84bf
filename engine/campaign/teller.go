package campaign

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/formulas"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// TellOptions states how a sheet is processed.
type TellOptions struct {
	By       string // who records the results; "" for a person without a name
	Sheet    string // name of the sheet; identifies rows without ids, together with By
	Sure     bool   // values that look like typing errors are right
	TakeGood bool   // record the good rows of a sheet in which others are wrong
	Extra    bool   // if a sheet has more rows without ids than open pulls, record the rest as extra measurements
	Again    bool   // rows with the values of recorded results are further measurements, not copies
	// allowed differences of settings, as "temp=0.5", for rows that name their arm by its settings
	Tolerance []string
	// the receipt reveals nothing about other people: not their ids, and nothing that depends on their rewards in the open
	// round
	Own bool

	ofTable bool // the sheet is the problem's table, whose rewards are not checked for plausibility
}

// Results is a parsed sheet of results, which a teller matches with pulls.
type Results struct {
	sheet *problem.Sheet // rows of text
	set   int            // form of the rows. 0: ids; 1: arms with means of several rewards; 2: arms with rewards
	hash  string         // SHA-256 of its bytes, in hexadecimal
}

// ReadResults parses a sheet of results, to record or to attach. It returns an error if the sheet as a whole is wrong. If
// a sheet has the columns of several forms, ids take precedence over means, and means over rewards. Attached sheets have no ids.
func ReadResults(ctx context.Context, p Protocol, data []byte, name string, kind Kind) (Results, error) {
	sets := [][]string{{"task", "arm", "count", "mean"}, {"task", "arm", "reward"}}
	if kind == KindTell {
		sets = append([][]string{{"id", "reward"}}, sets...)
	}
	sheet, set, err := problem.ReadSheet(ctx, cmp.Or(name, "the sheet"), data, p.Problem.Long, sets...)
	if err != nil {
		return Results{}, err
	}
	sheet.Aim(p.Problem.Goal)
	// attached sheets have no form 0, and begin with form 1
	return Results{sheet, set + 3 - len(sets), fmt.Sprintf("%x", sha256.Sum256(data))}, nil
}

// ownColumns are the columns of lists and sheets; notesOf keeps the content of others as notes.
var ownColumns = []string{"id", "round", "plate", "position", "block", "task", "arm", "reward", "status", "note", "count",
	"mean", "sd", "works_probability", ChainColumn}

// teller matches the rows of a sheet with pulls. It collects the events to record, and does not change the state. It
// serves one sheet; finish is called once, at the end.
type teller struct {
	state    *State // state before the sheet
	kind     Kind   // KindTell or KindAttach
	protocol Protocol
	opt      TellOptions
	now      time.Time
	receipt  Receipt // filled row by row

	results, late []ResultRecord           // to be recorded: results of the open round; late or attached results
	failed        map[string][]string      // by reason: ids of failed pulls
	failedRows    map[string][]FailedRow   // by reason: failed rows without ids
	failedTexts   map[string]bool          // texts read as failures that have a remark
	failedIDs     map[string]bool          // ids that this sheet marks as failed
	mine          map[string]*ResultRecord // by id: the result in an earlier row of this sheet
	hints         int                      // number of unknown ids that were compared with all others
	unknown       int                      // number of unknown ids
	room          map[int]int              // by arm: number of results that the open round still accepts
	open          map[int][]Item           // by arm: open pulls of the round; nil until needed
	highest       map[int]int              // by arm: the largest number of a pull
	armAt         map[[2]string]int        // by names of task and arm: number of the arm
	settings      []setting                // of all arms; nil until needed
	spans         []float64                // ranges of the columns of settings; nil until needed
	limited       bool                     // the receipt has a remark on limits
	otherRound    bool                     // the receipt has a remark on a row of another round
	fixed         func() bool              // reports whether the algorithm has fixed rounds
}

// newTeller returns a teller for one sheet. Names are made Plain, as in folded events. fixed is evaluated only when
// needed, because it begins a run of the algorithm.
func newTeller(at Moment, opt TellOptions) *teller {
	opt.By, opt.Sheet = at.State.person(opt.By), Plain(opt.Sheet)
	return &teller{
		state: at.State, protocol: at.Protocol, opt: opt, now: at.Now, failed: map[string][]string{},
		failedRows: map[string][]FailedRow{}, failedTexts: map[string]bool{}, failedIDs: map[string]bool{},
		mine: map[string]*ResultRecord{}, room: map[int]int{}, fixed: sync.OnceValue(at.fixedRounds),
		receipt: Receipt{Campaign: at.Start.Name, Sheet: opt.Sheet, Counts: map[string]int{}},
	}
}

// say counts the outcome of a row. If format is not "", it also adds a line to the receipt.
func (t *teller) say(line int, id, kind, format string, args ...any) {
	t.receipt.Counts[kind]++
	if format != "" {
		t.remark(line, kind, format, args...)
		t.receipt.Lines[len(t.receipt.Lines)-1].ID = sentence.Brief(Plain(id))
	}
}

// remark adds a line to the receipt without counting an outcome.
func (t *teller) remark(line int, kind, format string, args ...any) {
	text := sentence.BriefAt(Plain(fmt.Sprintf(format, args...)), longestLine)
	t.receipt.Lines = append(t.receipt.Lines, ReceiptLine{Line: line, Kind: kind, Text: text})
}

// longestLine is the largest number of characters in a line of the receipt: cells of a sheet may have any length.
const longestLine = 600

// bad counts a row with an unreadable cell. Its text names only the column, because the receipt already has the line.
func (t *teller) bad(line int, id string, err error) {
	text := err.Error()
	if e := (*problem.DataError)(nil); errors.As(err, &e) && e.Column > 0 {
		text = fmt.Sprintf("column %d: %s", e.Column, e.Message)
	}
	t.say(line, id, RowBad, "%s", text)
}

// byID processes a row with an id. It checks the reward, the id, and the columns task and arm if present, and then records
// the result.
func (t *teller) byID(row problem.SheetRow, columns []string) {
	id := row.Text("id")
	if id == "" {
		t.say(row.Line, "", RowBad, "the id is missing")
		return
	}
	what := outcomeOf(row, "reward")
	if what.kind != outcomeReward {
		t.withoutReward(row, id, what)
		return
	}
	if what.err != nil {
		t.bad(row.Line, id, what.err)
		return
	}
	it, err := t.item(id)
	if err != nil {
		t.say(row.Line, id, RowUnknown, "%s", err)
		return
	}
	// the columns task and arm may be missing; if present they must match the id
	names := t.protocol.Problem.NamesOf(it.Arm)
	for k, column := range []string{"task", "arm"} {
		if text := row.Text(column); text != "" && text != names[k] && formulas.Unguard(text) != names[k] {
			t.say(row.Line, id, RowBad, "this id belongs to %s, but the row has %s %q. Check whether a column was sorted without the "+
				"others", t.where(it.Arm),
				column, text)
			return
		}
	}
	taken := len(t.results) + len(t.late)
	t.one(row.Line, it, ResultRecord{Reward: what.reward, Censored: what.censored, Note: t.notesOf(row, columns, it.Arm),
		Plate: row.Text("plate"), Block: blockOf(t.protocol.Problem, row)})
	if len(t.results)+len(t.late) > taken {
		t.checkRound(row.Line, row.Text("round"), it.round, "the round of its id")
		if off := t.protocol.changed(row, columns, it.Arm); off != nil {
			t.remark(row.Line, RowNew, "the row has %s. The result is recorded for the planned arm, with this note. Check that this arm was "+
				"measured", strings.Join(off, ", "))
		}
	}
	t.limits(row.Line, what)
}

// checkRound adds a remark if the row names another round than that of its result. A sheet has at most one such remark.
func (t *teller) checkRound(line int, said string, round int, why string) {
	n, err := strconv.ParseFloat(said, 64)
	if err != nil || n == float64(round) || t.otherRound {
		return
	}
	t.otherRound = true
	t.remark(line, RowNew, "the row has round %s, but its result belongs to round %d, %s. Check whether a column was sorted without the "+
		"others, or the sheet is old", sentence.Brief(said), round, why)
}

// withoutReward processes a row without a reward: the pull is not yet measured, or failed.
func (t *teller) withoutReward(row problem.SheetRow, id string, what outcome) {
	if what.kind == outcomeNone {
		t.say(row.Line, id, RowWaiting, "")
		return
	}
	it, err := t.item(id)
	switch reason := what.reason; {
	case err != nil:
		t.say(row.Line, id, RowUnknown, "%s", err)
	case it.failed != "" || t.failedIDs[it.ID]:
		t.say(row.Line, id, RowKnown, "")
	case t.hidden(it):
		t.say(row.Line, it.ID, RowConflict, toldByOther)
	case it.result != nil:
		t.say(row.Line, id, RowConflict, "the row is marked as failed, but %g is recorded", it.result.Reward)
	case t.mine[it.ID] != nil:
		t.say(row.Line, id, RowConflict, "the same list has both a failure and %g", t.mine[it.ID].Reward)
	case reason == "":
		t.say(row.Line, id, RowBad, "a failed measurement needs a reason in the column note: %s", t.protocol.FailureRule())
	default:
		t.failed[reason] = append(t.failed[reason], it.ID)
		t.failedIDs[it.ID] = true
		t.say(row.Line, it.ID, RowFailed, "")
		t.readAsFailed(row.Line, it.ID, what)
	}
}

// item returns the pull with an id. The error states whether the id is mistyped or was never issued, and the nearest id.
func (t *teller) item(text string) (*item, error) {
	id, err := readID(text)
	if err == nil {
		if it := t.state.items[id]; it != nil {
			return it, nil
		}
		err = fmt.Errorf("this campaign never issued the id %q", sentence.Brief(text))
	}
	t.unknown++
	if t.hints++; t.hints > mostHints {
		return nil, err
	}
	if near := nearestID(text, t.ids()); near != "" {
		err = fmt.Errorf("%w; the nearest is %s", err, near)
	}
	return nil, err
}

// MostUnknown is the largest number of unknown ids in a sheet of a person who may not see others' ids. After more, Tell
// stops with ErrGuesses: such a sheet could consist of guesses.
const MostUnknown = 100

// guesses reports whether a sheet of such a person has more than MostUnknown unknown ids.
func (t *teller) guesses() bool { return t.opt.Own && t.unknown > MostUnknown }

// ErrGuesses is returned for a sheet with more than MostUnknown unknown ids.
var ErrGuesses = fmt.Errorf("more than %d ids of the sheet were never handed out. It is not a list of this campaign. Nothing was recorded",
	MostUnknown)

// mostHints is the largest number of unknown ids of a sheet that are compared with all issued ids.
const mostHints = 10

// ids returns the ids that the receipt may name: all ids, or only the person's own.
func (t *teller) ids() []string {
	named := lists.Where(t.state.order, func(it *item) bool { return !t.opt.Own || it.by == t.opt.By })
	return lists.Map(named, func(it *item) string { return it.ID })
}

// hidden reports whether a pull has a result by another person that the web page must not show before the round ends.
func (t *teller) hidden(it *item) bool {
	return t.opt.Own && it.result != nil && it.by != t.opt.By && t.concealed(it.result)
}

// concealed reports whether a result must be hidden from the person: it is of another person and of the open round, and
// TellOptions.Own is set.
func (t *teller) concealed(m *measured) bool {
	r := t.state.open()
	return t.opt.Own && m.by != t.opt.By && r != nil && m.round == r.plan.Round && !m.late
}

// toldByOther is the reply to a result of a pull whose result another person recorded. It is the same for equal and
// different values, because the person may not see the recorded value.
const toldByOther = "another person recorded its result. Only that person sees it until the round ends"

// one processes the result of a pull. The first matching case decides the outcome. Cases that hide a reward come before
// cases that would show it, and known results come before contradictions.
func (t *teller) one(line int, it *item, x ResultRecord) {
	if err := problem.CheckReward(x.Reward); err != nil {
		t.say(line, it.ID, RowBad, "%s", err)
		return
	}
	x.ID, x.Arm, x.Number, x.line = it.ID, it.Arm, it.Number, line
	// only a plate that differs from the planned one is recorded
	if x.Plate == fmt.Sprint(it.Plate) || x.Plate == "0" || it.Plate == 0 && x.Plate == "" {
		x.Plate = ""
	}
	// the earlier result of the pull: a recorded one, otherwise one from this sheet
	before := t.mine[it.ID]
	if it.result != nil {
		before = &it.result.ResultRecord
	}
	switch r := t.state.open(); {
	case t.hidden(it):
		t.say(line, it.ID, RowConflict, toldByOther)
	case t.failedIDs[it.ID]:
		t.say(line, it.ID, RowConflict, "the same list has both a failure and %g", x.Reward)
	case before != nil && before.Reward == x.Reward && before.Censored == x.Censored:
		t.say(line, it.ID, RowKnown, "")
	case it.result != nil && slices.Contains(it.result.old, x.Reward):
		t.say(line, it.ID, RowKnown, "%g was recorded before and is corrected to %g", x.Reward, before.Reward)
	case before != nil && before.Count > 1:
		t.say(line, it.ID, RowConflict, "it is one of %d results that were recorded as a mean", before.Count)
	case before != nil && it.result != nil:
		t.say(line, it.ID, RowConflict, "%g is recorded by %s, but the row says %g. If the first is wrong, run gonb-cope campaign "+
			"correct DIR %s %g --reason TEXT", before.Reward, someone(it.result.by), x.Reward, it.ID, x.Reward)
	case before != nil:
		t.say(line, it.ID, RowConflict, "the same list has %g and %g", before.Reward, x.Reward)
	case r != nil && it.round == r.plan.Round && t.roomOf(r, it.Arm) <= 0 && t.fixed():
		t.mine[it.ID] = &x
		t.late = append(t.late, x)
		t.say(line, it.ID, RowLate, "the arm already has its measurements of round %d, and %s accepts "+
			"a round only with its planned measurements", it.round,
			t.protocol.Algorithm)
	case r == nil || it.round != r.plan.Round:
		t.mine[it.ID] = &x
		t.late = append(t.late, x)
		t.say(line, it.ID, RowLate, "its round, %d, is over. The result only guides what is measured next", it.round)
	default:
		t.mine[it.ID] = &x
		t.results = append(t.results, x)
		t.room[x.Arm] = t.roomOf(r, x.Arm) - 1
		t.say(line, it.ID, RowNew, "")
		if t.opt.Own && it.by != t.opt.By {
			t.remark(line, RowNew, "this pull is on the list of another person")
			t.receipt.Lines[len(t.receipt.Lines)-1].ID = it.ID
		}
	}
}

// roomOf returns how many results of an arm the open round still accepts under its plan, after the results of this sheet.
// It is negative if the round has extra results.
func (t *teller) roomOf(r *round, arm int) int {
	n, known := t.room[arm]
	if !known {
		n = r.plan.Counts[arm] - r.measuredOf(arm)
		t.room[arm] = n
	}
	return n
}

// finish returns the receipt and the events of a sheet with the given hash. If a row was rejected and TakeGood is not set,
// there are no events. Otherwise they are, in this order: results of the open round, late or attached results, and one
// event for each reason of failure.
func (t *teller) finish(kind Kind, sha string) Done {
	late, row := KindLate, RowLate
	if kind == KindAttach {
		late, row = KindAttach, RowNew
	}
	// implausible results are removed and the sheet is refused; with Sure they are kept, together with the reason
	if t.opt.ofTable {
		// Begin attaches the table without this check: best reports its implausible values
	} else if !t.opt.Sure {
		t.results, t.late = t.without(t.results, RowNew), t.without(t.late, row)
	} else {
		t.confirm()
	}
	r := &t.receipt
	slices.SortStableFunc(r.Lines, func(a, b ReceiptLine) int { return cmp.Compare(a.Line, b.Line) })
	if r.Refused() && !t.opt.TakeGood {
		return Done{Receipt: r}
	}
	var events []Event
	record := func(kind Kind, results []ResultRecord) {
		if len(results) > 0 {
			events = append(events, NewEvent(kind, t.now, t.opt.By, TellBody{Sheet: t.opt.Sheet, SHA256: sha, Results: results}))
		}
	}
	record(KindTell, t.results)
	record(late, t.late)
	// sorted, so that the same sheet always makes the same events
	reasons := slices.Concat(slices.Collect(maps.Keys(t.failed)), slices.Collect(maps.Keys(t.failedRows)))
	slices.Sort(reasons)
	for _, reason := range slices.Compact(reasons) {
		b := FailBody{IDs: t.failed[reason], Reason: reason, Rows: t.failedRows[reason]}
		if len(b.Rows) > 0 {
			b.Sheet, b.Attached = t.opt.Sheet, kind == KindAttach
		}
		events = append(events, NewEvent(KindFail, t.now, t.opt.By, b))
	}
	r.Taken = len(events) > 0
	return Done{Receipt: r, Events: events}
}
