package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// CSV writes a value as one tidy table with full precision: a sweep has a row per
// cell or per run, as its Per says, a list of results a row per result; a result
// has a row per task, its answer first and the run's measurements repeated after
// it; every other value is its main table. An interval fills three columns (name,
// name_lo, name_hi); absent and not-a-number cells are empty, infinite ones +Inf
// or -Inf. A list of a campaign is written in its dialect, everything else is plain CSV. A value
// without a table is an error.
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
	record := make([]string, len(columns))
	for j, c := range columns {
		record[j] = c.Name
	}
	out.Write(record) // errors stay in the writer until Flush
	for i := range height(columns) {
		for j, c := range columns {
			record[j] = CellText(c.Cells[i])
			if _, ok := c.Cells[i].(float64); ok {
				record[j] = dialect.Number(record[j])
			}
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// CellText returns a cell of a CellColumn as text; of a number, the shortest decimals that read
// back as the same number, and of an absent cell nothing.
func CellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// CellColumn is a column of files of rows: each cell is nil, a float64, int,
// uint64, bool or string. All columns of a table have the same number of cells.
type CellColumn struct {
	Name   string
	Number bool // meant for numbers, also where every cell is nil
	Cells  []any
}

// Cells returns the table that stands for a value in CSV and Parquet. A column of
// intervals or rates is spread over several columns, as many as its first cell that
// is there needs. A value without a table is an error.
func Cells(v any) ([]CellColumn, error) {
	t, err := tidy(v)
	if err != nil {
		return nil, err
	}
	var all []CellColumn
	for j, c := range t.Columns {
		endings := []string{""}
		for _, r := range t.Rows {
			if r[j] != nil {
				endings, _ = parts(r[j])
				break
			}
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

// height returns the number of rows of a table.
func height(columns []CellColumn) int {
	if len(columns) == 0 {
		return 0
	}
	return len(columns[0].Cells)
}

// parts returns the plain cells that a cell is made of, with the endings that they add to the name
// of its column.
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
	case MeanError:
		return []string{"", "_se"}, exact(v.Mean, v.StandardError)
	}
	return []string{""}, []any{fmt.Sprint(v)}
}

// exact returns numbers as cells, nil for what is not a number.
func exact(xs ...float64) []any {
	cells := make([]any, len(xs))
	for i, x := range xs {
		if !math.IsNaN(x) {
			cells[i] = x
		}
	}
	return cells
}
