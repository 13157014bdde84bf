package host_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/session"
)

// halves pulls every arm that is left ten times in each round, and then drops the worse half of each task.
type halves struct {
	p     *problem.Problem
	left  [][]int
	sum   []float64
	count []int
	fault string // the method that fails
}

func newHalves(m *model.Model, fault string) *halves {
	n := m.Problem.N()
	return &halves{p: m.Problem, left: m.Problem.Groups(), sum: make([]float64, n), count: make([]int, n), fault: fault}
}

func (a *halves) Plan(context.Context) (engine.Plan, error) {
	switch a.fault {
	case "plan panics":
		panic("no plan today")
	case "plan fails":
		return engine.Plan{}, errors.New("no plan")
	case "plan hangs":
		time.Sleep(time.Hour)
	case "plan dies":
		fmt.Fprintln(os.Stderr, "goodbye")
		os.Exit(9)
	case "plan is short":
		return engine.Plan{Counts: []int{1}}, nil
	case "plan is empty":
		return engine.Plan{Counts: make([]int, a.p.N())}, nil
	}
	counts := make([]int, a.p.N())
	for _, arms := range a.left {
		for _, i := range arms {
			counts[i] = 10
		}
	}
	return engine.Plan{Counts: counts, WantSquares: true}, nil
}

func (a *halves) mean(i int) float64 { return a.sum[i] / math.Max(1, float64(a.count[i])) }

func (a *halves) Learn(_ context.Context, b engine.Batch) error {
	if a.fault == "learn panics" {
		panic("cannot learn")
	}
	if len(b.Squares) != len(b.Means) {
		return errors.New("no squares")
	}
	for i, n := range b.Counts {
		a.count[i] += n
		a.sum[i] += float64(n) * b.Means[i]
	}
	for v, arms := range a.left {
		best := arms
		for len(best) > max(1, len(arms)/2) {
			worst := 0
			for k := range best {
				if a.mean(best[k]) < a.mean(best[worst]) {
					worst = k
				}
			}
			best = append(best[:worst:worst], best[worst+1:]...)
		}
		a.left[v] = best
	}
	return nil
}

func (a *halves) Done() bool {
	for _, arms := range a.left {
		if len(arms) > 1 {
			return false
		}
	}
	return true
}

func (a *halves) State() engine.State {
	if a.fault == "state panics" && a.count[0] > 0 {
		panic("no state")
	}
	s := engine.State{}
	for i := range a.count {
		s.Estimates = append(s.Estimates, a.mean(i))
	}
	for _, arms := range a.left {
		name := a.p.Arms.Names[arms[0]]
		if a.fault == "arm is unknown" {
			name = "no such arm"
		}
		s.Answers = append(s.Answers, engine.Answer{Leader: name, Decided: len(arms) == 1, Estimate: a.mean(arms[0])})
		s.Alive += len(arms)
	}
	return s
}

func halvesEntry(fault string) *algorithms.Entry {
	return &algorithms.Entry{Name: "Halves", Shares: true, Regression: algorithms.RegressionMeans,
		New: func(m *model.Model, _ engine.Options) (engine.Algorithm, error) {
			if fault == "new panics" {
				panic("nothing is made")
			}
			return newHalves(m, fault), nil
		}}
}

// slowHalves notes the process of each run, and needs a while to begin it.
func slowHalves() *algorithms.Entry {
	e := halvesEntry("")
	begin := e.New
	e.New = func(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
		noted("pids")
		time.Sleep(30 * time.Millisecond)
		return begin(m, opt)
	}
	return e
}

// noted adds the number of the process to a file in the folder that the environment names, and returns the file's lines.
func noted(file string) []string {
	name := filepath.Join(os.Getenv(envNotes), file)
	f := try.Of(os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))
	fmt.Fprintln(f, os.Getpid())
	f.Close()
	text := try.Of(os.ReadFile(name))
	return strings.Fields(string(text))
}

const envNotes = "TEST_FOLDER"

// ownCells are Go cells that bind an algorithm.
func ownCells() map[string]func() {
	cells := map[string]func(){
		"halves":      func() { session.Put("mine", halvesEntry("")) },
		"halvesAgain": func() { session.Put("mine", halvesEntry("")) },
		"halvesRate":  func() { session.Number("rate"); session.Put("mine", *halvesEntry("")) },
		"halvesGet":   func() { _, err := session.Get("mine"); panic(err) },
	}
	cells["halvesSlow"] = func() { session.Put("mine", slowHalves()) }
	cells["halvesTwice"] = func() { // cannot start a third time, as if it opened a port
		if n := len(noted("started")); n > 2 {
			panic("the port is taken")
		}
		session.Put("mine", slowHalves())
	}
	for _, fault := range faults() {
		cells[fault] = func() { session.Put("bad", halvesEntry(fault)) }
	}
	return cells
}

func faults() []string {
	return []string{"new panics", "plan panics", "plan fails", "plan hangs", "plan dies", "plan is short", "plan is empty", "learn panics",
		"state panics", "arm is unknown"}
}

