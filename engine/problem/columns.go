package problem

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
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
func (t *table) readColumn(name string) (*column, error) {
	c := &column{name: name, numbers: true, codes: make([]int32, len(t.rows))}
	alike := &spellings{t.path, map[string]cell{}}
	codes := map[string]int32{}
	at := t.column[name]
	for r, row := range t.rows {
		x := row[at]
		code, known := codes[x.text]
		if !known {
			if gap(x.text) {
				return nil, t.at(x, "column %q has no value here; every row needs its task, its arm and their features: "+
					"fill the cell in, or delete the row", name)
			}
			if err := cmp.Or(t.checkText(x), alike.checkName(t, x)); err != nil {
				return nil, err
			}
			code = int32(len(c.first))
			codes[x.text], c.first = code, append(c.first, x)
			c.numbers = c.numbers && t.isNumber(x.text)
		}
		c.codes[r] = code
	}
	if !c.numbers {
		return c, nil
	}
	for _, x := range c.first {
		v, err := t.numberIn(x, name)
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
	number := slices.IndexFunc(c.first, func(x cell) bool { return t.isNumber(x.text) })
	word := slices.IndexFunc(c.first, func(x cell) bool { return !t.isNumber(x.text) })
	if number >= 0 {
		return t.at(c.first[word], "column %q: expected a number as in line %d, got %q; a feature has numbers in all rows, or text in all",
			c.name, c.first[number].line, c.first[word].text)
	}
	for code, x := range c.first {
		c.categories, c.values = append(c.categories, x.text), append(c.values, float64(code))
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
		out[k] = read[name].value(r)
	}
	return out
}

// nameOf returns the name of a task or arm: the text of its only column, or as in "temp=150,
// speed=2".
func nameOf(read map[string]*column, names []string, r int) string {
	parts := make([]string, len(names))
	for k, name := range names {
		c := read[name]
		text := c.text(r)
		if c.numbers {
			text = plainNumber(c.value(r))
		} else if len(names) == 1 {
			return text
		} else if strings.Contains(text, "=") { // or two combinations could have one name
			text = strconv.Quote(text)
		}
		parts[k] = name + "=" + text
	}
	return strings.Join(parts, ", ")
}

// naming names rows by some columns, and numbers the names in the order of their first rows. What the same cells say is
// written once.
type naming struct {
	read   map[string]*column
	names  []string
	folded []map[[2]int32]int32 // for each column: a number for its code and the number of the columns before
	number []int32              // of the name, by the number of the last column
	known  map[string]int32     // numbers of names: cells as different as 1 and 1.0 have one name
	all    []string             // names by their numbers
}

func newNaming(read map[string]*column, names []string) *naming {
	n := &naming{read: read, names: names, known: map[string]int32{}}
	for range names {
		n.folded = append(n.folded, map[[2]int32]int32{})
	}
	return n
}

// of returns the number of the name of a row, which is as nameOf has it, and onlyTask without columns.
func (n *naming) of(r int) int32 {
	at := int32(0)
	for k, name := range n.names {
		pair := [2]int32{at, n.read[name].codes[r]}
		number, known := n.folded[k][pair]
		if !known {
			number = int32(len(n.folded[k]))
			n.folded[k][pair] = number
		}
		at = number
	}
	if int(at) == len(n.number) {
		name := onlyTask
		if len(n.names) > 0 {
			name = nameOf(n.read, n.names, r)
		}
		number, known := n.known[name]
		if !known {
			number = int32(len(n.all))
			n.known[name], n.all = number, append(n.all, name)
		}
		n.number = append(n.number, number)
	}
	return n.number[at]
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
