package problem

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Compiler makes a function of the values of a row of an expression, and says which columns that reads. A value is a
// float64 where all cells of its column are numbers or empty, else a string; nil where the cell is empty.
type Compiler func(expression string, columns []string, numbers []bool) (evaluate func(row []any) (any, error), reads []string, err error)

// Row is a row of a long table that has a reward.
type Row struct {
	Arm    int     // whose
	Block  int     // number of the block it was measured in
	Reward float64 // or the mean of Count rewards; its sign as Problem.Mean
	Count  float64
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
			return &DataError{Path: t.path, Line: 1, Message: fmt.Sprintf("where=%q: %v", opt.Where, err)}
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
				return t.at(t.cell(r, 0), "where=%q gives %v, which is neither true nor false; write a comparison, as in site == 'Gent'", opt.Where, got)
			}
			if is {
				kept = append(kept, r)
			}
		}
		if len(kept) == 0 {
			return &DataError{Path: t.path, Message: fmt.Sprintf("where=%q holds for none of the %d rows", opt.Where, len(t.lines))}
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
