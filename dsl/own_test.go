package dsl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/report"
)

// equally pulls every arm equally often in one round, and recommends the largest means.
type equally struct {
	p     *problem.Problem
	pulls int
	means []float64
}

func (a *equally) Plan(context.Context) (engine.Plan, error) {
	counts := make([]int, a.p.N())
	for i := range counts {
		counts[i] = a.pulls
	}
	return engine.Plan{Round: 1, Counts: counts}, nil
}
func (a *equally) Learn(_ context.Context, b engine.Batch) error { a.means = b.Means; return nil }
func (a *equally) Done() bool                                    { return a.means != nil }
func (a *equally) State() engine.State {
	s := engine.State{Estimates: a.means}
	for v := range a.p.V() {
		lo, hi := a.p.ArmsOf(v)
		best := lo
		for i := lo; i < hi && a.means != nil; i++ {
			if a.means[i] > a.means[best] {
				best = i
			}
		}
		s.Answers = append(s.Answers, engine.Answer{Leader: a.p.Arms.Names[best], Decided: a.means != nil})
	}
	return s
}

func equalEntry(pulls int, digest string) algorithms.Entry {
	return algorithms.Entry{Digest: digest, New: func(m *model.Model, _ engine.Options) (engine.Algorithm, error) {
		return &equally{p: m.Problem, pulls: pulls}, nil
	}}
}

// An algorithm of your own is named like those of the catalogue: in runs, sweeps and comparisons, in both modes, and results name it.
func TestOwnAlgorithm(t *testing.T) {
	s := NewSession(Options{Rebind: true})
	put(t, s, "mine", equalEntry(20, ""))
	must(t, s, `p = paper(1, 0.4)
r = fc(p, algorithm=mine, schedule="tuned", runs=20)
b = fb(p, algorithm=mine, budget=600, runs=5)
c = fc(p, runs=20)
s = sweep(c, algorithm=["CoKernelFC", mine])
compare(r, c)
t = compare(c, algorithm=["CoKernelFC", mine])`)
	v, _, _ := s.Value("r")
	r := v.(engine.Result)
	if r.Algorithm != "mine" || r.Standing != engine.StandingNone || !strings.Contains(r.Guarantee, "none: the algorithm mine is your own") {
		t.Errorf("%s: %s, %s", r.Algorithm, r.Standing, r.Guarantee)
	}
	v, _, _ = s.Value("s")
	if rows := v.(sim.Sweep).Rows; len(rows) != 2 || rows[1].Values[0] != "mine" || rows[1].Result.Algorithm != "mine" ||
		rows[1].Result.SamplesPerAgent != r.SamplesPerAgent {
		t.Errorf("%+v", rows)
	}
	v, _, _ = s.Value("t")
	rows, want := v.(report.Table).Rows, []string{"CoKernelFC", "mine"}
	if len(rows) != 2 || fmt.Sprint(rows[0][0]) != want[0] || fmt.Sprint(rows[1][0]) != want[1] {
		t.Errorf("compared %v", rows)
	}
	for script, want := range map[string]string{
		`compare(c, gap=[0.4, 0.8])`:                 "compare varies the algorithm only, and this is gap",
		`compare(c, b, algorithm=["CoKernelFC"])`:    "algorithm= runs one result or problem",
		`compare(c, algorithm="nothing")`:            "algorithm",
		`compare(c, algorithm=["CoKernelFC", "no"])`: `"no"`,
		`compare(fc(p), algorithm=["CoKernelFC"])`:   "then compare(r, …)",
	} {
		if _, err := evalText(s, script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", script, err, want)
		}
	}
	if got := shown(t, s, "mine"); got != "the algorithm mine of a Go cell" {
		t.Errorf("shown as %v", got)
	}
	for script, want := range map[string]string{
		`protocol(paper(1, 0.4), algorithm=mine)`:            "algorithm is an algorithm of your own; it must be",
		`sweep(c, algorithm=[mine, mine])`:                   "Two different algorithms need two names",
		`"{mine}"`:                                           "cannot be part of a text",
		`fc(paper(1, 0.4), algorithm=mine, runs=2, delta=2)`: "delta is 2",
		`fc(paper(1, 0.4), algorithm=5)`:                     "an algorithm of your own",
	} {
		if _, err := evalText(s, script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", script, err, want)
		}
	}
	put(t, s, "mine", equalEntry(30, ""))
	if stale := s.Stale(); len(stale) != 4 { // r, b, s and t
		t.Errorf("stale are %v", stale)
	}
	for name, e := range map[string]algorithms.Entry{"set New, the function": {}, "CoTestFC is an algorithm of gonb-cope": {Name: "CoTestFC"}} {
		if err := s.Put("bad", e); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want %q, got %v", name, err)
		}
	}
}

// A store keeps the results of an algorithm of your own by its digest: the same program is not run again, and a changed one is.
func TestOwnAlgorithmStored(t *testing.T) {
	dir := t.TempDir()
	stored := func(digest string) (int, error) {
		s := NewSession(Options{Rebind: true, Folder: dir})
		put(t, s, "mine", equalEntry(5, digest))
		if _, err := evalText(s, "r = fc(paper(1, 0.4), runs=2)\ns = sweep(r, algorithm=[mine], store=\"own.jsonl\")"); err != nil {
			return 0, err
		}
		v, _, _ := s.Value("s")
		return v.(sim.Sweep).Stored, nil
	}
	for i, c := range []struct {
		digest string
		want   int
	}{{"first", 0}, {"first", 1}, {"second", 0}, {"first", 1}} {
		if got, err := stored(c.digest); err != nil || got != c.want {
			t.Errorf("%d: %d stored results used, want %d, %v", i, got, c.want, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "own.jsonl")); err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("the store has\n%s, %v", text, err)
	}
	if _, err := stored(""); err == nil || !strings.Contains(err.Error(), "are not stored without Digest") {
		t.Errorf("without a digest: %v", err)
	}
}
