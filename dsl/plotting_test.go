package dsl

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/report"
)

// TestPlotWhere: a script draws how many arms were open and where.
func TestPlotWhere(t *testing.T) {
	values := valuesOf(t, NewSession(Options{Folder: "testdata"}), `
p = problem("small.csv", kernel=task(identity())*arm(rbf(1)), noise=0.1)
r = fc(p, epsilon=0.1)
plot(r, x="round", y="open")
plot(r, where=p)
plot(r, where=p, x="x_b", task="oslo")
`)
	if f := values[0].(report.Figure); len(f.Series) != 2 || f.YLabel != "arms open" {
		t.Errorf("%d series of %s", len(f.Series), f.YLabel)
	}
	// A map has a mark for each task, or for the one that was asked for.
	for i, tasks := range []int{2, 1} {
		if f := values[1+i].(report.Figure); f.Heat == nil || len(f.Heat.RowMarks) != tasks {
			t.Errorf("map %d: %v", i, f.Heat)
		}
	}
}

// TestMeasuresAreOneTable: help lists for every kind of value the measures that plot accepts of it.
func TestMeasuresAreOneTable(t *testing.T) {
	help := inspection(functionHelp("plot")).Text
	for _, word := range []string{"lower_bound", "theorem_error", "task_error", "relative_regret", "rho_alone", "eigenvalue", "similarity", "beta"} {
		if !strings.Contains(help, word) {
			t.Errorf("help does not list %q:\n%s", word, help)
		}
	}
}
