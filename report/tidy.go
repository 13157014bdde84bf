package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/formulas"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// tidy returns the table that CSV and Parquet files of a value contain. It returns an error if the value has no table.
func tidy(v any) (Table, error) {
	v = plain(v)
	var blocks []Block
	if w, ok := viewOf(v); ok && w.table != nil {
		return w.table()
	} else if ok {
		blocks = w.blocks()
	}
	switch v := v.(type) {
	case Figure:
		return figureTable(v), nil
	case float64, int, uint64, string, bool:
		return Table{Columns: columns("value Value"), Rows: [][]any{{v}}}, nil
	case []any:
		if t, ok := matrix(v); ok {
			return t, nil
		}
		if t, ok := recordTable(v); ok {
			return t, nil
		}
		t := Table{Columns: columns("value Value")}
		for _, item := range v {
			if name := TypeName(item); !slices.Contains([]string{"number", "text", "bool"}, name) {
				return t, fmt.Errorf("a list with a %s in it has no rows and columns: save its entries one by one", name)
			}
			t.Rows = append(t.Rows, []any{item})
		}
		return t, nil
	default:
		if t, ok := recordTable([]any{v}); ok {
			return t, nil
		}
		if blocks == nil {
			blocks = Blocks(v)
		}
		for _, b := range blocks {
			if t, ok := b.(Table); ok {
				return t, nil
			}
		}
	}
	return Table{}, fmt.Errorf("a %s has no rows and columns to save as CSV or Parquet; .json and .txt can hold it", TypeName(v))
}

// settings returns the columns that identify a run. The column reference says whether the algorithm is a reference, so
// that its name needs no mark.
func settings() []Column {
	return columns("problem", "mode", "algorithm", "reference", "schedule", "status", "standing", "#runs", "#delta", "#epsilon",
		"#budget", "#ridge", "#seed")
}

func settingsOf(r engine.Result) []any {
	return []any{r.Problem, r.Mode, r.Algorithm, isReference(r.Algorithm), known(r.Schedule), string(r.Status), known(r.Standing),
		r.Runs, known(r.Delta), known(r.Epsilon), known(r.Budget), r.Ridge, r.Seed}
}

// resultRows returns a table with one row per result: settings first, then all measures.
func resultRows(results []engine.Result) Table {
	return Table{
		Columns: append(settings(), lists.Map(measures(), measure.column)...),
		Rows:    lists.Map(results, func(r engine.Result) []any { return append(settingsOf(r), cellsOf(measures(), r)...) }),
	}
}

// labelledRows returns resultRows with more columns in front. These tell the results apart: the bound names, and the
// settings that differ, without abbreviations.
func labelledRows(results []engine.Result) Table {
	l, rest := labelsOf(results), resultRows(results)
	if l.algorithms {
		return rest
	}
	t := Table{Rows: make([][]any, len(results))}
	if l.names != nil {
		t.add(text("name", ""), func(i int) any { return known(l.names[i]) })
	}
	for j, c := range l.columns {
		switch {
		case slices.Contains(rest.ColumnNames(), c.Name):
		case c.Name == "kernel":
			t.add(c, func(i int) any { return known(results[i].Kernel) })
		default:
			t.add(c, func(i int) any { return l.cells[i][j] })
		}
	}
	t.join(rest)
	return t
}

// runRows returns a table with one row per run of each combination of a sweep: swept values, settings, and measures of the
// run. It returns an error if a result has no record of its single runs.
func runRows(s sim.Sweep) (Table, error) {
	var swept [][]any
	runs := Table{Columns: append(settings(), columns("#run", "#samples", "#rounds", "wrong", "undecided", "#wrong_tasks", "#regret")...)}
	for _, r := range s.Rows {
		d := r.Result.Detail
		if d == nil {
			return Table{}, errors.New(`a result of the sweep has no record of its single runs. Set rows="cell" to save a row per combination`)
		}
		for i := range d.Run {
			swept = append(swept, r.Values)
			wrong, wrongTasks, regret := any(nil), any(nil), any(nil)
			if len(d.Wrong) == len(d.Run) { // the true means are known
				wrong, wrongTasks, regret = d.Wrong[i], d.WrongTasks[i], d.Regret[i]
			}
			runs.Rows = append(runs.Rows,
				append(settingsOf(r.Result), d.Run[i], d.Samples[i], d.Rounds[i], wrong, d.Undecided[i], wrongTasks, regret))
		}
	}
	return behindSwept(s.Names, swept, runs.without("status", "standing", "runs")), nil // these columns describe all runs together
}

// behindSwept returns the table rest with a column for each swept name in front. values[i] are the swept values of row i.
func behindSwept(names []string, values [][]any, rest Table) Table {
	t := Table{Columns: lists.Map(names, func(name string) Column { return text(name, name) }), Rows: lists.Map(values, plainAll)}
	t.join(rest)
	return t
}

