package problem

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// CandidatesAll in Long.Candidates asks for all combinations of the values of the arm columns.
const CandidatesAll = "all"

const (
	// mostCandidates is the largest number of rows that Candidates can add to a table.
	mostCandidates = 100_000
	// gridArms is the approximate number of arms of a problem with ranges before they are refined.
	gridArms              = 3000
	fewestGrid, mostGrid  = 4, 17
	rangeDigits           = 3 // significant digits of values on a logarithmic scale
	rangeResolution       = 20.0
	mostNeighbours        = 1500 // approximate number of arms that one refinement adds
	neighboursAcrossRange = 3    // the value itself and the two values next to it
)

// valueRange is a range of numbers in a column. The numbers that become candidates lie on a grid over this range.
type valueRange struct {
	column string
	lo, hi float64
	log    bool
	step   float64 // distance of two neighbouring values, in decades if log is true
	fixed  bool    // the user stated the step, so that it is not refined
}

// rangePattern matches ranges such as "lr=1e-5..1e-1 log" and "layers=2..8 step 1".
var rangePattern = regexp.MustCompile(`^\s*(.+?)\s*=\s*([^\s=]+?)\s*\.\.\s*([^\s=]+)(?:\s+(log|step\s+(\S+)|.*\S))?\s*$`)

// rangeIn reads a range; found is false for other texts.
func rangeIn(t *table, text string) (r valueRange, found bool) {
	m := rangePattern.FindStringSubmatch(text)
	if m == nil {
		return r, false
	}
	wrong := func(what string) {
		panic(t.at(cell{}, "candidates=%q: %s; write a range as in \"lr=1e-5..1e-1 log\" or \"layers=2..8 step 1\"", text, what))
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			wrong(fmt.Sprintf("%q is not a number", s))
		}
		return v
	}
	r = valueRange{column: m[1], lo: number(m[2]), hi: number(m[3]), log: m[4] == "log", fixed: m[5] != ""}
	if r.fixed {
		r.step = number(m[5])
	}
	switch {
	case m[4] != "" && !r.log && !r.fixed:
		wrong(fmt.Sprintf("%q is neither log nor a step", m[4]))
	case !(r.lo < r.hi):
		wrong("the first number must be the lower one")
	case r.log && r.lo <= 0:
		wrong("a logarithmic scale needs numbers above 0")
	case r.fixed && !(r.step > 0):
		wrong("the step must be above 0")
	}
	return r, true
}

// CandidatesFile reports whether an element of Long.Candidates is the path of a table.
func CandidatesFile(text string) bool {
	return strings.TrimSpace(text) != CandidatesAll && !rangePattern.MatchString(text)
}

// of returns the value at position x on the scale of the range, rounded to a few digits.
func (r valueRange) of(x float64) float64 {
	if r.log {
		v, _ := strconv.ParseFloat(strconv.FormatFloat(math.Pow(10, x), 'g', rangeDigits, 64), 64)
		return min(max(v, r.lo), r.hi)
	}
	unit := math.Pow10(int(math.Floor(math.Log10(r.step / rangeResolution))))
	v, _ := strconv.ParseFloat(strconv.FormatFloat(math.Round(x/unit)*unit, 'g', exactDigits-3, 64), 64)
	return min(max(v, r.lo), r.hi)
}

// at returns the position of value v on the scale of the range.
func (r valueRange) at(v float64) float64 {
	if r.log {
		return math.Log10(v)
	}
	return v
}

// grid returns the values of the range. It uses the stated step, or the given number of points.
func (r *valueRange) grid(points int) []float64 {
	lo, hi := r.at(r.lo), r.at(r.hi)
	if !r.fixed {
		r.step = (hi - lo) / float64(points-1)
	}
	steps := math.Floor((hi-lo)/r.step + 1e-9)
	if steps > mostCandidates {
		steps = mostCandidates
	}
	return lists.Make(int(steps)+1, func(k int) float64 { return r.of(lo + float64(k)*r.step) })
}

