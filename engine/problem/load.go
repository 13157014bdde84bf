package problem

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// LoadOptions are the options of Load. The zero value loads a table with one row per arm.
type LoadOptions struct {
	Name string // name of the problem; "" for the name of the file
	// path of a table of single rewards (task,arm,rep,reward) to draw simulated rewards from; "" for none
	Rewards string
	// column of Rewards that names the block of each reward: rewards of one task with the same text share an effect; ""
	// for no blocks
	Block string
	// columns of a long table; nil if the table has one row per arm
	Long *Long
	// GoalMax to look for the largest mean, GoalMin for the smallest
	Goal string
	// whether to scale feature columns of numbers to [0, 1]
	Standardize bool
	// whether to leave out arms that are not measured
	Drop bool
	// noise model that the user stated; if it is not stated, the column sd or the single rewards give the noise
	Noise NoiseModel
	// Read returns the contents of a file; nil reads files and pipes of at most MaxData bytes
	Read func(path string) ([]byte, error)
	// Frame returns the table in memory that replaces the file of this path, or nil if there is none; nil if no file is
	// replaced
	Frame func(path string) *Frame
	// condition that selects the rows of a long table; "" selects all rows
	Where string
	// condition that selects the rows of a long table whose measurement failed to give a value; "" for none
	Failed string
	// columns whose cells are names although they look like numbers
	Text []string
	// similarity matrices of arms, each as "FILE" or "COLUMN=FILE"
	Similar []string
	// Compile compiles Where, Failed and the expressions that define columns of a long table; nil if there are no
	// expressions
	Compile Compiler
	// Decode converts a file of another format to CSV, within the memory allowance a; nil reads all files as CSV
	Decode func(a *allowance.Allowance, data []byte) ([]byte, error)
	// Unread returns the names of the tables in a file that Decode does not read, such as further sheets; nil if there are none
	Unread func(a *allowance.Allowance, data []byte) ([]string, error)
	// Context ends the reading when it is cancelled, and may limit memory (memlimit.Named); nil sets neither
	Context context.Context
}

// MaxData is the largest size of a data file, in bytes.
const MaxData = 1 << 30

func (o LoadOptions) read(path string) ([]byte, error) {
	if o.Read == nil {
		return await.File(o.context(), path, MaxData)
	}
	return o.Read(path)
}

// allowance returns the limit on the memory that the table may use.
func (o LoadOptions) allowance() *allowance.Allowance {
	return allowance.New(o.context(), "the table", allowance.NoLimit, allowance.NoLimit)
}

func (o LoadOptions) context() context.Context {
	if o.Context == nil {
		return context.Background()
	}
	return o.Context
}

// frame returns the table in memory that replaces the file of this path; nil if there is none.
func (o LoadOptions) frame(path string) *Frame {
	if o.Frame != nil {
		if f := o.Frame(path); f != nil && f.Columns != nil {
			return f
		}
	}
	return nil
}

// arm is the data of one arm of one task: a row of a table with one row per arm, or several rows of a long table.
type arm struct {
	task, name     string
	x, z           []float64
	mean, sd, reps float64
	cost           float64   // cost of one measurement; NaN if unknown
	row            int       // index of the first row, from 0
	rows           []Row     // measurements of a long table
	failed         int       // number of measurements that gave no value
	sds            []float64 // for each row, the standard deviation of the measurements behind the mean, or NaN; nil if no row has one
}

// Load reads a problem from a CSV file: a long table if opt.Long is set, otherwise a table with one row per arm of a task.
// The latter has the columns task and arm, features of arms (x_*) and of tasks (z_*), and optionally mean, sd, reps and
// cost. Tasks and arms keep the order of their first rows. After an error, which has file, line and column, Load returns
// no problem.
//
// A cell of mean or sd may be empty (see docs/reference/data-format.md).
func Load(path string, k kernels.Joint, opt LoadOptions) (_ *Problem, err error) {
	defer try.Caught(&err)
	try.To(checkGoal(opt.Goal))
	load := loadWide
	if opt.Long != nil {
		load = loadLong
	}
	p := load(path, k, opt)
	p.noteCategories()
	p.readSimilar(opt)
	if opt.Goal == GoalMin {
		p = p.Minimised()
	}
	if opt.Long != nil {
		p = p.Logarithmic(opt.Long.Log)
	}
	if opt.Standardize {
		coded := func(column string) bool { return p.Categories[column] != nil }
		p.Tasks, p.Arms = p.Tasks.Standardized(coded), p.Arms.Standardized(coded)
	}
	p.NoteLengthscales()
	try.To(p.Check())
	return p, nil
}

