package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A Compiler converts an expression to a function of a row's values, and lists the columns that the function reads. A value is a float64
// if all cells of its column are numbers or empty, otherwise a string. The value of an empty cell is nil.
type Compiler func(expression string, columns []string, numbers []bool) (evaluate func(row []any) (any, error), reads []string, err error)

// Row is one measurement of a long table: a row with a reward.
type Row struct {
	Arm    int     // index of the arm
	Block  int     // number of the block, from 1; 0 without blocks
	Levels int     // index in Problem.Levels; 0 without random columns
	Reward float64 // the measured reward, or the mean of Count rewards; it has the same sign as Problem.Mean
	Count  float64
	Line   int // line of the table; 0 if the measurement is not from a table
	// -1 if the true reward is at most Reward ("<0.05"), +1 if it is at least Reward (">9"), 0 if it equals Reward.
	// GoalMin changes this sign together with the sign of Reward.
	Censored int8
}

// positive fails if the column contains a value that is not positive, since such a value has no logarithm.
func (c *column) positive(t *table) {
	if c == nil || !c.numbers {
		panic(t.at(cell{}, "log names a column of numbers among the columns of arm"))
	}
	for code, v := range c.values {
		if !(v > 0) {
			panic(t.at(c.first[code], "column %q: its logarithm needs numbers above 0, got %g", c.name, v))
		}
	}
}

// compute removes the rows that the condition Where excludes. It then adds the columns that expressions define, such as
// log10(lr).
func compute(t *table, opt LoadOptions) {
	if opt.Compile == nil {
		return
	}
	l := opt.Long
	var names []string
	for _, name := range slices.Concat(l.Task, l.Arm, l.measured(), l.Blocks, l.Random, l.TaskFeatures, l.ArmFeatures, l.Log) {
		if !t.find(name) && strings.ContainsAny(name, "(*/+-") {
			names = lists.Add(names, name)
		}
	}
	if opt.Where == "" && opt.Failed == "" && len(names) == 0 {
		return
	}
	columns := slices.Clone(t.header)
	numbers := lists.Make(len(t.cells), t.scale)
	values := func(r int) []any {
		return lists.Make(len(columns), func(k int) any { return t.value(r, k, numbers[k]) })
	}
	// holding lists the rows for which a condition is true
	holding := func(param, condition string) []bool {
		holds, reads, err := opt.Compile(condition, columns, numbers)
		if err != nil {
			panic(try.Failure{Err: &DataError{Path: t.path, Line: 1, Message: fmt.Sprintf("%s=%q: %v", param, condition, err), Unknown: condition}})
		}
		t.read = append(t.read, reads...)
		return lists.Make(len(t.lines), func(r int) bool {
			got, err := holds(values(r))
			if err != nil {
				panic(t.at(t.cell(r, 0), "%s=%q: %v", param, condition, err))
			}
			is, truth := got.(bool)
			if !truth {
				panic(t.at(t.cell(r, 0), "%s=%q gives %v, which is neither true nor false. Write a comparison, such as site == 'Gent'",
					param, condition, got))
			}
			return is
		})
	}
	if opt.Where != "" {
		holds := holding("where", opt.Where)
		selected := indices.Where(len(holds), func(r int) bool { return holds[r] })
		if len(selected) == 0 {
			panic(try.Failure{Err: &DataError{Path: t.path, Message: fmt.Sprintf("where=%q holds for none of the %d rows. Compare "+
				"the spelling with the cells of the column", opt.Where, len(t.lines)),
				Unknown: opt.Where}})
		}
		t.noteLost(lists.Where(l.Arm, t.hasColumn), selected)
		t.only(selected)
	}
	if opt.Failed != "" {
		t.failed = holding("failed", opt.Failed)
	}
	for _, name := range names {
		of, reads, err := opt.Compile(name, columns, numbers)
		if err != nil {
			panic(t.noColumn(name)) // the name is more likely misspelled than an expression
		}
		t.read = append(t.read, reads...)
		c := &cells{places: t.cells[0].places, names: true}
		for r := range t.lines {
			got, err := of(values(r))
			if err != nil {
				panic(t.at(t.cell(r, 0), "%s: %v", name, err))
			}
			if _, text := got.(string); !text && got != nil {
				c.names = false
			}
			text := computedText(t, name, r, got)
			t.make(len(text) + perCell)
			c.add(text)
		}
		if t.computed == nil {
			t.computed = map[string]bool{}
		}
		t.cells = append(t.cells, c)
		t.computed[name], t.column[name] = true, len(t.header)
		t.header = append(t.header, name)
	}
}

// noteLost adds a note on options, named by these columns, that have rows in the table, although none of these rows was
// selected.
func (t *table) noteLost(columns []string, selected []int) {
	if len(columns) == 0 {
		return
	}
	option := func(r int) string {
		return strings.Join(lists.Map(columns, func(name string) string { return t.textOf(r, name) }), ", ")
	}
	left, lost := map[string]bool{}, map[string]bool{}
	for _, r := range selected {
		left[option(r)] = true
	}
	var names []string
	for r := range t.lines {
		if name := option(r); !left[name] && !lost[name] {
			lost[name], names = true, append(names, name)
		}
	}
	if len(names) > 0 {
		t.said = append(t.said, Note{Kind: NoteNoOption, Path: t.path, Names: names[:min(len(names), mostListed)],
			Numbers: []float64{float64(len(names)), float64(len(names) + len(left))}})
	}
}

