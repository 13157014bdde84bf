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
// Parse makes statements; they are immutable afterwards. Offsets and places refer to the whole script.
type Statement struct {
	Source *Source  // the script, which all its statements share
	Name   string   // "" for a bare expression
	NameAt Span     // place of the name; zero for a bare expression
	Params []Param  // parameters of a formula definition
	Node   ast.Node // syntax tree of the expression, with places in the text for expr; Span converts them

	tokens  []lexer.Token // tokens of the statement
	partner []int         // index of the matching bracket among tokens, or -1
	origin  []int         // offset in the user's text of every rune in the text for expr
	body    int           // index of the first token of the expression
}

// Param is a parameter of a formula definition.
type Param struct {
	Name    string   // name in the head and the body
	At      Span     // place in the head
	Default ast.Node // nil if there is none

	// token indices of the default; to is 0 without a default
	from, to int
}

// Whole returns the place of the statement.
func (st *Statement) Whole() Span { return Span{st.tokens[0].From, st.tokens[len(st.tokens)-1].To} }

// Body returns the place of the expression.
func (st *Statement) Body() Span {
	return Span{st.tokens[st.body].From, st.tokens[len(st.tokens)-1].To}
}

// Parse splits a text into statements and parses each. It leaves out statements with errors, so that up to MaxErrors independent
// mistakes are reported. If tokens or brackets are invalid it returns no statements, because their ends are unknown.
func Parse(s *Source) ([]*Statement, Errors) {
	tokens, partner, err := read(s)
	if err != nil {
		return nil, Errors{err}
	}
	var statements []*Statement
	var errs Errors
	for from := 0; from < len(tokens); {
		to := end(s, tokens, partner, from)
		if to > from { // skip an empty statement between two ;
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

// read returns the tokens of a text, and for each the index of the matching bracket. It matches brackets only if all tokens are
// valid.
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
			i = partner[i] // skip line ends inside brackets
		}
	}
	return len(tokens)
}

// ends reports whether a statement ends between two tokens that are outside brackets. It ends at a line end, unless an operator
// ends the line, or an operator that cannot begin an expression starts the next. A minus at the start of a line is a sign, so
// that line is a new statement.
func ends(s *Source, last, next lexer.Token) bool {
	if last.Kind == lexer.Operator || next.Is(lexer.Operator, "+", "*", "/", "^") {
		return false
	}
	return slices.Contains(s.runes[last.To:next.From], '\n')
}

// statement parses the tokens of one statement. shift is the index of its first token in the whole script, by which it adjusts
// the indices in partner. After an error the returned statement must not be used.
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
	// The = is the last token.
	if st.body == len(tokens) {
		last := tokens[len(tokens)-1]
		return nil, s.At(Span(last.Location), fmt.Sprintf("%s has no value", st.Name), "write an expression after =")
	}
	return st, st.parse()
}

// head reads `name =` or `name(x, y) =`. It sets Name, NameAt, Params and body; for a bare expression they stay unset. The number
// and the names of parameters are checked later.
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
	// a call is a bare expression, unless = follows its closing bracket
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
		// A default ends at the next comma outside brackets, or at the closing bracket of the head.
		if i++; is(i, lexer.Operator, "=") {
			p.from = i + 1
			for i++; i < closed && !is(i, lexer.Operator, ","); i++ {
				i = max(i, st.partner[i]) // skip commas inside brackets
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

// Completeness states whether a text is a complete script. A front end waits for more text if it is Incomplete, and runs it
// otherwise.
type Completeness string

// The values of Completeness.
const (
	Complete   Completeness = "complete"   // nothing is missing; names and types are not checked
	Incomplete Completeness = "incomplete" // more text could make it valid
	Invalid    Completeness = "invalid"    // no further text can repair it
)

// CompletenessOf examines a text. open is the number of brackets that are open at its end; 0 unless the text is Incomplete.
func CompletenessOf(text string) (c Completeness, open int) {
	s := NewSource("", text)
	if _, errs := Parse(s); len(errs) == 0 {
		return Complete, 0
	}
	// Append what could be missing. If the first mistake then disappears, or is in the appended part, the text was valid so far.
	whole, closers := closeTail(s)
	written := len([]rune(whole))
	// A bracket may lack nothing else, an operator a value, and a choice its second half.
	for _, missing := range []string{"", " 0", ": 0"} {
		_, errs := Parse(NewSource("", whole+missing+closers))
		if len(errs) == 0 || errs[0].Span.From >= written {
			return Incomplete, len(closers)
		}
	}
	return Invalid, 0
}

// closeTail returns the text up to its last token, with an open quote closed, and the closing brackets for those still open.
// CompletenessOf inserts missing parts between the two.
func closeTail(s *Source) (whole, closers string) {
	whole = s.Text
	if _, err := lex(s); err != nil {
		rest := s.Slice(Span{min(err.Span.From, len(s.runes)), len(s.runes)})
		switch {
		case err.open == comment:
			whole += "*/"
		// Only a text in backticks spans several lines; any other quote that is still open on an earlier line is a mistake.
		case err.open == quote && rest != "" && (rest[0] == '`' || !strings.Contains(rest, "\n")):
			whole += rest[:1]
		}
	}
	closed := NewSource("", whole)
	tokens, err := lex(closed)
	if err != nil || len(tokens) == 0 { // the mistake is not at the end; the caller finds it again
		return whole, ""
	}
	open := unclosed(tokens)
	for i := range open { // close the innermost bracket first
		closers += closing(tokens[open[len(open)-1-i]].Value)
	}
	return closed.Slice(Span{0, tokens[len(tokens)-1].To}), closers
}

// Solid returns the places that must not be split when a text is cut: statements and comments, in order. Only blanks and line
// ends are between them. A comment at the end of a line has a place of its own. A text that cannot be parsed is one place.
func Solid(s *Source) []Span {
	tokens, partner, err := read(s)
	if err != nil {
		return []Span{{0, len(s.runes)}}
	}
	var solid []Span
	at := 0
	for from := 0; from < len(tokens); {
		to := max(end(s, tokens, partner, from), from+1) // a single ; counts as a statement
		solid = append(comments(s, solid, at, tokens[from].From), Span{tokens[from].From, tokens[to-1].To})
		at, from = tokens[to-1].To, to
	}
	return comments(s, solid, at, len(s.runes))
}

// comments appends the places of the comments between two statements. A comment inside a statement belongs to the statement.
// There must be no quote between from and to.
func comments(s *Source, solid []Span, from, to int) []Span {
	for from < to-1 {
		length := 0
		switch s.Slice(Span{from, from + 2}) {
		case "//":
			length = until(s.runes[from:to], "\n")
		case "/*":
			length = until(s.runes[from:to], "*/") + 2 // includes the end mark; min below handles a missing one
		default:
			from++
			continue
		}
		solid = append(solid, Span{from, min(from+length, to)})
		from += length
	}
	return solid
}

// until returns the number of runes before the text, which is searched from the third rune on; all runes if it is missing. The
// first two runes begin the comment, so that /*/ does not end itself.
func until(runes []rune, text string) int {
	for i := 2; i+len(text) <= len(runes); i++ {
		if string(runes[i:i+len(text)]) == text {
			return i
		}
	}
	return len(runes)
}
