package problem

import (
	"slices"
	"strings"
)

// Sheet is a table that people fill in, read whole: CSV with a header, its columns separated by
// commas, semicolons or tabs, the numbers with decimal points or commas.
type Sheet struct {
	Columns []string
	Rows    []SheetRow
	table   *table
}

// SheetRow is a row of a Sheet.
type SheetRow struct {
	Line  int
	row   int
	sheet *Sheet
}

// ReadSheet reads a table. One of the given sets of columns must be there, in small letters or
// capitals; it returns which, as the number of the set. own, if it is not nil, names columns that may
// stand in place of task, arm and reward. What cannot be read is a *DataError with its place; what is
// wrong with single cells shows when they are read.
func ReadSheet(path string, data []byte, own *Long, sets ...[]string) (*Sheet, int, error) {
	if own != nil {
		if s, k, ok, err := own.readOwn(path, data, sets); ok || err != nil {
			return s, k, err
		}
	}
	for k, set := range sets {
		t, r, err := openTable(path, LoadOptions{Read: func(string) ([]byte, error) { return data, nil }}, set...)
		if err != nil {
			return nil, 0, err
		}
		if err := t.records(r, t.add); err != nil {
			return nil, 0, err
		}
		if t.header == nil {
			return nil, 0, &DataError{Path: path, Message: "no data: expected a line with the names of the columns"}
		}
		t.standardNames(append(slices.Concat(sets...), "status", "note", "plate", "block", "sd")...)
		err = t.require(set...)
		if err != nil && k < len(sets)-1 {
			continue
		}
		if err != nil {
			if own != nil {
				sets = append(slices.Clip(sets), own.ofSheet())
			}
			return nil, 0, noSet(t, sets)
		}
		return sheetOf(t, t.header), k, nil
	}
	panic("problem: a sheet needs a set of columns")
}

// noSet is the error of a table with none of the sets of columns.
func noSet(t *table, sets [][]string) error {
	var words []string
	for _, set := range sets {
		words = append(words, strings.Join(set, ","))
	}
	message := "the columns are " + t.columns() + "; expected " + strings.Join(words, ", or ")
	if len(t.header) == 1 {
		message += "; columns are separated by commas, semicolons or tabs"
	}
	return &DataError{Path: t.path, Line: 1 + t.preamble, Message: message}
}

// Has reports whether there is such a column.
func (s *Sheet) Has(column string) bool { _, ok := s.table.column[column]; return ok }

// Notes say how the table was read, where it is not plain CSV.
func (s *Sheet) Notes() []Note { return s.table.notes() }

// Text returns a cell, "" where it is empty or the column is not there.
func (r SheetRow) Text(column string) string {
	k, ok := r.sheet.table.column[column]
	if !ok {
		return ""
	}
	return r.sheet.table.cells[k].text(r.row)
}

// Empty reports whether a cell says that there is no value: nothing, NA or the like.
func (r SheetRow) Empty(column string) bool { return gap(r.Text(column)) }

// Number returns a cell as a finite number, or a *DataError.
func (r SheetRow) Number(column string) (float64, error) {
	return r.sheet.table.number(r.row, column)
}

// Name returns a cell that must be a name, or a *DataError.
func (r SheetRow) Name(column string) (string, error) { return r.sheet.table.text(r.row, column) }

// Wrong returns a *DataError at a cell.
func (r SheetRow) Wrong(column, format string, args ...any) error {
	return r.sheet.table.at(r.sheet.table.cell(r.row, r.sheet.table.column[column]), format, args...)
}
