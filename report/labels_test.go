package report

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// labelled returns results of CoTestFC bound to b, c, ..., changed one by one.
func labelled(n int, change func(i int, r *engine.Result)) []engine.Result {
	out := make([]engine.Result, n)
	for i := range out {
		out[i] = engine.Result{
			Mode: "fc", Algorithm: "CoTestFC", Problem: "machines", Name: string(rune('b' + i)), Delta: 0.05,
			Kernel: "task(rbf(1)) * arm(rbf(10))", Noise: "2", Asked: 10, Seed: 1,
		}
		change(i, &out[i])
	}
	return out
}

func TestLabels(t *testing.T) {
	kernels := []string{
		"task(rbf(1)) * arm(rbf(10))", "task(rbf(1)) * arm(matern(10, nu=1.5))", "task(rbf(1)) * arm(linear())",
		"task(rbf(1)) * arm(periodic(1, period=24))", "task(rbf(1)) * arm(400 + 30*rbf([30, 10]))",
	}
	for _, c := range []struct {
		name    string
		results []engine.Result
		texts   []string
		columns string // names, joined
		what    string
	}{
		{"five kernels", labelled(5, func(i int, r *engine.Result) { r.Kernel = kernels[i] }),
			[]string{"b: … * arm(rbf(10))", "c: … * arm(matern(10, nu=1.5))", "d: … * arm(linear())", "e: … * arm(periodic(1, period=24))", "f: … * arm(400 + 30*rbf([30, 10]))"},
			"name kernel", "result"},
		{"kernels without names", labelled(2, func(i int, r *engine.Result) { r.Name, r.Kernel = "", kernels[i] }),
			[]string{"… * arm(rbf(10))", "… * arm(matern(10, nu=1.5))"}, "kernel", "kernel"},
		{"algorithms only", labelled(2, func(i int, r *engine.Result) { r.Algorithm = []string{"CoTestFC", "IndTestFC"}[i] }),
			[]string{"CoTestFC", "IndTestFC"}, "", "algorithm"},
		{"schedules only", labelled(2, func(i int, r *engine.Result) {
			r.Algorithm, r.Schedule = "CoKernelFC", []string{"tuned", "paper"}[i]
		}), []string{"CoKernelFC (tuned)", "CoKernelFC (paper)"}, "", "algorithm"},
		{"algorithms and seeds", labelled(2, func(i int, r *engine.Result) {
			r.Algorithm, r.Seed = []string{"CoTestFC", "IndTestFC"}[i], uint64(i)
		}), []string{"CoTestFC", "IndTestFC"}, "", "algorithm"},
		{"algorithm and kernel", labelled(2, func(i int, r *engine.Result) {
			r.Algorithm, r.Kernel = []string{"CoTestFC", "CoBayesFC"}[i], kernels[i]
		}), []string{"b: CoTestFC, … * arm(rbf(10))", "c: CoBayesFC, … * arm(matern(10, nu=1.5))"}, "name kernel", "result"},
		{"options", labelled(3, func(i int, r *engine.Result) {
			r.Delta, r.Noise = []float64{0.05, 0.01, 0.01}[i], []string{"1", "1", "sd 1 to 3"}[i]
			if i > 0 {
				r.Stated = []engine.Setting{{Name: "xi", Value: "gp"}}
			}
		}), []string{"b: noise 1, delta 0.05", "c: noise 1, delta 0.01, xi gp", "d: noise sd 1 to 3, delta 0.01, xi gp"}, "name noise delta xi", "result"},
		{"problems", labelled(2, func(i int, r *engine.Result) { r.Name, r.Problem = "", fmt.Sprint("case ", i+1) }),
			[]string{"case 1", "case 2"}, "problem", "problem"},
		{"seeds alone", labelled(2, func(i int, r *engine.Result) { r.Name, r.Seed = "", uint64(i+1) }),
			[]string{"seed 1", "seed 2"}, "seed", "seed"},
		{"nothing that is known", labelled(2, func(_ int, r *engine.Result) { r.Name = "" }),
			[]string{"1", "2"}, "name", "result"},
		{"the same result twice", labelled(2, func(_ int, r *engine.Result) { r.Name = "b" }),
			[]string{"1", "2"}, "name", "result"},
		{"long kernels without names", labelled(2, func(i int, r *engine.Result) {
			r.Name, r.Kernel = "", fmt.Sprintf("arm(%s%d)", strings.Repeat("a", 60), i)
		}), []string{"1: arm(" + strings.Repeat("a", 60) + "0)", "2: arm(" + strings.Repeat("a", 60) + "1)"}, "kernel", "kernel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := labelsOf(c.results)
			columns, rows := l.lead()
			var names []string
			for _, column := range columns {
				names = append(names, column.Name)
			}
			if !reflect.DeepEqual(l.texts, c.texts) || strings.Join(names, " ") != c.columns || l.what != c.what {
				t.Errorf("texts %q\nwant  %q\ncolumns %v, want %q; %q, want %q", l.texts, c.texts, names, c.columns, l.what, c.what)
			}
			for i, row := range rows {
				if len(row) != len(columns) {
					t.Errorf("row %d has %d cells for %d columns", i, len(row), len(columns))
				}
			}
		})
	}
}

