package dsl

import (
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/report"
)

// TestPlotPosterior: results of posterior methods and of tests have their picture from a script, with
// and without known means.
func TestPlotPosterior(t *testing.T) {
	values := valuesOf(t, NewSession(Options{Folder: "testdata"}), `
p = problem("small.csv", kernel=task(identity())*arm(rbf(1)), noise=0.1)
b = fc(p, algorithm="CoBayesFC", epsilon=0.1, runs=3)
c = fc(p, epsilon=0.1)
d = fb(p, 20)
plot(b, posterior=true)
plot(c, posterior=true, reference=false, width=1)
plot(d, posterior=true, x="round", task="oslo")
`)
	for i, want := range []string{"Posterior of the arms by CoBayesFC", "Estimates of the arms by CoTestFC", "of the arms by"} {
		f := values[i].(report.Figure)
		if !strings.Contains(f.Title, want) {
			t.Errorf("%q, want %q", f.Title, want)
		}
	}
	// The series of all panels.
	named := func(f report.Figure) (names []string) {
		for _, p := range f.Parts() {
			for _, s := range p.Series {
				names = append(names, s.Name)
			}
		}
		return names
	}
	// reference=false leaves the truth out
	if with, without := named(values[0].(report.Figure)), named(values[1].(report.Figure)); !slices.Contains(with, "true mean") || slices.Contains(without, "true mean") {
		t.Errorf("series %q and %q", with, without)
	}
	if f := values[2].(report.Figure); len(f.Panels) != 0 || f.XLabel != "round" {
		t.Errorf("%d panels along %s", len(f.Panels), f.XLabel)
	}
}

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
