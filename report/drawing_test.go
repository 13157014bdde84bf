package report

import (
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/gonb-cope/gonb-cope/engine"
)

// TestTrueX: markers and lines stand at the x of their values in every pane, with room
// for a marker at both ends; only the bars of intervals stand beside them, and where
// they do is in the file for pgfplots.
func TestTrueX(t *testing.T) {
	f := figure(t, fbSweep(), "budget", "error")
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
		for k, q := range p.points(s, p.aside[i]) {
			if got := p.px(q.bar) - p.px(q.x) - p.aside[i][k]; got > 1e-6 || got < -1e-6 {
				t.Errorf("%s: the bar in the file is %v points off", s.Name, got)
			}
		}
	}
	if moved == 0 {
		t.Error("no bar stands beside its marker: nothing was tested")
	}
}

// TestNoLineToTheEdge: a count of 0 on a logarithmic axis has its marker at the edge and
// its interval, and no line leads there, in the drawing and in pgfplots.
func TestNoLineToTheEdge(t *testing.T) {
	f := Figure{LogY: true, Series: []Series{{Name: "a", X: []float64{1, 2, 3, 4}, Y: []float64{0.5, 0.1, 0, 0.2}, Lo: []float64{0.4, 0.05, 0, 0.1}, Hi: []float64{0.6, 0.2, 0.04, 0.3}}}}
	p := newLayout(f, true).panes[0]
	if got := p.runs(f.Series[0], p.inside); !reflect.DeepEqual(got, [][]int{{0, 1}, {3}}) {
		t.Errorf("lines through %v", got)
	}
	points := p.points(f.Series[0], nil)
	if points[2].outside != -1 || points[2].hi != 0.04 {
		t.Errorf("at the edge: %+v", points[2])
	}
	text := string(written(t, func(w io.Writer) error { return f.PGFPlots(w, "x.dat") }))
	for _, want := range []string{"unbounded coords=jump", "{4*\\thisrow{id}+\\thisrow{edge}}{4:4}", "{4*\\thisrow{id}+\\thisrow{edge}}{3:3}", "mark=triangle", "table[x=bar"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestMarkersAtTheEdgeNest: several series at one place of the edge are all seen.
func TestMarkersAtTheEdgeNest(t *testing.T) {
	s := Series{X: []float64{1, 2}, Y: []float64{0.5, 0}}
	p := newLayout(Figure{LogY: true, Series: []Series{s, {X: []float64{1}, Y: []float64{1}}, s}}, true).panes[0]
	if a, b := p.above(0, -1), p.above(2, -1); a != 1 || b != 0 {
		t.Errorf("%d and %d markers within those of the first and last series", a, b)
	}
}

// TestTicksOfNeighbours: labels of a pane do not reach those of the next one.
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
		text := string(written(t, func(w io.Writer) error { return f.PGFPlots(w, "x.dat") }))
		ticks := regexp.MustCompile(`xticklabels=\{(.*)\},`).FindStringSubmatch(text)
		if ticks == nil || strings.Count(ticks[1], "},{") < 1 || regexp.MustCompile(`\d,\d`).MatchString(ticks[1]) {
			t.Errorf("budgets %v: ticks %v, want two or more whose commas end no label", budgets, ticks)
		}
	}
}

// TestOneX: a single value at x has a tick and a range of its own size around it, and a
// bound there is seen.
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

// TestNonNegative: intervals of what cannot be negative are drawn down to 0 and kept in
// the data; differences go below.
func TestNonNegative(t *testing.T) {
	results := []any{fbResult("CoKernelFB", 3, 0.04), fbResult("IndUniformFB", 22, 0.11)}
	for i := range results {
		r := results[i].(engine.Result)
		r.RelativeRegret = engine.Interval{Mean: 0.01, CI95: [2]float64{-0.02, 0.04}}
		results[i] = r
	}
	f := figure(t, results, "", "relative_regret")
	if d := newLayout(f, true); d.panes[0].x.lo < 0 {
		t.Errorf("the axis begins at %g", d.panes[0].x.lo)
	}
	if f.Series[0].Lo[0] != -0.02 {
		t.Errorf("the data say %g", f.Series[0].Lo[0])
	}
	c := Figure{NonNegative: true, Series: []Series{{X: []float64{1}, Y: []float64{0.01}, Lo: []float64{-0.02}, Hi: []float64{0.04}}}}
	if p := newLayout(c, true).panes[0]; p.y.lo != 0 {
		t.Errorf("the axis begins at %g", p.y.lo)
	}
	if f := figure(t, fcSweep(), "gap", "rounds"); !f.NonNegative {
		t.Error("rounds could be negative")
	}
	if f := figure(t, against(), "algorithm", "difference"); f.NonNegative {
		t.Error("a difference could not be negative")
	}
}

