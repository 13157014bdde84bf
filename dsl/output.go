package dsl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/chromium"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/pandoc"
	"github.com/gonb-cope/gonb-cope/internal/base/workbook"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// Host reads and writes the files of a script. Relative paths start from Options.Folder.
type Host interface {
	// Load reads a problem, like problem.Load.
	Load(path string, k kernels.Joint, opt problem.LoadOptions) (*problem.Problem, error)
	// Gram reads a Gram matrix, like problem.LoadGram.
	Gram(path string, opt problem.LoadOptions) (problem.GramFile, error)
	// Save writes a value; the path's extension determines the format, as in save.File.
	Save(path string, v any) error
	// Store opens a store of results, like sim.OpenStore.
	Store(path string) (Store, error)
}

// Store keeps the results of finished experiments, like sim.Store. A sweep closes the store that it has opened.
type Store interface {
	// Run runs an experiment, or returns its stored result.
	Run(ctx context.Context, x sim.Experiment) (r engine.Result, stored bool, err error)
	Close() error // no result can be stored afterwards
}

// files is the Host for the local file system. It accepts a Parquet file wherever it accepts CSV.
type files struct{}

// Load reads a problem from a CSV table, or from a Parquet table that it converts to CSV.
func (files) Load(path string, k kernels.Joint, opt problem.LoadOptions) (*problem.Problem, error) {
	opt.Decode, opt.Unread = workbook.CSV, workbook.Unread
	return problem.Load(path, k, opt)
}

func (files) Gram(path string, opt problem.LoadOptions) (problem.GramFile, error) {
	opt.Decode, opt.Unread = workbook.CSV, workbook.Unread
	return problem.LoadGram(path, opt)
}

func (files) Save(path string, v any) error { return save.File(path, v) }

func (files) Store(path string) (Store, error) { return sim.OpenStore(path) }

// outputFunctions returns the functions that display, draw and write values.
func outputFunctions() []Function {
	return []Function{
		plotFunction(),
		{
			Name: "compare", Section: SectionOutput, Synonyms: []string{"versus", "table_of"}, Doc: "shows results side by side in a table",
			Params: []Param{{
				Name: "r", Types: []Type{Result, Problem}, Doc: "a result, or a problem with algorithm=",
				elsewhere: map[string]string{
					string(Sweep): `a sweep is already a table of its results: write its name alone in a line, or measures(s, y=["samples", "error"]) to choose columns`,
				},
			}},
			Variadic: "further results",
			Named: "algorithm=[…] runs r with each of these and compares the results. " +
				"For a problem, arguments of fc are also allowed, or of fb with budget or total",
			Result: Table, Example: "compare(r, b)", check: checkCompare, early: func(c *call) {
				if len(c.named) > 0 {
					checkSweep(c) // evaluates the result for each algorithm, without runs
				}
			}, eval: evalCompare,
		},
		makeFunction(Function{
			Name: "measures", Section: SectionOutput, Synonyms: []string{"columns", "select"},
			Doc: "shows chosen measures of a sweep as a table, with a row for each result",
			Params: []Param{{Name: "s", Doc: "a sweep"},
				{Name: "y", words: wordsY, Default: unset, Doc: "a measure or a list of them, as in plot; if not given, all"}},
			Result: Table, Example: `measures(s, y=["samples", "rounds"])`, early: func(c *call) {
				checkPlotOptions(c, "s", report.PlotOptions{Y: readArguments[struct{ Y []string }](c).Y})
			},
		}, nil, func(_ *call, a struct {
			S sim.Sweep
			Y []string
		}) (any, error) {
			return report.SweepMeasures(a.S, a.Y...)
		}),
		makeFunction(Function{
			Name: "field_book", Section: SectionOutput, Synonyms: []string{"fieldbook", "sheet", "worklist"},
			Doc: "lists the measurements that best proposes, one in a row, in random order within each block, with columns to fill in; save " +
				"it as .xlsx or .csv, or for paper as .pdf",
			Params: []Param{{Name: "a", Doc: "an answer of best with next="},
				{Name: "seed", Range: wholeFrom(0), Default: "1", Doc: "seed of the random order"}},
			Result: Table, Example: `field_book(best(problem(data="runs.csv", task="machine", arm=["temp", "speed"], reward="throughput"), next=24))`,
		}, nil, func(_ *call, a struct {
			A    answer.Answer
			Seed int
		}) (any, error) {
			return report.FieldBook(a.A, a.Seed), nil
		}),
		{
			Name: "save", Section: SectionOutput, Synonyms: []string{"write", "export"}, Doc: "writes a value to a file: " +
				strings.Join(save.Holding(save.Tables, save.Documents), " ") + ", figures also " + strings.Join(save.Holding(save.Drawings), " ") +
				"; a figure as .tex includes a .pdf file beside it; Chromium prints other values as .pdf",
			Params: []Param{
				{Name: "value", Doc: "what to write"},
				{Name: "path", Synonyms: []string{"file"}, Types: []Type{Text}, words: wordsOutput,
					Doc: "the path of the file, relative to the script; its extension selects the format"},
			},
			Result: Nothing, Example: `save(s, "fc.csv")`, early: checkSave,
			eval: func(c *call) (any, error) {
				if err := saveTo(c, "path", c.arg("value").value); err != nil {
					return nil, err
				}
				return value{Type: Nothing}, nil
			},
		},
		{
			Name: "show", Section: SectionOutput, Synonyms: []string{"display"}, Doc: "displays a value; a name alone in a line does the same",
			Params: []Param{{Name: "value", Doc: "what to show"}}, Result: anything, Example: "show(r)", pure: true,
			eval: func(c *call) (any, error) { return c.args[0].value, nil },
		},
		{
			Name: "clear", Section: SectionOutput, Synonyms: []string{"clear_output"},
			Doc:    "clears what the cell has shown so far; outside a notebook it does nothing",
			Result: Nothing, Example: "clear()",
			eval: func(c *call) (any, error) {
				if clear := c.e.session.opt.Clear; clear != nil {
					clear()
				}
				return value{Type: Nothing}, nil
			},
		},
		printFunction(),
	}
}

