package problem

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Long names the columns of a long table, which has a row for every measurement. The names may differ
// from those in the file in capital letters; other columns are ignored.
type Long struct {
	Task         []string // columns whose distinct combinations are the tasks; none for one task
	Arm          []string // columns whose distinct combinations are the arms
	Reward       string   // what was measured, or means of that
	SD           string   // standard deviations behind the means; "" where there are none
	Count        string   // counts of measurements behind the means; "" where each is one
	Successes    string   // in place of Reward and Count: how many of Trials were 1, the others 0
	Trials       string   // see Successes
	Blocks       []string // columns whose distinct combinations say what was measured together, such as a day
	TaskFeatures []string // columns of numbers or categories, constant within a task
	ArmFeatures  []string // the same of arms; nil means the columns Arm
	// columns of arms whose decimal logarithm is the feature
	Log []string

	// computes the columns that an expression names, and leaves out rows, of a sheet as of the table; nil before a table was read
	complete func(t *table)
}

// onlyTask is the name of the task of a table without columns for tasks.
const onlyTask = "all"

// loadLong reads a problem from a long table. Means, standard deviations and counts come from the
// rows of each arm; rows without a reward are no measurements, and an arm that has no others is not
// measured yet. Where every arm was measured twice at least, the rewards are resampled.
func loadLong(path string, k kernels.Joint, opt LoadOptions) (built *Problem, categories []string, err error) {
	if opt.Rewards != "" {
		return nil, nil, &DataError{Path: opt.Rewards, Message: "a long table has its rewards in itself; leave this file out"}
	}
	t, err := readTable(path, opt, opt.Long.needed()...)
	if err == nil {
		err = compute(t, opt)
	}
	if err != nil {
		return nil, nil, err
	}
	l, err := namedColumns(t, *opt.Long)
	if err != nil {
		return nil, nil, err
	}
	found, err := readLongArms(t, l)
	if err != nil {
		return nil, nil, err
	}
	var dropped []Note
	if opt.Drop {
		if found.arms, found.order, dropped, err = dropUnmeasured(path, found.arms, found.order); err != nil {
			return nil, nil, err
		}
	}
	built, sorted, err := assemble(found.arms, found.order, l.ArmFeatures, l.TaskFeatures, k)
	if err != nil {
		return nil, nil, err
	}
	p := reading{built, t}
	p.cameFrom(opt.Name)
	own := *opt.Long
	own.complete = func(t *table) {
		for _, part := range []LoadOptions{{Long: new(Long), Where: opt.Where}, {Long: opt.Long}} {
			part.Compile = opt.Compile
			_ = compute(t, part) // a sheet that lacks columns for it may have the names of tasks and arms
		}
	}
	p.Long = &own
	p.keepRows(sorted, found.blocks)
	for _, c := range found.texts {
		p.categorise(c)
	}
	if ignored := ignoredColumns(t, l); len(ignored) > 0 {
		p.Notes = append(p.Notes, Note{Kind: NoteIgnored, Path: path, Names: ignored})
	}
	p.Notes = append(p.Notes, slices.Concat(found.notes, dropped)...)
	return built, found.categories, p.measure(l, sorted, opt.Noise)
}

// needed lists the columns by which the header of the table is found.
func (l Long) needed() []string {
	measured := l.measured()
	return append(slices.Concat(l.Task, l.Arm), measured[:min(1, len(measured))]...)
}

// measured lists the columns of measurements.
func (l Long) measured() []string {
	return slices.DeleteFunc([]string{l.Reward, l.SD, l.Count, l.Successes, l.Trials}, func(name string) bool { return name == "" })
}

// namedColumns completes the columns and finds each in the file, under the name given to it. It reports the first that is
// not there, one that has two meanings, and a role without a column.
func namedColumns(t *table, l Long) (Long, error) {
	switch counts := l.Successes != "" || l.Trials != ""; {
	case counts && (l.Successes == "" || l.Trials == "" || l.Reward != "" || l.SD != "" || l.Count != ""):
		return l, &DataError{Path: t.path,
			Message: "counts of successes need a column for successes and one for trials, and none for reward, sd and count"}
	case len(l.Arm) == 0 || l.Reward == "" && !counts:
		return l, &DataError{Path: t.path, Message: "a long table needs columns for arm and reward"}
	}
	if len(l.ArmFeatures) == 0 {
		l.ArmFeatures = l.Arm
	}
	measured := l.measured()
	for _, names := range [][]string{slices.Concat(l.Task, l.Arm, measured), slices.Concat(l.TaskFeatures, measured),
		slices.Concat(l.ArmFeatures, measured), slices.Concat(l.Blocks, measured), l.Log} {
		seen := map[int]bool{}
		for _, name := range names {
			if err := findColumn(t, name); err != nil {
				return l, err
			}
			if k := t.column[name]; seen[k] {
				return l, &DataError{Path: t.path, Line: 1,
					Message: fmt.Sprintf("column %q is named twice; a column has one meaning: task, arm, reward, sd or count", t.header[k])}
			}
			seen[t.column[name]] = true
		}
	}
	return l, nil
}

// findColumn gives a name to the column of that name, or to the only one that differs from it in capital letters alone.
func findColumn(t *table, name string) error {
	if _, there := t.column[name]; there {
		return nil
	}
	same := indices.Where(len(t.header), func(k int) bool { return strings.EqualFold(t.header[k], name) })
	if len(same) != 1 {
		return t.noColumn(name)
	}
	t.column[name] = same[0]
	return nil
}

