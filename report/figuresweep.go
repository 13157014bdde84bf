package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// sweepFigure draws measures of a sweep. Measures in different units get separate panels.
func sweepFigure(s sim.Sweep, o PlotOptions) (Figure, error) {
	if len(s.Rows) == 0 {
		return Figure{}, fmt.Errorf("the sweep has no results to draw")
	}
	units := lists.Groups(o.Y, func(y string) string { return measuresNamed(y)[0].quantity })
	if len(units) == 1 {
		return unitFigure(s, o, false)
	}
	named := slices.ContainsFunc(units, func(ys []string) bool { return len(ys) > 1 })
	var f Figure
	var labels []string
	for _, ys := range units {
		o.Y = ys
		part, err := unitFigure(s, o, named)
		if err != nil {
			return f, err
		}
		for _, p := range part.Parts() {
			p.YLabel = part.YLabel
			if o.Panel == "" {
				p.Title = ""
			}
			f.Panels = append(f.Panels, p)
		}
		f.XLabel, labels = part.XLabel, append(labels, part.YLabel)
	}
	f.YLabel = strings.Join(labels, ", ")
	f.Title = f.YLabel + " against " + o.X
	if o.Panel != "" {
		f.Title += " for each " + o.Panel
	}
	return f, nil
}

// unitFigure draws measures that have the same unit, together with their bounds. If named is true, the names of the series
// include the measure.
func unitFigure(s sim.Sweep, o PlotOptions, named bool) (Figure, error) {
	ys, bounded := o.Y, len(o.Y) > 1 && slices.Contains(o.Y, "lower_bound")
	if bounded { // draw the lower bound once, as a bound, and not as a measure of each algorithm
		ys = lists.Where(ys, func(y string) bool { return y != "lower_bound" })
	}
	c := chart{names: s.Names, measures: measuresFor(resultsOf(s), ys...), bounded: bounded, named: named}
	for _, r := range s.Rows {
		row := chartRow{values: r.Values, mode: r.Result.Mode, algorithm: r.Result.Algorithm, cells: cellsOf(c.measures, r.Result)}
		if bounded || o.Y[0] == "samples" {
			row.lower = r.Result.LowerBoundSamples
		}
		if d := r.Result.Detail; d != nil && d.Theorem > 0 && slices.Contains([]string{"samples", "error"}, ys[0]) && len(ys) == 1 {
			row.upper, c.theorem = d.Theorem, theoremOf(r.Result)
		}
		c.rows = append(c.rows, row)
	}
	f, err := c.figure(o)
	if err != nil {
		return f, err
	}
	if !bounded && o.Y[0] != "samples" {
		addLines(&f, references(c.measures[0], resultsOf(s), nil, false))
	}
	return f, nil
}

// theoremOf returns the theorem of the paper that bounds the result; "" if there is none.
func theoremOf(r engine.Result) string {
	e, err := algorithms.Named(r.Mode, r.Algorithm)
	if err != nil {
		return ""
	}
	return e.Theorem
}

// addLines adds reference lines to the figure, or to each of its panels.
func addLines(f *Figure, lines []ReferenceLine) {
	if len(f.Panels) == 0 {
		f.Lines = append(f.Lines, lines...)
	}
	for i := range f.Panels {
		f.Panels[i].Lines = append(slices.Clone(f.Panels[i].Lines), lines...)
	}
}

// sameUnit returns an error if the measures have different quantities, because bars have only one axis.
func sameUnit(ms []measure) error {
	for _, m := range ms[1:] {
		if m.quantity != ms[0].quantity {
			return fmt.Errorf("y: %s is in %s and %s in %s: bars have one unit, so draw them in two figures",
				ms[0].name, strings.ToLower(ms[0].quantity), m.name, strings.ToLower(m.quantity))
		}
	}
	return nil
}

// pairedFigure draws ratios or differences, with a line at equality.
func pairedFigure(s sim.Comparisons, o PlotOptions) (Figure, error) {
	if len(s.Rows) == 0 {
		return Figure{}, fmt.Errorf("the value has no comparisons to draw")
	}
	m, _ := findMeasure(s.Measure)
	ratio, equal := o.Y[0] == "ratio", 0.0
	drawn := measure{name: o.Y[0], title: fmt.Sprintf("%s: difference from %s", m.title, s.Reference), quantity: "Difference"}
	if ratio {
		drawn.title, drawn.quantity, equal = fmt.Sprintf("%s as a multiple of %s", m.title, s.Reference), "Ratio", 1
	}
	c := chart{names: append(slices.Clone(s.Names), "algorithm"), signed: !ratio}
	lo, hi := 1.0, 1.0
	for _, r := range s.Rows {
		e, _ := entryOf(r.Algorithm)
		row := chartRow{values: append(slices.Clone(r.Values), r.Algorithm), mode: e.Mode, algorithm: r.Algorithm, cells: []any{r.Difference}}
		if ratio {
			row.cells[0] = known(r.Ratio)
			if r.Ratio.Mean > 0 {
				lo, hi = min(lo, r.Ratio.Mean), max(hi, r.Ratio.Mean)
			}
		}
		c.rows = append(c.rows, row)
	}
	drawn.log = ratio && hi/lo > 8
	c.measures = []measure{drawn}
	f, err := c.figure(o)
	addLines(&f, []ReferenceLine{{Label: s.Reference, At: equal}})
	return f, err
}

