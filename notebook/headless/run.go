package headless

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/notebook/export"
	"github.com/gonb-cope/gonb-cope/notebook/gonb"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/client"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// Options state how a notebook is executed.
type Options struct {
	Folder string // where the kernel works: the folder of the notebook
	Kernel string // name of another kernel than the notebook's; "" keeps it
	// the command that runs our kernel, which needs no installation: it is followed by the
	// connection file
	Self        []string
	Timeout     time.Duration
	AllowErrors bool
	Stderr      io.Writer
	Saved       func(*notebook.Notebook) error
	Progress    func(done, cells int, elapsed time.Duration)
}

// Run executes a notebook with a fresh kernel, and states how its outputs came about: kernel, times, data
// and seeds. Both include the finished part when an error is returned.
func Run(ctx context.Context, n *notebook.Notebook, opt Options) (p export.Provenance, err error) {
	p.Started = time.Now()
	defer func() { p.Duration = time.Since(p.Started) }()
	spec, err := specFor(n, opt)
	if err != nil {
		return p, err
	}
	p.Kernel = spec.DisplayName
	if spec.Name == KernelName && hasGo(n) {
		// keeps the build's output out of the report; a failure here is repeated, with its reason, in the cell
		_, _ = gonb.Provision(ctx, func(line string) { fmt.Fprintln(opt.Stderr, line) })
	}
	kernel, err := client.Start(ctx, spec, client.StartOptions{Dir: opt.Folder, Stderr: opt.Stderr})
	if err != nil {
		return p, err
	}
	defer kernel.Shutdown(context.WithoutCancel(ctx))
	err = client.Run(ctx, n, kernel, client.RunOptions{
		Timeout: opt.Timeout, AllowErrors: opt.AllowErrors, RecordTiming: true, Saved: opt.Saved, Progress: opt.Progress,
	})
	p.Cells = timesOf(n)
	if spec.Name == KernelName {
		p.Data, p.Seeds = read(ctx, kernel)
	}
	return p, err
}

// specFor returns the kernelspec that executes a notebook. Ours needs not be installed.
func specFor(n *notebook.Notebook, opt Options) (client.Spec, error) {
	name := cmp.Or(opt.Kernel, n.KernelName())
	if name == "" || name == KernelName {
		return client.Spec{
			Name: KernelName, DisplayName: "Go + CoPE (gonb-cope)", Language: "go", InterruptMode: "message",
			Argv: append(append([]string{}, opt.Self...), "{connection_file}"), Metadata: map[string]any{"transport": "ipc"},
		}, nil
	}
	return client.Find(name)
}

// hasGo reports whether a notebook has Go cells.
func hasGo(n *notebook.Notebook) bool {
	return slices.ContainsFunc(n.Cells, func(c notebook.Cell) bool {
		_, isScript := scriptOf(&c)
		return c.Type == notebook.Code && strings.TrimSpace(c.Source) != "" && !isScript
	})
}

// provenanceTime limits the time that the kernel takes to state what it has read.
const provenanceTime = 5 * time.Second

// read asks our kernel for what its %%cope cells have read; one that cannot answer any
// more leaves it unknown.
func read(ctx context.Context, k *client.Kernel) ([]report.DataFile, []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), provenanceTime)
	defer cancel()
	var content struct {
		Data  []report.DataFile `json:"data"`
		Seeds []string          `json:"seeds"`
	}
	reply, err := k.Request(ctx, jupyter.ControlChannel, "gonb_cope_provenance_request", struct{}{})
	if err != nil || reply.Decode(&content) != nil {
		return nil, nil
	}
	return content.Data, content.Seeds
}

