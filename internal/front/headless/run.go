package headless

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/front/export"
	"github.com/gonb-cope/gonb-cope/internal/front/gonb"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/client"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// Options say how a notebook is executed.
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

// Record holds how an execution came about.
type Record struct {
	Kernel   string
	Started  time.Time
	Duration time.Duration
	Cells    []export.CellTime
	Data     []report.DataFile // read by %%cope cells
	Seeds    []string
}

// Run executes a notebook with a fresh kernel. What was finished is in the notebook
// and the record, also when an error comes with them.
func Run(ctx context.Context, n *notebook.Notebook, opt Options) (r Record, err error) {
	r.Started = time.Now()
	defer func() { r.Duration = time.Since(r.Started) }()
	spec, err := specFor(n, opt)
	if err != nil {
		return r, err
	}
	r.Kernel = spec.DisplayName
	if spec.Name == KernelName && hasGo(n) {
		prepare(ctx, opt.Stderr)
	}
	kernel, err := client.Start(ctx, spec, client.StartOptions{Dir: opt.Folder, Stderr: opt.Stderr})
	if err != nil {
		return r, err
	}
	defer kernel.Shutdown(context.WithoutCancel(ctx))
	err = client.Run(ctx, n, kernel, client.RunOptions{
		Timeout: opt.Timeout, AllowErrors: opt.AllowErrors, RecordTiming: true, Saved: opt.Saved, Progress: opt.Progress,
	})
	r.Cells = timesOf(n)
	if spec.Name == KernelName {
		r.ask(ctx, kernel)
	}
	return r, err
}

// specFor returns the kernelspec that executes a notebook. Ours needs not be installed.
func specFor(n *notebook.Notebook, opt Options) (client.Spec, error) {
	name := opt.Kernel
	if name == "" {
		name = n.KernelName()
	}
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

// prepare builds what Go cells need before the first of them, so that what the build
// says does not stand in the report. What fails here fails again in the cell, with the
// reason.
func prepare(ctx context.Context, log io.Writer) {
	_, _ = gonb.Provision(ctx, func(line string) { fmt.Fprintln(log, line) })
}

// provenanceTime limits the time that the kernel takes to say what it has read.
const provenanceTime = 5 * time.Second

// ask asks our kernel for what its %%cope cells have read; one that cannot answer any
// more leaves the record without it.
func (r *Record) ask(ctx context.Context, k *client.Kernel) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), provenanceTime)
	defer cancel()
	reply, err := k.Request(ctx, jupyter.ControlChannel, "gonb_cope_provenance_request", struct{}{})
	if err != nil {
		return
	}
	var content struct {
		Data  []report.DataFile `json:"data"`
		Seeds []string          `json:"seeds"`
	}
	if reply.Decode(&content) == nil {
		r.Data, r.Seeds = content.Data, content.Seeds
	}
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

// Provenance completes a record with the notebook that it is about.
func (r Record) Provenance(path string, given []Parameter) export.Provenance {
	p := export.Provenance{
		Kernel: r.Kernel, Notebook: filepath.Base(path), Data: r.Data, Seeds: r.Seeds,
		Started: r.Started, Duration: r.Duration, Cells: r.Cells,
	}
	if text, err := os.ReadFile(path); err == nil {
		sum := sha256.Sum256(text)
		p.NotebookSHA256 = hex.EncodeToString(sum[:])
	}
	for _, g := range given {
		p.Parameters = append(p.Parameters, export.Parameter(g))
	}
	return p
}