// saveTo writes a value to the file that the argument param names. It converts a list to Go values first. It returns an
// error if a work list would overwrite results that a person has entered in the file.
func saveTo(c *call, param string, v value) error {
	data := v.Data
	if v.Type == List {
		data = v.items()
	}
	if l, ok := data.(campaign.List); ok { // the file may be a sheet with results that a person has entered
		// A file that does not exist has no results to protect.
		sheet, err := os.ReadFile(c.e.session.path(c.text(param)))
		if err == nil {
			err = l.Unsaved(c.e.ctx, filepath.Base(c.text(param)), sheet)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &argumentError{param: param, message: "save: nothing was written", err: err}
		}
	}
	if err := c.e.session.opt.Host.Save(c.e.session.path(c.text(param)), data); err != nil {
		return &argumentError{param: param, message: fmt.Sprintf("cannot save to %q", c.text(param)), err: err}
	}
	return nil
}

// checkPlot reports options and a file extension that plot would reject, before any run. It tests a value that has the
// same axes but no data, see sampleOf.
func checkPlot(c *call) {
	defer checkEnding(c, "file")
	o := readArguments[plotArgs](c).options()
	for _, name := range []string{"xlim", "ylim"} {
		list, given := c.arg(name).Data.([]value)
		if _, numbers := every[float64](list); given && !numbers {
			c.refuse(c.arg(name), "write "+name+"=[0, 10]", "%s is a list of %d; it must be two numbers, the lower one first", name, len(list))
		}
	}
	if c.arg("where").Node != nil {
		o.Where = &problem.Problem{} // its data are not known yet
	}
	checkPlotOptions(c, "value", o)
}

// checkPlotOptions reports options that plot would reject for the value of an argument. Options that are not known yet are not
// set in o.
func checkPlotOptions(c *call, of string, o report.PlotOptions) {
	sample := sampleOf(c.arg(of))
	if !checkMeasures(c) || sample == nil { // nil: the type of the value is unknown
		return
	}
	for _, wrong := range report.CheckPlot(sample, o) {
		refuseOption(c, wrong)
	}
}

// checkCompare reports arguments that cannot be compared.
func checkCompare(c *call) {
	varied := slices.ContainsFunc(c.named, func(a argument) bool { return a.Name == "algorithm" })
	p, found := lists.First(append(c.args[:1:1], c.rest...), func(a argument) bool { return a.Type == Problem })
	switch {
	case found && !varied:
		c.fail(p, "compare: a problem has no results, so it needs the algorithms to run",
			fmt.Sprintf(`write compare(%s, algorithm=["CoTestFC", "CoKernelFC"]), or results of fc or fb`, c.e.st.Text(p.Node)))
	case len(c.named) > 0 && len(c.rest) > 0:
		c.fail(c.rest[0], "compare: algorithm= runs one result or problem, and several are given", "leave out the others, or algorithm=")
	case c.args[0].Type == Result:
		if a, is := lists.First(c.named, func(a argument) bool { return a.Name != "algorithm" }); is {
			c.e.fail(a.key, Table, fmt.Sprintf("compare varies the algorithm only, and this is %s", a.Name),
				fmt.Sprintf("write sweep(%s, %s=[…])", c.e.st.Text(c.args[0].Node), a.Name))
		}
	}
}

