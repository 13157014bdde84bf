package problem

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Long names the columns of a long table, which has one row per measurement. Upper and lower case in column names do not
// matter. Columns that are not named here are ignored.
type Long struct {
	Task         []string // each combination of values of these columns is a task; none for a single task
	Arm          []string // each combination of values of these columns is an arm
	Reward       string   // column of measured values, or of means of several measurements
	SD           string   // column of the standard deviation of the measurements behind each mean; "" for none
	Count        string   // column of the number of measurements behind each mean; "" if each row is one measurement
	Successes    string   // column of the number of successes, used instead of Reward and Count
	Trials       string   // column of the number of trials, used with Successes
	Blocks       []string // rows with the same values in these columns share an effect, such as the day
	TaskFeatures []string // columns of numbers or categories; the value is the same in all rows of a task
	ArmFeatures  []string // columns of numbers or categories; the value is the same in all rows of an arm; nil means Arm
	// columns of arms whose feature is the decimal logarithm of the value
	Log  []string
	Cost string // column of the cost of a measurement; "" if all costs are equal
	// column of the weight of each task for the single recommendation for all tasks; the value is the same in all rows
	// of a task; "" for equal weights
	Weights string
	// columns of Blocks in which a label means the same block at every task; in other columns of Blocks, the same label
	// at two tasks means two blocks
	Crossed []string
	// columns of random effects, such as years: their values are a sample of many possible values, and the expected
	// reward of an arm varies between them
	Random []string
	// arms to add to those in the table: CandidatesAll, ranges of columns such as "lr=1e-5..1e-1 log", and paths of
	// tables
	Candidates []string

	ranges    []valueRange        // ranges in Candidates; nil before the table is read
	taskTexts [][]string          // for each task, the texts in the columns Task
	armTexts  map[string][]string // by the arm's name, the texts in the columns Arm; nil if ArmFeatures is Arm
	// complete adds the columns that expressions define, and removes the rows that Where and Failed exclude. It applies
	// to sheets of measurements as it did to the table. It is nil before the table is read.
	complete func(t *table)
	// columns of tasks and arms, by name, as read from the table; nil before the table is read
	read map[string]*column
	// by the displayed name of a task or an arm, the name with plain numbers, if the two differ; campaigns store digests
	// of the plain names
	written map[string]string
}

// onlyTask is the name of the single task of a table that has no task columns.
const onlyTask = "all"

// loadLong reads a problem from a long table. The mean, standard deviation and count of an arm come from its rows. Rows
// without a reward are not measurements; an arm with only such rows is not measured yet. If every arm has at least two
// measurements, simulated rewards are drawn from the measured ones.
func loadLong(path string, k kernels.Joint, opt LoadOptions) *Problem {
	if opt.Rewards != "" {
		panic(try.Failure{Err: &DataError{Path: opt.Rewards, Message: "the long table already has rewards in it. Leave this file out"}})
	}
	t := readTable(path, opt, opt.Long.needed()...)
	t.nameColumns(opt.Text)
	compute(t, opt)
	l := namedColumns(t, *opt.Long)
	var f found
	f.takeOnce(t, l)
	f.failUnfinished(t, l)
	failWithoutValue(t, l)
	ranges := t.consider(l, opt)
	f.readLong(t, l)
	if opt.Drop {
		f.dropUnmeasured(path)
	}
	p, sorted := f.build(t, opt.Name, l.ArmFeatures, l.TaskFeatures, k)
	own := *opt.Long
	own.complete = func(t *table) {
		for _, part := range []LoadOptions{{Long: new(Long), Where: opt.Where}, {Long: new(Long), Failed: opt.Failed}, {Long: opt.Long}} {
			func() {
				defer try.Caught(new(error)) // a sheet may lack columns that the expression needs
				part.Compile = opt.Compile
				compute(t, part)
			}()
		}
	}
	own.read = f.read
	own.written = f.written
	own.ranges, own.taskTexts, own.armTexts = ranges, f.taskTexts, f.armTexts
	p.Long = &own
	p.Rows, p.Blocks, p.Levels, p.Weights = f.rows, f.blocks, f.levels, f.weights
	if p.Weights != nil && lists.Total(p.Weights) == 0 {
		panic(t.at(cell{}, "column %q: all weights are 0", l.Weights))
	}
	for i, a := range sorted {
		for k := range a.rows {
			a.rows[k].Arm = i
		}
	}
	p.measure(l, sorted, opt.Noise)
	p.predictCosts()
	return p.Problem
}

