package dsl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/report"
)

// staff starts workers on an exchange and returns the functions that end each of them, and all.
func staff(t *testing.T, ex cluster.Exchange, n int) (ends []func()) {
	t.Helper()
	var all sync.WaitGroup
	for k := range n {
		ctx, cancel := context.WithCancel(context.Background())
		w := &farm.Worker{Exchange: ex, Make: dsl.Remake, Name: fmt.Sprintf("worker-%d", k+1), Build: farm.BuildHere(), Slots: 1}
		all.Go(func() {
			if err := w.Serve(ctx); err != nil {
				t.Error(err)
			}
		})
		ends = append(ends, cancel)
	}
	t.Cleanup(func() {
		for _, end := range ends {
			end()
		}
		all.Wait()
	})
	return ends
}

// shown evaluates a script and returns its displays as JSON, and what was recorded beside it.
func shown(t *testing.T, ctx context.Context, text string, opt dsl.Options) (string, []string, error) {
	t.Helper()
	script, errs := dsl.Parse("demo.cope", text)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var mu sync.Mutex // notices come from any goroutine
	var told []string
	opt.Notice = func(line string) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, line)
	}
	displays, err := dsl.NewSession(opt).Eval(ctx, script)
	var b bytes.Buffer
	if err := report.JSON(&b, report.Document{Displays: displays}); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	return b.String(), slices.Clone(told), err
}

// Two tasks of three arms, which read features of both.
const csv = "task,arm,x_a,z_b,mean,sd\n" +
	"u,one,0.1,0,1.0,0.6\nu,two,0.7,0,0.2,0.6\nu,three,0.4,0,0.5,0.6\n" +
	"v,one,0.1,1,1.1,0.6\nv,two,0.7,1,0.1,0.6\nv,three,0.4,1,0.6,0.6\n"

// awayScripts have everything that is handed in: single experiments and sweeps over names, arguments,
// kernels, problems and algorithms, with data files, formulas, fits and pipes.
var awayScripts = map[string]string{
	"fc": `r = fc(paper(case=2, gap=0.4), delta=0.1, runs=30)
r
compare(r, fc(paper(case=2, gap=0.4), algorithm="IndKernelFC", runs=12, seed=4))`,
	"fb": `p = paper(case=3, gap=0.5)
show(fb(p, budget=90, runs=25))
fb(p, budget=40, algorithm="CoKernelFB", runs=7)`,
	"sweep": `gap = 0.5
p = paper(case=1, gap=gap)
r = fc(p, delta=0.1, runs=9, seed=3)
s = sweep(r, case=1..3, gap=[0.5, 0.8], algorithm=["CoTestFC", "IndKernelFC"])
s
paired(s, reference="IndKernelFC")`,
	"data": `k(x, y) = exp(-sum((x-y)^2))
p = problem("demo.csv", kernel=task(k) * arm(rbf(0.5)) + 0.1*identity())
r = fc(p, runs=11, max_samples=40000)
r
sweep(r, kernel=[task(identity()) * arm(rbf(0.4)), task(k) * arm(linear()) + 0.2*identity()])`,
	"single runs": `r = fc(paper(case=1, gap=0.6))
sweep(r, seed=1..20)`,
}

// Displays have the same bytes if this process or 1, 2 or 16 workers make the runs.
func TestWorkersMakeNoDifference(t *testing.T) {
	if testing.Short() {
		t.Skip("sweeps by workers are for the full run")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "demo.csv"), []byte(csv), 0o600); err != nil {
		t.Fatal(err)
	}
	seed := uint64(12)
	counts := []int{1, 2, 16}
	if testing.Short() {
		counts = []int{3}
	}
	for name, text := range awayScripts {
		t.Run(name, func(t *testing.T) {
			// The overrides of a session travel with the recipe: a name and the seed.
			opt := dsl.Options{Folder: folder, Set: []string{"gap=0.6"}, Seed: &seed}
			if !strings.Contains(text, "gap =") {
				opt.Set = nil
			}
			if strings.Contains(text, "seed=1..") { // a swept seed is not overridden
				opt.Seed = nil
			}
			want, before, err := shown(t, t.Context(), text, opt)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range counts {
				// Memory instead of a server: all that is handed in stays there, and can be counted.
				ex := cluster.NewMemory()
				staff(t, ex, n)
				away := opt
				away.Runner = &farm.Runner{Exchange: ex, Build: farm.BuildHere()}
				got, told, err := shown(t, t.Context(), text, away)
				if err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Errorf("%d workers: the displays differ\nhere    %.2000s\nworkers %.2000s", n, want, got)
				}
				if !slices.Equal(told, before) {
					t.Errorf("%d workers: told %q; here %q", n, told, before)
				}
				runs, err := ex.Runs(t.Context())
				if err != nil || len(runs) == 0 {
					t.Errorf("%d workers: nothing was handed in, error %v", n, err)
				}
			}
		})
	}
}

