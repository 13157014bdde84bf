package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Limits of a figure of open arms.
const (
	mostMapTasks = 8
	mostMapSteps = 6  // maximum number of maps per task: one before the first round, the others after rounds
	mapBins      = 8  // bins of a feature with many values
	mostValues   = 12 // maximum number of values of a feature that has one bin per value
)

// whereOpen draws maps over two features of the arms, for each task and for some rounds of the first run of result v. Each
// cell shows how many of its arms were still open after the round.
func whereOpen(v any, o PlotOptions) (Figure, error) {
	r, p := v.(engine.Result), *o.Where // see CheckPlot
	switch {
	case r.Problem != p.Name || r.Arms != p.N() || r.Tasks != p.V():
		return refused("where", fmt.Sprintf("where is %s, %s of %s; the result is of %s, with %d of %d", p.Name, plural(p.N(), "arm"),
			plural(p.V(), "task"), r.Problem, r.Arms, r.Tasks), "give the problem that the result is of")
	case len(r.Eliminations) == 0:
		return refused("where", "where is a problem; this result has no audit trail, which says when an arm left",
			"results of sweeps have none; run fc or fb by itself")
	case p.Arms.Dim() == 0:
		return refused("where", "where is a problem whose arms have no features, so that they lie nowhere", "")
	}
	across, wrongX := binsOf(&p, "x", o.X, 0)
	up, wrongY := binsOf(&p, "y", strings.Join(o.Y, ""), min(1, p.Arms.Dim()-1))
	tasks, wrongTask := tasksToDraw(p.Tasks.Names, o.Task, mostMapTasks, "where",
		"where is a problem; maps are drawn of up to %d tasks, and it has %d")
	if err := cmp.Or(wrongX, wrongY, wrongTask); err != nil {
		return Figure{}, err
	}
	eliminated := leftRounds(r, &p)
	steps := mapSteps(eliminated, tasks, &p)
	h := openGrid(&p, tasks, steps, eliminated, across, up)
	f := Figure{Title: "Where arms were open, " + r.Algorithm + ", " + r.Problem, XLabel: across.column + ", after each round",
		YLabel: up.column + ", of each task", Heat: h}
	if len(tasks) == 1 {
		f.Title, f.YLabel = f.Title+": "+p.Tasks.Names[tasks[0]], up.column
	}
	f.Alt = fmt.Sprintf("Maps of the arms that were open in the plane of %s and %s, a row for each of %s and a column for %s, up to round %d.",
		across.column, up.column, plural(len(tasks), "task"), plural(len(steps), "round"), steps[len(steps)-1])
	return f, nil
}

// tasksToDraw returns the indices of the tasks to draw: the task named by the option, or all. It returns an error if there
// are more than most; rule is the format of its message, with places for most and the number of tasks.
func tasksToDraw(tasks []string, asked string, most int, option, rule string) ([]int, error) {
	out := indices.Where(len(tasks), func(v int) bool { return asked == "" || asked == tasks[v] })
	switch {
	case len(out) == 0:
		return nil, &OptionError{Option: "task", Message: fmt.Sprintf("task is %q; the tasks are %s", asked, join(tasks, 8))}
	case len(out) > most:
		return nil, &OptionError{Option: option, Message: fmt.Sprintf(rule, most, len(out)),
			Hint: fmt.Sprintf("choose one with task=%q", tasks[0])}
	}
	return out, nil
}

// bins divides the arms by the values of one feature.
type bins struct {
	column string
	names  []string // name of each bin, in the units of the data
	of     []int    // for each of the N arms, the index of its bin
}

// binsOf returns the bins of the feature named asked; if asked is "", of the feature with index usual. option is the plot
// option in error messages.
func binsOf(p *problem.Problem, option, asked string, usual int) (bins, error) {
	c := usual
	if asked != "" {
		if c = slices.Index(p.Arms.Columns, asked); c < 0 {
			return bins{}, &OptionError{Option: option,
				Message: fmt.Sprintf("%s is %q; the features of arms are %s", option, asked, join(p.Arms.Columns, 12))}
		}
	}
	b := bins{column: p.Arms.Columns[c], of: make([]int, p.N())}
	shown := func(x float64) string {
		if c < len(p.Arms.Units) {
			x = p.Arms.Units[c].Data(x)
		}
		return decimal(x, 3)
	}
	xs := p.Arms.X[c]
	values := slices.Compact(slices.Sorted(slices.Values(xs)))
	if len(values) <= mostValues {
		b.names = make([]string, len(values))
		words := p.Words()
		for i, x := range xs {
			b.of[i], _ = slices.BinarySearch(values, x)
			b.names[b.of[i]] = words.Shorten(p.ArmText(c, i))
		}
		return b, nil
	}
	lo, hi := values[0], values[len(values)-1]
	b.of = lists.Map(xs, func(x float64) int { return min(int(mapBins*(x-lo)/(hi-lo)), mapBins-1) })
	end := func(k int) string { return shown(lo + (hi-lo)*float64(k)/mapBins) }
	b.names = lists.Make(mapBins, func(k int) string { return end(k) + " to " + end(k+1) })
	return b, nil
}

// stayed is the round of an arm that was never eliminated.
const stayed = math.MaxInt

// leftRounds returns, for each arm, the round in which it was eliminated, or stayed.
func leftRounds(r engine.Result, p *problem.Problem) []int {
	type pair = [2]string // task and arm
	eliminated := lists.Keyed(r.Eliminations, func(_ int, e engine.Elimination) (pair, int) { return pair{e.Task, e.Arm}, e.Round })
	return lists.Make(p.N(), func(i int) int {
		if round, there := eliminated[pair(p.NamesOf(i))]; there {
			return round
		}
		return stayed
	})
}

