package front

import (
	"sort"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser/lexer"
)

// Span is a piece of a source text: runes From, …, To-1.
type Span struct{ From, To int }

// Source is one text with the name that messages call it by.
type Source struct {
	File  string
	Text  string
	runes []rune
	lines []int // rune offset at which each line begins
}

// NewSource prepares a text. A byte order mark at the start is dropped.
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

// Slice returns the text of a span.
func (s *Source) Slice(p Span) string { return string(s.runes[p.From:p.To]) }

// Position returns the 1-based line and column, in runes, of an offset.
func (s *Source) Position(offset int) (line, col int) {
	line = sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > offset })
	return line, offset - s.lines[line-1] + 1
}

// line returns the text of a 1-based line without its end.
func (s *Source) line(n int) []rune {
	to := len(s.runes)
	if n < len(s.lines) {
		to = s.lines[n] - 1
	}
	from := s.lines[n-1]
	if to > from && s.runes[to-1] == '\r' {
		to--
	}
	return s.runes[from:to]
}

// At returns an error at a span, which is cut to the text. The hint may be empty.
func (s *Source) At(p Span, message, hint string) *Error {
	p.From = min(max(p.From, 0), len(s.runes))
	p.To = min(max(p.To, p.From), len(s.runes))
	line, col := s.Position(p.From)
	text := s.line(line)
	width := min(p.To-p.From, len(text)-(col-1))
	return &Error{
		File: s.File, Line: line, Col: col, Width: max(width, 1),
		Message: message, Hint: hint, Source: string(text), Span: p,
	}
}

// place maps offsets of the text that expr read to the user's text.
func (st *Statement) place(from, to int) Span {
	if len(st.origin) == 0 {
		return st.Body()
	}
	from = min(max(from, 0), len(st.origin)-1)
	to = min(max(to, from+1), len(st.origin))
	return Span{st.origin[from], st.origin[to-1] + 1}
}

// Span returns the place of the whole subexpression of a node. expr records one
// token a node (the operator, the opening bracket), so this covers the places of
// all nodes below, and then every bracket cut in half.
func (st *Statement) Span(n ast.Node) Span {
	c := &cover{st: st, Span: Span{int(^uint(0) >> 1), -1}}
	ast.Walk(&n, c)
	return st.balance(c.Span)
}

// cover grows to every node that it visits.
type cover struct {
	st *Statement
	Span
}

func (c *cover) Visit(n *ast.Node) {
	switch (*n).(type) {
	case *ast.MapNode, *ast.PairNode, *ast.ConditionalNode: // their token is not their own
		return
	}
	at := (*n).Location()
	p := c.st.place(at.From, at.To)
	c.From, c.To = min(c.From, p.From), max(c.To, p.To)
	if _, ok := (*n).(*ast.CallNode); ok {
		// the bracket after the name of the function
		if i := c.st.token(p.To); i < len(c.st.tokens) {
			c.To = max(c.To, c.st.tokens[i].To)
		}
	}
}

// balance extends a span to the partners of the brackets inside it.
func (st *Statement) balance(p Span) Span {
	from, to := st.token(p.From), st.token(p.To)
	for i := from; i < to; i++ {
		if q := st.partner[i]; q >= to {
			to = q + 1
		} else if q >= 0 && q < from {
			from = q
			i = from // read the new part too
		}
	}
	if from < to {
		p = Span{min(p.From, st.tokens[from].From), max(p.To, st.tokens[to-1].To)}
	}
	return p
}

// token returns the index of the first token that begins at or after an offset.
func (st *Statement) token(offset int) int {
	return sort.Search(len(st.tokens), func(i int) bool { return st.tokens[i].From >= offset })
}

// Text returns the user's text of a node.
func (st *Statement) Text(n ast.Node) string { return st.Source.Slice(st.Span(n)) }

// Code returns the expression on one line without comments.
func (st *Statement) Code() string { return st.CodeWith(nil) }

// CodeWith returns Code with some names replaced by other texts.
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
