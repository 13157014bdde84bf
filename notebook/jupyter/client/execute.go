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
	Timeout     time.Duration // after this time the execution is interrupted; 0 means never
	Grace       time.Duration // limit for an interrupted execution to end; 0 means 10 s
	Silent      bool          // the execution is not counted and not stored in the history
	StopOnError bool          // after an error, the kernel aborts requests that were sent later
	CellID      string        // ID of the notebook cell with the code

	// Input returns the user's answer to a prompt of the code. If it is nil, the kernel gets allow_stdin = false. If it
	// returns an error, the execution is interrupted.
	Input func(prompt string, password bool) (string, error)
	// Output receives each message that the execution publishes on iopub, in order: streams, displays, errors, states. It
	// may be nil.
	Output func(*jupyter.Message)
}

// graceTime is the default of ExecuteOptions.Grace.
const graceTime = 10 * time.Second

// outputTime limits the wait for further output after the reply. The limit begins again with each output. A kernel that
// never publishes the status idle costs this time per cell. nbclient's iopub_timeout of 4 s is too short for a busy
// machine.
const outputTime = 10 * time.Second

// Reply is the content of an execute_reply.
type Reply struct {
	Status         string   `json:"status"` // ok, error or aborted
	ExecutionCount int      `json:"execution_count"`
	ErrorName      string   `json:"ename"`
	ErrorValue     string   `json:"evalue"`
	Traceback      []string `json:"traceback"`
}

// Execute executes code and waits for the kernel's reply and all output. If the code fails, the Reply contains the failure
// and the error is nil. The error is not nil if the execution did not finish: it took too long (TimeoutError), the context
// ended, or the kernel died. If the code stopped after an interrupt, the Reply is also valid.
func (k *Kernel) Execute(ctx context.Context, code string, opt ExecuteOptions) (Reply, error) {
	m := k.client.Session().New("execute_request", nil, map[string]any{
		"code": code, "silent": opt.Silent, "store_history": !opt.Silent, "user_expressions": struct{}{},
		"allow_stdin": opt.Input != nil, "stop_on_error": opt.StopOnError,
	})
	if opt.CellID != "" {
		// JupyterLab uses this key
		m.Metadata, _ = json.Marshal(map[string]string{"cellId": opt.CellID})
	}
	e := &execution{kernel: k, opt: opt, request: k.calls.Open(m), refused: make(chan error)}
	defer k.calls.Drop(e.request)
	k.client.Send(jupyter.ShellChannel, m)
	err := e.wait(ctx)
	return e.reply, err
}

// execution is the state of one call of Execute.
type execution struct {
	kernel  *Kernel
	opt     ExecuteOptions
	request *jupyter.Call
	refused chan error // receives the error of Input

	reply   Reply
	replied bool
	idle    bool
	stopped error            // reason of the interrupt; nil if not interrupted
	limit   <-chan time.Time // end of the wait after an interrupt or the reply
}

// wait handles messages until the execution has finished or failed.
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
			return e.handleRemaining()
		}
	}
	return e.stopped
}

// handleRemaining handles the remaining messages of a kernel that has died, which have all arrived. It returns why the kernel died.
func (e *execution) handleRemaining() error {
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

// interrupt interrupts the execution and records why. It does nothing after the first call or after the reply.
func (e *execution) interrupt(why error) {
	if e.replied || e.stopped != nil {
		return
	}
	e.stopped, e.limit = why, time.After(e.grace())
	e.kernel.Interrupt()
}

// take handles one message of the execution. It returns an error if the message cannot be decoded.
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

// ask answers a question of the code in a goroutine, because the user may take any time.
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
	if e.opt.Input == nil { // the kernel asks although it got allow_stdin = false
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

// TimeoutError states that an execution was interrupted because it took longer than Limit.
type TimeoutError struct{ Limit time.Duration }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("took longer than %v and was interrupted", e.Limit)
}

// UnresponsiveError states that an execution continued after an interrupt. The kernel can no longer be used.
type UnresponsiveError struct {
	Grace time.Duration // how long Execute waited after the interrupt
	Cause error         // reason of the interrupt
}

func (e *UnresponsiveError) Error() string {
	return fmt.Sprintf("%v; the kernel still did not answer %v later", e.Cause, e.Grace)
}

// Unwrap returns the reason of the interrupt.
func (e *UnresponsiveError) Unwrap() error { return e.Cause }

// CellError states which cell of a notebook ended the run, and why.
type CellError struct {
	Cell     int // number among all cells, from 1
	CodeCell int // number among code cells, from 1

	Name      string   // name of the error in the cell's language, such as NameError; "" if Err is set
	Value     string   // message of the error
	Traceback []string // lines of the traceback, with terminal colours

	// set if the code itself did not fail: a TimeoutError, the end of the context, or a dead kernel
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

// plainJSON returns a JSON decoding error without the names of Go types.
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

// RunOptions state how Run executes a notebook. The zero value works.
type RunOptions struct {
	// after this time a cell is interrupted and counts as failed; 0 means never
	Timeout      time.Duration
	Grace        time.Duration // limit for an interrupted cell to end; 0 means 10 s
	AllowErrors  bool          // continue after a cell that fails
	RecordTiming bool          // record the start and end of each cell in its metadata

	// Saved is called with the notebook after each cell. An error ends the run.
	Saved func(*notebook.Notebook) error
	// Progress is called before the first cell and after each cell. done counts the finished cells, and cells is the
	// number of cells to execute.
	Progress func(done, cells int, elapsed time.Duration)
}

// These tags change how a cell is executed, as in nbclient.
const (
	tagRaises = "raises-exception" // the cell is allowed to fail
	tagSkip   = "skip-execution"   // the cell is not executed and keeps its outputs
)

// Run executes the code cells of a notebook in order, except empty ones and those with the tag skip-execution. It first
// removes old outputs. It writes outputs, execution counts, the kernelspec and the language into nb.
//
// Run returns a CellError if a cell fails, unless AllowErrors or the tag raises-exception allows it. It also returns a
// CellError if a cell takes too long, the context ends or the kernel dies. In each case nb contains all outputs up to this
// point.
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

// run is the state of one call of Run.
type run struct {
	nb        *notebook.Notebook
	kernel    *Kernel
	opt       RunOptions
	collector *collector
}

// prepare writes the kernel's name and language into the notebook and removes old outputs. It returns the indices of the
// cells to execute.
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
		// A cell that stopped after its timeout counts as failed, and the kernel can continue.
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

// show adds an error output to the cell if the kernel did not publish one.
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
