package report

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// byCase returns a sweep over three names: case, gap and algorithm.
func byCase() sim.Sweep {
	s := sim.Sweep{Names: []string{"case", "gap", "algorithm"}}
	for c := 1; c <= 3; c++ {
		for _, r := range fcSweep().Rows {
			r.Result.SamplesPerAgent.Mean *= float64(c)
			r.Result.BytesRaw, r.Result.BytesTheta = 9*r.Result.SamplesTotal, 2*r.Result.Bytes
			s.Rows = append(s.Rows, sim.SweepRow{Values: append([]any{c}, r.Values...), Result: r.Result})
		}
	}
	return s
}

// TestPanels: a panel for each value, with the series of that value; panes that share
// the axes' ranges and line up; one legend; the data name the panel.
func TestPanels(t *testing.T) {
	f := panelled(t, byCase(), "gap", "case")
	if len(f.Panels) != 3 || len(f.Series) != 0 {
		t.Fatalf("%d panels and %d series outside of them", len(f.Panels), len(f.Series))
	}
	for i, p := range f.Panels {
		if want := fmt.Sprintf("case %d", i+1); p.Title != want || len(p.Series) != 5 {
			t.Errorf("panel %q has %d series, want %q and 5", p.Title, len(p.Series), want)
		}
	}
	if a, b := f.Panels[0].Series[0].Y[0], f.Panels[2].Series[0].Y[0]; b != 3*a {
		t.Errorf("case 1 has %g and case 3 %g, want three times as much", a, b)
	}
	data := figureTable(f)
	if data.Columns[0].Name != "panel" || data.Rows[0][0] != "case 1" || len(data.Rows) != 3*5*4 {
		t.Errorf("the data begin with %q and have %d rows", data.Columns[0].Name, len(data.Rows))
	}
	holds(t, f.Describe(), "3 panels side by side (case 1, case 2 and case 3)")
}

// TestFigureJSONWhole: panels, names along x and looks come back from JSON.
func TestFigureJSONWhole(t *testing.T) {
	for name, f := range map[string]Figure{"panels": panelled(t, byCase(), "gap", "case"), "ends": panelled(t, speedup(), "lengthscale", "gap")} {
		text, err := json.Marshal(JSONValue(f))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		try.To(json.Unmarshal(text, &v))
		back, err := figure.FromJSON(v)
		if err != nil || !reflect.DeepEqual(f, back) {
			t.Errorf("%s: %v, or another figure:\n%+v\n%+v", name, err, f, back)
		}
	}
	if _, err := figure.FromJSON(map[string]any{"panels": []any{map[string]any{"title": "p", "series": []any{map[string]any{"style": "bars"}}}}}); err == nil {
		t.Error("a panel of bars was accepted")
	}
}

// looks are the numbers that the looks of a figure's series follow from.
type looks struct {
	hue, variant int
	reference    bool
}

func looksOf(s Series) looks { return looks{s.Hue, s.Variant, s.Reference} }

// TestAlgorithmsKeepTheirLook: in every figure, whatever is beside it, and in FB
// the counterpart looks like FC's.
func TestAlgorithmsKeepTheirLook(t *testing.T) {
	seen := map[string]looks{}
	only := fcSweep()
	only.Rows = slices.DeleteFunc(only.Rows, func(r sim.SweepRow) bool { return r.Values[1] == "CoKernelFC-IndAlloc" })
	for _, f := range []Figure{figureFrom(t, fcSweep(), "gap", "samples"), figureFrom(t, only, "gap", "samples"), panelled(t, byCase(), "gap", "case")} {
		for _, p := range f.Parts() {
			for _, s := range p.Series {
				if l, known := seen[s.Name]; known && l != looksOf(s) {
					t.Errorf("%s looks different in another figure", s.Name)
				}
				seen[s.Name] = looksOf(s)
			}
		}
	}
	if !seen["IndRAGE/V (reference)"].reference {
		t.Error("IndRAGE/V is not drawn as a reference")
	}
	if fb := figureFrom(t, fbSweep(), "budget", "error").Series[0]; fb.Hue == 0 || fb.Hue != seen["CoKernelFC"].hue {
		t.Error("CoKernelFB does not look like CoKernelFC")
	}
}

