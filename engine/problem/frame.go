package problem

import (
	"slices"
	"strings"
)

// Frame is a table that a program has in its memory: columns, or CSV.
type Frame struct {
	Rows    int
	Columns []FrameColumn
	Hash    string // of the columns, in hexadecimal digits

	Text []byte // CSV, in place of columns
}

// FrameColumn is a column of a Frame: numbers, where NaN is an empty cell, or for each row the place of
// its text in Labels, where a place below 0 is an empty cell.
type FrameColumn struct {
	Name    string
	Numbers []float64
	Whole   bool // the numbers are whole and are written in digits alone
	Codes   []int32
	Labels  []string
}

// CSV returns the frame as CSV.
func (f *Frame) CSV() []byte {
	if f.Columns == nil {
		return f.Text
	}
	var b []byte
	for k, c := range f.Columns {
		b = appendCell(b, c.Name, k)
	}
	columns := f.cells()
	for r := range f.Rows {
		b = append(b, '\n')
		from := len(b)
		for k, c := range columns {
			b = appendCell(b, c.text(r), k)
		}
		if len(b) == from { // one empty cell: readers pass over an empty line
			b = append(b, '"', '"')
		}
	}
	return append(b, '\n')
}

// appendCell writes cell k of a row, in quotes where a reader could take a part of it for something else.
func appendCell(b []byte, text string, k int) []byte {
	if k > 0 {
		b = append(b, ',')
	}
	if strings.ContainsAny(text, ",;\"\t\r\n") {
		text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return append(b, text...)
}

// cells returns the cells of all columns, without blanks around texts.
func (f *Frame) cells() []*cells {
	all := make([]*cells, len(f.Columns))
	for k, c := range f.Columns {
		labels := slices.Clone(c.Labels)
		for i, label := range labels {
			labels[i] = strings.TrimSpace(label)
		}
		all[k] = &cells{numbers: c.Numbers, whole: c.Whole, codes: c.Codes, labels: labels}
	}
	return all
}

// table returns the frame as a table that was read; its lines are those that it has as CSV.
func (f *Frame) table(path string) (*table, error) {
	t := &table{path: path, hash: f.Hash, separator: ',', column: map[string]int{}, cells: f.cells()}
	header := make([]cell, len(f.Columns))
	for k, c := range f.Columns {
		header[k] = cell{strings.TrimSpace(c.Name), 1, 0}
	}
	if err := t.setHeader(header); err != nil {
		return nil, err
	}
	t.lines = make([]int32, f.Rows)
	rows := make([]int, 0, f.Rows)
	for r := range f.Rows {
		t.lines[r] = int32(r + 2)
		if slices.ContainsFunc(t.cells, func(c *cells) bool { return !c.empty(r) }) {
			rows = append(rows, r)
		}
	}
	if len(rows) < f.Rows {
		t.only(rows)
	}
	return t, nil
}
