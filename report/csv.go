package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// CSV writes a value as one tidy table with full precision: a sweep or a list of
// results has a row per result; a result has a row per task, its answer first
// and the run's measurements repeated after it; every other value is its main
// table. An interval fills three columns (name, name_lo, name_hi); absent and
// not-a-number cells are empty, infinite ones +Inf or -Inf. A value without a table is an error.
func CSV(w io.Writer, v any) error {
	t, err := tidy(v)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	var header []string
	shapes := make([]any, len(t.Columns)) // a cell that tells how the column expands
	for j, c := range t.Columns {
		for _, r := range t.Rows {
			if r[j] != nil {
				shapes[j] = r[j]
				break
			}
		}
		for _, suffix := range suffixes(shapes[j]) {
			header = append(header, c.Name+suffix)
		}
	}
	out.Write(header) // errors stay in the writer until Flush
	for _, r := range t.Rows {
		var record []string
		for j, v := range r {
			record = append(record, fields(v, len(suffixes(shapes[j])))...)
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// tidy is the table that stands for a value.
func tidy(v any) (Table, error) {
	switch v := plain(v).(type) {
	case sim.Sweep:
		return sweepRows(v), nil
	case []engine.Result:
		return resultRows(v), nil
	case engine.Result:
		return answerRows(v), nil
	case Figure:
		return v.Data(), nil
	case float64, int, uint64, string, bool:
		return Table{Columns: []Column{text("value", "Value")}, Rows: [][]any{{v}}}, nil
	case []any:
		if t, ok := matrix(v); ok {
			return t, nil
		}
		t := Table{Columns: []Column{text("value", "Value")}}
		for _, item := range v {
			switch name := TypeName(item); name {
			case "number", "text", "bool":
			default:
				return t, fmt.Errorf("a list with a %s in it has no rows and columns: save its entries one by one", name)
			}
			t.Rows = append(t.Rows, []any{item})
		}
		return t, nil
	default:
		for _, b := range Blocks(v) {
			if t, ok := b.(Table); ok {
				return t, nil
			}
		}
	}
	return Table{}, fmt.Errorf("a %s has no rows and columns to save as CSV; .json and .txt can hold it", TypeName(v))
}

// settings are the columns that say which run a row is about.
func settings() []Column {
	return []Column{
		text("problem", ""), text("mode", ""), text("algorithm", ""), text("schedule", ""), text("status", ""),
		number("runs", "", ""), number("delta", "", ""), number("epsilon", "", ""), number("budget", "", ""), number("ridge", "", ""), number("seed", "", ""),
	}
}

func settingsOf(r engine.Result) []any {
	var budget any
	if r.Budget > 0 {
		budget = r.Budget
	}
	return []any{r.Problem, r.Mode, r.Algorithm, orAbsent(r.Schedule), string(r.Status),
		r.Runs, known(r.Delta), known(r.Epsilon), budget, r.Ridge, r.Seed}
}

// resultRows has a row per result: settings, then every measure.
func resultRows(results []engine.Result) Table {
	t := Table{Columns: settings()}
	for _, m := range measures() {
		t.Columns = append(t.Columns, m.column())
	}
	for _, r := range results {
		row := settingsOf(r)
		for _, m := range measures() {
			row = append(row, m.value(r))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sweepRows has the swept values first, then the columns of resultRows that are
// not swept.
func sweepRows(s sim.Sweep) Table {
	results := make([]engine.Result, len(s.Rows))
	for i, r := range s.Rows {
		results[i] = r.Result
	}
	rest := resultRows(results)
	t := Table{Rows: make([][]any, len(s.Rows))}
	for j, name := range s.Names {
		t.Columns = append(t.Columns, text(name, name))
		for i, r := range s.Rows {
			t.Rows[i] = append(t.Rows[i], plain(r.Values[j]))
		}
	}
	for j, c := range rest.Columns {
		if slices.Contains(s.Names, c.Name) {
			continue
		}
		t.Columns = append(t.Columns, c)
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], rest.Rows[i][j])
		}
	}
	return t
}

// answerRows has a row per task of one result.
func answerRows(r engine.Result) Table {
	run := resultRows([]engine.Result{r})
	t := Table{Columns: append([]Column{
		text("task", ""), text("arm", ""), text("decided", ""), text("leader", ""), number("estimate", "", ""),
		number("margin", "", ""), text("candidates", ""), text("best", ""), text("correct", ""),
	}, run.Columns...)}
	for _, a := range r.Answers {
		row := []any{a.Task, orAbsent(a.Arm), a.Decided, a.Leader, a.Estimate, a.Margin, nil, orAbsent(a.Best), nil}
		if len(a.Candidates) > 0 {
			row[6] = a.Candidates
		}
		if a.Correct != nil {
			row[8] = *a.Correct
		}
		t.Rows = append(t.Rows, append(row, run.Rows[0]...))
	}
	return t
}

// suffixes are the ends of the column names that a kind of cell needs.
func suffixes(v any) []string {
	switch v.(type) {
	case engine.Interval:
		return []string{"", "_lo", "_hi"}
	case engine.Rate:
		return []string{"", "_lo", "_hi", "_count", "_runs"}
	case bounds.Certified:
		return []string{"", "_lower"}
	case Spread:
		return []string{"", "_se"}
	}
	return []string{""}
}

// fields is a cell as n CSV fields; an absent one is n empty fields.
func fields(v any, n int) []string {
	switch v := v.(type) {
	case nil:
		return make([]string, n)
	case float64:
		return exact(v)
	case bool:
		return []string{strconv.FormatBool(v)}
	case []string:
		return []string{strings.Join(v, "; ")}
	case engine.Interval:
		return exact(v.Mean, v.CI95[0], v.CI95[1])
	case engine.Rate:
		return append(exact(v.Rate, v.CI95[0], v.CI95[1]), strconv.Itoa(v.Count), strconv.Itoa(v.Runs))
	case bounds.Certified:
		return exact(v.Value, v.Lower)
	case Spread:
		return exact(v.Mean, v.StandardError)
	}
	return []string{fmt.Sprint(v)}
}

// exact writes the shortest decimals that read back as the same numbers.
func exact(xs ...float64) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		if !math.IsNaN(x) {
			out[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return out
}
