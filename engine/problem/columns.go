package problem

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// column holds the cells of one column of a table. Few texts occur in many rows, so each different text has a code and
// is parsed once.
type column struct {
	name       string
	codes      []int32          // for each row, the code of its text
	first      []cell           // for each code, the first cell with this text
	values     []float64        // for each code, the number, or the code of the category; nil for a column of names only
	numbers    bool             // every cell is a number
	categories []string         // names of the categories, indexed by value
	shown      []string         // for each code, its first text, with a decimal point
	known      map[string]int32 // for every text of the column, its code
}

// value returns the value of a row.
func (c *column) value(r int) float64 { return c.values[c.codes[r]] }

// exactDigits is the number of digits of a number that every program keeps.
const exactDigits = 15

// identifier reports whether a whole number is probably a name: it has a leading zero, such as 007, or more than exactDigits digits.
// Converted to a number, some of its digits would be lost.
func identifier(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	return len(digits) > exactDigits || len(digits) > 1 && digits[0] == '0'
}

// scale reports whether a column contains numbers: no cell is text or an identifier such as 007.
func (t *table) scale(k int) bool {
	c := t.cells[k]
	if c.names || c.numbers != nil && !c.whole {
		return !c.names
	}
	return !c.has(func(text string) bool { return !gap(text) && (!t.isNumber(text) || identifier(text)) })
}

// readColumn reads a column without empty cells. The column has numbers if all its cells are numbers.
func (t *table) readColumn(name string) *column {
	return t.encodeColumn(name, func(r int, x cell) {
		if t.of(name).gap(r) {
			panic(t.at(x, "%s", missing(name, x.text)))
		}
	})
}

// missing returns the message for a name or a feature without a value.
func missing(column, text string) string {
	if text == "" {
		return fmt.Sprintf("column %q has no value here. Every row needs its task, its arm and their features. Fill in the cell, or delete "+
			"the row", column)
	}
	return fmt.Sprintf("column %[1]q has %[2]q here, which counts as an empty cell, as NA, N/A, NaN and null do. If it is a name, write "+
		"text=%[1]q (--text %[1]q). Otherwise fill in the cell, or delete the row", column, text)
}

// encodeColumn gives each different text of a column a code. It calls check with the first cell of each text.
func (t *table) encodeColumn(name string, check func(r int, x cell)) *column {
	at := t.column[name]
	c := &column{name: name, numbers: !t.cells[at].names, known: map[string]int32{}}
	alike, id := &spellings{path: t.path}, false
	c.codes = t.cells[at].encoded(func(r int) int32 {
		x := t.cell(r, at)
		code, known := c.known[x.text]
		if known { // labels may differ only in blanks around them
			return code
		}
		check(r, x)
		t.checkText(x)
		alike.checkName(t, name, x)
		code = int32(len(c.first))
		c.known[x.text], c.first, c.shown = code, append(c.first, x), append(c.shown, x.text)
		c.numbers = c.numbers && t.isValue(x.text)
		id = id || identifier(x.text)
		return code
	})
	t.said = append(t.said, alike.notes...)
	if c.numbers = c.numbers && !id; c.numbers {
		c.values = lists.Map(c.first, func(x cell) float64 { return try.Of(t.numberIn(x, name)) + 0 }) // adding 0 turns -0 into 0
		c.shown = lists.Map(c.shown, t.decimal)
	}
	return c
}

// noteWritten returns a note on names that are equal as numbers, although they are written differently. There is no note
// if the user stated that the column has names.
func (c *column) noteWritten(t *table) []Note {
	if t.of(c.name).names {
		return nil
	}
	groups := map[float64][]string{}
	for _, x := range c.first {
		if v, err := strconv.ParseFloat(t.decimal(x.text), 64); err == nil && t.isValue(x.text) {
			groups[v] = append(groups[v], x.text)
		}
	}
	alike := slices.Collect(maps.Values(groups))
	alike = slices.DeleteFunc(alike, func(texts []string) bool { return len(texts) < 2 })
	slices.SortFunc(alike, slices.Compare)
	return noteOfTexts(NoteWritten, t.path, c.name, alike)
}

