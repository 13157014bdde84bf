package dsl

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// storedScript sweeps 12 combinations, saves the tables of cells and runs.
const storedScript = `
r = fc(paper(case=1, gap=0.4), delta=0.1, runs=5, seed=3)
s = sweep(r, case=1..3, gap=[0.4, 0.8], algorithm=["CoKernelFC", "IndKernelFC"], rows="run", store="cells.jsonl")
save(s, "runs.csv")
save(s, "runs.parquet")
s
`

// evalIn evaluates a script in a folder, with a new session. It is interrupted when the progress
// reaches after, if that is not 0.
func evalIn(t *testing.T, folder, src string, after int) (sim.Sweep, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	script, errs := Parse("demo.cope", src)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	s := NewSession(Options{Folder: folder, Workers: 2, Progress: func(a Activity) {
		if after > 0 && a.Done >= after {
			cancel()
		}
	}})
	displays, err := s.Eval(ctx, script)
	if len(displays) == 0 {
		return sim.Sweep{}, err
	}
	return displays[len(displays)-1].Value.(sim.Sweep), err
}

// read returns the content of a file that must be there.
func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	return try.Of(os.ReadFile(filepath.Join(parts...)))
}

// A sweep that is interrupted again and again, and whose store lost half a line, gives
// in the end the same bytes as one that nothing happened to, and no cell ran twice.
func TestSweepResumes(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	const cells = 12 // 3 cases, 2 gaps and 2 algorithms
	whole := t.TempDir()
	try.Of(evalIn(t, whole, strings.Replace(storedScript, `, store="cells.jsonl"`, "", 1), 0))
	folder := t.TempDir()
	store := filepath.Join(folder, "cells.jsonl")
	finished := 0
	// Each interrupt comes a few runs later; the store has every combination that was finished.
	for _, after := range []int{7, 21, 22, 48} { // of 60 runs
		got, err := evalIn(t, folder, storedScript, after)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted at %d: %v", after, err)
		}
		kept := bytes.Count(read(t, store), []byte("\n"))
		if got.Stored != finished || len(got.Rows) < after/5 || len(got.Rows) >= cells || kept != len(got.Rows) {
			t.Errorf("interrupted at %d: %d rows, %d of them from %d that were finished, %d in the store", after, len(got.Rows), got.Stored, finished, kept)
		}
		finished = kept
		if after == 22 { // killed while writing
			text := read(t, store)
			try.To(os.WriteFile(store, text[:len(text)-10], 0o644))
			finished--
		}
	}
	got, err := evalIn(t, folder, storedScript, 0)
	if err != nil || got.Stored != finished || len(got.Rows) != cells {
		t.Fatalf("%d rows, %d of them from %d that were finished, error %v", len(got.Rows), got.Stored, finished, err)
	}
	// Tables have the same bytes, whatever was read from the store.
	for _, file := range []string{"runs.csv", "runs.parquet"} {
		if !bytes.Equal(read(t, folder, file), read(t, whole, file)) {
			t.Errorf("%s of the interrupted sweep is other than the whole one's", file)
		}
	}
	// A second run makes nothing, a larger sweep makes what is new, and another seed makes all.
	before := read(t, store)
	if again, err := evalIn(t, folder, storedScript, 0); err != nil || again.Stored != cells || !bytes.Equal(before, read(t, store)) {
		t.Errorf("again: %d of %d from the store, error %v", again.Stored, cells, err)
	}
	larger := strings.Replace(storedScript, "[0.4, 0.8]", "[0.4, 0.6, 0.8]", 1)
	if more, err := evalIn(t, folder, larger, 0); err != nil || more.Stored != cells || len(more.Rows) != 18 {
		t.Errorf("a larger sweep: %d of %d from the store, error %v", more.Stored, len(more.Rows), err)
	}
	if other, err := evalIn(t, folder, strings.Replace(storedScript, "seed=3", "seed=4", 1), 0); err != nil || other.Stored != 0 {
		t.Errorf("another seed: %d from the store, error %v", other.Stored, err)
	}
}

// A file that is not a store is refused under its name and left unchanged.
func TestWrongStore(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "cells.jsonl")
	try.To(os.WriteFile(path, []byte("{\"a\": 1}\n"), 0o644))
	_, err := evalIn(t, folder, storedScript, 0)
	if err == nil || !strings.Contains(err.Error(), "demo.cope:3:100: cannot use the store \"cells.jsonl\"") || !strings.Contains(err.Error(), "cells.jsonl:1") {
		t.Errorf("error %v", err)
	}
	if string(read(t, path)) != "{\"a\": 1}\n" {
		t.Error("the file was changed")
	}
}

// A store that cannot be opened is reported under its name, before anything runs.
func TestStoreInNoFolder(t *testing.T) {
	_, err := evalIn(t, t.TempDir(), strings.Replace(storedScript, "cells.jsonl", "nowhere/c.jsonl", 1), 0)
	if err == nil || !strings.Contains(err.Error(), "cannot use the store \"nowhere/c.jsonl\"") || !strings.Contains(err.Error(), "no such file or directory") {
		t.Errorf("error %v", err)
	}
}

// The progress of a sweep counts what the store has as done, and as no work.
func TestProgressOfAStore(t *testing.T) {
	folder := t.TempDir()
	if _, err := evalIn(t, folder, storedScript, 30); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	script, _ := Parse("demo.cope", storedScript)
	var last, first Activity
	s := NewSession(Options{Folder: folder, Workers: 1, Progress: func(a Activity) {
		if !strings.HasPrefix(a.Label, "sweep") {
			return
		}
		if a.Stored%5 != 0 || a.Stored > a.Done || a.Done < last.Done { // whole combinations of 5 runs
			t.Errorf("%+v after %+v", a, last)
		}
		if _, known := a.Remaining(time.Second); known && first.Total == 0 {
			first = a
		}
		last = a
	}})
	try.Of(s.Eval(context.Background(), script))
	if last.Label == "" || last.Done != 60 || last.Total != 60 || last.Stored < 30 || last.Stored > 55 {
		t.Errorf("ended at %+v", last)
	}
	// The first estimate is made after the first run, whatever came from the store.
	made := first.Done - first.Stored
	if left, _ := first.Remaining(time.Second); made != 1 || left != time.Duration(60-first.Done)*time.Second {
		t.Errorf("first estimate %v from %+v", left, first)
	}
}

// TestFailedCellKeepsTheRest: a combination that cannot be run ends the sweep with an
// error that names it, and what was finished is shown and bound.
func TestFailedCellKeepsTheRest(t *testing.T) {
	s := NewSession(Options{})
	script, _ := Parse("demo.cope", `
second = 0.5
r = fb(classic([1, second]), 20, runs=3)
s = sweep(r, second=[0.5, 1], algorithm=["IndUniformFB", "Oracle"])
`)
	displays, err := s.Eval(context.Background(), script)
	if err == nil || !strings.Contains(err.Error(), "second=1, algorithm=Oracle") {
		t.Fatalf("error %v", err)
	}
	if len(displays) != 1 || len(displays[0].Value.(sim.Sweep).Rows) != 3 {
		t.Errorf("displays %v", displays)
	}
	if v, _, ok := s.Value("s"); !ok || len(v.(sim.Sweep).Rows) != 3 {
		t.Errorf("s is %v", v)
	}
}
