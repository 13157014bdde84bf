package campaign

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/formulas"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// byArms takes rows without ids: one reward of an arm each, or the count, mean and standard deviation of
// several. They fill open pulls of the arm. A sheet whose rows were recorded before is known by its name and
// teller, and is the same sheet only if all of them are in it with the same values: the k-th row of an arm that
// has a value is the k-th again. So rows may be added to a sheet, and rows of different arms may change places; a row that is
// taken out makes it another sheet.
func (t *teller) byArms(ctx context.Context, results Results, kind Kind) {
	var rows []ResultRecord
	passed := map[int]int{} // by arm
	for _, row := range results.sheet.Rows {
		if ctx.Err() != nil {
			return
		}
		if x, ok := t.readArm(row, results, passed); ok {
			rows = append(rows, x)
		}
	}
	key := sheetKey{kind == KindAttach, t.opt.Sheet, t.opt.By}
	previous := t.state.sheets[key]
	p := t.period(rows)
	recorded := func(m *measured) bool { // of what seems to be repeated, by a program that took it
		return slices.ContainsFunc(rows[p:], func(x ResultRecord) bool { return x.Arm == m.Arm && x.Row == m.Row })
	}
	if p < len(rows) && !t.opt.Again && !slices.ContainsFunc(previous, recorded) {
		t.remark(rows[p].line, RowKnown, "%s the values of the rows above in the same order. A table that was pasted twice counts once. If "+
			"these are new measurements, record them with --again", sentence.Count(len(rows)-p, "row")+agreed(len(rows)-p, " repeats", " repeat"))
		t.receipt.Counts[RowKnown] += len(rows) - p
		rows = rows[:p]
	}
	// all recorded rows of the sheet must be present, before one of its rows is looked at
	if why := t.differs(rows, previous, true); why != "" {
		t.refuse(rows, RowConflict, why)
		return
	}
	// the same file of two people is most likely one sheet that was passed on, and would count twice
	other := t.sameOfOthers(key, rows)
	if other != "" && len(previous) == 0 && !t.opt.Sure {
		t.refuse(rows, RowSure, fmt.Sprintf("%s already recorded such rows from a sheet of this name. This may be the same sheet", other))
		return
	}
	// by arm and place, the recorded result of each row
	known := lists.Keyed(previous, func(_ int, m *measured) ([2]int, *measured) { return [2]int{m.Arm, m.Row}, m })
	place := func(x ResultRecord) [2]int { return [2]int{x.Arm, x.Row} }
	if other == "" && !t.opt.Again && !t.opt.ofTable {
		t.knowCopies(lists.Where(rows, func(x ResultRecord) bool { return known[place(x)] == nil }), key, results.hash, known)
	}
	for _, x := range rows {
		if ctx.Err() != nil {
			return
		}
		t.byArm(x, known[place(x)], kind)
	}
}

// knowCopies adds rows to the known ones, by arm and place, that have the values of recorded results (copies). The
// receipt reports this once, at the first of these rows.
func (t *teller) knowCopies(rows []ResultRecord, key sheetKey, hash string, known map[[2]int]*measured) {
	found, equal := t.copies(rows, key, hash)
	for k, m := range found {
		known[[2]int{rows[k].Arm, rows[k].Row}] = m
	}
	if first, some := lists.First(indices.All(len(rows)), func(k int) bool { return found[k] != nil }); some {
		t.remark(rows[first].line, RowKnown, "%s already recorded, with the same values (%s). If these are new measurements, record them with "+
			"--again",
			sentence.Count(len(found), "row")+agreed(len(found), " is", " are"), t.state.origin(found[first]))
	}
	if equal {
		t.remark(rows[0].line, RowNew, "each row equals a recorded measurement of its arm. It may be a copy of a recorded sheet, which would "+
			"count twice, or a new measurement with few digits")
	}
}

