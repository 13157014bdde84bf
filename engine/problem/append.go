package problem

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strings"
)

// Appended is a table with the rows of another one below its own.
type Appended struct {
	Data []byte // as the first table is written: its columns in their order, its separator, its decimals
	Rows int    // that were added
	Same int    // that were left out, because the first table has them

	path  string // of the other table
	first int    // line of Data in which the first added row stands
	lines []int  // of the added rows, in the other table
}

// Append writes the rows of a table below the rows of another one that has its columns. Rows of an arm
// that the first table has in the same words are left out, so that a table which grew can be given as a
// whole; one that differs is an error. Both are CSV,
// each with its own separator and decimals. A column that the added table lacks is empty in its rows;
// features of tasks (z_) are then those that the task has already, and features of arms (x_) must be
// there. It is a *DataError, with its place, where a table cannot be read or a column is not in the
// first one.
func Append(path string, base []byte, addedPath string, added []byte) (*Appended, error) {
	more, err := cellsOf(addedPath, added)
	if err != nil {
		return nil, err
	}
	t, err := cellsOf(path, base, more.header...)
	if err != nil {
		return nil, err
	}
	t.standardNames(wideColumns...)
	more.standardNames(wideColumns...)
	for _, name := range more.header {
		if _, there := t.column[name]; !there {
			c := cell{line: 1 + more.preamble}
			return nil, more.at(c, "column %q is not in %s, whose columns are %s", name, path, t.columns())
		}
	}
	for _, name := range t.header {
		if _, there := more.column[name]; !there && (name == "task" || name == "arm" || strings.HasPrefix(name, "x_")) {
			return nil, more.noColumn(name)
		}
	}
	if len(more.lines) == 0 {
		return nil, &DataError{Path: addedPath, Message: "no data: expected a header and at least one row"}
	}
	out := &Appended{path: addedPath}
	b := bytes.NewBuffer(slices.Clone(base))
	if !bytes.HasSuffix(base, []byte("\n")) {
		b.WriteByte('\n')
	}
	out.first = bytes.Count(b.Bytes(), []byte("\n")) + 1
	w := csv.NewWriter(b)
	w.Comma = t.separator
	point := decimalPoints(t)
	known := armRows(t)
	for r := range more.lines {
		if old, there := known[[2]string{cellText(more, r, "task"), cellText(more, r, "arm")}]; there {
			if err := differs(more, r, t, old); err != nil {
				return nil, err
			}
			out.Same++
			continue
		}
		record := make([]string, len(t.header))
		for k, name := range t.header {
			if at, there := more.column[name]; there {
				record[k] = inDecimals(more, more.cells[at].text(r), point)
			} else if strings.HasPrefix(name, "z_") {
				record[k] = ofTask(t, k, cellText(more, r, "task"))
			}
		}
		if err := w.Write(record); err != nil {
			return nil, err
		}
		out.lines = append(out.lines, int(more.lines[r]))
		out.Rows++
	}
	if out.Rows == 0 {
		return nil, &DataError{Path: addedPath, Message: "all of its arms are in " + path + " already"}
	}
	w.Flush()
	out.Data = b.Bytes()
	return out, w.Error()
}

// armRows returns the first row of each task and arm of a table with one row per arm; none where it has
// no such columns.
func armRows(t *table) map[[2]string]int {
	out := map[[2]string]int{}
	if t.require("task", "arm") != nil {
		return out
	}
	for r := range t.lines {
		key := [2]string{cellText(t, r, "task"), cellText(t, r, "arm")}
		if _, known := out[key]; !known {
			out[key] = r
		}
	}
	return out
}

// differs reports the first cell of a row that differs from another table's row.
func differs(t *table, r int, other *table, old int) error {
	for k, name := range t.header {
		was := cellText(other, old, name)
		if c := t.cell(r, k); t.decimal(c.text) != other.decimal(was) {
			return t.at(c, "column %q is %q here and %q in %s, which has task %q, arm %q already; what is in the campaign stays as it is",
				name, c.text, was, other.path, cellText(t, r, "task"), cellText(t, r, "arm"))
		}
	}
	return nil
}

// cellsOf reads a table without looking at what its cells mean.
func cellsOf(path string, data []byte, wanted ...string) (*table, error) {
	t, r, err := openTable(path, LoadOptions{Read: func(string) ([]byte, error) { return data, nil }}, wanted...)
	if err != nil {
		return nil, err
	}
	if err := t.records(r, t.add); err != nil {
		return nil, err
	}
	if t.header == nil {
		return nil, &DataError{Path: path, Message: "no data: expected a header and at least one row"}
	}
	return t, nil
}

// decimalPoints reports whether numbers of the table are to be written with a decimal point: it has
// none with a comma.
func decimalPoints(t *table) bool {
	return t.separator == ',' || !t.has(func(text string) bool { return strings.Contains(text, ",") && t.isNumber(text) })
}

// inDecimals returns a cell as the other table writes numbers; other text stays.
func inDecimals(t *table, text string, point bool) string {
	if !t.isNumber(text) {
		return text
	}
	if text = t.decimal(text); !point {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}

// cellText returns a cell of a column, "" without such a column.
func cellText(t *table, r int, column string) string {
	if k, there := t.column[column]; there {
		return t.cells[k].text(r)
	}
	return ""
}

// ofTask returns column k of the first row of a task; "" of a task that the table does not have.
func ofTask(t *table, k int, task string) string {
	for r := range t.lines {
		if cellText(t, r, "task") == task {
			return t.cells[k].text(r)
		}
	}
	return ""
}

// Place returns an error about Data with its place in the added table, where it is of one of the
// added rows; other errors as they are.
func (a *Appended) Place(err error) error {
	e := (*DataError)(nil)
	if !errors.As(err, &e) || e.Line < a.first || e.Line-a.first >= len(a.lines) {
		return err
	}
	moved := *e
	moved.Path, moved.Line, moved.Column = a.path, a.lines[e.Line-a.first], 0
	return &moved
}
