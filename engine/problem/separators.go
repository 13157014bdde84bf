package problem

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
)

// separatorMark begins a first line that names the separator, as Excel writes and reads it: "sep=;".
const separatorMark = "sep="

// separatorOf returns what separates the columns of a table: what its first line names, or the one of
// tab, semicolon and comma which is most frequent in its header, outside of quotes; a comma in doubt.
func separatorOf(data []byte) rune {
	line, _, _ := bytes.Cut(bytes.TrimLeft(data, "\r\n"), []byte("\n"))
	if mark, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r"), []byte(separatorMark)); ok && len(mark) == 1 &&
		bytes.ContainsAny(mark, ",;\t") {
		return rune(mark[0])
	}
	var commas, semicolons, tabs int
	quoted := false
	for _, b := range line {
		switch {
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == ',':
			commas++
		case b == ';':
			semicolons++
		case b == '\t':
			tabs++
		}
	}
	switch {
	case tabs > max(commas, semicolons):
		return '\t'
	case semicolons > commas:
		return ';'
	}
	return ','
}

// Header returns the names of the columns in the first line of a table, as far as they can be read;
// head is the beginning of the file.
func Header(head []byte) []string {
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	return split(head, separatorOf(head))
}

// split returns the cells of the first line of a table, after one that names the separator; nil
// where it cannot be read.
func split(head []byte, separator rune) []string {
	r := csv.NewReader(bytes.NewReader(head))
	r.Comma, r.FieldsPerRecord = separator, -1
	names, err := r.Read()
	if err == nil && len(names) <= 2 && strings.HasPrefix(names[0], separatorMark) {
		names, err = r.Read()
	}
	if err != nil {
		return nil
	}
	for k, name := range names {
		names[k] = strings.TrimSpace(name)
	}
	return names
}

// gap reports whether a cell says that there is no value.
func gap(text string) bool {
	if len(text) > len("null") {
		return false
	}
	switch strings.ToLower(text) {
	case "", "na", "n/a", "#n/a", "nan", "null":
		return true
	}
	return false
}

// decimalComma reports whether a text is a number once its comma is a point.
func decimalComma(text string) bool {
	_, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return err == nil
}

// decimal returns a number as Go writes it, with a decimal point.
func (t *table) decimal(text string) string {
	if t.separator == ',' || strings.Count(text, ",") != 1 || strings.Contains(text, ".") {
		return text
	}
	return strings.Replace(text, ",", ".", 1)
}

// isNumber reports whether a text is a number in this table; one that is too large is, too.
func (t *table) isNumber(text string) bool {
	_, err := strconv.ParseFloat(t.decimal(text), 64)
	return err == nil || strings.Contains(err.Error(), strconv.ErrRange.Error())
}

// sameDecimals notes how a number is written, and reports one with a decimal comma in a table that has
// numbers with decimal points: one of the two may separate thousands.
func (t *table) sameDecimals(c cell) error {
	if t.separator == ',' {
		return nil
	}
	t.plain = t.plain || strings.Contains(c.text, ".") && !thousands.MatchString(c.text)
	switch {
	case strings.Contains(c.text, ",") && t.comma == nil:
		t.comma = &cell{c.text, c.line, c.column}
	case strings.Contains(c.text, ".") && t.point == nil:
		t.point = &cell{c.text, c.line, c.column}
	default:
		return nil
	}
	if t.comma != nil && t.point != nil {
		return t.at(c, "%q is a number with a decimal comma in line %d and %q one with a decimal point in line %d; write all numbers alike",
			t.comma.text, t.comma.line, t.point.text, t.point.line).Err
	}
	return nil
}

// separators names the separators that are worth a note.
var separators = map[string]string{";": "semicolons", "\t": "tabs"}

// notes say how the table was read, where it is not plain CSV.
func (t *table) notes() (notes []Note) {
	notes = slices.Clone(t.said)
	note := func(kind NoteKind, name string, numbers ...float64) {
		n := Note{Kind: kind, Path: t.path, Numbers: numbers}
		if name != "" {
			n.Names = []string{name}
		}
		notes = append(notes, n)
	}
	switch {
	case t.preamble == 1:
		note(NoteLineSkipped, "")
	case t.preamble > 1:
		note(NoteLinesSkipped, "", float64(t.preamble))
	}
	switch separator := string(t.separator); {
	case separators[separator] == "":
	case t.comma != nil:
		note(NoteDecimalCommas, separator)
	default:
		if t.separator == ';' && t.point != nil && !t.plain {
			note(NoteThousands, t.point.text, float64(t.point.line))
		}
		note(NoteSeparator, separator)
	}
	return notes
}

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
