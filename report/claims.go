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

// verdicts in the order in which they are told, and each as a word with a sign, so that
// neither colour nor shape alone says it.
var (
	verdicts = []string{sim.ClaimFails, sim.ClaimHolds, sim.ClaimOpen}
	signs    = map[string]string{sim.ClaimFails: "✗ fails", sim.ClaimHolds: "✓ holds", sim.ClaimOpen: "? open"}
)

func signed(verdict string) string {
	return cmp.Or(signs[verdict], verdict)
}

// Claims shows claims(...): how many statements hold, which in each case, why the others do not, and
// then every one with its measurement.
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
	return fmt.Sprintf("Of %s %d hold, %d fail and %d are open.", plural(len(c.Rows), "statement"),
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
	t := Table{Caption: "The claims, by case",
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
		row := []any{rows[0].Source, rows[0].Statement, where(rows)}
		for _, at := range cases {
			row = append(row, overall(tally(lists.Where(rows, func(r sim.Claim) bool { return r.Case == at }))))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"Numbers are settings, which are gaps or budgets. A dash: the statement is not about this case."}
	return t.withoutEmptyColumns()
}

// overall returns the verdict on a statement in one case: its settings' one, or how many of
// each. It is nil without any.
func overall(count map[string]int) any {
	present := lists.Where(verdicts, func(v string) bool { return count[v] > 0 })
	return known(strings.Join(lists.Map(present, func(v string) string { return fmt.Sprintf("%s (%d)", signs[v], count[v]) }), ", "))
}

// where returns the gaps or budgets at which a statement was measured.
func where(rows []sim.Claim) string {
	values := lists.Map(rows, func(r sim.Claim) float64 { return r.Value })
	lo, hi := slices.Min(values), slices.Max(values)
	if lo == hi {
		return fmt.Sprintf("%s %s", rows[0].Name, decimal(lo, 0))
	}
	return fmt.Sprintf("%s %s to %s", rows[0].Name, decimal(lo, 0), decimal(hi, 0))
}

// reasonsTable says why claims do not hold, with one row for the settings of a case
// that have the same reason except for its numbers.
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
		t.Rows = append(t.Rows, []any{first.Statement, signed(first.Verdict), first.Case, fmt.Sprintf("%s (%d)", where(rows), len(whys)),
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
		"interval supports it, fails when the interval excludes it, and is open when the runs cannot tell."}
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

// sweepSentence counts cells and runs, and says what was not run again.
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
	case string: // scripts write infinity so
		return math.Inf(1), v == "inf"
	}
	return 0, false
}