// timesOf reads how long each cell took from what the execution recorded.
func timesOf(n *notebook.Notebook) []export.CellTime {
	var times []export.CellTime
	for i, c := range n.Cells {
		m, _ := c.Metadata["execution"].(map[string]any)
		from, err1 := time.Parse(time.RFC3339Nano, fmt.Sprint(m["iopub.status.busy"]))
		to, err2 := time.Parse(time.RFC3339Nano, fmt.Sprint(m["shell.execute_reply"]))
		if err1 == nil && err2 == nil {
			times = append(times, export.CellTime{Cell: i + 1, Duration: to.Sub(from)})
		}
	}
	return times
}

// Checksum returns the SHA-256 of a notebook's file; "" for one that cannot be read.
func Checksum(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Difference is an output that is not the same in two executions.
type Difference struct {
	Cell   int    // from 1, among all cells
	Output int    // from 1; 0 when their number differs
	What   string // what differs, with the old and the new text
}

// String returns the difference in a line or a few.
func (d Difference) String() string {
	if d.Output == 0 {
		return fmt.Sprintf("cell %d: %s", d.Cell, d.What)
	}
	return fmt.Sprintf("cell %d, output %d: %s", d.Cell, d.Output, d.What)
}

// Compare says which outputs of a notebook differ after another execution. It does not compare what
// differs from run to run: times, counts, progress, and the ids in HTML, which says nothing that
// the text and the JSON beside it do not say.
func Compare(old, new *notebook.Notebook) []Difference {
	var all []Difference
	for i := range min(len(old.Cells), len(new.Cells)) {
		before, after := old.Cells[i].Lasting(), new.Cells[i].Lasting()
		if len(before) != len(after) {
			all = append(all, Difference{i + 1, 0, fmt.Sprintf("%d outputs before, %d now", len(before), len(after))})
			continue
		}
		for j := range before {
			if what := differs(before[j], after[j]); what != "" {
				all = append(all, Difference{i + 1, j + 1, what})
			}
		}
	}
	if len(old.Cells) != len(new.Cells) {
		all = append(all, Difference{max(len(old.Cells), len(new.Cells)), 0,
			fmt.Sprintf("%d cells before, %d now", len(old.Cells), len(new.Cells))})
	}
	return all
}

// differs states what differs between two outputs, or "".
func differs(a, b notebook.Output) string {
	switch {
	case a.Type != b.Type:
		return fmt.Sprintf("was %s, is %s", a.Type, b.Type)
	case a.Type == notebook.Stream && (a.Name != b.Name || a.Text != b.Text):
		return lineThatDiffers(a.Name, a.Text, b.Text)
	case a.Type == notebook.Error && (a.ErrorName != b.ErrorName || a.ErrorValue != b.ErrorValue):
		return lineThatDiffers("error", a.ErrorName+": "+a.ErrorValue, b.ErrorName+": "+b.ErrorValue)
	}
	for _, media := range comparable(a, b) {
		if x, y := plain(a.Data[media]), plain(b.Data[media]); x != y {
			return lineThatDiffers(media, x, y)
		}
	}
	return ""
}

// comparable returns the representations that two outputs are compared by: the value itself and the
// text where they are, all otherwise.
func comparable(a, b notebook.Output) []string {
	exact := []string{report.MediaType, "text/plain"}
	if a.Data[report.MediaType] != nil && b.Data[report.MediaType] != nil {
		return exact
	}
	if a.Data["text/plain"] != nil || b.Data["text/plain"] != nil {
		return exact[1:]
	}
	all := map[string]any{}
	maps.Copy(all, a.Data)
	maps.Copy(all, b.Data)
	return slices.Sorted(maps.Keys(all))
}

// plain makes a JSON value comparable: it keeps the digits of numbers.
func plain(v any) string {
	if text, ok := v.(string); ok || v == nil {
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// lineThatDiffers shows the first line in which two texts differ.
func lineThatDiffers(what, a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		if p, q := at(x, i), at(y, i); p != q {
			return fmt.Sprintf("%s, line %d\n  - %.200s\n  + %.200s", what, i+1, p, q)
		}
	}
	return what + " differs"
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
