package front

import (
	"fmt"
	"sort"
	"strings"
	"unicode"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser/lexer"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Span is a range of runes of a source text: From … To-1. It is empty if From equals To.
type Span struct{ From, To int }

// Source is a text with its file name. It never changes, so statements and errors share it.
type Source struct {
	File  string // name of the file in messages
	Text  string // without a byte order mark
	runes []rune // the runes of Text; offsets are indices of this slice
	lines []int  // rune offset of the start of each line
}

// NewSource makes a Source. It removes a byte order mark from the text.
func NewSource(file, text string) *Source {
	s := &Source{File: file, Text: strings.TrimPrefix(text, "\ufeff"), lines: []int{0}}
	s.runes = []rune(s.Text)
	for i, r := range s.runes {
		if r == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// Slice returns the text of a span, which must lie inside the source.
func (s *Source) Slice(p Span) string { return string(s.runes[p.From:p.To]) }

// Position returns the line and column of an offset. Both count from 1; columns count runes. A line end belongs to the
// line that it ends. The offset may be the end of the text.
func (s *Source) Position(offset int) (line, col int) {
	line = sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > offset })
	return line, offset - s.lines[line-1] + 1
}

// line returns line n, counted from 1, without its line end.
func (s *Source) line(n int) []rune {
	to := len(s.runes)
	if n < len(s.lines) {
		to = s.lines[n] - 1
	}
	from := s.lines[n-1]
	if to > from && s.runes[to-1] == '\r' { // remove the first character of a Windows line end
		to--
	}
	return s.runes[from:to]
}

// At returns an error at a span, which is limited to the text. hint may be "". If the span has several lines, only its
// first line is underlined.
func (s *Source) At(p Span, message, hint string) *Error {
	p.From = min(max(p.From, 0), len(s.runes))
	p.To = min(max(p.To, p.From), len(s.runes))
	line, col := s.Position(p.From)
	text := s.line(line)
	width := min(p.To-p.From, len(text)-(col-1)) // not beyond the end of the line
	return &Error{
		File: s.File, Line: line, Col: col, Width: max(width, 1),
		Message: message, Hint: hint, Source: string(text), Span: p,
	}
}

// place converts offsets in the text given to expr to a span of the user's text. It moves offsets outside the text inside,
// and returns at least one rune.
func (st *Statement) place(from, to int) Span {
	if len(st.origin) == 0 { // the statement is not rewritten yet
		return st.Body()
	}
	from = min(max(from, 0), len(st.origin)-1)
	to = min(max(to, from+1), len(st.origin))
	return Span{st.origin[from], st.origin[to-1] + 1}
}

// Span returns the position of a node, including all its subexpressions. expr records only one token per node, such as an
// operator. Therefore Span covers the tokens of all nodes inside, and adds missing brackets.
func (st *Statement) Span(n ast.Node) Span {
	c := &cover{st: st, Span: Span{int(^uint(0) >> 1), -1}} // an empty span, which the first token replaces
	ast.Walk(&n, c)
	return st.balance(c.Span)
}

// cover is an AST visitor: a span that grows to include each node it visits.
type cover struct {
	st   *Statement // statement with the tokens and origin
	Span            // the span so far, in the user's text
}

// Visit is called by ast.Walk for every node below, and then for the node itself.
func (c *cover) Visit(n *ast.Node) {
	switch (*n).(type) {
	case *ast.MapNode, *ast.PairNode, *ast.ConditionalNode: // expr records another node's token for these nodes
		return
	}
	at := (*n).Location()
	p := c.st.place(at.From, at.To)
	c.From, c.To = min(c.From, p.From), max(c.To, p.To)
	if _, ok := (*n).(*ast.CallNode); ok {
		// Also cover the opening bracket after the function's name.
		if i := c.st.token(p.To); i < len(c.st.tokens) {
			c.To = max(c.To, c.st.tokens[i].To)
		}
	}
}

// balance extends a span so that it contains the matching bracket of each of its brackets. It starts again when the left
// end moves. It terminates because the span only grows.
func (st *Statement) balance(p Span) Span {
	from, to := st.token(p.From), st.token(p.To)
	for i := from; i < to; i++ {
		if q := st.partner[i]; q >= to {
			to = q + 1
		} else if q >= 0 && q < from {
			from = q
			i = from // examine the added tokens too
		}
	}
	if from < to {
		p = Span{min(p.From, st.tokens[from].From), max(p.To, st.tokens[to-1].To)}
	}
	return p
}

// token returns the index of the first token that begins at offset or later.
func (st *Statement) token(offset int) int {
	return sort.Search(len(st.tokens), func(i int) bool { return st.tokens[i].From >= offset })
}

// Text returns the user's text of a node.
func (st *Statement) Text(n ast.Node) string { return st.Source.Slice(st.Span(n)) }

// Code returns the statement's expression on one line, without comments.
func (st *Statement) Code() string { return st.CodeWith(nil) }

// CodeWith is like Code, but replaces the names that are keys of texts by their values.
func (st *Statement) CodeWith(texts map[string]string) string {
	var b strings.Builder
	for i, t := range st.tokens[st.body:] {
		if i > 0 && t.From > st.tokens[st.body+i-1].To {
			b.WriteByte(' ')
		}
		part := i > 0 && st.tokens[st.body+i-1].Is(lexer.Operator, ".")
		if text, replaced := texts[t.Value]; replaced && t.Kind == lexer.Identifier && !part {
			b.WriteString(text)
			continue
		}
		b.WriteString(st.Source.Slice(Span(t.Location)))
	}
	return b.String()
}

// Error is a mistake in a script, with its position.
type Error struct {
	File      string // file name in messages
	Line, Col int    // both from 1; Col counts runes
	Width     int    // number of runes to underline, at least 1
	Source    string // the line with the mistake
	Span      Span   // position as rune offsets in the whole text

	Message string // what is wrong, on one line
	// text of the error of a file or a computation, possibly of several lines; "" if there is none
	Cause string
	Hint  string // what to write instead; may be ""
	Err   error  // the error whose text is Cause, for errors.Is; may be nil

	open opened // quote or bracket that is not closed at the end of the text, if that is the mistake
}

// opened says what was opened but not closed: a quote or a bracket.
type opened int

const (
	nothing opened = iota
	quote
	comment
)

// Unwrap returns the error whose text is Cause; nil if there is none.
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
	// The margin is as wide as the line number, so that all bars are in one column.
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

// Excerpt returns the line with the mistake in three parts: before, wrong and after. It shortens a long line with
// ellipses.
func (e *Error) Excerpt() (before, wrong, after string) {
	line, from := excerpt([]rune(e.Source), e.Col-1, e.Width)
	to := max(min(from+e.Width, len(line)), from)
	return string(line[:from]), string(line[from:to]), string(line[to:])
}

// Underline returns the carets to show below the mistake, at least one.
func (e *Error) Underline() string {
	before, wrong, _ := e.Excerpt()
	return strings.Repeat(" ", cells([]rune(before))) + strings.Repeat("^", max(cells([]rune(wrong)), 1))
}

// maxExcerpt is the maximum number of runes of a line in a message.
const maxExcerpt = 120

// excerpt shortens a long line so that column col (from 0) stays visible, and returns the new index of col. It replaces
// control characters by spaces, so that the underline is at the right place.
func excerpt(line []rune, col, width int) ([]rune, int) {
	const before = 40
	from := 0
	if len(line) > maxExcerpt && col+width > maxExcerpt {
		from = max(0, col-before) // keep a part of the line before the mistake
	}
	to := min(len(line), from+maxExcerpt)
	shown := make([]rune, 0, maxExcerpt+2)
	if from > 0 {
		shown = append(shown, '…')
		col -= from - 1 // the ellipsis takes one column
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

// cells returns the width of a text in terminal columns. East Asian characters have two columns, combining marks none.
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

// MaxErrors is the maximum number of errors that are reported for one script.
const MaxErrors = 5

// Errors are independent mistakes in one script, ordered by position.
type Errors []*Error

// Error returns all errors, one after the other.
func (es Errors) Error() string {
	return strings.Join(lists.Map(es, (*Error).Error), "\n")
}

// Unwrap returns the single errors.
func (es Errors) Unwrap() []error {
	return lists.Map(es, func(e *Error) error { return e })
}
