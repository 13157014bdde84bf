package problem

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// column is a column of a table: the texts of its cells, and their values where it has any.
type column struct {
	name       string
	cells      []cell
	values     []float64 // of numbers, or the codes of categories; nil for a column that only names things
	numbers    bool      // every cell is a number
	categories []string  // in the order of their codes, from 0
}

// readColumn reads a column that must not have gaps. It is one of numbers if all of its cells are.
func (t *table) readColumn(name string) (*column, error) {
	c := &column{name: name, numbers: true}
	alike := &spellings{t.path, map[string]cell{}}
	for _, row := range t.rows {
		x := row[t.column[name]]
		if gap(x.text) {
			return nil, t.at(x, "column %q has no value here; every row needs its task, its arm and their features: fill the cell in, or delete the row", name)
		}
		if err := t.checkText(x); err != nil {
			return nil, err
		}
		if err := alike.checkName(t, x); err != nil {
			return nil, err
		}
		c.cells = append(c.cells, x)
		c.numbers = c.numbers && t.isNumber(x.text)
	}
	if !c.numbers {
		return c, nil
	}
	for _, row := range t.rows {
		v, err := t.number(row, name)
		if err != nil {
			return nil, err
		}
		c.values = append(c.values, v+0) // -0 is 0
	}
	return c, nil
}

// coded gives a column of text the codes of its categories, in the order of their first rows. A
// column that has numbers as well is more likely a mistake.
func (c *column) coded(t *table) error {
	if c.values != nil {
		return nil
	}
	number := slices.IndexFunc(c.cells, func(x cell) bool { return t.isNumber(x.text) })
	word := slices.IndexFunc(c.cells, func(x cell) bool { return !t.isNumber(x.text) })
	if number >= 0 {
		return t.at(c.cells[word], "column %q: expected a number as in line %d, got %q; a feature has numbers in all rows, or text in all", c.name, c.cells[number].line, c.cells[word].text)
	}
	codes := map[string]int{}
	for _, x := range c.cells {
		code, known := codes[x.text]
		if !known {
			code = len(codes)
			codes[x.text] = code
			c.categories = append(c.categories, x.text)
		}
		c.values = append(c.values, float64(code))
	}
	return nil
}

// textFeatures returns the columns x_ and z_ that have text in all rows, with the codes of their
// categories. A table of one row has none: a text there is more likely a mistake.
func (t *table) textFeatures() (map[string]*column, error) {
	out := map[string]*column{}
	if len(t.rows) < 2 {
		return out, nil
	}
	for _, name := range append(t.withPrefix("x_"), t.withPrefix("z_")...) {
		if slices.ContainsFunc(t.rows, func(row []cell) bool {
			text := row[t.column[name]].text
			return gap(text) || t.isNumber(text)
		}) {
			continue
		}
		c, err := t.readColumn(name)
		if err == nil {
			err = c.coded(t)
		}
		if err != nil {
			return nil, err
		}
		out[name] = c
	}
	return out, nil
}

// note says what the codes of the categories of a column are.
func (c *column) note(path string) Note {
	return Note{Kind: NoteCategories, Path: path, Names: append([]string{c.name}, c.categories...)}
}

// valuesAt returns the values of some columns in a row.
func valuesAt(read map[string]*column, names []string, r int) []float64 {
	out := make([]float64, len(names))
	for k, name := range names {
		out[k] = read[name].values[r]
	}
	return out
}

// nameOf returns the name of a task or arm: the text of its only column, or as in "temp=150,
// speed=2".
func nameOf(read map[string]*column, names []string, r int) string {
	parts := make([]string, len(names))
	for k, name := range names {
		c := read[name]
		text := c.cells[r].text
		if c.numbers {
			text = plainNumber(c.values[r])
		} else if len(names) == 1 {
			return text
		} else if strings.Contains(text, "=") { // or two combinations could have one name
			text = strconv.Quote(text)
		}
		parts[k] = name + "=" + text
	}
	return strings.Join(parts, ", ")
}

// naming names rows by some columns. What the same cells say is written once.
type naming struct {
	read  map[string]*column
	names []string
	known map[string]string // by the cells
	cells []byte
}

func newNaming(read map[string]*column, names []string) *naming {
	return &naming{read: read, names: names, known: map[string]string{}}
}

// of returns the name of a row, as nameOf does.
func (n *naming) of(r int) string {
	n.cells = n.cells[:0]
	for _, name := range n.names {
		n.cells = append(append(n.cells, n.read[name].cells[r].text...), 0)
	}
	name, known := n.known[string(n.cells)]
	if !known {
		name = nameOf(n.read, n.names, r)
		n.known[string(n.cells)] = name
	}
	return name
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
