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
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
	"github.com/gonb-cope/gonb-cope/internal/base/workbook"
	"github.com/gonb-cope/gonb-cope/internal/bestcall"
)

// bestOptions are the flags of the command best. run has the flags about output.
type bestOptions struct {
	run runOptions
	bestcall.Call
}

// bestGroups are the flags of best, in the groups and the order of its help.
var bestGroups = []flagGroup{
	{"Columns of the table", []string{"task", "arm", "reward", "goal"}},
	{"What is good enough", []string{"epsilon", "bounded", "noise", "require"}},
	{"What to measure next", []string{"next", "candidates", "options", "cost", "retry"}},
	{"One option for all tasks", []string{"overall", "weights"}},
	{"Rows to use", []string{"where", "failed"}},
	{"Rows made together", []string{"blocks", "crossed", "random", "per-block", "check"}},
	{"If rows are means or counts", []string{"sd", "count", "successes", "trials"}},
	{"How alike options are", []string{"similar", "kernel"}},
	{"How to read a column", []string{"text", "log", "task-features"}},
	{"Output", []string{"output", "format", "help"}},
}

func bestCommand() *cobra.Command {
	o := bestOptions{Call: bestcall.New()}
	var goals []string
	c := &cobra.Command{
		Use:   "best TABLE",
		Short: "Recommend the best option of each task in a table of measurements",
		Long: `Read a table of measurements. You get the recommended option of each task, how probable it
is that the option is good enough, and what to measure next. You need not choose a
statistical model: the program fits one to the measurements.

The table has one row per measurement. --task names the columns of the tasks, --arm the
columns that you can choose, and --reward the measured column. The combinations of values in
the --arm columns are the options. Without these flags, the command lists the columns and
proposes a command to copy. A table of means (columns task, arm and mean, one row per option)
needs no flags.`,
		Example: `  gonb-cope best runs.csv
  gonb-cope best runs.csv --task Machine --arm "Temp °C" --arm Speed --reward Throughput --next 24
  gonb-cope best losses.csv --task model --arm lr --arm dropout --reward loss --goal min -o best.html`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				advice := "To name several columns, repeat the flag: --arm Base --arm Ligand"
				if len(args) == 0 {
					advice = "Write its name, as in gonb-cope best runs.csv"
				}
				for _, a := range args {
					if name, value, ok := strings.Cut(a, "="); ok && c.Flags().Lookup(name) != nil { // a parameter of a script
						advice = fmt.Sprintf("In a command, write --%s %q", name, strings.Trim(value, `"`))
					}
				}
				return usageError{fmt.Errorf("best takes one table, %s. %s", countArguments(args), advice)}
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
			if c.Flags().Changed("noise") && o.Noise == 0 {
				return usageError{errors.New("--noise must be above 0, got 0; leave it out to estimate the noise")}
			}
			o.Goal = strings.Join(goals, ",")
			return o.runBest(c.Context(), args[0])
		},
	}
	f := c.Flags()
	for k := range o.Columns {
		x := &o.Columns[k]
		f.StringArrayVar(&x.Value, strings.ReplaceAll(x.Name, "_", "-"), nil, x.Help)
	}
	f.StringSliceVar(&goals, "goal", nil,
		"`max|min`: higher is better (default), or lower; one per reward, as in max,min")
	f.StringVar(&o.Bounded, "bounded", "",
		"`LO,HI`: smallest and largest possible value, such as 0,100 for a yield in %; estimates stay inside")
	f.Float64Var(&o.Noise, "noise", 0, "`SIZE` of the noise: the standard deviation of a measurement (default: estimated)")
	f.StringVar(&o.Kernel, "kernel", "",
		"`KERNEL` of a script: how similar tasks and options are. The measurements decide how much it counts (default: learned)")
	f.Float64Var(&o.Epsilon, "epsilon", 0,
		"a difference of this `SIZE` from the best does not matter, in units of the measured value (default 0)")
	f.IntVar(&o.Next, "next", 0, "`NUMBER` of further measurements to propose, or with --cost their total cost. "+
		"A file of -o (.xlsx, .csv, .docx, .pdf) then has only the list to fill in")
	f.BoolVar(&o.Overall, "overall", false, "also recommend one option for all tasks together")
	f.IntVar(&o.PerBlock, "per-block", 0, "largest `NUMBER` of measurements of one option in a block")
	f.IntVar(&o.Options, "options", 0, "largest `NUMBER` of different options to propose, besides those of --check")
	f.StringArrayVar(&o.Checks, "check", nil, "`NAME` of a control: an option that is in every proposed block (repeatable)")
	f.BoolVar(&o.Retry, "retry", false, "also recommend and propose options whose measurements have all failed")
	f.StringVar(&o.run.format, "format", "", "`FORMAT` of the answer: "+formatNames(true)+" (default: from the ending of -o, else text)")
	f.StringVarP(&o.run.output, "output", "o", "", "write to this `FILE` instead of standard output")
	groupFlags(c, bestGroups)
	return c
}

