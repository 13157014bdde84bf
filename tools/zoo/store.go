//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// runFile is a file of the runs of one method on one table: a line that says which, and a line a run. It only grows. A
// line that was cut short when a program ended is dropped.
type runFile struct {
	head head
	runs map[int]line
	file *os.File // nil if it is only read
}

// head says what the runs are of; runs of another head are not kept.
type head struct {
	Table    string `json:"table"`
	Method   string `json:"method"`
	Revision string `json:"revision"` // of the method
	Digest   string `json:"digest"`   // of the table
	Budgets  []int  `json:"budgets"`  // pulls of each task
}

// line is one run: for each budget what its picks lose.
type line struct {
	Run       int       `json:"run"`
	Units     []float64 `json:"units"` // reward units, mean of the tasks
	Share     []float64 `json:"share"` // of a random arm's loss
	Right     []float64 `json:"right"` // share of tasks whose pick is best
	Pulls     []int     `json:"pulls"` // all tasks together
	Decisions int       `json:"decisions"`
	CPU       float64   `json:"cpu"`               // seconds, all budgets together
	Peak      float64   `json:"peak"`              // MB of the process that chose, at the end of the run
	Version   string    `json:"version,omitempty"` // of the program that made the run
	Decided   bool      `json:"decided,omitempty"` // of methods that stop by themselves
	Wrong     bool      `json:"wrong,omitempty"`   // some pick is worse than the best by more than epsilon
}

func (h head) equal(other head) bool { return fmt.Sprint(h) == fmt.Sprint(other) }

// keptPath is where the runs of a method on a table are kept.
func keptPath(results, table, method string) string {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" /,", r) {
				return '-'
			}
			return r
		}, s)
	}
	return filepath.Join(results, plain(table), plain(method)+".jsonl")
}

// readKept reads what is kept; a missing file has no runs.
func readKept(path string) (*runFile, int, error) {
	k := &runFile{runs: map[int]line{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return k, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	whole := 0
	for n := 0; ; n++ {
		end := bytes.IndexByte(text[whole:], '\n')
		if end < 0 {
			return k, whole, nil
		}
		l, into := line{}, any(&k.head)
		if n > 0 {
			into = &l
		}
		if err := json.Unmarshal(text[whole:whole+end], into); err != nil {
			return nil, 0, fmt.Errorf("%s:%d: not a run of the zoo: %w; remove the file to make its runs again", path, n+1, err)
		}
		if n > 0 {
			k.runs[l.Run] = l
		}
		whole += end + 1
	}
}

// openKept opens the runs of a head for more of them; runs of another head are removed.
func openKept(results string, h head) (_ *runFile, err error) {
	defer try.Caught(&err)
	path := keptPath(results, h.Table, h.Method)
	try.To(os.MkdirAll(filepath.Dir(path), 0o777))
	k, whole := try.Two(readKept(path))
	if !k.head.equal(h) {
		k, whole = &runFile{head: h, runs: map[int]line{}}, 0
	}
	k.file = try.Of(os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666))
	if err := k.file.Truncate(int64(whole)); err != nil {
		return nil, errors.Join(err, k.file.Close())
	}
	if whole == 0 {
		return k, k.write(h)
	}
	return k, nil
}

// add keeps a run.
func (k *runFile) add(l line) error {
	k.runs[l.Run] = l
	return k.write(l)
}

func (k *runFile) write(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = k.file.Write(append(text, '\n'))
	return err
}

// job is the runs of one method on one table.
type job struct {
	table   table
	method  method
	version string // of the program
}

// headOf says what the runs of the job are of.
func (j job) headOf() head {
	w := j.table.world(0)
	h := fnv.New64a()
	// digits that every processor computes alike
	fmt.Fprintf(h, "%.8g %.8g %.8g %.8g %d %.8g", w.truth, w.sd, w.problem.Arms.X, w.problem.Tasks.X, w.problem.TaskOf, w.reward(0, 0))
	out := head{Table: j.table.Name, Method: j.method.Name, Revision: j.method.revision, Digest: fmt.Sprintf("%016x", h.Sum64()),
		Budgets: lists.Map(eachArm, w.pulls)}
	if j.method.stops {
		out.Budgets = []int{w.pulls(stopMost)}
	}
	return out
}

// mostGivenUp is in how many runs of a table a method may give up before no more are begun.
const mostGivenUp = 5

// run makes the runs that are not kept yet, until the context ends or all kept ones together took as much processor time
// as the limit.
func (j job) run(ctx context.Context, results string, runs int, limit time.Duration) (err error) {
	defer try.Caught(&err)
	h := j.headOf()
	k := try.Of(openKept(results, h))
	defer k.file.Close()
	spent, gaveUp := 0.0, 0
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
		if errors.Is(err, errGaveUp) && ctx.Err() == nil && gaveUp < mostGivenUp {
			gaveUp++
			fmt.Fprintf(os.Stderr, "%s on %q, run %d is left out: %v\n", j.method.Name, j.table.Name, run, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s on %q, run %d: %w", j.method.Name, j.table.Name, run, err)
		}
		spent += l.CPU
		try.To(k.add(l))
	}
	return nil
}

// one makes one run. Budgets that are equal, of tables with few arms, are made once.
func (j job) one(ctx context.Context, budgets []int, run int) (_ line, err error) {
	defer try.Caught(&err)
	w := j.table.world(run)
	runtime.GC()
	before := processor()
	r := try.Of(j.method.run(ctx, w, run, j.method.Name, budgets))
	try.To(r.check(w, budgets))
	if r.cpu == 0 {
		r.cpu, r.peak = processor()-before, peak()
	}
	l := line{
		Run: run, Pulls: r.pulls, Decisions: r.decisions, CPU: r.cpu, Peak: r.peak,
		Version: j.version, Decided: r.decided,
	}
	l.Wrong = j.method.stops && w.wrong(r.picks[0])
	for _, picks := range r.picks {
		units, share, right := w.loss(picks)
		l.Units, l.Share, l.Right = append(l.Units, units), append(l.Share, share), append(l.Right, right)
	}
	return l, nil
}

// used returns what this process has taken so far.
func used() (u syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // or nothing, as on a system without it
	return u
}

// processor returns the seconds of processor time that this process has taken.
func processor() float64 {
	u := used()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// peak returns the most memory that this process has had, MB.
func peak() float64 { return float64(used().Maxrss) / 1024 } // kB on Linux

// patience is how many times its limit of processor time a job may last before it is ended, on a machine that is busy.
const patience = 20

// errLimit ends a job that lasts too long; its runs so far are kept.
var errLimit = errors.New("it lasted too long and was ended; the runs that it had made are kept")

// spawn makes the job in a process of its own on one processor, so that its memory is its own.
func (j job) spawn(ctx context.Context, arguments []string, limit time.Duration, report io.Writer) error {
	limited, cancel := context.WithTimeout(ctx, patience*limit)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(limited, self, append(arguments, "-job", j.table.Name+"|"+j.method.Name)...)
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
	fmt.Fprintf(report, "%-12s %-22s %6.1f s\n", j.method.Name, j.table.Name, time.Since(begun).Seconds())
	return err
}
