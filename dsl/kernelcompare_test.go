package dsl

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/report"
)

const smallKernels = `k1 = task(identity()) * arm(linear())
k2 = arm(rbf(2))
p = problem("small.csv", kernel=k1)
r = fb(p, budget=40, algorithm="CoKernelFB", runs=2)
`

// A sweep takes kernels and problems, calls them by their names, and runs what a script with each of them
// would run.
func TestSweepOfKernels(t *testing.T) {
	s := NewSession(Options{Folder: "testdata"})
	must(t, s, smallKernels+`s = sweep(r, kernel=[k1, k2, arm(linear()), 2*identity()], budget=[30, 40])
ks = [k1, k2]; v = sweep(r, kernel=ks); w = sweep(r, k1=[k2, identity()])
p2 = paper(2); b = fb(p2, budget=50); q = sweep(b, p2=[paper(1), p2])`)
	// A kernel has the name that it is bound to, else its text; a problem likewise.
	for name, want := range map[string]string{
		"s": "[[k1, 30], [k1, 40], [k2, 30], [k2, 40], [arm(linear()), 30], [arm(linear()), 40], [2*identity(), 30], [2*identity(), 40]]",
		"v": "[[k1], [k2]]",
		"w": "[[k2], [identity()]]",
		"q": "[[paper case 1, gap 0.1], [p2]]",
	} {
		if got := shown(t, s, fmt.Sprintf(`"{%s.rows.values}"`, name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	// The rows with budget 40, against a script with that kernel alone.
	rows := s.scope["s"].value.Data.(sim.Sweep).Rows
	for i, kernel := range []string{"k1", "k2", "arm(linear())", "2*identity()"} {
		alone := NewSession(Options{Folder: "testdata"})
		must(t, alone, strings.Replace(smallKernels, "kernel=k1", "kernel="+kernel, 1))
		want := alone.scope["r"].value.Data.(engine.Result)
		got := rows[2*i+1].Result
		if got.Answers[0].Estimate != want.Answers[0].Estimate || got.Ridge != want.Ridge {
			t.Errorf("%s: %+v, want %+v", kernel, got.Answers, want.Answers)
		}
	}
	if rows[1].Result.Ridge == rows[3].Result.Ridge {
		t.Error("two kernels gave one ridge: the sweep did not change the kernel")
	}
	// Names of kernels are texts in tables, figures and stores.
	file := filepath.Join(t.TempDir(), "k.svg")
	for _, src := range []string{`s`, `plot(s, x="kernel", y="samples")`, fmt.Sprintf(`plot(s, x="budget", panel="kernel", file=%q)`, file), `sweep(r, kernel=[k1, k2], store="` + file + `.jsonl").rows[1].values[0] == "k2"`} {
		if _, err := evalText(s, src); err != nil {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// The table of kernels has what each fit alone finds.
func TestCompareKernels(t *testing.T) {
	s := NewSession(Options{Folder: "testdata"})
	must(t, s, smallKernels+`ks = [k1, k2, free(1)*arm(linear()) + free(0.1)*identity()]
t = compare_kernels(p, ks)`)
	table := s.scope["t"].value.Data.(report.Table)
	column := func(name string) int {
		return slices.IndexFunc(table.Columns, func(c report.Column) bool { return c.Name == name })
	}
	// The third kernel is fitted in both ways, so free hyperparameters are compared as well.
	for i, kernel := range []string{"k1", "k2", "free(1)*arm(linear()) + free(0.1)*identity()"} {
		must(t, s, fmt.Sprintf("f%d = fit(p, kernel=%s)", i, kernel))
		f := s.scope[fmt.Sprintf("f%d", i)].value.Data.(fit.Fit)
		row := table.Rows[i]
		if math.Abs(row[column("log_likelihood")].(float64)-f.LogLikelihood) > 1e-9 || row[column("loo_error")] != f.CrossValidation.Error || row[column("free")] != len(f.Parameters) {
			t.Errorf("%s: %v, want %g", kernel, row, f.LogLikelihood)
		}
		if want := kernel; i < 2 && row[0] != want {
			t.Errorf("row %d is called %v", i, row[0])
		}
	}
	if !strings.Contains(printValue(s.scope["t"].value), "has the largest marginal likelihood") {
		t.Error(printValue(s.scope["t"].value))
	}
}
