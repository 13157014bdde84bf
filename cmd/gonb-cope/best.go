package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	"github.com/gonb-cope/gonb-cope/internal/base/workbook"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// bestOptions are the flags of best; run holds those about output.
type bestOptions struct {
	run     runOptions
	columns []columnFlag
	goal    string
	bounded string // "LO,HI"
	epsilon float64
	next    int
	retry   bool

	overall           bool
	perBlock, options int
	checks            []string
}

// columnFlag is a flag that is a parameter of problem, of the same name.
type columnFlag struct {
	name  string
	help  string
	list  bool // may name several columns
	value []string
}

// bestColumns returns the flags that name columns.
func bestColumns() []columnFlag {
	return []columnFlag{
		{name: "task", list: true, help: "`COLUMN` of the tasks, such as reactions or sites; each task gets its own recommendation (repeatable)"},
		{name: "arm", list: true, help: "`COLUMN` whose value you can choose; its values are the options (repeatable)"},
		{name: "reward", list: true, help: "`COLUMN` of the measured values, or of their means; with two or more, the best trade-offs are " +
			"found (repeatable)"},
		{name: "require", list: true, help: "`LIMIT` of another measured column, such as \"impurity < 0.5\" (repeatable)"},
		{name: "sd", help: "`COLUMN` of standard deviations, if rows are means"},
		{name: "count", help: "`COLUMN` of the number of measurements, if rows are means"},
		{name: "successes", help: "`COLUMN` with the number of successes among --trials, instead of --reward"},
		{name: "trials", help: "`COLUMN` with the number of trials, for --successes"},
		{name: "blocks", list: true, help: "`COLUMN` of rows made together, such as a day or a plate: options are compared " +
			"within it (repeatable)"},
		{name: "crossed", list: true, help: "`COLUMN` of blocks that span all tasks, such as a day on which all were measured (repeatable)"},
		{name: "cost", help: "`COLUMN` with the cost of a measurement: --next then counts cost"},
		{name: "weights", help: "`COLUMN` with the weight of a task, for --overall"},
		{name: "text", list: true, help: "`COLUMN` of names that look like numbers, such as versions, where 12.1 is not 12.10 (repeatable)"},
		{name: "log", list: true, help: "`COLUMN` to use on a logarithmic scale (repeatable; default: chosen automatically)"},
		{name: "task_features", list: true, help: "`COLUMN` that describes the tasks, such as a temperature or pH (repeatable)"},
		{name: "candidates", list: true, help: "options to consider besides those in the table: `all` combinations of the option columns, a " +
			"range such as \"lr=1e-5..1e-1 log\", or a table of options (repeatable)"},
		{name: "failed", help: "`CONDITION` for rows whose measurement failed, such as \"status != 'ok'\""},
		{name: "where", help: "`CONDITION` for the rows to use, such as \"site == 'Gent'\""},
	}
}

// bestGroups are the flags of best in the order of its help.
var bestGroups = []flagGroup{
	{"Columns of the table", []string{"task", "arm", "reward", "goal"}},
	{"What is good enough", []string{"epsilon", "bounded", "require"}},
	{"What to measure next", []string{"next", "candidates", "options", "cost", "retry"}},
	{"One option for all tasks", []string{"overall", "weights"}},
	{"Rows to use", []string{"where", "failed"}},
	{"Rows made together", []string{"blocks", "crossed", "per-block", "check"}},
	{"If rows are means or counts", []string{"sd", "count", "successes", "trials"}},
	{"How to read a column", []string{"text", "log", "task-features"}},
	{"Output", []string{"output", "format", "help"}},
}

