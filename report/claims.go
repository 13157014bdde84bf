package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// verdicts in the order of the report, and the sign of each: a word with a symbol, so that neither colour nor
// shape alone carries the meaning.
var (
	verdicts = []string{sim.ClaimFails, sim.ClaimHolds, sim.ClaimOpen}
	signs    = map[string]string{sim.ClaimFails: "✗ fails", sim.ClaimHolds: "✓ holds", sim.ClaimOpen: "? open"}
)

func signed(verdict string) string {
	return cmp.Or(signs[verdict], verdict)
}

// Claims shows claims(...): counts of the verdicts, verdicts by case, reasons for those that do not hold, and
// every statement with its measurement.
func (views) Claims(c sim.Claims) view {
	return view{
		blocks: func() []Block {
			out := []Block{Paragraph{Text: claimsSentence(c), Lead: true}, claimsSummary(c)}
			if t := reasonsTable(c); len(t.Rows) > 0 {
				out = append(out, t)
			}
			return append(out, claimsTable(c))
		},
		table: func() (Table, error) { // a row per statement and setting
			return Table{
				Columns: columns("source", "#case", "name", "#value", "statement", "quantity", "#measured", "verdict", "why"),
				Rows: lists.Map(c.Rows, func(r sim.Claim) []any {
					return []any{r.Source, r.Case, r.Name, r.Value, r.Statement, r.Quantity, r.Measured, r.Verdict, known(r.Why.String())}
				}),
			}, nil
		},
	}
}

func claimsSentence(c sim.Claims) string {
	count := tally(c.Rows)
	return fmt.Sprintf("%s: %d hold, %d fail and %d are open.", plural(len(c.Rows), "statement"),
		count[sim.ClaimHolds], count[sim.ClaimFails], count[sim.ClaimOpen])
}

func tally(rows []sim.Claim) map[string]int {
	count := map[string]int{}
	for _, r := range rows {
		count[r.Verdict]++
	}
	return count
}

// claimsSummary returns a table with a row for each statement and a column for each case.
func claimsSummary(c sim.Claims) Table {
	t := Table{Caption: "Claims by case",
		Columns: columns("source Source", "statement Statement", "where Where measured")}
	var cases []float64
	for _, r := range c.Rows {
		cases = lists.Add(cases, r.Case)
	}
	slices.Sort(cases)
	for _, k := range cases {
		t.Columns = append(t.Columns, text(fmt.Sprintf("case_%g", k), "Case "+decimal(k, 0)))
	}
	for _, rows := range lists.Groups(c.Rows, func(r sim.Claim) [3]string { return [3]string{r.Source, r.Statement, r.Name} }) {
		row := []any{rows[0].Source, rows[0].Statement, settingRange(rows)}
		for _, at := range cases {
			row = append(row, overall(tally(lists.Where(rows, func(r sim.Claim) bool { return r.Case == at }))))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"Settings are gaps or budgets. A dash means that the statement does not concern this case."}
	return t.withoutEmptyColumns()
}

// overall returns the verdicts on a statement in one case with their counts over settings; nil without any.
func overall(count map[string]int) any {
	present := lists.Where(verdicts, func(v string) bool { return count[v] > 0 })
	return known(strings.Join(lists.Map(present, func(v string) string { return fmt.Sprintf("%s (%d)", signs[v], count[v]) }), ", "))
}

// settingRange returns the gaps or budgets at which a statement was measured.
func settingRange(rows []sim.Claim) string {
	values := lists.Map(rows, func(r sim.Claim) float64 { return r.Value })
	lo, hi := slices.Min(values), slices.Max(values)
	if lo == hi {
		return fmt.Sprintf("%s %s", rows[0].Name, decimal(lo, 0))
	}
	return fmt.Sprintf("%s %s to %s", rows[0].Name, decimal(lo, 0), decimal(hi, 0))
}

// reasonsTable gives the reasons why claims do not hold. Settings of a case have one row if their reasons differ only in numbers.
func reasonsTable(c sim.Claims) Table {
	t := Table{Caption: "Why the others fail or are open", Columns: columns("statement Statement", "verdict Verdict", "#case Case",
		"where Where measured", "why Why")}
	type key struct {
		statement, verdict, names string
		reason                    sim.ReasonKind
		at                        float64
	}
	others := lists.Where(c.Rows, func(r sim.Claim) bool { return r.Verdict != sim.ClaimHolds })
	groups := lists.Groups(others, func(r sim.Claim) key {
		return key{r.Statement, r.Verdict, strings.Join(r.Why.Names, ", "), r.Why.Kind, r.Case}
	})
	slices.SortStableFunc(groups, func(x, y []sim.Claim) int {
		a, b := x[0], y[0]
		return cmp.Or(strings.Compare(a.Verdict, b.Verdict), strings.Compare(a.Statement, b.Statement), cmp.Compare(a.Case, b.Case))
	})
	for _, rows := range groups {
		whys, first := lists.Map(rows, func(r sim.Claim) sim.Reason { return r.Why }), rows[0]
		t.Rows = append(t.Rows, []any{first.Statement, signed(first.Verdict), first.Case, fmt.Sprintf("%s (%d)", settingRange(rows), len(whys)),
			known(sim.ReasonText(whys...))})
	}
	return t
}

// claimsTable returns a table with a row for each instance, folded away.
func claimsTable(c sim.Claims) Table {
	t := Table{Caption: "All statements, measured", Collapsed: true, Columns: columns("source Source", "setting Setting",
		"statement Statement", "quantity Quantity", "#measured Measured", "verdict Verdict", "why Why")}
	for _, r := range c.Rows {
		setting := fmt.Sprintf("case %s, %s %s", decimal(r.Case, 0), r.Name, decimal(r.Value, 0))
		t.Rows = append(t.Rows, []any{r.Source, setting, r.Statement, r.Quantity, r.Measured, signed(r.Verdict), known(r.Why.String())})
	}
	t.Notes = []string{"Brackets are simultaneous 95 % intervals over the statements of one case. A statement holds when its " +
		"interval supports it, fails when the interval excludes it, and is open otherwise."}
	if len(t.Rows) == 0 {
		return t
	}
	return t.withoutEmptyColumns().withoutConstant("source")
}

// Sweep shows sweep(...).
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

// sweepSentence counts results and runs, and those read from the store.
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

// mostRows limits the rows of a sweep's table that a page shows unfolded.
const mostRows = 40

// SweepMeasures returns a sweep as a table of chosen measures, see Axes for their names; without names of all measures that a result
// has. It returns an error for a wrong or repeated name, and for a measure that no result has.
func SweepMeasures(s sim.Sweep, names ...string) (Table, error) {
	_, known := Axes(s, "")
	if err := checkMeasures(names, known); err != nil {
		return Table{}, err
	}
	if len(names) == 0 {
		names = known
	}
	return sweepTable(s, names...), nil
}

// sweepTable shows the named measures, by default those for the mode of the runs.
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
	chosen := measuresNamed(names...)
	t.Columns = append(t.Columns, lists.Map(chosen, measure.column)...)
	for _, r := range s.Rows {
		row := markedAll(s.Names, r.Values)
		if unnamed {
			row = append(row, markedName(r.Result.Algorithm))
		}
		row = append(row, r.Result.Status.Words(), known(r.Result.Standing))
		t.Rows = append(t.Rows, append(row, cellsOf(chosen, r.Result)...))
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
	case string: // infinity in a script
		return math.Inf(1), v == "inf"
	}
	return 0, false
}
