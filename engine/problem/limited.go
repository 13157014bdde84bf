package problem

import (
	"encoding/csv"
	"fmt"
	"io"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
)

// Limits on text tables. Tables of measurements are far below these limits; a larger file is damaged, lacks a quotation mark, or is an
// attack.
const (
	maxColumns = 1 << 17
	maxCell    = 1 << 20 // bytes
)

// tooMuch is the error for a size above a limit.
type tooMuch struct {
	line    int
	message string
}

func (e *tooMuch) Error() string { return e.message }

// limited is a reader of a table's bytes. It ends with an error before a line that has too many cells or is too long. The
// CSV reader must not get such a line, because it needs 160 bytes of memory for each cell. Reading also ends if the memory
// allowance is used up.
type limited struct {
	data      []byte
	separator byte
	allowance *allowance.Allowance

	line, columns, size int  // lines before the place, cells before it in the line, bytes of the cell
	opens, quoted       bool // whether a quotation mark here begins quoted text; whether the text here is quoted
	begun               int  // line in which the quoted text began
}

// newReader returns a reader of CSV records. separator is the character between columns.
func newReader(data []byte, separator rune, a *allowance.Allowance) *csv.Reader {
	r := csv.NewReader(&limited{data: data, separator: byte(separator), allowance: a, opens: true})
	r.Comma, r.FieldsPerRecord = separator, -1
	return r
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	if len(l.data) == 0 {
		return 0, io.EOF
	}
	if err := l.allowance.Step(1); err != nil {
		return 0, err
	}
	n := copy(p, l.data)
	for _, c := range l.data[:n] {
		l.size++
		opens := l.opens && c == ' ' // CSV readers skip these blanks
		switch {
		case c == '"' && (l.quoted || l.opens): // two quotation marks in quoted text end it and begin it again
			if l.quoted, opens = !l.quoted, l.quoted; l.quoted && l.size == 1 {
				l.begun = l.line
			}
		case c == '\n' && !l.quoted:
			l.line, l.columns, l.size, opens = l.line+1, 0, 0, true
		case c == '\n':
			l.line++
		case c == l.separator && !l.quoted:
			l.columns, l.size, opens = l.columns+1, 0, true
		}
		if l.opens = opens; l.size > maxCell || l.columns >= maxColumns {
			return 0, l.wrong()
		}
	}
	l.data = l.data[n:]
	return n, nil
}

// wrong returns the error with the place of the reader.
func (l *limited) wrong() error {
	switch {
	case l.columns >= maxColumns:
		return &tooMuch{l.line + 1, fmt.Sprintf("this line has more than %d columns, the limit. Check that the file is a table", maxColumns)}
	case l.quoted:
		return &tooMuch{l.begun + 1, fmt.Sprintf("the quotation mark here begins a cell of more than %d kB, the limit. Check that the closing "+
			"quotation mark is there", maxCell>>10)}
	}
	return &tooMuch{l.line + 1, fmt.Sprintf("this cell has more than %d kB, the limit. Check that the file is a table", maxCell>>10)}
}
