package front

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// functions makes the parser of expr treat its built-in functions, such as sum(…) and map(…), as ordinary function calls.
// The script language defines what they mean.
var functions conf.FunctionsTable = lists.Keyed(builtin.Builtins, func(_ int, f *builtin.Function) (string, *builtin.Function) {
	return f.Name, f
})

// parse parses the statement with expr, and sets Node and the Default of each parameter. It writes named arguments as
// a map literal of expr:
//
//	rbf(0.5, dims=[1], x=2)  becomes  rbf(0.5, {dims:[1], x:2})
//
// It sets origin to the offset in the user's text of each rune given to expr. The order of the text does not change,
// so origin is ascending. head must have set body and the token indices of the default values.
func (st *Statement) parse() *Error {
	text, err := st.rewrite()
	if err != nil {
		return err
	}
	tree, failed := parser.ParseWithConfig(text, &conf.Config{Functions: functions}) // expr only parses; it does not run the script
	if failed != nil {
		return st.syntaxError(failed)
	}
	// With default values, the tree is a list: first the defaults in the order of the parameters, then the expression.
	st.Node = tree.Node
	if list, ok := tree.Node.(*ast.ArrayNode); ok && st.hasDefaults() {
		next := 0
		for i := range st.Params {
			if st.Params[i].to > 0 {
				st.Params[i].Default = list.Nodes[next]
				next++
			}
		}
		st.Node = list.Nodes[next]
	}
	return nil
}

// hasDefaults reports whether the statement defines a formula in which a parameter has a default value.
func (st *Statement) hasDefaults() bool { // token 0 is the name, so to is 0 only without a default
	return slices.ContainsFunc(st.Params, func(p Param) bool { return p.to > 0 })
}

// rewrite returns the text to give to expr, and sets origin. If parameters have default values, the text is a list: the
// defaults, then the expression.
func (st *Statement) rewrite() (string, *Error) {
	// Write all expressions of the statement to one text, so that origin maps all positions.
	w := &rewriter{st: st, at: st.Body().From}
	if !st.hasDefaults() {
		err := w.expression(st.body, len(st.tokens))
		return string(w.out), err
	}
	w.insert('[')
	for _, p := range st.Params {
		if p.to == 0 {
			continue
		}
		if err := w.expression(p.from, p.to); err != nil {
			return "", err
		}
		w.insert(',')
	}
	err := w.expression(st.body, len(st.tokens))
	w.insert(']')
	return string(w.out), err
}

// expression writes the tokens from … to-1: the statement's expression or a default value. Brackets among them must match.
// It returns an error for a positional argument after a named one; the parser finds all other mistakes.
func (w *rewriter) expression(from, to int) *Error {
	st := w.st
	w.at = st.tokens[from].From
	// for the index of a closing bracket, whether its call has named arguments
	named := make([]bool, len(st.tokens))
	closing := []int{-1} // for each open bracket, the closing bracket of its call; -1 if the bracket does not open a call
	for i := from; i < to; i++ {
		t := st.tokens[i]
		// An argument starts after the opening bracket of the call, or after a comma directly inside the call.
		if call := closing[len(closing)-1]; call >= 0 && opensArgument(st.tokens[i-1]) && i != call {
			switch {
			// Named arguments come last. Therefore one map literal, from the first of them to the closing bracket,
			// contains all.
			case t.Kind == lexer.Identifier && st.tokens[i+1].Is(lexer.Operator, "="):
				w.copyTo(t.From)
				if !named[call] {
					w.insert('{')
					named[call] = true
				}
				w.copyTo(st.tokens[i+1].From)
				w.insert(':')
				w.at++ // skip the equals sign
			case named[call]:
				return st.Source.At(Span(t.Location), "an argument without a name follows one with a name", "put the named arguments last")
			}
		}
		// Write a text without values, or the first piece of a text with values.
		if t.Kind == lexer.String || t.Kind == tail || t.Is(lexer.Bracket, "{") {
			w.text(i)
		}
		switch {
		case t.Is(lexer.Bracket, "(", "[", "{"):
			call := -1
			// A round bracket directly after a name opens a call.
			if t.Value == "(" && i > from && st.tokens[i-1].Kind == lexer.Identifier {
				call = st.partner[i]
			}
			closing = append(closing, call)
		case t.Kind == lexer.Bracket:
			if named[i] { // end the map literal before the call ends
				w.copyTo(t.From)
				w.insert('}')
			}
			closing = closing[:len(closing)-1]
			// Write this piece of text after closing its bracket, because it ends the expression in braces.
			if t.Value == "}" {
				w.text(i)
			}
		}
	}
	w.copyTo(st.tokens[to-1].To)
	return nil
}

