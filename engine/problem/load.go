package problem

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// LoadOptions of Load; the zero value loads a plain table.
type LoadOptions struct {
	Name string // "" means the file's name
	// path of raw rewards (task,arm,rep,reward) to resample; "" for none
	Rewards string
	// column of Rewards that names what was measured side by side: rewards of different arms of a task with the
	// same text there are of one block; "" means that none were
	Block string
	// the file is a long table with these columns; nil for one row per arm
	Long *Long
	// GoalMax or GoalMin
	Goal string
	// scale feature columns to [0, 1], but columns of text
	Standardize bool
	// leave out arms that are not measured
	Drop bool
	// what is stated of it; a silent one leaves it to the column sd, or to the raw rewards
	Noise NoiseModel
	// reads a file; nil reads files and pipes of at most MaxData bytes
	Read func(path string) ([]byte, error)
	// the table that a program has in place of a file, nil where it has none; may be nil itself
	Frame func(path string) *Frame
	// of a long table, the condition that its rows are to hold; "" takes all
	Where string
	// reads Where, and columns of a long table that are named by an expression; nil without any
	Compile Compiler
	// makes CSV of a file that may have another format; nil takes files for CSV
	Decode func(data []byte) ([]byte, error)
}

// MaxData is the largest size of a data file, in bytes.
const MaxData = 1 << 30

// arm is one row of the problem table.
type arm struct {
	task, name     string
	x, z           []float64
	mean, sd, reps float64
	cost           float64 // NaN without one
	line           int     // of the table
	rows           rewards // of a long table
}

// Load reads a problem from a CSV table with one row per arm of a task and the
// columns task, arm, x_*, z_*, mean, sd, reps (x_ and z_ are arm and task
// features; mean, sd, reps and cost are optional), or from the long table of opt.Long.
// Tasks keep the order of their first rows, arms the order of theirs. Every error
// has file, line and column; nothing is returned with one.
//
// A mean or sd may be a gap (see docs/data-format.md). With a gap among the means Problem.Mean is
// nil and Problem.Partial has the others, unless opt.Drop is set; with one among the standard
// deviations that one is pooled.
func Load(path string, k kernels.Joint, opt LoadOptions) (*Problem, error) {
	if err := checkGoal(opt.Goal); err != nil {
		return nil, err
	}
	if opt.Read == nil {
		opt.Read = func(path string) ([]byte, error) { return await.File(context.Background(), path, MaxData) }
	}
	load := loadWide
	if opt.Long != nil {
		load = loadLong
	}
	p, categories, err := load(path, k, opt)
	if err != nil {
		return nil, err
	}
	p.noteCategories(categories)
	if opt.Goal == GoalMin {
		p = p.Minimised()
	}
	if opt.Long != nil {
		p = p.Logarithmic(opt.Long.Log)
	}
	if opt.Standardize {
		p.standardize(categories)
	}
	p.NoteLengthscales()
	if err := p.Check(); err != nil {
		return nil, err
	}
	return p, nil
}

// loadWide reads a problem from a table with one row per arm of a task.
func loadWide(path string, k kernels.Joint, opt LoadOptions) (built *Problem, categories []string, err error) {
	model, err := opt.Noise.completed(opt.Rewards != "")
	if err != nil {
		return nil, nil, err
	}
	t, err := readTable(path, opt, "task", "arm")
	if err != nil {
		return nil, nil, err
	}
	t.standardNames("task", "arm", "mean", "sd", "reps", "cost")
	names := &spellings{path, map[string]cell{}}
	texts, err := t.textFeatures()
	if err != nil {
		return nil, nil, err
	}
	arms, order, err := readArms(t, names, texts, model.limits())
	if err != nil {
		return nil, nil, err
	}
	var dropped []Note
	_, means := t.column["mean"]
	if means && opt.Drop && opt.Rewards == "" {
		if arms, order, dropped, err = dropUnmeasured(path, arms, order); err != nil {
			return nil, nil, err
		}
	}
	built, sorted, err := assemble(arms, order, t.withPrefix("x_"), t.withPrefix("z_"), k)
	if err != nil {
		return nil, nil, err
	}
	p := reading{built, t}
	p.cameFrom(opt.Name)
	for _, name := range t.header {
		if c := texts[name]; c != nil {
			p.Notes = append(p.Notes, c.note(path))
			p.categorise(c)
			categories = append(categories, name)
		}
	}
	p.Notes = append(p.Notes, dropped...)
	if !means {
		p.Mean = nil
	}
	if opt.Rewards == "" {
		p.separate(NoteUnmeasured)
	}
	noise := noiseOf(sorted)
	if opt.Rewards != "" {
		if noise, err = p.loadRewards(opt, names, model.limits()); err != nil {
			return nil, nil, err
		}
	}
	p.Reps = noise.reps
	return built, categories, p.setNoise(model, noise)
}

