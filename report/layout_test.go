package report

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

func ptr[T any](v T) *T { return &v }

// TestLayout: every option reaches the figure and its panels, and nothing is changed without one.
func TestLayout(t *testing.T) {
	layout := Layout{Title: ptr("T"), XLabel: ptr("X"), YLabel: ptr("Y"), LogX: ptr(false), LogY: ptr(false), XLim: []float64{0, 1}, YLim: []float64{0, 1e5}, Width: 1}
	for _, panel := range []string{"", "algorithm"} {
		f, err := FigureOf(fcSweep(), PlotOptions{X: "gap", Panel: panel, Layout: layout})
		if err != nil {
			t.Fatal(err)
		}
		if f.Title != "T" || f.XLabel != "X" || f.YLabel != "Y" || f.Width != 1 {
			t.Errorf("%q %q %q, width %g", f.Title, f.XLabel, f.YLabel, f.Width)
		}
		again, err := FigureOf(f, PlotOptions{}) // as when it is saved
		if diff := cmp.Diff(f, again); diff != "" || err != nil {
			t.Errorf("%v, drawn again (-first +again):\n%s", err, diff)
		}
		for _, p := range f.Parts() {
			if p.LogX || p.LogY || *p.XLim != [2]float64{0, 1} || *p.YLim != [2]float64{0, 1e5} {
				t.Errorf("panel %q: log %v %v, %v %v", p.Title, p.LogX, p.LogY, p.XLim, p.YLim)
			}
		}
	}
	if f, _ := FigureOf(fcSweep(), PlotOptions{X: "gap", Layout: Layout{Title: ptr("")}}); f.Title != "" {
		t.Errorf("an empty title left %q", f.Title)
	}
}

// TestNoReference: what is only there to compare with goes, and nothing else.
func TestNoReference(t *testing.T) {
	for name, c := range map[string]struct {
		value any
		o     PlotOptions
		lost  int // lines and series
	}{
		"lower bound": {fcSweep(), PlotOptions{X: "gap", Y: []string{"samples"}}, 1},
		"panels":      {fcSweep(), PlotOptions{X: "gap", Panel: "algorithm"}, 4},
		"ratio":       {fcSweep(), PlotOptions{X: "algorithm", Y: []string{"ratio"}}, 1},
		"bars":        {[]engine.Result{fcResult(), fcResult()}, PlotOptions{}, 1},
		"bounds":      {boundsReport(), PlotOptions{}, 1},
		"spectrum":    {spectrum(), PlotOptions{}, 2},
		"heat map":    {allocation(5, 6), PlotOptions{}, 0},
	} {
		count := func(o PlotOptions) (n int) {
			f, err := FigureOf(c.value, o)
			if err != nil {
				t.Fatal(name, err)
			}
			for _, p := range f.Parts() {
				n += len(p.Lines) + len(p.Series)
			}
			return n
		}
		with := count(c.o)
		c.o.NoReference = true
		if without := count(c.o); with-without != c.lost {
			t.Errorf("%s: %d lines and series became %d, want %d fewer", name, with, without, c.lost)
		}
	}
}

// TestLayoutInEveryFormat: a narrow figure without its bound, with an axis of its own, is that in SVG,
// PDF, PNG and JSON.
func TestLayoutInEveryFormat(t *testing.T) {
	f, err := FigureOf(fcSweep(), PlotOptions{X: "gap", Layout: Layout{
		Title: ptr("Samples"), XLabel: ptr("the gap"), LogY: ptr(false), YLim: []float64{0, 30000}, Width: 1, NoReference: true}})
	if err != nil {
		t.Fatal(err)
	}
	var svg, pdf, js, img bytes.Buffer
	for _, err := range []error{figure.SVG(&svg, f), figure.PDF(&pdf, f), writeJSON(&js, writtenValue(f)), figure.PNGAt(&img, f, 72)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		text, want string
	}{
		"svg":    {svg.String(), `<svg xmlns="http://www.w3.org/2000/svg" width="241pt"`},
		"svg x":  {svg.String(), "the gap"},
		"pdf":    {pdf.String(), "/MediaBox [0 0 241"},
		"json":   {js.String(), `"width": 1`},
		"json y": {strings.Join(strings.Fields(js.String()), ""), `"y_lim":[0,30000]`},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, c.text[:min(len(c.text), 1500)])
		}
	}
	lacks(t, svg.String(), "lower bound")
	if c, err := png.DecodeConfig(&img); err != nil || c.Width != 241 {
		t.Errorf("the image is %d points wide, %v", c.Width, err)
	}
	again, err := figure.FromJSON(JSONValue(f))
	if err != nil || fmt.Sprint(*again.YLim, again.Width) != fmt.Sprint(*f.YLim, f.Width) {
		t.Errorf("read back: %v %v %v", again.YLim, again.Width, err)
	}
}

// TestPlacesOfEnds: with logx=false, 0 has its own place and infinity one beyond the rest.
func TestPlacesOfEnds(t *testing.T) {
	f := try.Of(FigureOf(speedup(), PlotOptions{X: "lengthscale", Panel: "gap", Layout: Layout{LogX: ptr(false)}}))
	p := f.Panels[0]
	if p.LogX || len(p.XNames) != 1 || p.XNames[0].Name != "∞" || !(p.XNames[0].At > 1) {
		t.Errorf("log %v, names %v", p.LogX, p.XNames)
	}
	for _, s := range p.Series {
		for _, x := range s.X {
			if !isFinite(x) {
				t.Errorf("%s has a point at %g", s.Name, x)
			}
		}
	}
}