// An algorithm of a cell makes the same runs as the same algorithm in this process, bit by bit; also under a kernel whose formula the
// session evaluates.
func TestAlgorithm(t *testing.T) {
	n := newNotebook(t)
	n.mustRun("halves")
	n.mustCope("wave(x, y) = exp(-abs(x[0] - y[0]))\n" + fmt.Sprintf(coupling, "(linear() + wave)") +
		"\nr = fc(p, algorithm=mine, runs=20, seed=3)\nb = fb(p, algorithm=mine, budget=1000, runs=2)" +
		"\nc = fc(p, delta=0.1, runs=20, seed=3)\ns = sweep(c, algorithm=[\"CoTestFC\", mine], delta=[0.1, 0.2])\ncompare(r, c)")
	p, _ := n.get("p")
	v, _ := n.get("r")
	got := v.(engine.Result)
	want := try.Of(sim.Run(t.Context(), sim.Experiment{Problem: p.(*problem.Problem), Mode: engine.ModeFC, Own: halvesEntry(""), Runs: 20, Seed: 3, ForecastNorm: true}))
	want.Name = "r"
	if diff := cmp.Diff(got, want, cmp.Comparer(func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })); diff != "" {
		t.Errorf("the process of the cell and this one differ:\n%s", diff)
	}
	v, _ = n.get("s")
	if rows := v.(sim.Sweep).Rows; len(rows) != 4 || rows[2].Values[0] != "Halves" || rows[2].Result.SamplesPerAgent != got.SamplesPerAgent {
		t.Errorf("%+v", rows)
	}
	if got := n.mustRun("names"); !strings.Contains(got, "{mine own algorithm}") {
		t.Errorf("%s", got)
	}
	n.wantPanic("halvesGet", "mine is an algorithm of your own; it can be used in %%cope cells")
}

// A fault of an algorithm is an error that names it, and the session goes on.
func TestAlgorithmFaults(t *testing.T) {
	n := newNotebook(t)
	n.mustCope("p = paper(1, 0.4)")
	for fault, want := range map[string]string{
		"new panics": "Halves: a panic in New: nothing is made", "plan panics": "Halves, run 1: round 1: planning: a panic in Plan: no plan today",
		"plan fails": "Halves, run 1: round 1: planning: no plan", "plan dies": "its process ended with exit status 9: goodbye",
		"plan is short": "1 counts for 30 arms", "plan is empty": "the plan has no pulls",
		"learn panics": "Halves, run 1: round 1: learning: a panic in Learn: cannot learn", "state panics": "a panic in State: no state",
		"arm is unknown": `arm "no such arm" of task`, "plan hangs": "bad: interrupted",
	} {
		n.mustRun(fault)
		stop := func() {}
		if fault == "plan hangs" {
			stop = n.interruptAll()
		}
		err := n.cope("r = fc(p, algorithm=bad)")
		stop()
		if !strings.Contains(err, want) || strings.Contains(err, "defect in gonb-cope") {
			t.Errorf("%s: the error is\n%s\nit should say %q", fault, err, want)
		}
	}
	n.mustRun("halves")
	n.mustCope("r = fc(p, algorithm=mine)")
}

// The same cell is not run again from a store, in another session too. Another program is, and so is what read another value.
func TestAlgorithmStored(t *testing.T) {
	dir := t.TempDir()
	stored := func(part, rate string) int {
		n := newNotebookIn(t, dir)
		n.mustCope("rate = " + rate)
		n.mustRun(part)
		n.mustCope("r = fc(paper(1, 0.4), runs=2)\ns = sweep(r, algorithm=[mine], store=\"own.jsonl\")")
		v, _ := n.get("s")
		return v.(sim.Sweep).Stored
	}
	for i, c := range []struct {
		part, rate string
		want       int
	}{{"halves", "1", 0}, {"halves", "1", 1}, {"halves", "2", 1}, {"halvesRate", "1", 0}, {"halvesRate", "2", 0}, {"halvesRate", "1", 1}} {
		if got := stored(c.part, c.rate); got != c.want {
			t.Errorf("%d: %s with rate %s: %d results from the store, want %d", i, c.part, c.rate, got, c.want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "own.jsonl")); err != nil || strings.Count(string(text), "\n") != 3 {
		t.Errorf("the store has\n%s, %v", text, err)
	}
}

// Runs of an algorithm that are under way at once have several processes. If another one cannot be started, all have the first.
func TestAlgorithmProcesses(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("one processor")
	}
	for part, want := range map[string]int{"halvesSlow": 2, "halvesTwice": 1} {
		n, folder := newNotebook(t), t.TempDir()
		n.mustRun(part, envNotes+"="+folder)
		n.mustCope("r = fc(paper(1, 0.4), algorithm=mine, runs=20)")
		text := try.Of(os.ReadFile(filepath.Join(folder, "pids")))
		pids := strings.Fields(string(text))
		slices.Sort(pids)
		if got := len(slices.Compact(pids)); got != want {
			t.Errorf("%s: %d processes, want %d", part, got, want)
		}
	}
}
