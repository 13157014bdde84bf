package front

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

// A text with values, such as "took {n:.0f} s", becomes several tokens. The expression in braces is thus parsed at its own position:
//
//	"took {    n    :.0f}     s"
//
// The first and the third token are a pair of brackets; the last token has the kind tail. They are written for expr as a call of
// a function whose name scripts cannot contain:
//
//	$text("took ", n, ".0f", " s")

// TextCall is the function name in the syntax tree of a text with values. The call's arguments are a text, and then, for
// each value: the value, its format and the text after it.
const TextCall = "$text"

// Format matches the format of a value in a text, which follows a colon. It has a comma for thousands, a number of digits,
// and a letter; all are optional.
var Format = regexp.MustCompile(`^(,?)(?:\.(\d{1,2}))?([fegd%]?)$`)

// tail is the kind of the last token of a text with values.
const tail lexer.Kind = "Tail"

// braced returns the tokens of the text t: one token, or several if the text has values in braces. A text in backticks has
// no values. Positions include the quotes; the value of a text has its escapes resolved. It returns an error for unmatched
// braces, for an invalid format, and unless each pair of braces contains exactly one expression.
func braced(s *Source, t lexer.Token) ([]lexer.Token, *Error) {
	if quote := s.runes[t.From]; quote == '`' || !strings.ContainsAny(t.Value, "{}") {
		return []lexer.Token{t}, nil
	}
	piece := func(from, to int, kind lexer.Kind, value string) lexer.Token {
		return lexer.Token{Location: file.Location{From: from, To: to}, Kind: kind, Value: value}
	}
	var tokens []lexer.Token
	from, end := t.From, t.To-1 // start of the current piece, and offset of the closing quote
	for i := t.From + 1; i < end; i++ {
		switch r := s.runes[i]; {
		// An escape or a doubled brace has two runes.
		case r == '\\', r == '{' && s.runes[i+1] == '{', r == '}' && s.runes[i+1] == '}':
			i++
		case r == '}':
			return nil, s.At(Span{i, i + 1}, "the } in the text closes nothing", "write }} for a brace in a text")
		case r == '{':
			value, closed := enclosed(s, i+1, end)
			if closed == end {
				return nil, s.At(Span{i, i + 1}, "the { in the text is not closed", "{name} shows a value in a text; write {{ for a brace")
			}
			// The format follows the colon. Without a colon, the span is empty and matches Format too.
			if at := (Span{min(value+1, closed), closed}); !Format.MatchString(s.Slice(at)) {
				return nil, s.At(at, fmt.Sprintf("%q is not a format of a number", s.Slice(at)), "formats look like {x:.2f}, {x:,} or {x:.0%}")
			}
			inner, err := tokensOf(s, i+1, value) // the expression may contain another text with values, in other quotes
			if err != nil {
				return nil, err
			}
			if len(inner) == 0 {
				return nil, s.At(Span{i, closed + 1}, "the braces of the text are empty",
					"{name} shows a value in a text; write {{ and }} for braces")
			}
			// The call has three arguments per value. Therefore reject a comma, a semicolon and an equals sign in the
			// expression.
			depth := 0
			for _, in := range inner {
				switch {
				case in.Is(lexer.Bracket, "(", "[", "{"):
					depth++
				case in.Kind == lexer.Bracket:
					depth--
				case depth == 0 && in.Is(lexer.Operator, ",", ";", "="):
					whole := s.Slice(Span{i, closed + 1})
					return nil, s.At(Span{i, closed + 1},
						fmt.Sprintf("%s contains %q; the braces of a text take one value", whole, in.Value), "write {"+whole+"} for braces")
				}
			}
			if depth != 0 {
				return nil, s.At(Span{i, closed + 1}, "brackets between the braces of the text have no partners", "write {{ and }} for braces")
			}
			// A piece of text ends with the brace that opens the next value, so pieces and values alternate.
			tokens = append(tokens, piece(from, i+1, lexer.Bracket, "{"))
			tokens = append(tokens, inner...)
			tokens = append(tokens, piece(value, closed+1, lexer.Bracket, "}"))
			from, i = closed+1, closed
		}
	}
	if len(tokens) == 0 { // there are only doubled braces and escapes
		return []lexer.Token{t}, nil
	}
	return append(tokens, piece(from, t.To, tail, "")), nil
}

// enclosed examines an expression inside braces of a text, which starts at offset from. value is the offset of its
// end. closed is the offset of the closing brace, or end if that is missing. A format may be between the two. A colon
// inside quotes, brackets or a choice does not start a format.
func enclosed(s *Source, from, end int) (value, closed int) {
	depth, choices := 0, 0
	var quote rune // the open quote; 0 if there is none
	value = -1
	for i := from; i < end; i++ {
		r := s.runes[i]
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case value >= 0 && r != '}': // in the format
		case r == '"' || r == '\'' || r == '`':
			quote = r
		case r == '(' || r == '[':
			depth++
		case r == ')' || r == ']':
			depth--
		case r == '?':
			choices++
		case r == ':' && choices > 0: // the colon of condition ? a : b
			choices--
		case r == ':' && depth == 0:
			value = i
		case r == '}' && value < 0:
			return i, i
		case r == '}':
			return value, i
		}
	}
	return end, end
}

