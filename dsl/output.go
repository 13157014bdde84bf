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
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// Host reads and writes the files of a script. Paths are as in the script, relative ones below
// Options.Folder.
// A host that does not write, as of a worker, answers with errors.
type Host interface {
	// Load reads a problem, as problem.Load.
	Load(path string, k kernels.Joint, opt problem.LoadOptions) (*problem.Problem, error)
	// Gram reads a Gram matrix, as problem.LoadGram.
	Gram(path string, opt problem.LoadOptions) (problem.GramFile, error)
	// Save writes a value in the format that the extension of the path names, as
	// save.File.
	Save(path string, v any) error
	// Store opens a store of results, as sim.OpenStore.
	Store(path string) (Store, error)
}

// Store keeps the results of finished experiments, as sim.Store.
// It is used by one sweep, and closed at its end.
type Store interface {
	// Run makes the runs of an experiment, or takes its result from the store.
	Run(ctx context.Context, x sim.Experiment) (r engine.Result, stored bool, err error)
	// Has reports whether the store has the result of an experiment.
	Has(ctx context.Context, x sim.Experiment) (bool, error)
	// Keep stores the result of an experiment all of whose runs finished.
	Keep(ctx context.Context, x sim.Experiment, r engine.Result) error
	Close() error // nothing is kept after it
}

// files is the file system.
// It reads Parquet wherever it reads CSV.
type files struct{}

// Load reads a table as CSV, and one that is Parquet as the CSV that it would be.
func (files) Load(path string, k kernels.Joint, opt problem.LoadOptions) (*problem.Problem, error) {
	opt.Decode = parquet.CSV
	return problem.Load(path, k, opt)
}

func (files) Gram(path string, opt problem.LoadOptions) (problem.GramFile, error) {
	opt.Decode = parquet.CSV
	return problem.LoadGram(path, opt)
}

func (files) Save(path string, v any) error { return save.File(path, v) }

func (files) Store(path string) (Store, error) { return sim.OpenStore(path) }