// consider adds a row without a reward for each candidate. A candidate that the table already has is not added.
func (t *table) consider(l Long, opt LoadOptions) (ranges []valueRange) {
	var files []string
	all := false
	for _, text := range l.Candidates {
		if r, is := rangeIn(t, text); is {
			if !t.find(r.column) || !slices.ContainsFunc(l.Arm, func(name string) bool { return t.column[name] == t.column[r.column] }) {
				panic(t.at(cell{}, "candidates=%q: %q is not a column of arm; a range is of one of %s", text, r.column, listed(l.Arm)))
			}
			if !slices.Equal(l.Arm, l.ArmFeatures) {
				panic(t.at(cell{}, "candidates=%q: the features of new values are unknown, because arm_features names other columns", text))
			}
			ranges = append(ranges, r)
		} else if strings.TrimSpace(text) == CandidatesAll {
			all = true
		} else {
			files = append(files, text)
		}
	}
	a := candidates{t: t, l: l, rows: len(t.lines), point: decimalPoints(t), first: map[string]int{}, tasks: map[string]int{}}
	for r := range a.rows {
		if option := t.joined(r, l.Arm); !has(a.first, option) {
			a.first[option] = r
		}
		if task := t.joined(r, l.Task); !has(a.tasks, task) {
			a.tasks[task], a.order = r, append(a.order, task)
		}
	}
	if all || len(ranges) > 0 {
		a.combine(ranges)
	}
	for _, path := range files {
		a.read(path, opt)
	}
	return ranges
}

func has(m map[string]int, key string) bool {
	_, there := m[key]
	return there
}

// joined returns a text that is the same for rows with the same texts in some columns.
func (t *table) joined(r int, columns []string) string {
	return strings.Join(lists.Map(columns, func(name string) string { return t.textOf(r, name) }), "\x00")
}

// candidates adds rows for candidates to a table.
type candidates struct {
	t     *table
	l     Long
	rows  int            // number of rows before candidates were added
	point bool           // numbers are written with a decimal point
	first map[string]int // by arm, the first row
	tasks map[string]int // by task, the first row
	order []string       // tasks in the order of their first rows
}

// combine adds, for every task, all combinations of the values of the arm columns. The values of a column with a range are its grid.
func (a *candidates) combine(ranges []valueRange) {
	t, values := a.t, make([][]string, len(a.l.Arm))
	others, free := float64(len(a.order)), 0
	for k, name := range a.l.Arm {
		if of := rangeOf(t, ranges, name); of == nil {
			seen := map[string]bool{"": true}
			for r := range a.rows {
				if text := t.textOf(r, name); !seen[text] {
					seen[text], values[k] = true, append(values[k], text)
				}
			}
			others *= float64(len(values[k]))
		} else if !of.fixed {
			free++
		}
	}
	points := min(max(int(math.Pow(gridArms/others, 1/float64(max(free, 1)))), fewestGrid), mostGrid)
	total := float64(len(a.order))
	for k, name := range a.l.Arm {
		if of := rangeOf(t, ranges, name); of != nil {
			values[k] = lists.Map(of.grid(points), func(v float64) string { return inDecimals(t, plainNumber(v), a.point) })
		}
		total *= float64(len(values[k]))
	}
	if total > mostCandidates {
		panic(t.at(cell{}, "candidates: all combinations are %.0f options of %d tasks, which is more than %d; name the options to "+
			"consider in a table: candidates=\"options.csv\" (--candidates options.csv)", total, len(a.order), mostCandidates))
	}
	combination := make([]string, len(values))
	for _, task := range a.order {
		for n := range int(total) / len(a.order) {
			for k := len(values) - 1; k >= 0; k-- {
				combination[k] = values[k][n%len(values[k])]
				n /= len(values[k])
			}
			a.add(a.tasks[task], combination, nil, -1)
		}
	}
}

// rangeOf returns the range of a column; nil if it has none.
func rangeOf(t *table, ranges []valueRange, column string) *valueRange {
	for k := range ranges {
		if t.column[ranges[k].column] == t.column[column] {
			return &ranges[k]
		}
	}
	return nil
}

// read adds the options of another table, for every task if it has no columns for tasks.
func (a *candidates) read(path string, opt LoadOptions) {
	from := LoadOptions{Read: opt.Read, Frame: opt.Frame, Decode: opt.Decode, Compile: opt.Compile, Context: opt.Context,
		Long: &Long{Arm: a.l.Arm}}
	t := readTable(path, from, a.l.Arm...)
	for _, name := range slices.Concat(a.l.Task, a.l.Arm) {
		t.find(name)
	}
	compute(t, from)
	for _, name := range a.l.Arm {
		if !t.find(name) {
			panic(t.noColumn(name))
		}
	}
	perTask := len(a.l.Task) > 0 && !slices.ContainsFunc(a.l.Task, func(name string) bool { return !t.find(name) })
	if n := len(t.lines); !perTask && n*len(a.order) > mostCandidates || n > mostCandidates {
		panic(t.at(cell{}, "candidates: %d options for %d tasks are more than %d in all", n, len(a.order), mostCandidates))
	}
	for r := range t.lines {
		option := lists.Map(a.l.Arm, func(name string) string {
			if text := t.textOf(r, name); text != "" {
				return inDecimals(t, text, a.point)
			}
			panic(t.at(t.cellOf(r, name), "%s", missing(name, "")))
		})
		if !perTask {
			for _, task := range a.order {
				a.add(a.tasks[task], option, t, r)
			}
			continue
		}
		row, known := a.tasks[t.joined(r, a.l.Task)]
		if !known {
			panic(t.at(t.cellOf(r, a.l.Task[0]), "candidates: the task %q has no row in %s; an option needs a task with measurements",
				t.textOf(r, a.l.Task[0]), a.t.path))
		}
		a.add(row, option, t, r)
	}
}