// readArm reads a row without an id; passed counts the rows of each arm that have a value, those with a slip in it too,
// so that the places of others do not change when the slip is corrected. It is ok if
// the row has a result; else the receipt names any fault.
func (t *teller) readArm(row problem.SheetRow, results Results, passed map[int]int) (x ResultRecord, ok bool) {
	several := results.set == 1
	arm, set, err := t.armOf(row)
	if err != nil {
		t.bad(row.Line, "", err)
		return x, false
	}
	column := "reward"
	if several {
		column = "mean"
	}
	what := outcomeOf(row, column)
	if what.kind == outcomeNone {
		t.say(row.Line, "", RowWaiting, "")
		return x, false
	}
	passed[arm]++
	if what.kind == outcomeFailed {
		t.failedOf(row, arm, passed[arm], what)
		return x, false
	}
	if what.err != nil {
		t.bad(row.Line, "", what.err)
		return x, false
	}
	notes := lists.Where([]string{set, t.notesOf(row, results.sheet.Columns, arm)}, func(s string) bool { return s != "" })
	x = ResultRecord{
		Arm: arm, Row: passed[arm], Note: strings.Join(notes, "; "), Plate: row.Text("plate"),
		Block: blockOf(t.protocol.Problem, row), line: row.Line, round: row.Text("round"),
	}
	if x.Reward, x.Censored = what.reward, what.censored; several {
		if err := x.several(row); err != nil {
			t.bad(row.Line, "", err)
			return x, false
		}
	}
	if err := problem.CheckReward(x.Reward); err != nil {
		t.say(row.Line, "", RowBad, "%s", err)
		return x, false
	}
	t.limits(row.Line, what)
	return x, true
}

// refuse says the same of all rows, with one line. The count is of all.
func (t *teller) refuse(rows []ResultRecord, kind, why string) {
	if len(rows) > 0 {
		t.say(rows[0].line, "", kind, "%s", why)
		t.receipt.Counts[kind] += len(rows) - 1
	}
}

// differs reports which rows differ from a sheet that is recorded in part: one of them is missing, or has another value;
// "" if all are there. Without values only their places count.
func (t *teller) differs(rows []ResultRecord, previous []*measured, values bool) string {
	if len(previous) == 0 {
		return ""
	}
	// a row is named by its arm and its place among the arm's rows
	at := lists.Keyed(rows, func(_ int, x ResultRecord) ([2]int, ResultRecord) { return [2]int{x.Arm, x.Row}, x })
	for _, m := range previous {
		x, there := at[[2]int{m.Arm, m.Row}]
		now := "is missing"
		if there {
			now = fmt.Sprintf("is %g", x.Reward)
		}
		if !there || values && !(m.count() == max(1, x.Count) && (m.Reward == x.Reward || slices.Contains(m.old, x.Reward))) {
			return fmt.Sprintf("%s: its row %d in the sheet %q is recorded as %g, but now %s. If this is another sheet, give it another name "+
				"(--sheet)", t.where(m.Arm), m.Row, t.opt.Sheet, m.Reward, now)
		}
	}
	return ""
}

// sameOfOthers returns another person who recorded rows like these in a sheet of the same name, "" if there is none. The
// table that was attached at the start does not count as a person's sheet. A teller who may not see rewards of others
// learns only that the places are the same. If several people match, it returns the name that comes last, so that it is
// the same each time.
func (t *teller) sameOfOthers(key sheetKey, rows []ResultRecord) (name string) {
	for other, previous := range t.state.sheets {
		of := other.attached == key.attached && other.name == key.name && other.by != key.by && !t.state.ofTable(previous[0])
		if of && t.differs(rows, previous, !t.opt.Own) == "" {
			name = max(name, someone(other.by))
		}
	}
	return name
}

// where names an arm and its task.
func (t *teller) where(arm int) string {
	names := t.protocol.Problem.NamesOf(arm)
	return fmt.Sprintf("task %q, arm %q", names[0], names[1])
}

// byArm takes a row of an arm; before is the recorded result of the row, or nil. Rows by arm are never late: they belong
// to the open round or to no round.
func (t *teller) byArm(x ResultRecord, before *measured, kind Kind) {
	r := t.state.open()
	switch {
	// differs accepted the row, so its value is the one before a correction
	case before != nil && before.Reward != x.Reward:
		t.say(x.line, "", RowKnown, "%s: %g was recorded before and is corrected to %g", t.where(x.Arm), x.Reward, before.Reward)
		return
	case before != nil:
		t.say(x.line, "", RowKnown, "")
		return
	case kind == KindAttach:
		t.late = append(t.late, x)
		t.say(x.line, "", RowNew, "")
		return
	case r == nil:
		t.say(x.line, "", RowBad, "%s: no round is open. To record measurements outside rounds, use attach", t.where(x.Arm))
		return
	case t.state.cameAfter(r, x.Arm):
		t.say(x.line, "", RowBad, "%s was added after round %d began, and is measured from the next round on. To record measurements outside "+
			"rounds, use attach", t.where(x.Arm), r.plan.Round)
		return
	}
	if why := t.fill(r, &x); why != "" {
		t.say(x.line, "", RowBad, "%s %s", t.where(x.Arm), why)
		return
	}
	t.results = append(t.results, x)
	t.say(x.line, "", RowNew, "")
	t.checkRound(x.line, x.round, r.plan.Round, "the open one, because the row has no id")
}