func bestCommand() *cobra.Command {
	o := bestOptions{columns: bestColumns()}
	c := &cobra.Command{
		Use:   "best TABLE",
		Short: "Recommend the best option of each task in a table of measurements",
		Long: `Read a table of measurements. You get the recommended option of each task, how probable it
is that the option is good enough, and what to measure next. You need not choose a
statistical model: the program fits one to the measurements.

The table has one row per measurement. --task names the columns of the tasks, --arm the
columns that you can choose, and --reward the measured column. The combinations of values in
the --arm columns are the options. Without these flags, best lists the columns and proposes a
command to copy. A table with the columns task, arm and mean needs no flags.`,
		Example: `  gonb-cope best runs.csv
  gonb-cope best runs.csv --task Machine --arm "Temp °C" --arm Speed --reward Throughput --next 24
  gonb-cope best losses.csv --task model --arm lr --arm dropout --reward loss --goal min -o best.html`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("best takes one table, %s. To name several columns, repeat the flag: --arm Base --arm Ligand",
					countArguments(args))}
			}
			switch ending := strings.ToLower(filepath.Ext(args[0])); {
			case ending == ".ipynb" || ending == ".cope":
				return usageError{fmt.Errorf("%s is not a table of measurements; gonb-cope %s %[1]s %[2]ss it", args[0],
					map[bool]string{true: "report", false: "run"}[ending == ".ipynb"])}
			case ending == ".xls" || ending == ".xlsb" || ending == ".ods":
				return usageError{fmt.Errorf("%s is a spreadsheet, which best cannot read; save its sheet as .xlsx or CSV", args[0])}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			for _, name := range []string{"per-block", "options"} {
				if n, err := c.Flags().GetInt(name); c.Flags().Changed(name) && n < 1 {
					return usageError{cmp.Or(err, fmt.Errorf("--%s must be 1 or more, got %d", name, n))}
				}
			}
			return o.runBest(c.Context(), args[0])
		},
	}
	f := c.Flags()
	for k := range o.columns {
		x := &o.columns[k]
		f.StringArrayVar(&x.value, strings.ReplaceAll(x.name, "_", "-"), nil, x.help)
	}
	f.StringVar(&o.goal, "goal", "",
		"whether `max|min` is better (default max); one per reward, as in max,min")
	f.StringVar(&o.bounded, "bounded", "", "limits `LO,HI` of the measured value, such as 0,100 for a yield in %: estimates stay inside")
	f.Float64Var(&o.epsilon, "epsilon", 0,
		"a difference of this `SIZE` from the best does not matter, in units of the measured value (default 0)")
	f.IntVar(&o.next, "next", 0, "`NUMBER` of further measurements to propose, or their cost with --cost; with -o FILE.xlsx or FILE.csv a "+
		"list to fill in is written")
	f.BoolVar(&o.overall, "overall", false, "also recommend one option for all tasks together")
	f.IntVar(&o.perBlock, "per-block", 0, "propose an option at most `NUMBER` times in a block")
	f.IntVar(&o.options, "options", 0, "propose at most `NUMBER` different options")
	f.StringArrayVar(&o.checks, "check", nil, "`NAME` of an option that is in every proposed block (repeatable)")
	f.BoolVar(&o.retry, "retry", false, "also recommend and propose options whose measurements have all failed")
	f.StringVar(&o.run.format, "format", "", "`FORMAT` of the answer: "+formatNames(true)+" (default: from the ending of -o, else text)")
	f.StringVarP(&o.run.output, "output", "o", "", "write to this `FILE` instead of standard output")
	groupFlags(c, bestGroups)
	return c
}

// decimalOf parses a finite number; it returns NaN for any other text.
func decimalOf(text string) float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// columnsOf returns the columns that a flag names.
func (o *bestOptions) columnsOf(name string) []string {
	c, _ := lists.First(o.columns, func(c columnFlag) bool { return c.name == name })
	return c.value
}

// runBest runs the script that the flags describe.
func (o *bestOptions) runBest(ctx context.Context, table string) error {
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
	for _, goal := range o.goals() {
		if goal != "min" && goal != "max" {
			return usageError{fmt.Errorf("--goal must be min or max, got %q", goal)}
		}
	}
	wide := false
	if len(o.columnsOf("arm")) == 0 || len(o.columnsOf("reward"))+len(o.columnsOf("successes")) == 0 {
		d, err := problem.Describe(table,
			problem.LoadOptions{
				Read:   func(path string) ([]byte, error) { return await.File(ctx, path, problem.MaxData) },
				Decode: workbook.CSV, Context: ctx,
			})
		if ctx.Err() != nil {
			return errInterrupted
		}
		if missing := (*problem.ReadError)(nil); errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist) {
			return unreadable("table", table, err)
		}
		if err != nil {
			return err
		}
		if wide = d.Wide && len(o.columnsOf("task")) == 0 && len(o.columnsOf("arm")) == 0 && len(o.columnsOf("reward")) == 0; !wide {
			return o.describe(ctx, os.Stdout, d)
		}
	}
	o.run.table, o.run.line = table, o.line(table)
	return blameFlags(o.run.evaluate(ctx, source{name: "best", folder: ".", text: o.script(table, wide)}))
}

// argumentBefore matches the text of a script before the value of an argument, or before an element of its list.
var argumentBefore = regexp.MustCompile(`[(,] ?([a-z_]+)=(?:\[[^\]]*)?$`)

