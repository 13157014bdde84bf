package campaign

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// TellOptions say how a sheet is taken.
type TellOptions struct {
	By       string // who tells; "" is a person, too
	Sheet    string // its name: rows without ids are told by it from rows of the teller's other sheets
	Sure     bool   // what looks like a slip is right
	TakeGood bool   // take the good rows of a sheet in which others are wrong
	Extra    bool   // rows without ids beyond the open pulls are extra measurements
	// the receipt says nothing of others: no ids of theirs, and nothing that depends on their rewards of the open
	// round
	Own bool
}

// Results is a sheet of results that was read, to be matched with pulls.
type Results struct {
	sheet *problem.Sheet // its rows as text
	set   int            // 0: by ids; 1: means of several, by arms; 2: rewards, by arms
	hash  string         // SHA-256 of its bytes, in hexadecimal
}

// ReadResults reads a sheet that is told, or attached. An error is of the sheet as a whole. Where a sheet has the columns of several forms,
// ids come first, then means, then rewards. What is attached has no ids.
func ReadResults(p Protocol, data []byte, name string, kind Kind) (Results, error) {
	sets := [][]string{{"task", "arm", "count", "mean"}, {"task", "arm", "reward"}}
	if kind == KindTell {
		sets = append([][]string{{"id", "reward"}}, sets...)
	}
	sheet, set, err := problem.ReadSheet(cmp.Or(name, "the sheet"), data, p.Problem.Long, sets...)
	if err != nil {
		return Results{}, err
	}
	// attached sheets have no form 0, and begin with 1
	return Results{sheet, set + 3 - len(sets), fmt.Sprintf("%x", sha256.Sum256(data))}, nil
}

// ownColumns are the columns of a list; others of a sheet are kept as notes.
var ownColumns = []string{"id", "round", "plate", "position", "block", "task", "arm", "reward", "status", "note", "count",
	"mean", "sd", ChainColumn}

// teller matches the rows of a sheet with pulls. It collects what is to be recorded and changes nothing of the state. It serves one sheet,
// and then finish is called once.
type teller struct {
	state    *State // as it was before the sheet
	protocol Protocol
	opt      TellOptions
	now      time.Time
	receipt  Receipt // filled in row by row

	told, late []ResultRecord           // to be recorded: of the open round; late or attached
	failed     map[string][]string      // ids by reason
	gone       map[string]bool          // ids that this sheet says failed
	mine       map[string]*ResultRecord // by id: what this sheet said of it before
	hints      int                      // nearest ids named so far
	room       map[int]int              // by arm: results that the open round still takes
	open       map[int][]Item           // by arm: what is open of the round, once it is needed
	highest    map[int]int              // by arm: the largest number given to a pull
	fixed      func() bool              // whether the algorithm takes rounds only as it planned them
}

// newTeller returns a teller for one sheet. Names are made Plain, as events have them once folded. Whether rounds are fixed is found out
// when it is asked for, since that begins a run of the algorithm.
func newTeller(at Moment, opt TellOptions) *teller {
	opt.By, opt.Sheet = Plain(opt.By), Plain(opt.Sheet)
	return &teller{
		state: at.State, protocol: at.Protocol, opt: opt, now: at.Now, failed: map[string][]string{}, gone: map[string]bool{},
		mine: map[string]*ResultRecord{}, room: map[int]int{}, fixed: sync.OnceValue(at.fixedRounds),
		receipt: Receipt{Campaign: at.Start.Name, Sheet: opt.Sheet, Counts: map[string]int{}},
	}
}

// say notes what became of a row. Without a format it counts, and nobody needs to read of it.
func (t *teller) say(line int, id, kind, format string, args ...any) {
	t.receipt.Counts[kind]++
	if format == "" {
		return
	}
	t.receipt.Lines = append(t.receipt.Lines, ReceiptLine{Line: line, ID: Plain(id), Kind: kind, Text: Plain(fmt.Sprintf(format, args...))})
}

// bad notes a cell that cannot be read. The line stands in the receipt already, so that the column alone is named.
func (t *teller) bad(line int, id string, err error) {
	text := err.Error()
	if e := (*problem.DataError)(nil); errors.As(err, &e) && e.Column > 0 {
		text = fmt.Sprintf("column %d: %s", e.Column, e.Message)
	}
	t.say(line, id, RowBad, "%s", text)
}

