package report

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
)

// awkward are figures that a plotting library might stumble over.
func awkward() map[string]Figure {
	nan, inf := math.NaN(), math.Inf(1)
	out := map[string]Figure{
		"empty":         {},
		"empty series":  {LogX: true, LogY: true, Series: []Series{{Name: "a"}}},
		"one point":     {LogY: true, Series: []Series{{Name: "a", X: []float64{3}, Y: []float64{5}}}},
		"zeros on log":  {LogX: true, LogY: true, Series: []Series{{Name: "a", X: []float64{0, 1, 2}, Y: []float64{0, 0.5, 0}, Lo: []float64{0, 0, 0}, Hi: []float64{0.1, 1, 0.1}}}},
		"all zero, log": {LogY: true, Series: []Series{{Name: "a", X: []float64{1, 2}, Y: []float64{0, 0}}}},
		"negative, log": {LogX: true, LogY: true, Series: []Series{{Name: "a", X: []float64{-1, 2}, Y: []float64{-3, 4}, Lo: []float64{-9, -9}, Hi: []float64{-1, 9}}}},
		"not finite":    {LogY: true, Series: []Series{{Name: "a", X: []float64{1, 2, 3, nan, inf}, Y: []float64{nan, inf, -inf, 1, 1}, Lo: []float64{nan, 0, 0, 0, 0}, Hi: []float64{nan, inf, 1, inf, 1}}}},
		"all NaN":       {Series: []Series{{Name: "a", X: []float64{nan}, Y: []float64{nan}}}},
		"huge":          {Series: []Series{{Name: "a", X: []float64{-math.MaxFloat64, math.MaxFloat64}, Y: []float64{-math.MaxFloat64, math.MaxFloat64}}}},
		"tiny, log":     {LogY: true, Series: []Series{{Name: "a", X: []float64{1, 2}, Y: []float64{5e-324, 1e-320}}}},
		"same values":   {Series: []Series{{Name: "a", X: []float64{1e9, 1e9 + 1}, Y: []float64{1e15, 1e15}}}},
		"lines only":    {LogY: true, Lines: []ReferenceLine{{"zero", 0, false}, {"nan", nan, true}, {"one", 1, false}}},
		"bars":          {LogX: true, Categories: []string{"a", "b", "c", "d"}, Series: []Series{{Style: Bars, X: []float64{0, 1, 2, 3}, Y: []float64{0, -1, nan, inf}, Lo: []float64{0, 0, 0, 0}, Hi: []float64{1, 1, 1, inf}}}},
		"no bars":       {Series: []Series{{Style: Bars}}},
		"signed bars":   {Categories: []string{"a", "b"}, Series: []Series{{Style: Bars, X: []float64{0, 1}, Y: []float64{-2, 3}}}},
		"band":          {LogY: true, Series: []Series{{Name: "a", Style: Band, X: []float64{1, 2, 3}, Y: []float64{1, nan, 3}, Lo: []float64{0, 1, 2}, Hi: []float64{2, 3, 4}}}},
		"empty heat":    {Heat: &Heat{}},
		"heat":          {Heat: &Heat{Rows: []string{"a"}, Columns: []string{"x", "y"}, Z: [][]float64{{nan, -1}}}},
		"markup":        {Title: `<b> & "q" ξ ‖`, XLabel: "<i>", YLabel: "10^3 & more", Series: []Series{{Name: "a<b", X: []float64{1}, Y: []float64{1}}}},
		"many":          {LogY: true},
	}
	many := out["many"]
	for k := range 40 {
		s := Series{Name: fmt.Sprintf("series with a long name %d", k)}
		for i := range 6 {
			s.X, s.Y = append(s.X, float64(i)), append(s.Y, float64(i*k%11))
		}
		many.Series = append(many.Series, s)
	}
	out["many"] = many
	return out
}

// TestAwkwardFigures: any figure draws in every format, the same twice; SVG is
// well-formed without numbers that are none, and PNG shows something.
func TestAwkwardFigures(t *testing.T) {
	for name, f := range awkward() {
		t.Run(name, func(t *testing.T) {
			for _, write := range []func(io.Writer, Figure) error{SVG, PNG, PDF} {
				a := written(t, func(w io.Writer) error { return write(w, f) })
				b := written(t, func(w io.Writer) error { return write(w, f) })
				if !bytes.Equal(a, b) {
					t.Error("drawing twice gave different bytes")
				}
			}
			svg := written(t, func(w io.Writer) error { return SVG(w, f) })
			parse(t, svg)
			if s := string(svg); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
				t.Error("SVG has coordinates that are not numbers")
			}
			if colours(t, f) < 2 {
				t.Error("PNG is blank")
			}
		})
	}
}

