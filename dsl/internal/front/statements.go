package front

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser/lexer"
)

// Statement is one of
//
//	expression                   Name is empty
//	name = expression
//	name(x, y) = expression      Params has the parameters
//	name(x, y, a=1) = expression
//
// Parse makes it, and nothing changes it after that. Offsets and places are of the whole script.
type Statement struct {
	Source *Source  // the script, which all its statements share
	Name   string   // what the statement binds; empty for a bare expression
	NameAt Span     // where the name stands; zero for a bare expression
	Params []Param  // of a formula definition
	Node   ast.Node // tree of the expression, with places in the text that expr read; Span gives the user's

	tokens  []lexer.Token // of the statement
	partner []int         // for each token the index of its partner among tokens, or -1
	origin  []int         // user's rune offset of every rune that expr read
	body    int           // index of the first token of the expression
}

// Param is a parameter of a formula definition.
type Param struct {
	Name    string   // as the body uses it
	At      Span     // where it stands in the head
	Default ast.Node // nil where the definition gives none

	// to is 0 without a default; from is less than to otherwise
	from, to int // indices of the tokens of the default
}

// Whole returns the place of the statement.
func (st *Statement) Whole() Span { return Span{st.tokens[0].From, st.tokens[len(st.tokens)-1].To} }

// Body returns the place of the expression.
func (st *Statement) Body() Span {
	return Span{st.tokens[st.body].From, st.tokens[len(st.tokens)-1].To}
}

// Parse splits a text into statements and parses each. A statement with an error
// is left out, and the others are still returned, so that several independent
// mistakes are told at once (at most MaxErrors).
// A text whose words or brackets cannot be read has no statements at all, since nobody knows where they would end.
func Parse(s *Source) ([]*Statement, Errors) {
	tokens, partner, err := read(s)
	if err != nil {
		return nil, Errors{err}
	}
	var statements []*Statement
	var errs Errors
	for from := 0; from < len(tokens); {
		to := end(s, tokens, partner, from)
		if to > from { // an empty one stands between two ;
			if st, err := statement(s, tokens[from:to], partner[from:to], from); err == nil {
				statements = append(statements, st)
			} else if errs = append(errs, err); len(errs) == MaxErrors {
				break
			}
		}
		from = to
		if from < len(tokens) && tokens[from].Is(lexer.Operator, ";") {
			from++
		}
	}
	return statements, errs
}

// read returns the tokens of a text, and for each the index of its partner.
// The brackets are only looked at when all words could be read.
func read(s *Source) (tokens []lexer.Token, partner []int, err *Error) {
	if tokens, err = lex(s); err == nil {
		partner, err = partners(s, tokens)
	}
	return tokens, partner, err
}

// end returns the index after the last token of the statement that starts at from.
func end(s *Source, tokens []lexer.Token, partner []int, from int) int {
	for i := from; i < len(tokens); i++ {
		if tokens[i].Is(lexer.Operator, ";") || i > from && ends(s, tokens[i-1], tokens[i]) {
			return i
		}
		if partner[i] > i {
			i = partner[i] // line ends inside brackets do not count
		}
	}
	return len(tokens)
}

// ends reports whether a statement ends between two tokens outside brackets: at a
// line end, unless the line ends with an operator or the next begins with one
// that cannot begin an expression.
// A line with a minus at its start is a statement of its own: it is the sign of a value there.
func ends(s *Source, last, next lexer.Token) bool {
	if last.Kind == lexer.Operator || next.Is(lexer.Operator, "+", "*", "/", "^") {
		return false
	}
	return slices.Contains(s.runes[last.To:next.From], '\n')
}

// statement parses the tokens of one statement; shift is the index of the first
// in the whole script, which partner counts from.
// The tokens stay a part of the script's list. The partners are copied, since their indices change.
// An error is about the head, an empty body, or the expression; the statement is then not to be used.
func statement(s *Source, tokens []lexer.Token, partner []int, shift int) (*Statement, *Error) {
	st := &Statement{Source: s, tokens: tokens, partner: make([]int, len(partner))}
	for i, p := range partner {
		st.partner[i] = p
		if p >= 0 {
			st.partner[i] = p - shift
		}
	}
	if err := st.head(); err != nil {
		return nil, err
	}
	// The = is the last token then.
	if st.body == len(tokens) {
		last := tokens[len(tokens)-1]
		return nil, s.At(Span(last.Location), fmt.Sprintf("%s is given no value", st.Name), "write an expression after =")
	}
	return st, st.parse()
}