// opensArgument reports whether an argument of a call can follow the token t.
func opensArgument(t lexer.Token) bool { return t.Is(lexer.Operator, ",") || t.Is(lexer.Bracket, "(") }

// rewriter copies the user's text and inserts what expr needs.
type rewriter struct { // writes to out, and to st.origin for each rune of out
	st  *Statement
	out []rune // text for expr; its length is that of st.origin
	at  int    // offset up to which the user's text is copied

	quotes []rune // opening quotes of the enclosing texts with values, outermost first
}

// copyTo copies the user's text from w.at up to an offset. If the offset is before w.at, it copies nothing.
func (w *rewriter) copyTo(offset int) {
	for ; w.at < offset; w.at++ {
		w.insert(w.st.Source.runes[w.at])
	}
}

// insert writes a rune that is not in the user's text. Errors at this rune are shown at the user's next rune.
func (w *rewriter) insert(r rune) {
	w.out = append(w.out, r)
	w.st.origin = append(w.st.origin, w.at)
}

// syntaxError converts an error of expr's parser to an error of the script language, at the user's token. It omits the
// parser's message, which may quote inserted text.
func (st *Statement) syntaxError(err error) *Error {
	var e *file.Error
	if !errors.As(err, &e) {
		panic("front: unknown parser error: " + err.Error())
	}
	at := st.place(e.From, e.To)
	// Find the token at the error or after it; if there is none, use the last token.
	i := 0
	for i < len(st.tokens)-1 && st.tokens[i].To <= at.From {
		i++
	}
	t := st.tokens[i]
	// If the expression is too short, show the error at the last token.
	if strings.HasSuffix(e.Message, "token EOF") || e.From >= len(st.origin) || at.From >= st.Body().To {
		t = st.tokens[len(st.tokens)-1]
		// A value can be an unfinished expression only if a choice lacks its second half.
		if t.Kind != lexer.Operator {
			return st.Source.At(Span(t.Location), fmt.Sprintf("the choice ends after %q, without its second value", t.Value),
				"write condition ? a : b")
		}
		return st.Source.At(Span(t.Location), fmt.Sprintf("the statement ends after %q, and a value is missing", t.Value), "")
	}
	message, hint := fmt.Sprintf("%q is not expected here", t.Value), ""
	switch {
	case t.Is(lexer.Operator, "="):
		hint = "bind a name at the start of a statement: name = expression"
	case i == 1 && st.tokens[0].Kind == lexer.Identifier && (t.Kind == lexer.Identifier || t.Kind == lexer.String):
		hint = fmt.Sprintf("write the arguments of a function in brackets: %s(…)", st.tokens[0].Value)
	case t.Kind == lexer.Number || t.Kind == lexer.Identifier || t.Kind == lexer.String || t.Is(lexer.Bracket, "("):
		hint = "write an operator, a comma or a line end before it"
	case t.Is(lexer.Operator, ",") && len(unclosed(st.tokens[:i])) == 0:
		hint = "a statement ends with its line; write the next one in a new line"
	case t.Is(lexer.Operator, ":"):
		hint = "write a choice as condition ? a : b, and a range from a to b as a..b"
	}
	return st.Source.At(Span(t.Location), message, hint)
}
