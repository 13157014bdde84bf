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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// byArms processes rows without ids. A row has one reward of an arm, or the count, mean and standard deviation of several.
// The results fill open pulls of the arm.
//
// A sheet is identified by its name and the person who records it. All its rows that were recorded before must be present
// with the same values, or the sheet is refused. The k-th row with a value of an arm is the same row each time. Rows may
// therefore be added, and rows of different arms may change places. If a row is removed, the sheet needs another name.
func (t *teller) byArms(ctx context.Context, results Results, kind Kind) {
	var rows []ResultRecord
	passed := map[int]int{} // by arm: number of its rows so far
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
	recorded := func(m *measured) bool { // reports whether an earlier call recorded a row of the second copy
		return slices.ContainsFunc(rows[p:], func(x ResultRecord) bool { return x.Arm == m.Arm && x.Row == m.Row })
	}
	if p < len(rows) && !t.opt.Again && !slices.ContainsFunc(previous, recorded) {
		t.remark(rows[p].line, RowKnown, "%s the values of the rows above in the same order. A table that was pasted twice counts once. If "+
			"these are new measurements, record them with --again", sentence.Count(len(rows)-p, "row")+agreed(len(rows)-p, " repeats", " repeat"))
		t.receipt.Counts[RowKnown] += len(rows) - p
		rows = rows[:p]
	}
	// all recorded rows must be present, before any row is processed
	if why := t.differs(rows, previous, true); why != "" {
		t.refuse(rows, RowConflict, why)
		return
	}
	// the same file from two people is probably one sheet that was passed on, and would count twice
	other := t.sameOfOthers(key, rows)
	if other != "" && len(previous) == 0 && !t.opt.Sure {
		t.refuse(rows, RowSure, fmt.Sprintf("%s already recorded such rows from a sheet of this name. This may be the same sheet", other))
		return
	}
	// by arm and index of the row: its recorded result
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

// knowCopies adds to known the rows with the values of recorded results (see copies). known is indexed by arm and row. The
// receipt has one remark on this, at the first such row.
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

// readArm reads a row without an id. passed counts the rows of each arm that have a value, including faulty rows: a
// corrected row then does not change the index of others. ok is true if the row has a result; otherwise the receipt
// reports its outcome.
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

// refuse gives all rows the same outcome, with one line in the receipt.
func (t *teller) refuse(rows []ResultRecord, kind, why string) {
	if len(rows) > 0 {
		t.say(rows[0].line, "", kind, "%s", why)
		t.receipt.Counts[kind] += len(rows) - 1
	}
}

// differs compares rows with the recorded rows of the same sheet. It returns a text on the first recorded row that is
// missing or has another value; "" if all are present. If values is false, it does not compare values.
func (t *teller) differs(rows []ResultRecord, previous []*measured, values bool) string {
	if len(previous) == 0 {
		return ""
	}
	// a row is identified by its arm and its index among the arm's rows
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

// sameOfOthers returns the name of another person who recorded the same rows in a sheet of the same name; "" if there is
// none. The table attached at the start does not count. If the person may not see others' rewards, only the places of rows
// are compared, not the values. If several people match, it returns the last name in sorted order, so that the result is
// always the same.
func (t *teller) sameOfOthers(key sheetKey, rows []ResultRecord) (name string) {
	for other, previous := range t.state.sheets {
		of := other.attached == key.attached && other.name == key.name && other.by != key.by && !t.state.ofTable(previous[0])
		if of && t.differs(rows, previous, !t.opt.Own) == "" {
			name = max(name, someone(other.by))
		}
	}
	return name
}

// where returns a phrase with an arm and its task.
func (t *teller) where(arm int) string {
	names := t.protocol.Problem.NamesOf(arm)
	return fmt.Sprintf("task %q, arm %q", names[0], names[1])
}

// byArm processes one row of an arm. before is the recorded result of the row, or nil. Rows without ids are never late:
// they belong to the open round, or to no round if attached.
func (t *teller) byArm(x ResultRecord, before *measured, kind Kind) {
	r := t.state.open()
	switch {
	// differs accepted the row, so it has a value from before a correction
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

// armOf returns the number of the arm in a row. If the arm was found by its settings, note describes how they differ. The
// error contains the column of the wrong cell.
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
	// first the original texts, then without the prefix that protects cells of lists from spreadsheets
	for _, names := range [][2]string{{task, arm}, {formulas.Unguard(task), formulas.Unguard(arm)}} {
		if i, there := t.armAt[names]; there {
			return i, "", nil
		}
	}
	i, column, err := armNamed(t.protocol.Problem, task, arm)
	if err == nil {
		return i, "", nil
	}
	// if a tolerance is stated, arms with near settings are searched for every such row; otherwise only for the first
	// mostHints rows
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

// several reads the count and sd of a row with a mean. Squares becomes sd²·(count - 1). A count of 1 needs no sd.
func (x *ResultRecord) several(row problem.SheetRow) (err error) {
	defer try.Caught(&err)
	n := try.Of(row.Number("count"))
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
	sd := try.Of(row.Number("sd"))
	if sd < 0 {
		return row.Wrong("sd", "column \"sd\": expected 0 or more, got %g", sd)
	}
	x.Squares = sd * sd * float64(x.Count-1)
	if err := problem.CheckRewards(x.Count, x.Reward, x.Squares); err != nil {
		return row.Wrong("sd", "%s", err)
	}
	return nil
}

// mostExtra is the largest number of pulls beyond the open ones that the mean in one row may fill: each pull gets a
// number.
const mostExtra = 10_000

// openOf returns, by arm, the open pulls that rows without ids fill: the person's own first, then unassigned ones, then
// those of others. It collects them once for each sheet, and fill removes them. Failed and replaced pulls are not
// included: they can be filled after they were handed out again.
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

// fill assigns open pulls of its arm to a result, and sets the numbers and ids in x. It returns "" on success. If there
// are too few open pulls, and extra ones are not allowed or too many, it assigns nothing and returns the reason.
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
	// extra pulls have numbers after all others of the arm
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

// A reward is unusual if it differs from the median of all rewards by more than farFromOthers standard deviations. The
// standard deviation comes from the median absolute deviation or the noise scale, whichever is larger. The test needs at
// least fewestOthers rewards with fewestDifferent different values: equal values do not show how much arms differ.
const (
	farFromOthers   = 6
	fewestOthers    = 8
	fewestDifferent = 4
)

// without returns the results that are plausible. The others may be typing errors, and get the outcome RowSure. They were
// counted under kind before, and this count is corrected.
func (t *teller) without(results []ResultRecord, kind string) []ResultRecord {
	var accepted []ResultRecord
	aside := map[int]bool{} // lines of the sheet with implausible results
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

// confirm sets Sure of each implausible result, for the report. Most results have none.
func (t *teller) confirm() {
	median, spread := t.middle()
	for _, list := range [][]ResultRecord{t.results, t.late} {
		for i := range list {
			list[i].Sure = t.against(list[i], median, spread)
		}
	}
}

// against returns the reason why a result is implausible; "" if it is plausible. If bounds are stated, every value within
// them is plausible.
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

// middle returns the median and the spread of all rewards, including this sheet and the problem's table; 0 and 0 if there
// are too few. It includes the open round, except results that the person may not see.
func (t *teller) middle() (median, spread float64) {
	all := []float64(nil)
	if !slices.ContainsFunc(t.state.guides, t.state.ofTable) { // otherwise the table is among the attached results
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
	spread = 1.4826 * medianOf(off) // equals the standard deviation for normal values [Hampel 1974]
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
