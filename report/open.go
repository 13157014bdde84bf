package report

import (
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
)

// openArms counts, by the audit trail of the first run of a result, the arms of each task that were
// open after each round, in the order of the answers; nil where there is no trail. A first round of 0
// stands for what was left out before any data.
func openArms(r engine.Result) (rounds []int, open [][]int) {
	if len(r.Eliminations) == 0 {
		return nil, nil
	}
	type pair struct{ task, arm string }
	dropped := map[pair]bool{}
	for _, e := range r.Eliminations {
		dropped[pair{e.Task, e.Arm}] = true
	}
	number := map[string]int{}
	left := make([]int, len(r.Answers)) // open at the end
	for v, a := range r.Answers {
		number[a.Task] = v
		for _, arm := range a.Candidates { // a fixed budget drops arms that the data do not exclude
			if !dropped[pair{a.Task, arm}] {
				left[v]++
			}
		}
		left[v] = max(left[v], 1)
	}
	gone := map[int][]int{} // by round and task
	last := 0
	for _, e := range r.Eliminations {
		if gone[e.Round] == nil {
			gone[e.Round] = make([]int, len(r.Answers))
		}
		gone[e.Round][number[e.Task]]++
		last = max(last, e.Round)
	}
	for _, t := range r.Trace {
		last = max(last, t.Round)
	}
	for k := last; k >= 0; k-- {
		if k > 0 || gone[0] != nil {
			rounds, open = append(rounds, k), append(open, slices.Clone(left))
		}
		for v, n := range gone[k] {
			left[v] += n
		}
	}
	slices.Reverse(rounds)
	slices.Reverse(open)
	return rounds, open
}

// The largest trail that needs no summary, and the most tasks that one has columns for.
const (
	mostTrail     = 200
	mostOpenTasks = 12
)

// openTable sums up a long audit trail: how many arms of each task were open after each round.
func openTable(r engine.Result) (Table, bool) {
	rounds, open := openArms(r)
	if len(r.Eliminations) <= mostTrail || len(r.Answers) > mostOpenTasks {
		return Table{}, false
	}
	t := Table{Caption: "Arms open after each round", Columns: []Column{number("round", "Round", "")}}
	for _, a := range r.Answers {
		t.Columns = append(t.Columns, number(a.Task, a.Task, ""))
	}
	for k, round := range rounds {
		row := []any{round}
		for _, n := range open[k] {
			row = append(row, n)
		}
		t.Rows = append(t.Rows, row)
	}
	if rounds[0] == 0 {
		t.Notes = append(t.Notes, "Round 0 is before any data: the kernel does not distinguish some arms from others.")
	}
	return t, true
}

// openFigure draws how many arms of each task were open after each round.
func openFigure(r engine.Result) Figure {
	f := Figure{Title: "Arms open after each round, " + r.Algorithm, XLabel: "round", YLabel: "arms open", LogY: true}
	rounds, open := openArms(r)
	for v, a := range r.Answers {
		s := Series{Name: a.Task}
		for k, round := range rounds {
			s.X, s.Y = append(s.X, float64(round)), append(s.Y, float64(open[k][v]))
		}
		f.Series = append(f.Series, s)
	}
	return f
}