// Runs that a worker cannot make are made here, and a sentence says why.
func TestRunsThatStayHere(t *testing.T) {
	ex := cluster.NewMemory()
	staff(t, ex, 1)
	// A result of other runs in an argument, in a definition and in a swept definition.
	for text, want := range map[string]string{
		"a = fc(paper(case=1, gap=0.6))\nb = fc(paper(case=1, gap=0.6), runs=3, max_rounds=1 + a.rounds)\nb":                            "it depends on a, the result of other runs",
		"a = fc(paper(case=1, gap=0.6))\nb = fc(paper(case=1, gap=0.6), max_rounds=1 + a.rounds)\nsweep(b, max_samples=[50000, 60000])": "it depends on a, the result of other runs",
		"b = fc(paper(case=1, gap=0.6), runs=2, max_rounds=fc(paper(case=1, gap=0.6)).rounds)\nb":                                       "it depends on the result of other runs",
		"b = fc(paper(case=1, gap=0.6), max_rounds=fc(paper(case=1, gap=0.6)).rounds)\nsweep(b, max_samples=[50000, 60000])":            "b depends on the result of other runs",
	} {
		here, _, err := shown(t, t.Context(), text, dsl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, told, err := shown(t, t.Context(), text, dsl.Options{Runner: &farm.Runner{Exchange: ex, Build: farm.BuildHere()}})
		if err != nil || got != here {
			t.Errorf("%s: other displays than here, error %v", text, err)
		}
		if len(told) != 1 || !strings.Contains(told[0], "are made on this machine instead of by workers: "+want) {
			t.Errorf("%s: told %q, want %s", text, told, want)
		}
	}
	if runs, _ := ex.Runs(t.Context()); len(runs) != 0 { // a recipe that would make them was not sent
		t.Errorf("%q was handed in", runs)
	}
}

// A store has what workers made, as if it was made here, and what is in it is not handed in.
func TestStoreOfWorkers(t *testing.T) {
	const text = `r = fc(paper(case=1, gap=0.6), runs=4)
sweep(r, gap=[0.5, 0.6, 0.7], store="cells.jsonl")`
	const half = `r = fc(paper(case=1, gap=0.6), runs=4)
sweep(r, gap=[0.6], store="cells.jsonl")`
	here, there := t.TempDir(), t.TempDir()
	var want, got string
	if testing.Short() {
		t.Skip("sweeps by workers are for the full run")
	}
	ex := cluster.NewMemory()
	staff(t, ex, 2)
	for _, script := range []string{half, text, text} {
		// Half of the sweep first, then all of it, then once more with nothing to make.
		var err error
		if want, _, err = shown(t, t.Context(), script, dsl.Options{Folder: here}); err != nil {
			t.Fatal(err)
		}
		if got, _, err = shown(t, t.Context(), script, dsl.Options{Folder: there, Runner: &farm.Runner{Exchange: ex, Build: farm.BuildHere()}}); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("other displays than here:\n%s\n%s", want, got)
		}
	}
	jobs, _ := ex.Runs(t.Context())
	jobs = slices.DeleteFunc(jobs, func(run string) bool { return strings.Count(run, "-") != 2 }) // signs of life of a caller
	if len(jobs) != 5 {                                                                           // r three times, and the third sweep has all it needs
		t.Errorf("handed in as %q", jobs)
	}
	a, errA := os.ReadFile(filepath.Join(here, "cells.jsonl"))
	b, errB := os.ReadFile(filepath.Join(there, "cells.jsonl"))
	if errA != nil || errB != nil || !slices.Equal(lines(a), lines(b)) {
		t.Errorf("the stores differ, errors %v %v", errA, errB)
	}
}

// lines returns the lines of a file in an order of their own: workers finish in any.
func lines(text []byte) []string {
	out := strings.Split(string(text), "\n")
	slices.Sort(out)
	return out
}

// An interrupt keeps what is finished, in the order of the sweep, and takes the rest back.
func TestInterruptedWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	const text = `r = fc(paper(case=1, gap=0.2), runs=40)
sweep(r, seed=1..30)`
	ex := cluster.NewMemory()
	staff(t, ex, 2)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// One worker's progress may come before the other one has begun.
	var labels []string
	script, errs := dsl.Parse("demo.cope", text)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	s := dsl.NewSession(dsl.Options{Runner: &farm.Runner{Exchange: ex, Build: farm.BuildHere()}, Progress: func(a dsl.Activity) {
		labels = append(labels, a.Label+" "+a.Note)
		if a.Total == 1200 && a.Done > 300 { // more than a quarter of 30 combinations with 40 runs each
			cancel()
		}
	}})
	displays, err := s.Eval(ctx, script)
	if !errors.Is(err, context.Canceled) || len(displays) != 1 {
		t.Fatalf("%d displays, error %v", len(displays), err)
	}
	rows := displays[0].Value.(sim.Sweep).Rows
	if len(rows) < 2 || len(rows) > 25 {
		t.Errorf("%d rows", len(rows))
	}
	last := 0.0
	// Rows come in the order of the seeds, each whole.
	for _, row := range rows {
		if v := row.Values[0].(float64); v <= last || row.Result.Runs != 40 || row.Result.LowerBoundSamples == 0 {
			t.Errorf("seed %g after %g: %d runs, lower bound %g", v, last, row.Result.Runs, row.Result.LowerBoundSamples)
		} else {
			last = v
		}
	}
	if !slices.ContainsFunc(labels, func(l string) bool {
		return strings.Contains(l, "sweep of fc over seed 2 workers: worker-") || strings.Contains(l, "sweep of fc over seed 1 worker: worker-")
	}) {
		t.Errorf("the progress %q names no worker", labels)
	}
	// nothing of the sweep is left in the queue
	soon, stop := context.WithCancel(context.Background())
	stop()
	if taken, err := ex.Take(soon); err == nil {
		t.Errorf("%s is left in the queue", taken.Work().ID)
	}
}
