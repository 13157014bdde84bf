package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// ExecuteOptions state how code is executed. The zero value works.
type ExecuteOptions struct {
	Timeout     time.Duration // after which it is interrupted; 0 is never
	Grace       time.Duration // how long an interrupted execution may take to end; 0 is 10 s
	Silent      bool          // no history, no count
	StopOnError bool          // an error discards the executions that were sent after this one
	CellID      string        // of the notebook cell that holds the code

	// Input answers when the code asks the user; nil: the kernel is sent allow_stdin = false. An
	// error interrupts the execution.
	Input func(prompt string, password bool) (string, error)
	// Output gets what the execution publishes on iopub, in order: streams, displays,
	// errors, states. It may be nil.
	Output func(*jupyter.Message)
}

// graceTime is the default of ExecuteOptions.Grace.
const graceTime = 10 * time.Second

// outputTime limits the wait for output after the reply and after each output that comes later.
// Kernels that never state that they are idle cost it for each cell; nbclient's iopub_timeout is 4 s,
// which a busy machine can pass.
const outputTime = 10 * time.Second

// Reply holds how an execution ended.
type Reply struct {
	Status         string   `json:"status"` // ok, error or aborted
	ExecutionCount int      `json:"execution_count"`
	ErrorName      string   `json:"ename"`
	ErrorValue     string   `json:"evalue"`
	Traceback      []string `json:"traceback"`
}

// Execute executes code and waits until the kernel has replied and all output has
// arrived. Code that fails is a Reply with its error. The error states that the
// execution did not run to its end: it took too long (TimeoutError), the context
// ended, or the kernel died. When it stopped after an interrupt, its Reply is there too.
func (k *Kernel) Execute(ctx context.Context, code string, opt ExecuteOptions) (Reply, error) {
	m := k.client.Session().New("execute_request", nil, map[string]any{
		"code": code, "silent": opt.Silent, "store_history": !opt.Silent, "user_expressions": struct{}{},
		"allow_stdin": opt.Input != nil, "stop_on_error": opt.StopOnError,
	})
	if opt.CellID != "" {
		// the key of JupyterLab
		m.Metadata, _ = json.Marshal(map[string]string{"cellId": opt.CellID})
	}
	e := &execution{kernel: k, opt: opt, request: k.calls.Open(m), refused: make(chan error)}
	defer k.calls.Drop(e.request)
	k.client.Send(jupyter.ShellChannel, m)
	err := e.wait(ctx)
	return e.reply, err
}

// execution is the state of one Execute.
type execution struct {
	kernel  *Kernel
	opt     ExecuteOptions
	request *jupyter.Call
	refused chan error // by Input

	reply   Reply
	replied bool
	idle    bool
	stopped error            // why it was interrupted; nil while it was not
	limit   <-chan time.Time // until when to wait, once interrupted or replied
}

// wait handles messages until the execution has ended.
func (e *execution) wait(ctx context.Context) error {
	cancelled := ctx.Done()
	var timeout <-chan time.Time
	if e.opt.Timeout > 0 {
		timeout = time.After(e.opt.Timeout)
	}
	for !e.replied || !e.idle {
		select {
		case a := <-e.request.Arrivals:
			if err := e.take(a); err != nil {
				return err
			}
		case <-timeout:
			e.interrupt(&TimeoutError{e.opt.Timeout})
		case <-cancelled:
			e.interrupt(context.Cause(ctx))
			cancelled = nil
		case err := <-e.refused:
			e.interrupt(fmt.Errorf("input: %w", err))
		case <-e.limit:
			if e.replied {
				return e.stopped
			}
			return &UnresponsiveError{e.grace(), e.stopped}
		case <-e.kernel.failed:
			return e.last()
		}
	}
	return e.stopped
}

// last handles the last messages of a kernel that has died, which have all arrived, and returns why it
// died.
func (e *execution) last() error {
	for {
		select {
		case a := <-e.request.Arrivals:
			if err := e.take(a); err != nil {
				return err
			}
		default:
			return e.kernel.failure
		}
	}
}

func (e *execution) grace() time.Duration { return cmp.Or(e.opt.Grace, graceTime) }