// decimalOf parses a finite number. It returns NaN for any other text.
func decimalOf(text string) float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// runBest generates a script from the flags, and runs it.
func (o *bestOptions) runBest(ctx context.Context, table string) error {
	for _, c := range o.Columns {
		if !c.List && len(c.Value) > 1 {
			return usageError{fmt.Errorf("--%s names one column, got %s", c.Name, strings.Join(c.Value, ", "))}
		}
	}
	if o.Next < 0 {
		return usageError{fmt.Errorf("--next must be 0 or more, got %d", o.Next)}
	}
	if lo, hi, two := strings.Cut(o.Bounded, ","); o.Bounded != "" {
		if a, b := decimalOf(lo), decimalOf(hi); !two || !(a < b) {
			return usageError{fmt.Errorf("--bounded must be two numbers, the lower one first, as in --bounded 0,100; got %s", o.Bounded)}
		}
	}
	if !(o.Epsilon >= 0) || math.IsInf(o.Epsilon, 0) {
		return usageError{fmt.Errorf("--epsilon must be a number of 0 or more, got %g", o.Epsilon)}
	}
	if !(o.Noise >= 0) || math.IsInf(o.Noise, 0) {
		return usageError{fmt.Errorf("--noise must be a positive number, got %g", o.Noise)}
	}
	for _, goal := range o.Goals() {
		if goal != "min" && goal != "max" {
			return usageError{fmt.Errorf("--goal must be min or max, got %q", goal)}
		}
	}
	wide := false
	if len(o.Named("arm")) == 0 || len(o.Named("reward"))+len(o.Named("successes")) == 0 {
		d, err := problem.Describe(table,
			problem.LoadOptions{
				Read:   func(path string) ([]byte, error) { return await.File(ctx, path, problem.MaxData) },
				Decode: workbook.CSV, Unread: workbook.Unread, Context: ctx,
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
		if wide = d.Wide && len(o.Named("task")) == 0 && len(o.Named("arm")) == 0 && len(o.Named("reward")) == 0; !wide {
			return o.describe(ctx, os.Stdout, d)
		}
	}
	o.run.table, o.run.line, o.run.planned = table, o.Line(table), o.Next > 0
	return blameFlags(o.run.evaluate(ctx, source{name: "best", folder: ".", text: o.Script(table, wide, o.run.holdsRows())}))
}

// argumentBefore matches the text of a script up to the value of an argument, or up to an element of its list. Group 1 is
// the parameter's name.
var argumentBefore = regexp.MustCompile(`[(,] ?([a-z_]+)=(?:\[[^\]]*)?$`)

// blameFlags converts errors in the generated script to errors about the flags that caused them. It returns other errors
// unchanged.
func blameFlags(err error) error {
	var mistakes dsl.Errors
	if !errors.As(err, &mistakes) {
		return err
	}
	var lines []string
	for _, m := range mistakes {
		line := cmp.Or(m.Cause, m.Message)
		before := string([]rune(m.Source)[:m.Col-1])
		at := argumentBefore.FindStringSubmatch(before)
		if _, expression, found := strings.Cut(before, " kernel="); found && strings.Count(expression, "(") > strings.Count(expression, ")") {
			at = []string{"", "kernel"} // the mistake is inside the expression
		}
		if at != nil && at[1] != "data" {
			before, after, _ := strings.Cut(line, at[1]+"=") // the message of a condition contains the parameter's name and value too
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

// flagMistakes describes errors in flags; err has the errors in the generated script.
type flagMistakes struct {
	text string
	err  error
}

func (e *flagMistakes) Error() string { return e.text }
func (e *flagMistakes) Unwrap() error { return e.err }

// describe lists the columns of a table and proposes a command. It proposes only a command that can read the table. If the
// user named some columns, but not enough for an answer, it returns a usage error.
func (o *bestOptions) describe(ctx context.Context, w io.Writer, d problem.Description) error {
	fmt.Fprintf(w, "%s has %s and these columns:\n\n", d.Path, sentence.Count(d.Rows, "row"))
	writeColumns(w, lists.Map(d.Columns, func(c problem.Column) []string { return []string{"  " + c.Name, bestcall.Describe(c)} }))
	for _, n := range d.Notes {
		fmt.Fprintf(w, "\nNote: %s.\n", n)
	}
	guessed, goal := *o, ""
	guessed.Call, goal = o.Guess(d)
	fmt.Fprint(w, "\nName the columns with the tasks, the options and the measured values. ")
	wide := len(d.Rewards) > 1 && (len(d.Arm) == 0 || d.Single == d.Options)
	if wide && len(o.Named("arm"))+len(o.Named("reward")) == 0 {
		fmt.Fprintf(w, "But %s may be options in columns, and best needs one row per measurement.\n\n"+
			"To reshape the table, use Unpivot Columns in Excel (Power Query), tidyr::pivot_longer in R, or in Python\n"+
			"table.melt(id_vars=..., var_name=\"option\", value_name=\"y\"). "+
			"If only one of them is the measured value, name it in this command:\n\n  %s\n", strings.Join(d.Rewards, ", "), guessed.Line(d.Path))
		guessed.explain(w, d)
	} else if missing := guessed.missing(); missing != "" {
		fmt.Fprintf(w, "No column looks like %s. Correct the table, or write the name of the column instead of COLUMN:\n\n  %s\n",
			missing, guessed.Line(d.Path))
		guessed.explain(w, d)
	} else if err := guessed.tryReading(ctx, d.Path); err != nil {
		fmt.Fprintf(w, "No command is proposed: the program's guess of the columns fails:\n\n%v\n\nCorrect that, or name other columns.\n",
			err)
	} else {
		fmt.Fprintf(w, "A proposal:\n\n  %s\n\n%s.", guessed.Line(d.Path), goal)
		if o.Next == 0 {
			fmt.Fprint(w, " To plan 24 further measurements, add --next 24.")
		}
		fmt.Fprint(w, "\nIf small differences do not matter, add --epsilon SIZE, in the unit of the measured value. The answer then\n"+
			"needs fewer measurements. If the measured values have limits, such as 0 and 100 %, add --bounded 0,100.\n")
		guessed.explain(w, d)
	}
	if len(d.Rewards) > 1 && !wide {
		fmt.Fprintf(w, "If each of %s is a separate task, write one row per value: a column for the task, and one for "+
			"the measured value.\n", strings.Join(d.Rewards, ", "))
	}
	if len(o.Named("task"))+len(o.Named("arm"))+len(o.Named("reward")) > 0 {
		return usageError{errors.New("best needs --arm and --reward, and --task if there are several tasks")}
	}
	return nil
}

// missing says for what no column was guessed; "" if nothing is missing.
func (o *bestOptions) missing() string {
	var words []string
	for _, role := range [][2]string{{"arm", "options"}, {"reward", "measured values"}} {
		if slices.Contains(o.Named(role[0]), "COLUMN") {
			words = append(words, role[1])
		}
	}
	return strings.Join(words, " or like ")
}

// tryReading reads the table as the proposed command would, but does not choose a kernel. It returns the error.
func (o *bestOptions) tryReading(ctx context.Context, table string) error {
	call := o.Call
	call.Kernel = cmp.Or(call.Kernel, "task(identity()) * arm(identity())")
	script, err := source{name: "best", text: call.Problem(table, false)}.parse(ctx)
	if err == nil {
		_, err = dsl.NewSession(dsl.Options{Folder: "."}).Eval(ctx, script)
	}
	return blameFlags(err)
}

// explain describes the proposed columns, and says why other columns are not used.
func (o *bestOptions) explain(w io.Writer, d problem.Description) {
	if task := o.Named("task"); len(task) == 1 && task[0] == d.Task {
		fmt.Fprintf(w, "Each %s gets its own recommendation. If you can choose the %s too, write --arm %s instead of --task %s.\n",
			d.Task, d.Task, shell.Quote(d.Task), shell.Quote(d.Task))
	}
	guessed := slices.Equal(slices.Concat(o.Named("task"), o.Named("arm")), d.Units()) // for other columns, MeasuredOnce does not apply
	if once := d.MeasuredOnce(); once != "" && guessed && len(o.Named("sd"))+len(o.Named("count")) == 0 {
		fmt.Fprintf(w, "%s.\nSo chance is hard to separate from real differences. Check each --arm column: if you cannot choose its value\n"+
			"(a day, a plate), write --blocks instead; if it is only a row number, leave it out.\n", once)
	}
	if blocks := o.Named("blocks"); slices.Equal(blocks, d.Blocks) && len(blocks) > 0 {
		fmt.Fprintf(w, "Options are compared within each %s. If you can choose the value of such a column, write --arm for it.\n"+
			"If you leave such a column out, its effect counts as noise.\n", strings.Join(blocks, " and "))
	}
	named := slices.Concat(lists.Map(o.Columns, func(c bestcall.Column) []string { return c.Value })...)
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
