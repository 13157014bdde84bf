package problem

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// separatorMark begins a first line such as "sep=;", which names the separator. Excel reads and writes this line.
const separatorMark = "sep="

// NamesMark begins a first line that lists the columns of names, whose cells are never read as numbers, for example
// "text=,country,version". Frames and Parquet files, whose columns have types, are converted to CSV with this line.
const NamesMark = "text="

// cutNames returns the columns that the first line lists as names, and the table below this line.
func cutNames(data []byte) (names []string, table []byte) {
	if !bytes.HasPrefix(data, []byte(NamesMark+",")) {
		return nil, data
	}
	r := csv.NewReader(bytes.NewReader(data))
	line, err := r.Read()
	if err != nil {
		return nil, data
	}
	return line[1:], data[r.InputOffset():]
}

// separatorOf returns the character that separates the columns. If the first line names no separator, it is the most
// frequent of tab, vertical bar, semicolon and comma in the header, outside of quotes. If none occurs, it is a blank if
// the next lines have as many words as the header, otherwise a comma.
func separatorOf(data []byte) rune {
	data = bytes.TrimLeft(data, "\r\n")
	line, rest := firstRecord(data)
	if mark, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte(separatorMark)); ok && len(mark) == 1 &&
		bytes.ContainsAny(mark, separatorCharacters) {
		return rune(mark[0])
	}
	counts := map[byte]int{}
	quoted := false
	for _, b := range line {
		if b == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[b]++
		}
	}
	best := byte(',')
	for k := range len(separatorCharacters) {
		if b := separatorCharacters[k]; counts[b] > counts[best] {
			best = b
		}
	}
	if counts[best] == 0 && inBlanks(line, rest) {
		return ' '
	}
	return rune(best)
}

// separatorCharacters are the separators that are counted in a header, the most likely first.
const separatorCharacters = ",;\t|"

// fewLines is the number of lines that are examined to decide whether blanks separate columns.
const fewLines = 20

// inBlanks reports whether blanks separate columns: the header has at least two words, and each of the next lines has
// the same number of words, or one more for a row name.
func inBlanks(header, rest []byte) bool {
	want := len(words(header))
	lines := 0
	for ; lines < fewLines && len(rest) > 0; lines++ {
		var line []byte
		line, rest = firstRecord(rest)
		n := len(words(line))
		if n == 0 {
			lines--
			continue
		}
		if n != want && n != want+1 {
			return false
		}
	}
	return want >= 2 && lines > 0
}

// words splits a line at blanks; text in quotes is one word.
func words(line []byte) [][]byte {
	quoted := false
	return bytes.FieldsFunc(line, func(r rune) bool {
		quoted = quoted != (r == '"')
		return !quoted && unicode.IsSpace(r)
	})
}

// singleBlanks converts an aligned table to one with a single blank between columns and none around them. A quotation
// mark that R writes as \" is written as "".
func singleBlanks(data []byte) []byte {
	out := make([]byte, 0, len(data))
	quoted := false
	for k, b := range data {
		switch {
		case b == '"' && k > 0 && data[k-1] == '\\' && quoted:
			out[len(out)-1] = '"'
			out = append(out, '"')
			continue
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == ' ' || b == '\t' || b == '\r':
			if len(out) == 0 || out[len(out)-1] == ' ' || out[len(out)-1] == '\n' {
				continue
			}
			b = ' '
		case b == '\n' && len(out) > 0 && out[len(out)-1] == ' ':
			out = out[:len(out)-1]
		}
		out = append(out, b)
	}
	return bytes.TrimRight(out, " ")
}

// mostBreaks is the largest number of lines in which the end of a quoted text is searched. A quotation mark without an
// end is an ordinary character.
const mostBreaks = 20

// firstRecord splits a table after its first record, which may contain line breaks in quotes.
func firstRecord(data []byte) (record, rest []byte) {
	first, quoted, breaks := -1, false, 0
	for k, b := range data {
		switch {
		case b == '"':
			quoted = !quoted
		case b == '\n' && !quoted:
			return data[:k+1], data[k+1:]
		case b == '\n':
			if breaks++; first < 0 {
				first = k + 1
			}
		}
		if breaks > mostBreaks {
			break
		}
	}
	if quoted && first > 0 { // the quoted text has no end
		return data[:first], data[first:]
	}
	return data, nil
}

// bareQuote reports whether a quotation mark is inside a cell that is not quoted, as in 5" pipe, while all quoted cells
// are closed.
func bareQuote(data []byte, separator byte) (bare bool) {
	if bytes.IndexByte(data, '"') < 0 {
		return false
	}
	const (
		begins = iota // at the beginning of a cell, perhaps after blanks
		plain
		quoted
		closed
	)
	state := begins
	for _, b := range data {
		end := b == separator || b == '\n'
		switch {
		case state == quoted && b == '"':
			state = closed
		case state == quoted:
		case end:
			state = begins
		case state == closed && b == '"': // a doubled quotation mark
			state = quoted
		case state == closed && b != '\r':
			return false
		case state == begins && b == '"':
			state = quoted
		case b == '"':
			bare = true
		case b != ' ' && b != '\r':
			state = plain
		}
	}
	return bare && state != quoted
}

// Header returns the column names in the first line of a table, if they can be read. head is the beginning of the file.
func Header(head []byte) []string {
	if is, _ := formatOf(head); is != "" {
		return nil
	}
	_, head = cutNames(bytes.TrimPrefix(inUTF8(head), byteOrderMark))
	return split(head, separatorOf(head))
}

