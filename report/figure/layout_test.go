package figure

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestTrueX: markers and lines are at the x of their values in every pane, with room for a marker at both ends. Only the bars of
// intervals are beside them.
func TestTrueX(t *testing.T) {
	f := saved(t, "edges")
	f.LogX = true
	p := newLayout(f, true).panes[0]
	moved := 0
	for i, s := range p.Series {
		for k := range s.X {
			if got, want := p.at(s, k, s.Y[k]).X, p.px(s.X[k]); got != want {
				t.Errorf("%s: marker at %v, want %v", s.Name, got, want)
			}
			if x := p.px(s.X[k]); x < p.box.Min.X+mostAside+3 || x > p.box.Max.X-mostAside-3 {
				t.Errorf("%s: the marker at %g touches the end of the axis", s.Name, s.X[k])
			}
			if p.aside[i][k] != 0 {
				moved++
			}
		}
	}
	if moved == 0 {
		t.Error("no bar stands beside its marker: nothing was tested")
	}
}

// TestMeasured: measured values of a series have its colour, and one entry in the legend, in ink.
func TestMeasured(t *testing.T) {
	at := func(name string, hue int, measured bool) Series {
		return Series{Name: name, X: []float64{1, 2}, Y: []float64{float64(hue), 3}, Hue: hue, Measured: measured}
	}
	f := Figure{Series: []Series{at("a", 1, false), at("b", 2, false), at("mean", 1, true), at("mean", 2, true)}}
	l := newLayout(f, true)
	for k := range 2 {
		if line, mean := l.panes[0].styles[k], l.panes[0].styles[k+2]; line.color != mean.color || line.mark == mean.mark {
			t.Errorf("series %d is drawn as %v, what was measured of it as %v", k+1, line, mean)
		}
	}
	var names []string
	for _, e := range l.entries {
		if names = append(names, e.name); e.name == "mean" && e.style.color != ink {
			t.Errorf("the legend has %v", e.style.color)
		}
	}
	if !reflect.DeepEqual(names, []string{"a", "b", "mean"}) {
		t.Errorf("the legend has %q", names)
	}
}

// TestNoLineToTheEdge: a count of 0 on a logarithmic axis has its marker at the edge and
// its interval, and no line leads there.
func TestNoLineToTheEdge(t *testing.T) {
	f := Figure{LogY: true, Series: []Series{{Name: "a", X: []float64{1, 2, 3, 4}, Y: []float64{0.5, 0.1, 0, 0.2}, Lo: []float64{0.4, 0.05, 0, 0.1}, Hi: []float64{0.6, 0.2, 0.04, 0.3}}}}
	p := newLayout(f, true).panes[0]
	if got := p.runs(f.Series[0], p.inside); !reflect.DeepEqual(got, [][]int{{0, 1}, {3}}) {
		t.Errorf("lines through %v", got)
	}
}

// TestMarkersAtTheEdgeNest: several series at one place of the edge are all seen.
func TestMarkersAtTheEdgeNest(t *testing.T) {
	s := Series{X: []float64{1, 2}, Y: []float64{0.5, 0}}
	p := newLayout(Figure{LogY: true, Series: []Series{s, {X: []float64{1}, Y: []float64{1}}, s}}, true).panes[0]
	if a, b := p.above(0, -1), p.above(2, -1); a != 1 || b != 0 {
		t.Errorf("%d and %d markers within the first and last series' own", a, b)
	}
}

// TestTicksOfNeighbours: labels of a pane do not reach the next one's.
func TestTicksOfNeighbours(t *testing.T) {
	for _, budgets := range [][]float64{{7000, 300000}, {7000, 45000, 300000}, {1e6, 2e6, 3e6}} {
		f := Figure{XLabel: "budget", LogX: budgets[0] == 7000}
		for k := range 3 {
			y := make([]float64, len(budgets))
			f.Panels = append(f.Panels, Figure{Title: fmt.Sprint(k), LogX: f.LogX, Series: []Series{{Name: "a", X: budgets, Y: y}}})
		}
		end, labels := vg.Length(-1e9), 0
		for _, p := range newLayout(f, true).panes {
			for _, k := range p.x.ticks {
				half := width(k.label, p.size) / 2
				if k.label == "" {
					continue
				}
				if at := p.px(k.value); at-half < end+2 {
					t.Errorf("budgets %v: %s touches the label before it", budgets, k.label)
				}
				end = p.px(k.value) + half
				labels++
			}
		}
		if labels < 6 {
			t.Errorf("budgets %v: %d labels in three panes", budgets, labels)
		}
	}
}

