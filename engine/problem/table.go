package problem

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// table is a CSV file or a Frame, read whole and kept by columns, with the place of every cell.
type table struct {
	path      string
	hash      string
	separator rune // between columns: a comma, a semicolon or a tab
	header    []string
	unnamed   *cell // the first of the empty cells at the end of the header, if there are any
	column    map[string]int
	cells     []*cells // of each column
	lines     []int32  // of each row; rows of empty cells are left out
	preamble  int      // lines above the header
	mark      bool     // whether the file begins with a byte order mark

	row      []cell          // that is being added
	computed map[string]bool // columns that are not in the file
	read     []string        // columns that conditions and computed columns read

	comma, point *cell // the first number read with a decimal comma, and with a decimal point
	plain        bool  // whether a number was read whose point cannot part thousands
}

type cell struct {
	text         string
	line, column int
}

// readTable reads a CSV file with a header, its columns separated as separatorOf says; the header
// has the columns wanted, and what stands above it is left out. Empty cells at the end of a row and
// rows of empty cells, as spreadsheets write them, are left out. It reports a file that cannot be
// read, is empty or not plain text, has ragged rows, or names a column twice.
func readTable(path string, opt LoadOptions, wanted ...string) (*table, error) {
	t, err := frameOrFile(path, opt, wanted)
	if err != nil {
		return nil, err
	}
	if len(t.lines) == 0 {
		return nil, &DataError{Path: path, Message: "no data: expected a header and at least one row"}
	}
	return t, nil
}

func frameOrFile(path string, opt LoadOptions, wanted []string) (*table, error) {
	if opt.Frame != nil {
		if f := opt.Frame(path); f != nil && f.Columns != nil {
			return f.table(path)
		}
	}
	t, r, err := openTable(path, opt, wanted...)
	if err != nil {
		return nil, err
	}
	return t, t.records(r, t.add)
}

// records hands every record of a table on, until one is not taken or cannot be read.
func (t *table) records(r *csv.Reader, take func(*csv.Reader, []string) error) error {
	for {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return t.syntax(err)
		}
		if err := take(r, record); err != nil {
			return err
		}
	}
}

// openTable reads a file, and returns a reader of its records from the header on.
func openTable(path string, opt LoadOptions, wanted ...string) (*table, *csv.Reader, error) {
	data, err := opt.Read(path)
	if err != nil {
		return nil, nil, &ReadError{path, err}
	}
	sum := sha256.Sum256(data)
	if opt.Decode != nil {
		if data, err = opt.Decode(data); err != nil {
			return nil, nil, &DataError{Path: path, Message: err.Error()}
		}
	}
	t := &table{path: path, hash: hex.EncodeToString(sum[:]), column: map[string]int{}}
	if err := t.checkEncoding(data); err != nil {
		return nil, nil, err
	}
	data, t.mark = bytes.CutPrefix(data, byteOrderMark)
	data, t.preamble = skipPreamble(data, wanted)
	t.separator = separatorOf(data)
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = t.separator, -1, true
	return t, r, nil
}

// placed appends the cells of a record, with their places, to a row.
func (t *table) placed(row []cell, r *csv.Reader, record []string) ([]cell, error) {
	for k, text := range record {
		line, column := r.FieldPos(k)
		c := cell{strings.TrimSpace(text), line + t.preamble, column}
		if !utf8.ValidString(c.text) {
			return nil, t.at(c, "not UTF-8; save the file as UTF-8")
		}
		row = append(row, c)
	}
	return row, nil
}

// separatorLine reports whether a first row only names the separator.
func separatorLine(row []cell) bool {
	return len(row) <= 2 && strings.HasPrefix(row[0].text, separatorMark)
}

// add appends a row; the first is the header.
func (t *table) add(r *csv.Reader, record []string) error {
	row, err := t.placed(t.row[:0], r, record)
	if err != nil {
		return err
	}
	t.row = row
	full := withoutEmptyEnd(row)
	switch {
	case t.header == nil && separatorLine(row):
		return nil
	case t.header == nil:
		if len(full) < len(row) {
			t.unnamed = &cell{"", row[len(full)].line, row[len(full)].column}
		}
		for range full {
			t.cells = append(t.cells, &cells{})
		}
		return t.setHeader(full)
	case len(full) == 0:
		return nil
	case len(full) > len(t.header) && t.unnamed != nil:
		return t.at(*t.unnamed, "column %d has no name", len(t.header)+1)
	case len(full) > len(t.header) || len(row) < len(t.header):
		message := fmt.Sprintf("%d values, expected %d as in the header", len(row), len(t.header))
		if len(t.header) == 1 {
			message += "; lines above the header are left out only where it has the columns that are named, else delete them"
		}
		return t.at(row[0], "%s", message)
	}
	t.lines = append(t.lines, int32(row[0].line))
	for k, c := range t.cells {
		c.add(row[k].text)
		c.places = append(c.places, int32(row[k].column))
	}
	return nil
}

// cell returns the cell of a row and a column.
func (t *table) cell(r, column int) cell {
	c := cell{t.cells[column].text(r), int(t.lines[r]), 0}
	if places := t.cells[column].places; places != nil {
		c.column = int(places[r])
	}
	return c
}

// has reports whether the text of a cell is so.
func (t *table) has(so func(text string) bool) bool {
	return slices.ContainsFunc(t.cells, func(c *cells) bool { return c.has(so) })
}