// needed lists the columns that identify the header line of the table.
func (l Long) needed() []string {
	measured := l.measured()
	return append(slices.Concat(l.Task, l.Arm), measured[:min(1, len(measured))]...)
}

// measured lists the columns of measurements: rewards, standard deviations and counts.
func (l Long) measured() []string {
	return slices.DeleteFunc([]string{l.Reward, l.SD, l.Count, l.Successes, l.Trials}, func(name string) bool { return name == "" })
}

// others lists the columns of costs and of weights.
func (l Long) others() []string {
	return slices.DeleteFunc([]string{l.Cost, l.Weights}, func(name string) bool { return name == "" })
}

// namedColumns replaces the names in l by the names in the file. It returns an error if a column is missing, if a column
// has two roles, and if a role without a default has no column.
func namedColumns(t *table, l Long) Long {
	switch counts := l.Successes != "" || l.Trials != ""; {
	case counts && (l.Successes == "" || l.Trials == "" || l.Reward != "" || l.SD != "" || l.Count != ""):
		panic(t.at(cell{}, "counts of successes need the columns successes and trials. Leave out reward, sd and count"))
	case len(l.Arm) == 0 || l.Reward == "" && !counts:
		panic(t.at(cell{}, "a long table needs columns for arm and reward"))
	}
	if len(l.ArmFeatures) == 0 {
		l.ArmFeatures = l.Arm
	}
	for _, name := range l.Crossed {
		l.Blocks = lists.Add(l.Blocks, name)
	}
	measured := l.measured()
	for _, names := range [][]string{slices.Concat(l.Task, l.Arm, measured), slices.Concat(l.TaskFeatures, measured),
		slices.Concat(l.ArmFeatures, measured), slices.Concat(l.Blocks, measured), slices.Concat(l.Arm, l.Random, measured),
		l.Log, l.Crossed, append(l.others(), measured...)} {
		seen := map[int]bool{}
		for _, name := range names {
			if !t.find(name) {
				panic(t.noColumn(name))
			}
			k := t.column[name]
			if seen[k] {
				panic(t.at(cell{line: 1}, "column %q is named for two roles. A column can have only one role, such as task or arm", t.header[k]))
			}
			seen[k] = true
		}
	}
	t.counts = []string{l.Count, l.Successes, l.Trials}
	names := slices.Concat(l.Task, l.Arm)
	t.leaveOutNameless(names, measured[0])
	t.checkLengths(slices.Concat(names, measured, l.TaskFeatures, l.ArmFeatures, l.Blocks, l.Random, l.Log)...)
	return l
}

// ignoredColumns lists the columns of the table that l does not use.
func ignoredColumns(t *table, l Long) []string {
	named := map[int]bool{}
	for _, name := range slices.Concat(l.Task, l.Arm, l.TaskFeatures, l.ArmFeatures, l.Blocks, l.Random, l.measured(), l.others(), t.read) {
		named[t.column[name]] = true
	}
	copied := func(k int) bool {
		return slices.ContainsFunc(indices.All(len(t.header)), func(j int) bool { return named[j] && t.equal(j, k) })
	}
	return lists.Where(t.header, func(name string) bool {
		k := t.column[name]
		return !named[k] && !t.computed[name] && !copied(k)
	})
}

// equal reports whether columns j and k have equal cells.
func (t *table) equal(j, k int) bool {
	return !slices.ContainsFunc(indices.All(len(t.lines)), func(r int) bool { return t.cells[j].text(r) != t.cells[k].text(r) })
}

