package problem

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// column is a column of a table: a code for the text of each row, the texts, and their values where it has any. Columns of
// tasks, arms and features say the same again and again, so that each text is looked at once.
type column struct {
	name       string
	codes      []int32   // of each row
	first      []cell    // of each code, in the order of the rows
	values     []float64 // of each code: a number, or the code of a category; nil for a column that only names things
	numbers    bool      // every cell is a number
	categories []string  // in the order of their codes, from 0
}

// text returns the text of a row.
func (c *column) text(r int) string { return c.first[c.codes[r]].text }

// value returns the value of a row.
func (c *column) value(r int) float64 { return c.values[c.codes[r]] }

// readColumn reads a column that must not have gaps. It is one of numbers if all of its cells are.
func (t *table) readColumn(name string) *column {
	at := t.column[name]
	c := &column{name: name, numbers: true}
	alike, codes := &spellings{t.path, map[string]cell{}}, map[string]int32{}
	c.codes = t.cells[at].encoded(func(r int) int32 {
		x := t.cell(r, at)
		code, known := codes[x.text]
		if known { // labels may be alike but for blanks around them
			return code
		}
		if gap(x.text) {
			panic(t.at(x, "column %q has no value here; every row needs its task, its arm and their features: "+
				"fill the cell in, or delete the row", name))
		}
		t.checkText(x)
		alike.checkName(t, x)
		code = int32(len(c.first))
		codes[x.text], c.first = code, append(c.first, x)
		c.numbers = c.numbers && t.isNumber(x.text)
		return code
	})
	if c.numbers {
		c.values = lists.Map(c.first, func(x cell) float64 { return try.Of(t.numberIn(x, name)) + 0 }) // -0 is 0
	}
	return c
}

// coded gives a column of text the codes of its categories, in the order of their first rows. A
// column that has numbers as well is more likely a mistake.
func (c *column) coded(t *table) {
	if c.values != nil {
		return
	}
	number := slices.IndexFunc(c.first, func(x cell) bool { return t.isNumber(x.text) })
	word := slices.IndexFunc(c.first, func(x cell) bool { return !t.isNumber(x.text) })
	if number >= 0 {
		panic(t.at(c.first[word], "column %q: expected a number as in line %d, got %q; a feature has numbers in all rows, or text in all",
			c.name, c.first[number].line, c.first[word].text))
	}
	for code, x := range c.first {
		c.categories, c.values = append(c.categories, x.text), append(c.values, float64(code))
	}
}

// textFeatures returns the columns x_ and z_ that have text in all rows, with the codes of their
// categories. A table of one row has none: a text there is more likely a mistake.
func (t *table) textFeatures() map[string]*column {
	out := map[string]*column{}
	if len(t.lines) < 2 {
		return out
	}
	for _, name := range append(t.withPrefix("x_"), t.withPrefix("z_")...) {
		if !t.of(name).has(func(text string) bool { return gap(text) || t.isNumber(text) }) {
			out[name] = t.readColumn(name)
			out[name].coded(t)
		}
	}
	return out
}

// note says what the codes of the categories of a column are.
func (c *column) note(path string) Note {
	return Note{Kind: NoteCategories, Path: path, Names: append([]string{c.name}, c.categories...)}
}

// valuesAt returns the values of some columns in a row.
func valuesAt(columns []*column, r int) []float64 {
	return lists.Map(columns, func(c *column) float64 { return c.value(r) })
}

// nameOf returns the name of a task or arm: the text of its only column, or as in "temp=150,
// speed=2"; onlyTask without columns.
func nameOf(columns []*column, r int) string {
	if len(columns) == 0 {
		return onlyTask
	}
	parts := make([]string, len(columns))
	for k, c := range columns {
		text := c.text(r)
		if c.numbers {
			text = plainNumber(c.value(r))
		} else if len(columns) == 1 {
			return text
		} else if strings.Contains(text, "=") { // or two combinations could have one name
			text = strconv.Quote(text)
		}
		parts[k] = c.name + "=" + text
	}
	return strings.Join(parts, ", ")
}

// named names all rows by some columns: the number of the name of each row, and the names by their numbers, which are in the
// order of their first rows. What the same cells say is written once; cells as different as 1 and 1.0 have one name.
func named(columns []*column, rows int) (of []int32, names []string) {
	of = make([]int32, rows)
	for k, c := range columns {
		if k == 0 {
			copy(of, c.codes)
		} else {
			of = paired(of, c.codes)
		}
	}
	var number []int32 // of the name, by the number of the cells
	known := map[string]int32{}
	for r, at := range of {
		if int(at) == len(number) {
			name := nameOf(columns, r)
			k, there := known[name]
			if !there {
				k = int32(len(names))
				known[name], names = k, append(names, name)
			}
			number = append(number, k)
		}
		of[r] = number[at]
	}
	return of, names
}

// paired numbers the pairs of two numbers of each row, in the order of their first rows.
func paired(a, b []int32) []int32 {
	out, known := make([]int32, len(a)), map[uint64]int32{}
	for r := range out {
		pair := uint64(a[r])<<32 | uint64(b[r])
		k, there := known[pair]
		if !there {
			k = int32(len(known))
			known[pair] = k
		}
		out[r] = k
	}
	return out
}

// plainNumber writes a number without an exponent, where that is not long.
func plainNumber(v float64) string {
	if a := math.Abs(v); a == 0 || a >= 1e-4 && a < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// mostListed is how many words a sentence lists.
const mostListed = 12

// listed joins words, of many the first.
func listed(words []string) string { return listedOf(words, len(words)) }

// listedOf joins the first of a number of words, as listed.
func listedOf(words []string, all int) string {
	words = words[:min(len(words), mostListed)]
	text := strings.Join(words, ", ")
	if more := all - len(words); more > 0 {
		return fmt.Sprintf("%s and %d more", text, more)
	}
	return text
}

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
	Text    bool // the labels are names as they stand: none is a number, and only a place below 0 is an empty cell
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
func (f *Frame) table(path string) *table {
	t := &table{path: path, hash: f.Hash, separator: ',', column: map[string]int{}, cells: f.cells()}
	t.setHeader(lists.Map(f.Columns, func(c FrameColumn) cell { return cell{strings.TrimSpace(c.Name), 1, 0} }))
	t.lines = make([]int32, f.Rows)
	full := make([]int, 0, f.Rows)
	for r := range f.Rows {
		t.lines[r] = int32(r + 2)
		if slices.ContainsFunc(t.cells, func(c *cells) bool { return !c.empty(r) }) {
			full = append(full, r)
		}
	}
	if len(full) < f.Rows {
		t.only(full)
	}
	return t
}