// mapSteps returns the rounds after which maps are drawn. They are 0 (before the first round), the last round in which an
// arm of the tasks was eliminated, and some rounds between, evenly spaced.
func mapSteps(eliminated, tasks []int, p *problem.Problem) []int {
	var rounds []int
	for i, v := range p.TaskOf {
		if eliminated[i] != stayed && eliminated[i] > 0 && slices.Contains(tasks, v) {
			rounds = lists.Add(rounds, eliminated[i])
		}
	}
	slices.Sort(rounds)
	steps := []int{0}
	n := min(len(rounds), mostMapSteps-1)
	for k := range n {
		steps = append(steps, rounds[(k+1)*len(rounds)/n-1]) // last element of each of n equal parts
	}
	return steps
}

// openGrid returns a heat map of the number of open arms. Maps of different rounds are side by side, maps of tasks are one
// below the other, with gaps between. A cell without arms is NaN.
func openGrid(p *problem.Problem, tasks, steps, eliminated []int, across, up bins) *Heat {
	wide, high := len(across.names)+1, len(up.names)+1
	h := &Heat{Label: "arms open", Log: true}
	for k, step := range steps {
		when := fmt.Sprintf("round %d", step)
		if step == 0 {
			when = "at first"
		}
		for _, name := range append(slices.Clone(across.names), "") {
			h.Columns = append(h.Columns, when+", "+name)
		}
		h.ColumnMarks = append(h.ColumnMarks, XName{At: float64(k*wide) + float64(wide-2)/2, Name: when})
	}
	for k, v := range tasks {
		for i := range high {
			name := ""
			if i < high-1 {
				name = up.names[high-2-i] // the y axis points up
			}
			h.Rows = append(h.Rows, p.Tasks.Names[v]+", "+name)
			h.Z = append(h.Z, slices.Repeat([]float64{math.NaN()}, len(h.Columns)))
		}
		h.RowMarks = append(h.RowMarks, XName{At: float64(k*high) + float64(high-2)/2, Name: p.Tasks.Names[v]})
		lo, hi := p.ArmsOf(v)
		for i := lo; i < hi; i++ {
			row := h.Z[k*high+high-2-up.of[i]]
			for s, step := range steps {
				at := &row[s*wide+across.of[i]]
				if math.IsNaN(*at) {
					*at = 0
				}
				if eliminated[i] > step {
					*at++
				}
			}
		}
	}
	h.Rows, h.Z = h.Rows[:len(h.Rows)-1], h.Z[:len(h.Z)-1] // remove the gap after the last map
	h.Columns = h.Columns[:len(h.Columns)-1]
	for i := range h.Z {
		h.Z[i] = h.Z[i][:len(h.Columns)]
	}
	return h
}

// openArms returns, for each round and task, how many arms were open after the round. It uses the eliminations of the
// first run of the result. open[i] belongs to rounds[i], with one number per task in the order of r.Answers. Both are nil
// without eliminations. Round 0 is included if arms were excluded before any data.
func openArms(r engine.Result) (rounds []int, open [][]int) {
	if len(r.Eliminations) == 0 {
		return nil, nil
	}
	type pair struct{ task, arm string }
	dropped := lists.Keyed(r.Eliminations, func(_ int, e engine.Elimination) (pair, bool) { return pair{e.Task, e.Arm}, true })
	number := map[string]int{}
	remaining := make([]int, len(r.Answers)) // arms open after the last round
	for v, a := range r.Answers {
		number[a.Task] = v
		for _, arm := range a.Candidates { // a fixed budget also drops arms that the data do not exclude
			if !dropped[pair{a.Task, arm}] {
				remaining[v]++
			}
		}
		remaining[v] = max(remaining[v], 1)
	}
	eliminated := map[int][]int{} // number of eliminated arms, by round and task
	last := 0
	for _, e := range r.Eliminations {
		if eliminated[e.Round] == nil {
			eliminated[e.Round] = make([]int, len(r.Answers))
		}
		eliminated[e.Round][number[e.Task]]++
		last = max(last, e.Round)
	}
	for _, t := range r.Trace {
		last = max(last, t.Round)
	}
	for k := last; k >= 0; k-- {
		if k > 0 || eliminated[0] != nil {
			rounds, open = append(rounds, k), append(open, slices.Clone(remaining))
		}
		for v, n := range eliminated[k] {
			remaining[v] += n
		}
	}
	slices.Reverse(rounds)
	slices.Reverse(open)
	return rounds, open
}

// Maximum number of eliminations that are listed in full, and maximum number of tasks with a column in the summary.
const (
	mostTrail     = 200
	mostOpenTasks = 12
)

// openTable summarises a long list of eliminations: how many arms of each task were open after each round. It returns
// false for a short list.
func openTable(r engine.Result) (Table, bool) {
	rounds, open := openArms(r)
	if len(r.Eliminations) <= mostTrail || len(r.Answers) > mostOpenTasks {
		return Table{}, false
	}
	t := Table{Caption: "Arms open after each round", Columns: columns("#round Round")}
	t.Columns = append(t.Columns, lists.Map(r.Answers, func(a engine.Answer) Column { return number(a.Task, a.Task, "") })...)
	for k, round := range rounds {
		t.Rows = append(t.Rows, append([]any{round}, lists.Map(open[k], func(n int) any { return n })...))
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
			s.Add(float64(round), float64(open[k][v]))
		}
		f.Series = append(f.Series, s)
	}
	return f
}
