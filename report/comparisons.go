package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Paired returns the view of paired(...).
func (views) Paired(c sim.Comparisons) view {
	return view{
		blocks: func() []Block { return pairedBlocks(c) },
		table: func() (Table, error) { // a row per algorithm and combination of the other swept values
			return behindSwept(c.Names, lists.Map(c.Rows, func(r sim.Comparison) []any { return r.Values }), Table{
				Columns: columns("algorithm", "reference", "against", "measure", "#difference", "#ratio", "paired", "#runs"),
				Rows: lists.Map(c.Rows, func(r sim.Comparison) []any {
					return []any{r.Algorithm, isReference(r.Algorithm), c.Reference, c.Measure, r.Difference, known(r.Ratio), r.Paired, r.Runs}
				}),
			}), nil
		},
		axes: func(string) (xs, ys []string) {
			if len(c.Rows) > 0 { // without rows, the names are unknown
				xs = append(slices.Clone(c.Names), "algorithm")
			}
			return xs, []string{"ratio", "difference"}
		},
		figure: func(o PlotOptions) (Figure, error) { return pairedFigure(c, o) },
		panels: true,
	}
}

// Speedup returns the view of speedup(...).
func (views) Speedup(s sim.Speedup) view {
	return view{
		blocks: func() []Block { return speedupBlocks(s) },
		table: func() (Table, error) { // a row per combination of the swept values
			return behindSwept(s.Names, lists.Map(s.Rows, func(r sim.SpeedupRow) []any { return r.Values }), Table{
				Columns: columns("algorithm", "alone", "#tasks", "#beta", "#by_rank", "#by_hardness"),
				Rows: lists.Map(s.Rows, func(r sim.SpeedupRow) []any {
					return []any{s.Algorithm, s.Alone, s.Tasks, r.Beta, known(r.ByRank), known(r.ByHardness)}
				}),
			}), nil
		},
		axes:   func(string) (xs, ys []string) { return s.Names, []string{"beta"} },
		figure: func(o PlotOptions) (Figure, error) { return speedupFigure(s, o) },
		panels: true,
	}
}

// pairedBlocks returns the blocks of paired(...), which compares every algorithm with a reference algorithm.
func pairedBlocks(s sim.Comparisons) []Block {
	m, _ := findMeasure(s.Measure)
	t := Table{Caption: fmt.Sprintf("%s against %s", m.title, s.Reference)}
	t.Columns = swept(s.Names, func(i int) []any { return s.Rows[i].Values }, len(s.Rows))
	t.Columns = append(t.Columns, text("algorithm", "Algorithm"), number("ratio", "Ratio", ""), number("difference", "Difference", m.unit),
		text("verdict", "Against "+s.Reference), text("paired", "Paired"), number("runs", "Runs", ""))
	for _, r := range s.Rows {
		t.Rows = append(t.Rows, append(markedAll(s.Names, r.Values), markedName(r.Algorithm), known(r.Ratio), r.Difference,
			direction(r), r.Paired, r.Runs))
	}
	t.Collapsed = len(t.Rows) > mostRows
	t.Notes = []string{"Brackets are 95 % intervals. If paired, runs with the same seed are compared. Otherwise the means are compared."}
	return []Block{Paragraph{Text: pairedSentence(s, m), Lead: true}, t.withoutEmptyColumns().withoutConstant("paired", "runs")}
}

// pairedSentence counts the algorithms that are better, worse or not different, judged by their intervals. It does not
// count references.
func pairedSentence(s sim.Comparisons, m measure) string {
	count := map[string]int{}
	compared, uncounted := 0, ""
	for _, r := range s.Rows {
		if isReference(r.Algorithm) {
			uncounted = "; references are not counted"
			continue
		}
		compared++
		count[direction(r)]++
	}
	out, between := fmt.Sprintf("%s against %s in %s", m.title, s.Reference, plural(compared, "comparison")), ": "
	for _, verdict := range []string{below, aboveIt, alike} {
		if n := count[verdict]; n > 0 {
			out += fmt.Sprintf("%s%d %s", between, n, verdict)
			between = ", "
		}
	}
	return out + uncounted + "."
}

// The possible outcomes of a comparison, judged by an interval.
const (
	below   = "below"
	aboveIt = "above"
	alike   = "inconclusive"
)

func direction(r sim.Comparison) string {
	d := r.Difference.CI95
	switch {
	case r.Runs < 2:
		return alike
	case d[1] < 0:
		return below
	case d[0] > 0:
		return aboveIt
	}
	return alike
}

// swept returns the columns of swept values. row(i) has the values of row i. Columns of numbers are right-aligned.
func swept(names []string, row func(i int) []any, rows int) []Column {
	var out []Column
	for j, name := range names {
		c := text(name, name)
		if rows > 0 {
			if _, ok := numeric(row(0)[j]); ok {
				c.Align = Right
			}
		}
		out = append(out, c)
	}
	return out
}

