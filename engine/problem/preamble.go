package problem

import (
	"bytes"
	"slices"
	"strings"
)

// mostPreamble is how many lines a header is looked for in.
const mostPreamble = 200

// skipPreamble returns a table from its header on, and how many lines stand above that. The header
// is the first line; where that lacks a column that the table must have, it is the first line with
// all of them, if there is one.
func skipPreamble(data []byte, wanted []string) (table []byte, lines int) {
	if len(wanted) == 0 {
		return data, 0
	}
	rest := data
	for n := 0; n < mostPreamble && len(rest) > 0; n++ {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		header := Header(line)
		has := func(name string) bool {
			return slices.ContainsFunc(header, func(column string) bool { return strings.EqualFold(column, name) })
		}
		if !slices.ContainsFunc(wanted, func(name string) bool { return !has(name) }) {
			if n == 1 && bytes.HasPrefix(data, []byte(separatorMark)) {
				return data, 0 // no preamble: it names the separator
			}
			return rest, n
		}
		rest = after
	}
	return data, 0
}

// Columns returns the names in what is most likely the header of a table that may have lines above
// it: the first of the lines with the most columns among those without numbers before a line of as
// many. head is the beginning of the file.
func Columns(head []byte) []string {
	best, rest := Header(head), head
	for n := 0; n < mostPreamble && len(rest) > 0; n++ {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		header := Header(line)
		if len(header) > len(best) && len(split(after, separatorOf(line))) == len(header) &&
			!slices.ContainsFunc(header, func(name string) bool { return gap(name) || decimalComma(name) }) {
			best = header
		}
		rest = after
	}
	return best
}

// preambleNotes say which lines were left out above the header.
func preambleNotes(t *table) []Note {
	switch t.preamble {
	case 0:
		return nil
	case 1:
		return []Note{{Kind: NoteLineSkipped, Path: t.path}}
	}
	return []Note{{Kind: NoteLinesSkipped, Path: t.path, Numbers: []float64{float64(t.preamble)}}}
}