// readArms parses all rows and checks them one by one and against each other. order has the task
// names by first appearance; texts are the feature columns of text. Expected rewards lie within the
// bounds, if any.
func readArms(t *table, names *spellings, texts map[string]*column, bounds *[2]float64) (arms []arm, order []string, err error) {
	if err := t.require("task", "arm"); err != nil {
		return nil, nil, err
	}
	xs, zs := t.withPrefix("x_"), t.withPrefix("z_")
	for _, name := range t.header {
		if !slices.Contains(wideColumns, name) && !strings.HasPrefix(name, "x_") && !strings.HasPrefix(name, "z_") {
			return nil, nil, &DataError{Path: t.path, Line: 1, Unknown: name, Known: wideColumns,
				Message: fmt.Sprintf("unknown column %q; expected task, arm, mean, sd, reps, cost, or a name that begins with x_ (arm "+
					"feature) or z_ (task feature)", name)}
		}
	}
	first := map[string]arm{}
	seen := map[[2]string]int{}
	for r := range t.lines {
		a, err := readArm(t, r, xs, zs, func(name string) (float64, error) {
			if c := texts[name]; c != nil {
				return c.value(r), nil
			}
			return t.number(r, name)
		})
		if err == nil {
			err = t.within(r, "mean", bounds)
		}
		if err == nil {
			err = names.check(t, r)
		}
		if err != nil {
			return nil, nil, err
		}
		id := [2]string{a.task, a.name}
		if line, twice := seen[id]; twice {
			return nil, nil, t.at(t.cell(r, t.column["arm"]), "task %q, arm %q appears twice, first in line %d", a.task, a.name, line)
		}
		seen[id] = a.line
		f, known := first[a.task]
		if !known {
			first[a.task] = a
			order = append(order, a.task)
		}
		for k, z := range zs {
			if known && a.z[k] != f.z[k] {
				return nil, nil, t.at(t.cell(r, t.column[z]), "column %q is %g here but %g in line %d: task features must not change within task %q", z,
					a.z[k], f.z[k], f.line, a.task)
			}
		}
		arms = append(arms, a)
	}
	return arms, order, nil
}

// wideColumns are the columns of a table with one row per arm, besides features.
var wideColumns = []string{"task", "arm", "mean", "sd", "reps", "cost"}

// maxReps is the largest number of measurements of one arm.
const maxReps = 1_000_000_000

// readArm parses a row, its features by the function given.
func readArm(t *table, r int, xs, zs []string, feature func(name string) (float64, error)) (a arm, err error) {
	a.line, a.mean, a.sd, a.reps, a.cost = int(t.lines[r]), math.NaN(), math.NaN(), 1, math.NaN()
	if a.task, err = t.text(r, "task"); err != nil {
		return a, err
	}
	if a.name, err = t.text(r, "arm"); err != nil {
		return a, err
	}
	if a.x, err = features(xs, feature); err != nil {
		return a, err
	}
	if a.z, err = features(zs, feature); err != nil {
		return a, err
	}
	for _, optional := range []struct {
		name string
		into *float64
	}{{"mean", &a.mean}, {"sd", &a.sd}, {"reps", &a.reps}} {
		if k, there := t.column[optional.name]; !there || t.cells[k].gap(r) {
			continue
		}
		if *optional.into, err = t.number(r, optional.name); err != nil {
			return a, err
		}
	}
	if !math.IsNaN(a.sd) {
		if err := checkSD(t, r, "sd", a.sd); err != nil {
			return a, err
		}
	}
	if _, there := t.column["reps"]; there {
		err = checkCount(t, r, "reps", a.reps)
	}
	if k, there := t.column["cost"]; there && err == nil {
		if a.cost, err = t.number(r, "cost"); err == nil && !(a.cost > 0) {
			err = t.at(t.cell(r, k), "column \"cost\": the cost of a pull must be a positive number, got %g", a.cost)
		}
	}
	return a, err
}