// speedupBlocks returns the blocks of speedup(...), which measures the gain from sharing.
func speedupBlocks(s sim.Speedup) []Block {
	t := Table{Caption: fmt.Sprintf("Speedup of %s over %s alone", s.Algorithm, s.Alone)}
	t.Columns = swept(s.Names, func(i int) []any { return s.Rows[i].Values }, len(s.Rows))
	t.Columns = append(t.Columns, columns("#beta Speedup β, measured", "#by_hardness Predicted by hardness", "#by_rank V / rank K_Z")...)
	for _, r := range s.Rows {
		t.Rows = append(t.Rows, append(plainAll(r.Values), r.Beta, known(r.ByHardness), known(r.ByRank)))
	}
	t.Notes = []string{"β is the number of samples of an independent agent divided by the number per collaborating agent. " +
		"Brackets are 95 % intervals. " + speedupLimit(s)}
	return []Block{Paragraph{Text: speedupSentence(s), Lead: true}, t.withoutEmptyColumns()}
}

// speedupLimit returns a sentence with the largest possible speedup. If an interval or a mean exceeds it, the sentence
// explains why.
func speedupLimit(s sim.Speedup) string {
	out := fmt.Sprintf("Sharing cannot give more than V = %d in expectation", s.Tasks)
	v := float64(s.Tasks)
	switch {
	case slices.ContainsFunc(s.Rows, func(r sim.SpeedupRow) bool { return r.Beta.CI95[0] > v }):
		out += ": an interval above it shows that the two algorithms differ in more than sharing"
	case slices.ContainsFunc(s.Rows, func(r sim.SpeedupRow) bool { return r.Beta.Mean > v }):
		out += ": larger values are sampling error"
	}
	return out + "."
}

func speedupSentence(s sim.Speedup) string {
	if len(s.Rows) == 0 {
		return fmt.Sprintf("No speedup of %s was measured.", s.Algorithm)
	}
	byBeta := func(a, b sim.SpeedupRow) int { return cmp.Compare(a.Beta.Mean, b.Beta.Mean) }
	least, most := slices.MinFunc(s.Rows, byBeta), slices.MaxFunc(s.Rows, byBeta)
	at := func(r sim.SpeedupRow) string {
		if len(r.Values) == 0 {
			return ""
		}
		return " at " + strings.Join(lists.Make(len(r.Values), func(j int) string { return valued(s.Names[j], r.Values[j]) }), ", ")
	}
	agents := plural(s.Tasks, "agent")
	if least.Beta.Mean == most.Beta.Mean {
		at := at(least)
		if len(s.Rows) > 1 {
			at = " in all settings"
		}
		return fmt.Sprintf("%s learn %s times as fast together as alone%s.", agents, cell(least.Beta, 0), at)
	}
	return fmt.Sprintf("Speedup, %s together against alone: from %s%s to %s%s.", agents, cell(least.Beta, 0), at(least), cell(most.Beta, 0),
		at(most))
}

// compareFootnotes returns the warnings of the compared results, one sentence for each kind of warning, with the names of
// the results concerned.
func compareFootnotes(results []engine.Result, bound []string) []string {
	kinds, rows := warningsOf(results)
	return lists.Map(kinds, func(alike []engine.Warning) string {
		names := namesOf(results, bound, rows[alike[0].Kind])
		return fmt.Sprintf("Warning for %s%s: %s.", names, ofFirst(alike), engine.WarningText(alike...))
	})
}

// namesOf returns the names of the results in rows: their bound names, or else their algorithms. It adds row numbers if
// several results have the same algorithm.
func namesOf(results []engine.Result, bound []string, rows []int) string {
	switch {
	case len(rows) < len(results) || len(rows) < 2:
	case len(rows) == 2:
		return "both results"
	default:
		return "all results"
	}
	count := map[string]int{}
	for _, r := range results {
		count[r.Algorithm]++
	}
	var names []string
	for _, i := range rows {
		name := markedName(results[i].Algorithm)
		if bound != nil && bound[i] != "" {
			name = bound[i]
		} else if count[results[i].Algorithm] > 1 {
			name = fmt.Sprintf("%s in row %d", name, i+1)
		}
		names = append(names, name)
	}
	return join(names, len(names))
}

// decidedTasks returns how many tasks the first run of a result decided, and the number of tasks.
func decidedTasks(r engine.Result) (decided, tasks int) {
	return lists.Count(r.Answers, func(a engine.Answer) bool { return a.Decided }), len(r.Answers)
}

// someUndecided reports whether a result with a guarantee has an undecided task, which the guarantee does not cover.
func someUndecided(results []engine.Result) bool {
	return slices.ContainsFunc(results, func(r engine.Result) bool {
		decided, tasks := decidedTasks(r)
		return r.Standing != "" && r.Standing != engine.StandingNone && decided < tasks
	})
}