// found holds the values that were read from the rows of a table.
type found struct {
	arms   []arm
	order  []string  // names of the tasks in the order of their first rows
	texts  []*column // features that are text
	rows   []Row     // rows of a long table, in the order of the problem's arms
	blocks []string  // names of their blocks
	// texts in the random columns, for each combination of these that rows have
	levels [][]string
	notes  []Note
	read   map[string]*column // columns of tasks, arms and features
	// names of tasks and arms with plain numbers, if the table writes them in another way
	written   map[string]string
	taskTexts [][]string          // for each task, the texts in the columns of tasks
	armTexts  map[string][]string // for each arm name, the texts in the columns of arms, if features are other columns
	weights   []float64           // of tasks; nil if weights are not stated
}

// remember stores names that have another form with plain numbers.
func (f *found) remember(names, plain []string) {
	if f.written == nil {
		f.written = map[string]string{}
	}
	for k, name := range plain {
		if name != names[k] {
			f.written[names[k]] = name
		}
	}
}

// reading is a problem while table t is read into it.
type reading struct {
	*Problem
	t *table
}

// loadWide reads a problem from a table with one row per arm of a task.
func loadWide(path string, k kernels.Joint, opt LoadOptions) *Problem {
	model := try.Of(opt.Noise.completed(opt.Rewards != ""))
	t := readTable(path, opt, "task", "arm")
	t.standardNames(wideColumns...)
	t.nameColumns(opt.Text)
	var f found
	f.readArms(t, model.limits())
	for _, name := range t.header {
		if c := f.read[name]; c != nil && c.categories != nil {
			f.texts, f.notes = append(f.texts, c), append(f.notes, c.note(t))
		}
	}
	means := t.hasColumn("mean")
	if means && opt.Drop && opt.Rewards == "" {
		f.dropUnmeasured(path)
	}
	p, sorted := f.build(t, opt.Name, t.withPrefix("x_"), t.withPrefix("z_"), k)
	if !means {
		p.Mean = nil
	}
	noise := noiseOf(sorted)
	if opt.Rewards != "" {
		noise = p.loadRewards(opt, model.limits())
	} else {
		p.separate(NoteUnmeasured)
	}
	p.Reps = noise.reps
	p.setNoise(model, noise)
	return p.Problem
}

// readArms parses all rows: it groups them as rows of a long table, and then reads the other columns of each arm. Expected
// rewards must lie within the bounds, if there are any.
func (f *found) readArms(t *table, bounds *[2]float64) {
	t.require("task", "arm")
	l := Long{Task: []string{"task"}, Arm: []string{"arm"}, TaskFeatures: t.withPrefix("z_"), ArmFeatures: t.withPrefix("x_")}
	t.nameColumns(slices.Concat(l.Task, l.Arm))
	t.leaveOutNameless([]string{"task", "arm"}, "mean")
	t.checkLengths(t.header...)
	for _, name := range t.header {
		if t.unnamed[name] {
			continue
		}
		t.find(name)
		if strings.Contains(name, replaced) {
			panic(t.at(cell{line: 1 + t.preamble}, "column %q: not UTF-8; save the file as UTF-8", name))
		}
		if !slices.Contains(wideColumns, name) && !strings.HasPrefix(name, "x_") && !strings.HasPrefix(name, "z_") {
			panic(try.Failure{Err: &DataError{Path: t.path, Line: 1, Unknown: name, Known: wideColumns,
				Message: fmt.Sprintf("unknown column %q; expected task, arm, mean, sd, reps, cost, or a name that begins with x_ (arm "+
					"feature) or z_ (task feature)", name)}})
		}
	}
	task, name := t.readColumn("task"), t.readColumn("arm")
	f.read = t.wideFeatures()
	f.read["task"], f.read["arm"] = task, name
	again := copied{of: t}
	f.group(t, l, func(r, first int, names ...string) {
		if !again.add(r, first) {
			panic(t.at(t.cellOf(r, "arm"), "task %q, arm %q appears twice, first in line %d; a table with the columns "+
				"task, arm and mean has one row per arm", names[0], names[1], t.lines[first]))
		}
	})
	var failed failures
	for k := range f.arms {
		a := &f.arms[k]
		a.readSummary(t)
		t.within(a.row, "mean", bounds)
		if a.failed > 0 {
			failed.add(t.textOf(a.row, "mean"))
		}
	}
	failed.needNumber(t, "mean", !slices.ContainsFunc(f.arms, func(a arm) bool { return !math.IsNaN(a.mean) }), "")
	if failed.order != nil {
		f.notes = append(f.notes, failed.note(t.path, "mean"))
	}
	f.notes = append(f.notes, again.notes()...)
}

