package front

import (
	"sort"
	"strings"
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