// literal copies the part from … to-1 of a text, and replaces each doubled brace by a single one. It keeps escapes, which
// expr resolves, and quotes.
func (w *rewriter) literal(from, to int) {
	w.at = from
	for w.at < to {
		r := w.st.Source.runes[w.at]
		// Copy the second rune of an escape or a doubled brace without examining it.
		escaped := r == '\\' || (r == '{' || r == '}') && w.at+1 < to && w.st.Source.runes[w.at+1] == r
		if r == '\\' {
			w.insert(r)
		}
		if escaped {
			w.at++
		}
		w.insert(w.st.Source.runes[w.at])
		w.at++
	}
}

// text writes token i for expr: a text, or a piece of a text with values. Each piece is put in the quotes of its text, see
// w.quotes. The cases below are: a whole text, the last piece, a piece between two values, the first piece, and a format.
func (w *rewriter) text(i int) {
	t, last := w.st.tokens[i], len(w.quotes)-1
	w.copyTo(t.From)
	switch {
	case t.Kind == lexer.String && w.st.Source.runes[t.From] == '`':
		w.copyTo(t.To)
	case t.Kind == lexer.String:
		w.literal(t.From, t.To)
	case t.Kind == tail:
		w.insert(w.quotes[last])
		w.literal(t.From, t.To)
		w.insert(')')
		w.quotes = w.quotes[:last]
	// The piece follows a value and its format. It is an argument of the call, in its own quotes.
	case t.Value == "{" && i > 0 && w.st.tokens[i-1].Is(lexer.Bracket, "}"):
		w.insert(w.quotes[last])
		w.literal(t.From, t.To-1)
		w.insert(w.quotes[last])
		w.insert(',')
	case t.Value == "{":
		quote := w.st.Source.runes[t.From]
		w.quotes = append(w.quotes, quote)
		for _, r := range TextCall + "(" {
			w.insert(r)
		}
		w.literal(t.From, t.To-1)
		w.insert(quote)
		w.insert(',')
	default: // the token }
		w.insert(',')
		w.insert(w.quotes[last])
		if w.st.Source.runes[w.at] == ':' { // a format follows; without one, write an empty text
			w.at++
		}
		w.copyTo(t.To - 1)
		w.insert(w.quotes[last])
		w.insert(',')
	}
	w.at = t.To
}

// partners returns, for each token, the index of the matching bracket, or -1 if the token is not a bracket. It returns an
// error for unmatched brackets, and for expressions that are too deep or too long for a recursive parser.
func partners(s *Source, tokens []lexer.Token) ([]int, *Error) {
	partner := make([]int, len(tokens))
	var open []int             // indices of the open brackets
	chain := make([]int, 1, 8) // for each depth, the number of operators and brackets since the last comma or line end
	for i, t := range tokens {
		partner[i] = -1
		depth := len(open)
		switch {
		case t.Is(lexer.Bracket, "(", "[", "{"):
			if depth == maxDepth {
				return nil, s.At(Span(t.Location), fmt.Sprintf("more than %d brackets inside each other", maxDepth), "give parts of it a name")
			}
			chain[depth]++ // each index in x[0][0]… makes the tree deeper, like an operator
			open, chain = append(open, i), append(chain, 0)
		case t.Kind == lexer.Bracket:
			if depth == 0 {
				return nil, s.At(Span(t.Location), fmt.Sprintf("%q closes nothing", t.Value), "")
			}
			from := open[depth-1]
			if want := closing(tokens[from].Value); t.Value != want {
				line, col := s.Position(tokens[from].From) // position of the opening bracket, for the message
				return nil, s.At(Span(t.Location),
					fmt.Sprintf("%q does not close the %q of line %d, column %d", t.Value, tokens[from].Value, line, col), fmt.Sprintf("write %q", want))
			}
			partner[i], partner[from] = from, i
			open, chain = open[:depth-1], chain[:depth]
		// After a comma, a semicolon or the end of a statement, the parser's recursion starts again.
		case t.Is(lexer.Operator, ",", ";"), depth == 0 && i > 0 && ends(s, tokens[i-1], t):
			chain[depth] = 0
		case t.Kind == lexer.Operator:
			chain[depth]++
		}
		if chain[len(chain)-1] > maxChain {
			return nil, s.At(Span(t.Location), fmt.Sprintf("more than %d operators in one expression", maxChain), "give parts of it a name")
		}
	}
	// Report the innermost bracket that is not closed, which is probably the one written last.
	if len(open) > 0 {
		t := tokens[open[len(open)-1]]
		after := "argument"
		if t.Value != "(" {
			after = "element"
		}
		return nil, s.At(Span(t.Location), fmt.Sprintf("%q is not closed", t.Value),
			fmt.Sprintf("write %q after the last %s", closing(t.Value), after))
	}
	return partner, nil
}

// closing returns the closing bracket for an opening bracket; "" for other characters.
func closing(bracket string) string { return map[string]string{"(": ")", "[": "]", "{": "}"}[bracket] }
