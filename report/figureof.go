package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// PlotOptions selects what a figure of a value shows. The zero value gives the default figure.
type PlotOptions struct {
	X string // quantity along x; "" means the default
	// quantities along y; nil means the default. A figure of a sweep has a panel for each of their units
	Y     []string
	Panel string // swept name; each of its values gets a panel; "" means one panel
	// for a result: the problem it belongs to. The figure then shows where arms were open in the plane of the features X
	// and Y. Task selects a task; "" means all tasks
	Where *problem.Problem
	Task  string
	Layout
}

// FigureOf returns a figure of a value, as plot(value, x=, y=, panel=, ...) does. Axes lists the possible x and y. It
// returns an error if the value has no figure, or does not have the chosen x, y or panel; the error lists the possible
// names. Measures in different units are an error for a list of results. A Layout option that does not suit the figure is
// an *OptionError.
func FigureOf(v any, o PlotOptions) (Figure, error) {
	v = plain(v)
	if f, ok := v.(Figure); ok {
		return o.apply(f)
	}
	if wrong := CheckPlot(v, o); len(wrong) > 0 {
		return Figure{}, wrong[0]
	}
	var f Figure
	var err error
	w, _ := viewOf(v)
	if o.Where != nil {
		f, err = whereOpen(v, o)
		w.words = problem.Words{} // name features as the problem does
	} else if o, err = o.chosen(v); err == nil {
		f, err = w.figure(o)
	}
	if err != nil {
		return f, err
	}
	return o.apply(figureInWords(f, w.words))
}

// barFigure returns a figure without data for one series of horizontal bars.
func barFigure(title, label, of string, log bool) Figure {
	return Figure{Title: title, XLabel: label, YLabel: of, LogX: log, Series: []Series{{Style: Bars}}}
}

func addBar(f *Figure, name string, value float64, interval ...float64) {
	f.Series[0].Add(float64(len(f.Categories)), value, interval...)
	f.Categories = append(f.Categories, name)
}

// withInterval returns the number in a cell and the ends of its interval. Without an interval, lo and hi equal y. ok is
// false if the cell has no number.
func withInterval(v any) (y, lo, hi float64, ok bool) {
	switch v := v.(type) {
	case float64:
		return v, v, v, true
	case int:
		return float64(v), float64(v), float64(v), true
	case uint64:
		return withInterval(float64(v))
	case engine.Interval:
		return v.Mean, v.CI95[0], v.CI95[1], true
	case engine.Rate:
		return v.Rate, v.CI95[0], v.CI95[1], true
	}
	return 0, 0, 0, false
}

// resultsFigure compares results: each result has a bar for each measure.
func resultsFigure(results []engine.Result, ys []string) (Figure, error) {
	ms := measuresFor(results, ys...)
	if err := sameUnit(ms); err != nil {
		return Figure{}, err
	}
	l := labelsOf(results)
	f := Figure{Title: ms[0].title + " by " + l.what, XLabel: ms[0].column().heading(), YLabel: l.what, NonNegative: true, Categories: l.texts}
	if len(ms) > 1 {
		f.Title, f.XLabel = ms[0].quantity+" by "+l.what, ms[0].quantity
	}
	var lower []float64
	for _, m := range ms {
		s := Series{Style: Bars}
		if len(ms) > 1 {
			s.Name = m.title
		}
		for i, r := range results {
			v, lo, hi, ok := withInterval(m.value(r))
			if !ok {
				continue
			}
			s.Add(float64(i), v, lo, hi)
			lower = append(lower, r.LowerBoundSamples)
		}
		f.Series = append(f.Series, s)
	}
	f.Lines = references(ms[0], results, lower, true)
	if lo, hi, _ := f.Extent(); ms[0].log && lo > 0 && hi/lo > 50 {
		f.LogX = true // a linear axis would hide the short bars
	}
	return f, nil
}

// references returns the reference line of measure m, or none. Samples have the lower bound if all results share it, and
// ratios have 1. Errors have the allowed probability, if all fixed-confidence results share it.
func references(m measure, results []engine.Result, lower []float64, vertical bool) []ReferenceLine {
	same := func(xs []float64) bool {
		return len(xs) > 0 && xs[0] > 0 && allSame(xs)
	}
	switch {
	case m.name == "samples" && same(lower):
		return []ReferenceLine{{Label: "lower bound", At: lower[0], Vertical: vertical}}
	case m.name == "ratio":
		return []ReferenceLine{{Label: "lower bound", At: 1, Vertical: vertical}}
	case m.name == "error":
		asked := lists.Where(results, func(r engine.Result) bool { return r.Mode == engine.ModeFC }) // others have no allowed error
		if deltas := lists.Map(asked, func(r engine.Result) float64 { return r.Delta }); same(deltas) {
			return []ReferenceLine{{Label: "δ asked", At: deltas[0], Vertical: vertical}}
		}
	}
	return nil
}

// spanDecades reports whether an axis for these values should be logarithmic: they are positive, far apart, and not evenly
// spaced.
func spanDecades(values []float64) bool {
	if len(values) == 0 {
		return false
	}
	xs := slices.Compact(slices.Sorted(slices.Values(values)))
	if !(xs[0] > 0) || xs[len(xs)-1]/xs[0] < 8 {
		return false
	}
	step := xs[1] - xs[0]
	for i := 2; i < len(xs); i++ {
		if math.Abs(xs[i]-xs[i-1]-step) > 1e-6*step {
			return true
		}
	}
	return len(xs) == 2
}

