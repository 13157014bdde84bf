// Package bestcall represents a call of the function best: which columns of a table are tasks, options and rewards. It
// writes the call as a script or as a command, and proposes the columns for a table. The command and the browser page use
// it.
package bestcall

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Call is a call of best. New creates one.
type Call struct {
	Columns []Column
	Goal    string  // "max", "min", or several separated by commas; "" means max
	Bounded string  // limits of the reward as "LO,HI"; "" means none
	Noise   float64 // standard deviation of a measurement; 0 means not stated
	Kernel  string  // kernel as an expression of the language; "" if not given
	Epsilon float64 // an option within this distance of the best is good enough
	Next    int     // number of measurements to propose, or their total cost
	Retry   bool    // also propose options whose measurements have all failed

	Overall           bool // also recommend one option for all tasks
	PerBlock, Options int  // limits of the proposed measurements; 0 means none
	Checks            []string
}

// New returns a call without arguments.
func New() Call { return Call{Columns: columns()} }

// Named returns the columns that the call gives for a parameter.
func (o *Call) Named(name string) []string {
	c, _ := lists.First(o.Columns, func(c Column) bool { return c.Name == name })
	return c.Value
}

// Column is a parameter of the function problem that accepts columns or conditions. The flag of the command best has the
// same name.
type Column struct {
	Name  string
	Help  string   // help of the flag; backquotes mark its value
	List  bool     // accepts several columns
	Value []string // given columns; empty if none
}

// columns returns all parameters that accept columns, without values.
func columns() []Column {
	return []Column{
		{Name: "task", List: true, Help: "`COLUMN` of the tasks, such as reactions or sites; each task gets its own recommendation (repeatable)"},
		{Name: "arm", List: true, Help: "`COLUMN` whose value you can choose; its values are the options (repeatable)"},
		{Name: "reward", List: true, Help: "`COLUMN` of the measured values, or of their means; with two or more, the best compromises " +
			"are listed (repeatable)"},
		{Name: "require", List: true, Help: "`LIMIT` of another measured column, such as \"impurity < 0.5\" (repeatable)"},
		{Name: "sd", Help: "`COLUMN` of standard deviations, if rows are means"},
		{Name: "count", Help: "`COLUMN` of the number of measurements, if rows are means"},
		{Name: "successes", Help: "`COLUMN` with the number of successes among --trials, instead of --reward"},
		{Name: "trials", Help: "`COLUMN` with the number of trials, for --successes"},
		{Name: "blocks", List: true, Help: "`COLUMN` that you cannot choose but that may change the result, such as a day or a plate: " +
			"options are compared within each of its values (repeatable)"},
		{Name: "crossed", List: true, Help: "like --blocks, for a `COLUMN` of days or plates that hold several tasks (repeatable)"},
		{Name: "random", List: true, Help: "`COLUMN` whose future values are unknown, such as a year: the recommended option is the best on " +
			"average over its values (repeatable)"},
		{Name: "cost", Help: "`COLUMN` with the cost of a measurement: --next is then a total cost"},
		{Name: "weights", Help: "`COLUMN` with the weight of a task, for --overall"},
		{Name: "text", List: true, Help: "`COLUMN` of names that look like numbers, such as versions, where 12.1 is not 12.10 (repeatable)"},
		{Name: "log", List: true, Help: "`COLUMN` to use on a logarithmic scale (repeatable; default: chosen automatically)"},
		{Name: "task_features", List: true, Help: "`COLUMN` that describes the tasks, such as a temperature or pH (repeatable)"},
		{Name: "candidates", List: true, Help: "`WHAT` to consider besides the options in the table: all (every combination of the option " +
			"columns), a range such as \"lr=1e-5..1e-1 log\", or the file of a table of options (repeatable)"},
		{Name: "similar", List: true, Help: "`FILE` with a square matrix of how similar options are, such as a pedigree or Tanimoto " +
			"similarities; COLUMN=FILE for one " +
			"of several --arm columns (repeatable)"},
		{Name: "failed", Help: "`CONDITION` for rows whose measurement failed, such as \"status != 'ok'\""},
		{Name: "where", Help: "`CONDITION` for the rows to use, such as \"site == 'Gent'\""},
	}
}

// Script returns the script of the call for a table. Set wide if the table has one row per arm and needs no columns.
// Set rows to get the rows of a field book if measurements are proposed.
func (o *Call) Script(table string, wide, rows bool) string {
	more := ""
	for _, x := range []struct{ name, value string }{
		{"overall", trueText(o.Overall)}, {"per_block", countText(o.PerBlock)}, {"options", countText(o.Options)},
		{"check", listText(o.Checks)}, {"retry", trueText(o.Retry)},
	} {
		if x.value != "" {
			more += ", " + x.name + "=" + x.value
		}
	}
	call := fmt.Sprintf("best(p, epsilon=%s, next=%d%s)", strconv.FormatFloat(o.Epsilon, 'g', -1, 64), o.Next, more)
	if rows && o.Next > 0 {
		call = "field_book(" + call + ")"
	}
	return o.Problem(table, wide) + call + "\n"
}

// trueText, countText and listText return the value of a flag for a script, or "" if the flag is not set.
func trueText(given bool) string {
	if !given {
		return ""
	}
	return "true"
}