// split returns the cells of the first line of a table, without a line that names the separator; nil if the line cannot
// be read.
func split(head []byte, separator rune) []string {
	if separator == ' ' {
		head = singleBlanks(head)
	}
	r := newReader(head, separator, LoadOptions{}.allowance())
	names, err := r.Read()
	if err == nil && len(names) <= 2 && strings.HasPrefix(names[0], separatorMark) {
		names, err = r.Read()
	}
	if err != nil {
		return nil
	}
	for k, name := range names {
		names[k] = oneLine(strings.TrimSpace(name))
	}
	return names
}

// gap reports whether a cell states that there is no value, for example NA.
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

// decimalComma reports whether a text becomes a number if its comma is replaced by a point.
func decimalComma(text string) bool {
	_, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return err == nil
}

// decimal returns a number in Go's form, with a decimal point.
func (t *table) decimal(text string) string {
	if minus, is := strings.CutPrefix(text, "\u2212"); is { // the typographic minus sign
		text = "-" + minus
	}
	if t.separator == ',' || strings.Count(text, ",") != 1 || strings.Contains(text, ".") {
		return text
	}
	return strings.Replace(text, ",", ".", 1)
}

// isNumber reports whether a text is a number in this table. Infinity and numbers that are too large are included.
func (t *table) isNumber(text string) bool {
	_, err := strconv.ParseFloat(t.decimal(text), 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// isValue reports whether a text is a number in decimal digits. A text such as inf counts as a name.
func (t *table) isValue(text string) bool { return isDecimal(t.decimal(text)) && t.isNumber(text) }

// sameDecimals records how a number is written. It returns an error for a decimal comma in a table with decimal points:
// one of these marks may separate thousands.
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
		return t.at(c, "%q in line %d has a decimal comma, but %q in line %d has a decimal point. Write all numbers alike",
			t.comma.text, t.comma.line, t.point.text, t.point.line).Err
	}
	return nil
}

// separators names the separators that a note mentions; a comma needs no note.
var separators = map[string]string{";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "blanks"}

// notes state how the table was read, if it is not plain CSV.
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

// mostPreamble is the largest number of lines in which a header is searched.
const mostPreamble = 200

// skipPreamble returns a table from its header on, and the number of lines above the header. The header is the first
// line that is not a comment. If this line lacks a wanted column, the header is the first line that has all of them, if
// there is one.
func skipPreamble(data []byte, wanted []string) (table []byte, lines int) {
	rest := data
	for n := 0; len(wanted) > 0 && n < mostPreamble && len(rest) > 0; n++ {
		record, _ := firstRecord(rest)
		has := func(header []string) bool {
			return !slices.ContainsFunc(wanted, func(name string) bool {
				return !slices.ContainsFunc(header, func(column string) bool { return strings.EqualFold(column, oneLine(name)) })
			})
		}
		switch comment := uncommented(record); {
		case has(Header(record)) && n == 1 && bytes.HasPrefix(data, []byte(separatorMark)):
			return data, 0 // no preamble: the line names the separator
		case has(Header(record)):
			return rest, n
		case comment != nil && has(Header(comment)):
			return rest[len(record)-len(comment):], n
		}
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	return skipComments(data)
}

// uncommented returns the text after the # at the beginning of a line; nil for other lines.
func uncommented(line []byte) []byte {
	text, is := bytes.CutPrefix(line, []byte("#"))
	if !is {
		return nil
	}
	return bytes.TrimLeft(text, "# ")
}

// skipComments removes the lines at the beginning of a table that begin with #, and returns their number. The last
// comment is the header, as NumPy writes it, if the next line has a number and as many cells as the comment has names.
func skipComments(data []byte) (table []byte, lines int) {
	rest, last := data, []byte(nil)
	for bytes.HasPrefix(rest, []byte("#")) {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		last, rest, lines = uncommented(line), after, lines+1
	}
	if lines == 0 || len(rest) == 0 {
		return data, 0
	}
	named := data[len(data)-len(rest)-len(last)-1:] // from the text of the last comment on
	next, _ := firstRecord(rest)
	separator := separatorOf(named)
	cells := split(next, separator)
	if header := split(last, separator); len(header) > 1 && len(header) == len(cells) && slices.ContainsFunc(cells, decimalComma) &&
		!slices.ContainsFunc(header, decimalComma) {
		return named, lines - 1
	}
	return rest, lines
}

// Columns returns the column names in the most likely header of a table, which may be below other lines. The header is
// the first line without numbers that is followed by a line with the same number of cells; if several lines qualify, the
// one with the most columns. head is the beginning of the file.
func Columns(head []byte) []string {
	if is, _ := formatOf(head); is != "" {
		return nil
	}
	_, head = cutNames(bytes.TrimPrefix(inUTF8(head), byteOrderMark))
	rest, _ := skipComments(head)
	best := Header(rest)
	for n := 0; n < mostPreamble && len(rest) > 0; n++ {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		header := Header(line)
		if separatorOf(line) != ' ' && len(header) > len(best) && len(split(after, separatorOf(line))) == len(header) &&
			!slices.ContainsFunc(header, func(name string) bool { return gap(name) || decimalComma(name) }) {
			best = header
		}
		rest = after
	}
	return best
}