// speedupFigure draws the measured and the predicted speedup, with lines at the smallest and the largest possible speedup.
func speedupFigure(s sim.Speedup, o PlotOptions) (Figure, error) {
	if len(s.Rows) == 0 {
		return Figure{}, fmt.Errorf("the value has no speedups to draw")
	}
	c := chart{
		title: fmt.Sprintf("Speedup of %s over %s alone", s.Algorithm, s.Alone), names: s.Names,
		measures: []measure{
			{name: "beta", title: "measured", quantity: "Speedup β"},
			{name: "by_rank", title: "V / rank K_Z", quantity: "Speedup β"},
			{name: "by_hardness", title: "by hardness ρ*", quantity: "Speedup β"},
		},
		styles: []Style{Line, Points, Forecast},
	}
	c.rows = lists.Map(s.Rows, func(r sim.SpeedupRow) chartRow {
		return chartRow{values: r.Values, algorithm: s.Algorithm, cells: []any{r.Beta, known(r.ByRank), known(r.ByHardness)}}
	})
	f, err := c.figure(o)
	addLines(&f, []ReferenceLine{{Label: fmt.Sprintf("V = %d", s.Tasks), At: float64(s.Tasks)}, {Label: "no speedup", At: 1}})
	return f, err
}

// planMeasures returns the measures of a forecast that have values in rows. Without rows, it returns all possible
// measures.
func planMeasures(rows []plan.Row, prices plan.Prices) []planMeasure {
	if len(rows) == 0 {
		prices.Sample, prices.SampleTime = 1, 1
	}
	all := []planMeasure{
		{measure{name: "samples", title: "Samples per agent", quantity: "Samples", log: true},
			func(r plan.Row) any { return engine.Interval{Mean: r.SamplesPerAgent, CI95: r.SamplesPerAgentCI95} }},
		{measure{name: "samples_total", title: "Samples, all agents", quantity: "Samples", log: true},
			func(r plan.Row) any { return r.SamplesTotal }},
		{measure{name: "rounds", title: "Rounds", quantity: "Rounds"}, func(r plan.Row) any { return r.Rounds }},
	}
	if prices.Sample > 0 || prices.Round > 0 {
		cost := measure{name: "cost", title: "Cost", quantity: "Cost", log: true}
		all = append(all, planMeasure{cost, func(r plan.Row) any { return r.Cost }})
	}
	if prices.SampleTime > 0 || prices.RoundTime > 0 {
		time := measure{name: "time", title: "Calendar time", unit: prices.TimeUnit, quantity: "Time", log: true}
		all = append(all, planMeasure{time, func(r plan.Row) any { return r.Time }})
	}
	return all
}

// planMeasure is a measure of a forecast, with a function that returns its cell in a row.
type planMeasure struct {
	measure
	of func(plan.Row) any
}

// planAxes returns the possible axes of planFigure. The x axis is the gap if the rows have several gaps, or if there are
// no rows.
func planAxes(rows []plan.Row, prices plan.Prices) (xs, ys []string) {
	ys = append(ys, lists.Map(planMeasures(rows, prices), func(m planMeasure) string { return m.name })...)
	switch {
	case len(rows) == 0 || len(gapsOf(rows)) > 1:
		return []string{"gap", "algorithm"}, ys
	}
	return []string{"algorithm"}, ys
}

// planFigure draws a forecast. If x is the gap, each method is a line; otherwise bars compare the rows.
func planFigure(title string, rows []plan.Row, prices plan.Prices, o PlotOptions) (Figure, error) {
	all := planMeasures(rows, prices)
	m := all[slices.IndexFunc(all, func(m planMeasure) bool { return m.name == o.Y[0] })]
	several := len(gapsOf(rows)) > 1
	if several && o.X == "gap" {
		c := chart{title: title, names: []string{"gap", "algorithm"}, measures: []measure{m.measure}}
		c.rows = lists.Map(rows, func(r plan.Row) chartRow {
			return chartRow{values: []any{r.Gap, methodName(r)}, algorithm: methodName(r), cells: []any{m.of(r)}}
		})
		return c.figure(o)
	}
	f := barFigure(title, m.column().heading(), o.X, m.log)
	f.NonNegative = true
	for _, r := range rows {
		name := methodName(r)
		if several {
			name += ", gap " + decimal(r.Gap, 0)
		}
		y, lo, hi, _ := withInterval(m.of(r))
		addBar(&f, name, y, lo, hi)
	}
	return f, nil
}