func TestDistinct(t *testing.T) {
	for _, c := range []struct{ kernels, want []any }{
		{[]any{"rbf(1)", "rbf(2)"}, []any{"rbf(1)", "rbf(2)"}},
		{[]any{"rbf(lengthscale=1)", "matern(nu=1.5, lengthscale=2)"}, []any{"rbf(1)", "matern(nu=1.5, lengthscale=2)"}},
		{[]any{"task(a) * arm(b * c)", "task(a) * arm(b * d)"}, []any{"… * arm(b * c)", "… * arm(b * d)"}},
		{[]any{"3*task(a) + arm(b + c)", "2*task(a) + arm(b + c)"}, []any{"3*task(a) + …", "2*task(a) + …"}},
		{[]any{"task(a) + arm(b)", "task(a)"}, []any{"task(a) + arm(b)", "task(a)"}},
		{[]any{`table(names=["a + b"]) + c`, `table(names=["a + b"]) + d`}, []any{"… + c", "… + d"}},
		{[]any{nil, "task(a)"}, []any{nil, "task(a)"}},
	} {
		if got, _ := distinct(c.kernels); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, want %v", c.kernels, got, c.want)
		}
	}
}

// TestFiveKernels: every medium shows which of five results of one algorithm is which.
func TestFiveKernels(t *testing.T) {
	results := make([]engine.Result, 5)
	for i := range results {
		results[i] = fcResult()
		results[i].Algorithm, results[i].Schedule = "CoTestFC", ""
		results[i].Name, results[i].Kernel = string(rune('b'+i)), fmt.Sprintf("task(rbf(1)) * arm(rbf(%d))", i+1)
	}
	d := Document{Displays: []Display{{Value: Compare(results)}}}
	for name, write := range map[string]func() string{
		"text":  func() string { var b strings.Builder; _ = Text(&b, d, TextOptions{}); return b.String() },
		"html":  func() string { var b strings.Builder; _ = HTML(&b, d); return b.String() },
		"latex": func() string { var b strings.Builder; _ = LaTeX(&b, d); return b.String() },
		"json":  func() string { var b strings.Builder; _ = JSON(&b, d); return b.String() },
		"csv":   func() string { var b strings.Builder; _ = CSV(&b, results); return b.String() },
		"bars": func() string {
			f := try.Of(FigureOf(results, PlotOptions{}))
			return strings.Join(f.Categories, "\n")
		},
	} {
		got := write()
		for i := range results {
			if want := fmt.Sprintf("arm(rbf(%d))", i+1); !strings.Contains(got, want) {
				t.Errorf("%s does not show %s:\n%s", name, want, got)
			}
		}
	}
	f, _ := FigureOf(results, PlotOptions{})
	if f.Categories[1] != "c: … * arm(rbf(2))" || f.YLabel != "result" {
		t.Errorf("bars %q, axis %q", f.Categories, f.YLabel)
	}
	csv := resultsView(results)
	rows, _ := csv.table()
	if rows.Columns[0].Name != "name" || rows.Rows[4][0] != "f" {
		t.Errorf("the table begins with %v, %v", rows.Columns[0], rows.Rows[4])
	}
}
