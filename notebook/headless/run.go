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

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/gonb"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/client"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// Options state how a notebook is executed.
type Options struct {
	Folder string // working folder of the kernel, normally the notebook's folder
	Kernel string // kernel that runs instead of the notebook's own; "" keeps the notebook's
	// the command that starts our kernel without an installed kernelspec; Run appends the connection file
	Self        []string
	Timeout     time.Duration
	AllowErrors bool
	Stderr      io.Writer
	Saved       func(*notebook.Notebook) error
	Progress    func(done, cells int, elapsed time.Duration)
}

// Run executes a notebook with a new kernel and stores the outputs in n. The returned Provenance states the kernel, the
// times, the data files and the seeds. After an error, both n and the Provenance contain the finished part.
func Run(ctx context.Context, n *notebook.Notebook, opt Options) (p report.Provenance, err error) {
	defer try.Caught(&err)
	p.Started = time.Now()
	defer func() { p.Duration = time.Since(p.Started) }()
	spec := try.Of(specFor(n, opt))
	p.Kernel = spec.DisplayName
	if spec.Name == KernelName && hasGo(n) {
		// Building GoNB here keeps the build's messages out of the report. If the build fails, the cell reports the error.
		_, _ = gonb.Provision(ctx, func(line string) { fmt.Fprintln(opt.Stderr, line) })
	}
	kernel := try.Of(client.Start(ctx, spec, client.StartOptions{Dir: opt.Folder, Stderr: opt.Stderr}))
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

// specFor returns the kernelspec that executes a notebook. Our own kernel need not be installed.
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

// hasGo reports whether a notebook has a non-empty code cell that is not a script.
func hasGo(n *notebook.Notebook) bool {
	return slices.ContainsFunc(n.Cells, func(c notebook.Cell) bool {
		_, isScript := scriptOf(&c)
		return c.Type == notebook.Code && strings.TrimSpace(c.Source) != "" && !isScript
	})
}

// provenanceTime limits the wait for the kernel's answer about data files and seeds.
const provenanceTime = 5 * time.Second

// read asks our kernel which data files its %%cope cells have read and which seeds they used. It returns nil, nil if the
// kernel does not answer.
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

// timesOf returns the duration of each cell from the times in the cells' metadata. It skips cells without them.
func timesOf(n *notebook.Notebook) []report.CellTime {
	var times []report.CellTime
	for i, c := range n.Cells {
		m, _ := c.Metadata["execution"].(map[string]any)
		from, err1 := time.Parse(time.RFC3339Nano, fmt.Sprint(m["iopub.status.busy"]))
		to, err2 := time.Parse(time.RFC3339Nano, fmt.Sprint(m["shell.execute_reply"]))
		if err1 == nil && err2 == nil {
			times = append(times, report.CellTime{Cell: i + 1, Duration: to.Sub(from)})
		}
	}
	return times
}

// Checksum returns the SHA-256 of a file in hexadecimal, or "" if the file cannot be read.
func Checksum(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Difference is an output that is not the same in two executions.
type Difference struct {
	Cell   int    // number of the cell among all cells, from 1
	Output int    // number of the output, from 1; 0 if the numbers of outputs or cells differ
	What   string // description of the difference, with the old and the new text
}

// String returns the difference in one or more lines.
func (d Difference) String() string {
	if d.Output == 0 {
		return fmt.Sprintf("cell %d: %s", d.Cell, d.What)
	}
	return fmt.Sprintf("cell %d, output %d: %s", d.Cell, d.Output, d.What)
}

// Compare lists the outputs that differ between two executions of a notebook. It ignores outputs that differ in every run:
// times, counts and progress. It also ignores HTML (whose IDs differ) if the output has text or JSON.
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

// differs describes the first difference between two outputs, or returns "" if they are equal.
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

// comparable returns the media types by which two outputs are compared. These are our JSON and the text if both outputs
// have JSON, and only the text if one output has text. Otherwise these are all media types.
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

// plain returns a JSON value as a string. Numbers keep all their digits.
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

// lineThatDiffers describes the first line in which texts a and b differ.
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