// noteOfTexts returns a note on groups of texts of a column; none if there are no groups.
func noteOfTexts(kind NoteKind, path, column string, groups [][]string) []Note {
	if len(groups) == 0 {
		return nil
	}
	return []Note{{Kind: kind, Path: path, Names: append([]string{column}, slices.Concat(groups...)...),
		Numbers: lists.Map(groups, func(texts []string) float64 { return float64(len(texts)) })}}
}

// settle merges texts that mean the same setting in a column of numbers. These are equal numbers, such as 12.1 and
// 12.10, and numbers that differ only by rounding, such as 0.3 and 0.30000000000000004. It notes which texts it merged.
func (c *column) settle(t *table) {
	order := indices.All(len(c.values))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.values[a], c.values[b]) })
	same := sameNumbers(indices.Of(c.values, order))
	of := make([]int, len(order)) // for each code, the first code of the same setting
	var equal, rounded [][]string
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && same[to] {
			to++
		}
		group := slices.Sorted(slices.Values(order[from:to]))
		for _, code := range group {
			of[code] = group[0]
		}
		if from = to; len(group) == 1 {
			continue
		}
		texts := lists.Map(group, func(code int) string { return c.first[code].text })
		if short := lists.Where(texts, func(text string) bool { return significant(t.decimal(text)) <= exactDigits }); len(short) > 1 {
			equal = append(equal, short)
		} else if t.of(c.name).numbers == nil { // columns of text get no note, because users see that the texts differ
			rounded = append(rounded, texts)
		}
	}
	if len(c.values) == len(slices.Compact(slices.Sorted(slices.Values(of)))) {
		return
	}
	code := make([]int32, len(of))
	out := &column{}
	for k, first := range of {
		if k == first {
			code[k] = int32(len(out.first))
			out.first, out.shown = append(out.first, c.first[k]), append(out.shown, c.shown[k])
			out.values = append(out.values, c.values[k])
		}
		code[k] = code[first]
	}
	for r, k := range c.codes {
		c.codes[r] = code[k]
	}
	for text, k := range c.known {
		c.known[text] = code[k]
	}
	c.first, c.shown, c.values = out.first, out.shown, out.values
	t.said = append(t.said, noteOfTexts(NoteEqual, t.path, c.name, equal)...)
	t.said = append(t.said, noteOfTexts(NoteRounded, t.path, c.name, rounded)...)
}

// sameNumbers reports, for each number of a sorted list, whether it is the same setting as the previous number. They are the same if
// they are equal, agree to exactDigits digits, or one is 0 and the other a rounding error of it.
func sameNumbers(sorted []float64) []bool {
	sizes := lists.Map(sorted, math.Abs)
	slices.Sort(sizes)
	sizes = slices.Compact(slices.DeleteFunc(sizes, func(v float64) bool { return v == 0 }))
	out := make([]bool, len(sorted))
	for k := 1; k < len(sorted); k++ {
		a, b := sorted[k-1], sorted[k]
		most := max(math.Abs(a), math.Abs(b))
		switch digits := max(digitsOf(a), digitsOf(b)); {
		case a == b:
			out[k] = true
		case digits <= exactDigits:
		case a == 0 || b == 0:
			out[k] = len(sizes) > 1 && most == sizes[0] && most < 1e-12*sizes[1]
		default:
			out[k] = b-a <= math.Pow10(int(math.Floor(math.Log10(most)))-exactDigits+1)/2
		}
	}
	return out
}

// digitsOf returns the number of digits that distinguish a number from all others.
func digitsOf(v float64) int { return significant(strconv.FormatFloat(v, 'e', -1, 64)) }

// significant counts the digits of a number from the first that is not 0 to the last that is not.
func significant(text string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return len(strings.Trim(strings.Replace(strings.TrimLeft(mantissa, "+-"), ".", "", 1), "0"))
}

