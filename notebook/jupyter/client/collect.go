package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// collector stores the messages that a kernel publishes as outputs of a notebook's cells. The result depends only on the
// messages and their times.
type collector struct {
	nb       *notebook.Notebook
	timing   bool               // whether to record times in the cells' metadata
	displays map[string][]place // display_id → outputs that show it

	cell    int  // index of the executing cell, from 0
	pending bool // clear the outputs before adding the next one
	// output index → text of a stream; appending to Output.Text would copy the text each time
	streams map[int]*strings.Builder
}

// place is the position of an output. Both indices begin at 0.
type place struct{ cell, output int }

func newCollector(nb *notebook.Notebook, timing bool) *collector {
	return &collector{nb: nb, timing: timing, displays: map[string][]place{}}
}

// begin makes a cell the executing one and removes its outputs.
func (c *collector) begin(cell int) {
	c.cell, c.pending = cell, false
	target := c.target()
	target.ExecutionCount = 0
	if target.Metadata == nil {
		target.Metadata = map[string]any{}
	}
	delete(target.Metadata, "execution")
	if c.timing {
		target.Metadata["execution"] = map[string]any{}
	}
	c.clear()
}

func (c *collector) target() *notebook.Cell { return &c.nb.Cells[c.cell] }

// mark records in the cell's metadata when an event happened. Names of events are nbclient's.
func (c *collector) mark(event string, at time.Time) {
	if times, ok := c.target().Metadata["execution"].(map[string]any); ok && c.timing {
		times[event] = at.UTC().Format("2006-01-02T15:04:05.000000Z")
	}
}

// published is the content of all message types that the collector uses. The comments name the type of each field.
type published struct {
	State string `json:"execution_state"` // status
	Wait  bool   `json:"wait"`            // clear_output

	Name string `json:"name"` // stream
	Text string `json:"text"`

	Data      map[string]any `json:"data"` // displays and results
	Metadata  map[string]any `json:"metadata"`
	Transient struct {
		DisplayID string `json:"display_id"`
	} `json:"transient"`
	Count int `json:"execution_count"` // execute_input, execute_result

	ErrorName  string   `json:"ename"` // error
	ErrorValue string   `json:"evalue"`
	Traceback  []string `json:"traceback"`
}

// apply applies a message from iopub to the executing cell. It returns an error if the content cannot be decoded.
func (c *collector) apply(msgType string, content json.RawMessage, at time.Time) error {
	var p published
	switch msgType {
	case "status", "execute_input", "clear_output", "stream", "display_data", "update_display_data", "execute_result", "error":
		d := json.NewDecoder(strings.NewReader(string(content)))
		d.UseNumber() // keeps the digits of numbers in JSON data
		if err := d.Decode(&p); err != nil {
			return fmt.Errorf("message %s from the kernel cannot be decoded: %w", msgType, plainJSON(err))
		}
	default: // comm messages and types of later protocols are ignored
		return nil
	}
	if p.Count > 0 {
		c.target().ExecutionCount = p.Count
	}
	switch msgType {
	case "status":
		if p.State == "busy" || p.State == "idle" {
			c.mark("iopub.status."+p.State, at)
		}
	case "execute_input":
		c.mark("iopub.execute_input", at)
	case "clear_output":
		if c.pending = p.Wait; !p.Wait {
			c.clear()
		}
	case "stream":
		c.stream(cmp.Or(p.Name, "stdout"), p.Text)
	case "error":
		c.add(notebook.Output{Type: notebook.Error, ErrorName: p.ErrorName, ErrorValue: p.ErrorValue, Traceback: p.Traceback})
	default:
		c.display(notebook.OutputType(msgType), p)
	}
	return nil
}

// display adds an output with the data. It first replaces the data of all outputs with the same display_id.
func (c *collector) display(kind notebook.OutputType, p published) {
	if p.Data == nil {
		p.Data = map[string]any{}
	}
	id := p.Transient.DisplayID
	for _, at := range c.displays[id] {
		o := &c.nb.Cells[at.cell].Outputs[at.output]
		o.Data, o.Metadata = maps.Clone(p.Data), maps.Clone(p.Metadata)
	}
	// update_display_data only replaces
	if kind != notebook.DisplayData && kind != notebook.ExecuteResult {
		return
	}
	o := notebook.Output{Type: kind, Data: p.Data, Metadata: p.Metadata}
	if kind == notebook.ExecuteResult {
		o.ExecutionCount = p.Count
	}
	at := c.add(o)
	if id != "" {
		c.displays[id] = append(c.displays[id], place{c.cell, at})
	}
}

// stream appends text to the cell's last output of that stream, unless an output other than a stream follows it. The order
// between stdout and stderr has no meaning, because they arrive by different ways.
func (c *collector) stream(name, text string) {
	if text == "" {
		return
	}
	c.clearPending()
	outputs := c.target().Outputs
	at := len(outputs) - 1
	for at >= 0 && outputs[at].Type == notebook.Stream && outputs[at].Name != name {
		at--
	}
	if at < 0 || outputs[at].Type != notebook.Stream {
		at = c.add(notebook.Output{Type: notebook.Stream, Name: name})
		c.streams[at] = &strings.Builder{}
	}
	c.streams[at].WriteString(text)
	c.target().Outputs[at].Text = c.streams[at].String()
}

// add appends an output and returns its index in the cell.
func (c *collector) add(o notebook.Output) int {
	c.clearPending()
	target := c.target()
	target.Outputs = append(target.Outputs, o)
	return len(target.Outputs) - 1
}

func (c *collector) clearPending() {
	if c.pending {
		c.clear()
	}
}

// clear removes the outputs of the cell.
func (c *collector) clear() {
	c.target().Outputs, c.pending, c.streams = nil, false, map[int]*strings.Builder{}
	for id, places := range c.displays {
		c.displays[id] = slices.DeleteFunc(places, func(p place) bool { return p.cell == c.cell })
	}
}