// add adds a row for an option of the task of an existing row. Features that are not columns of arm are those of row r of the other
// table if it has them, or those of the option's first row. An option without known features is left out.
func (a *candidates) add(task int, option []string, other *table, r int) {
	t := a.t
	row := lists.Make(len(t.cells), func(k int) string { return t.cells[k].text(task) })
	known, there := a.first[strings.Join(option, "\x00")]
	for _, name := range a.l.ArmFeatures {
		switch {
		case slices.Contains(a.l.Arm, name):
		case other != nil && other.find(name):
			row[t.column[name]] = inDecimals(other, other.textOf(r, name), a.point)
		case there:
			row[t.column[name]] = t.textOf(known, name)
		case other != nil:
			panic(other.noColumn(name))
		default:
			return
		}
	}
	for k, name := range a.l.Arm {
		row[t.column[name]] = option[k]
	}
	for _, name := range a.l.measured() {
		row[t.column[name]] = ""
	}
	for k, text := range row {
		t.make(len(text) + perCell)
		t.cells[k].append(text)
	}
	t.lines = append(t.lines, 0)
	if t.failed != nil {
		t.failed = append(t.failed, false)
	}
	if t.pending != nil {
		t.pending = append(t.pending, false)
	}
}

// append adds a cell with this text.
func (c *cells) append(text string) {
	switch {
	case c.numbers != nil:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			v = math.NaN()
		}
		c.whole = c.whole && (err != nil || v == math.Trunc(v))
		c.numbers = append(c.numbers, v)
	case c.codes != nil:
		place := slices.Index(c.labels, text)
		if place < 0 && text != "" {
			place, c.labels = len(c.labels), append(slices.Clip(c.labels), text)
		}
		c.codes = append(c.codes, int32(place))
	default:
		c.add(text)
	}
	if c.places != nil {
		c.places = append(c.places, 0)
	}
}

// combinations notes that the table has only some of the combinations of the values of the arm columns, or that two of these
// columns always change together.
func (f *found) combinations(t *table, l Long, task []int32) {
	product, most, counts := 1.0, 0, map[int32]int{}
	for _, name := range l.Arm {
		product *= float64(len(f.read[name].first))
	}
	for _, v := range task {
		if counts[v]++; counts[v] > most {
			most = counts[v]
		}
	}
	for k, name := range l.Arm {
		for _, before := range l.Arm[:k] {
			// if every option has its own value, as in a random design, nothing can be said
			if c := f.read[name]; len(c.first) < most && c.together(f.read[before]) {
				f.notes = append(f.notes, Note{Kind: NoteTogether, Path: t.path, Names: []string{before, name}})
				return
			}
		}
	}
	if len(l.Arm) > 1 && float64(most) < product && product <= mostCandidates {
		f.notes = append(f.notes, Note{Kind: NoteCombinations, Path: t.path, Names: l.Arm, Numbers: []float64{float64(most), product}})
	}
}

// together reports whether c has at least two values, and each of them occurs with one value of other, and the reverse.
func (c *column) together(other *column) bool {
	pairs := map[[2]int32]bool{}
	for r, code := range c.codes {
		pairs[[2]int32{code, other.codes[r]}] = true
	}
	return len(c.first) > 1 && len(pairs) == len(c.first) && len(pairs) == len(other.first)
}

// Refinable reports whether the problem has ranges that Finer can refine.
func (p *Problem) Refinable() bool {
	return p.Long != nil && slices.ContainsFunc(p.Long.ranges, func(r valueRange) bool { return !r.fixed })
}