// boundsFigure draws the bounds as bars. It omits infinite and unknown bounds.
func boundsFigure(r bounds.Report, y string) Figure {
	label := map[string]string{
		"samples": "samples per agent, fixed confidence", "budget": "budget per agent for error δ", "error": "error probability at the budget",
	}[y]
	theorem := "Theorem 2"
	if y == "samples" {
		theorem = "Theorem 1"
	}
	f := barFigure("Bounds for "+r.Problem, label, "bound", true)
	if y == "samples" && finite(r.LowerBoundSamples) {
		addBar(&f, "Lower bound", r.LowerBoundSamples)
		f.Lines = []ReferenceLine{{At: r.LowerBoundSamples, Vertical: true}}
		if r.LowerBoundSamplesLimit > 0 {
			addBar(&f, limitName, r.LowerBoundSamplesLimit)
		}
	}
	for _, p := range promises(r) {
		if v := map[string]float64{"samples": p.fc, "budget": p.fbBudget, "error": p.error}[y]; finite(v) {
			addBar(&f, strings.Replace(p.name, "Theorem 1 / 2", theorem, 1), v)
		}
	}
	return f
}

func hardnessFigure(h bounds.Hardness, y string) Figure {
	label := map[string]string{"gap": "gap (reward units)", "rho_alone": "ρ* of the task alone", "weight": "share of the joint pulls"}[y]
	f := barFigure("Difficulty of the tasks of "+h.Problem, label, "task", y == "rho_alone")
	for _, r := range h.Rows {
		addBar(&f, r.Task, map[string]float64{"gap": r.Gap, "rho_alone": r.RhoAlone, "weight": r.Weight}[y])
	}
	return f
}

// spectrumFigure draws the eigenvalues, the ridge (smaller eigenvalues hardly matter), and the effective dimension.
func spectrumFigure(s bounds.Spectrum) Figure {
	f := Figure{Title: "Spectrum of " + s.Problem, XLabel: "index", YLabel: "eigenvalue", LogY: true}
	for _, e := range []struct {
		name   string
		values []float64
	}{{"joint K", s.Joint}, {"tasks K_Z", s.Task}, {"arms K_X", s.Arm}} {
		series := Series{Name: e.name}
		for i, v := range e.values {
			if v < 1e-16*e.values[0] { // zero except for rounding errors
				v = math.NaN()
			}
			series.Add(float64(i+1), v)
		}
		f.Series = append(f.Series, series)
	}
	f.Series = withPoints(f.Series)
	if s.Ridge > 0 {
		f.Lines = append(f.Lines, ReferenceLine{Label: "ridge ξ", At: s.Ridge})
	}
	if s.EffectiveDimension > 0 {
		f.Lines = append(f.Lines, ReferenceLine{Label: fmt.Sprintf("d_eff = %d", s.EffectiveDimension), At: float64(s.EffectiveDimension),
			Vertical: true})
	}
	return f
}

// Maximum sizes of a figure of an allocation: cells of a heat map, and bars.
const (
	mostCells = 20000
	mostBars  = 40
)

// designFigure draws an allocation. If tasks share arms, it is a heat map of tasks and arms; otherwise the largest weights
// are bars.
func designFigure(a bounds.Design) Figure {
	var tasks, arms []string
	row, column := map[string]int{}, map[string]int{}
	for _, w := range a.Weights {
		if _, ok := row[w.Task]; !ok {
			row[w.Task] = len(tasks)
			tasks = append(tasks, w.Task)
		}
		if _, ok := column[w.Arm]; !ok {
			column[w.Arm] = len(arms)
			arms = append(arms, w.Arm)
		}
	}
	title := "Allocation of the first round, " + a.Problem
	shared := len(tasks) > 1 && len(a.Weights) > len(arms)
	if !shared || len(tasks)*len(arms) > mostCells {
		return designBars(a, title)
	}
	slices.SortFunc(arms, naturally)
	h := &Heat{Rows: tasks, Columns: arms, Label: "share of pulls",
		Z: lists.Make(len(tasks), func(int) []float64 { return make([]float64, len(arms)) })}
	for j, arm := range arms {
		column[arm] = j
	}
	for _, w := range a.Weights {
		h.Z[row[w.Task]][column[w.Arm]] = w.Weight
	}
	return Figure{Title: title, XLabel: "arm", YLabel: "task", Heat: h}
}

func designBars(a bounds.Design, title string) Figure {
	weights := slices.Clone(a.Weights)
	slices.SortStableFunc(weights, func(a, b bounds.AllocationWeight) int { return cmp.Compare(b.Weight, a.Weight) })
	if len(weights) > mostBars {
		title += fmt.Sprintf(" (the %d largest of %d)", mostBars, len(weights))
		weights = weights[:mostBars]
	}
	f := barFigure(title, "share of pulls", "task: arm", false)
	for _, w := range weights {
		addBar(&f, w.Task+": "+w.Arm, w.Weight)
	}
	return f
}

// naturally compares names so that numbers in them are in order: "N=20" comes before "N=100".
func naturally(a, b string) int {
	digits := func(s string) int {
		n := 0
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.' && n > 0) {
			n++
		}
		return n
	}
	for a != "" && b != "" {
		if i, j := digits(a), digits(b); i > 0 && j > 0 {
			x, _ := strconv.ParseFloat(a[:i], 64)
			if y, _ := strconv.ParseFloat(b[:j], 64); x != y {
				return cmp.Compare(x, y)
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}