// group finds the tasks and the arms of all rows, by the columns in f.read. It fails if a feature or a weight of a task
// differs between its rows, and calls again for each further row of an arm, with the arm's first row. armOf has the arm of each row;
// starts and first have the first row of each task and arm.
func (f *found) group(t *table, l Long, again func(r, first int, names ...string)) (task, armOf []int32, starts, first []int) {
	columns := func(names ...string) []*column {
		return lists.Map(names, func(name string) *column { return f.read[name] })
	}
	task, tasks, plainTasks := named(columns(l.Task...), len(t.lines))
	name, names, plainNames := named(columns(l.Arm...), len(t.lines))
	f.remember(tasks, plainTasks)
	f.remember(names, plainNames)
	f.order = tasks
	taskFeatures, armFeatures := columns(l.TaskFeatures...), columns(l.ArmFeatures...)
	equal := taskFeatures
	if l.Weights != "" {
		equal = append(slices.Clip(equal), f.read[l.Weights])
	}
	armOf = paired(task, name)
	for r, at := range armOf {
		v, a := task[r], name[r]
		if int(v) == len(starts) {
			starts = append(starts, r)
		} else {
			sameFeatures(t, equal, r, starts[v], tasks[v])
		}
		if int(at) < len(first) {
			again(r, first[at], tasks[v], names[a])
			continue
		}
		t.make(perArm + perFeature*(len(armFeatures)+len(taskFeatures)))
		first = append(first, r)
		f.arms = append(f.arms, arm{
			task: tasks[v], name: names[a], x: valuesAt(armFeatures, r), z: valuesAt(taskFeatures, r), row: r,
			mean: math.NaN(), sd: math.NaN(), reps: 1, cost: math.NaN(),
		})
	}
	return task, armOf, starts, first
}

// Memory in bytes that an arm needs while a problem is built, without its features.
const (
	perArm     = 512
	perFeature = 24
)

// wideColumns are the columns of a table with one row per arm, except features.
var wideColumns = []string{"task", "arm", "mean", "sd", "reps", "cost"}

// maxReps is the largest number of measurements of one arm.
const maxReps = 1_000_000_000

// readSummary reads the measurements that the arm's row summarises, and the cost.
func (a *arm) readSummary(t *table) {
	r := a.row
	for k, into := range []*float64{&a.sd, &a.reps} {
		if name := []string{"sd", "reps"}[k]; t.hasColumn(name) && !t.missing(r, name) {
			*into = t.number(r, name)
		}
	}
	if mean := t.textOf(r, "mean"); failure(mean) && !notMeasured(mean) && a.reps != 0 {
		try.To(t.needLimit(t.cellOf(r, "mean"), "mean"))
		a.failed = 1
	} else if !notMeasured(mean) && !failure(mean) {
		a.mean = t.number(r, "mean")
	}
	if a.reps == 0 && (math.IsNaN(a.mean) || a.mean == 0) { // not measured
		a.mean, a.reps = math.NaN(), 1
	}
	if !math.IsNaN(a.sd) {
		checkSD(t, r, "sd", a.sd)
	}
	if t.hasColumn("reps") {
		checkCount(t, r, "reps", a.reps)
	}
	if t.hasColumn("cost") {
		if a.cost = t.number(r, "cost"); !(a.cost > 0) {
			panic(t.at(t.cellOf(r, "cost"), "column \"cost\": the cost of a pull must be a positive number, got %g", a.cost))
		}
	}
}