func countText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func listText(texts []string) string {
	switch len(texts) {
	case 0:
		return ""
	case 1:
		return kernels.Quote(texts[0])
	}
	return "[" + strings.Join(lists.Map(texts, kernels.Quote), ", ") + "]"
}

// Goals returns the goals of the reward columns.
func (o *Call) Goals() []string {
	if o.Goal == "" {
		return nil
	}
	return lists.Map(strings.Split(o.Goal, ","), strings.TrimSpace)
}

// Problem returns the statement of the script that reads the table.
func (o *Call) Problem(table string, wide bool) string {
	args := []string{"data=" + kernels.Quote(table)}
	if wide {
		args[0] = kernels.Quote(table)
	}
	for _, c := range o.Columns {
		if len(c.Value) > 0 {
			args = append(args, c.Name+"="+listText(c.Value))
		}
	}
	if o.Goal != "" {
		args = append(args, "goal="+listText(o.Goals()))
	}
	if o.Bounded != "" {
		args = append(args, "bounded=["+o.Bounded+"]")
	}
	if o.Noise > 0 {
		args = append(args, "noise="+numberText(o.Noise))
	}
	if o.Kernel != "" {
		args = append(args, "kernel="+o.Kernel)
	}
	return fmt.Sprintf("p = problem(%s)\n", strings.Join(args, ", "))
}

// Line returns the call as a command line.
func (o *Call) Line(table string) string {
	line := shell.NewLine("best", table)
	for _, c := range o.Columns {
		line = line.With("--"+strings.ReplaceAll(c.Name, "_", "-"), c.Value...)
	}
	line = line.With("--goal", o.Goal).With("--bounded", o.Bounded)
	if o.Noise > 0 {
		line = line.With("--noise", numberText(o.Noise))
	}
	line = line.With("--kernel", o.Kernel)
	if o.Epsilon > 0 {
		line = line.With("--epsilon", numberText(o.Epsilon))
	}
	if o.Next > 0 {
		line = line.With("--next", strconv.Itoa(o.Next))
	}
	line = line.With("--per-block", countText(o.PerBlock)).With("--options", countText(o.Options)).With("--check", o.Checks...)
	return string(line.On("--overall", o.Overall).On("--retry", o.Retry))
}

func numberText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// cells returns a number of cells in words.
func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

// Describe returns a short description of a column's values.
func Describe(c problem.Column) string {
	what := fmt.Sprintf("text, %d different: %s", c.Different, strings.Join(c.Examples, ", "))
	switch {
	case c.Different == 0:
		return "empty"
	case c.Numbers:
		what = fmt.Sprintf("numbers, %d different, %g to %g", c.Different, c.Least, c.Most)
	case c.Different > len(c.Examples):
		what += ", …"
	}
	if c.Limits > 0 {
		what += fmt.Sprintf("; detection limits such as %s in %s", c.Limit, cells(c.Limits))
	}
	if c.Empty > 0 {
		what += fmt.Sprintf("; %s without a number", cells(c.Empty))
	}
	if len(c.Words) > 0 {
		what += "; text: " + strings.Join(lists.Map(c.Words, strconv.Quote), ", ")
	}
	return what
}

// Guess returns the call with a guess for each column that the user has not given. goal is advice about the direction of
// the goal.
func (o *Call) Guess(d problem.Description) (guessed Call, goal string) {
	l := d.Long()
	guesses := map[string][]string{"task": l.Task, "arm": l.Arm, "reward": {l.Reward}, "sd": {l.SD}, "count": {l.Count}, "blocks": l.Blocks}
	if len(o.Named("reward")) > 0 { // the guessed columns belong to another reward
		delete(guesses, "sd")
		delete(guesses, "count")
	}
	if d.Counts != nil && len(o.Named("reward"))+len(o.Named("successes"))+len(o.Named("trials")) == 0 {
		delete(guesses, "reward")
		guesses["successes"], guesses["trials"] = d.Counts[:1], d.Counts[1:]
	}
	if d.Text != nil {
		guesses["text"] = d.Text
	}
	if d.Failed != "" {
		guesses["failed"] = []string{d.Failed}
	}
	guessed = *o
	guessed.Columns = slices.Clone(o.Columns)
	named := slices.Concat(lists.Map(o.Columns, func(c Column) []string { return c.Value })...)
	for k := range guessed.Columns {
		c := &guessed.Columns[k]
		guess, known := guesses[c.Name]
		guess = slices.DeleteFunc(slices.Clone(guess), func(name string) bool { return slices.Contains(named, name) })
		switch {
		case len(c.Value) > 0 || !known || c.Name == "reward" && len(o.Named("successes")) > 0:
		case len(guess) > 0 && guess[0] != "":
			c.Value = guess
		case c.Name == "arm" || c.Name == "reward":
			c.Value = []string{"COLUMN"}
		}
	}
	goal = "If lower is better, add --goal min"
	if d.Lower && o.Goal == "" && len(o.Named("reward"))+len(o.Named("successes")) == 0 {
		guessed.Goal, goal = problem.GoalMin, "If more "+d.Reward+" is better, leave --goal min out"
	}
	return guessed, goal
}
