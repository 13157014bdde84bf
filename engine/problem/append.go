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

// Appended is a table with the rows of another one below its own.
type Appended struct {
	Data []byte // as the first table is written: its columns in their order, its separator, its decimals
	Rows int    // that were added
	Same int    // that were left out, because the first table has them

	path  string // path of the other table
	first int    // line of Data of the first added row
	lines []int  // lines of the added rows, in the other table
}

// Append writes the rows of a table below the rows of another one that has its columns. Rows of an arm
// that the first table has in the same words are left out, so that a table which grew can be given as a
// whole; one that differs is an error. Both are CSV,
// each with its own separator and decimals. A column that the added table lacks is empty in its rows;
// features of tasks (z_) are then those that the task has already, and features of arms (x_) must be
// there. It is a *DataError, with its place, where a table cannot be read or a column is not in the
// first one.
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
		if err := w.Write(record); err != nil {
			return nil, err
		}
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

// armOf returns the task and the arm of a row.
func armOf(t *table, r int) [2]string { return [2]string{t.textOf(r, "task"), t.textOf(r, "arm")} }

// armRows returns the first row of each task and arm of a table with one row per arm; none if it has
// no such columns.
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

// differs fails with the first cell of a row that differs from another table's row.
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
