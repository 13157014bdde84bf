package dsl

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/report"
)

// TestResultsAreNamed: a result has the name that it is bound to, and comparisons of results under
// different kernels show names and kernels; a swept result has none.
func TestResultsAreNamed(t *testing.T) {
	s := NewSession(Options{Folder: "testdata"})
	// Two results of kernels that differ, one under a second name, and a sweep.
	values := valuesOf(t, s, `
b = fc(problem("small.csv", kernel=task(identity())*arm(rbf(1)), noise=0.1), epsilon=0.5)
c = fc(problem("small.csv", kernel=task(identity())*arm(rbf(2)), noise=0.1), epsilon=0.5)
d = c
compare(b, c)
plot([b, c])
sweep(d, delta=[0.1, 0.2])
d
`)
	table, f := values[0].(report.Table), values[1].(report.Figure)
	if table.Columns[0].Name != "name" || table.Rows[0][0] != "b" || table.Rows[1][0] != "c" || table.Columns[1].Name != "kernel" {
		t.Errorf("%v\n%v", table.Columns, table.Rows)
	}
	if len(f.Categories) != 2 || !strings.HasPrefix(f.Categories[0], "b: ") || !strings.Contains(f.Categories[1], "arm(rbf(2))") {
		t.Errorf("bars %q", f.Categories)
	}
	if got := values[3].(engine.Result).Name; got != "d" { // the last name counts
		t.Errorf("d = c is named %q", got)
	}
	if sweep, _ := report.FigureOf(values[2], report.PlotOptions{}); len(sweep.Series) == 0 || sweep.Title == "" {
		t.Error("the sweep has no figure")
	}
	put(t, s, "g", values[3])
	if v, _, _ := s.Value("g"); v.(engine.Result).Name != "g" {
		t.Errorf("a result bound by Put is named %q", v.(engine.Result).Name)
	}
}