// sameFeatures fails if a feature differs between row r and an earlier row, first, of the same task or arm.
func sameFeatures(t *table, features []*column, r, first int, names ...string) {
	for _, f := range features {
		if f.codes[r] == f.codes[first] || f.value(r) == f.value(first) {
			continue
		}
		c, before := t.cellOf(r, f.name), t.cellOf(first, f.name)
		what := fmt.Sprintf("task %q", names[0])
		if len(names) > 1 {
			what = where(names[0], names[1])
		}
		panic(t.at(c, "column %q is %q here but %q in line %d. It must be equal in all rows of "+
			"%s", f.name, c.text, before.text, before.line, what))
	}
}

// columnsOf reads the columns of tasks, arms, features, blocks and random effects. It notes which features are text.
func (f *found) columnsOf(t *table, l Long) map[string]*column {
	read, features := map[string]*column{}, slices.Concat(l.TaskFeatures, l.ArmFeatures)
	for _, name := range slices.Concat(l.Task, l.Arm, features, l.Blocks, l.Random, l.others()) {
		if name == l.Cost { // costs may have empty cells
			continue
		}
		if read[name] != nil {
			continue
		}
		c := t.readColumn(name)
		if read[name] = c; c.numbers && slices.Contains(features, name) {
			c.settle(t)
		} else {
			t.said = append(t.said, c.noteWritten(t)...)
		}
	}
	for _, name := range features {
		c := read[name]
		c.coded(t)
		if c.categories != nil && !slices.Contains(f.texts, c) {
			f.texts, f.notes = append(f.texts, c), append(f.notes, c.note(t))
		}
	}
	f.read = read
	for _, name := range l.Log {
		read[name].positive(t)
	}
	return read
}

// nests reports whether Blocks has a column that is not in Crossed.
func (l Long) nests() bool {
	return slices.ContainsFunc(l.Blocks, func(name string) bool { return !slices.Contains(l.Crossed, name) })
}

// recurring reports whether the same block label occurs at two or more tasks.
func (f *found) recurring(task, armOf []int32, blocks []*column) bool {
	if len(blocks) == 0 {
		return false
	}
	block, names, _ := named(blocks, len(armOf))
	of := slices.Repeat([]int32{-1}, len(names))
	for r, at := range armOf {
		b := block[r]
		if at >= 0 && of[b] >= 0 && of[b] != task[r] {
			return true
		} else if at >= 0 {
			of[b] = task[r]
		}
	}
	return false
}

// addCost updates the mean cost of an arm with the cost in row r. others is the number of costs that the arm had before.
func (a *arm) addCost(t *table, r int, column string, others int) {
	v := t.number(r, column)
	if !(v > 0) || math.IsInf(v, 0) {
		panic(t.at(t.cellOf(r, column), "column %q: the cost of a measurement must be a positive number, got %g", column, v))
	}
	if others == 0 {
		a.cost = 0
	}
	a.cost += (v - a.cost) / float64(others+1)
}

// weight returns the weight, in row r, of the row's task.
func (c *column) weight(t *table, r int) float64 {
	if c.values == nil || !c.numbers || c.value(r) < 0 {
		panic(t.at(t.cellOf(r, c.name), "column %q: expected a number of 0 or more as the weight of a task", c.name))
	}
	return c.value(r)
}

// perRow is the memory, in bytes, that each row of a long table needs while a problem is built, without the cells.
const perRow = 160

