package dsl

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/fit"
)

// Five agents with the same task gain by sharing, nearly fivefold; five with tasks that have nothing in common gain
// nothing, and the fit says so.
func TestFitMeasure(t *testing.T) {
	measured := func(number string) fit.Fit {
		t.Helper()
		s := NewSession(Options{Workers: 1})
		shown := must(t, s, "fit(paper(case="+number+", gap=2), measure=60)")[0].Value
		return shown.(fit.Fit)
	}
	same := measured("1")
	if m := same.Sharing.Measured; m.Runs != 60 || m.Speedup.CI95[0] < 2.5 || m.Speedup.CI95[1] > 8 {
		t.Errorf("same tasks: %+v", m)
	}
	other := measured("3")
	if m := other.Sharing.Measured; m.Speedup.CI95[0] > 1.2 || m.Speedup.CI95[1] < 0.8 {
		t.Errorf("different tasks: %+v", m)
	}
	if w := strings.Join(other.Warnings, "\n"); !strings.Contains(w, "in simulated runs") {
		t.Errorf("different tasks: warnings %q", w)
	}
}
