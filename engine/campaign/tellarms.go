package campaign

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// byArm takes a row without an id: one reward of an arm, or the count, mean and standard deviation
// of several. It fills open pulls of the arm. Rows are told from those that were told before by
// their order in the sheet of that name: the k-th row of an arm is the k-th row of it again.
func (t *teller) byArm(row problem.SheetRow, columns []string, several bool, kind Kind) {
	arm, err := t.armOf(row)
	if err != nil {
		t.bad(row.Line, "", err)
		return
	}
	x := ResultRecord{Arm: arm, Note: t.notesOf(row, columns, arm), Plate: row.Text("plate"), line: row.Line}
	column := "reward"
	if several {
		column = "mean"
	}
	if row.Empty(column) {
		t.say(row.Line, "", RowWaiting, "")
		return
	}
	if x.Reward, err = row.Number(column); err == nil && several {
		err = x.several(row)
	}
	if err != nil {
		t.bad(row.Line, "", err)
		return
	}
	key := [2]int{arm, 0}
	x.Row = t.passed[key] + 1
	t.passed[key]++
	names := t.protocol.Problem.NamesOf(arm)
	where := fmt.Sprintf("task %q, arm %q", names[0], names[1])
	if old := t.rowBefore(kind, arm, x.Row); old != nil {
		if old.Reward == x.Reward && old.count() == max(1, x.Count) {
			t.say(row.Line, "", RowKnown, "")
		} else if slices.Contains(old.old, x.Reward) && old.count() == max(1, x.Count) {
			t.say(row.Line, "", RowKnown, "%s: %g was told before and is corrected to %g", where, x.Reward, old.Reward)
		} else {
			t.say(row.Line, "", RowConflict, "%s: row %d of it in this sheet was told before as %g, and is %g now", where, x.Row, old.Reward, x.Reward)
		}
		return
	}
	if kind == KindAttach {
		t.late = append(t.late, x)
		t.say(row.Line, "", RowNew, "")
		return
	}
	if t.state.open() == nil {
		t.say(row.Line, "", RowBad, "%s: no round is open; attach records measurements of no round", where)
		return
	}
	if r := t.state.open(); t.state.cameAfter(r, arm) {
		t.say(row.Line, "", RowBad, "%s was added after round %d began, and is measured from the next round on; attach records measurements of no round", where, r.plan.Round)
		return
	}
	if !t.fill(&x) {
		t.say(row.Line, "", RowBad, "%s has no open pull left in round %d; --extra takes the row as an extra measurement", where, t.state.open().plan.Round)
		return
	}
	t.told = append(t.told, x)
	t.say(row.Line, "", RowNew, "")
}

// armOf returns the number of the arm that a row names.
func (t *teller) armOf(row problem.SheetRow) (int, error) {
	p := t.protocol.Problem
	task, err := row.Name("task")
	if err != nil {
		return 0, err
	}
	arm, err := row.Name("arm")
	if err != nil {
		return 0, err
	}
	v := slices.Index(p.Tasks.Names, task)
	if v < 0 {
		return 0, row.Wrong("task", "no task is called %q; there are %s", task, joined(p.Tasks.Names, 8))
	}
	lo, hi := p.ArmsOf(v)
	if k := t.protocol.armNamed(v, arm); k >= 0 {
		return lo + k, nil
	}
	return 0, row.Wrong("arm", "task %q has no arm %q; it has %s", task, arm, joined(p.Arms.Names[lo:hi], 8))
}

// several reads count and sd of a row.
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
	return nil
}

// rowBefore returns the k-th row of an arm that was told without id in this sheet.
func (t *teller) rowBefore(kind Kind, arm, k int) *measured {
	for _, m := range t.state.sheets[sheetKey(kind, t.opt.Sheet)] {
		if m.Arm == arm && m.Row == k {
			return m
		}
	}
	return nil
}

// fill gives a result the open pulls of its arm: those that the teller was handed, then those that
// nobody has, then those of others. It reports false where there are too few, and extra ones are not
// allowed.
func (t *teller) fill(x *ResultRecord) bool {
	s := t.state
	r := s.open()
	var own, others, nobodys []Item
	for _, id := range s.order {
		it := s.items[id]
		if it.round != r.plan.Round || it.Arm != x.Arm || !it.outstanding() || t.used[[2]int{it.Arm, it.Number}] {
			continue
		}
		if it.by == t.opt.By {
			own = append(own, it.Item)
		} else {
			others = append(others, it.Item)
		}
	}
	for _, slot := range r.list {
		if key := [2]int{slot.Arm, slot.Number}; slot.Arm == x.Arm && r.filled[key] == nil && !t.used[key] {
			nobodys = append(nobodys, Item{Slot: slot})
		}
	}
	open := slices.Concat(own, nobodys, others)
	n := max(1, x.Count)
	if len(open) < n && (!t.opt.Extra || t.protocol.fixedRounds()) {
		return false
	}
	highest := r.highest[x.Arm]
	for key := range t.used {
		if key[0] == x.Arm {
			highest = max(highest, key[1])
		}
	}
	for k := range n {
		number := highest + 1 + k - len(open)
		if k < len(open) {
			number = open[k].Number
			if open[k].ID != "" {
				x.Fills = append(x.Fills, open[k].ID)
			}
		}
		t.used[[2]int{x.Arm, number}] = true
		if k == 0 {
			x.Number = number
		} else {
			x.Slots = append(x.Slots, number)
		}
	}
	return true
}
