package problem

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Sheet is a table that people fill in. It is a CSV file with a header, columns separated by commas, semicolons or tabs,
// and numbers with decimal points or commas.
type Sheet struct {
	Columns []string
	Rows    []SheetRow
	table   *table
}

// SheetRow is a row of a Sheet.
type SheetRow struct {
	Line  int
	row   int
	table *table
}

// maxSheet is the largest size, in bytes, of a decompressed sheet.
const maxSheet = 1 << 26

// ReadSheet reads a table, which may be compressed with gzip. The table must have all columns of one of the given sets, in
// small letters or capitals; used is the index of this set. If own is not nil, its columns may replace task, arm and
// reward. ReadSheet returns a *DataError with a place if the sheet is unreadable. Errors in single cells appear when they
// are read.
func ReadSheet(ctx context.Context, path string, data []byte, own *Long, sets ...[]string) (_ *Sheet, set int, err error) {
	defer try.Caught(&err)
	data = (&table{path: path, allowance: LoadOptions{Context: ctx}.allowance()}).unpacked(data, maxSheet, 0, ctx)
	if own != nil {
		if s, k := own.readOwn(ctx, path, data, sets); s != nil {
			return s, k, nil
		}
	}
	for k, set := range sets {
		t := try.Of(tableOf(ctx, path, data, set...))
		t.standardNames(append(slices.Concat(sets...), "status", "note", "plate", "block", "sd")...)
		if _, lacking := t.lacks(set...); !lacking {
			for _, name := range set {
				t.find(name)
			}
			t.checkLengths(set...)
			return sheetOf(t, t.givenColumns()), k, nil
		}
		if k == len(sets)-1 {
			if own != nil {
				sets = append(slices.Clip(sets), own.ofSheet())
			}
			words := lists.Map(sets, func(set []string) string { return strings.Join(set, ",") })
			panic(t.at(cell{line: 1 + t.preamble}, "columns for the results are missing: the file has %s. Name its columns %s%s",
				t.columns(), strings.Join(words, ", or "), t.separatorHint()))
		}
	}
	panic("problem: a sheet needs a set of columns")
}

// Aim sets the goal of the problem. The goal decides whether a text such as n.d. may be the best or the worst value.
func (s *Sheet) Aim(goal string) { s.table.goal = goal }

// Notes returns notes on how the table was read, if it is not plain CSV.
func (s *Sheet) Notes() []Note { return s.table.notes() }

// Text returns a cell; "" if the cell is empty or the column is missing.
func (r SheetRow) Text(column string) string { return r.table.textOf(r.row, column) }

// Empty reports whether a cell states that there is no value: nothing, NA or the like.
func (r SheetRow) Empty(column string) bool { return gap(r.Text(column)) }

// Number returns a cell as a finite number, or a *DataError.
func (r SheetRow) Number(column string) (float64, error) { return r.table.tried(r.row, column) }

// Name returns a cell that must be a name, or a *DataError.
func (r SheetRow) Name(column string) (name string, err error) {
	defer try.Caught(&err)
	return r.table.text(r.row, column), nil
}

// Wrong returns a *DataError with the place of a cell.
func (r SheetRow) Wrong(column, format string, args ...any) error {
	return r.table.at(r.table.cellOf(r.row, column), format, args...).Err
}

// checkTwice fails if a needed column occurs several times with different values, because then the result is ambiguous.
func (t *table) checkTwice() {
	for _, n := range t.said {
		if n.Kind != NoteTwice {
			continue
		}
		name := n.Names[0]
		for k := 1; t.hasColumn(fmt.Sprintf("%s.%d", name, k)); k++ {
			other := fmt.Sprintf("%s.%d", name, k)
			for r := range t.lines {
				if first, second := t.textOf(r, name), t.textOf(r, other); second != "" && second != first {
					panic(t.at(t.cellOf(r, other), "several columns are named %q, and this row has %q and %q in them. Remove one of them, "+
						"or give it another name", name, sentence.Brief(first), sentence.Brief(second)))
				}
			}
		}
	}
}

// ofSheet lists the columns of a sheet with one reward per row.
func (l Long) ofSheet() []string { return append(slices.Concat(l.Task, l.Arm), l.Reward) }

