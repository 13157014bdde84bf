package problem

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// checkEncoding reports a file that is no text in UTF-8 with usual line ends, as far as the
// whole file tells that better than a cell does.
func (t *table) checkEncoding(data []byte) error {
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return &DataError{Path: t.path, Message: "a workbook of a spreadsheet (xlsx or ods), not a table in text; save its sheet as CSV in UTF-8"}
	}
	if isUTF16(data) {
		return &DataError{Path: t.path, Message: "UTF-16; save the file as UTF-8"}
	}
	if at := bytes.IndexByte(data, '\r'); at >= 0 && bytes.IndexByte(data, '\n') < 0 {
		return &DataError{Path: t.path, Line: 1, Column: at + 1, Message: "lines end in CR alone; save the file with the line ends LF or CR LF"}
	}
	return nil
}

// isUTF16 tells a byte order mark, or a first character that has two bytes, one being 0.
func isUTF16(data []byte) bool {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return true
	}
	return len(data) > 1 && (data[0] == 0) != (data[1] == 0)
}

// checkText reports a cell that other programs and terminals could not show as text.
func (t *table) checkText(c cell) error {
	if r, found := control(c.text); found {
		return t.at(c, "the control character %U is part of the value; remove it", r)
	}
	return nil
}

// control finds the first control character of a text: a terminal obeys it, and no file format
// of ours has a place for it.
func control(text string) (r rune, found bool) {
	at := strings.IndexFunc(text, unicode.IsControl)
	if at < 0 {
		return 0, false
	}
	r, _ = utf8.DecodeRuneInString(text[at:])
	return r, true
}

// spellings knows how the names of a table are written, by their normal form (Unicode NFC):
// two that differ only in how an accent is written look alike, and would be two tasks or arms.
type spellings struct {
	path  string
	first map[string]cell
}

// check reports the task or the arm of a row that looks like a name before and is another text.
func (s *spellings) check(t *table, r int) error {
	for _, column := range []string{"task", "arm"} {
		if err := s.checkName(t, t.cell(r, t.column[column])); err != nil {
			return err
		}
	}
	return nil
}

func (s *spellings) checkName(t *table, c cell) error {
	form := norm.NFC.String(c.text)
	first, known := s.first[form]
	if !known {
		s.first[form] = c
		return nil
	}
	if first.text == c.text {
		return nil
	}
	place := fmt.Sprintf("line %d", first.line)
	if s.path != t.path {
		place = fmt.Sprintf("%s:%d", s.path, first.line)
	}
	return t.at(c, "%q looks like the name in %s but has other characters, since accents can be written in two ways; "+
		"write both names alike", form, place)
}
