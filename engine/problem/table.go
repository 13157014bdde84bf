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
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// table is a CSV file read whole, with the place of every cell.
type table struct {
	path   string
	hash   string
	header []string
	column map[string]int
	rows   [][]cell
}

type cell struct {
	text         string
	line, column int
}

// readTable reads a CSV file with a header. It reports a file that cannot be
// read, is empty or not plain text, has ragged rows, or names a column twice.
func readTable(path string, read func(path string) ([]byte, error)) (*table, error) {
	data, err := read(path)
	if err != nil {
		return nil, &ReadError{path, err}
	}
	sum := sha256.Sum256(data)
	t := &table{path: path, hash: hex.EncodeToString(sum[:]), column: map[string]int{}}
	if err := t.checkEncoding(data); err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	r.FieldsPerRecord = -1
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, t.syntax(err)
		}
		if err := t.add(r, record); err != nil {
			return nil, err
		}
	}
	if len(t.rows) == 0 {
		return nil, &DataError{Path: path, Message: "no data: expected a header and at least one row"}
	}
	return t, nil
}

// add appends a row; the first is the header.
func (t *table) add(r *csv.Reader, record []string) error {
	row := make([]cell, len(record))
	for k, text := range record {
		line, column := r.FieldPos(k)
		row[k] = cell{strings.TrimSpace(text), line, column}
		if err := t.checkText(row[k]); err != nil {
			return err
		}
	}
	if t.header == nil {
		return t.setHeader(row)
	}
	if len(row) != len(t.header) {
		return t.at(row[0], "%d values, expected %d as in the header", len(row), len(t.header))
	}
	t.rows = append(t.rows, row)
	return nil
}

func (t *table) syntax(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return &DataError{t.path, p.Line, p.Column, "not valid CSV: " + p.Err.Error()}
	}
	return &DataError{Path: t.path, Message: "not valid CSV: " + err.Error()}
}

func (t *table) setHeader(row []cell) error {
	for k, c := range row {
		if c.text == "" {
			return t.at(c, "column %d has no name", k+1)
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
	return &DataError{t.path, c.line, c.column, fmt.Sprintf(format, args...)}
}

// require reports the first of the named columns that is absent.
func (t *table) require(names ...string) error {
	for _, name := range names {
		if _, ok := t.column[name]; !ok {
			return &DataError{t.path, 1, 0, fmt.Sprintf("no column %q; the columns are %s", name, t.columns())}
		}
	}
	return nil
}

// text returns a cell that must not be empty.
func (t *table) text(row []cell, name string) (string, error) {
	c := row[t.column[name]]
	if c.text == "" {
		return "", t.at(c, "column %q is empty; expected a name", name)
	}
	return c.text, nil
}

// number returns a cell as a finite number. Of what Go takes for one, only decimal digits
// are numbers to other programs, too.
func (t *table) number(row []cell, name string) (float64, error) {
	c := row[t.column[name]]
	v, err := strconv.ParseFloat(c.text, 64)
	switch {
	case c.text == "":
		return 0, t.at(c, "column %q: expected a finite number, the cell is empty", name)
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, t.at(c, "column %q: expected a finite number, got %q", name, c.text)
	case strings.Trim(c.text, "+-.0123456789eE") != "":
		return 0, t.at(c, "column %q: expected a finite number in decimal digits, got %q", name, c.text)
	case math.Abs(v) > kernels.Largest:
		return 0, t.at(c, "column %q: %s, got %g", name, kernels.ExtremeRule, v)
	}
	return v, nil
}

// within reports a number of the column, if there is one, that is outside of the bounds,
// if there are any.
func (t *table) within(row []cell, name string, bounds *[2]float64) error {
	k, there := t.column[name]
	if bounds == nil || !there {
		return nil
	}
	if v, err := t.number(row, name); err == nil && (v < bounds[0] || v > bounds[1]) {
		return t.at(row[k], "column %q: %g is outside of the bounds [%g, %g]", name, v, bounds[0], bounds[1])
	}
	return nil
}

// withPrefix returns the columns whose names begin with the prefix.
func (t *table) withPrefix(prefix string) []string {
	var out []string
	for _, name := range t.header {
		if strings.HasPrefix(name, prefix) {
			out = append(out, name)
		}
	}
	return out
}

// columns lists the names of the columns, of many the first.
func (t *table) columns() string {
	const most = 30
	if more := len(t.header) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(t.header[:most], ", "), more)
	}
	return strings.Join(t.header, ", ")
}
