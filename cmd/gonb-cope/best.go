package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// bestOptions are the flags of best; run has the output's.
type bestOptions struct {
	run     runOptions
	columns []columnFlag
	goal    string
	bounded string // "LO,HI"
	epsilon float64
	next    int
	retry   bool
}

// columnFlag is a flag that is a parameter of problem, of the same name.
type columnFlag struct {
	name  string
	help  string
	list  bool // whether it may name several
	value []string
}

// bestColumns returns the flags that name columns.
func bestColumns() []columnFlag {
	return []columnFlag{
		{name: "task", list: true, help: "`COLUMN` of the tasks (repeatable)"},
		{name: "arm", list: true, help: "`COLUMN` of the options (repeatable)"},
		{name: "reward", help: "`COLUMN` of measurements, or of their means"},
		{name: "sd", help: "`COLUMN` of standard deviations, where rows are means"},
		{name: "count", help: "`COLUMN` of counts, where rows are means"},
		{name: "successes", help: "`COLUMN` of how many of --trials were 1, in place of --reward"},
		{name: "trials", help: "`COLUMN` of how many there were"},
		{name: "blocks", list: true, help: "`COLUMN` that says what was measured together, such as a day (repeatable)"},
		{name: "text", list: true, help: "`COLUMN` of names that look like numbers, such as versions: 12.1 is not 12.10 (repeatable)"},
		{name: "log", list: true, help: "`COLUMN` whose logarithm counts (repeatable); found by itself otherwise"},
		{name: "task_features", list: true, help: "`COLUMN` of a feature of tasks (repeatable)"},
		{name: "failed", help: "`CONDITION` on rows where a measurement was tried and gave no value, as \"status != 'ok'\""},
		{name: "where", help: "`CONDITION` on columns that rows are to hold, as \"site == 'Gent'\""},
	}
}

func bestCommand() *cobra.Command {
	o := bestOptions{columns: bestColumns()}
	c := &cobra.Command{
		Use:   "best TABLE",
		Short: "From measurements: the best option of every task, how sure, and what to measure next",
		Long: `Read a table of measurements and say which option is best for every task, how sure
that is, and what to measure next. Nothing needs to be known of kernels, noise or
algorithms: they are found from the measurements.

The table has a row for every measurement, and any columns: --task names those whose
combinations are the tasks, --arm those whose combinations are the options, --reward
the one that was measured. Without them the columns are listed, with a command to copy.
A table with the columns task, arm and mean needs no flags.`,
		Example: `  gonb-cope best runs.csv
  gonb-cope best runs.csv --task Machine --arm "Temp °C" --arm Speed --reward Throughput --next 24
  gonb-cope best losses.csv --task model --arm lr --arm dropout --reward loss --goal min -o best.html`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("best takes one table, %s", got(args))}
			}
			switch ending := strings.ToLower(filepath.Ext(args[0])); {
			case ending == ".ipynb" || ending == ".cope":
				return usageError{fmt.Errorf("%s is no table of measurements; gonb-cope %s %[1]s %[2]ss it", args[0],
					map[bool]string{true: "report", false: "run"}[ending == ".ipynb"])}
			case strings.HasPrefix(ending, ".xls") || ending == ".ods":
				return usageError{fmt.Errorf("%s is a file of a spreadsheet; save its sheet as CSV", args[0])}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return o.best(c.Context(), args[0]) },
	}
	f := c.Flags()
	for k := range o.columns {
		x := &o.columns[k]
		f.StringArrayVar(&x.value, strings.ReplaceAll(x.name, "_", "-"), nil, x.help)
	}
	f.StringVar(&o.goal, "goal", "", "min where lower is better (default max)")
	f.StringVar(&o.bounded, "bounded", "", "limits of the reward, as `LO,HI`: estimates and intervals stay inside")
	f.Float64Var(&o.epsilon, "epsilon", 0, "an option this close to the best is good enough, in units of the reward")
	f.IntVar(&o.next, "next", 0, "how many further measurements to propose")
	f.BoolVar(&o.retry, "retry", false, "take and propose options, too, of which all measurements failed")
	f.StringVar(&o.run.format, "format", "", formatNames(true)+" (default: by the ending of -o, else text)")
	f.StringVarP(&o.run.output, "output", "o", "", "write to this file instead of standard output")
	return c
}

