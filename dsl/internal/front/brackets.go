package front

import (
	"fmt"

	"github.com/expr-lang/expr/parser/lexer"
)

// partners returns for every bracket token the index of its partner, and -1 for
// the others. It refuses brackets that do not match and expressions that nest or
// chain too far for a recursive parser.
func partners(s *Source, tokens []lexer.Token) ([]int, *Error) {
	partner := make([]int, len(tokens))
	var open []int             // indices of the brackets open
	chain := make([]int, 1, 8) // per depth: operators and brackets since the last comma or line end
	over := func(t lexer.Token) *Error {
		return s.At(Span(t.Location), fmt.Sprintf("more than %d operators in one expression", maxChain), "give parts of it a name")
	}
	for i, t := range tokens {
		partner[i] = -1
		depth := len(open)
		switch {
		case t.Is(lexer.Bracket, "(", "[", "{"):
			if depth == maxDepth {
				return nil, s.At(Span(t.Location), fmt.Sprintf("more than %d brackets inside each other", maxDepth), "give parts of it a name")
			}
			chain[depth]++
			open, chain = append(open, i), append(chain, 0)
		case t.Kind == lexer.Bracket:
			if depth == 0 {
				return nil, s.At(Span(t.Location), fmt.Sprintf("%q closes nothing", t.Value), "")
			}
			from := open[depth-1]
			if want := closing(tokens[from].Value); t.Value != want {
				line, col := s.Position(tokens[from].From)
				return nil, s.At(Span(t.Location),
					fmt.Sprintf("%q does not close the %q of line %d, column %d", t.Value, tokens[from].Value, line, col), fmt.Sprintf("write %q", want))
			}
			partner[i], partner[from] = from, i
			open, chain = open[:depth-1], chain[:depth]
		case t.Is(lexer.Operator, ",", ";"), depth == 0 && i > 0 && ends(s, tokens[i-1], t):
			chain[depth] = 0
		case t.Kind == lexer.Operator:
			chain[depth]++
		}
		if chain[len(chain)-1] > maxChain {
			return nil, over(t)
		}
	}
	if len(open) > 0 {
		t := tokens[open[len(open)-1]]
		return nil, s.At(Span(t.Location), fmt.Sprintf("%q is not closed", t.Value),
			fmt.Sprintf("write %q after the last argument", closing(t.Value)))
	}
	return partner, nil
}

func closing(bracket string) string {
	return map[string]string{"(": ")", "[": "]", "{": "}"}[bracket]
}
