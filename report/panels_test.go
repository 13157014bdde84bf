package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// byCase is a sweep over three names: case, gap and algorithm.
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
	d := newLayout(f, true)
	for i, p := range d.panes {
		q := d.panes[0]
		if p.x.lo != q.x.lo || p.y.hi != q.y.hi || p.box.Min.Y != q.box.Min.Y || p.box.Max.Y != q.box.Max.Y || p.bare != (i > 0) {
			t.Errorf("pane %d does not line up with the first", i+1)
		}
		if p.box.Min.X < 0 || p.box.Max.X > d.width || p.box.Max.Y > d.height || i > 0 && p.box.Min.X < d.panes[i-1].box.Max.X {
			t.Errorf("pane %d leaves the sheet or covers another", i+1)
		}
	}
	if n := len(d.listed()); n != 5 || d.direct {
		t.Errorf("%d names in the legend, want each once: 5", n)
	}
	data := f.Data()
	if data.Columns[0].Name != "panel" || data.Rows[0][0] != "case 1" || len(data.Rows) != 3*5*4 {
		t.Errorf("the data begin with %q and have %d rows", data.Columns[0].Name, len(data.Rows))
	}
	if alt := f.Describe(); !strings.Contains(alt, "3 panels side by side (case 1, case 2 and case 3)") {
		t.Errorf("alternative text: %s", alt)
	}
}

// TestPanelsOfAnyNumber: one to seven panels draw in every format.
func TestPanelsOfAnyNumber(t *testing.T) {
	for n := 1; n <= 7; n++ {
		f := Figure{Title: "n", XLabel: "x", YLabel: "y"}
		for k := range n {
			f.Panels = append(f.Panels, Figure{Title: fmt.Sprint(k), Series: []Series{{Name: "a", X: []float64{1, 2}, Y: []float64{float64(k), math.NaN()}}}})
		}
		for _, write := range []func(io.Writer, Figure) error{SVG, PNG, PDF} {
			if len(written(t, func(w io.Writer) error { return write(w, f) })) < 500 {
				t.Errorf("%d panels: nothing drawn", n)
			}
		}
		if d := newLayout(f, true); len(d.panes) != n || d.panes[n-1].box.Min.Y < edging {
			t.Errorf("%d panels: %d panes", n, len(d.panes))
		}
	}
}

// TestFigureJSONWhole: panels, names along x and looks come back from JSON.
func TestFigureJSONWhole(t *testing.T) {
	for name, f := range map[string]Figure{"panels": panelled(t, byCase(), "gap", "case"), "ends": panelled(t, speedup(), "lengthscale", "gap")} {
		text, err := json.Marshal(JSONValue(f))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		back, err := FigureFromJSON(v)
		if err != nil || !reflect.DeepEqual(f, back) {
			t.Errorf("%s: %v, or another figure:\n%+v\n%+v", name, err, f, back)
		}
	}
	if _, err := FigureFromJSON(map[string]any{"panels": []any{map[string]any{"title": "p", "series": []any{map[string]any{"style": "bars"}}}}}); err == nil {
		t.Error("a panel of bars was accepted")
	}
}