// colours counts the different colours of a figure's image, at most 10.
func colours(t *testing.T, f Figure) int {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(written(t, func(w io.Writer) error { return PNG(w, f) })))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[4]uint32]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y && len(seen) < 10; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, b, a := img.At(x, y).RGBA()
			seen[[4]uint32{r, g, b, a}] = true
		}
	}
	return len(seen)
}

// TestLooksDiffer: no two of many series look the same in colour, marker and
// dash together, and neighbours differ in each.
func TestLooksDiffer(t *testing.T) {
	seen := map[string]bool{}
	for i := range 210 {
		l, next := lookOf(i), lookOf(i+1)
		key := fmt.Sprintf("%v %s %v", l.color, l.mark.tex, l.dashes)
		if seen[key] {
			t.Fatalf("series %d looks like an earlier one", i)
		}
		seen[key] = true
		if l.color == next.color || l.mark == next.mark || fmt.Sprint(l.dashes) == fmt.Sprint(next.dashes) {
			t.Errorf("series %d and %d share a colour, marker or dash", i, i+1)
		}
	}
}

// TestFigureOf: which series, axes and reference lines each value gives.
func TestFigureOf(t *testing.T) {
	results := []any{fbResult("CoKernelFB", 3, 0.04), fbResult("IndUniformFB", 22, 0.11)}
	for _, c := range []struct {
		name              string
		value             any
		x, y              string
		series, first     int // number of series, points of the first
		logX, logY        bool
		lines, categories int
		heat              bool
	}{
		// 4 algorithms and one lower bound that they share; gaps .1 to .8 double.
		{"fc sweep", fcSweep(), "", "", 5, 4, true, true, 0, 0, false},
		{"fb sweep", fbSweep(), "budget", "error", 4, 8, false, true, 0, 0, false},
		{"sweep by words", fcSweep(), "algorithm", "ratio", 4, 4, false, true, 1, 4, false},
		{"rounds of a sweep", fcSweep(), "gap", "rounds", 4, 4, true, false, 0, 0, false},
		{"results", results, "", "", 1, 2, false, false, 0, 2, false},
		{"result", fcResult(), "", "", 1, 5, false, false, 0, 5, false},
		{"trace", fcResult(), "round", "pulls", 1, 4, false, true, 0, 0, false},
		{"bounds", boundsReport(), "", "", 1, 5, true, false, 1, 5, false},
		{"budgets, the infinite one left out", boundsReport(), "bound", "budget", 1, 3, true, false, 0, 3, false},
		{"hardness", hardness(), "task", "rho_alone", 1, 3, true, false, 0, 3, false},
		{"spectrum", spectrum(), "", "", 3, 30, false, true, 2, 0, false},
		{"shared arms", allocation(5, 6), "", "", 0, 0, false, false, 0, 0, true},
		{"one task", allocation(1, 70), "arm", "weight", 1, 40, false, false, 0, 40, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := figure(t, c.value, c.x, c.y)
			first := 0
			if len(f.Series) > 0 {
				first = len(f.Series[0].Y)
			}
			if len(f.Series) != c.series || first != c.first || f.LogX != c.logX || f.LogY != c.logY ||
				len(f.Lines) != c.lines || len(f.Categories) != c.categories || (f.Heat != nil) != c.heat {
				t.Errorf("%d series, %d points, log %v %v, %d lines, %d categories, heat %v", len(f.Series), first, f.LogX, f.LogY, len(f.Lines), len(f.Categories), f.Heat != nil)
			}
			if f.Title == "" || f.XLabel == "" || f.YLabel == "" || f.Describe() == "" {
				t.Error("title, labels or description are missing")
			}
		})
	}
}

func TestFigureOfErrors(t *testing.T) {
	for _, c := range []struct {
		value any
		x, y  string
		want  string
	}{
		{fcSweep(), "gaps", "samples", `no x="gaps" here: x can be gap, algorithm`},
		{fcSweep(), "gap", "time", `no y="time" here: y can be samples, samples_total, ratio`},
		{boundsReport(), "", "rho", `no y="rho" here: y can be samples, budget, error`},
		{undecidedResult(), "task", "error", `no y="error" here: y can be estimate`},
		{[]engine.Result{undecidedResult()}, "", "error", `no y="error" here`},
		{3.5, "", "", "a number cannot be drawn"},
		{forecast(), "gap", "", `no x="gap" here: x can be algorithm`},
		{whatIf(), "", "cost", `no y="cost" here: y can be samples, samples_total, rounds`},
	} {
		_, err := FigureOf(c.value, asked(c.x, c.y))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