// decimalOf returns a finite number that is written in a text; NaN of another text.
func decimalOf(text string) float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// of returns the columns of a flag.
func (o *bestOptions) of(name string) []string {
	c, _ := lists.First(o.columns, func(c columnFlag) bool { return c.name == name })
	return c.value
}

// best runs the script that the flags represent.
func (o *bestOptions) best(ctx context.Context, table string) error {
	for _, c := range o.columns {
		if !c.list && len(c.value) > 1 {
			return usageError{fmt.Errorf("--%s names one column, got %s", c.name, strings.Join(c.value, ", "))}
		}
	}
	if o.next < 0 {
		return usageError{fmt.Errorf("--next must be 0 or more, got %d", o.next)}
	}
	if lo, hi, two := strings.Cut(o.bounded, ","); o.bounded != "" {
		if a, b := decimalOf(lo), decimalOf(hi); !two || !(a < b) {
			return usageError{fmt.Errorf("--bounded must be two numbers, the lower one first, as in --bounded 0,100; got %s", o.bounded)}
		}
	}
	if !(o.epsilon >= 0) || math.IsInf(o.epsilon, 0) {
		return usageError{fmt.Errorf("--epsilon must be a number of 0 or more, got %g", o.epsilon)}
	}
	if o.goal != "" && o.goal != "min" && o.goal != "max" {
		return usageError{fmt.Errorf("--goal must be min or max, got %q", o.goal)}
	}
	wide := false
	if len(o.of("arm")) == 0 || len(o.of("reward"))+len(o.of("successes")) == 0 {
		d, err := problem.Describe(table,
			problem.LoadOptions{
				Read:   func(path string) ([]byte, error) { return await.File(ctx, path, problem.MaxData) },
				Decode: parquet.CSV, Context: ctx,
			})
		if ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil {
			return err
		}
		if wide = d.Wide && len(o.of("task")) == 0 && len(o.of("arm")) == 0 && len(o.of("reward")) == 0; !wide {
			return o.describe(ctx, os.Stdout, d)
		}
	}
	o.run.table, o.run.line = table, o.line(table)
	return flagsOf(o.run.evaluate(ctx, source{name: "best", folder: ".", text: o.script(table, wide)}))
}

// argumentBefore matches the text of a script in front of the value of an argument, or of an element of its list.
var argumentBefore = regexp.MustCompile(`[(,] ?([a-z_]+)=(?:\[[^\]]*)?$`)

// flagsOf replaces mistakes of the script, which the user has not written, by the flags that caused them.
func flagsOf(err error) error {
	var mistakes dsl.Errors
	if !errors.As(err, &mistakes) {
		return err
	}
	var lines []string
	for _, m := range mistakes {
		line := cmp.Or(m.Cause, m.Message)
		at := argumentBefore.FindStringSubmatch(string([]rune(m.Source)[:m.Col-1]))
		if at != nil && at[1] != "data" {
			before, after, _ := strings.Cut(line, at[1]+"=") // a condition names its parameter, and repeats its value
			if _, rest, repeated := strings.Cut(after, `": `); repeated {
				line = before + rest
			}
			line = fmt.Sprintf("--%s: %s", strings.ReplaceAll(at[1], "_", "-"), line)
		}
		switch {
		case strings.Contains(m.Hint, "write a list"):
			line += "; these are several columns: repeat the flag for each"
		case m.Hint != "":
			line += "; " + m.Hint
		}
		lines = append(lines, line)
	}
	return &flagMistakes{text: strings.Join(lines, "\n"), err: err}
}

// flagMistakes is the text of mistakes in flags, with the mistakes of the script behind it.
type flagMistakes struct {
	text string
	err  error
}

func (e *flagMistakes) Error() string { return e.text }
func (e *flagMistakes) Unwrap() error { return e.err }

