package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// sweepFigure draws measures of a sweep, with the bounds to compare them with.
func sweepFigure(s sim.Sweep, o PlotOptions) (Figure, error) {
	if len(s.Rows) == 0 {
		return Figure{}, fmt.Errorf("the sweep has no results to draw")
	}
	ys, bounded := withoutBound(o.Y)
	c := chart{names: s.Names, measures: measuresNamed(ys...), bounded: bounded}
	results := make([]engine.Result, len(s.Rows))
	for i, r := range s.Rows {
		results[i] = r.Result
		row := chartRow{values: r.Values, mode: r.Result.Mode, algorithm: r.Result.Algorithm}
		for _, m := range c.measures {
			row.cells = append(row.cells, m.value(r.Result))
		}
		if bounded || o.Y[0] == "samples" {
			row.lower = r.Result.LowerBoundSamples
		}
		if promise, ok := theorem(r.Result, r.Result.Mode).(float64); ok && slices.Contains([]string{"samples", "error"}, ys[0]) && len(ys) == 1 {
			row.upper, c.theorem = promise, theoremOf(r.Result)
		}
		c.rows = append(c.rows, row)
	}
	f, err := c.figure(o)
	if err != nil {
		return f, err
	}
	if !bounded && o.Y[0] != "samples" {
		addLines(&f, references(c.measures[0], results, nil, false))
	}
	return f, nil
}

// withoutBound takes the lower bound out of several measures: it is drawn once, as what
// the others are compared with, and not again for each algorithm.
func withoutBound(ys []string) (rest []string, bounded bool) {
	at := slices.Index(ys, "lower_bound")
	if at < 0 || len(ys) == 1 {
		return ys, false
	}
	return slices.Delete(slices.Clone(ys), at, at+1), true
}

// theoremOf names the theorem of the paper that is about the result.
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

// sameUnit refuses measures that cannot share an axis.
func sameUnit(ms []measure) error {
	for _, m := range ms[1:] {
		if m.quantity != ms[0].quantity {
			return fmt.Errorf("y: %s is in %s and %s in %s: a figure has one unit, so draw them in two figures",
				ms[0].name, strings.ToLower(ms[0].quantity), m.name, strings.ToLower(m.quantity))
		}
	}
	return nil
}

// pairedFigure draws ratios or differences with a line where both are equal.
func pairedFigure(s sim.Comparisons, o PlotOptions) (Figure, error) {
	if len(s.Rows) == 0 {
		return Figure{}, fmt.Errorf("there are no comparisons to draw")
	}
	m, _ := findMeasure(s.Measure)
	c := chart{names: append(slices.Clone(s.Names), "algorithm"), measures: []measure{comparedMeasure(o.Y[0], m.title, s.Reference)}}
	lo, hi := 1.0, 1.0
	for _, r := range s.Rows {
		row := chartRow{values: append(slices.Clone(r.Values), r.Algorithm), mode: modeOf(r.Algorithm), algorithm: r.Algorithm,
			cells: []any{r.Difference}}
		if o.Y[0] == "ratio" {
			row.cells[0] = ratio(r)
			if r.Ratio.Mean > 0 {
				lo, hi = min(lo, r.Ratio.Mean), max(hi, r.Ratio.Mean)
			}
		}
		c.rows = append(c.rows, row)
	}
	c.measures[0].log, c.signed = o.Y[0] == "ratio" && hi/lo > 8, o.Y[0] == "difference"
	f, err := c.figure(o)
	equal := 0.0
	if o.Y[0] == "ratio" {
		equal = 1
	}
	addLines(&f, []ReferenceLine{{Label: s.Reference, At: equal}})
	return f, err
}

// comparedMeasure returns the measure that a comparison draws.
func comparedMeasure(y, title, reference string) measure {
	if y == "ratio" {
		return measure{name: y, title: fmt.Sprintf("%s as a multiple of %s", title, reference), quantity: "Ratio"}
	}
	return measure{name: y, title: fmt.Sprintf("%s: difference from %s", title, reference), quantity: "Difference"}
}

// modeOf finds the mode of an algorithm of the catalogue by its name.
func modeOf(algorithm string) string {
	for _, e := range algorithms.All() {
		if e.Name == algorithm {
			return e.Mode
		}
	}
	return ""
}

// speedupFigure draws the speedup measured beside what the theory predicts, between
// the smallest and the largest possible.
func speedupFigure(s sim.Speedup, o PlotOptions) (Figure, error) {
	if len(s.Rows) == 0 {
		return Figure{}, fmt.Errorf("there are no speedups to draw")
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
	for _, r := range s.Rows {
		c.rows = append(c.rows, chartRow{values: r.Values, algorithm: s.Algorithm, cells: []any{r.Beta, known(r.ByRank), known(r.ByHardness)}})
	}
	f, err := c.figure(o)
	addLines(&f, []ReferenceLine{{Label: fmt.Sprintf("V = %d", s.Tasks), At: float64(s.Tasks)}, {Label: "no speedup", At: 1}})
	return f, err
}
