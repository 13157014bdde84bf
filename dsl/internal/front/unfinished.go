package front

import "strings"

// Completeness reports whether a text is a script as it stands.
type Completeness int

// The answers.
const (
	Complete   Completeness = iota // nothing is missing; names and types are not looked at
	Incomplete                     // more text could make it right
	Invalid                        // nothing that follows repairs it
)

// CompletenessOf reads a text as far as it is written, and counts the brackets that
// are open at its end.
func CompletenessOf(text string) (c Completeness, open int) {
	s := NewSource("", text)
	if _, errs := Parse(s); len(errs) == 0 {
		return Complete, 0
	}
	// Whatever could be missing is put at the end. If the first mistake is then in
	// what was put there or gone, the text itself was right so far.
	whole, closers := closeTail(s)
	written := len([]rune(whole))
	for _, missing := range []string{"", " 0", ": 0"} {
		_, errs := Parse(NewSource("", whole+missing+closers))
		if len(errs) == 0 || errs[0].Span.From >= written {
			return Incomplete, len(closers)
		}
	}
	return Invalid, 0
}

// closeTail returns the text up to its last token, with a quote closed that is open
// at its end, and the brackets that close those open.
func closeTail(s *Source) (whole, closers string) {
	whole = s.Text
	if _, err := lex(s); err != nil {
		rest := s.Slice(Span{min(err.Span.From, len(s.runes)), len(s.runes)})
		switch {
		case err.open == comment:
			whole += "*/"
		case err.open == quote && rest != "" && (rest[0] == '`' || !strings.Contains(rest, "\n")):
			whole += rest[:1]
		}
	}
	closed := NewSource("", whole)
	tokens, err := lex(closed)
	if err != nil || len(tokens) == 0 {
		return whole, ""
	}
	open := unclosed(tokens)
	for i := range open {
		closers += closing(tokens[open[len(open)-1-i]].Value)
	}
	return closed.Slice(Span{0, tokens[len(tokens)-1].To}), closers
}

// Solid returns the places of a text that stay together when it is cut into parts:
// statements and comments, in order. A text that cannot be read is one place.
func Solid(s *Source) []Span {
	tokens, err := lex(s)
	if err != nil {
		return []Span{{0, len(s.runes)}}
	}
	partner, err := partners(s, tokens)
	if err != nil {
		return []Span{{0, len(s.runes)}}
	}
	var solid []Span
	at := 0
	for from := 0; from < len(tokens); {
		to := max(end(s, tokens, partner, from), from+1) // a lone ; is a statement
		solid = append(comments(s, solid, at, tokens[from].From), Span{tokens[from].From, tokens[to-1].To})
		at, from = tokens[to-1].To, to
	}
	return comments(s, solid, at, len(s.runes))
}

// comments appends the places of the comments between two statements.
func comments(s *Source, solid []Span, from, to int) []Span {
	for from < to-1 {
		length := 0
		switch s.Slice(Span{from, from + 2}) {
		case "//":
			length = until(s.runes[from:to], "\n")
		case "/*":
			length = until(s.runes[from:to], "*/") + 2
		default:
			from++
			continue
		}
		solid = append(solid, Span{from, min(from+length, to)})
		from += length
	}
	return solid
}

// until returns how many runes come before a text of ASCII characters after the
// first two runes, all of them when it does not follow.
func until(runes []rune, text string) int {
	for i := 2; i+len(text) <= len(runes); i++ {
		if string(runes[i:i+len(text)]) == text {
			return i
		}
	}
	return len(runes)
}
