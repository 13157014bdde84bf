//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// cell holds the time and the memory of one command.
type cell struct {
	arms    int
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

// sizes are the numbers of arms of most operations.
var sizes = []int{1000, 3000, 10_000, 30_000, 100_000}

// operation is a script whose cost is measured at growing numbers of arms.
type operation struct {
	name  string
	last  string // the line of the script after the problem's
	sizes []int  // numbers of arms
	// CPU seconds that it may take at some sizes, and bytes of memory
	seconds map[int]float64
	memory  map[int]float64
}

const gib = 1 << 30

// operations lists what is measured, with its budgets.
func operations() []operation {
	fc := func(algorithm, options string) string {
		return fmt.Sprintf("r = fc(p, delta=0.05, epsilon=0.1, algorithm=%q, runs=1, seed=1%s)\nr", algorithm, options)
	}
	norm := fmt.Sprintf(", norm=%.4g", manyarms.Norm/manyarms.Noise) // in units of the noise
	return []operation{
		{name: "read, check and show the problem", last: "p", sizes: sizes,
			seconds: map[int]float64{100_000: 1}},
		{name: "`spectrum`, ξ = 1e-3", last: "spectrum(p, xi=0.001)", sizes: sizes,
			seconds: map[int]float64{1000: 0.3, 10_000: 1.5, 100_000: 15}, memory: map[int]float64{100_000: 2 * gib}},
		{name: "`bounds`, ξ = 1e-3", last: "bounds(p, xi=0.001, delta=0.05)", sizes: sizes,
			seconds: map[int]float64{1000: 1.5, 10_000: 8, 100_000: 90}},
		{name: "`fc` CoTestFC, norm known", last: fc("CoTestFC", norm), sizes: sizes,
			seconds: map[int]float64{1000: 1, 10_000: 4, 100_000: 30}, memory: map[int]float64{10_000: gib / 2, 100_000: 2 * gib}},
		{name: "`fc` CoBayesFC", last: fc("CoBayesFC", ""), sizes: sizes,
			seconds: map[int]float64{1000: 0.5, 10_000: 2, 100_000: 20}},
		{name: "`fc` CoKernelFC, tuned", last: fc("CoKernelFC", ", xi=0.01"+norm), sizes: sizes,
			seconds: map[int]float64{1000: 2, 10_000: 12, 100_000: 120}},
		{name: "`fb` CoBayesFB, the default, 500 pulls a task", last: "r = fb(p, budget=500, runs=1, seed=1)\nr", sizes: sizes,
			seconds: map[int]float64{1000: 1, 10_000: 4, 100_000: 40}},
		{name: "`fc` CoTestFC, norm known, to JSON and a table of all arms",
			last: fc("CoTestFC", norm) + "\nsave(r, \"r.json\")\nsave(explain(r), \"r.csv\")", sizes: sizes},
		{name: "`fit`, 2,000 measurements, two length scales", last: "fit(p, kernel=task(rbf(free(1))) * arm(rbf(free(1))))", sizes: []int{2000},
			seconds: map[int]float64{2000: 10}},
	}
}

func (o operation) script(table string) string {
	return fmt.Sprintf("p = problem(%q, kernel=%s, noise=%g)\n%s\n", table, manyarms.Kernel, manyarms.Noise, o.last)
}
