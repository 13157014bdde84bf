package problem

import (
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// leaveOut removes the rows for which so is true, and adds a note.
func (t *table) leaveOut(what string, so func(r int) bool) {
	out := indices.Where(len(t.lines), so)
	if len(out) == 0 {
		return
	}
	first, lines := t.lines[out[0]], indices.Of(t.lines, out)
	t.said = append(t.said, Note{Kind: NoteNoData, Path: t.path, Names: []string{what}, Numbers: []float64{float64(len(out)), float64(first)}})
	t.layout.short = slices.DeleteFunc(t.layout.short, func(s shortened) bool { return slices.Contains(lines, int32(s.first.line)) })
	left := indices.Mark(len(t.lines), out)
	t.only(indices.Where(len(t.lines), func(r int) bool { return !left[r] }))
}

// leaveOutMarks removes rows that repeat the header, as joined files have them, rows of dashes, and a row of units below
// the header.
func (t *table) leaveOutMarks(header []string) {
	t.leaveOut("repeat the header", func(r int) bool {
		return t.each(r, func(k int, text string) bool { return text == header[k] })
	})
	t.leaveOut("draw a line", func(r int) bool {
		return t.each(r, func(_ int, text string) bool { return text == "" || len(text) > 1 && strings.Trim(text, "-=_+:") == "" })
	})
	if len(t.lines) > 2 && t.units() {
		t.leaveOut("have units below the header", func(r int) bool { return r == 0 })
	}
}

// each reports whether so is true for all cells of row r. It is false if a cell is a number of a DataFrame.
func (t *table) each(r int, so func(k int, text string) bool) bool {
	for k, c := range t.cells {
		if c.numbers != nil && !c.empty(r) || !so(k, c.text(r)) {
			return false
		}
	}
	return true
}

// units reports whether the first row has units: texts in columns that have numbers in all other rows. If the row also has
// names, these names must not occur in other rows, and the units must be in brackets or differ between two columns.
// Otherwise the row may be an option that failed.
func (t *table) units() bool {
	if !t.each(0, func(_ int, text string) bool { return notMeasured(text) || !t.isNumber(text) }) {
		return false
	}
	var units []string
	named := false
	for _, c := range t.cells {
		text, numbers, texts, again := c.text(0), 0, 0, false
		for r := 1; r < len(t.lines); r++ {
			switch other := c.text(r); {
			case notMeasured(other):
			case t.isNumber(other):
				numbers++
			default:
				texts, again = texts+1, again || other == text
			}
		}
		switch {
		case notMeasured(text):
		case again:
			return false
		case numbers > texts:
			units = lists.Add(units, text)
		default:
			named = true
		}
	}
	bracketed := func(text string) bool { return strings.HasPrefix(text, "[") || strings.HasPrefix(text, "(") }
	return len(units) > 0 && (!named || len(units) > 1 || bracketed(units[0]))
}

// leaveOutNameless removes rows without a measurement if they also lack a value in some column of names. Such rows are a
// legend, or text below the table.
func (t *table) leaveOutNameless(names []string, measured string) {
	if slices.ContainsFunc(append(slices.Clone(names), measured), func(name string) bool { return !t.hasColumn(name) }) {
		return
	}
	value := t.of(measured)
	t.leaveOut("have neither a value nor a name", func(r int) bool {
		return value.empty(r) && slices.ContainsFunc(names, func(name string) bool { return t.of(name).empty(r) })
	})
	if len(t.lines) == 0 {
		panic(t.at(cell{}, noData))
	}
}