// value returns a cell as an expression reads it; nil if the cell is empty.
func (t *table) value(r, column int, number bool) any {
	switch c := t.cells[column]; {
	case c.gap(r):
		return nil
	case number:
		v, err := t.tried(r, t.header[column])
		if err != nil { // the number is infinite or too large
			v, _ = strconv.ParseFloat(t.decimal(c.text(r)), 64)
		}
		return v
	default:
		return c.text(r)
	}
}

// computedText returns the value of an expression in a row, written like a cell of the table.
func computedText(t *table, name string, r int, value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int:
		return writtenNumber(t, float64(v))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(t.at(t.cell(r, 0), "%s is not a finite number here", name))
		}
		return writtenNumber(t, v)
	}
	panic(t.at(t.cell(r, 0), "%s gives %v, which is neither a number nor a text", name, value))
}

// writtenNumber writes a number with 12 digits and the decimal mark of the table.
func writtenNumber(t *table, v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	text := plainNumber(v)
	if t.comma != nil {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}

// cells are the cells of a column in one of three forms: a text per row, a number per row, or an index into a list of texts per row.
// No form has a pointer per row.
type cells struct {
	content strings.Builder // texts of all rows, one after another
	ends    []uint32        // where each text ends in content; content has at most MaxData bytes
	places  []int32         // column in the line where each text begins, from 1; nil if unknown
	numbers []float64
	whole   bool    // all numbers are whole and written without a decimal point
	codes   []int32 // for each row, an index into labels
	labels  []string
	names   bool // all cells are names: none is read as a number, and only an empty name is a missing value
}

// add appends a text.
func (c *cells) add(text string) {
	c.content.WriteString(text)
	if c.content.Len() > math.MaxUint32 { // this happens only for computed columns
		panic(try.Failure{Err: errors.New("a column has more than 4 GB of text")})
	}
	c.ends = append(c.ends, uint32(c.content.Len()))
}

// text returns the cell of row r. NaN and a negative index give an empty text.
func (c *cells) text(r int) string {
	switch {
	case c.ends != nil:
		from := uint32(0)
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
	return plainNumber(c.numbers[r] + 0) // adding 0 turns -0 into 0
}

// empty reports whether the cell of row r is empty.
func (c *cells) empty(r int) bool {
	if c.numbers != nil {
		return math.IsNaN(c.numbers[r])
	}
	return c.text(r) == ""
}

// gap reports whether the cell of row r has no value: it is empty, NA or the like.
func (c *cells) gap(r int) bool {
	if c.numbers != nil {
		return math.IsNaN(c.numbers[r])
	}
	if c.names {
		return c.text(r) == ""
	}
	return gap(c.text(r))
}

// has reports whether so is true for the text of some cell.
func (c *cells) has(so func(text string) bool) bool {
	for r := range c.rows() {
		if so(c.text(r)) {
			return true
		}
	}
	return false
}

// rows returns the number of rows.
func (c *cells) rows() int { return max(len(c.ends), len(c.codes), len(c.numbers)) }

// only returns the cells of the given rows.
func (c *cells) only(rows []int) *cells {
	out := &cells{
		places: indices.Of(c.places, rows), numbers: indices.Of(c.numbers, rows), whole: c.whole, codes: indices.Of(c.codes, rows),
		labels: c.labels, names: c.names,
	}
	if c.ends != nil {
		for _, r := range rows {
			out.add(c.text(r))
		}
	}
	return out
}

// encoded gives every row a code; rows with equal texts get the same code. The function code is called with the first
// row of each new text and returns its code.
func (c *cells) encoded(code func(r int) int32) []int32 {
	switch {
	case c.ends != nil:
		return encode(c.rows(), c.text, code)
	case c.numbers != nil:
		return encode(c.rows(), func(r int) uint64 { return math.Float64bits(c.numbers[r]) }, code)
	}
	// index k+1 holds the code, plus 1, of label k; index 0 is for empty cells
	codes, known := make([]int32, len(c.codes)), make([]int32, len(c.labels)+1)
	for r, place := range c.codes {
		k := &known[max(place, -1)+1]
		if *k == 0 {
			*k = code(r) + 1
		}
		codes[r] = *k - 1
	}
	return codes
}

// encode gives every row a code; rows with equal values of same get the same code. The function code is called with the
// first row of each new value.
func encode[T comparable](rows int, same func(r int) T, code func(r int) int32) []int32 {
	codes, known := make([]int32, rows), map[T]int32{}
	for r := range codes {
		key := same(r)
		k, there := known[key]
		if !there {
			k = code(r)
			known[key] = k
		}
		codes[r] = k
	}
	return codes
}