// estimateFigure draws the estimates of a result by task.
func estimateFigure(r engine.Result) Figure {
	f := barFigure("Estimated reward of the leader of each task, "+r.Algorithm, "estimated reward", "task", false)
	open := false
	for _, a := range r.Answers {
		name := r.Words.TaskLabel(a.Task) + ": " + r.Words.ArmLabel(a.Leader)
		if !a.Decided && !untested(r) {
			name, open = name+"?", true
		}
		addBar(&f, name, a.Estimate)
	}
	if open {
		f.Title += " (? means undecided)"
	}
	return f
}

// traceFigure draws the quantity y over the rounds of a result.
func traceFigure(r engine.Result, y string) Figure {
	label := map[string]string{"alive": "arms left", "pulls": "pulls, all agents", "rho": "design value ρ"}[y]
	f := Figure{Title: "Rounds of " + r.Algorithm, XLabel: "round", YLabel: label, LogY: y != "alive"}
	s := Series{Name: r.Algorithm}
	for _, t := range r.Trace {
		s.Add(float64(t.Round), map[string]float64{"alive": float64(t.Alive), "pulls": float64(t.Pulls), "rho": t.Rho}[y])
	}
	f.Series = []Series{s}
	return f
}

// figureTable returns the points of a figure as a table, one row per point. Media without pictures and CSV use it.
func figureTable(f Figure) Table {
	if f.Heat != nil {
		return heatTable(f.Heat, f.Title)
	}
	x, y := number("x", f.XLabel, ""), number("y", f.YLabel, "")
	if f.InRows() { // the values of horizontal bars are along x
		x.Title, y.Title = f.YLabel, f.XLabel
	}
	if len(f.Categories) > 0 {
		x.Align = Left
	}
	t := Table{
		Caption: f.Title,
		Columns: []Column{text("panel", cmp.Or(f.PanelsAre, "Panel")), text("series", cmp.Or(f.SeriesAre, "Series")), text("shown", "Shown"),
			x, y, number("lo", "from", ""), number("hi", "to", "")},
	}
	for _, p := range f.Parts() {
		var panel any
		if len(f.Panels) > 0 {
			panel = cmp.Or(p.Title, p.YLabel)
		}
		t.Rows = append(t.Rows, lists.Map(panelRows(p), func(row []any) []any { return append([]any{panel}, row...) })...)
	}
	return t.withoutEmptyColumns()
}

// panelRows returns the table rows of one panel: its points and its reference lines.
func panelRows(f Figure) [][]any {
	var out [][]any
	shown := figureNumber(f)
	for _, s := range f.Series {
		for i := range s.Y {
			name, what := seriesNames(f, s)
			row := []any{known(name), known(what), s.X[i], shown(s.Y[i]), nil, nil}
			if k := int(math.Round(s.X[i])); k >= 0 && k < len(f.Categories) {
				row[2] = f.Categories[k]
			}
			for _, n := range f.XNames {
				if n.At == s.X[i] {
					row[2] = n.Name
				}
			}
			if len(s.Lo) == len(s.Y) && len(s.Hi) == len(s.Y) {
				row[4], row[5] = shown(s.Lo[i]), shown(s.Hi[i])
			}
			out = append(out, row)
		}
	}
	for _, l := range f.Lines {
		if !l.Vertical {
			out = append(out, []any{l.Label, nil, nil, shown(l.At), nil, nil})
		}
	}
	return out
}

// seriesNames returns the name of a series in a table. If the series are groups of arms, which have the
// title f.SeriesAre, it also returns what the series shows. Measured values get the name of the estimates with the same hue.
func seriesNames(f Figure, s Series) (name, what string) {
	switch {
	case f.SeriesAre == "":
		return s.Name, ""
	case s.Reference:
		return "", s.Name
	case !s.Measured:
		return s.Name, "estimate"
	}
	o, _ := lists.First(f.Series, func(o Series) bool { return o.Hue == s.Hue && !o.Measured && !o.Reference })
	return o.Name, s.Name
}

// figureNumber returns a function that makes table cells of the numbers of a panel. The cells have enough digits to tell
// apart the ends of the shortest interval, if the default has fewer.
func figureNumber(f Figure) func(v float64) any {
	step, largest := math.Inf(1), 0.0
	for _, s := range f.Series {
		for i, v := range s.Y {
			if len(s.Lo) == len(s.Y) && s.Hi[i] > s.Lo[i] {
				step, largest = min(step, (s.Hi[i]-s.Lo[i])/2), max(largest, math.Abs(v))
			}
		}
	}
	usual := math.Pow(10, math.Floor(math.Log10(largest))-3)
	if largest >= 1e3 && largest < 1e9 {
		usual = 1
	}
	return func(v float64) any {
		if step < 2*usual {
			return Rounded{Value: v, Step: step}
		}
		return v
	}
}

func heatTable(h *Heat, caption string) Table {
	t := Table{
		Caption: caption,
		Columns: []Column{text("row", "Row"), text("column", "Column"), number("value", cmp.Or(h.Label, "Value"), "")},
	}
	for i, r := range h.Rows {
		for j, c := range h.Columns {
			if isFinite(h.Z[i][j]) {
				t.Rows = append(t.Rows, []any{r, c, h.Z[i][j]})
			}
		}
	}
	return t
}

// The types of package figure, which draws figures.
type (
	Figure        = figure.Figure
	Series        = figure.Series
	Style         = figure.Style
	XName         = figure.XName
	ReferenceLine = figure.ReferenceLine
	Heat          = figure.Heat
)

// The styles of series.
const (
	Line     = figure.Line
	Points   = figure.Points
	Bars     = figure.Bars
	Dots     = figure.Dots
	Forecast = figure.Forecast
	Bound    = figure.Bound
)

// The widths that a figure can have, in columns.
const (
	Narrowest = figure.Narrowest
	Widest    = figure.Widest
)