// byID takes a row with an id: one whose reward is empty, wrong, of no pull, or of a pull of another arm than the row says, and at last
// one that is a result.
func (t *teller) byID(row problem.SheetRow, columns []string) {
	id := row.Text("id")
	if id == "" {
		t.say(row.Line, "", RowBad, "the id is missing")
		return
	}
	failed := strings.EqualFold(row.Text("status"), "failed")
	if row.Empty("reward") {
		t.withoutReward(row, id, failed)
		return
	}
	reward, err := row.Number("reward")
	if err == nil && failed {
		err = row.Wrong("reward", "the row has the reward %g and says failed: keep one of the two", reward)
	}
	if err != nil {
		t.bad(row.Line, id, err)
		return
	}
	it, err := t.item(id)
	if err != nil {
		t.say(row.Line, id, RowUnknown, "%s", err)
		return
	}
	// the columns task and arm may be left out; where they are there they must fit
	names := t.protocol.Problem.NamesOf(it.Arm)
	for k, column := range []string{"task", "arm"} {
		if text := row.Text(column); text != "" && text != names[k] {
			t.say(row.Line, id, RowBad, "this id is of %s, and the row says %s %q: was a column sorted without the others?", t.where(it.Arm),
				column, text)
			return
		}
	}
	t.one(row.Line, it, ResultRecord{Reward: reward, Note: t.notesOf(row, columns, it.Arm), Plate: row.Text("plate"),
		Block: blockOf(t.protocol.Problem, row)})
}

// withoutReward takes a row whose reward is empty: not yet measured, or failed where its status says
// so.
func (t *teller) withoutReward(row problem.SheetRow, id string, failed bool) {
	if !failed {
		t.say(row.Line, id, RowWaiting, "")
		return
	}
	it, err := t.item(id)
	switch reason := row.Text("note"); {
	case err != nil:
		t.say(row.Line, id, RowUnknown, "%s", err)
	case it.failed != "" || t.gone[it.ID]:
		t.say(row.Line, id, RowKnown, "")
	case t.hidden(it):
		t.say(row.Line, it.ID, RowConflict, toldByOther)
	case it.told != nil:
		t.say(row.Line, id, RowConflict, "the row says failed, and %g was told before", it.told.Reward)
	case t.mine[it.ID] != nil:
		t.say(row.Line, id, RowConflict, "the same sheet says failed and %g", t.mine[it.ID].Reward)
	case reason == "":
		t.say(row.Line, id, RowBad, "a pull that failed needs a reason in the column note: %s", t.protocol.FailureRule())
	default:
		t.failed[reason] = append(t.failed[reason], it.ID)
		t.gone[it.ID] = true
		t.say(row.Line, it.ID, RowFailed, "")
	}
}

// item returns the pull of an id. Its error says whether the id is mistyped or was never issued, and which one is near.
func (t *teller) item(text string) (*item, error) {
	id, err := readID(text)
	if err == nil {
		if it := t.state.items[id]; it != nil {
			return it, nil
		}
		err = fmt.Errorf("%q was never issued in this campaign", text)
	}
	if t.hints++; t.hints > mostHints {
		return nil, err
	}
	if near := nearestID(text, t.ids()); near != "" {
		err = fmt.Errorf("%w; the nearest is %s", err, near)
	}
	return nil, err
}

// mostHints is the number of unknown ids of a sheet that are compared with all others.
const mostHints = 10

// ids returns the ids that the receipt may name: all, or the teller's own.
func (t *teller) ids() []string {
	named := lists.Where(t.state.order, func(it *item) bool { return !t.opt.Own || it.by == t.opt.By })
	return lists.Map(named, func(it *item) string { return it.ID })
}

// hidden reports whether a pull has a result of the open round that the teller may not see, as others' are on the page.
func (t *teller) hidden(it *item) bool {
	return t.opt.Own && it.told != nil && it.by != t.opt.By && t.concealed(it.told)
}

// concealed reports whether a result is of somebody else in the open round, to a teller who may not see it.
func (t *teller) concealed(m *measured) bool {
	r := t.state.open()
	return t.opt.Own && m.by != t.opt.By && r != nil && m.round == r.plan.Round && !m.late
}

