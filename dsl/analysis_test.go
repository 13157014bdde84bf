package dsl

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
)

// It has a sweep of fixed confidence and one of fixed budget.
const analysed = `
r = fc(paper(case=1, gap=0.4), delta=0.1, runs=20)
s = sweep(r, case=[1, 3], gap=[0.4, 0.8], algorithm=["CoKernelFC", "IndKernelFC", "IndRAGE"])
b = fb(paper(case=1, gap=0.4), budget=20, runs=50)
t = sweep(b, case=[1, 3], budget=[20, 40], algorithm=["CoKernelFB", "IndUniformFB"])
`

// The functions of sweeps give what the package sim computes of the same sweeps, with
// the defaults that their signatures state.
func TestAnalysis(t *testing.T) {
	s := NewSession(Options{})
	must(t, s, analysed)
	fc, _, _ := s.Value("s")
	fb, _, _ := s.Value("t")
	paired := func(s any, reference, y string) any {
		return try.Of(sim.Compare(s.(sim.Sweep), reference, y))
	}
	speedup := try.Of(sim.SpeedupOf(fc.(sim.Sweep), "CoKernelFC", "IndRAGE"))
	// Defaults: reference and measure of paired, and both algorithms of speedup.
	for src, want := range map[string]any{
		`paired(s, reference="IndRAGE")`:               paired(fc, "IndRAGE", "samples"),
		`paired(s, "IndKernelFC", y="rounds")`:         paired(fc, "IndKernelFC", "rounds"),
		`paired(t, reference="CoKernelFB", y="error")`: paired(fb, "CoKernelFB", "error"),
		`speedup(s)`: speedup,
		`speedup(s, "CoKernelFC", alone="IndRAGE")`: speedup,
	} {
		got := must(t, s, src)[0].Value
		if !equalJSON(t, got, want) {
			t.Errorf("%s: %+v, want %+v", src, got, want)
		}
	}
	if len(speedup.Rows) != 4 { // two cases and two gaps
		t.Errorf("%d speedups, want 4", len(speedup.Rows))
	}
}

// equalJSON compares values that may have numbers which are not finite.
// NaN differs from itself, so the texts are compared.
func equalJSON(t *testing.T, a, b any) bool {
	t.Helper()
	var texts [2]strings.Builder
	for i, v := range []any{a, b} {
		try.To(report.JSON(&texts[i], report.Document{Displays: []report.Display{{Value: v}}}))
	}
	return texts[0].String() == texts[1].String()
}

// What the functions give can be shown, drawn where a figure exists, and saved as a
// table.
func TestAnalysisOutput(t *testing.T) {
	folder := t.TempDir()
	displays := must(t, NewSession(Options{Folder: folder}), analysed+`
a = paired(s, reference="IndRAGE")
save(a, "paired.csv"); save(a, "paired.parquet"); save(a, "paired.txt")
u = speedup(s)
save(u, "speedup.csv"); save(u, "speedup.parquet"); save(u, "speedup.svg")
plot(u)
plot(s, x="gap", y=["bytes", "bytes_raw", "bytes_theta"], panel="case")
plot(s, x="gap", y=["samples", "lower_bound"], panel="case", file="samples.svg")`)
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) != 7 { // six saved values and the figure of the last plot
		t.Errorf("files %v", files)
	}
	for i, panels := range []int{0, 2, 2} {
		f := displays[i].Value.(report.Figure)
		if len(f.Panels) != panels || panels == 0 && len(f.Series) == 0 {
			t.Errorf("figure %d has %d panels, want %d", i, len(f.Panels), panels)
		}
	}
	if csv := string(read(t, folder, "paired.csv")); !strings.HasPrefix(csv, "case,gap,algorithm,reference,against,measure,difference,difference_lo,difference_hi,ratio,ratio_lo,ratio_hi,paired,runs\n1,0.4,CoKernelFC,false,IndRAGE,samples,") {
		t.Errorf("comparisons as CSV:\n%s", csv)
	}
}

// The instances of the paper, those between them, and classic best-arm identification.
// The last case sweeps the length scale over numbers and a text.
func TestInstances(t *testing.T) {
	for src, want := range map[string]func() (*problem.Problem, error){
		"paper(2)":                            func() (*problem.Problem, error) { return problem.PaperCase(2, 0.1) },
		"paper(case=2, gap=0.3)":              func() (*problem.Problem, error) { return problem.PaperCase(2, 0.3) },
		"paper(lengthscale=0)":                func() (*problem.Problem, error) { return problem.PaperFamily(0, 0.1) },
		"paper(gap=0.3, lengthscale=0.5)":     func() (*problem.Problem, error) { return problem.PaperFamily(0.5, 0.3) },
		"paper(lengthscale=1e9)":              func() (*problem.Problem, error) { return problem.PaperFamily(1e9, 0.1) },
		`paper(lengthscale="inf")`:            func() (*problem.Problem, error) { return problem.PaperFamily(math.Inf(1), 0.1) },
		"classic([0.9, 0.5])":                 func() (*problem.Problem, error) { return problem.Classic([]float64{0.9, 0.5}, 5) },
		"classic(means=[1, 0, -1], agents=2)": func() (*problem.Problem, error) { return problem.Classic([]float64{1, 0, -1}, 2) },
	} {
		p := try.Of(want())
		got := must(t, NewSession(Options{}), src)[0].Value.(*problem.Problem)
		if got.Name != p.Name || got.Kernel.String() != p.Kernel.String() || !slices.Equal(got.Mean, p.Mean) || got.V() != p.V() {
			t.Errorf("%s: %s with kernel %s, want %s with %s", src, got.Name, got.Kernel, p.Name, p.Kernel)
		}
	}
	rows := must(t, NewSession(Options{}), `r = fc(paper(lengthscale=1, gap=0.8))
sweep(r, lengthscale=[0, 0.5, "inf"], gap=[0.8])`)[0].Value.(sim.Sweep).Rows
	if names := []string{rows[0].Result.Problem, rows[2].Result.Problem}; !strings.Contains(names[0], "lengthscale 0,") || !strings.Contains(names[1], "lengthscale +Inf,") {
		t.Errorf("swept over %v", names)
	}
}