// ignoredColumns lists the columns that have no meaning.
func ignoredColumns(t *table, l Long) []string {
	named := map[int]bool{}
	for _, name := range slices.Concat(l.Task, l.Arm, l.TaskFeatures, l.ArmFeatures, l.Blocks, l.measured(), t.read) {
		named[t.column[name]] = true
	}
	var out []string
	for k, name := range t.header {
		if !named[k] && !t.computed[name] {
			out = append(out, name)
		}
	}
	return out
}

// longArms holds what the rows of a long table say.
type longArms struct {
	arms       []arm     // of the tasks with their features, in the order of their first rows
	order      []string  // names of the tasks in the order of their first rows
	categories []string  // features of text
	texts      []*column // these features
	blocks     []string  // names of the blocks
	notes      []Note
}

// sameFeatures reports a feature that changes within a task, or within one of its arms, between two rows.
func sameFeatures(t *table, features []*column, r, first int, names ...string) error {
	for _, f := range features {
		if f.codes[r] == f.codes[first] || f.value(r) == f.value(first) {
			continue
		}
		k := t.column[f.name]
		c, before := t.cell(r, k), t.cell(first, k)
		what := fmt.Sprintf("task %q", names[0])
		if len(names) > 1 {
			what += fmt.Sprintf(", arm %q", names[1])
		}
		return t.at(c, "column %q is %q here but %q in line %d: it must not change within %s", f.name, c.text, before.text, before.line, what)
	}
	return nil
}

// columnsOf reads the columns of tasks, arms, features and blocks, and notes which features are text.
func columnsOf(t *table, l Long, found *longArms) (read map[string]*column, err error) {
	read = map[string]*column{}
	for _, name := range slices.Concat(l.Task, l.Arm, l.TaskFeatures, l.ArmFeatures, l.Blocks) {
		if read[name] != nil {
			continue
		}
		if read[name], err = t.readColumn(name); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Concat(l.TaskFeatures, l.ArmFeatures) {
		c := read[name]
		if err := c.coded(t); err != nil {
			return nil, err
		}
		if c.categories != nil && !slices.Contains(found.categories, name) {
			found.notes, found.categories = append(found.notes, c.note(t.path)), append(found.categories, name)
			found.texts = append(found.texts, c)
		}
	}
	if err := lists.Each(l.Log, func(name string) error { return read[name].positive(t) }); err != nil {
		return nil, err
	}
	return read, nil
}

// readLongArms reads the rows.
func readLongArms(t *table, l Long) (found longArms, err error) {
	read, err := columnsOf(t, l, &found)
	if err != nil {
		return found, err
	}
	rows := len(t.lines)
	task, tasks := named(columnsNamed(read, l.Task), rows)
	name, names := named(columnsNamed(read, l.Arm), rows)
	taskFeatures, armFeatures := columnsNamed(read, l.TaskFeatures), columnsNamed(read, l.ArmFeatures)
	armOf := paired(task, name)
	var firstOfTask, first []int // rows
	var measured []int           // rows with a reward, of each arm
	var unmeasured, line int
	reward := t.cells[t.column[l.measured()[0]]]
	for r, at := range armOf {
		v, a := task[r], name[r]
		if int(v) == len(firstOfTask) {
			firstOfTask = append(firstOfTask, r)
		} else if err := sameFeatures(t, taskFeatures, r, firstOfTask[v], tasks[v]); err != nil {
			return found, err
		}
		if int(at) == len(first) {
			first, measured = append(first, r), append(measured, 0)
			found.arms = append(found.arms, arm{
				task: tasks[v], name: names[a], x: valuesAt(armFeatures, r), z: valuesAt(taskFeatures, r),
				mean: math.NaN(), sd: math.NaN(), reps: 1, cost: math.NaN(),
			})
		} else if err := sameFeatures(t, armFeatures, r, first[at], tasks[v], names[a]); err != nil {
			return found, err
		}
		if reward.gap(r) {
			armOf[r], unmeasured, line = -1, unmeasured+1, int(t.lines[r])
			continue
		}
		measured[at]++
	}
	found.order = tasks
	all, err := found.measure(t, l, read, armOf, measured)
	if err != nil {
		return found, err
	}
	if unmeasured > 0 {
		found.notes = append(found.notes,
			Note{Kind: NoteNoReward, Path: t.path, Names: l.measured()[:1], Numbers: []float64{float64(unmeasured), float64(line)}})
	}
	if l.Count != "" && all.sums() {
		found.notes = append(found.notes, Note{Kind: NoteSums, Path: t.path, Names: []string{l.Reward, l.Count}})
	}
	return found, nil
}

// measure reads the rewards of all rows, whose arm or -1 armOf has, and gives every arm its own, as many as measured says.
func (found *longArms) measure(t *table, l Long, read map[string]*column, armOf []int32, measured []int) (all rewards, err error) {
	next := make([]int, len(measured)) // place of the next reward of each arm
	total := 0
	for at, n := range measured {
		next[at] = total
		total += n
	}
	all = newRewards(l, total)
	block, blocks := named(columnsNamed(read, l.Blocks), len(armOf))
	number := make([]int32, len(blocks)) // of each block among those measured, from 1
	for r, at := range armOf {
		if at < 0 {
			continue
		}
		k := next[at]
		next[at]++
		if err := all.read(t, r, l, k); err != nil {
			return all, err
		}
		if all.blocks == nil {
			continue
		}
		b := block[r]
		if number[b] == 0 {
			found.blocks = append(found.blocks, blocks[b])
			number[b] = int32(len(found.blocks))
		}
		all.blocks[k] = number[b] - 1
	}
	for at, n := range measured {
		if a := &found.arms[at]; n > 0 {
			a.rows = all.between(next[at]-n, next[at])
			a.mean, a.sd, a.reps = a.rows.pooled(l)
		}
	}
	return all, nil
}