// toldByOther answers a result of a pull whose result the teller may not see, whether it is the same or not.
const toldByOther = "somebody else told its result; of the open round only they see it"

// one takes a result of a pull. The first case that fits says what becomes of it: what must not show comes before what would show it, and
// what is known before what contradicts.
func (t *teller) one(line int, it *item, x ResultRecord) {
	if err := problem.CheckReward(x.Reward); err != nil {
		t.say(line, it.ID, RowBad, "%s", err)
		return
	}
	x.ID, x.Arm, x.Number, x.line = it.ID, it.Arm, it.Number, line
	// the plate is recorded where it is not the one that was planned
	if x.Plate == fmt.Sprint(it.Plate) || x.Plate == "0" || it.Plate == 0 && x.Plate == "" {
		x.Plate = ""
	}
	// what is known of the pull: by this sheet, or else recorded
	before := t.mine[it.ID]
	if it.told != nil {
		before = &it.told.ResultRecord
	}
	switch r := t.state.open(); {
	case t.hidden(it):
		t.say(line, it.ID, RowConflict, toldByOther)
	case t.gone[it.ID]:
		t.say(line, it.ID, RowConflict, "the same sheet says failed and %g", x.Reward)
	case before != nil && before.Reward == x.Reward:
		t.say(line, it.ID, RowKnown, "")
	case it.told != nil && slices.Contains(it.told.old, x.Reward):
		t.say(line, it.ID, RowKnown, "%g was told before and is corrected to %g", x.Reward, before.Reward)
	case before != nil && before.Count > 1:
		t.say(line, it.ID, RowConflict, "it is one of %d whose mean was told before", before.Count)
	case before != nil && it.told != nil:
		t.say(line, it.ID, RowConflict, "%g was told before by %s, and now %g; where the first was wrong: correct %s", before.Reward,
			someone(it.told.by), x.Reward, it.ID)
	case before != nil:
		t.say(line, it.ID, RowConflict, "the same sheet has %g and %g", before.Reward, x.Reward)
	case r != nil && it.round == r.plan.Round && t.roomOf(r, it.Arm) <= 0 && t.fixed():
		t.mine[it.ID] = &x
		t.late = append(t.late, x)
		t.say(line, it.ID, RowLate, "the arm has its pulls of round %d, and %s takes a round only as it was planned", it.round,
			t.protocol.Algorithm)
	case r == nil || it.round != r.plan.Round:
		t.mine[it.ID] = &x
		t.late = append(t.late, x)
		t.say(line, it.ID, RowLate, "its round, %d, is over: the result guides what is measured next", it.round)
	default:
		t.mine[it.ID] = &x
		t.told = append(t.told, x)
		t.room[x.Arm] = t.roomOf(r, x.Arm) - 1
		t.say(line, it.ID, RowNew, "")
	}
}

// roomOf returns how many results of an arm the round still takes as it was planned, this sheet's results taken. Below 0 it has
// extra ones already.
func (t *teller) roomOf(r *round, arm int) int {
	n, known := t.room[arm]
	if !known {
		n = r.plan.Counts[arm] - r.measuredOf(arm)
		t.room[arm] = n
	}
	return n
}

// finish decides what is recorded of a sheet with this hash: nothing, where a row is refused and the good ones are not asked for. Else
// there is an event of results of the round, one of late or attached ones, and one for each reason of a failure, in this order.
func (t *teller) finish(kind Kind, sha string) Done {
	late, row := KindLate, RowLate
	if kind == KindAttach {
		late, row = KindAttach, RowNew
	}
	// unlikely results are taken out, and make the sheet refused; or they are kept with what speaks against them
	if !t.opt.Sure {
		t.told, t.late = t.without(t.told, RowNew), t.without(t.late, row)
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
	record(KindTell, t.told)
	record(late, t.late)
	// sorted, so that the same sheet makes the same events
	for _, reason := range slices.Sorted(maps.Keys(t.failed)) {
		events = append(events, NewEvent(KindFail, t.now, t.opt.By, FailBody{IDs: t.failed[reason], Reason: reason}))
	}
	r.Taken = len(events) > 0
	return Done{Receipt: r, Events: events}
}
