package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/front/jupyter"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
)

// RunOptions say how a notebook is executed. The zero value works.
type RunOptions struct {
	// for each cell, which is then interrupted and has failed; 0 is never
	Timeout      time.Duration
	Grace        time.Duration // how long an interrupted cell may take to end; 0 is 10 s
	AllowErrors  bool          // a cell that fails does not end the run
	RecordTiming bool          // write when each cell began and ended into its metadata

	// Saved is called after each cell with the notebook so far; its error ends the run.
	Saved func(*notebook.Notebook) error
	// Progress is called before the first cell and after each one, with how many of the
	// cells to execute are done.
	Progress func(done, cells int, elapsed time.Duration)
}

// The tags of cells that change their execution, as in nbclient.
const (
	tagRaises = "raises-exception" // the cell is expected to fail
	tagSkip   = "skip-execution"   // the cell is not executed and keeps its outputs
)

// Run executes the code cells of a notebook in order, except empty ones and those with
// the tag skip-execution, and writes outputs, counts, the kernelspec and the language
// into it. Outputs of earlier runs are removed before.
//
// A cell that fails ends the run with a CellError, unless AllowErrors or the tag
// raises-exception allows it; so do a cell that takes too long, the end of the context
// and the death of the kernel. What was finished stays in the notebook then, the
// outputs of the last cell included.
func Run(ctx context.Context, nb *notebook.Notebook, k *Kernel, opt RunOptions) error {
	r := &run{nb: nb, kernel: k, opt: opt, collector: newCollector(nb, opt.RecordTiming)}
	cells := r.prepare()
	began := time.Now()
	for done := 0; ; done++ {
		if opt.Progress != nil {
			opt.Progress(done, len(cells), time.Since(began))
		}
		if done == len(cells) {
			return nil
		}
		err := r.cell(ctx, cells[done])
		if opt.Saved != nil {
			if unsaved := opt.Saved(nb); unsaved != nil {
				err = errors.Join(err, unsaved)
			}
		}
		if err != nil {
			return err
		}
	}
}

// run is the state of one Run.
type run struct {
	nb        *notebook.Notebook
	kernel    *Kernel
	opt       RunOptions
	collector *collector
}

// prepare writes what the notebook says about its kernel, removes old outputs, and
// returns the cells to execute.
func (r *run) prepare() []int {
	if r.nb.Metadata == nil {
		r.nb.Metadata = map[string]any{}
	}
	if spec := r.kernel.Spec; spec.Name != "" {
		r.nb.Metadata["kernelspec"] = map[string]any{"name": spec.Name, "display_name": spec.DisplayName, "language": spec.Language}
	}
	if name, _ := r.kernel.Info.Language["name"].(string); name != "" {
		r.nb.Metadata["language_info"] = r.kernel.Info.Language
	}
	var cells []int
	for i := range r.nb.Cells {
		c := &r.nb.Cells[i]
		if c.Type != notebook.Code || c.HasTag(tagSkip) {
			continue
		}
		c.Outputs, c.ExecutionCount = nil, 0
		delete(c.Metadata, "execution")
		if strings.TrimSpace(c.Source) != "" {
			cells = append(cells, i)
		}
	}
	return cells
}

// cell executes one cell.
func (r *run) cell(ctx context.Context, i int) error {
	if ctx.Err() != nil {
		return r.failure(i, CellError{Err: context.Cause(ctx)})
	}
	cell, c := &r.nb.Cells[i], r.collector
	allowed := r.opt.AllowErrors || cell.HasTag(tagRaises)
	c.begin(i)
	var malformed error
	reply, err := r.kernel.Execute(ctx, cell.Source, ExecuteOptions{
		Timeout: r.opt.Timeout, Grace: r.opt.Grace, StopOnError: !allowed, CellID: cell.ID,
		Output: func(m *jupyter.Message) {
			if err := c.apply(m.Header.Type, m.Content, time.Now()); malformed == nil {
				malformed = err
			}
		},
	})
	if reply.Status != "" {
		c.mark("shell.execute_reply", time.Now())
	}
	if reply.ExecutionCount > 0 {
		cell.ExecutionCount = reply.ExecutionCount
	}
	if err = cmp.Or(err, malformed); err != nil {
		r.show("Stopped", err.Error(), nil)
		// A cell that was stopped in time has failed like any other, and the kernel goes on.
		var late *TimeoutError
		if reply.Status != "" && errors.As(err, &late) && allowed {
			return nil
		}
		return r.failure(i, CellError{Err: err})
	}
	if reply.Status == "ok" {
		return nil
	}
	if reply.Status != "error" {
		reply.ErrorName, reply.ErrorValue = "Aborted", fmt.Sprintf("the kernel did not execute the cell (%s)", reply.Status)
	}
	r.show(reply.ErrorName, reply.ErrorValue, reply.Traceback)
	if allowed {
		return nil
	}
	return r.failure(i, CellError{Name: reply.ErrorName, Value: reply.ErrorValue, Traceback: reply.Traceback})
}

// show makes a failure visible in the notebook if the kernel did not.
func (r *run) show(name, value string, traceback []string) {
	if r.collector.failed() {
		return
	}
	if len(traceback) == 0 {
		traceback = []string{name + ": " + value}
	}
	r.collector.add(notebook.Output{Type: notebook.Error, ErrorName: name, ErrorValue: value, Traceback: traceback})
}

// failure adds to an error which cell it is.
func (r *run) failure(i int, e CellError) error {
	e.Cell = i + 1
	for _, c := range r.nb.Cells[:e.Cell] {
		if c.Type == notebook.Code {
			e.CodeCell++
		}
	}
	return &e
}