// blameFlags replaces errors of the generated script by errors of the flags that caused them.
func blameFlags(err error) error {
	var mistakes dsl.Errors
	if !errors.As(err, &mistakes) {
		return err
	}
	var lines []string
	for _, m := range mistakes {
		line := cmp.Or(m.Cause, m.Message)
		at := argumentBefore.FindStringSubmatch(string([]rune(m.Source)[:m.Col-1]))
		if at != nil && at[1] != "data" {
			before, after, _ := strings.Cut(line, at[1]+"=") // the message of a condition names its parameter and repeats its value
			if _, rest, repeated := strings.Cut(after, `": `); repeated {
				line = before + rest
			}
			line = fmt.Sprintf("--%s: %s", strings.ReplaceAll(at[1], "_", "-"), line)
		}
		switch {
		case strings.Contains(m.Hint, "write a list"):
			line += "; to name several columns, repeat the flag for each"
		case m.Hint != "":
			line += "; " + m.Hint
		}
		lines = append(lines, line)
	}
	return &flagMistakes{text: strings.Join(lines, "\n"), err: err}
}

// flagMistakes describes errors in flags; it wraps the errors of the generated script.
type flagMistakes struct {
	text string
	err  error
}

func (e *flagMistakes) Error() string { return e.text }
func (e *flagMistakes) Unwrap() error { return e.err }

func (o *bestOptions) script(table string, wide bool) string {
	more := ""
	for _, x := range []struct{ name, value string }{
		{"overall", trueText(o.overall)}, {"per_block", countText(o.perBlock)}, {"options", countText(o.options)},
		{"check", listText(o.checks)}, {"retry", trueText(o.retry)},
	} {
		if x.value != "" {
			more += ", " + x.name + "=" + x.value
		}
	}
	call := fmt.Sprintf("best(p, epsilon=%s, next=%d%s)", strconv.FormatFloat(o.epsilon, 'g', -1, 64), o.next, more)
	if o.run.holdsRows() && o.next > 0 {
		call = "field_book(" + call + ")"
	}
	return o.problem(table, wide, "") + call + "\n"
}

// trueText, countText and listText write values of flags for a script; "" for a flag that is not given.
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

// goals returns the goals of the columns of rewards.
func (o *bestOptions) goals() []string {
	if o.goal == "" {
		return nil
	}
	return lists.Map(strings.Split(o.goal, ","), strings.TrimSpace)
}

// problem returns the statement that reads the table, with a kernel if one is given.
func (o *bestOptions) problem(table string, wide bool, kernel string) string {
	args := []string{"data=" + kernels.Quote(table)}
	if wide {
		args[0] = kernels.Quote(table)
	}
	for _, c := range o.columns {
		if len(c.value) > 0 {
			args = append(args, c.name+"="+listText(c.value))
		}
	}
	if o.goal != "" {
		args = append(args, "goal="+listText(o.goals()))
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
	line = line.with("--per-block", countText(o.perBlock)).with("--options", countText(o.options)).with("--check", o.checks...)
	return string(line.on("--overall", o.overall).on("--retry", o.retry))
}

// describe lists the columns and proposes a command, which it has tried. It returns an error if the user had
// named columns, because then the command has not done its work.
func (o *bestOptions) describe(ctx context.Context, w io.Writer, d problem.Description) error {
	fmt.Fprintf(w, "%s has %d rows and these columns:\n\n", d.Path, d.Rows)
	writeColumns(w, lists.Map(d.Columns, func(c problem.Column) []string { return []string{"  " + c.Name, describeColumn(c)} }))
	guessed, goal := o.guessColumns(d)
	fmt.Fprint(w, "\nName the columns with the tasks, the options and the measured values. ")
	wide := len(d.Rewards) > 1 && (len(d.Arm) == 0 || d.Single == d.Options)
	if wide && len(o.columnsOf("arm"))+len(o.columnsOf("reward")) == 0 {
		fmt.Fprintf(w, "No command is proposed: %s may be options in columns, and best needs one row per measurement.\n\n"+
			"In Python: table.melt(id_vars=..., var_name=\"option\", value_name=\"y\"); in R: tidyr::pivot_longer. "+
			"If only one of them is the measured value, name the columns:\n\n  %s\n", strings.Join(d.Rewards, ", "), guessed.line(d.Path))
		guessed.explain(w, d)
	} else if slices.Contains(slices.Concat(guessed.columnsOf("arm"), guessed.columnsOf("reward")), "COLUMN") {
		fmt.Fprintf(w, "No column looks like options or like measured values. Name them:\n\n  %s\n", guessed.line(d.Path))
		guessed.explain(w, d)
	} else if err := guessed.tryReading(ctx, d.Path); err != nil {
		fmt.Fprintf(w, "No command is proposed, because one with the likeliest columns fails:\n\n%v\n\nCorrect that, or name other columns.\n",
			err)
	} else {
		fmt.Fprintf(w, "A proposal:\n\n  %s\n\n%s. To plan 24 further measurements, add --next 24.\n"+
			"If small differences do not matter, add --epsilon SIZE, for example --epsilon 5: fewer measurements are then needed.\n"+
			"If the measured values have limits, such as 0 and 100 %%, add --bounded 0,100.\n",
			guessed.line(d.Path), goal)
		guessed.explain(w, d)
	}
	if len(d.Rewards) > 1 && !wide {
		fmt.Fprintf(w, "If each of %s is a separate task, write one row per value: a column for the task, and one for "+
			"the measured value.\n", strings.Join(d.Rewards, ", "))
	}
	if len(o.columnsOf("task"))+len(o.columnsOf("arm"))+len(o.columnsOf("reward")) > 0 {
		return usageError{errors.New("best needs --arm and --reward, and --task if there are several tasks")}
	}
	return nil
}

// describeColumn returns a short description of the values of a column.
func describeColumn(c problem.Column) string {
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
		what += fmt.Sprintf(", detection limits such as %s (%d)", c.Limit, c.Limits)
	}
	if c.Empty > 0 {
		what += fmt.Sprintf(" (%d empty)", c.Empty)
	}
	return what
}

