package dsl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// Host reads and writes the files of a script. Paths are as in the script, relative ones below
// Options.Folder.
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
type Store interface {
	Run(ctx context.Context, x sim.Experiment) (r engine.Result, stored bool, err error)
	// Has reports whether the store has the result of an experiment.
	Has(ctx context.Context, x sim.Experiment) (bool, error)
	// Keep stores the result of an experiment all of whose runs finished.
	Keep(ctx context.Context, x sim.Experiment, r engine.Result) error
	Close() error
}

// files is the file system.
type files struct{}

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
				elsewhere: map[string]string{string(Sweep): `a sweep shows its results side by side by itself: write its name alone, or measures(s, y=["samples", "error"]) for chosen columns`},
			}},
			Variadic: "further results", Result: Table, Example: "compare(r, b)",
			eval: func(c *call) (any, error) {
				found := []engine.Result{c.args[0].Data.(engine.Result)}
				for _, a := range c.rest {
					found = append(found, a.Data.(engine.Result))
				}
				return report.Compare(found), nil
			},
		},
		bound(Function{
			Name: "measures", Section: SectionOutput, Synonyms: []string{"columns", "select"}, Doc: "chosen measures of a sweep as a table, a row for each result",
			Params: []Param{{Name: "s", Doc: "a sweep"}, {Name: "y", words: wordsY, Doc: "a measure or a list of them, as in plot"}},
			Result: Table, Example: `measures(s, y=["samples", "rounds"])`, early: checkColumns,
		}, nil, func(_ *call, a struct {
			S sim.Sweep
			Y []string
		}) (any, error) {
			return report.SweepMeasures(a.S, a.Y...)
		}),
		{
			Name: "save", Section: SectionOutput, Synonyms: []string{"write", "export"}, Doc: "writes a value to a file: " + strings.Join(save.Holding(save.Tables, save.Documents), " ") + ", figures also " + strings.Join(save.Holding(save.Drawings), " ") + "; .tex of a figure is pgfplots and writes its .dat",
			Params: []Param{
				{Name: "value", Doc: "what to write"},
				{Name: "path", Synonyms: []string{"file"}, Types: []Type{Text}, words: wordsOutput, Doc: "the file, relative to the script; its extension says the format"},
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
			Name: "clear", Section: SectionOutput, Synonyms: []string{"clear_output"}, Doc: "clears what the cell has shown so far; outside of notebooks it does nothing",
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
func saveTo(c *call, param string, v value) error {
	data := v.Data
	if v.Type == List {
		data = v.items()
	}
	if l, ok := data.(campaign.List); ok {
		if sheet, err := os.ReadFile(c.e.session.path(c.text(param))); err == nil {
			if err := l.Unsaved(filepath.Base(c.text(param)), sheet); err != nil {
				return &argumentError{param: param, message: "save: nothing was written", err: err}
			}
		}
	}
	if err := c.e.session.opt.Host.Save(c.e.session.path(c.text(param)), data); err != nil {
		return &argumentError{param: param, message: fmt.Sprintf("cannot save to %q", c.text(param)), err: err}
	}
	return nil
}
