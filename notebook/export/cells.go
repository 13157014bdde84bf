package export

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// failure is an error output of a cell that has no tag raises-exception.
type failure struct {
	cell int // number of the cell in the notebook, from 1
	what string
}

func (f failure) String() string { return fmt.Sprintf("Cell %d: %s", f.cell, f.what) }

// failures lists the cells that ended in an error, except cells tagged raises-exception.
func failures(nb *notebook.Notebook) []failure {
	var out []failure
	for i := range nb.Cells {
		c := &nb.Cells[i]
		o, failed := lists.First(c.Outputs, func(o notebook.Output) bool { return o.Type == notebook.Error })
		if failed && !slices.Contains(marks(c), raises) {
			out = append(out, failure{i + 1, errorLine(o)})
		}
	}
	return out
}

// errorLine returns the name and the first line of the value of an error output.
func errorLine(o notebook.Output) string {
	parts := []string{stripANSI(o.ErrorName), firstLine(stripANSI(o.ErrorValue))}
	return strings.Join(lists.Where(parts, func(s string) bool { return s != "" }), ": ")
}

// duration returns the run time of cell i (from 1). It comes from the provenance, or else from the times that Jupyter
// stores in the cell. It is 0 if unknown.
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

// seconds formats a duration for readers: 3 ms, 1.24 s, 2 min 5 s.
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
