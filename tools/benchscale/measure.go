//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// cell holds the time and the memory of one command.
type cell struct {
	size    int     // number of arms or tasks
	seconds float64 // of the processor, user and system
	memory  float64 // bytes, largest resident size
	// why there is no result: "" if it ended well
	trouble string
	over    bool // it was ended at the limit
}

func (c cell) failed() bool { return c.over || c.trouble != "" }

func (c cell) String() string {
	if c.trouble != "" {
		return c.trouble
	}
	s := fmt.Sprintf("%.2f s, %.0f MB", c.seconds, c.memory/1e6)
	if c.over {
		return "ended after " + s
	}
	return s
}

// measure runs a script by the program in a folder of its own. It is an error when the program cannot
// be started, or when the context ends; a script that fails is a cell with trouble.
func measure(ctx context.Context, command, script string, limit time.Duration) (_ cell, err error) {
	defer try.Caught(&err)
	folder := try.Of(os.MkdirTemp("", "benchscale"))
	defer os.RemoveAll(folder)
	if strings.Contains(command, "/") {
		command = try.Of(filepath.Abs(command))
	}
	seconds := max(int(limit.Seconds()), 1)
	// A program that waits would never use its processor time up.
	waiting, stop := context.WithTimeout(ctx, 4*limit+time.Minute)
	defer stop()
	run := exec.CommandContext(waiting, "sh", "-c", fmt.Sprintf(`ulimit -t %d; exec "$0" "$@"`, seconds), command, "run", "-")
	run.Dir = folder
	run.Stdin = strings.NewReader(script)
	var problems bytes.Buffer
	run.Stderr = &problems
	err = run.Run()
	if ctx.Err() != nil {
		return cell{}, ctx.Err()
	}
	if run.ProcessState == nil {
		return cell{}, err
	}
	use := run.ProcessState.SysUsage().(*syscall.Rusage)
	c := cell{seconds: (run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds(), memory: float64(use.Maxrss) * 1024}
	var exit *exec.ExitError
	switch {
	case err == nil:
	case waiting.Err() != nil || c.seconds >= 0.75*float64(seconds) && run.ProcessState.Sys().(syscall.WaitStatus).Signaled():
		c.over = true
	case errors.As(err, &exit):
		c.trouble = complaint(problems.String())
	default:
		return cell{}, err
	}
	return c, nil
}

// complaint returns the line of a program's complaints that has the reason, else the last one.
func complaint(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for _, line := range lines {
		if reason, found := strings.CutPrefix(line, "   = "); found {
			return reason
		}
	}
	return lines[len(lines)-1]
}

// operation is a script whose cost is measured at growing sizes of a table.
type operation struct {
	name   string
	unit   string                     // what is counted: arms or tasks
	table  func(io.Writer, int) error // writes the table of a size
	script string                     // with %q for the path of the table
	sizes  []int
	// CPU seconds that it may take at some sizes, and bytes of memory
	seconds map[int]float64
	memory  map[int]float64
}

const gib = 1 << 30

// operations lists what is measured, with its budgets.
func operations() []operation { return slices.Concat(onArms(), onTasks(), onOptions()) }

// onArms are operations on five tasks with many arms.
func onArms() []operation {
	fc := func(algorithm, options string) string {
		return fmt.Sprintf("r = fc(p, delta=0.05, epsilon=0.1, algorithm=%q, runs=1, seed=1%s)\nr", algorithm, options)
	}
	norm := fmt.Sprintf(", norm=%.4g", manyarms.Norm/manyarms.Noise) // in units of the noise
	out := []operation{
		{name: "read, check and show the problem", script: "p",
			seconds: map[int]float64{100_000: 1}},
		{name: "`spectrum`, ξ = 1e-3", script: "spectrum(p, xi=0.001)",
			seconds: map[int]float64{1000: 0.3, 10_000: 1.5, 100_000: 15}, memory: map[int]float64{100_000: 2 * gib}},
		{name: "`bounds`, ξ = 1e-3", script: "bounds(p, xi=0.001, delta=0.05)",
			seconds: map[int]float64{1000: 1.5, 10_000: 8, 100_000: 90}},
		{name: "`fc` CoTestFC, norm known", script: fc("CoTestFC", norm),
			seconds: map[int]float64{1000: 1, 10_000: 4, 100_000: 30}, memory: map[int]float64{10_000: gib / 2, 100_000: 2 * gib}},
		{name: "`fc` CoBayesFC", script: fc("CoBayesFC", ""),
			seconds: map[int]float64{1000: 0.5, 10_000: 2, 100_000: 20}},
		{name: "`fc` CoKernelFC, tuned", script: fc("CoKernelFC", ", xi=0.01"+norm),
			seconds: map[int]float64{1000: 2, 10_000: 12, 100_000: 120}},
		{name: "`fb` CoBayesFB, the default, 500 pulls a task", script: "r = fb(p, budget=500, runs=1, seed=1)\nr",
			seconds: map[int]float64{1000: 1, 10_000: 4, 100_000: 40}},
		{name: "`fc` CoTestFC, norm known, to JSON and a table of all arms",
			script: fc("CoTestFC", norm) + "\nsave(r, \"r.json\")\nsave(explain(r), \"r.csv\")"},
		{name: "`fit`, 2,000 measurements, two length scales", script: "fit(p, kernel=task(rbf(free(1))) * arm(rbf(free(1))))",
			sizes: []int{2000}, seconds: map[int]float64{2000: 10}},
	}
	for k := range out {
		o := &out[k]
		o.unit, o.table = "arms", manyarms.Write
		o.script = fmt.Sprintf("p = problem(%%q, kernel=%s, noise=%g)\n%s\n", manyarms.Kernel, manyarms.Noise, o.script)
		if o.sizes == nil {
			o.sizes = []int{1000, 3000, 10_000, 30_000, 100_000}
		}
	}
	return out
}

// onTasks are operations on many tasks with the same ten options. Tasks and options have features and one smooth function, or names
// alone.
func onTasks() []operation {
	const options, repeats = 10, 2
	var out []operation
	for _, smooth := range []bool{true, false} {
		kind, kernel, epsilon, noise := "names", manyarms.NamesKernel, 1.0, float64(manyarms.NamesNoise)
		norm := 30.0
		if smooth {
			kind, kernel, epsilon, noise = "smooth", manyarms.Kernel, 0.1, manyarms.Noise
			norm = manyarms.Norm / manyarms.Noise
		}
		add := func(name, script string, rows int) {
			if rows == 0 {
				script = fmt.Sprintf("p = problem(%%q, kernel=%s, noise=%g)\n%s\n", kernel, noise, script)
			}
			out = append(out, operation{name: name + ", " + kind, script: script, unit: "tasks", sizes: []int{100, 1000, 10_000},
				table: func(w io.Writer, tasks int) error {
					return manyarms.Tasks{Tasks: tasks, Options: options, Smooth: smooth, Rows: rows}.Write(w)
				},
				seconds: map[int]float64{100: 1, 1000: 5, 10_000: 60}, memory: map[int]float64{100: 2 * gib, 1000: 2 * gib, 10_000: 2 * gib}})
		}
		columns := `["arm"]`
		if smooth {
			columns = `["x_1", "x_2", "x_3", "x_4"]`
		}
		add("`best`", `best(problem(data=%q, task="task", arm=`+columns+`, reward="reward"))`, repeats)
		add("`fb`, 40 pulls a task", "fb(p, budget=40, runs=1, seed=1)", 0)
		add("`fc` CoBayesFC", fmt.Sprintf("fc(p, delta=0.05, epsilon=%g, algorithm=\"CoBayesFC\", runs=1, seed=1)", epsilon), 0)
		add("`fc` CoTestFC, norm known", fmt.Sprintf("fc(p, delta=0.05, epsilon=%g, norm=%.4g, runs=1, seed=1)", epsilon, norm), 0)
		add("`bounds`", "bounds(p, delta=0.05)", 0)
	}
	return out
}

// onOptions are tables of one task with many options, and a grid of candidates with few measurements.
func onOptions() []operation {
	const best = `best(problem(data=%q, task="task", arm=["x_1", "x_2", "x_3", "x_4"], reward="reward"))`
	table := func(rows int) func(io.Writer, int) error {
		return func(w io.Writer, options int) error {
			return manyarms.Tasks{Tasks: 1, Options: options, Smooth: true, Rows: rows}.Write(w)
		}
	}
	return []operation{
		{name: "`best`, 4 rows each", unit: "options", script: best, table: table(4), sizes: []int{250}, seconds: map[int]float64{250: 1}},
		{name: "`best`, 2 rows each", unit: "options", script: best, table: table(2), sizes: []int{10_000},
			seconds: map[int]float64{10_000: 15}, memory: map[int]float64{10_000: gib / 2}},
		{name: "`best`, names, 2 rows each", unit: "options",
			script: `best(problem(data=%q, task="task", arm="arm", reward="reward"))`,
			table:  table(2), sizes: []int{10_000}, seconds: map[int]float64{10_000: 15}, memory: map[int]float64{10_000: gib / 2}},
		{name: "`best`, all combinations, 300 rows", unit: "options",
			script: `best(problem(data=%q, arm=["x_1", "x_2", "x_3"], reward="reward", candidates="all"))`,
			table:  func(w io.Writer, _ int) error { return manyarms.WriteGrid(w, []int{29, 26, 9}, 300) },
			sizes:  []int{6786}, seconds: map[int]float64{6786: 10}},
	}
}
