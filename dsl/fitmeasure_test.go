package dsl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/fit"
)

// Five agents with the same task gain by sharing, nearly fivefold; five with tasks that have
// nothing in common gain nothing, and the fit says so.
func TestFitMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("180 runs")
	}
	measured := func(number string) fit.Fit {
		t.Helper()
		s := NewSession(Options{Workers: 1})
		shown := must(t, s, "fit(paper(case="+number+", gap=2), measure=60)")[0].Value
		return shown.(fit.Fit)
	}
	// The paper's case 1 has five tasks alike, and case 3 five that differ. The intervals leave room for chance.
	same := measured("1")
	if m := same.Sharing.Measured; m.Runs != 60 || m.Speedup.CI95[0] < 2.5 || m.Speedup.CI95[1] > 8 {
		t.Errorf("same tasks: %+v", m)
	}
	other := measured("3")
	if m := other.Sharing.Measured; m.Speedup.CI95[0] > 1.2 || m.Speedup.CI95[1] < 0.8 {
		t.Errorf("different tasks: %+v", m)
	}
	if w := fmt.Sprint(other.Warnings); !strings.Contains(w, "in simulated runs") {
		t.Errorf("different tasks: warnings %q", w)
	}
}

// An interrupt of the simulated runs keeps the fit, which came before them.
func TestFitMeasureInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// The fifth finished run interrupts.
	told := false
	s := NewSession(Options{Rebind: true, Workers: 1, Progress: func(a Activity) {
		if told = told || a.Label == "fit CoTestFC"; a.Done >= 5 {
			cancel()
		}
	}})
	script, errs := Parse("cell 1", "f = fit(paper(case=1, gap=2), measure=1000)")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	_, err := s.Eval(ctx, script)
	v, _, _ := s.Value("f") // bound to what was finished
	f, bound := v.(fit.Fit)
	if !errors.Is(err, context.Canceled) || !told || !bound || f.Sharing.Measured != nil {
		t.Fatalf("error %v, progress %v, bound %v, measured %v", err, told, bound, f.Sharing.Measured)
	}
	if w := fmt.Sprint(f.Warnings); !strings.Contains(w, "the run was interrupted before the value of sharing was measured") {
		t.Errorf("warnings %q", w)
	}
}
