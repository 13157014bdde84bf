//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// bears lists the tables that methods of other projects are tried on, which take much longer. It was written before their
// first run. The first line is for tuning, the others are not.
var bears = []string{
	"coupling", "field trial", "one task", "binary doses", "unrelated arms", "wool", "machines", "alfalfa",
	"near ties", "minnesota barley", "oats", "cakes", "poisons", "white mustard", "hearing", "diamonds", "flight delays",
}

// peers returns the methods of other projects, which run in a Python environment that make zoo-peers installs;
// none if it is not there.
func peers(root, cache string) []method {
	python := filepath.Join(cache, "peers", "bin", "python")
	pins, err := os.ReadFile(filepath.Join(cache, "peers", "made"))
	if _, missing := os.Stat(python); missing != nil || err != nil {
		return nil
	}
	version := func(name string) string {
		for line := range strings.Lines(string(pins)) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), name+"=="); ok {
				return name + " " + v
			}
		}
		return name
	}
	torch, optuna, ax, baybe := version("botorch"), version("optuna"), version("ax-platform"), version("baybe")
	var out []method
	for _, m := range []method{
		{
			Name: "BoTorch-TS", revision: torch, most: 180, on: bears,
			About: "one SingleTaskGP on features of arms and tasks (indicators of the task where it has none), Thompson sampling; rounds as best",
		}, {
			Name: "BoTorch-NEI", revision: torch, most: 60, on: bears,
			About: "the same model, qLogNoisyExpectedImprovement for each task; rounds as best",
		}, {
			Name: "BoTorch-MT", revision: torch, most: 45, on: bears,
			About: "MultiTaskGP, qLogNoisyExpectedImprovement for each task; rounds as best",
		},
		{Name: "BayBE", revision: baybe, most: 45, on: bears,
			About: "a campaign for each task, all measurements shared by a TaskParameter; rounds as best"},
		{
			Name: "Ax", revision: ax, most: 30, on: bears,
			About: "a client for each task; it takes no arm twice, so that its picks stay when it has had every arm",
		},
		{Name: "Optuna-TPE", revision: optuna, on: bears, About: "TPESampler, a study for each task; the best trial"},
		{Name: "Optuna-GP", revision: optuna, most: 30, on: bears, About: "GPSampler, a study for each task; the best trial"},
	} {
		m.About += " (" + m.revision + ", its defaults)"
		a := &adapter{python: python, script: filepath.Join(root, "tools", "zoo", "peers", "adapter.py"), method: m.Name}
		m.revision += ", adapter 1"
		m.run = a.run
		out = append(out, m)
	}
	return out
}

// adapter is a process of another project's method, which is started by the first run and serves all of them.
type adapter struct {
	python, script, method string

	in  *json.Encoder
	out *bufio.Reader
}

// asked is what the process says.
type asked struct {
	Pull      []int   `json:"pull"`
	Picks     []int   `json:"picks"`
	Decisions int     `json:"decisions"`
	CPU       float64 `json:"cpu"`
	Peak      float64 `json:"peak"`
}

// errGaveUp says that another project's method ended in a run, as where its model cannot be fitted.
var errGaveUp = errors.New("the method gave up")

// start starts the process, which ends with the context.
func (a *adapter) start(ctx context.Context) {
	c := exec.CommandContext(ctx, a.python, a.script, a.method)
	in, out := try.Of(c.StdinPipe()), try.Of(c.StdoutPipe())
	c.Stderr = os.Stderr
	try.To(c.Start())
	a.in, a.out = json.NewEncoder(in), bufio.NewReader(out)
}

func (a *adapter) run(ctx context.Context, w *world, run int, _ string, budgets []int) (r result, err error) {
	defer try.Caught(&err)
	if a.in == nil {
		a.start(ctx)
	}
	q := w.documented()
	coded := lists.Map(q.Arms.Columns, func(name string) bool { return slices.Contains(w.categories, name) })
	try.To(a.in.Encode(map[string]any{
		"run": run, "budgets": budgets, "task_of": q.TaskOf, "names": q.Arms.Names,
		"coded": coded, "arms": rowsOf(q.Arms), "tasks": rowsOf(q.Tasks),
	}))
	p := newPlay(w)
	for {
		line, err := a.out.ReadBytes('\n')
		if err != nil {
			a.in = nil // the next run starts it again
			return r, fmt.Errorf("%w: %s ended: %w", errGaveUp, a.script, err)
		}
		var got asked
		if err := json.Unmarshal(line, &got); err != nil {
			return r, fmt.Errorf("%s wrote %q: %w", a.script, line, err)
		}
		switch {
		case got.Pull != nil:
			rewards := make([]float64, len(got.Pull))
			for k, cell := range got.Pull {
				if cell < 0 || cell >= q.N() {
					return r, fmt.Errorf("%s pulled cell %d of %d", a.method, cell, q.N())
				}
				rewards[k] = p.pull(cell)
			}
			try.To(a.in.Encode(map[string]any{"rewards": rewards}))
		case got.Picks != nil:
			r.add(p, got.Picks, 0)
		case got.Decisions > 0:
			r.decisions, r.cpu, r.peak = got.Decisions, got.CPU, got.Peak
			return r, nil
		default:
			return r, errors.New(a.script + " wrote a line without pulls, picks or an end")
		}
	}
}

// rowsOf returns the features of points, empty rows for none.
func rowsOf(p *kernels.Points) [][]float64 {
	return lists.Make(p.Len(), func(i int) []float64 { return append([]float64{}, p.Point(i).X...) })
}
