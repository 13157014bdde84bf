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

// separatorMark begins a first line that names the separator, as Excel writes and reads it: "sep=;".
const separatorMark = "sep="

// NamesMark begins a first line that says which columns have names and no numbers: "text=,country,version". Frames
// and Parquet files, whose columns have types, become CSV with it.
const NamesMark = "text="

// cutNames returns the columns that the first line says have names, and the table below it.
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

// separatorOf returns what separates the columns of a table: what its first line names, or the one of
// tab, vertical bar, semicolon and comma which is most frequent in its header, outside of quotes; a comma in doubt. Blanks
// separate if there is nothing else, and as many words are in the next lines.
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

// separatorCharacters are those that a header is searched for, the likeliest first.
const separatorCharacters = ",;\t|"

// fewLines is how many lines show whether blanks separate columns.
const fewLines = 20

// inBlanks reports whether the words of a header, at least two, are above as many in each of the next lines, or above one more,
// which is the name of a row.
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

// words returns the texts of a line that blanks separate, those in quotes whole.
func words(line []byte) [][]byte {
	quoted := false
	return bytes.FieldsFunc(line, func(r rune) bool {
		quoted = quoted != (r == '"')
		return !quoted && unicode.IsSpace(r)
	})
}

// singleBlanks returns a table with one blank between columns and none around them, as aligned tables do not have. Quotes
// within quotes, which R writes as \", are doubled.
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

// mostBreaks is how many lines a record is searched for its last quote; a quote that is not closed by then represents itself.
const mostBreaks = 20

// firstRecord cuts a table after its first line, which continues below a line break in quotes.
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
	if quoted && first > 0 { // no end of the quotes
		return data[:first], data[first:]
	}
	return data, nil
}

// bareQuote reports whether a quote is within a cell that does not begin with one, as in 5" pipe, and all that begin with one
// end with one.
func bareQuote(data []byte, separator byte) (bare bool) {
	if bytes.IndexByte(data, '"') < 0 {
		return false
	}
	const (
		begins = iota // a cell, perhaps after blanks
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
		case state == closed && b == '"': // doubled
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

// Header returns the names of the columns in the first line of a table, as far as they can be read;
// head is the beginning of the file.
func Header(head []byte) []string {
	if is, _ := formatOf(head); is != "" {
		return nil
	}
	_, head = cutNames(bytes.TrimPrefix(inUTF8(head), byteOrderMark))
	return split(head, separatorOf(head))
}

// split returns the cells of the first line of a table, after one that names the separator; nil
// if it cannot be read.
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

// gap reports whether a cell states that there is no value.
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
	if minus, is := strings.CutPrefix(text, "\u2212"); is { // the sign of typography
		text = "-" + minus
	}
	if t.separator == ',' || strings.Count(text, ",") != 1 || strings.Contains(text, ".") {
		return text
	}
	return strings.Replace(text, ",", ".", 1)
}

// isNumber reports whether a text is a number in this table; one that is too large is, too, and so is infinity.
func (t *table) isNumber(text string) bool {
	_, err := strconv.ParseFloat(t.decimal(text), 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// isValue reports whether a text is a number in decimal digits: inf is a name, if a name is allowed.
func (t *table) isValue(text string) bool { return isDecimal(t.decimal(text)) && t.isNumber(text) }

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
		return t.at(c, "%q in line %d has a decimal comma, but %q in line %d has a decimal point. Write all numbers alike",
			t.comma.text, t.comma.line, t.point.text, t.point.line).Err
	}
	return nil
}

// separators names the separators that are worth a note.
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

// mostPreamble is how many lines a header is looked for in.
const mostPreamble = 200

// skipPreamble returns a table from its header on, and the number of lines above it. The header
// is the first line that is not a comment; if that lacks a column that the table must have, it is the first line with
// all of them, if there is one.
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
			return data, 0 // no preamble: it names the separator
		case has(Header(record)):
			return rest, n
		case comment != nil && has(Header(comment)):
			return rest[len(record)-len(comment):], n
		}
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	return skipComments(data)
}

// uncommented returns a line behind the # that it begins with; nil for others.
func uncommented(line []byte) []byte {
	text, is := bytes.CutPrefix(line, []byte("#"))
	if !is {
		return nil
	}
	return bytes.TrimLeft(text, "# ")
}

// skipComments returns a table without the lines at its beginning that begin with #, and how many these are. The last of them is
// the header if it has as many names as the next line has cells and that has a number, as NumPy writes it.
func skipComments(data []byte) (table []byte, lines int) {
	rest, last := data, []byte(nil)
	for bytes.HasPrefix(rest, []byte("#")) {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		last, rest, lines = uncommented(line), after, lines+1
	}
	if lines == 0 || len(rest) == 0 {
		return data, 0
	}
	named := data[len(data)-len(rest)-len(last)-1:] // from the last comment's text on
	next, _ := firstRecord(rest)
	separator := separatorOf(named)
	cells := split(next, separator)
	if header := split(last, separator); len(header) > 1 && len(header) == len(cells) && slices.ContainsFunc(cells, decimalComma) &&
		!slices.ContainsFunc(header, decimalComma) {
		return named, lines - 1
	}
	return rest, lines
}

// Columns returns the names in what is most likely the header of a table that may have lines above
// it: the first of the lines with the most columns among those without numbers before a line of as
// many. head is the beginning of the file.
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