func (o *bestOptions) script(table string, wide bool) string {
	retry := ""
	if o.retry {
		retry = ", retry=true"
	}
	return fmt.Sprintf("%sbest(p, epsilon=%s, next=%d%s)\n", o.problem(table, wide, ""), strconv.FormatFloat(o.epsilon, 'g', -1, 64),
		o.next, retry)
}

// problem returns the statement that reads the table, with a kernel if one is given.
func (o *bestOptions) problem(table string, wide bool, kernel string) string {
	args := []string{"data=" + kernels.Quote(table)}
	if wide {
		args[0] = kernels.Quote(table)
	}
	for _, c := range o.columns {
		words := lists.Map(c.value, kernels.Quote)
		switch {
		case len(words) == 1:
			args = append(args, c.name+"="+words[0])
		case len(words) > 1:
			args = append(args, c.name+"=["+strings.Join(words, ", ")+"]")
		}
	}
	if o.goal != "" {
		args = append(args, `goal="`+o.goal+`"`)
	}
	if o.bounded != "" {
		args = append(args, "bounded=["+o.bounded+"]")
	}
	if kernel != "" {
		args = append(args, "kernel="+kernel)
	}
	return fmt.Sprintf("p = problem(%s)\n", strings.Join(args, ", "))
}

func (o *bestOptions) line(table string) string {
	line := lineOf("best", table)
	for _, c := range o.columns {
		line = line.with("--"+strings.ReplaceAll(c.name, "_", "-"), c.value...)
	}
	line = line.with("--goal", o.goal).with("--bounded", o.bounded)
	if o.epsilon > 0 {
		line = line.with("--epsilon", strconv.FormatFloat(o.epsilon, 'g', -1, 64))
	}
	if o.next > 0 {
		line = line.with("--next", strconv.Itoa(o.next))
	}
	return string(line.on("--retry", o.retry))
}

// describe lists the columns, and the command that their looks suggest, once that has been tried; the command did not do what was
// asked.
func (o *bestOptions) describe(ctx context.Context, w io.Writer, d problem.Description) error {
	fmt.Fprintf(w, "%s has %d rows and these columns:\n\n", d.Path, d.Rows)
	writeColumns(w, lists.Map(d.Columns, func(c problem.Column) []string { return []string{"  " + c.Name, looks(c)} }))
	guessed, goal := o.guessed(d)
	fmt.Fprint(w, "\nWhich columns name the tasks, which the options, and which was measured? ")
	wide := len(d.Rewards) > 1 && (len(d.Arm) == 0 || d.Single == d.Options)
	if wide && len(o.of("arm"))+len(o.of("reward")) == 0 {
		fmt.Fprintf(w, "No command is proposed: %s may be options side by side, and best reads a row for each measurement.\n\n"+
			"In Python: table.melt(id_vars=..., var_name=\"option\", value_name=\"y\"); in R: tidyr::pivot_longer. "+
			"If one of them was measured, name the columns:\n\n  %s\n", strings.Join(d.Rewards, ", "), guessed.line(d.Path))
		guessed.explain(w, d)
	} else if slices.Contains(slices.Concat(guessed.of("arm"), guessed.of("reward")), "COLUMN") {
		fmt.Fprintf(w, "No column looks like options, or like what was measured. Name them:\n\n  %s\n", guessed.line(d.Path))
		guessed.explain(w, d)
	} else if err := guessed.try(ctx, d.Path); err != nil {
		fmt.Fprintf(w, "No command is proposed, because the likeliest columns do not give one:\n\n%v\n\nCorrect that, or name other columns.\n",
			err)
	} else {
		fmt.Fprintf(w, "Perhaps:\n\n  %s\n\n%s; for further measurements, add --next 24.\n", guessed.line(d.Path), goal)
		guessed.explain(w, d)
	}
	if len(d.Rewards) > 1 && !wide {
		fmt.Fprintf(w, "If each of %s is a task of its own, write a row for each of their cells: a column for the task, and one for "+
			"what was measured.\n", strings.Join(d.Rewards, ", "))
	}
	if len(o.of("task"))+len(o.of("arm"))+len(o.of("reward")) > 0 {
		return usageError{errors.New("best needs --arm and --reward, and --task where there are several tasks")}
	}
	return nil
}

