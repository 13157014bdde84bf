package problem

import (
	"math"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

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
		places: indices.Of(c.places, rows), numbers: indices.Of(c.numbers, rows), whole: c.whole, codes: indices.Of(c.codes, rows), labels: c.labels,
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
		known := map[string]int32{}
		for r := range codes {
			text := c.text(r)
			k, there := known[text]
			if !there {
				if k, err = code(r); err != nil {
					return nil, err
				}
				known[text] = k
			}
			codes[r] = k
		}
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
		known := map[uint64]int32{}
		for r, x := range c.numbers {
			bits := math.Float64bits(x)
			k, there := known[bits]
			if !there {
				if k, err = code(r); err != nil {
					return nil, err
				}
				known[bits] = k
			}
			codes[r] = k
		}
	}
	return codes, nil
}