// outputFunctions returns the functions that show, draw and write values.
func outputFunctions() []Function {
	return []Function{
		plotFunction(),
		{
			Name: "compare", Section: SectionOutput, Synonyms: []string{"versus", "table_of"}, Doc: "results side by side",
			Params: []Param{{
				Name: "r", Types: []Type{Result}, Doc: "a result",
				elsewhere: map[string]string{
					string(Problem): `compare(fb(p, budget=12), fb(p, budget=12, algorithm="CoUniformFB")) sets results of runs side by side`,
					string(Sweep):   `a sweep shows its results side by side by itself: write its name alone, or measures(s, y=["samples", "error"]) for chosen columns`,
				},
			}},
			Variadic: "further results", Result: Table, Example: "compare(r, b)",
			eval: func(c *call) (any, error) {
				// The first one is the parameter, the others are further arguments.
				found := []engine.Result{c.args[0].Data.(engine.Result)}
				found = append(found, lists.Map(c.rest, func(a argument) engine.Result { return a.Data.(engine.Result) })...)
				return report.Compare(found), nil
			},
		},
		bound(Function{
			Name: "measures", Section: SectionOutput, Synonyms: []string{"columns", "select"},
			Doc:    "chosen measures of a sweep as a table, a row for each result",
			Params: []Param{{Name: "s", Doc: "a sweep"}, {Name: "y", words: wordsY, Doc: "a measure or a list of them, as in plot"}},
			Result: Table, Example: `measures(s, y=["samples", "rounds"])`, early: func(c *call) {
				if checkMeasures(c) {
					checkY(c, sampleOf(c.arg("s")), "", stated[struct{ Y []string }](c).Y)
				}
			},
		}, nil, func(_ *call, a struct {
			S sim.Sweep
			Y []string
		}) (any, error) {
			return report.SweepMeasures(a.S, a.Y...)
		}),
		{
			Name: "save", Section: SectionOutput, Synonyms: []string{"write", "export"}, Doc: "writes a value to a file: " +
				strings.Join(save.Holding(save.Tables, save.Documents), " ") + ", figures also " + strings.Join(save.Holding(save.Drawings), " ") +
				"; .tex of a figure is pgfplots and writes its .dat",
			Params: []Param{
				{Name: "value", Doc: "what to write"},
				{Name: "path", Synonyms: []string{"file"}, Types: []Type{Text}, words: wordsOutput,
					Doc: "the file, relative to the script; its extension says the format"},
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
			Name: "show", Section: SectionOutput, Synonyms: []string{"display"}, Doc: "displays a value; a name alone does the same",
			Params: []Param{{Name: "value", Doc: "what to show"}}, Result: anything, Example: "show(r)", pure: true,
			eval: func(c *call) (any, error) { return c.args[0].value, nil },
		},
		{
			Name: "clear", Section: SectionOutput, Synonyms: []string{"clear_output"},
			Doc:    "clears what the cell has shown so far; outside of notebooks it does nothing",
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

// saveTo writes a value to the file that a parameter names.
// A list becomes Go values, and a work list that would overwrite results is refused.
func saveTo(c *call, param string, v value) error {
	data := v.Data
	if v.Type == List {
		data = v.items()
	}
	if l, ok := data.(campaign.List); ok { // the file may be the sheet that somebody filled in
		// A file that cannot be read holds no results.
		if sheet, err := os.ReadFile(c.e.session.path(c.text(param))); err == nil {
			if err := l.Unsaved(c.e.ctx, filepath.Base(c.text(param)), sheet); err != nil {
				return &argumentError{param: param, message: "save: nothing was written", err: err}
			}
		}
	}
	if err := c.e.session.opt.Host.Save(c.e.session.path(c.text(param)), data); err != nil {
		return &argumentError{param: param, message: fmt.Sprintf("cannot save to %q", c.text(param)), err: err}
	}
	return nil
}

// checkPlot finds an x, a y, a panel or a file ending that plot would refuse, before
// hours of runs are spent on what it is to draw.
// It works on a sample of the value, which has its axes and no data. The ending is checked in any case.
func checkPlot(c *call) {
	defer checkEnding(c, "file")
	if !checkMeasures(c) {
		return
	}
	a := stated[plotArgs](c)
	sample := sampleOf(c.arg("value"))
	if sample == nil { // nothing is known of the value
		return
	}
	if a.Posterior {
		checkPosterior(c)
		return
	}
	if at := c.arg("where"); at.Node != nil {
		// Only a result has rounds in which arms were open.
		if v := c.arg("value"); v.Type != Result && v.Type != anything {
			c.fail(at, fmt.Sprintf("plot: where is a problem; it is for one result of fc or fb, and this is %s", v.Type.a()), "")
		}
		return // the names of features are in the data
	}
	// Names of axes are compared before the figure, which is drawn when the values are there.
	xs, _ := report.Axes(sample, "")
	checkLayout(c, a, sample)
	// a sweep whose names are not known has none
	if len(xs) > 0 && !offered(c, "x", c.arg("x"), xs) || !checkY(c, sample, a.X, a.Y) {
		return
	}
	if s, ok := sample.(sim.Sweep); ok && len(s.Names) > 0 {
		offered(c, "panel", c.arg("panel"), s.Names)
	}
}

// checkY reports a measure that a value of this kind does not have.
// The y of some kinds depend on x.
func checkY(c *call, sample any, x string, measures []string) bool {
	_, ys := report.Axes(sample, x)
	y := c.arg("y")
	for i := range measures {
		if at := c.element(y, i); len(ys) > 0 && !offered(c, "y", at, ys) {
			return false
		}
	}
	return true
}

// checkMeasures reports a list for y that is not one of texts.
// It is asked first, since measures could not be compared with it.
func checkMeasures(c *call) bool {
	y := c.arg("y")
	if list, ok := y.Data.([]value); !ok || len(list) > 0 && len(texts(y.value)) == len(list) {
		return true
	}
	c.refuse(y, `write y="samples", or y=["samples", "lower_bound"]`, "y is a list; it must be a list of texts, at least one")
	return false
}

// offered reports whether an argument is one of the words that a parameter takes here,
// and says which those are when it is not.
// An argument without a text passes: it is not given, or has another mistake.
func offered(c *call, param string, a argument, words []string) bool {
	word, given := a.Data.(string)
	if !given || slices.Contains(words, word) {
		return true
	}
	quoted := lists.Map(words, func(w string) string { return fmt.Sprintf("%q", w) })
	hint := ""
	if best := nearest(word, words); best != "" {
		hint = suggest(word, words)
	}
	c.refuse(a, hint, "%s is %q; here it must be %s", param, word, orList(quoted))
	return false
}

// sampleOf returns a value with the axes that an argument will have: the argument itself where it is
// known, else one of its type; nil where nothing can be said.
// A list that is not one of results has no axes.
func sampleOf(a argument) any {
	switch data := a.Data.(type) {
	case nil: // known by its type, or not at all
	case []value:
		if found, err := results(data); err == nil {
			return found
		}
		return nil
	default:
		return data
	}
	switch a.Type {
	// A sweep has its names from the outline, and every measure there is.
	case Sweep:
		if o := a.sweepOutline(); o != nil {
			return sim.Sweep{Names: o.names}
		}
	case List:
		return []engine.Result{}
	}
	return a.Type.zero() // an empty value of the kind; nil of a type that has none
}

// checkSave finds a file that save would refuse.
// Whether the value can be written in a format is known by its type; what it holds does not matter.
func checkSave(c *call) {
	if !checkEnding(c, "path") {
		return
	}
	v, path := c.arg("value"), c.arg("path")
	// Whether the ending of the path says a format that can hold this.
	asked := func(held save.Holds) bool {
		return slices.Contains(save.Holding(held), strings.ToLower(filepath.Ext(c.text("path"))))
	}
	const instead = "save it as .txt, .md, .html, .tex or .json"
	// Lists and values of no known type may hold something that can be drawn.
	mayBeDrawn := v.Type.isDrawn() || slices.Contains([]Type{List, Figure, Rewards, Nothing, anything}, v.Type)
	if !mayBeDrawn && asked(save.Drawings) {
		c.fail(path, fmt.Sprintf("%s cannot be drawn", v.Type.a()), instead)
	} else if v.Type.isKernel() && asked(save.Tables) {
		c.fail(path, fmt.Sprintf("%s has no rows and columns", v.Type.a()), instead)
	}
}

// checkEnding reports whether values can be saved to the file that a parameter names.
// A parameter that is not given is right.
func checkEnding(c *call, param string) bool {
	a := c.arg(param)
	path, given := a.Data.(string)
	if !given {
		return true
	}
	if save.CheckEnding(path) == nil {
		return checkFolder(c, a, path)
	}
	c.fail(a, fmt.Sprintf("cannot save to %q: the ending says the format", path), "one of "+strings.Join(save.Endings(), " "))
	return false
}

// checkFolder reports a file in a folder that does not exist, before runs are spent on
// what it is to hold.
func checkFolder(c *call, a argument, path string) bool {
	folder := filepath.Dir(c.e.session.path(path))
	if _, ok := c.e.session.opt.Host.(files); !ok { // another host has folders of its own
		return true
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) { // other errors, as of permissions, are told by the writing
		return true
	}
	c.fail(a, fmt.Sprintf("cannot save to %q: there is no folder %q", path, filepath.Dir(path)), "")
	return false
}