// readLong reads the rows of a long table.
func (f *found) readLong(t *table, l Long) {
	read := f.columnsOf(t, l)
	columns := func(names []string) []*column {
		return lists.Map(names, func(name string) *column { return read[name] })
	}
	task, armOf, starts, first := f.group(t, l, func(r, first int, names ...string) {
		sameFeatures(t, columns(l.ArmFeatures), r, first, names...)
	})
	measured, costs := make([]int, len(first)), make([]int, len(first)) // for each arm, how many rows have a reward, and how many a cost
	var unmeasured, line int
	var failed failures
	for r, at := range armOf {
		t.make(perRow)
		if l.Cost != "" && t.lines[r] > 0 && !t.missing(r, l.Cost) {
			f.arms[at].addCost(t, r, l.Cost, costs[at])
			costs[at]++
		}
		switch o := try.Of(l.outcomeOf(t, r)); {
		case o.Missing && t.lines[r] == 0: // a row that was added as a candidate
			armOf[r] = -1
		case o.Missing:
			armOf[r], unmeasured, line = -1, unmeasured+1, int(t.lines[r])
		case o.Failed != "":
			armOf[r] = -1
			f.arms[at].failed++
			failed.add(o.Failed)
		default:
			measured[at]++
		}
	}
	failed.needNumber(t, l.measured()[0], lists.Total(measured) == 0, ". If all of them failed so far, state failed=%[1]q (--failed %[1]q)")
	f.taskTexts = lists.Map(starts, func(r int) []string {
		return lists.Map(l.Task, func(name string) string { return t.textOf(r, name) })
	})
	if !slices.Equal(l.Arm, l.ArmFeatures) {
		f.armTexts = map[string][]string{}
		for k, r := range first {
			f.armTexts[f.arms[k].name] = lists.Map(l.Arm, func(name string) string { return t.textOf(r, name) })
		}
	}
	if l.Candidates == nil {
		f.combinations(t, l, lists.Map(first, func(r int) int32 { return task[r] }))
	}
	byTask := indices.All(len(first))
	slices.SortStableFunc(byTask, func(a, b int) int { return int(task[first[a]] - task[first[b]]) })
	if l.Weights != "" {
		f.weights = lists.Map(starts, func(r int) float64 { return read[l.Weights].weight(t, r) })
	}
	if blocks := columns(l.Blocks); l.nests() && f.recurring(task, armOf, blocks) {
		f.measure(t, l, slices.Concat(columns(l.Task), blocks), armOf, measured, byTask)
		f.notes = append(f.notes, Note{Kind: NoteNested, Path: t.path, Names: l.Blocks})
	} else {
		f.measure(t, l, blocks, armOf, measured, byTask)
	}
	f.notes = append(f.notes, f.oneLevel(t, l)...)
	var notes []Note
	if len(f.blocks) > 1 {
		notes = append(notes, Note{Kind: NoteBlocks, Path: t.path, Names: l.Blocks})
	}
	if len(f.levels) > 1 {
		notes = append(notes, Note{Kind: NoteRandom, Path: t.path, Names: l.Random})
	}
	if ignored := ignoredColumns(t, l); len(ignored) > 0 {
		notes = append(notes, Note{Kind: NoteIgnored, Path: t.path, Names: ignored})
		notes = append(notes, mixed(t, l, ignored, task, armOf)...)
		notes = append(notes, ended(t, l, ignored, armOf)...)
	}
	f.notes = append(notes, f.notes...)
	if unmeasured > 0 {
		f.notes = append(f.notes,
			Note{Kind: NoteNoReward, Path: t.path, Names: l.measured()[:1], Numbers: []float64{float64(unmeasured), float64(line)}})
	}
	if failed.order != nil {
		n := failed.note(t.path, l.measured()[0])
		if t.reasons != nil {
			n.Kind = NoteFailedStates
		}
		f.notes = append(f.notes, n)
	}
	if limits := lists.Where(f.rows, func(m Row) bool { return m.Censored != 0 }); len(limits) > 0 {
		f.notes = append(f.notes, limitsNote(t.path, l.Reward, limits))
	}
	f.notes = append(f.notes, f.totals(t, l)...)
	switch {
	case l.Count == "":
	case f.successes():
		f.notes = append(f.notes, Note{Kind: NoteSuccesses, Path: t.path, Names: []string{l.Reward, l.Count}})
	case f.percentages():
		f.notes = append(f.notes, Note{Kind: NotePercentages, Path: t.path, Names: []string{l.Reward, l.Count}})
	case f.sums():
		f.notes = append(f.notes, Note{Kind: NoteSums, Path: t.path, Names: []string{l.Reward, l.Count}})
	}
}

