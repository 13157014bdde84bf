package dsl

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
)

const familySweep = `V = 2
d = 2
p = family(tasks=V, dimension=d, arms=5, rank=2, gap=0.4)
r = fc(p, delta=0.05, runs=2)
s = sweep(r, V=[2, 4], d=[2, 3], algorithm=["CoKernelFC", "CoTestFC"])
`

// Bounds are measures of a sweep under every schedule and algorithm, and swept numbers are numbers on the axis. Package bounds computes
// the same for each problem; bounds.TestFamilyByPlainMatrices recomputes its numbers.
func TestBoundMeasures(t *testing.T) {
	s := NewSession(Options{})
	table := valuesOf(t, s, familySweep+`measures(s, y=["samples", "information_gain", "effective_dimension", "rank_joint", "theorem",
    "corollary_a", "corollary_b", "corollary_c", "lower_bound"])`)[0].(report.Table)
	if got := table.ColumnNames()[:3]; !slices.Equal(got, []string{"V", "d", "algorithm"}) || len(table.Rows) != 8 {
		t.Fatalf("columns %v, %d rows", got, len(table.Rows))
	}
	for i := range table.Rows {
		row := table.Row(i)
		size := problem.FamilySize{Tasks: int(row["V"].(float64)), Dimension: int(row["d"].(float64)), Arms: 5, Rank: 2}
		p := try.Of(problem.Family(size, 0.4, 1))
		b := try.Of(bounds.Compute(t.Context(), p, engine.Options{Delta: 0.05}))
		if int(b.Tasks) != size.Tasks || b.Arms != 5*size.Tasks {
			t.Errorf("%d tasks and %d arms in all", b.Tasks, b.Arms)
		}
		for name, want := range map[string]any{
			"information_gain": b.InformationGain, "effective_dimension": b.EffectiveDimension, "rank_joint": 2 * size.Dimension,
			"theorem": b.Theorem.FC, "corollary_a": b.Corollary.FC.A, "corollary_b": b.Corollary.FC.B, "corollary_c": b.Corollary.FC.C,
			"lower_bound": b.LowerBoundSamples,
		} {
			got := row[name]
			if x, is := got.(float64); is && math.Abs(x-want.(float64)) <= 1e-9*x {
				continue
			}
			if got != want {
				t.Errorf("V=%v, d=%v: %s is %v, want %v", row["V"], row["d"], name, got, want)
			}
		}
	}
	f := valuesOf(t, s, `plot(s, x="V", panel="d", y=["samples", "theorem", "corollary_c", "lower_bound"])`)[0].(report.Figure)
	// two algorithms, and each bound once
	if len(f.Panels) != 2 || f.Categories != nil || len(f.Panels[0].Series) != 5 || !slices.Equal(f.Panels[0].Series[0].X, []float64{2, 4}) {
		t.Errorf("%d panels, %+v", len(f.Panels), f.Panels[0])
	}
	f = valuesOf(t, s, `w = sweep(r, V=[2, 4], schedule=["paper", "tuned"], algorithm=["CoKernelFC", "IndRAGE"])
plot(w, x="V", y=["samples", "theorem"])`)[0].(report.Figure)
	if names := lists.Map(f.Series, func(s report.Series) string { return s.Name }); !slices.Contains(names, "Theorem 1") || len(names) != 6 {
		t.Errorf("series %q", names)
	}
	f = valuesOf(t, s, `plot(s, x="d", panel="V", y=["information_gain", "effective_dimension"])`)[0].(report.Figure)
	if len(f.Panels[0].Series) != 2 || f.Panels[0].Series[0].Reference {
		t.Errorf("quantities alone: %+v", f.Panels[0].Series)
	}
}

// Without names, measures shows every swept name and every measure that a result has.
func TestAllMeasures(t *testing.T) {
	table := valuesOf(t, NewSession(Options{}), familySweep+"measures(s)")[0].(report.Table)
	for _, name := range []string{"V", "d", "algorithm", "samples", "rounds", "bytes", "error", "information_gain", "corollary_c", "lower_bound"} {
		if !slices.Contains(table.ColumnNames(), name) {
			t.Errorf("no column %s in %v", name, table.ColumnNames())
		}
	}
}

// A fixed budget has the error bounds of Theorem 2 and Corollary 2.
func TestBoundMeasuresOfBudgets(t *testing.T) {
	table := valuesOf(t, NewSession(Options{}), `b = fb(family(rank=2, gap=1), budget=40000, algorithm="CoKernelFB", runs=2)
w = sweep(b, tasks=[2, 5])
measures(w, y=["error", "theorem_error", "corollary_c_error", "information_gain"])`)[0].(report.Table)
	for i := range table.Rows {
		theorem, is := table.Row(i)["theorem_error"].(float64)
		corollary, isToo := table.Row(i)["corollary_c_error"].(float64)
		if !is || !isToo || !(theorem > 0 && theorem <= corollary && corollary <= 1) {
			t.Errorf("row %v", table.Row(i))
		}
	}
}

// Problems of a sweep that another program bound have their own names, unless two have the same one.
func TestNamesOfSweptProblems(t *testing.T) {
	s := NewSession(Options{Folder: "testdata"})
	must(t, s, `problem_1 = problem("small.csv", kernel=arm(linear()), noise=1, name="rough")
problem_2 = problem("small.csv", kernel=arm(rbf(2)), noise=1, name="smooth")
problem_3 = problem("small.csv", kernel=arm(rbf(3)), noise=1, name="smooth")
b = fb(problem_1, budget=30, runs=1)
s = sweep(b, problem_1=[problem_1, problem_2])
w = sweep(b, problem_1=[problem_1, problem_2, problem_3])`)
	for name, want := range map[string]string{"s": "[[rough], [smooth]]", "w": "[[problem_1], [problem_2], [problem_3]]"} {
		if got := shown(t, s, `"{`+name+`.rows.values}"`); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// The error for a lower bound that no result has gives the reason.
func TestNoBoundHasReason(t *testing.T) {
	const foreign = "r = fc(with_kernel(paper(case=3), arm(linear())), delta=0.1, max_samples=100"
	for runs, want := range map[string]string{
		foreign + ")":                     "the kernel cannot represent the expected rewards",
		foreign + ", misfit=2)":           "and misfit= is stated",
		"r = fb(paper(case=1), budget=9)": "the lower bound is for fc",
	} {
		s := NewSession(Options{})
		must(t, s, runs+"\nw = sweep(r, seed=[1, 2])")
		for _, use := range []string{`plot(w, y="lower_bound")`, `plot(w, y=["samples", "lower_bound"])`, `measures(w, y="ratio")`, `plot([r, r], y="ratio")`} {
			if _, err := evalText(s, use); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "ther measures are ") {
				t.Errorf("%s\n%s: error %v, want %q", runs, use, err, want)
			}
		}
	}
}
