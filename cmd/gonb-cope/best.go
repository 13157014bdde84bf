package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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
	f.Float64Var(&o.epsilon, "epsilon", 0, "an option this close to the best is good enough, in units of the reward")
	f.IntVar(&o.next, "next", 0, "how many further measurements to propose")
	f.BoolVar(&o.retry, "retry", false, "take and propose options, too, of which all measurements failed")
	f.StringVar(&o.run.format, "format", "", formatNames(true)+" (default: by the ending of -o, else text)")
	f.StringVarP(&o.run.output, "output", "o", "", "write to this file instead of standard output")
	return c
}

// of returns the columns of a flag.
func (o *bestOptions) of(name string) []string {
	c, _ := lists.First(o.columns, func(c columnFlag) bool { return c.name == name })
	return c.value
}

// best runs the script that the flags stand for.
func (o *bestOptions) best(ctx context.Context, table string) error {
	for _, c := range o.columns {
		if !c.list && len(c.value) > 1 {
			return usageError{fmt.Errorf("--%s names one column, got %s", c.name, strings.Join(c.value, ", "))}
		}
	}
	if o.next < 0 {
		return usageError{fmt.Errorf("--next must be 0 or more, got %d", o.next)}
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
		if err != nil {
			return err
		}
		if wide = d.Wide && len(o.of("task")) == 0 && len(o.of("arm")) == 0 && len(o.of("reward")) == 0; !wide {
			return o.describe(os.Stdout, d)
		}
	}
	o.run.table, o.run.line = table, o.line(table)
	return o.run.evaluate(ctx, source{name: "best", folder: ".", text: o.script(table, wide)})
}

func (o *bestOptions) script(table string, wide bool) string {
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
	retry := ""
	if o.retry {
		retry = ", retry=true"
	}
	return fmt.Sprintf("p = problem(%s)\nbest(p, epsilon=%s, next=%d%s)\n", strings.Join(args, ", "),
		strconv.FormatFloat(o.epsilon, 'g', -1, 64), o.next, retry)
}

func (o *bestOptions) line(table string) string {
	line := lineOf("best", table)
	for _, c := range o.columns {
		line = line.with("--"+strings.ReplaceAll(c.name, "_", "-"), c.value...)
	}
	line = line.with("--goal", o.goal)
	if o.epsilon > 0 {
		line = line.with("--epsilon", strconv.FormatFloat(o.epsilon, 'g', -1, 64))
	}
	if o.next > 0 {
		line = line.with("--next", strconv.Itoa(o.next))
	}
	return string(line.on("--retry", o.retry))
}

// describe lists the columns, and the command that their looks suggest; the command did not do what was asked.
func (o *bestOptions) describe(w io.Writer, d problem.Description) error {
	fmt.Fprintf(w, "%s has %d rows and these columns:\n\n", d.Path, d.Rows)
	var rows [][]string
	for _, c := range d.Columns {
		what := fmt.Sprintf("text, %d different: %s", c.Different, strings.Join(c.Examples, ", "))
		switch {
		case c.Different == 0:
			what = "empty"
		case c.Numbers:
			what = fmt.Sprintf("numbers, %d different, %g to %g", c.Different, c.Least, c.Most)
		case c.Different > len(c.Examples):
			what += ", …"
		}
		if c.Word != "" {
			what += fmt.Sprintf(", or %q", c.Word)
		}
		if c.Empty > 0 && c.Different > 0 {
			what += fmt.Sprintf(" (%d empty)", c.Empty)
		}
		rows = append(rows, []string{"  " + c.Name, what})
	}
	writeColumns(w, rows)
	guesses := map[string][]string{"task": {d.Task}, "arm": d.Arm, "reward": {d.Reward}, "blocks": d.Blocks}
	if d.Counts != nil && len(o.of("reward"))+len(o.of("successes"))+len(o.of("trials")) == 0 {
		delete(guesses, "reward")
		guesses["successes"], guesses["trials"] = d.Counts[:1], d.Counts[1:]
	}
	guessed := *o
	guessed.columns = slices.Clone(o.columns)
	for k := range guessed.columns {
		c := &guessed.columns[k]
		guess, known := guesses[c.name]
		switch {
		case len(c.value) > 0 || !known || c.name == "reward" && len(o.of("successes")) > 0:
		case c.name == "task" && d.Task == "" || c.name == "blocks" && len(guess) == 0: // one task, no blocks
		case len(guess) == 0 || guess[0] == "":
			c.value = []string{"COLUMN"}
		default:
			c.value = guess
		}
	}
	goal := "Where lower is better, add --goal min"
	if d.Lower && o.goal == "" && len(o.of("reward"))+len(o.of("successes")) == 0 {
		guessed.goal, goal = problem.GoalMin, "Where more of "+d.Reward+" is better, leave --goal min out"
	}
	fmt.Fprintf(w, "\nWhich columns name the tasks, which the options, and which was measured? Perhaps:\n\n  %s\n\n%s; for further "+
		"measurements, add --next 24.\n", guessed.line(d.Path), goal)
	if len(d.Rewards) > 0 {
		fmt.Fprintf(w, "If each of %s is a task of its own, write a row for each of their cells: a column for the task, and one for "+
			"what was measured.\n", strings.Join(d.Rewards, ", "))
	}
	if len(o.of("task"))+len(o.of("arm"))+len(o.of("reward")) > 0 {
		return usageError{errors.New("best needs --arm and --reward, and --task where there are several tasks")}
	}
	return nil
}
