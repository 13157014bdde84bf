package figure

import (
	"strings"
	"testing"
)

// TestNarrow: at every width the sheet has that width, panes and names stay on it, and letters keep
// their size.
func TestNarrow(t *testing.T) {
	for _, name := range []string{"lines", "edges", "points", "bars", "heat", "across", "speedup", "panels", "cases"} {
		for _, width := range []float64{1, 1.3, 1.5, 2} {
			f := saved(t, name)
			wide := newLayout(f, true)
			f.Width = width
			d := newLayout(f, true)
			if want := wide.width * 241 / 500; width == 1 && d.width != want {
				t.Errorf("%s: one column is %v wide, want %v", name, d.width, want)
			}
			if width == 2 && (d.width != wide.width || d.height != wide.height) {
				t.Errorf("%s: two columns are not the usual width", name)
			}
			for _, p := range d.panes {
				if got := p.box.Max.X - p.box.Min.X; p.box.Min.X < 0 || p.box.Max.X > d.width || got < d.width/4 {
					t.Errorf("%s, width %g: the pane goes from %v to %v of %v", name, width, p.box.Min.X, p.box.Max.X, d.width)
				}
				if p.size != wide.panes[0].size {
					t.Errorf("%s, width %g: letters of %v, want %v", name, width, p.size, wide.panes[0].size)
				}
			}
			if n, _, w := d.legendGrid(); len(d.listed()) > 0 && float64(n)*float64(w) > float64(d.width) {
				t.Errorf("%s, width %g: the legend has %d columns of %v", name, width, n, w)
			}
		}
	}
}

// TestLongTitle: a title that is too long for one line has two.
func TestLongTitle(t *testing.T) {
	f := saved(t, "lines")
	f.Title, f.Width = "Samples of three algorithms on the second case of the paper", 1
	d := newLayout(f, true)
	if got := d.titleLines(); len(got) != 2 || strings.Join(got, " ") != f.Title {
		t.Errorf("%q", got)
	}
	if d.top() <= newLayout(saved(t, "lines"), true).top() {
		t.Error("the second line has no room")
	}
	f.Title = strings.Repeat("x", 200)
	if got := newLayout(f, true).titleLines(); len(got) != 1 || !strings.Contains(got[0], "…") {
		t.Errorf("%q", got)
	}
}

// TestLimits: the stated ends are the ends of the axis, and no tick lies outside.
func TestLimits(t *testing.T) {
	f := Figure{XLim: &[2]float64{1, 3}, YLim: &[2]float64{0, 10}, XNames: []XName{{At: 9, Name: "∞"}},
		Series: []Series{{Name: "a", X: []float64{1, 2, 3, 4}, Y: []float64{5, 20, -4, 5}}}}
	p := newLayout(f, true).panes[0]
	if p.x.lo != 1 || p.x.hi != 3 || p.y.lo != 0 || p.y.hi != 10 {
		t.Errorf("x from %g to %g, y from %g to %g", p.x.lo, p.x.hi, p.y.lo, p.y.hi)
	}
	for _, tick := range p.x.ticks {
		if tick.value < 1 || tick.value > 3 {
			t.Errorf("a tick %q at %g", tick.label, tick.value)
		}
	}
	bars := Figure{XLim: &[2]float64{0, 2}, Categories: []string{"a", "b"}, Series: []Series{{Style: Bars, X: []float64{0, 1}, Y: []float64{1, 7}}}}
	if p := newLayout(bars, true).panes[0]; p.x.hi != 2 {
		t.Errorf("bars up to %g", p.x.hi)
	}
	for name, wrong := range map[string]Figure{
		"reversed": {XLim: &[2]float64{3, 1}}, "zero on a logarithmic axis": {LogY: true, YLim: &[2]float64{0, 1}}, "too wide": {Width: 3},
	} {
		wrong.Series = f.Series
		if wrong.check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
