package problem

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// layout has facts on the shape of a file's rows, until all rows are read. R and pandas write row names in a first column
// that has no name, or no cell in the header. Spreadsheets omit empty cells or add some.
type layout struct {
	header []cell
	longer *cell       // the first cell to the right of the header
	equal  bool        // whether some row does not have one cell more than the header
	short  []shortened // rows with fewer cells than the header
}

// shortened is a row that has fewer cells than the header.
type shortened struct {
	first cell
	cells int
}

// add appends a row. The first row is the header. If a row has one cell more than the header, finish decides later what
// this cell is.
func (t *table) add(row []cell) {
	full, h := withoutEmptyEnd(row), &t.layout
	switch {
	case h.header == nil && separatorLine(row):
		return
	case h.header == nil:
		t.make(perColumn * len(row))
		h.header = slices.Clone(row)
		for range len(row) + 1 {
			t.cells = append(t.cells, &cells{})
		}
		return
	case len(full) == 0:
		return
	case len(full) > len(t.cells):
		panic(t.raggedRow(row[0], len(full)))
	case len(full) == len(t.cells) && h.longer == nil:
		c := row[0]
		h.longer = &c
	}
	h.equal = h.equal || len(row) != len(t.cells)
	if len(row) < len(withoutEmptyEnd(h.header)) {
		h.short = append(h.short, shortened{row[0], len(row)})
	}
	t.lines = append(t.lines, int32(row[0].line))
	text := 0
	for _, x := range row {
		text += len(x.text)
	}
	t.make(text + perCell*len(t.cells))
	for k, c := range t.cells {
		x := cell{}
		if k < len(row) {
			x = row[k]
		}
		c.add(x.text)
		c.places = append(c.places, int32(x.column))
	}
}

// raggedRow returns the failure of a row that has more or fewer values than the header.
func (t *table) raggedRow(first cell, values int) any {
	columns := len(withoutEmptyEnd(t.layout.header))
	message := fmt.Sprintf("this line has %d values, but the header has %d", values, columns)
	switch {
	case values > columns && columns > 1:
		message += ". Put a text that contains the separator in quotes"
	case values < columns:
		message += ". Add the missing values, or leave their cells empty"
	default:
		message += ". Lines above the header are skipped only if the header has the named columns. Otherwise delete them"
	}
	return t.at(first, "%s", message)
}

// finish names the columns after all rows are read.
func (t *table) finish() {
	h := &t.layout
	if h.header == nil {
		return
	}
	last := len(t.cells) - 1
	switch {
	case h.longer == nil:
		t.cells = t.cells[:last]
	case h.equal || len(h.header) < 2 || h.header[last-1].text == "" || t.cells[0].repeats():
		panic(t.raggedRow(*h.longer, len(t.cells)))
	default: // the first cells are names of rows
		h.header = append([]cell{{"", h.header[0].line, 0}}, h.header...)
		t.said = append(t.said, Note{Kind: NoteRowNames, Path: t.path})
	}
	for n := len(t.cells); n > 0 && h.header[n-1].text == "" && !t.cells[n-1].has(func(text string) bool { return text != "" }); n-- {
		t.cells, h.header = t.cells[:n-1], h.header[:n-1]
	}
	if given := indices.Where(len(h.header), func(k int) bool { return h.header[k].text != "" }); len(given) > 1 &&
		!slices.ContainsFunc(given, func(k int) bool { return !t.isNumber(h.header[k].text) }) && !h.counted(given) {
		panic(t.at(h.header[0], "this line must have the names of the columns, but it has only numbers. Write a line with names above it"))
	}
	t.joinHeader(h.header)
	t.setHeader(h.header)
	for _, name := range t.names { // some columns may have no name, or the same name
		if name = oneLine(name); t.find(name) {
			t.of(name).names = true
		}
	}
	t.leaveOutMarks(lists.Map(h.header, func(c cell) string { return c.text }))
}

