package problem

import (
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
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
	words := lists.Map(sets, func(set []string) string { return strings.Join(set, ",") })
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

// ofSheet lists the columns of a sheet with one reward a row.
func (l Long) ofSheet() []string { return append(slices.Concat(l.Task, l.Arm), l.Reward) }

// readOwn reads a sheet that has the columns of the long table of a problem in place of task, arm and
// reward, or id with its column of rewards in place of reward. ok is false where the sheet is another.
func (l Long) readOwn(path string, data []byte, sets [][]string) (s *Sheet, set int, ok bool, err error) {
	if l.Reward == "" {
		return nil, 0, false, nil // a result is one reward, and the table counts successes
	}
	for _, wanted := range [][]string{{"id", l.Reward}, l.ofSheet()} {
		t, r, err := openTable(path, LoadOptions{Read: func(string) ([]byte, error) { return data, nil }}, wanted...)
		if err != nil || t.records(r, t.add) != nil || t.header == nil {
			return nil, 0, false, nil // ReadSheet says what is wrong
		}
		t.standardNames("id", "status", "note", "plate", "position", "block", "round")
		_, byID := t.column["id"]
		if !byID && l.complete != nil {
			l.complete(t)
		}
		columns := slices.DeleteFunc(slices.Clone(t.header), func(c string) bool { return slices.Contains(t.read, c) })
		if byID != (wanted[0] == "id") || !hasAll(t, wanted) {
			continue
		}
		if !byID {
			if err := nameArms(t, l); err != nil {
				return nil, 0, false, err
			}
		}
		if _, there := t.column["reward"]; !there || !byID {
			t.column["reward"] = t.column[l.Reward]
		}
		nameMeans(t, l)
		for k, set := range sets {
			if t.require(set...) != nil {
				continue
			}
			named := append(l.ofSheet(), lists.Where([]string{l.SD, l.Count}, func(name string) bool { return name != "" })...)
			if byID {
				named = []string{l.Reward}
			}
			columns = slices.DeleteFunc(columns, func(c string) bool {
				return slices.ContainsFunc(named, func(name string) bool { return t.column[c] == t.column[name] })
			})
			return sheetOf(t, columns), k, true, nil
		}
	}
	return nil, 0, false, nil
}

// hasAll reports whether there are columns of these names, which are found under them from then on.
func hasAll(t *table, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return findColumn(t, name) != nil })
}

// nameArms adds columns task and arm with the names that the rows of a long table have.
func nameArms(t *table, l Long) error {
	read := map[string]*column{}
	for _, name := range slices.Concat(l.Task, l.Arm) {
		c, err := t.readColumn(name)
		if err != nil {
			return err
		}
		read[name] = c
	}
	for k, of := range [][]string{l.Task, l.Arm} {
		names := &cells{places: t.cells[0].places}
		if len(of) > 0 {
			names.places = t.cells[t.column[of[0]]].places
		}
		for r := range t.lines {
			names.add(nameOf(columnsNamed(read, of), r))
		}
		t.cells = append(t.cells, names)
		t.column[[]string{"task", "arm"}[k]] = len(t.header) + k
	}
	return nil
}

// nameMeans finds the columns of counts and standard deviations of rows that are means.
func nameMeans(t *table, l Long) {
	if l.Count != "" && findColumn(t, l.Count) == nil {
		t.column["count"], t.column["mean"] = t.column[l.Count], t.column["reward"]
		delete(t.column, "reward")
	}
	if l.SD != "" && findColumn(t, l.SD) == nil {
		t.column["sd"] = t.column[l.SD]
	}
}

// sheetOf returns the table as a sheet with these columns.
func sheetOf(t *table, columns []string) *Sheet {
	s := &Sheet{Columns: columns, table: t}
	for r, line := range t.lines {
		s.Rows = append(s.Rows, SheetRow{Line: int(line), row: r, sheet: s})
	}
	return s
}