// evalCompare returns a table that compares the given results. With algorithm=, it makes runs of one result or problem
// with each algorithm and compares them.
func evalCompare(c *call) (any, error) {
	if len(c.named) > 0 {
		s, err := runSweep(c, "", "")
		made, _ := s.(sim.Sweep)
		if len(made.Rows) == 0 {
			return nil, err
		}
		return report.Compare(lists.Map(made.Rows, func(r sim.SweepRow) engine.Result { return r.Result })), err
	}
	// The first result is the first argument; the other results are further arguments.
	found := []engine.Result{c.args[0].Data.(engine.Result)}
	found = append(found, lists.Map(c.rest, func(a argument) engine.Result { return a.Data.(engine.Result) })...)
	return report.Compare(found), nil
}

// checkMeasures reports elements of the argument y that are not texts, and then returns false.
func checkMeasures(c *call) bool {
	y := c.arg("y")
	if list, ok := y.Data.([]value); !ok || len(list) > 0 && len(texts(y.value)) == len(list) {
		return true
	}
	c.refuse(y, `write y="samples", or y=["samples", "lower_bound"]`, "y is a list; it must be a list of texts, at least one")
	return false
}

// sampleOf returns a value with the same axes as the value of an argument. This is the value itself if known, and
// otherwise an empty value of its type. It returns nil if the type is unknown, or for a list with elements other than
// results.
func sampleOf(a argument) any {
	switch data := a.Data.(type) {
	case nil: // only the type is known, or nothing
	case []value:
		if found, err := results(data); err == nil {
			return found
		}
		return nil
	default:
		return data
	}
	switch a.Type {
	// The sample has the swept names of the outline, and all measures.
	case Sweep:
		if o := a.sweepOutline(); o != nil {
			return sim.Sweep{Names: o.names}
		}
	case List:
		return []engine.Result{}
	}
	return a.Type.zero() // an empty value, or nil if package kinds does not list the type
}

// checkSave reports a path that save would reject. Only the type of the value matters for the format, not its contents.
func checkSave(c *call) {
	if !checkEnding(c, "path") {
		return
	}
	v, path := c.arg("value"), c.arg("path")
	// asked reports whether a file with this extension can contain the given kind of content.
	asked := func(held save.Holds) bool {
		return slices.Contains(save.Holding(held), strings.ToLower(filepath.Ext(c.text("path"))))
	}
	const instead = "save it as .txt, .md, .html, .pdf, .tex or .json"
	// A list, or a value of unknown type, may contain values that have a figure.
	mayBeDrawn := v.Type.isDrawn() || slices.Contains([]Type{List, Figure, Rewards, Algorithm, Nothing, anything}, v.Type)
	if !mayBeDrawn && strings.ToLower(filepath.Ext(c.text("path"))) == ".pdf" { // a browser prints a value without a figure
		if _, err := chromium.Find(); err != nil {
			c.fail(path, fmt.Sprintf("cannot save to %q: a browser is missing", c.text("path")), err.Error())
		}
	} else if !mayBeDrawn && asked(save.Drawings) {
		c.fail(path, fmt.Sprintf("%s cannot be drawn", v.Type.a()), instead)
	} else if v.Type.isKernel() && asked(save.Tables) {
		c.fail(path, fmt.Sprintf("%s has no rows and columns", v.Type.a()), instead)
	}
}

// checkEnding reports a path with an extension that save does not support, and then returns false. It returns true if the
// argument is not given.
func checkEnding(c *call, param string) bool {
	a := c.arg(param)
	path, given := a.Data.(string)
	if !given {
		return true
	}
	switch err := save.CheckEnding(path); {
	case err == nil:
		return checkFolder(c, a, path)
	case errors.Is(err, pandoc.ErrMissing):
		c.fail(a, fmt.Sprintf("cannot save to %q: pandoc is not installed", path), pandoc.ErrMissing.Error())
		return false
	}
	c.fail(a, fmt.Sprintf("cannot save to %q: the extension selects the format", path), "use one of "+strings.Join(save.Endings(), " "))
	return false
}

// checkFolder reports an output path whose folder does not exist, before any run.
func checkFolder(c *call, a argument, path string) bool {
	folder := filepath.Dir(c.e.session.path(path))
	if _, ok := c.e.session.opt.Host.(files); !ok { // another Host has its own folders
		return true
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) { // save itself reports other errors
		return true
	}
	c.fail(a, fmt.Sprintf("cannot save to %q: the folder %q does not exist", path, filepath.Dir(path)), "")
	return false
}