// joinHeader joins repeated names with the second line of the header. pandas writes columns of two levels this way, for
// example yield_mean and yield_std. A third line may contain only the names of the first columns.
func (t *table) joinHeader(header []cell) {
	if len(t.lines) < 3 || !repeated(lists.Map(header, func(c cell) string { return c.text })) {
		return
	}
	indexes := 0 // columns that get their names from the third line
	for indexes < len(header) && t.cells[indexes].text(1) != "" {
		indexes++
	}
	if slices.ContainsFunc(t.cells[indexes:], func(c *cells) bool { return c.text(1) != "" }) || indexes == len(header) {
		indexes = 0
	}
	if indexes == 0 && !t.units() {
		return
	}
	names := lists.Make(len(header), func(k int) string {
		if k < indexes {
			return t.cells[k].text(1)
		}
		return strings.Trim(header[k].text+"_"+t.cells[k].text(0), "_")
	})
	if repeated(names) {
		return
	}
	for k, name := range names {
		header[k].text = name
	}
	t.said = append(t.said, Note{Kind: NoteHeaderLines, Path: t.path, Names: []string{names[len(names)-1]}})
	t.only(indices.All(len(t.lines))[1+min(indexes, 1):])
}

// repeated reports whether two of the names are equal.
func repeated(names []string) bool {
	return slices.ContainsFunc(indices.All(len(names)), func(k int) bool { return names[k] != "" && slices.Contains(names[:k], names[k]) })
}

// counted reports whether the columns with a name are named 0, 1, 2 and so on. pandas gives columns these names.
func (h *layout) counted(given []int) bool {
	for at, k := range given {
		if h.header[k].text != strconv.Itoa(at) {
			return false
		}
	}
	return true
}

// repeats reports whether two rows have the same text.
func (c *cells) repeats() bool {
	seen := make(map[string]bool, c.rows())
	return c.has(func(text string) bool {
		before := seen[text]
		seen[text] = true
		return before
	})
}

// setHeader names the columns as pandas does: empty names become "Unnamed: 3", repeated names "x.1".
func (t *table) setHeader(row []cell) {
	t.unnamed, t.twice = map[string]bool{}, map[string]string{}
	given, next := map[string]bool{}, map[string]int{} // next is the first number that may be free for a name
	for k := range row {
		row[k].text = oneLine(row[k].text)
		given[row[k].text] = true
	}
	for k, c := range row {
		base := c.text
		if base == "" {
			base = fmt.Sprintf("Unnamed: %d", k)
		}
		name := base
		for t.hasColumn(name) || name != c.text && given[name] {
			next[base]++
			name = fmt.Sprintf("%s.%d", base, next[base])
		}
		if name != base && c.text != "" && t.twice[base] == "" {
			t.twice[base] = name
		}
		t.unnamed[name] = c.text == ""
		t.column[name] = k
		t.header = append(t.header, name)
	}
}

// givenColumns lists the columns that have a name in the file.
func (t *table) givenColumns() []string {
	return lists.Where(t.header, func(name string) bool { return !t.unnamed[name] })
}

// checkLengths returns an error for the first row that ends before one of these columns.
func (t *table) checkLengths(columns ...string) {
	for _, row := range t.layout.short {
		if slices.ContainsFunc(columns, func(name string) bool { k, there := t.column[name]; return there && k >= row.cells }) {
			panic(t.raggedRow(row.first, row.cells))
		}
	}
}

// replaced represents bytes that are not UTF-8.
const replaced = "\ufffd"

// trimmed returns the text of a cell in one line, without blanks around it. Alt+Enter in a spreadsheet makes several lines
// in a cell.
func trimmed(text string) string {
	if strings.ContainsAny(text, "\t\r\n") {
		text = oneLine(text)
	}
	return strings.TrimSpace(text)
}

// oneLine returns a text with line breaks and tabs as blanks, without other control characters, and in UTF-8.
func oneLine(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl) {
		return text
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, replaced), "\r\n", " ")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) && unicode.IsControl(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text))
}