// armOf returns the number of the arm that a row names, or means, and then how the settings differ. Its error has the
// column of the cell.
func (t *teller) armOf(row problem.SheetRow) (i int, note string, err error) {
	task, err := row.Name("task")
	if err != nil {
		return 0, "", err
	}
	arm, err := row.Name("arm")
	if err != nil {
		return 0, "", err
	}
	if t.armAt == nil {
		t.armAt = lists.Keyed(t.protocol.Problem.TaskOf, func(i, v int) ([2]string, int) {
			return [2]string{t.protocol.Problem.Tasks.Names[v], t.protocol.Problem.Arms.Names[i]}, i
		})
	}
	// unchanged, and as a list writes them for spreadsheets
	for _, names := range [][2]string{{task, arm}, {formulas.Unguard(task), formulas.Unguard(arm)}} {
		if i, there := t.armAt[names]; there {
			return i, "", nil
		}
	}
	i, column, err := armNamed(t.protocol.Problem, task, arm)
	if err == nil {
		return i, "", nil
	}
	// near arms are looked for in all such rows if a tolerance is stated, otherwise only in the first mostHints of them
	if v, e := taskNamed(t.protocol.Problem, formulas.Unguard(task)); e == nil && (len(t.opt.Tolerance) > 0 || t.hints < mostHints) {
		t.hints++
		i, note, e := t.meant(row, v)
		switch {
		case e != nil:
			err = fmt.Errorf("task %q has no arm %q%w", sentence.Brief(task), sentence.Brief(arm), e)
		case i >= 0:
			return i, note, nil
		}
	}
	return 0, "", row.Wrong(column, "%s", err)
}

// several reads count and sd of a row. Squares are sd²·(count - 1); a mean of one reward needs no sd.
func (x *ResultRecord) several(row problem.SheetRow) error {
	n, err := row.Number("count")
	if err != nil {
		return err
	}
	if n < 1 || n != math.Trunc(n) || n > math.MaxInt32 {
		return row.Wrong("count", "column \"count\": expected a whole number of at least 1, got %g", n)
	}
	x.Count = int(n)
	if row.Empty("sd") {
		if x.Count > 1 {
			return row.Wrong("count", "the mean of %d rewards needs their standard deviation in a column sd", x.Count)
		}
		return nil
	}
	sd, err := row.Number("sd")
	if err != nil {
		return err
	}
	if sd < 0 {
		return row.Wrong("sd", "column \"sd\": expected 0 or more, got %g", sd)
	}
	x.Squares = sd * sd * float64(x.Count-1)
	if err := problem.CheckRewards(x.Count, x.Reward, x.Squares); err != nil {
		return row.Wrong("sd", "%s", err)
	}
	return nil
}

// mostExtra is the most measurements beyond the open pulls that one row may be the mean of: each gets a number.
const mostExtra = 10_000

// openOf returns the open pulls of every arm, which rows without ids fill: first the teller's own, then the unassigned
// ones, then others'. They are looked up once per sheet, and fill takes from them row by row. Failed and replaced pulls
// are not among them: they are open again once they are handed out under other ids.
func (t *teller) openOf(r *round) map[int][]Item {
	if t.open == nil {
		t.open, t.highest = map[int][]Item{}, maps.Clone(r.highest)
		var own, others []Item
		for _, it := range t.state.order {
			switch {
			case it.round != r.plan.Round || !it.outstanding():
			case it.by == t.opt.By:
				own = append(own, it.Item)
			default:
				others = append(others, it.Item)
			}
		}
		nobodys := lists.Map(lists.Where(r.list, r.nobodys), func(slot Slot) Item { return Item{Slot: slot} })
		for _, x := range slices.Concat(own, nobodys, others) {
			t.open[x.Arm] = append(t.open[x.Arm], x)
		}
	}
	return t.open
}

