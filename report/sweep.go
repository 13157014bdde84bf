package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// Sweep shows sweep(...).
func (views) Sweep(s sim.Sweep) view {
	return view{
		blocks: func() []Block { return sweepBlocks(s) },
		table: func() (Table, error) {
			if s.Per == sim.PerRun {
				return runRows(s)
			}
			return sweepRows(s), nil
		},
		axes: func(string) (xs, ys []string) {
			results := make([]engine.Result, len(s.Rows))
			for i, r := range s.Rows {
				results[i] = r.Result
			}
			return s.Names, measureNames(results)
		},
		figure:  func(o PlotOptions) (Figure, error) { return sweepFigure(s, o) },
		several: true, panels: true,
	}
}

// sweepBlocks shows sweep(...): one row per combination of swept values.
func sweepBlocks(s sim.Sweep) []Block {
	first, others := warned(sweepWarnings(s))
	return slices.Concat([]Block{Paragraph{Text: sweepSentence(s), Lead: true}, sweepTable(s)}, first, others)
}

// sweepSentence counts cells and runs, and says what was not run again.
func sweepSentence(s sim.Sweep) string {
	runs := 0
	for _, r := range s.Rows {
		runs += r.Result.Runs
	}
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

// mostRows limits the rows of a sweep's table that a page shows unfolded.
const mostRows = 40

// SweepMeasures returns a sweep as a table of chosen measures, see Axes for their names. It reports
// a name that is not one of them or comes twice, and measures that no result knows.
func SweepMeasures(s sim.Sweep, names ...string) (Table, error) {
	_, known := Axes(s, "")
	if err := checkMeasures(names, known); err != nil {
		return Table{}, err
	}
	return sweepTable(s, names...), nil
}

// sweepTable shows the measures named, or those that matter for the mode of the runs.
func sweepTable(s sim.Sweep, names ...string) Table {
	t := Table{Caption: "Measured, " + strings.Join(s.Names, " by ")}
	t.Columns = swept(s.Names, func(i int) []any { return s.Rows[i].Values }, len(s.Rows))
	unnamed := !slices.Contains(s.Names, "algorithm")
	if unnamed {
		t.Columns = append(t.Columns, text("algorithm", "algorithm"))
	}
	t.Columns = append(t.Columns, text("status", "Status"), text("standing", "Guarantee"))
	switch {
	case len(names) > 0:
	case len(s.Rows) > 0 && s.Rows[0].Result.Mode == engine.ModeFB:
		names = []string{"error", "relative_regret", "samples", "rounds", "bytes"}
	default:
		names = []string{"error", "samples", "rounds", "ratio", "bytes"}
	}
	chosen := measuresNamed(names...)
	for _, m := range chosen {
		t.Columns = append(t.Columns, m.column())
	}
	for _, r := range s.Rows {
		row := markedAll(s.Names, r.Values)
		if unnamed {
			row = append(row, markedName(r.Result.Algorithm))
		}
		row = append(row, r.Result.Status.Words(), orAbsent(r.Result.Standing))
		for _, m := range chosen {
			row = append(row, m.value(r.Result))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"Brackets are 95 % intervals (Student's t over runs; Wilson for error rates)."}
	t.Collapsed = len(t.Rows) > mostRows
	return t.withoutEmptyColumns().withoutConstant("status", "standing")
}

// numeric returns a swept value as a number, if it is one.
func numeric(v any) (float64, bool) {
	switch v := plain(v).(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case uint64:
		return float64(v), true
	case string: // scripts write infinity so
		return math.Inf(1), v == "inf"
	}
	return 0, false
}
