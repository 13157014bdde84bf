package dsl

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The progress of one activity never goes back, keeps its label and its total, begins at 0 and ends
// with all of it, also where the number of runs is swept.
func TestProgress(t *testing.T) {
	for statement, want := range map[string]struct { // label and steps of the whole activity
		label string
		total int
	}{
		"fc(p, runs=7, delta=0.1)":          {"fc CoTestFC", 7},
		"fb(p, budget=50, runs=3)":          {"fb CoBayesFB", 3},
		"sweep(r, g=[0.4, 0.8], seed=1..3)": {"sweep of fc over g and seed", 12},
		"plan(p, delta=0.1, runs=2)":        {"plan paper case 1, gap 0.4", 2 * 4},
		"plan(p, gaps=[0.4, 0.8], runs=2)":  {"plan paper case 1, gap 0.4", 2 * 4 * 2},
		// two methods cannot run
		`plan(p, xi=1e14, runs=2)`:            {"plan paper case 1, gap 0.4", 2 * 4},
		"sweep(r, runs=[4, 1, 9])":            {"sweep of fc over runs", 12},
		`sweep(r, algorithm=["IndKernelFC"])`: {"sweep of fc over algorithm", 2},
	} {
		script, errs := Parse("demo.cope", statement)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		last, told := -1, 0
		s := NewSession(Options{Workers: 2})
		must(t, s, sweepScript)
		s.opt.Progress = func(a Activity) {
			done, total := a.Done, a.Total
			if a.Label != want.label || total != want.total {
				t.Errorf("%s: %q, %d in all; want %q, %d", statement, a.Label, total, want.label, want.total)
			}
			// It begins at nothing and never goes back.
			if told++; told == 1 && done != 0 || done < last || done > total {
				t.Errorf("%s: %d after %d of %d", statement, done, last, total)
			}
			last = done
		}
		try.Of(s.Eval(context.Background(), script))
		if last != want.total {
			t.Errorf("%s: ended at %d of %d", statement, last, want.total)
		}
	}
}

// In a notebook an interrupt leaves the name bound to what was finished, displays it
// and says so; a name for which nothing was finished keeps its value.
func TestInterruptedBinding(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	// interrupted evaluates a cell and interrupts it after that many steps; 0 means before the first.
	interrupted := func(s *Session, src string, after int) ([]any, error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if after == 0 {
			cancel()
		}
		s.opt.Progress = func(a Activity) {
			if a.Done >= after {
				cancel()
			}
		}
		script, errs := Parse("cell 3", src)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		displays, err := s.Eval(ctx, script)
		var values []any
		for _, d := range displays {
			values = append(values, d.Value)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", src, err)
		}
		return values, err
	}
	s := NewSession(Options{Rebind: true, Workers: 1})
	must(t, s, sweepScript)
	values, err := interrupted(s, "r = fc(p, delta=0.1, runs=1000)", 10)
	v, _, _ := s.Value("r")
	r := v.(engine.Result)
	// At least the runs that the interrupt waited for, and few more.
	if r.Runs < 10 || r.Runs > 20 || r.Asked != 1000 || r.Status != engine.StatusInterrupted || len(r.Answers) != 5 {
		t.Errorf("r has %d of %d runs, %s, %d answers", r.Runs, r.Asked, r.Status, len(r.Answers))
	}
	if len(values) != 1 || !strings.Contains(err.Error(), "hint: r has the finished part, shown above") {
		t.Errorf("%d displays, error %v", len(values), err)
	}
	if definition, _ := s.Definition("r"); definition != "r = fc(p, delta=0.1, runs=1000)" {
		t.Errorf("definition %q", definition)
	}
	// What a sweep had not finished does not count.
	_, err = interrupted(s, "s = sweep(r, seed=1..3)", 5)
	if _, _, bound := s.Value("s"); bound || !strings.Contains(err.Error(), "s has no value, because nothing was finished") {
		t.Errorf("s is bound: %v, error %v", bound, err)
	}
	// A name keeps the value that it had, unless a part of the new one is there.
	must(t, s, "r = fc(p, delta=0.1, runs=2)\ns = sweep(r, seed=1..2)")
	_, err = interrupted(s, "s = sweep(r, seed=1..100)", 1)
	if v, _, _ := s.Value("s"); len(v.(sim.Sweep).Rows) != 2 || !strings.Contains(err.Error(), "s keeps its earlier value") {
		t.Errorf("s is %+v, error %v", v, err)
	}
	_, err = interrupted(s, "s = sweep(r, seed=1..100)", 9)
	if v, _, _ := s.Value("s"); len(v.(sim.Sweep).Rows) != 4 {
		t.Errorf("s has %d rows, error %v", len(v.(sim.Sweep).Rows), err)
	}
	// Two methods of 1000 runs each: the first is whole, and the second has some.
	values, err = interrupted(s, "q = plan(p, runs=1000)", 1010)
	if v, _, _ := s.Value("q"); len(values) != 1 || len(v.(plan.Forecast).Rows) != 2 || v.(plan.Forecast).Rows[1].Runs > 20 {
		t.Errorf("q is %+v, error %v", v, err)
	}
	_, err = interrupted(s, "x = 1\nfc(p, runs=5)", 0)
	if _, _, bound := s.Value("x"); bound || !strings.Contains(err.Error(), "x has no value") {
		t.Errorf("x is bound: %v, error %v", bound, err)
	}
	// nothing of the interrupts is left in r
	if got := must(t, s, "r")[0].Value.(engine.Result); got.Status == engine.StatusInterrupted || got.Runs != 2 {
		t.Errorf("after an interrupt: %+v", got)
	}
}