// fill gives a result the open pulls of its arm. It returns a reason, and takes nothing, if there are too few and the
// extra ones are not allowed or too many. x gets the numbers of the pulls, and the ids that they were handed out under.
func (t *teller) fill(r *round, x *ResultRecord) string {
	open, n := t.openOf(r)[x.Arm], max(1, x.Count)
	switch extra := n - len(open); {
	case extra > 0 && (!t.opt.Extra || t.fixed()):
		return fmt.Sprintf("has no open pull left in round %d. To record the row as an extra measurement, write --extra", r.plan.Round)
	case extra > mostExtra:
		return fmt.Sprintf("has %d more measurements than open pulls; at most %d are allowed. To record measurements outside rounds, use "+
			"attach", extra,
			mostExtra)
	}
	// extra measurements have numbers behind all others of the arm
	for len(open) < n {
		t.highest[x.Arm]++
		open = append(open, Item{Slot: Slot{Number: t.highest[x.Arm]}})
	}
	x.Number = open[0].Number
	for k, pull := range open[:n] {
		if k > 0 {
			x.Slots = append(x.Slots, pull.Number)
		}
		if pull.ID != "" {
			x.Fills = append(x.Fills, pull.ID)
		}
	}
	t.open[x.Arm] = open[n:]
	return ""
}

// A reward is far from all others beyond this many standard deviations from their median, by their median absolute
// deviation or the noise scale, whichever is larger. This needs eight rewards, and four different values: equal ones do
// not show how far arms are apart.
const (
	farFromOthers   = 6
	fewestOthers    = 8
	fewestDifferent = 4
)

// without returns the results that look right, and notes the others, which may be slips of the pen. Their rows were said to be of the
// given kind before, which is taken back.
func (t *teller) without(results []ResultRecord, kind string) []ResultRecord {
	var accepted []ResultRecord
	aside := map[int]bool{} // lines of the sheet
	median, spread := t.middle()
	for _, x := range results {
		why := t.against(x, median, spread)
		if why == "" {
			accepted = append(accepted, x)
			continue
		}
		t.receipt.Counts[kind]--
		aside[x.line] = true
		t.say(x.line, x.ID, RowSure, "%g of %s: %s", x.Reward, t.where(x.Arm), why)
	}
	t.receipt.Lines = slices.DeleteFunc(t.receipt.Lines, func(l ReceiptLine) bool { return l.Kind == kind && aside[l.Line] })
	return accepted
}

// confirm records the objections to results that the teller has confirmed, for the report. Most have none.
func (t *teller) confirm() {
	median, spread := t.middle()
	for _, list := range [][]ResultRecord{t.results, t.late} {
		for i := range list {
			list[i].Sure = t.against(list[i], median, spread)
		}
	}
}

// against returns the objection to a result, "" if there is none. If bounds are stated these alone count: any value
// within them is likely enough.
func (t *teller) against(x ResultRecord, median, spread float64) string {
	p := t.protocol.Problem
	if b := p.TurnedBounds(p.Noise.Bounds); b != nil {
		if x.Reward < b[0] || x.Reward > b[1] {
			return fmt.Sprintf("it is outside of the limits [%g, %g] that the script states. If it is right, the limits "+
				"and the guarantee are wrong", b[0], b[1])
		}
		return ""
	}
	if spread > 0 && math.Abs(x.Reward-median) > farFromOthers*spread {
		return fmt.Sprintf("it is far from all other rewards, whose median is %.4g", median)
	}
	return ""
}

// middle returns the median of all rewards, including this sheet and the problem's table, and how far they scatter about
// it; 0 if they are too few. Results of the open round count too, except others' if the teller must not learn of them.
func (t *teller) middle() (median, spread float64) {
	all := []float64(nil)
	if !slices.ContainsFunc(t.state.guides, t.state.ofTable) { // else the table is among what was attached
		all = t.protocol.tableRewards()
	}
	reward := func(m *measured) float64 { return m.Reward }
	for m := range resultsOf(t.state.rounds) {
		if !t.concealed(m) {
			all = append(all, m.Reward)
		}
	}
	all = append(all, lists.Map(t.results, func(x ResultRecord) float64 { return x.Reward })...)
	all = append(all, lists.Map(t.state.guides, reward)...)
	different := slices.Compact(slices.Sorted(slices.Values(all)))
	if len(all) < fewestOthers || len(different) < fewestDifferent {
		return 0, 0
	}
	median = medianOf(all)
	off := lists.Map(different, func(x float64) float64 { return math.Abs(x - median) })
	spread = 1.4826 * medianOf(off) // of normal values, their standard deviation [Hampel 1974]
	if t.protocol.Problem.Noise.UnknownBy == "" {
		spread = max(spread, t.protocol.Problem.LargestNoise())
	}
	return median, spread
}

func medianOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