// TestAlgorithmsKeepTheirLook: in every figure, whatever stands beside it, and in FB
// the counterpart looks like that of FC.
func TestAlgorithmsKeepTheirLook(t *testing.T) {
	seen := map[string]look{}
	only := fcSweep()
	only.Rows = slices.DeleteFunc(only.Rows, func(r sim.SweepRow) bool { return r.Values[1] == "CoKernelFC-IndAlloc" })
	for _, f := range []Figure{figure(t, fcSweep(), "gap", "samples"), figure(t, only, "gap", "samples"), panelled(t, byCase(), "gap", "case")} {
		panels := f.panels()
		for k, ls := range looks(panels) {
			for i, s := range panels[k].Series {
				if l, known := seen[s.Name]; known && !reflect.DeepEqual(l, ls[i]) {
					t.Errorf("%s looks different in another figure", s.Name)
				}
				seen[s.Name] = ls[i]
			}
		}
	}
	if l := seen["IndRAGE/V (reference)"]; !l.thin || l.color != ink {
		t.Error("IndRAGE/V is not drawn as a reference")
	}
	fb := looks([]Figure{figure(t, fbSweep(), "budget", "error")})[0][0]
	if fb.color != seen["CoKernelFC"].color {
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
	for _, c := range []struct {
		value any
		o     PlotOptions
		want  string
	}{
		{byCase(), PlotOptions{Y: []string{"bytes", "rounds"}}, "y: bytes is in bytes and rounds in rounds"},
		{byCase(), PlotOptions{X: "gap", Panel: "gap"}, `no panel="gap" here: panel can be case, algorithm`},
		{byCase(), PlotOptions{X: "gap", Panel: "seed"}, `no panel="seed" here`},
		{fcResult(), PlotOptions{Panel: "case"}, "panel is for sweeps"},
		{boundsReport(), PlotOptions{Y: []string{"samples", "error"}}, "one y at a time"},
		{sim.Speedup{}, PlotOptions{}, "needs a swept name"},
	} {
		if _, err := FigureOf(c.value, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestIntervalsFit: bars where they fit side by side between points, else bands; bars
// that would hide each other stand beside their markers, and no others do.
func TestIntervalsFit(t *testing.T) {
	many := func(series, points int, apart, half float64) pane {
		f := Figure{}
		for k := range series {
			s := Series{Name: fmt.Sprint(k)}
			for i := range points {
				y := 10 + apart*float64(k)
				s.X, s.Y, s.Lo, s.Hi = append(s.X, float64(i)), append(s.Y, y), append(s.Lo, y-half), append(s.Hi, y+half)
			}
			f.Series = append(f.Series, s)
		}
		return newLayout(f, true).panes[0]
	}
	for _, c := range []struct {
		series, points int
		apart, half    float64
		banded, moved  bool
	}{{3, 8, 1, 2, false, true}, {3, 200, 1, 2, true, false}, {12, 20, 1, 2, true, false}, {3, 8, 1, 0.01, false, false}, {1, 8, 1, 2, false, false}, {3, 8, 9, 2, false, false}} {
		p := many(c.series, c.points, c.apart, c.half)
		if p.banded != c.banded || (p.aside[0][0] != 0) != c.moved {
			t.Errorf("%+v: banded %v, moved by %v", c, p.banded, p.aside[0][0])
		}
		for _, moved := range p.aside {
			if moved[0] < -mostAside || moved[0] > mostAside {
				t.Errorf("%+v: a bar %v points from its marker", c, moved[0])
			}
		}
	}
}

// TestLabelsOfLinesApart: labels of vertical lines that would touch stand in rows.
func TestLabelsOfLinesApart(t *testing.T) {
	f := Figure{Categories: []string{"a"}, Series: []Series{{Style: Bars, X: []float64{0}, Y: []float64{100}}}, Lines: []ReferenceLine{
		{Label: "lower bound", At: 50, Vertical: true}, {Label: "upper bound", At: 52, Vertical: true}, {Label: "far", At: 5, Vertical: true}}}
	p := newLayout(f, true).panes[0]
	rows := map[string]int{}
	for _, l := range p.rules {
		rows[l.text] = l.row
	}
	if p.rows != 2 || rows["lower bound"] == rows["upper bound"] || rows["far"] != 0 {
		t.Errorf("%d rows: %v", p.rows, rows)
	}
}

// TestBarsOfSeveralSeries stand below each other: in the picture, both colours are
// seen in the row of one category.
func TestBarsOfSeveralSeries(t *testing.T) {
	f := Figure{Categories: []string{"a"}, Series: []Series{{Name: "one", Style: Bars, X: []float64{0}, Y: []float64{2}}, {Name: "two", Style: Bars, X: []float64{0}, Y: []float64{2}}}}
	svg := string(written(t, func(w io.Writer) error { return SVG(w, f) }))
	first, second := strings.Index(svg, "#0072B2"), strings.Index(svg, "#D55E00")
	if first < 0 || second < 0 {
		t.Fatal("a bar is missing")
	}
	at := func(i int) string { j := strings.LastIndex(svg[:i], `d="`); return svg[j : j+40] }
	if at(first) == at(second) {
		t.Error("the bars cover each other")
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
	if row := f.Data().Rows[8]; row[2] != "∞" {
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
