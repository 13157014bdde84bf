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

// tooMuch reports what is above a limit.
type tooMuch struct {
	line    int
	message string
}

func (e *tooMuch) Error() string { return e.message }

// limited yields the bytes of a table, and ends with an error before a line that has too many cells, or one that is too long, is
// given to the reader of CSV: that makes 160 bytes for each cell before anybody sees it. It asks the allowance as it goes.
type limited struct {
	data      []byte
	separator byte
	allowance *allowance.Allowance

	line, columns, size int  // lines before its place, cells before in the line, bytes of the cell
	opens, quoted       bool // whether a quotation mark begins quoted text here, and whether the text is quoted
	begun               int  // the line in which the quotes began
}

// newReader returns a reader of the records of a table, whose columns the separator separates.
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
		opens := l.opens && c == ' ' // which readers pass over
		switch {
		case c == '"' && (l.quoted || l.opens): // two of them in quotes end the quotes and begin them again
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

// wrong returns the error at the place.
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