// features returns the values of some columns in a row.
func features(names []string, value func(name string) (float64, error)) ([]float64, error) {
	return lists.Try(len(names), func(k int) (float64, error) { return value(names[k]) })
}

// assemble groups the arms by task and builds the points, whose features have these names. sorted are
// the arms in problem order.
func assemble(arms []arm, order, xs, zs []string, k kernels.Joint) (p *Problem, sorted []arm, err error) {
	position := lists.Keyed(order, func(v int, name string) (string, int) { return name, v })
	sorted = slices.Clone(arms)
	slices.SortStableFunc(sorted, func(a, b arm) int { return position[a.task] - position[b.task] })
	p = &Problem{Kernel: k}
	taskRows := make([][]float64, len(order))
	var names []string
	var rows [][]float64
	for _, a := range sorted {
		v := position[a.task]
		taskRows[v] = a.z
		names, rows = append(names, a.name), append(rows, a.x)
		p.TaskOf = append(p.TaskOf, v)
		p.Mean = append(p.Mean, a.mean)
		if !math.IsNaN(a.cost) {
			p.Cost = append(p.Cost, a.cost)
		}
	}
	if p.Tasks, err = kernels.NewPoints(zs, order, taskRows); err != nil {
		return nil, nil, err
	}
	p.Arms, err = kernels.NewPoints(xs, names, rows)
	return p, sorted, err
}

// reading is a problem while the table t is read into it.
type reading struct {
	*Problem
	t *table
}

// noteOf returns a note on some arms, of a kind as NoteUnmeasured.
func (p reading) noteOf(kind NoteKind, arms []int) Note {
	return Note{Kind: kind, Path: p.t.path, Names: p.NamesOf(arms[0]), Numbers: []float64{float64(len(arms)), float64(p.N())}}
}

// cameFrom names the problem, by its file where nothing else is said, and notes how that was read.
func (p reading) cameFrom(name string) {
	p.Name = name
	p.Name = cmp.Or(p.Name, strings.TrimSuffix(filepath.Base(p.t.path), filepath.Ext(p.t.path)))
	p.Sources = []Source{sourceOf(p.t)}
	p.Notes = append(p.Notes, p.t.notes()...)
}

// categorise notes what the codes of a column of text stand for.
func (p reading) categorise(c *column) {
	if p.Categories == nil {
		p.Categories = map[string][]string{}
	}
	p.Categories[c.name] = c.categories
}

// separate makes the means unknown, and partially known, if one of them is: what needs means needs
// all of them. The note on those that are not known is of the kind.
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

// dropUnmeasured returns the arms that have a mean and the tasks that have such an arm, in their
// order, with a note on the others. It reports a table that has none.
func dropUnmeasured(path string, arms []arm, order []string) ([]arm, []string, []Note, error) {
	var kept []arm
	has := map[string]bool{}
	var dropped []string // task and arm of each
	for _, a := range arms {
		if math.IsNaN(a.mean) {
			dropped = append(dropped, a.task, a.name)
			continue
		}
		kept = append(kept, a)
		has[a.task] = true
	}
	if len(kept) == 0 {
		return nil, nil, nil, &DataError{Path: path, Message: "no arm is measured, so there is nothing left with unmeasured=\"drop\""}
	}
	tasks := lists.Where(order, func(name string) bool { return has[name] })
	if len(dropped) == 0 {
		return kept, tasks, nil, nil
	}
	return kept, tasks, []Note{{
		Kind: NoteDropped, Path: path, Names: dropped[:min(len(dropped), 2*mostListed)],
		Numbers: []float64{float64(len(arms) - len(kept)), float64(len(arms))},
	}}, nil
}