// only leaves these rows.
func (t *table) only(rows []int) {
	t.lines = indices.Of(t.lines, rows)
	for k, c := range t.cells {
		t.cells[k] = c.only(rows)
	}
}

// withoutEmptyEnd returns a row without the empty cells at its end.
func withoutEmptyEnd(row []cell) []cell {
	for len(row) > 0 && row[len(row)-1].text == "" {
		row = row[:len(row)-1]
	}
	return row
}

func (t *table) syntax(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return &DataError{Path: t.path, Line: p.Line + t.preamble, Column: p.Column, Message: "not valid CSV: " + p.Err.Error()}
	}
	return &DataError{Path: t.path, Message: "not valid CSV: " + err.Error()}
}

func (t *table) setHeader(row []cell) error {
	if len(row) > 1 && !slices.ContainsFunc(row, func(c cell) bool { return !t.isNumber(c.text) }) {
		return t.at(row[0], "this line has numbers alone, and it must have the names of the columns: write a line with names above it")
	}
	for k, c := range row {
		if c.text == "" {
			return t.at(c, "column %d has no name", k+1)
		}
		if err := t.checkText(c); err != nil {
			return err
		}
		if _, twice := t.column[c.text]; twice {
			return t.at(c, "column %q appears twice", c.text)
		}
		t.column[c.text] = k
		t.header = append(t.header, c.text)
	}
	return nil
}

func (t *table) at(c cell, format string, args ...any) error {
	return &DataError{Path: t.path, Line: c.line, Column: c.column, Message: fmt.Sprintf(format, args...)}
}

// require reports the first of the named columns that is absent.
func (t *table) require(names ...string) error {
	for _, name := range names {
		if _, ok := t.column[name]; !ok {
			return t.noColumn(name)
		}
	}
	return nil
}

// standardNames takes capital letters in these names, and in the prefixes x_ and z_, for small ones,
// unless both are there.
func (t *table) standardNames(names ...string) {
	for k, name := range t.header {
		small := strings.ToLower(name)
		if !slices.Contains(names, small) {
			if !strings.HasPrefix(small, "x_") && !strings.HasPrefix(small, "z_") {
				continue
			}
			small = small[:2] + name[2:]
		}
		if _, both := t.column[small]; !both {
			delete(t.column, name)
			t.header[k], t.column[small] = small, k
		}
	}
}

// noColumn is the error of a column that is not in the header.
func (t *table) noColumn(name string) error {
	message := fmt.Sprintf("no column %q; the columns are %s", name, t.columns())
	if len(t.header) == 1 {
		message += "; columns are separated by commas, semicolons or tabs"
	}
	return &DataError{Path: t.path, Line: 1 + t.preamble, Message: message, Unknown: name, Known: t.header}
}

// text returns the cell of a row that must not be empty.
func (t *table) text(r int, name string) (string, error) {
	c := t.cell(r, t.column[name])
	if c.text == "" {
		return "", t.at(c, "column %q is empty; expected a name", name)
	}
	return c.text, t.checkText(c)
}

// number returns the cell of a row as a finite number. Of all forms that Go takes, only decimal digits
// are numbers to other programs, too. Where commas do not separate columns, a number may have a
// decimal comma, if no number of the table has a decimal point.
func (t *table) number(r int, name string) (float64, error) {
	k := t.column[name]
	if x := t.cells[k].numbers; x != nil && math.Abs(x[r]) <= kernels.Largest {
		return x[r], nil
	}
	return t.numberIn(t.cell(r, k), name)
}

// numberIn returns a cell as number does; column is "" where columns have no names.
func (t *table) numberIn(c cell, column string) (float64, error) {
	text := t.decimal(c.text)
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case c.text == "":
		return 0, t.at(c, "%sexpected a finite number, the cell is empty", inColumn(column))
	case err != nil && t.separator == ',' && strings.Count(c.text, ",") == 1 && decimalComma(c.text):
		return 0, t.at(c, "%sexpected a finite number, got %q; decimal commas are read where semicolons or tabs separate the columns",
			inColumn(column), c.text)
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, t.at(c, "%sexpected a finite number, got %q", inColumn(column), c.text)
	case !isDecimal(text):
		return 0, t.at(c, "%sexpected a finite number in decimal digits, got %q", inColumn(column), c.text)
	case math.Abs(v) > kernels.Largest:
		return 0, t.at(c, "%s%s, got %g", inColumn(column), kernels.ExtremeRule, v)
	}
	return v, t.sameDecimals(c)
}

// inColumn begins the message about a cell of a column.
func inColumn(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("column %q: ", name)
}

// within reports a number of the column, if there is one, that is outside of the bounds,
// if there are any.
func (t *table) within(r int, name string, bounds *[2]float64) error {
	k, there := t.column[name]
	if bounds == nil || !there {
		return nil
	}
	if v, err := t.number(r, name); err == nil && (v < bounds[0] || v > bounds[1]) {
		return t.at(t.cell(r, k), "column %q: %g is outside of the bounds [%g, %g]", name, v, bounds[0], bounds[1])
	}
	return nil
}

// withPrefix returns the columns whose names begin with the prefix.
func (t *table) withPrefix(prefix string) []string {
	return lists.Where(t.header, func(name string) bool { return strings.HasPrefix(name, prefix) })
}

// columns lists the names of the columns, of many the first.
func (t *table) columns() string {
	const most = 30
	if more := len(t.header) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(t.header[:most], ", "), more)
	}
	return strings.Join(t.header, ", ")
}