// looks says what a column looks like.
func looks(c problem.Column) string {
	what := fmt.Sprintf("text, %d different: %s", c.Different, strings.Join(c.Examples, ", "))
	switch {
	case c.Different == 0:
		return "empty"
	case c.Numbers:
		what = fmt.Sprintf("numbers, %d different, %g to %g", c.Different, c.Least, c.Most)
	case c.Different > len(c.Examples):
		what += ", …"
	}
	for _, word := range c.Words {
		what += fmt.Sprintf(", or %q", word)
	}
	if c.Limits > 0 {
		what += fmt.Sprintf(", %d limits such as %s", c.Limits, c.Limit)
	}
	if c.Empty > 0 {
		what += fmt.Sprintf(" (%d empty)", c.Empty)
	}
	return what
}

// guessed returns the options with the columns that are guessed where none are named, and a sentence on the goal.
func (o *bestOptions) guessed(d problem.Description) (guessed bestOptions, goal string) {
	l := d.Long()
	guesses := map[string][]string{"task": l.Task, "arm": l.Arm, "reward": {l.Reward}, "sd": {l.SD}, "count": {l.Count}, "blocks": l.Blocks}
	if len(o.of("reward")) > 0 { // they are beside another column
		delete(guesses, "sd")
		delete(guesses, "count")
	}
	if d.Counts != nil && len(o.of("reward"))+len(o.of("successes"))+len(o.of("trials")) == 0 {
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
	guessed.columns = slices.Clone(o.columns)
	named := slices.Concat(lists.Map(o.columns, func(c columnFlag) []string { return c.value })...)
	for k := range guessed.columns {
		c := &guessed.columns[k]
		guess, known := guesses[c.name]
		guess = slices.DeleteFunc(slices.Clone(guess), func(name string) bool { return slices.Contains(named, name) })
		switch {
		case len(c.value) > 0 || !known || c.name == "reward" && len(o.of("successes")) > 0:
		case len(guess) > 0 && guess[0] != "":
			c.value = guess
		case c.name == "arm" || c.name == "reward":
			c.value = []string{"COLUMN"}
		}
	}
	goal = "Where lower is better, add --goal min"
	if d.Lower && o.goal == "" && len(o.of("reward"))+len(o.of("successes")) == 0 {
		guessed.goal, goal = problem.GoalMin, "Where more of "+d.Reward+" is better, leave --goal min out"
	}
	return guessed, goal
}

// try reads the table as a command would, without looking for a kernel. It returns why that fails.
func (o *bestOptions) try(ctx context.Context, table string) error {
	script, err := source{name: "best", text: o.problem(table, false, "task(identity()) * arm(identity())")}.parse(ctx)
	if err == nil {
		_, err = dsl.NewSession(dsl.Options{Folder: "."}).Eval(ctx, script)
	}
	return flagsOf(err)
}

// explain says what the proposed columns are, and why the others are left out.
func (o *bestOptions) explain(w io.Writer, d problem.Description) {
	if task := o.of("task"); len(task) == 1 && task[0] == d.Task {
		fmt.Fprintf(w, "Each %s gets an answer of its own; if it is to be chosen, too, write --arm in place of --task.\n", d.Task)
	}
	if d.Options > 1 && 10*d.Single >= 9*d.Options && len(o.of("sd"))+len(o.of("count")) == 0 {
		fmt.Fprintf(w, "%d of the %d options have one row: only what the others say of it tells a good one from a lucky one. If one of these "+
			"columns numbers rows or places, leave it out.\n", d.Single, d.Options)
	}
	named := slices.Concat(lists.Map(o.columns, func(c columnFlag) []string { return c.value })...)
	var rows [][]string
	for _, u := range d.Unused {
		if !slices.Contains(named, u.Name) {
			rows = append(rows, []string{"  " + u.Name, u.Why})
		}
	}
	if len(rows) > 0 {
		fmt.Fprint(w, "\nThese columns are left out:\n\n")
		writeColumns(w, rows)
	}
}
