package problem

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// A Compiler makes a function of the values of a row of an expression, and says which columns that reads. A value is a
// float64 where all cells of its column are numbers or empty, else a string; nil where the cell is empty.
type Compiler func(expression string, columns []string, numbers []bool) (evaluate func(row []any) (any, error), reads []string, err error)

// Row is a row of a long table that has a reward.
type Row struct {
	Arm    int     // whose
	Block  int     // number of the block it was measured in; 0 without blocks
	Reward float64 // or the mean of Count rewards; its sign as Problem.Mean
	Count  float64
	Line   int // of the table; 0 where it is of none
}

// positive reports the first value of a column that has no logarithm.
func (c *column) positive(t *table) error {
	if c == nil || !c.numbers {
		return &DataError{Path: t.path, Message: "log names a column of numbers among the columns of arm"}
	}
	for code, v := range c.values {
		if !(v > 0) {
			return t.at(c.first[code], "column %q: its logarithm needs numbers above 0, got %g", c.name, v)
		}
	}
	return nil
}

// compute leaves out the rows that the condition does not hold for, and adds the columns that are named by an
// expression, such as log10(lr).
func compute(t *table, opt LoadOptions) error {
	if opt.Compile == nil {
		return nil
	}
	l := opt.Long
	var names []string
	for _, name := range slices.Concat(l.Task, l.Arm, l.measured(), l.Blocks, l.TaskFeatures, l.ArmFeatures, l.Log) {
		if findColumn(t, name) != nil && strings.ContainsAny(name, "(*/+-") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if opt.Where == "" && len(names) == 0 {
		return nil
	}
	numbers := make([]bool, len(t.header))
	for k := range numbers {
		numbers[k] = t.cells[k].numbers != nil || !t.cells[k].has(func(text string) bool { return !gap(text) && !t.isNumber(text) })
	}
	values := func(r int) ([]any, error) {
		out := make([]any, len(numbers))
		for k, c := range t.cells[:len(numbers)] {
			switch {
			case c.gap(r):
			case numbers[k]:
				v, err := t.number(r, t.header[k])
				if err != nil {
					return nil, err
				}
				out[k] = v
			default:
				out[k] = c.text(r)
			}
		}
		return out, nil
	}
	columns := slices.Clone(t.header)
	if opt.Where != "" {
		holds, reads, err := opt.Compile(opt.Where, columns, numbers)
		if err != nil {
			return &DataError{Path: t.path, Line: 1, Message: fmt.Sprintf("where=%q: %v", opt.Where, err), Unknown: opt.Where}
		}
		t.read = append(t.read, reads...)
		var kept []int
		for r := range t.lines {
			v, err := values(r)
			if err != nil {
				return err
			}
			got, err := holds(v)
			if err != nil {
				return t.at(t.cell(r, 0), "where=%q: %v", opt.Where, err)
			}
			is, truth := got.(bool)
			if !truth {
				return t.at(t.cell(r, 0), "where=%q gives %v, which is neither true nor false; write a comparison, as in site == 'Gent'",
					opt.Where, got)
			}
			if is {
				kept = append(kept, r)
			}
		}
		if len(kept) == 0 {
			return &DataError{Path: t.path, Message: fmt.Sprintf("where=%q holds for none of the %d rows", opt.Where, len(t.lines)),
				Unknown: opt.Where}
		}
		t.only(kept)
	}
	for _, name := range names {
		of, reads, err := opt.Compile(name, columns, numbers)
		if err != nil {
			return t.noColumn(name) // it is more likely a misspelled name
		}
		t.read = append(t.read, reads...)
		if err := computedColumn(t, name, of, values); err != nil {
			return err
		}
	}
	return nil
}

// computedColumn adds a column.
func computedColumn(t *table, name string, of func([]any) (any, error), values func(r int) ([]any, error)) error {
	if t.computed == nil {
		t.computed = map[string]bool{}
	}
	c := &cells{places: t.cells[0].places}
	for r := range t.lines {
		v, err := values(r)
		if err != nil {
			return err
		}
		got, err := of(v)
		if err != nil {
			return t.at(t.cell(r, 0), "%s: %v", name, err)
		}
		text := ""
		switch got := got.(type) {
		case nil:
		case string:
			text = got
		case bool:
			text = strconv.FormatBool(got)
		case int:
			text = writtenNumber(t, float64(got))
		case float64:
			if math.IsNaN(got) || math.IsInf(got, 0) {
				return t.at(t.cell(r, 0), "%s is no finite number here", name)
			}
			text = writtenNumber(t, got)
		default:
			return t.at(t.cell(r, 0), "%s gives %v, which is no number and no text", name, got)
		}
		c.add(text)
	}
	t.cells = append(t.cells, c)
	t.computed[name], t.column[name] = true, len(t.header)
	t.header = append(t.header, name)
	return nil
}

// writtenNumber returns a number as the table writes numbers.
func writtenNumber(t *table, v float64) string {
	text := strconv.FormatFloat(v, 'g', 12, 64)
	if t.comma != nil {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}

// cells are one column's, in one of three forms: a text for each row, a number for each row, or for
// each row the place of its text in a list. None of them has a pointer for each row.
type cells struct {
	content strings.Builder // texts of all rows, one after another
	ends    []int           // of each text in content
	places  []int32         // where each text begins in its line, from 1; nil where that is not known
	numbers []float64
	whole   bool    // numbers are written in digits alone
	codes   []int32 // places in labels
	labels  []string
}

// add appends a text.
func (c *cells) add(text string) {
	c.content.WriteString(text)
	c.ends = append(c.ends, c.content.Len())
}

// text returns the cell of a row. A number that is NaN, and a place below 0, is an empty cell.
func (c *cells) text(r int) string {
	switch {
	case c.ends != nil:
		from := 0
		if r > 0 {
			from = c.ends[r-1]
		}
		return c.content.String()[from:c.ends[r]]
	case c.codes != nil:
		if c.codes[r] < 0 {
			return ""
		}
		return c.labels[c.codes[r]]
	case math.IsNaN(c.numbers[r]):
		return ""
	case c.whole:
		return strconv.FormatInt(int64(c.numbers[r]), 10)
	}
	return strconv.FormatFloat(c.numbers[r], 'g', -1, 64)
}

// empty reports whether nothing stands in the cell of a row.
func (c *cells) empty(r int) bool {
	if c.numbers != nil {
		return math.IsNaN(c.numbers[r])
	}
	return c.text(r) == ""
}

// gap reports whether the cell of a row says that there is no value.
func (c *cells) gap(r int) bool {
	if c.numbers != nil {
		return math.IsNaN(c.numbers[r])
	}
	return gap(c.text(r))
}

// has reports whether the text of a cell is so.
func (c *cells) has(so func(text string) bool) bool {
	for r := range c.rows() {
		if so(c.text(r)) {
			return true
		}
	}
	return false
}

// rows returns how many there are.
func (c *cells) rows() int { return max(len(c.ends), len(c.codes), len(c.numbers)) }

// only returns the cells of these rows.
func (c *cells) only(rows []int) *cells {
	out := &cells{
		places: indices.Of(c.places, rows), numbers: indices.Of(c.numbers, rows), whole: c.whole, codes: indices.Of(c.codes, rows),
		labels: c.labels,
	}
	if c.ends != nil {
		for _, r := range rows {
			out.add(c.text(r))
		}
	}
	return out
}

// encoded gives every row a code, which is the same for the same text: code returns the code of a text which
// was not met before, by its row.
func (c *cells) encoded(code func(r int) (int32, error)) ([]int32, error) {
	codes := make([]int32, c.rows())
	var err error
	switch {
	case c.ends != nil:
		err = encode(codes, c.text, code)
	case c.codes != nil:
		known := make([]int32, len(c.labels)) // 0 stands for none
		for r, place := range c.codes {
			if place < 0 || known[place] == 0 {
				k, err := code(r)
				if err != nil {
					return nil, err
				}
				known[place] = k + 1
			}
			codes[r] = known[place] - 1
		}
	default:
		err = encode(codes, func(r int) uint64 { return math.Float64bits(c.numbers[r]) }, code)
	}
	return codes, err
}

// encode gives each row the code of the first row that is the same.
func encode[T comparable](codes []int32, same func(r int) T, code func(r int) (int32, error)) error {
	known := map[T]int32{}
	for r := range codes {
		k, there := known[same(r)]
		if !there {
			var err error
			if k, err = code(r); err != nil {
				return err
			}
			known[same(r)] = k
		}
		codes[r] = k
	}
	return nil
}