func plainAll(values []any) []any {
	return lists.Map(values, plain)
}

// answerRows returns a table with one row per task of a result.
func answerRows(r engine.Result) Table {
	run := resultRows([]engine.Result{r})
	t := Table{Columns: append(columns("task", "arm", "decided", "leader", "#estimate", "#margin", "candidates", "best",
		"correct"), run.Columns...)}
	for _, a := range r.Answers {
		row := []any{a.Task, known(a.Arm), a.Decided, a.Leader, a.Estimate, a.Margin, nil, known(a.Best), pointed(a.Correct)}
		if len(a.Candidates) > 0 {
			row[6] = a.Candidates
		}
		t.Rows = append(t.Rows, append(row, run.Rows[0]...))
	}
	return t
}

// CSV writes a value to w as one table with full precision. A sweep has a row per combination or per run, as its field Per
// states. A list of results has a row per result. A result has a row per task: the answer, followed by the measures of the
// run, which are equal in all rows. For other values, CSV writes the main table.
//
// An interval takes three columns: name, name_lo and name_hi. A missing cell and a NaN are empty; infinite numbers are
// +Inf and -Inf. A work list of a campaign uses the campaign's CSV dialect. A value without a table is an error.
func CSV(w io.Writer, v any) error {
	columns, err := Cells(v)
	if err != nil {
		return err
	}
	var dialect problem.Dialect
	if l, ok := plain(v).(campaign.List); ok {
		dialect = l.Dialect
	}
	out, err := dialect.Writer(w)
	if err != nil {
		return err
	}
	record := lists.Map(columns, func(c CellColumn) string { return formulas.Guard(c.Name) })
	out.Write(record) // the writer keeps an error until Flush
	for i := range lists.Max(columns, func(c CellColumn) int { return len(c.Cells) }) {
		for j, c := range columns {
			record[j] = CellText(c.Cells[i])
			switch c.Cells[i].(type) {
			case float64:
				record[j] = dialect.Number(record[j])
			case string:
				record[j] = formulas.Guard(record[j])
			}
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// CellText returns a cell of a CellColumn as text. A number has the fewest decimals that parse to the same number. A
// missing cell is "".
func CellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// CellColumn is a column of a data file. Each cell is nil, a float64, int, uint64, bool or string. All columns of a table
// have equal lengths.
type CellColumn struct {
	Name   string
	Number bool // whether the column is for numbers, even if all its cells are nil
	Cells  []any
}

// Cells returns the table of a value as columns, for CSV and Parquet. A column of intervals or rates becomes several
// columns. A value without a table is an error.
func Cells(v any) ([]CellColumn, error) {
	t, err := tidy(v)
	if err != nil {
		return nil, err
	}
	var all []CellColumn
	for j, c := range t.Columns {
		endings := []string{""}
		if first, there := lists.First(t.Rows, func(r []any) bool { return r[j] != nil }); there {
			endings, _ = parts(first[j])
		}
		at := len(all)
		for _, ending := range endings {
			all = append(all, CellColumn{Name: c.Name + ending, Number: c.Align == Right, Cells: make([]any, len(t.Rows))})
		}
		for i, r := range t.Rows {
			if r[j] == nil {
				continue
			}
			_, cells := parts(r[j])
			for k := range min(len(cells), len(endings)) {
				all[at+k].Cells[i] = cells[k]
			}
		}
	}
	return all, nil
}

// parts splits a cell into plain cells. endings[i] is the text that cell i adds to the column's name, such as "_lo".
func parts(v any) (endings []string, cells []any) {
	switch v := v.(type) {
	case float64:
		return []string{""}, exact(v)
	case int, uint64, bool, string:
		return []string{""}, []any{v}
	case []string:
		return []string{""}, []any{strings.Join(v, "; ")}
	case engine.Interval:
		return []string{"", "_lo", "_hi"}, exact(v.Mean, v.CI95[0], v.CI95[1])
	case engine.Rate:
		return []string{"", "_lo", "_hi", "_count", "_runs"}, append(exact(v.Rate, v.CI95[0], v.CI95[1]), v.Count, v.Runs)
	case bounds.Certified:
		return []string{"", "_lower"}, exact(v.Value, v.Lower)
	case Share:
		return []string{""}, exact(float64(v))
	case Chance:
		return []string{""}, exact(float64(v))
	case Rounded:
		return []string{""}, exact(v.Value)
	case MeanError:
		return []string{"", "_se"}, exact(v.Mean, v.StandardError)
	}
	return []string{""}, []any{fmt.Sprint(v)}
}

// exact returns numbers as cells: a float64, or nil for NaN.
func exact(xs ...float64) []any {
	cells := make([]any, len(xs))
	for i, x := range xs {
		if !math.IsNaN(x) {
			cells[i] = x
		}
	}
	return cells
}