// guessColumns returns the options with a guess for each column that the user has not named, and a sentence on the goal.
func (o *bestOptions) guessColumns(d problem.Description) (guessed bestOptions, goal string) {
	l := d.Long()
	guesses := map[string][]string{"task": l.Task, "arm": l.Arm, "reward": {l.Reward}, "sd": {l.SD}, "count": {l.Count}, "blocks": l.Blocks}
	if len(o.columnsOf("reward")) > 0 { // the guesses belong to another reward column
		delete(guesses, "sd")
		delete(guesses, "count")
	}
	if d.Counts != nil && len(o.columnsOf("reward"))+len(o.columnsOf("successes"))+len(o.columnsOf("trials")) == 0 {
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
		case len(c.value) > 0 || !known || c.name == "reward" && len(o.columnsOf("successes")) > 0:
		case len(guess) > 0 && guess[0] != "":
			c.value = guess
		case c.name == "arm" || c.name == "reward":
			c.value = []string{"COLUMN"}
		}
	}
	goal = "If lower is better, add --goal min"
	if d.Lower && o.goal == "" && len(o.columnsOf("reward"))+len(o.columnsOf("successes")) == 0 {
		guessed.goal, goal = problem.GoalMin, "If more "+d.Reward+" is better, leave --goal min out"
	}
	return guessed, goal
}

// tryReading reads the table as the command would, without a choice of kernels, and returns its error.
func (o *bestOptions) tryReading(ctx context.Context, table string) error {
	script, err := source{name: "best", text: o.problem(table, false, "task(identity()) * arm(identity())")}.parse(ctx)
	if err == nil {
		_, err = dsl.NewSession(dsl.Options{Folder: "."}).Eval(ctx, script)
	}
	return blameFlags(err)
}

// explain describes the proposed columns and why the others are left out.
func (o *bestOptions) explain(w io.Writer, d problem.Description) {
	if task := o.columnsOf("task"); len(task) == 1 && task[0] == d.Task {
		fmt.Fprintf(w, "Each %s gets its own recommendation. If you can choose the %s too, write --arm %s instead of --task %s.\n",
			d.Task, d.Task, quote(d.Task), quote(d.Task))
	}
	if d.Options > 1 && 10*d.Single >= 9*d.Options && len(o.columnsOf("sd"))+len(o.columnsOf("count")) == 0 {
		which := fmt.Sprintf("%d of the %d combinations have", d.Single, d.Options)
		if d.Single == d.Options {
			which = fmt.Sprintf("All %d combinations have", d.Options)
		}
		fmt.Fprintf(w, "%s only one row, so chance is hard to separate from real differences. Check each --arm column:\n"+
			"if you cannot choose its value (a day, a plate), write --blocks instead; if it only numbers rows, leave it out.\n", which)
	}
	if blocks := o.columnsOf("blocks"); slices.Equal(blocks, d.Blocks) && len(blocks) > 0 {
		fmt.Fprintf(w, "Options are compared within each %s. If you can choose its value, write --arm instead of --blocks.\n"+
			"If you leave the column out, its effect counts as noise.\n", strings.Join(blocks, " and "))
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
