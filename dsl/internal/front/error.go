package front

import (
	"fmt"
	"strings"
	"unicode"
)

// Error is a mistake in a script and its place. Lines and columns count from 1,
// columns in runes.
type Error struct {
	File      string
	Line, Col int
	Width     int    // runes to underline, at least 1
	Source    string // the line of the script
	Span      Span   // the place as rune offsets of the whole text

	Message string
	// what a file or a computation reported, where that is the reason; may have lines
	Cause string
	Hint  string // what to write instead, where known
	Err   error  // the error behind Cause, for errors.Is; may be nil

	open opened // what is open at the end of the text, where that is the mistake
}

// opened is something that begins and does not end.
type opened int

const (
	nothing opened = iota
	quote
	comment
)

// Unwrap returns the error behind the mistake, where there is one.
func (e *Error) Unwrap() error { return e.Err }

// Error prints
//
//	file:line:col: message
//	 3 | the line of the script
//	   |     ^^^^
//	   = the cause
//	   = hint: what to write
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s", e.File, e.Line, e.Col, e.Message)
	number := fmt.Sprint(e.Line)
	margin := strings.Repeat(" ", len(number)+1)
	before, wrong, after := e.Excerpt()
	fmt.Fprintf(&b, "\n %s | %s\n %s| %s", number, strings.TrimRightFunc(before+wrong+after, unicode.IsSpace), margin, e.Underline())
	if e.Cause != "" {
		for _, cause := range strings.Split(e.Cause, "\n") {
			fmt.Fprintf(&b, "\n %s= %s", margin, cause)
		}
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\n %s= hint: %s", margin, e.Hint)
	}
	return b.String()
}

// Excerpt returns the line of the script around the mistake in three parts, the wrong
// one in the middle. A long line is cut, and what is not shown has an ellipsis.
func (e *Error) Excerpt() (before, wrong, after string) {
	line, from := excerpt([]rune(e.Source), e.Col-1, e.Width)
	to := max(min(from+e.Width, len(line)), from)
	return string(line[:from]), string(line[from:to]), string(line[to:])
}

// Underline returns the line of carets below the wrong part, at least one.
func (e *Error) Underline() string {
	before, wrong, _ := e.Excerpt()
	return strings.Repeat(" ", cells([]rune(before))) + strings.Repeat("^", max(cells([]rune(wrong)), 1))
}

// maxExcerpt is the number of runes of a line that a message shows.
const maxExcerpt = 120

// excerpt cuts a long line around column col (from 0) and returns the index of col
// in what is left. Control characters become spaces, so that the underline fits.
func excerpt(line []rune, col, width int) ([]rune, int) {
	const before = 40
	from := 0
	if len(line) > maxExcerpt && col+width > maxExcerpt {
		from = max(0, col-before)
	}
	to := min(len(line), from+maxExcerpt)
	shown := make([]rune, 0, maxExcerpt+2)
	if from > 0 {
		shown = append(shown, '…')
		col -= from - 1
	}
	for _, r := range line[from:to] {
		if unicode.IsControl(r) {
			r = ' '
		}
		shown = append(shown, r)
	}
	if to < len(line) {
		shown = append(shown, '…')
	}
	return shown, min(col, len(shown))
}

// cells returns how many columns of a terminal a text takes: East Asian characters
// take two, marks that combine with the character before them none.
func cells(text []rune) int {
	n := 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += 2
		case !unicode.In(r, unicode.Mn, unicode.Me):
			n++
		}
	}
	return n
}

// MaxErrors limits the errors of one script that are reported at once.
const MaxErrors = 5

// Errors are independent mistakes in one script, in the order of the text.
type Errors []*Error

// Error prints all of them, one after the other.
func (es Errors) Error() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns the errors one by one.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}
