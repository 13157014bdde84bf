package export

import (
	"fmt"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
)

// visibility says what is shown of a part of a cell.
type visibility int

const (
	shown visibility = iota
	folded
	absent
)

func codeVisibility(c *notebook.Cell, opt Options) visibility {
	switch {
	case opt.HideCode || c.HasTag(removeInput) || c.Source == "":
		return absent
	case c.HasTag(hideInput) || c.HasTag(hideCell):
		return folded
	}
	return shown
}

func outputVisibility(c *notebook.Cell) visibility {
	switch {
	case c.HasTag(removeOutput):
		return absent
	case c.HasTag(hideOutput) || c.HasTag(hideCell):
		return folded
	}
	return shown
}

// failure is an error that nobody expected.
type failure struct {
	cell, count int // place in the notebook from 1, execution count
	what        string
}

func (f failure) String() string { return fmt.Sprintf("Cell %d: %s", f.cell, f.what) }

// failures lists the cells that ended in an error, unless they are tagged so.
func failures(nb *notebook.Notebook) []failure {
	var out []failure
	for i := range nb.Cells {
		c := &nb.Cells[i]
		if c.HasTag(raises) {
			continue
		}
		for _, o := range c.Outputs {
			if o.Type == notebook.Error {
				out = append(out, failure{i + 1, c.ExecutionCount, errorLine(o)})
				break
			}
		}
	}
	return out
}

// errorLine returns the text of an error in one line.
func errorLine(o notebook.Output) string {
	switch name, value := stripANSI(o.ErrorName), firstLine(stripANSI(o.ErrorValue)); {
	case value == "":
		return name
	case name == "":
		return value
	default:
		return name + ": " + value
	}
}

// duration returns how long cell i (from 1) took: from the provenance, or else from the times that
// Jupyter records in the cell; 0 when not known.
func duration(c *notebook.Cell, i int, opt Options) time.Duration {
	for _, t := range opt.Provenance.Cells {
		if t.Cell == i {
			return t.Duration
		}
	}
	times, _ := c.Metadata["execution"].(map[string]any)
	begin, err1 := time.Parse(time.RFC3339, stringOf(times["iopub.execute_input"]))
	end, err2 := time.Parse(time.RFC3339, stringOf(times["shell.execute_reply"]))
	if err1 != nil || err2 != nil || end.Before(begin) {
		return 0
	}
	return end.Sub(begin)
}

func stringOf(v any) string {
	s, _ := v.(string)
	return s
}

// seconds prints a duration for people: 3 ms, 1.24 s, 2 min 5 s.
func seconds(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