// build groups the arms by task and makes the problem, named after its file unless a name is given. sorted has the arms in
// the order of the problem.
func (f *found) build(t *table, name string, xs, zs []string, k kernels.Joint) (p reading, sorted []arm) {
	position := lists.Keyed(f.order, func(v int, name string) (string, int) { return name, v })
	sorted = slices.Clone(f.arms)
	slices.SortStableFunc(sorted, func(a, b arm) int { return position[a.task] - position[b.task] })
	p = reading{&Problem{
		Name: cmp.Or(name, strings.TrimSuffix(filepath.Base(t.path), filepath.Ext(t.path))), Kernel: k, Sources: []Source{sourceOf(t)},
		Mean: lists.Map(sorted, func(a arm) float64 { return a.mean }), Notes: append(t.notes(), f.notes...),
		TaskOf: lists.Map(sorted, func(a arm) int { return position[a.task] }),
	}, t}
	taskRows, costs := make([][]float64, len(f.order)), false
	for i, a := range sorted {
		taskRows[p.TaskOf[i]] = a.z
		if p.Cost = append(p.Cost, a.cost); !math.IsNaN(a.cost) {
			costs = true
		}
	}
	if !costs {
		p.Cost = nil
	}
	p.Tasks = try.Of(kernels.NewPoints(zs, f.order, taskRows))
	p.Arms = try.Of(kernels.NewPoints(xs, lists.Map(sorted, func(a arm) string { return a.name }),
		lists.Map(sorted, func(a arm) []float64 { return a.x })))
	taskRow := make([]int, len(f.order))
	for i := len(sorted) - 1; i >= 0; i-- {
		taskRow[p.TaskOf[i]] = sorted[i].row
	}
	p.Tasks.Texts = f.textsOf(zs, taskRow)
	p.Arms.Texts = f.textsOf(xs, lists.Map(sorted, func(a arm) int { return a.row }))
	if slices.ContainsFunc(sorted, func(a arm) bool { return a.failed > 0 }) {
		p.Failed = lists.Map(sorted, func(a arm) int { return a.failed })
	}
	if len(f.texts) > 0 {
		p.Categories = lists.Keyed(f.texts, func(_ int, c *column) (string, []string) { return c.name, c.categories })
	}
	return p, sorted
}

// textsOf returns the texts for kernels.Points.Texts of the points in these rows.
func (f *found) textsOf(columns []string, rows []int) (texts [][]string) {
	for k, name := range columns {
		c := f.read[name]
		if !c.numbers || !slices.ContainsFunc(rows, func(r int) bool { return c.shown[c.codes[r]] != c.plain(c.codes[r]) }) {
			continue
		}
		if texts == nil {
			texts = make([][]string, len(columns))
		}
		texts[k] = lists.Map(rows, func(r int) string { return c.shown[c.codes[r]] })
	}
	return texts
}

// noteOf returns a note of this kind on some arms. The kind uses the same names and numbers as NoteUnmeasured.
func (p reading) noteOf(kind NoteKind, arms []int) Note {
	return Note{Kind: kind, Path: p.t.path, Names: p.NamesOf(arms[0]), Numbers: []float64{float64(len(arms)), float64(p.N())}}
}

// separate handles unknown means. If one mean is unknown, methods that need all means cannot run: Mean becomes nil, and
// Partial has the known means. A note states which means are unknown.
func (p reading) separate(kind NoteKind) {
	missing := unknown(p.Mean)
	if len(missing) == 0 {
		return
	}
	if len(missing) < p.N() {
		p.Partial = p.Mean
	}
	p.Mean = nil
	p.Notes = append(p.Notes, p.noteOf(kind, missing))
}

// dropUnmeasured removes arms without a mean, and tasks without any other arm. A note names the removed arms. It fails if
// no arm has a mean.
func (f *found) dropUnmeasured(path string) {
	has := map[string]bool{}
	var dropped []string // task and arm of each removed arm
	all := len(f.arms)
	f.arms = lists.Where(f.arms, func(a arm) bool {
		measured := !math.IsNaN(a.mean)
		if measured {
			has[a.task] = true
		} else {
			dropped = append(dropped, a.task, a.name)
		}
		return measured
	})
	if len(f.arms) == 0 {
		panic(try.Failure{Err: &DataError{Path: path, Message: "no arm is measured, so unmeasured=\"drop\" leaves nothing. Leave it out, or " +
			"add measurements"}})
	}
	f.order = lists.Where(f.order, func(name string) bool { return has[name] })
	if len(dropped) > 0 {
		f.notes = append(f.notes, Note{Kind: NoteDropped, Path: path, Names: dropped[:min(len(dropped), 2*mostListed)],
			Numbers: []float64{float64(all - len(f.arms)), float64(all)}})
	}
}
