package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Sweep returns the view of sweep(...).
func (views) Sweep(s sim.Sweep) view {
	return view{
		blocks: func() []Block {
			first, others := warned(sweepWarnings(s))
			return slices.Concat([]Block{Paragraph{Text: sweepSentence(s), Lead: true}, sweepTable(s)}, first, others)
		},
		table: func() (Table, error) {
			if s.Per == sim.PerRun {
				return runRows(s)
			}
			return behindSwept(s.Names, lists.Map(s.Rows, func(r sim.SweepRow) []any { return r.Values }), resultRows(resultsOf(s))), nil
		},
		axes: func(string) (xs, ys []string) {
			return s.Names, measureNames(resultsOf(s))
		},
		figure:  func(o PlotOptions) (Figure, error) { return sweepFigure(s, o) },
		several: true, panels: true,
	}
}

// resultsOf returns the results of a sweep.
func resultsOf(s sim.Sweep) []engine.Result {
	return lists.Map(s.Rows, func(r sim.SweepRow) engine.Result { return r.Result })
}

// sweepSentence returns a sentence with the numbers of results and runs, and of those read from the store.
func sweepSentence(s sim.Sweep) string {
	runs := lists.Sum(s.Rows, func(r sim.SweepRow) int { return r.Result.Runs })
	out := fmt.Sprintf("%s over %s, of %s in all", plural(len(s.Rows), "result"), join(s.Names, 6), plural(runs, "run"))
	switch {
	case s.Stored > 0 && s.Stored == len(s.Rows):
		out += "; all were read from the store"
	case s.Stored > 0:
		out += fmt.Sprintf("; %s %s read from the store and %s run now", cell(s.Stored, 0), were(s.Stored), cell(len(s.Rows)-s.Stored, 0))
	}
	if s.Per == sim.PerRun {
		out += ". Files have a row for each run; the table has one for each result"
	}
	return out + "."
}

// mostRows is the maximum number of rows of a sweep's table that an HTML page shows unfolded.
const mostRows = 40

// SweepMeasures returns a sweep as a table with the named measures; Axes lists the names. Without names, the table has all
// measures that a result has. It returns an error for an unknown or repeated name, and for a measure that no result has.
func SweepMeasures(s sim.Sweep, names ...string) (Table, error) {
	if wrong := CheckPlot(s, PlotOptions{Y: names}); len(wrong) > 0 {
		return Table{}, wrong[0]
	}
	if len(names) == 0 {
		_, names = Axes(s, "")
	}
	return sweepTable(s, names...), nil
}

// sweepTable returns a sweep as a table with the named measures. Without names, the mode of the runs determines the
// measures.
func sweepTable(s sim.Sweep, names ...string) Table {
	t := Table{Caption: "Measured, " + strings.Join(s.Names, " by ")}
	t.Columns = swept(s.Names, func(i int) []any { return s.Rows[i].Values }, len(s.Rows))
	unnamed := !slices.Contains(s.Names, "algorithm")
	if unnamed {
		t.Columns = append(t.Columns, text("algorithm", "algorithm"))
	}
	t.Columns = append(t.Columns, columns("status Status", "standing Guarantee")...)
	switch {
	case len(names) > 0:
	case len(s.Rows) > 0 && s.Rows[0].Result.Mode == engine.ModeFB:
		names = []string{"error", "relative_regret", "samples", "rounds", "bytes"}
	default:
		names = []string{"error", "samples", "rounds", "ratio", "bytes"}
	}
	chosen := measuresFor(resultsOf(s), names...)
	t.Columns = append(t.Columns, lists.Map(chosen, measure.column)...)
	for _, r := range s.Rows {
		row := markedAll(s.Names, r.Values)
		if unnamed {
			row = append(row, markedName(r.Result.Algorithm))
		}
		row = append(row, r.Result.Status.Words(), known(r.Result.Standing))
		t.Rows = append(t.Rows, append(row, cellsOf(chosen, r.Result)...))
	}
	t.Notes = append([]string{"Brackets are 95 % intervals (Student's t over runs; Wilson for error rates)."}, measureNotes(t)...)
	t.Collapsed = len(t.Rows) > mostRows
	return t.withoutEmptyColumns().withoutConstant("status", "standing")
}

// numeric returns a swept value as a number; false if it is not a number.
func numeric(v any) (float64, bool) {
	if v == "inf" { // scripts write infinity as a text
		return math.Inf(1), true
	}
	x, _, _, ok := withInterval(plain(v))
	return x, ok
}