// TestOneX: a single value at x has a tick and a range of its size around it, and a bound there is
// seen.
func TestOneX(t *testing.T) {
	for _, x := range []float64{0.3, 7000, -2, 0} {
		f := Figure{Series: []Series{{Name: "a", X: []float64{x}, Y: []float64{1}}, {Name: "b", Style: Bound, X: []float64{x}, Y: []float64{0.5}}}}
		p := newLayout(f, true).panes[0]
		if len(p.x.ticks) != 1 || p.x.ticks[0].value != x {
			t.Errorf("x = %g: ticks %+v", x, p.x.ticks)
		}
		if x != 0 && (p.x.lo*p.x.hi <= 0 || p.x.hi-p.x.lo > 1.1*max(x, -x)) {
			t.Errorf("x = %g: an axis from %g to %g", x, p.x.lo, p.x.hi)
		}
		svg := string(written(t, func(w io.Writer) error { return SVG(w, f) }))
		if n := strings.Count(svg, "stroke-dasharray:3"); n < 2 { // in the pane and beside its name
			t.Errorf("x = %g: the bound is not drawn", x)
		}
	}
}

// TestLinesAcross differ in their looks, and have their names at their right ends where
// the rest is in a legend.
func TestLinesAcross(t *testing.T) {
	f := saved(t, "across")
	if reflect.DeepEqual(f.lineStyle(0), f.lineStyle(1)) {
		t.Error("V and no speedup look the same")
	}
	d := newLayout(f, true)
	if d.atEnds || len(d.beside()) != 2 {
		t.Fatalf("%d names beside the figure, want the two lines'", len(d.beside()))
	}
	for _, e := range d.listed() {
		if e.across {
			t.Errorf("%s is in the legend too", e.name)
		}
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

// TestIntervalsFit: bars where they fit side by side between points, else bands; bars
// that would hide each other are beside their markers, and no others do.
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

// TestLabelsOfLinesApart: labels of vertical lines that would touch are in rows.
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

// TestBarsOfSeveralSeries: bars are one below the other; the row of one category has both colours.
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

// TestUnits: panes of another unit begin a row with labels at a y axis of their own; x is shared.
func TestUnits(t *testing.T) {
	f := saved(t, "units")
	d := newLayout(f, true)
	if len(d.panes) != 8 || len(f.Units()) != 2 {
		t.Fatalf("%d panes, %d units", len(d.panes), len(f.Units()))
	}
	for i, p := range d.panes {
		first := d.panes[i/4*4]
		if p.y.hi != first.y.hi || p.x.hi != d.panes[0].x.hi || p.bare != (i%2 > 0) || p.box.Min.X != d.panes[i%2].box.Min.X {
			t.Errorf("pane %d does not line up", i+1)
		}
	}
	if a, b := d.panes[0], d.panes[4]; a.y.hi == b.y.hi || b.box.Max.Y >= d.panes[2].box.Min.Y {
		t.Error("both units have one y axis or one row")
	}
}

// TestPanels: panes share the axes' ranges and line up, with one legend.
func TestPanels(t *testing.T) {
	f := saved(t, "cases")
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
	if n := len(d.listed()); n != 5 || d.atEnds {
		t.Errorf("%d names in the legend, want each once: 5", n)
	}
}

// TestNonNegative: intervals of quantities that cannot be negative are drawn down to 0.
func TestNonNegative(t *testing.T) {
	c := Figure{NonNegative: true, Series: []Series{{X: []float64{1}, Y: []float64{0.01}, Lo: []float64{-0.02}, Hi: []float64{0.04}}}}
	if p := newLayout(c, true).panes[0]; p.y.lo != 0 {
		t.Errorf("the axis begins at %g", p.y.lo)
	}
	c.Categories, c.Series[0].Style = []string{"a", "b"}, Bars
	if p := newLayout(c, true).panes[0]; p.x.lo != 0 {
		t.Errorf("the axis of bars begins at %g", p.x.lo)
	}
}