// head reads `name =` or `name(x, y) =`.
// It sets Name, NameAt, Params and body, all of them unset for a bare expression; body is then 0.
// Two equal names of parameters and a wrong number of them are found later, by the script that defines the formula.
func (st *Statement) head() *Error {
	t := st.tokens
	is := func(i int, kind lexer.Kind, values ...string) bool { return i < len(t) && t[i].Is(kind, values...) }
	if !is(0, lexer.Identifier) {
		return nil
	}
	if is(1, lexer.Operator, "=") {
		st.Name, st.NameAt, st.body = t[0].Value, Span(t[0].Location), 2
		return nil
	}
	// a call: an expression, unless = follows its closing bracket
	if !is(1, lexer.Bracket, "(") || !is(st.partner[1]+1, lexer.Operator, "=") {
		return nil
	}
	closed := st.partner[1]
	for i := 2; i < closed; i++ {
		if !is(i, lexer.Identifier) || !is(i+1, lexer.Operator, ",", "=") && i+1 != closed {
			return st.Source.At(Span(t[i].Location), "the parameters of a formula are names",
				"write f(x, y) = …, where x and y are the two points, or f(x, y, a=1) = … with a number that may be chosen")
		}
		p := Param{Name: t[i].Value, At: Span(t[i].Location)}
		// A default reaches to the next comma outside brackets, or to the bracket that closes the head.
		if i++; is(i, lexer.Operator, "=") {
			p.from = i + 1
			for i++; i < closed && !is(i, lexer.Operator, ","); i++ {
				i = max(i, st.partner[i]) // commas inside brackets do not count
			}
			if p.to = i; p.from == p.to {
				return st.Source.At(p.At, p.Name+" is given no value", "write "+p.Name+"=1")
			}
		}
		st.Params = append(st.Params, p)
	}
	if len(st.Params) == 0 {
		return st.Source.At(Span{t[0].From, t[closed].To}, "a formula needs the names of its two points", "write f(x, y) = …")
	}
	st.Name, st.NameAt, st.body = t[0].Value, Span(t[0].Location), closed+2
	return nil
}

// Completeness reports whether a text is a script as it stands.
// A front end reads on at Incomplete and runs the text otherwise.
type Completeness string

// The answers.
const (
	Complete   Completeness = "complete"   // nothing is missing; names and types are not looked at
	Incomplete Completeness = "incomplete" // more text could make it right
	Invalid    Completeness = "invalid"    // nothing that follows repairs it
)

// CompletenessOf reads a text as far as it is written, and counts the brackets that
// are open at its end.
// The number of brackets is 0 unless the answer is Incomplete.
func CompletenessOf(text string) (c Completeness, open int) {
	s := NewSource("", text)
	if _, errs := Parse(s); len(errs) == 0 {
		return Complete, 0
	}
	// Whatever could be missing is put at the end. If the first mistake is then in
	// what was put there or gone, the text itself was right so far.
	whole, closers := closeTail(s)
	written := len([]rune(whole))
	// Nothing, for a bracket alone; a value, after an operator; the second half of a choice.
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
// Both together with something between them are the text that CompletenessOf tries.
func closeTail(s *Source) (whole, closers string) {
	whole = s.Text
	if _, err := lex(s); err != nil {
		rest := s.Slice(Span{min(err.Span.From, len(s.runes)), len(s.runes)})
		switch {
		case err.open == comment:
			whole += "*/"
		// Only a text in backticks goes over several lines; another quote left open on an earlier line is a mistake.
		case err.open == quote && rest != "" && (rest[0] == '`' || !strings.Contains(rest, "\n")):
			whole += rest[:1]
		}
	}
	closed := NewSource("", whole)
	tokens, err := lex(closed)
	if err != nil || len(tokens) == 0 { // what is wrong is not at the end; the caller finds the mistake again
		return whole, ""
	}
	open := unclosed(tokens)
	for i := range open { // the innermost bracket is closed first
		closers += closing(tokens[open[len(open)-1-i]].Value)
	}
	return closed.Slice(Span{0, tokens[len(tokens)-1].To}), closers
}

// Solid returns the places of a text that stay together when it is cut into parts:
// statements and comments, in order. A text that cannot be read is one place.
// Between two of them only blank lines and spaces lie. Trailing comments are places of their own.
func Solid(s *Source) []Span {
	tokens, partner, err := read(s)
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
// Comments inside statements are a part of the statement. Solid guarantees that no quote lies between from and to.
func comments(s *Source, solid []Span, from, to int) []Span {
	for from < to-1 {
		length := 0
		switch s.Slice(Span{from, from + 2}) {
		case "//":
			length = until(s.runes[from:to], "\n")
		case "/*":
			length = until(s.runes[from:to], "*/") + 2 // with its end; min below cuts where that is missing
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
// The first two runes are the sign that begins the comment, so /*/ does not end itself.
func until(runes []rune, text string) int {
	for i := 2; i+len(text) <= len(runes); i++ {
		if string(runes[i:i+len(text)]) == text {
			return i
		}
	}
	return len(runes)
}
