package front

import (
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
)

// functions makes the parser read sum(…), map(…) and its other built-in names as
// plain calls: what they mean is the business of the language, not of expr.
var functions = func() conf.FunctionsTable {
	table := conf.FunctionsTable{}
	for _, f := range builtin.Builtins {
		table[f.Name] = f
	}
	return table
}()

// parse fills Node. Named arguments are rewritten to expr's map literal,
//
//	rbf(0.5, dims=[1], x=2)  becomes  rbf(0.5, {dims:[1], x:2})
//
// and origin remembers where every rune came from.
func (st *Statement) parse() *Error {
	text, err := st.rewrite()
	if err != nil {
		return err
	}
	tree, failed := parser.ParseWithConfig(text, &conf.Config{Functions: functions})
	if failed != nil {
		return st.syntaxError(failed)
	}
	st.Node = tree.Node
	return nil
}

// rewrite returns the expression as expr reads it.
func (st *Statement) rewrite() (string, *Error) {
	var out []rune
	whole := st.Body()
	at := whole.From
	copyTo := func(to int) {
		for ; at < to; at++ {
			out = append(out, st.Source.runes[at])
			st.origin = append(st.origin, at)
		}
	}
	put := func(r rune) {
		out = append(out, r)
		st.origin = append(st.origin, at)
	}
	named := make([]bool, len(st.tokens)) // for the closing bracket of each call: whether it has named arguments
	var calls []int                       // for each open bracket: its closing one, or -1 when it is not a call's
	for i := st.body; i < len(st.tokens); i++ {
		t := st.tokens[i]
		if t.Is(lexer.Bracket, ")", "]") {
			if named[i] {
				copyTo(t.From)
				put('}')
			}
			calls = calls[:len(calls)-1]
			continue
		}
		if call := argumentOf(calls); call >= 0 && (st.tokens[i-1].Is(lexer.Operator, ",") || st.tokens[i-1].Is(lexer.Bracket, "(")) {
			isNamed := t.Kind == lexer.Identifier && st.tokens[i+1].Is(lexer.Operator, "=")
			switch {
			case isNamed:
				copyTo(t.From)
				if !named[call] {
					put('{')
					named[call] = true
				}
				copyTo(st.tokens[i+1].From)
				put(':')
				at++
				i++
			case named[call]:
				return "", st.Source.At(Span(t.Location), "an argument without a name follows one with a name", "put the named arguments last")
			}
		}
		if t.Kind == lexer.Bracket {
			call := -1
			if t.Value == "(" && i > st.body && st.tokens[i-1].Kind == lexer.Identifier {
				call = st.partner[i]
			}
			calls = append(calls, call)
		}
	}
	copyTo(whole.To)
	return string(out), nil
}

// argumentOf returns the closing bracket of the innermost bracket open, or -1 when
// that is not the bracket of a call.
func argumentOf(calls []int) int {
	if len(calls) == 0 {
		return -1
	}
	return calls[len(calls)-1]
}

// syntaxError puts the parser's errors into the words of the language.
func (st *Statement) syntaxError(err error) *Error {
	var e *file.Error
	if !errors.As(err, &e) {
		panic("front: unknown parser error: " + err.Error())
	}
	at := st.place(e.From, e.To)
	i := st.body
	for i < len(st.tokens)-1 && st.tokens[i].To <= at.From {
		i++
	}
	t := st.tokens[i]
	if strings.Contains(e.Message, "EOF") || e.From >= len(st.origin) {
		t = st.tokens[len(st.tokens)-1]
		return st.Source.At(Span(t.Location), fmt.Sprintf("the statement ends after %q, where a value should follow", t.Value), "")
	}
	message, hint := fmt.Sprintf("%q is not expected here", t.Value), ""
	switch {
	case t.Is(lexer.Operator, "="):
		hint = "a name is bound at the start of a statement: name = expression"
	case t.Kind == lexer.Number || t.Kind == lexer.Identifier || t.Kind == lexer.String || t.Is(lexer.Bracket, "("):
		hint = "something is missing before it: an operator, a comma or a line end"
	}
	return st.Source.At(Span(t.Location), message, hint)
}