// mixed returns a note for each ignored column that states the measured quantity or unit, if a task has several values
// in the column.
func mixed(t *table, l Long, ignored []string, task, armOf []int32) (notes []Note) {
	for _, name := range ignored {
		if !(Column{Name: name}).quantity() || !t.describe(t.column[name], name).few() {
			continue
		}
		of := map[int32]string{}
		for r, v := range task {
			text, before := t.textOf(r, name), of[v]
			if armOf[r] >= 0 && before != "" && text != "" && text != before {
				notes = append(notes, Note{Kind: NoteMixed, Path: t.path,
					Names: []string{name, before, text, l.measured()[0], conditionOf(name, "==", before)}})
				break
			}
			of[v] = text
		}
	}
	return notes
}

// ended returns a note for each ignored column that states that rows failed, although they have a reward.
func ended(t *table, l Long, ignored []string, armOf []int32) (notes []Note) {
	for _, name := range ignored {
		if !(Column{Name: name}).named(statusWords) && !(Column{Name: name}).named(errorWords) {
			continue
		}
		c := t.describe(t.column[name], name)
		if c.failed() == "" {
			continue
		}
		rows, last := 0, 0
		for r, at := range armOf {
			if at >= 0 && c.statesFailure(t.textOf(r, name)) {
				rows, last = rows+1, r
			}
		}
		if rows > 0 {
			notes = append(notes, Note{Kind: NoteEnded, Path: t.path,
				Names: []string{name, t.textOf(last, name), l.measured()[0], c.failed()}, Numbers: []float64{float64(rows)}})
		}
	}
	return notes
}

// oneLevel returns a note for each random column with a single value. Such a column does not show how much rewards vary
// between values.
func (f *found) oneLevel(t *table, l Long) (notes []Note) {
	for k, name := range l.Random {
		if len(f.levels) > 0 && !slices.ContainsFunc(f.levels, func(texts []string) bool { return texts[k] != f.levels[0][k] }) {
			notes = append(notes, Note{Kind: NoteOneLevel, Path: t.path, Names: []string{name, f.levels[0][k]}})
		}
	}
	return notes
}

// measure reads the rewards of all rows and gives each arm its own rewards. armOf has the arm of each row, or -1 for
// none. measured has the number of rewards of each arm. byTask lists the arms in the order of the problem; the rewards
// are stored in the same order.
func (f *found) measure(t *table, l Long, blocks []*column, armOf []int32, measured, byTask []int) {
	f.rows = make([]Row, lists.Total(measured))
	next, total := make([]int, len(measured)), 0 // for each arm, the index of its next row
	for _, at := range byTask {
		next[at] = total
		total += measured[at]
	}
	block, names, _ := named(blocks, len(armOf))
	number := make([]int, len(names)) // for each block, its number among the blocks with rewards, from 1
	levels := map[string]int{}        // by the levels of the random columns, the index in f.levels
	for r, at := range armOf {
		if at < 0 {
			continue
		}
		m := &f.rows[next[at]]
		next[at]++
		sd := m.read(t, r, &l)
		if b := block[r]; len(blocks) > 0 {
			if number[b] == 0 {
				f.blocks = append(f.blocks, names[b])
				number[b] = len(f.blocks)
			}
			m.Block = number[b] - 1
		}
		if len(l.Random) > 0 {
			texts := lists.Map(l.Random, func(name string) string { return f.read[name].textAt(r) })
			key := strings.Join(texts, "\x00")
			if _, known := levels[key]; !known {
				levels[key] = len(levels)
				f.levels = append(f.levels, texts)
			}
			m.Levels = levels[key]
		}
		if l.SD != "" || l.Trials != "" {
			f.arms[at].sds = append(f.arms[at].sds, sd)
		}
	}
	for at, n := range measured {
		if a := &f.arms[at]; n > 0 {
			a.rows = f.rows[next[at]-n : next[at]]
			a.mean, a.sd, a.reps = pooled(a.rows, a.sds, l)
		}
	}
}
