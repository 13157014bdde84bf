//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// job is the runs of one method on one table.
type job struct {
	table   table
	method  method
	version string // of the program
}

// headOf says what the runs of the job are of.
func (j job) headOf() (head, error) {
	w, err := j.table.world(0)
	if err != nil {
		return head{}, err
	}
	h := fnv.New64a()
	// digits that every processor computes alike
	fmt.Fprintf(h, "%.8g %.8g %.8g %.8g %d %.8g", w.truth, w.sd, w.problem.Arms.X, w.problem.Tasks.X, w.problem.TaskOf, w.reward(0, 0))
	out := head{Table: j.table.name, Method: j.method.name, Revision: j.method.revision, Digest: fmt.Sprintf("%016x", h.Sum64())}
	if j.method.stops {
		out.Budgets = []int{w.pulls(stopMost)}
		return out, nil
	}
	for _, each := range eachArm {
		out.Budgets = append(out.Budgets, w.pulls(each))
	}
	return out, nil
}

// run makes the runs that are not kept yet, until the context ends or all kept ones together took as much processor time
// as the limit.
func (j job) run(ctx context.Context, results string, runs int, limit time.Duration) error {
	h, err := j.headOf()
	if err != nil {
		return err
	}
	k, err := openKept(results, h)
	if err != nil {
		return err
	}
	defer k.file.Close()
	spent := 0.0
	for _, l := range k.runs {
		spent += l.CPU
	}
	for run := range j.method.wanted(runs) {
		if _, made := k.runs[run]; made {
			continue
		}
		if spent >= limit.Seconds() {
			return nil
		}
		l, err := j.one(ctx, h.Budgets, run)
		if err != nil {
			return fmt.Errorf("%s on %q, run %d: %w", j.method.name, j.table.name, run, err)
		}
		spent += l.CPU
		if err := k.add(l); err != nil {
			return err
		}
	}
	return nil
}

// one makes one run. Budgets that are equal, of tables with few arms, are made once.
func (j job) one(ctx context.Context, budgets []int, run int) (line, error) {
	w, err := j.table.world(run)
	if err != nil {
		return line{}, err
	}
	runtime.GC()
	before := processor()
	r, err := j.method.run(ctx, w, run, j.method.name, budgets)
	if err != nil {
		return line{}, err
	}
	if err := r.check(w, budgets); err != nil {
		return line{}, err
	}
	if r.cpu == 0 {
		r.cpu, r.peak = processor()-before, peak()
	}
	l := line{
		Run: run, Pulls: r.pulls, Decisions: r.decisions, CPU: r.cpu, Peak: r.peak,
		Version: j.version, Refusal: r.refusal, Decided: r.decided,
	}
	l.Wrong = j.method.stops && w.wrong(r.picks[0])
	for _, picks := range r.picks {
		units, share, right := w.loss(picks)
		l.Units, l.Share, l.Right = append(l.Units, units), append(l.Share, share), append(l.Right, right)
	}
	return l, nil
}

// processor returns the seconds of processor time that this process has taken.
func processor() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// peak returns the most memory that this process has had, MB.
func peak() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Maxrss) / 1024 // kB on Linux
}

// patience is how many times its limit of processor time a job may last before it is ended, on a machine that is busy.
const patience = 20

// errLimit ends a job that lasts too long; its runs so far are kept.
var errLimit = errors.New("it lasted too long and was ended; the runs that it had made are kept")

// apart makes the job in a process of its own on one processor, so that its memory is its own.
func (j job) apart(ctx context.Context, arguments []string, limit time.Duration, report io.Writer) error {
	limited, cancel := context.WithTimeout(ctx, patience*limit)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(limited, self, append(arguments, "-job", j.table.name+"|"+j.method.name)...)
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	var said strings.Builder
	c.Stderr = &said
	begun := time.Now()
	err = c.Run()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		err = errLimit
	case err != nil && said.Len() > 0:
		err = errors.New(strings.TrimSpace(said.String()))
	}
	fmt.Fprintf(report, "%-12s %-22s %6.1f s\n", j.method.name, j.table.name, time.Since(begun).Seconds())
	return err
}
