package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
)

// CSV writes a value as one tidy table with full precision: a sweep has a row per
// cell or per run, as its Per says, a list of results a row per result; a result
// has a row per task, its answer first and the run's measurements repeated after
// it; every other value is its main table. An interval fills three columns (name,
// name_lo, name_hi); absent and not-a-number cells are empty, infinite ones +Inf
// or -Inf. A value without a table is an error.
func CSV(w io.Writer, v any) error {
	t, err := tidy(v)
	if err != nil {
		return err
	}
	columns := t.flat()
	out := csv.NewWriter(w)
	record := make([]string, len(columns))
	for j, c := range columns {
		record[j] = c.name
	}
	out.Write(record) // errors stay in the writer until Flush
	for i := range t.Rows {
		for j, c := range columns {
			record[j] = field(c.cells[i])
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// field is a plain cell as text; of a number, the shortest decimals that read back
// as the same number.
func field(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// flat is a column of plain cells: nil, float64, int, uint64, bool or string.
type flat struct {
	name   string
	number bool // whether it is meant for numbers, also where every cell is nil
	cells  []any
}

// flat is the table with every column spread over as many columns of plain cells as
// its first cell that is there needs. It is what files hold.
func (t Table) flat() []flat {
	var all []flat
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
			all = append(all, flat{name: c.Name + ending, number: c.Align == Right, cells: make([]any, len(t.Rows))})
		}
		for i, r := range t.Rows {
			if r[j] == nil {
				continue
			}
			_, cells := parts(r[j])
			for k := range min(len(cells), len(endings)) {
				all[at+k].cells[i] = cells[k]
			}
		}
	}
	return all
}

// parts are the plain cells that a cell is made of, with the endings that they add
// to the name of its column.
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
	case Spread:
		return []string{"", "_se"}, exact(v.Mean, v.StandardError)
	}
	return []string{""}, []any{fmt.Sprint(v)}
}

// exact are numbers as cells, nil for what is none.
func exact(xs ...float64) []any {
	cells := make([]any, len(xs))
	for i, x := range xs {
		if !math.IsNaN(x) {
			cells[i] = x
		}
	}
	return cells
}