// TestSeveralMeasures: a series for each, and one axis for one unit.
func TestSeveralMeasures(t *testing.T) {
	f, err := FigureOf(byCase(), PlotOptions{X: "gap", Y: []string{"bytes", "bytes_raw", "bytes_theta"}, Panel: "case"})
	if err != nil || len(f.Panels[0].Series) != 12 || f.YLabel != "Bytes" {
		t.Errorf("%v, %d series of %q", err, len(f.Panels[0].Series), f.YLabel)
	}
	two, err := FigureOf([]any{fcResult(), fcResult()}, PlotOptions{Y: []string{"samples", "lower_bound"}})
	if err != nil || len(two.Series) != 2 || two.Series[1].Name != "Lower bound per agent" {
		t.Errorf("%v, bars %+v", err, two.Series)
	}

}

// TestUnits: measures of several units have panels with y axes of their own, and series are named by their measures where a unit has
// several.
func TestUnits(t *testing.T) {
	f, err := FigureOf(byCase(), PlotOptions{X: "gap", Y: []string{"samples", "lower_bound", "rounds"}, Panel: "case"})
	if err != nil {
		t.Fatal(err)
	}
	units := f.Units()
	if len(units) != 2 || len(units[0]) != len(units[1]) || units[0][0].YLabel != "Samples per agent" || units[1][0].YLabel != "Rounds" ||
		units[0][0].LogY == units[1][0].LogY || units[1][0].Title != units[0][0].Title || units[1][0].Title == "" ||
		!strings.Contains(f.Describe(), "6 panels in 2 rows (") {
		t.Errorf("units %d, labels %q and %q", len(units), units[0][0].YLabel, units[len(units)-1][0].YLabel)
	}
	f, err = FigureOf(byCase(), PlotOptions{X: "gap", Y: []string{"bytes", "bytes_raw", "rounds"}})
	if err != nil || len(f.Panels) != 2 || !strings.HasSuffix(f.Panels[1].Series[0].Name, ", Rounds") ||
		f.Title != "Bytes, Rounds against gap" || !strings.Contains(f.Describe(), "2 panels one below the other (Bytes and Rounds)") {
		t.Errorf("%v: %q, %q", err, f.Title, f.Describe())
	}
}

// TestEndsOfFamily: zero and infinity have places beyond a logarithmic axis.
func TestEndsOfFamily(t *testing.T) {
	f := panelled(t, speedup(), "lengthscale", "gap")
	names := []string{}
	for _, n := range f.XNames {
		names = append(names, n.Name)
	}
	if !slices.Equal(names, []string{"0", "∞"}) || !f.LogX {
		t.Fatalf("names %v, logarithmic %v", names, f.LogX)
	}
	xs := f.Panels[0].Series[0].X
	if len(xs) != 9 || !(xs[0] > 0 && xs[0] < 0.1) || !(xs[8] > 10 && xs[8] < 100) {
		t.Errorf("x = %v", xs)
	}
	if row := figureTable(f).Rows[8]; row[2] != "∞" {
		t.Errorf("the data say %v", row)
	}
	words := speedup() // scripts write infinity as a text
	for _, r := range words.Rows {
		for j, v := range r.Values {
			if v == math.Inf(1) {
				r.Values[j] = "inf"
			}
		}
	}
	if diff := cmp.Diff(f, panelled(t, words, "lengthscale", "gap")); diff != "" {
		t.Errorf("another figure (-number +text):\n%s", diff)
	}
}

func panelled(t *testing.T, v any, x, panel string) Figure {
	t.Helper()
	return try.Of(FigureOf(v, PlotOptions{X: x, Panel: panel}))
}