// Finer returns a table of new candidates: points halfway between some arms and their neighbours in the grids of ranges. Arms are in
// order of importance; if there are many, only the first get neighbours. Long.Candidates reads the table; level counts the refinements
// from 1.
func (p *Problem) Finer(arms []int, level int) *Frame {
	l := p.Long
	free := lists.Where(l.ranges, func(r valueRange) bool { return !r.fixed })
	around := 1
	for range free {
		around *= neighboursAcrossRange
	}
	arms = arms[:min(len(arms), max(1, mostNeighbours/around))]
	columns := slices.Concat(l.Task, l.Arm)
	texts := make([][]string, len(columns))
	for _, i := range arms {
		for n := range around {
			values := slices.Concat(l.taskTexts[p.TaskOf[i]], lists.Map(l.Arm, func(name string) string {
				return p.ArmText(slices.Index(p.Arms.Columns, name), i)
			}))
			for _, r := range free {
				k := len(l.Task) + slices.IndexFunc(l.Arm, func(name string) bool { return strings.EqualFold(name, r.column) })
				v, _ := strconv.ParseFloat(values[k], 64)
				x := r.at(v) + float64(n%neighboursAcrossRange-1)*r.step/math.Pow(2, float64(level))
				values[k] = plainNumber(r.of(min(max(x, r.at(r.lo)), r.at(r.hi))))
				n /= neighboursAcrossRange
			}
			for k, text := range values {
				texts[k] = append(texts[k], text)
			}
		}
	}
	f := &Frame{Rows: len(texts[0])}
	for k, name := range columns {
		c, codes := FrameColumn{Name: name}, map[string]int32{}
		for _, text := range texts[k] {
			if _, known := codes[text]; !known {
				codes[text], c.Labels = int32(len(c.Labels)), append(c.Labels, text)
			}
			c.Codes = append(c.Codes, codes[text])
		}
		f.Columns = append(f.Columns, c)
	}
	return f
}

// predictCosts gives each arm without a cost the geometric mean of the costs in its task. If the task has no cost, it
// uses the costs of all tasks. A failed measurement often ends early, so it uses the costs of arms whose measurements
// have all failed only if there are no others.
func (p *Problem) predictCosts() {
	if p.Cost == nil {
		return
	}
	logs := lists.Map(p.Cost, math.Log)
	known := func(arms []int) []int { return lists.Where(arms, func(i int) bool { return !math.IsNaN(p.Cost[i]) }) }
	missing := lists.Map(p.Cost, math.IsNaN)
	if !slices.Contains(missing, true) {
		return
	}
	groups := p.Groups()
	valued := func(arms []int) []int {
		return lists.Where(known(arms), func(i int) bool { return !p.OnlyFailed(i) })
	}
	all := known(slices.Concat(groups...))
	if some := valued(all); len(some) > 0 {
		all = some
	}
	for _, arms := range groups {
		from := valued(arms)
		if len(from) == 0 {
			from = all
		}
		mean := lists.Sum(from, func(i int) float64 { return logs[i] }) / float64(len(from))
		for _, i := range arms {
			if missing[i] {
				p.Cost[i] = math.Exp(mean)
			}
		}
	}
	p.CostPredicted = missing
}

// Measuring returns the problem with the same arms and the means of another quantity. Each mean counts as one measurement with normal
// noise of the given standard deviation; NaN is an unknown mean.
func (p *Problem) Measuring(means []float64, noise float64) *Problem {
	q := *p
	q.Mean, q.Partial, q.Reps, q.Rewards = nil, means, nil, nil
	q.Rows, q.Blocks, q.Levels, q.Failed, q.Cost, q.CostPredicted = nil, nil, nil, nil, nil, nil
	q.Goal, q.Notes, q.KernelNotes = GoalMax, nil, nil
	if !slices.ContainsFunc(means, math.IsNaN) {
		q.Mean, q.Partial = means, nil
	}
	q.Noise = NoiseModel{Scales: slices.Repeat([]float64{noise}, p.N()), Environment: EnvironmentGaussian}
	return &q
}

// Measured lists the columns of measurements.
func (l Long) Measured() []string { return l.measured() }

// ArmTexts returns the texts of an arm by the columns of the arms that are not features; nil if there are none.
func (p *Problem) ArmTexts(i int) map[string]string {
	if p.Long == nil {
		return nil
	}
	texts := p.Long.armTexts[p.Arms.Names[i]]
	out := make(map[string]string, len(texts))
	for k, text := range texts {
		if column := p.Long.Arm[k]; !slices.Contains(p.Arms.Columns, column) {
			out[column] = text
		}
	}
	return out
}

// TaskTexts returns the texts of each task, by its name, in the columns of the tasks.
func (p *Problem) TaskTexts() map[string][]string {
	out := map[string][]string{}
	for v, name := range p.Tasks.Names {
		if texts := p.Long.taskTexts; texts != nil && v < len(texts) {
			out[name] = texts[v]
		}
	}
	return out
}