// TestEachMeasureOnce: a measure that is asked for twice is refused; the lower bound
// among others is drawn once, as a bound.
func TestEachMeasureOnce(t *testing.T) {
	want := `y has "samples" twice: name each measure once`
	if _, err := FigureOf(fcSweep(), PlotOptions{X: "gap", Y: []string{"samples", "samples"}}); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	if _, err := SweepMeasures(fcSweep(), "samples", "samples"); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	for _, ys := range [][]string{{"samples", "lower_bound"}, {"lower_bound", "samples"}, {"samples_total", "lower_bound"}} {
		f, err := FigureOf(fcSweep(), PlotOptions{X: "gap", Y: ys})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, s := range f.Series {
			if strings.Contains(strings.ToLower(s.Name), "lower bound") {
				n++
			}
		}
		if n != 1 || len(f.Series) != 5 {
			t.Errorf("%v: the lower bound %d times among %d series", ys, n, len(f.Series))
		}
	}
}

// TestWholeWords: no heading of a LaTeX table is broken within a word.
func TestWholeWords(t *testing.T) {
	text := string(written(t, func(w io.Writer) error { return LaTeX(w, document()) }))
	stacks := regexp.MustCompile(`\\shortstack\[.\]\{([^}]*)\}`).FindAllStringSubmatch(text, -1)
	if len(stacks) == 0 {
		t.Fatal("no stacked heading")
	}
	known := " " + strings.Join(strings.Fields(string(written(t, func(w io.Writer) error { return Markdown(w, document()) }))), " ") + " "
	for _, s := range stacks {
		if words := strings.Join(strings.Split(s[1], `\\`), " "); !strings.ContainsAny(words, `\$`) && !strings.Contains(known, " "+words+" ") {
			t.Errorf("%q is no heading of the report", words)
		}
	}
}

// TestLongTablesStayOffPaper: folded tables of more rows than a page shows leave their
// summary alone in print; shorter ones are printed.
func TestLongTablesStayOffPaper(t *testing.T) {
	for rows, want := range map[int]string{mostRows: "<details>", mostRows + 1: `<details class="long">`} {
		x := Table{Caption: "T", Columns: []Column{text("a", "A")}, Collapsed: true}
		for i := range rows {
			x.Rows = append(x.Rows, []any{i})
		}
		page := string(written(t, func(w io.Writer) error { return HTML(w, Document{Displays: []Display{{Value: x}}}) }))
		if !strings.Contains(page, want+"\n<summary>T ("+strconv.Itoa(rows)+" rows)") {
			t.Errorf("%d rows: no %s", rows, want)
		}
	}
	_, print, _ := strings.Cut(stylesheet, "@media print")
	if !strings.Contains(print, "details.long > :not(summary)") {
		t.Error("print shows long tables")
	}
}

// TestSpeedupLimit: what is above V is scatter unless its interval is.
func TestSpeedupLimit(t *testing.T) {
	s := speedup()
	for _, c := range []struct {
		mean, lo float64
		want     string
	}{{4.9, 4.5, "V = 5 in expectation."}, {5.16, 4.94, "is scatter."}, {5.4, 5.1, "differ in more than sharing."}} {
		s.Rows[0].Beta = engine.Interval{Mean: c.mean, CI95: [2]float64{c.lo, 6}}
		if got := speedupLimit(s); !strings.HasSuffix(got, c.want) {
			t.Errorf("%v: %s", c, got)
		}
	}
}

// TestLinesAcross differ in their looks, and have their names at their right ends where
// the rest is in a legend.
func TestLinesAcross(t *testing.T) {
	f, err := FigureOf(speedup(), PlotOptions{X: "lengthscale"})
	if err != nil {
		t.Fatal(err)
	}
	if reflect.DeepEqual(f.lineLook(0), f.lineLook(1)) {
		t.Error("V and no speedup look the same")
	}
	d := newLayout(f, true)
	if d.direct || len(d.beside()) != 2 {
		t.Fatalf("%d names beside the figure, want those of the two lines", len(d.beside()))
	}
	for _, e := range d.listed() {
		if e.across {
			t.Errorf("%s is in the legend too", e.name)
		}
	}
}
