package problem

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
)

// separatorMark begins a first line that names the separator, as Excel writes and reads it: "sep=;".
const separatorMark = "sep="

// separatorOf returns what separates the columns of a table: what its first line names, or that of
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
		t.comma = &c
	case strings.Contains(c.text, ".") && t.point == nil:
		t.point = &c
	default:
		return nil
	}
	if t.comma != nil && t.point != nil {
		return t.at(c, "%q is a number with a decimal comma in line %d and %q one with a decimal point in line %d; write all numbers alike",
			t.comma.text, t.comma.line, t.point.text, t.point.line)
	}
	return nil
}

// separators names the separators that are worth a note.
var separators = map[string]string{";": "semicolons", "\t": "tabs"}

// notes say how the table was read, where it is not plain CSV.
func (t *table) notes() []Note {
	notes := preambleNotes(t)
	separator := string(t.separator)
	switch {
	case separators[separator] == "":
		return notes
	case t.comma != nil:
		return append(notes, Note{Kind: NoteDecimalCommas, Path: t.path, Names: []string{separator}})
	case t.separator == ';' && t.point != nil && !t.plain:
		notes = append(notes, Note{Kind: NoteThousands, Path: t.path, Names: []string{t.point.text}, Numbers: []float64{float64(t.point.line)}})
	}
	return append(notes, Note{Kind: NoteSeparator, Path: t.path, Names: []string{separator}})
}
