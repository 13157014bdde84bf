package problem

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Appended is a table followed by new rows from another table.
type Appended struct {
	Data []byte // contents of the new table, with the columns, separator and decimals of the first table
	Rows int    // number of rows that were added
	Same int    // number of rows that were left out because the first table already has them

	path  string // path of the table that the rows were taken from
	first int    // line number, in Data, of the first added row
	lines []int  // line number, in the other table, of each added row
}

// Append adds the rows of a second table below the rows of the first, which has the same columns. A row that the first
// table already has is left out, so that the second table may also be a longer version of the first. A row of a known
// arm with other values is an error. Each table has its own separator and decimals. Columns that the second table lacks
// are left empty, except features of tasks (z_), which are copied from the rows of the task, and features of arms (x_),
// which the second table must have. Append returns a *DataError with its place if a table cannot be read, or if the
// first table lacks a column.
func Append(ctx context.Context, path string, base []byte, addedPath string, added []byte) (_ *Appended, err error) {
	defer try.Caught(&err)
	base = inUTF8(base)
	more := try.Of(tableOf(ctx, addedPath, added))
	t := try.Of(tableOf(ctx, path, base, more.givenColumns()...))
	t.checkLengths(t.header...)
	more.checkLengths(more.header...)
	t.standardNames(wideColumns...)
	more.standardNames(wideColumns...)
	if name, is := t.lacks(more.givenColumns()...); is {
		panic(more.at(cell{line: 1 + more.preamble}, "column %q is not in %s, which has the columns %s", name, path, t.columns()))
	}
	more.require(lists.Where(t.header, func(name string) bool { return name == "task" || name == "arm" || strings.HasPrefix(name, "x_") })...)
	if len(more.lines) == 0 {
		panic(more.at(cell{}, noData))
	}
	out := &Appended{path: addedPath}
	b := bytes.NewBuffer(slices.Clone(base))
	if !bytes.HasSuffix(base, []byte("\n")) {
		b.WriteByte('\n')
	}
	_, rows := cutNames(b.Bytes())
	out.first = bytes.Count(rows, []byte("\n")) + 1
	w := csv.NewWriter(b)
	w.Comma = t.separator
	point := decimalPoints(t)
	known, firsts := armRows(t), taskRows(t)
	for r, line := range more.lines {
		if old, there := known[armOf(more, r)]; there {
			differs(more, r, t, old)
			out.Same++
			continue
		}
		record := make([]string, len(t.header))
		for k, name := range t.header {
			if more.hasColumn(name) {
				record[k] = inDecimals(more, more.textOf(r, name), point)
			} else if strings.HasPrefix(name, "z_") {
				if first, there := firsts[more.textOf(r, "task")]; there {
					record[k] = t.textOf(first, name)
				}
			}
		}
		try.To(w.Write(record))
		out.lines = append(out.lines, int(line))
		out.Rows++
	}
	if out.Rows == 0 {
		panic(more.at(cell{}, "all of its arms are in %s already", path))
	}
	w.Flush()
	out.Data = b.Bytes()
	return out, w.Error()
}

// armOf returns the names of the task and the arm in a row.
func armOf(t *table, r int) [2]string { return [2]string{t.textOf(r, "task"), t.textOf(r, "arm")} }

// armRows returns, for a table with one row per arm, the first row of each task and arm. The map is empty if the table
// has no columns task and arm.
func armRows(t *table) map[[2]string]int {
	out := map[[2]string]int{}
	if _, is := t.lacks("task", "arm"); is {
		return out
	}
	for r := len(t.lines) - 1; r >= 0; r-- {
		out[armOf(t, r)] = r
	}
	return out
}

// differs fails with the first cell of row r that differs from row old of the other table.
func differs(t *table, r int, other *table, old int) {
	for k, name := range t.header {
		was := other.textOf(old, name)
		if c := t.cell(r, k); !equalCells(name, t.decimal(c.text), other.decimal(was)) {
			panic(t.at(c, "column %q is %q here but %q in %s, which already has task %q, arm %q. Recorded rows cannot change",
				name, c.text, was, other.path, t.textOf(r, "task"), t.textOf(r, "arm")))
		}
	}
}

// equalCells reports whether two cells have the same value: the same text in columns of names, otherwise the same text or equal
// numbers.
func equalCells(column, a, b string) bool {
	if a == b || column == "task" || column == "arm" || identifier(a) || identifier(b) {
		return a == b
	}
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && x == y
}

// decimalPoints reports whether the table has no number with a decimal comma. New rows then use decimal points.
func decimalPoints(t *table) bool {
	return t.separator == ',' || !t.has(func(text string) bool { return strings.Contains(text, ",") && t.isNumber(text) })
}

// inDecimals returns a cell with its number in the other table's decimals. Text that is not a number is returned unchanged.
func inDecimals(t *table, text string, point bool) string {
	if !t.isNumber(text) {
		return text
	}
	if text = t.decimal(text); !point {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}

// taskRows returns the first row of each task.
func taskRows(t *table) map[string]int {
	out := map[string]int{}
	for r := len(t.lines) - 1; r >= 0; r-- {
		out[t.textOf(r, "task")] = r
	}
	return out
}

// Place returns an error about Data with its place in the added table, if it concerns an added row; other
// errors are returned unchanged.
func (a *Appended) Place(err error) error {
	e := (*DataError)(nil)
	if !errors.As(err, &e) || e.Line < a.first || e.Line-a.first >= len(a.lines) {
		return err
	}
	moved := *e
	moved.Path, moved.Line, moved.Column = a.path, a.lines[e.Line-a.first], 0
	return &moved
}