// coded gives a column of names the codes of its categories, in the order of their first rows. A
// column that has numbers as well is more likely a mistake, unless the user states that they are names.
func (c *column) coded(t *table) {
	if c.values != nil {
		return
	}
	if !t.of(c.name).names {
		number := slices.IndexFunc(c.first, func(x cell) bool { return t.isValue(x.text) })
		word := slices.IndexFunc(c.first, func(x cell) bool { return !t.isValue(x.text) })
		if number >= 0 && word >= 0 {
			at := fmt.Sprintf("in line %d", c.first[number].line)
			if c.first[number].line == 0 {
				at = "in candidates="
			}
			panic(t.at(c.first[word], "column %q: expected a number as %s, got %q. A feature has numbers in all rows, or text in all. If "+
				"these are names, write text=%[1]q (--text %[1]q)", c.name, at, c.first[word].text))
		}
	}
	for code, x := range c.first {
		c.categories, c.values = append(c.categories, x.text), append(c.values, float64(code))
	}
}

// wideFeatures returns the columns x_ and z_ of a table with one row per arm. A column has numbers, or categories if all its cells are
// text. In a table of one row a text is an error: it is probably a mistake.
func (t *table) wideFeatures() map[string]*column {
	out := map[string]*column{}
	for _, name := range append(t.withPrefix("x_"), t.withPrefix("z_")...) {
		cells := t.of(name)
		text := cells.names || len(t.lines) > 1 && !cells.has(func(text string) bool { return gap(text) || t.isValue(text) })
		c := t.encodeColumn(name, func(r int, x cell) {
			if text && cells.gap(r) {
				panic(t.at(x, "%s", missing(name, x.text)))
			}
			if !text {
				try.Of(t.numberIn(x, name))
			}
		})
		if c.coded(t); c.numbers {
			c.settle(t)
		}
		out[name] = c
	}
	return out
}

// note names the code of each category of a column.
func (c *column) note(t *table) Note {
	n := Note{Kind: NoteCategories, Path: t.path, Names: append([]string{c.name}, c.categories...)}
	if !t.of(c.name).names && slices.ContainsFunc(c.first, func(x cell) bool { return identifier(x.text) }) {
		n.Kind = NoteIdentifiers
	}
	return n
}

// valuesAt returns the values of the given columns in row r.
func valuesAt(columns []*column, r int) []float64 {
	return lists.Map(columns, func(c *column) float64 { return c.value(r) })
}

// nameOf returns the name of a task or arm: the text of its only column, or "temp=150, speed=2" for several; onlyTask if there are no
// columns. shown has the texts of the columns.
func nameOf(columns []*column, shown []string) string {
	if len(columns) == 0 {
		return onlyTask
	}
	parts := make([]string, len(columns))
	for k, c := range columns {
		text := shown[k]
		switch {
		case c.numbers:
		case len(columns) == 1:
			return text
		case strings.Contains(text, "="): // with "=" in a value, two combinations could get the same name
			text = strconv.Quote(text)
		}
		parts[k] = c.name + "=" + text
	}
	return strings.Join(parts, ", ")
}

// named gives each row a name, made of the texts in the given columns. of is the number of each row's name. names lists
// the names in the order of their first rows. plain lists the names with plain numbers; nil if they equal names.
func named(columns []*column, rows int) (of []int32, names, plain []string) {
	of = make([]int32, rows)
	for k, c := range columns {
		if k == 0 {
			copy(of, c.codes)
		} else {
			of = paired(of, c.codes)
		}
	}
	for r, k := range of {
		if int(k) == len(names) {
			names = append(names, nameOf(columns, lists.Map(columns, func(c *column) string { return c.shown[c.codes[r]] })))
			plain = append(plain, nameOf(columns, lists.Map(columns, func(c *column) string { return c.plain(c.codes[r]) })))
		}
	}
	if slices.Equal(names, plain) {
		plain = nil
	}
	return of, names, plain
}

// textAt returns the text of a row.
func (c *column) textAt(r int) string { return c.shown[c.codes[r]] }

// plain returns the text of a code. Numbers are written as by plainNumber.
func (c *column) plain(code int32) string {
	if c.numbers {
		return plainNumber(c.values[code])
	}
	return c.shown[code]
}

