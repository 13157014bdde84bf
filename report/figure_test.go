package report

import (
	"testing"
)

// TestFigureOf: which series, axes and reference lines each value gives.
func TestFigureOf(t *testing.T) {
	results := []any{fbResult("CoKernelFB", 3, 0.04), fbResult("IndUniformFB", 22, 0.11)}
	for _, c := range []struct {
		name              string
		value             any
		x, y              string
		series, first     int // number of series, points of the first
		logX, logY        bool
		lines, categories int
		heat              bool
	}{
		// 4 algorithms and one lower bound that they share; gaps .1 to .8 double.
		{"fc sweep", fcSweep(), "", "", 5, 4, true, true, 0, 0, false},
		{"fb sweep", fbSweep(), "budget", "error", 4, 8, false, true, 0, 0, false},
		{"sweep by words", fcSweep(), "algorithm", "ratio", 4, 4, false, true, 1, 4, false},
		{"rounds of a sweep", fcSweep(), "gap", "rounds", 4, 4, true, false, 0, 0, false},
		{"results", results, "", "", 1, 2, false, false, 0, 2, false},
		{"result", fcResult(), "", "", 1, 5, false, false, 0, 5, false},
		{"trace", fcResult(), "round", "pulls", 1, 4, false, true, 0, 0, false},
		{"bounds", boundsReport(), "", "", 1, 5, true, false, 1, 5, false},
		{"budgets, the infinite one left out", boundsReport(), "bound", "budget", 1, 3, true, false, 0, 3, false},
		{"hardness", hardness(), "task", "rho_alone", 1, 3, true, false, 0, 3, false},
		{"spectrum", spectrum(), "", "", 3, 30, false, true, 2, 0, false},
		{"shared arms", allocation(5, 6), "", "", 0, 0, false, false, 0, 0, true},
		{"one task", allocation(1, 70), "arm", "weight", 1, 40, false, false, 0, 40, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := figureFrom(t, c.value, c.x, c.y)
			first := 0
			if len(f.Series) > 0 {
				first = len(f.Series[0].Y)
			}
			if len(f.Series) != c.series || first != c.first || f.LogX != c.logX || f.LogY != c.logY ||
				len(f.Lines) != c.lines || len(f.Categories) != c.categories || (f.Heat != nil) != c.heat {
				t.Errorf("%d series, %d points, log %v %v, %d lines, %d categories, heat %v", len(f.Series), first, f.LogX, f.LogY, len(f.Lines), len(f.Categories), f.Heat != nil)
			}
			if f.Title == "" || f.XLabel == "" || f.YLabel == "" || f.Describe() == "" {
				t.Error("title, labels or description are missing")
			}
		})
	}
}