// interrupt stops the execution for a reason; only the first one counts, and none
// once the kernel has replied.
func (e *execution) interrupt(why error) {
	if e.replied || e.stopped != nil {
		return
	}
	e.stopped, e.limit = why, time.After(e.grace())
	e.kernel.Interrupt()
}

// take handles one message of the execution.
func (e *execution) take(a jupyter.Arrival) error {
	switch {
	case a.Channel == jupyter.IOPubChannel:
		if e.opt.Output != nil {
			e.opt.Output(a.Message)
		}
		e.idle = e.idle || a.Idle()
		if e.replied {
			e.limit = time.After(outputTime)
		}
	case a.Message.Header.Type == "input_request":
		return e.ask(a.Message)
	case a.Reply() && !e.replied:
		e.replied, e.limit = true, time.After(outputTime)
		return decode(a.Message, &e.reply)
	}
	return nil
}

// ask answers a question of the code. The user may take any time, so it is not
// waited for here.
func (e *execution) ask(question *jupyter.Message) error {
	var q struct {
		Prompt   string `json:"prompt"`
		Password bool   `json:"password"`
	}
	if err := decode(question, &q); err != nil {
		return err
	}
	answer := func(content map[string]string) {
		e.kernel.client.Send(jupyter.StdinChannel, e.kernel.client.Session().New("input_reply", question, content))
	}
	if e.opt.Input == nil { // a kernel that asks although input was declared unavailable
		answer(map[string]string{"status": "error", "ename": "StdinNotAvailable", "evalue": "no input is available", "value": ""})
		return nil
	}
	go func() {
		text, err := e.opt.Input(q.Prompt, q.Password)
		if err == nil {
			answer(map[string]string{"status": "ok", "value": text})
			return
		}
		select {
		case e.refused <- err:
		case <-e.request.Done:
		}
	}()
	return nil
}

// TimeoutError states that an execution was interrupted because it took too long.
type TimeoutError struct{ Limit time.Duration }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("took longer than %v and was interrupted", e.Limit)
}

// UnresponsiveError states that an execution continued although it was interrupted. The
// kernel cannot be used any more.
type UnresponsiveError struct {
	Grace time.Duration // how long the end was awaited
	Cause error         // why it was interrupted
}

func (e *UnresponsiveError) Error() string {
	return fmt.Sprintf("%v; the kernel still did not answer %v later", e.Cause, e.Grace)
}

// Unwrap returns why the execution was interrupted.
func (e *UnresponsiveError) Unwrap() error { return e.Cause }

// CellError says which cell of a notebook ended its run, and why.
type CellError struct {
	Cell     int // among all cells, from 1
	CodeCell int // among the code cells, from 1

	Name      string   // name of the error in the cell's language, such as NameError; "" when Err is set
	Value     string   // its message
	Traceback []string // its lines, with terminal colours

	// why there is no such error: a TimeoutError, an end of the context, a kernel that died
	Err error
}

func (e *CellError) Error() string {
	place := fmt.Sprintf("cell %d (code cell %d): ", e.Cell, e.CodeCell)
	switch {
	case e.Err != nil:
		return place + e.Err.Error()
	case e.Value == "":
		return place + e.Name
	}
	return place + e.Name + ": " + e.Value
}

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }

// plainJSON says without the names of Go types which value has the wrong type.
func plainJSON(err error) error {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return err
	}
	if mismatch.Field == "" {
		return fmt.Errorf("it cannot be a %s", mismatch.Value)
	}
	return fmt.Errorf("%s cannot be a %s", mismatch.Field, mismatch.Value)
}

// RunOptions state how a notebook is executed. The zero value works.
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
		// A cell that was stopped in time has failed like any other, and the kernel continues.
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
	if slices.ContainsFunc(r.collector.target().Outputs, func(o notebook.Output) bool { return o.Type == notebook.Error }) {
		return
	}
	if len(traceback) == 0 {
		traceback = []string{name + ": " + value}
	}
	r.collector.add(notebook.Output{Type: notebook.Error, ErrorName: name, ErrorValue: value, Traceback: traceback})
}

func (r *run) failure(i int, e CellError) error {
	e.Cell = i + 1
	e.CodeCell += lists.Count(r.nb.Cells[:e.Cell], func(c notebook.Cell) bool { return c.Type == notebook.Code })
	return &e
}