// readOwn reads a sheet with the columns of the problem's long table instead of task, arm and reward. A sheet with id
// and the long table's reward column is also accepted. It returns nil for other sheets.
func (l Long) readOwn(ctx context.Context, path string, data []byte, sets [][]string) (s *Sheet, set int) {
	if l.Reward == "" {
		return nil, 0 // a sheet has one reward per row, but the table counts successes
	}
	for _, wanted := range [][]string{{"id", l.Reward}, l.ofSheet()} {
		t, err := tableOf(ctx, path, data, wanted...)
		if err != nil {
			return nil, 0 // ReadSheet returns the error
		}
		t.standardNames("id", "status", "note", "plate", "position", "block", "round")
		byID := t.hasColumn("id")
		if !byID && l.complete != nil {
			l.complete(t)
		}
		columns := slices.DeleteFunc(slices.Clone(t.header), func(c string) bool { return slices.Contains(t.read, c) || t.unnamed[c] })
		if byID != (wanted[0] == "id") || slices.ContainsFunc(wanted, func(name string) bool { return !t.find(name) }) {
			continue
		}
		if !byID {
			nameArms(t, l)
		}
		if !t.hasColumn("reward") || !byID {
			t.column["reward"] = t.column[l.Reward]
		}
		nameMeans(t, l)
		for k, set := range sets {
			if _, lacking := t.lacks(set...); lacking {
				continue
			}
			named := append(l.ofSheet(), lists.Where([]string{l.SD, l.Count}, func(name string) bool { return name != "" })...)
			if byID {
				named = []string{l.Reward}
			}
			columns = slices.DeleteFunc(columns, func(c string) bool {
				return slices.ContainsFunc(named, func(name string) bool { return t.column[c] == t.column[name] })
			})
			t.checkLengths(wanted...)
			return sheetOf(t, columns), k
		}
	}
	return nil, 0
}

// nameArms adds the columns task and arm, with the names that the long table gives to these rows.
func nameArms(t *table, l Long) {
	named := [][]string{l.Task, l.Arm}
	at, read := make([][]int, len(named)), make([][]*column, len(named)) // read before the columns task and arm get another meaning
	for k, of := range named {
		for _, name := range of {
			c := l.read[name]
			if c == nil { // no table was read
				c = t.readColumn(name)
			}
			at[k], read[k] = append(at[k], t.column[name]), append(read[k], c)
		}
	}
	for k, of := range named {
		names := &cells{places: t.cells[0].places}
		if len(of) > 0 {
			names.places = t.cells[at[k][0]].places
		}
		columns := read[k]
		for r := range t.lines {
			names.add(nameOf(columns, lists.Make(len(of), func(j int) string { return columns[j].shownOf(t, t.cell(r, at[k][j])) })))
		}
		t.cells = append(t.cells, names)
		t.column[[]string{"task", "arm"}[k]] = len(t.header) + k
	}
}

// shownOf returns the name that the table uses for a cell of a sheet. It matches the text, or else the only equal
// number, since spreadsheets write 12.10 as 12.1 and 150.0 as 150. Without a match it returns the cell, with numbers
// written as by plainNumber.
func (c *column) shownOf(t *table, x cell) string {
	if x.text == "" || c.numbers && gap(x.text) {
		panic(t.at(x, "%s", missing(c.name, x.text)))
	}
	t.checkText(x)
	for _, text := range []string{x.text, t.decimal(x.text), strings.Replace(t.decimal(x.text), ".", ",", 1)} {
		if code, known := c.known[text]; known {
			return c.shown[code]
		}
	}
	if !c.numbers {
		return x.text
	}
	v, err := t.numberIn(x, c.name)
	if err != nil {
		return x.text
	}
	same := indices.Where(len(c.values), func(k int) bool {
		return sameNumbers([]float64{min(v, c.values[k]), max(v, c.values[k])})[1]
	})
	if len(same) == 1 {
		return c.shown[same[0]]
	}
	return plainNumber(v)
}

// nameMeans finds the columns of counts and of standard deviations in a sheet whose rows are means.
func nameMeans(t *table, l Long) {
	if l.Count != "" && t.find(l.Count) {
		t.column["count"], t.column["mean"] = t.column[l.Count], t.column["reward"]
		delete(t.column, "reward")
	}
	if l.SD != "" && t.find(l.SD) {
		t.column["sd"] = t.column[l.SD]
	}
}

// sheetOf returns the table as a sheet that has these columns.
func sheetOf(t *table, columns []string) *Sheet {
	t.checkTwice()
	t.filled = true
	s := &Sheet{Columns: columns, table: t}
	for r, line := range t.lines {
		s.Rows = append(s.Rows, SheetRow{int(line), r, t})
	}
	return s
}