// paired numbers the pairs (a[r], b[r]) of all rows in the order of their first rows. It returns the number of each
// row's pair.
func paired(a, b []int32) []int32 {
	out, known := make([]int32, len(a)), map[uint64]int32{}
	for r := range out {
		out[r] = numberOf(known, uint64(a[r])<<32|uint64(b[r]))
	}
	return out
}

// plainNumber writes a number without an exponent unless the text would be long.
func plainNumber(v float64) string {
	if a := math.Abs(v); a == 0 || a >= 1e-4 && a < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// mostListed is the largest number of words that a sentence lists.
const mostListed = 12

// listed joins words with commas. A long list is cut after mostListed words.
func listed(words []string) string { return listedOf(words, len(words)) }

// listedOf joins the first words of a list of length all, as listed does.
func listedOf(words []string, all int) string {
	words = words[:min(len(words), mostListed)]
	text := strings.Join(words, ", ")
	if more := all - len(words); more > 0 {
		return fmt.Sprintf("%s and %d more", text, more)
	}
	return text
}

// Frame is a table that a program has in memory, as columns or as CSV text.
type Frame struct {
	Rows    int
	Columns []FrameColumn
	Hash    string // hash of the columns, in hexadecimal digits

	Text []byte // table as CSV text; nil if the table is in Columns
}

// FrameColumn is a column of a Frame. It contains numbers, or indices into Labels, one per row. NaN and a negative index
// mean an empty cell.
type FrameColumn struct {
	Name    string
	Numbers []float64
	Whole   bool // all numbers are whole, and are written without a decimal point
	Codes   []int32
	Labels  []string
	// whether Labels are names: none is read as a number, only a negative index is an empty cell, and an empty label has
	// the name ""
	Text bool
}

// emptyName is shown for a name that is an empty text.
const emptyName = `""`

// CSV returns the frame as CSV. If some columns have names instead of numbers, the first line lists them.
func (f *Frame) CSV() []byte {
	if f.Columns == nil {
		return f.Text
	}
	var b []byte
	if names := lists.Where(f.Columns, func(c FrameColumn) bool { return c.Text }); len(names) > 0 {
		b = append(b, NamesMark...)
		for _, c := range names {
			b = appendCell(b, c.Name, 1)
		}
		b = append(b, '\n')
	}
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
		if len(b) == from { // a line with one empty cell needs quotes, because readers skip empty lines
			b = append(b, '"', '"')
		}
	}
	return append(b, '\n')
}

// appendCell writes cell k of a row, in quotes if it contains a separator, a quote or a line break.
func appendCell(b []byte, text string, k int) []byte {
	if k > 0 {
		b = append(b, ',')
	}
	if strings.ContainsAny(text, ",;\"\t\r\n") {
		text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return append(b, text...)
}

// cells returns the cells of all columns. Line breaks, and blanks around a text, are removed. If a name then equals
// another name, it is shown in quotes.
func (f *Frame) cells() []*cells {
	all := make([]*cells, len(f.Columns))
	for k, c := range f.Columns {
		labels := lists.Map(c.Labels, trimmed)
		for i, label := range c.Labels {
			own := strings.TrimSpace(label)
			if c.Text && (own == "" || own == emptyName || own != labels[i] && slices.Contains(c.Labels, labels[i])) {
				labels[i] = strconv.Quote(own)
			}
		}
		all[k] = &cells{numbers: c.Numbers, whole: c.Whole, codes: c.Codes, labels: labels, names: c.Text}
	}
	return all
}

// table returns the frame as a table. Its line numbers are the line numbers of the frame written as CSV.
func (f *Frame) table(path string) *table {
	t := &table{path: path, hash: f.Hash, separator: ',', column: map[string]int{}, cells: f.cells()}
	t.setHeader(lists.Map(f.Columns, func(c FrameColumn) cell { return cell{trimmed(c.Name), 1, 0} }))
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
	t.leaveOutMarks(t.header)
	return t
}
