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
// Parse makes statements; they never change afterwards. Offsets and positions refer to the whole script.
type Statement struct {
	Source *Source  // the script that contains the statement
	Name   string   // "" for a bare expression
	NameAt Span     // position of the name; zero for a bare expression
	Params []Param  // parameters of a formula definition
	Node   ast.Node // syntax tree of the expression; its positions refer to the text given to expr, and Span converts them

	tokens  []lexer.Token // tokens of the statement
	partner []int         // for each token, the index of the matching bracket, or -1
	origin  []int         // for each rune of the text given to expr, its offset in the user's text
	body    int           // index in tokens of the expression's first token
}

// Param is a parameter of a formula definition.
type Param struct {
	Name    string   // name of the parameter
	At      Span     // position in the head of the definition
	Default ast.Node // default value; nil if there is none

	// range of tokens of the default value; to is 0 without a default
	from, to int
}

// Whole returns the position of the whole statement.
func (st *Statement) Whole() Span { return Span{st.tokens[0].From, st.tokens[len(st.tokens)-1].To} }

// Body returns the position of the statement's expression.
func (st *Statement) Body() Span {
	return Span{st.tokens[st.body].From, st.tokens[len(st.tokens)-1].To}
}

// Parse splits a script into statements and parses each. The result omits statements with errors, so that up to MaxErrors
// independent errors are reported. If a token or a bracket is invalid, it returns no statements, because it cannot find
// their ends.
func Parse(s *Source) ([]*Statement, Errors) {
	tokens, partner, err := read(s)
	if err != nil {
		return nil, Errors{err}
	}
	var statements []*Statement
	var errs Errors
	for from := 0; from < len(tokens); {
		to := end(s, tokens, partner, from)
		if to > from { // nothing is between two semicolons
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

// read returns the tokens of a text, and for each token the index of the matching bracket, or -1. If a token is invalid,
// it does not match brackets.
func read(s *Source) (tokens []lexer.Token, partner []int, err *Error) {
	if tokens, err = lex(s); err == nil {
		partner, err = partners(s, tokens)
	}
	return tokens, partner, err
}

// end returns the index after the last token of the statement whose first token has index from.
func end(s *Source, tokens []lexer.Token, partner []int, from int) int {
	for i := from; i < len(tokens); i++ {
		if tokens[i].Is(lexer.Operator, ";") || i > from && ends(s, tokens[i-1], tokens[i]) {
			return i
		}
		if partner[i] > i {
			i = partner[i] // continue after the closing bracket
		}
	}
	return len(tokens)
}

// ends reports whether a statement ends between the tokens last and next, which are outside brackets. It ends at a line
// end, unless last is an operator, or next is one of + * / ^. A minus at the start of a line begins a new statement,
// because it may be a sign.
func ends(s *Source, last, next lexer.Token) bool {
	if last.Kind == lexer.Operator || next.Is(lexer.Operator, "+", "*", "/", "^") {
		return false
	}
	return slices.Contains(s.runes[last.To:next.From], '\n')
}

// statement parses the tokens of one statement. shift is the index of its first token in the script; the indices in
// partner refer to the script. After an error, the returned statement must not be used.
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
	// There is nothing after the equals sign.
	if st.body == len(tokens) {
		last := tokens[len(tokens)-1]
		return nil, s.At(Span(last.Location), fmt.Sprintf("%s has no value", st.Name), "write an expression after =")
	}
	return st, st.parse()
}

// head parses `name =` or `name(x, y) =` at the start of the statement, and sets Name, NameAt, Params and body. It does
// not set them for a bare expression. The number and the names of parameters are checked later.
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
	// Without an equals sign after its closing bracket, a call is a bare expression.
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
		// A default value ends at the next comma outside brackets, or at the closing bracket of the head.
		if i++; is(i, lexer.Operator, "=") {
			p.from = i + 1
			for i++; i < closed && !is(i, lexer.Operator, ","); i++ {
				i = max(i, st.partner[i]) // continue after the closing bracket
			}
			if p.to = i; p.from == p.to {
				return st.Source.At(p.At, p.Name+" has no value", "write "+p.Name+"=1")
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

// Completeness says whether a text is a complete script. If it is Incomplete, a front end waits for more text; otherwise
// it runs the text.
type Completeness string

// The values of Completeness.
const (
	Complete   Completeness = "complete"   // syntax is complete; names and types are not checked
	Incomplete Completeness = "incomplete" // more text can complete it
	Invalid    Completeness = "invalid"    // no further text can correct it
)

// CompletenessOf returns the completeness of a text. open is the number of brackets that are not closed, or 0 unless the
// text is Incomplete.
func CompletenessOf(text string) (c Completeness, open int) {
	s := NewSource("", text)
	if _, errs := Parse(s); len(errs) == 0 {
		return Complete, 0
	}
	// Append different endings. If the first mistake then disappears, or lies in the ending, more text can complete the
	// script.
	whole, closers := closeTail(s)
	written := len([]rune(whole))
	// Possible endings: only closing brackets; the operand of an operator; the second half of a choice.
	for _, missing := range []string{"", " 0", ": 0"} {
		_, errs := Parse(NewSource("", whole+missing+closers))
		if len(errs) == 0 || errs[0].Span.From >= written {
			return Incomplete, len(closers)
		}
	}
	return Invalid, 0
}

// closeTail returns the text up to its last token, with an open quote closed, and the closing brackets for open brackets.
// CompletenessOf inserts an ending between the two.
func closeTail(s *Source) (whole, closers string) {
	whole = s.Text
	if _, err := lex(s); err != nil {
		rest := s.Slice(Span{min(err.Span.From, len(s.runes)), len(s.runes)})
		switch {
		case err.open == comment:
			whole += "*/"
		// Only a text in backticks may span lines. Another quote that is not closed on its line is a mistake.
		case err.open == quote && rest != "" && (rest[0] == '`' || !strings.Contains(rest, "\n")):
			whole += rest[:1]
		}
	}
	closed := NewSource("", whole)
	tokens, err := lex(closed)
	if err != nil || len(tokens) == 0 { // the mistake is elsewhere; the caller finds it too
		return whole, ""
	}
	open := unclosed(tokens)
	for i := range open { // the innermost bracket comes first
		closers += closing(tokens[open[len(open)-1-i]].Value)
	}
	return closed.Slice(Span{0, tokens[len(tokens)-1].To}), closers
}

// Solid returns the parts of a script that must not be split: statements and comments, in order. Only blanks and line ends
// are between them. A comment at the end of a statement's line is a part of its own. A text that cannot be parsed is one
// part.
func Solid(s *Source) []Span {
	tokens, partner, err := read(s)
	if err != nil {
		return []Span{{0, len(s.runes)}}
	}
	var solid []Span
	at := 0
	for from := 0; from < len(tokens); {
		to := max(end(s, tokens, partner, from), from+1) // a semicolon alone counts as a statement
		solid = append(comments(s, solid, at, tokens[from].From), Span{tokens[from].From, tokens[to-1].To})
		at, from = tokens[to-1].To, to
	}
	return comments(s, solid, at, len(s.runes))
}

// comments appends the positions of comments between two statements, from … to-1, to solid. There must be no quotes there.
// A comment inside a statement belongs to the statement.
func comments(s *Source, solid []Span, from, to int) []Span {
	for from < to-1 {
		length := 0
		switch s.Slice(Span{from, from + 2}) {
		case "//":
			length = until(s.runes[from:to], "\n")
		case "/*":
			length = until(s.runes[from:to], "*/") + 2 // includes the end mark; if that is missing, min below limits the length
		default:
			from++
			continue
		}
		solid = append(solid, Span{from, min(from+length, to)})
		from += length
	}
	return solid
}

// until returns the number of runes before the first occurrence of text, or all runes if there is none. It starts at the
// third rune: the first two begin the comment, and /*/ does not end itself.
func until(runes []rune, text string) int {
	for i := 2; i+len(text) <= len(runes); i++ {
		if string(runes[i:i+len(text)]) == text {
			return i
		}
	}
	return len(runes)
}
