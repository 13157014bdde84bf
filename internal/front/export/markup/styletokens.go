package markup

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	source "github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// cssTokens reads CSS into tokens. A comment becomes a space, because what stands
// before and after it are two words.
func cssTokens(text string) []css.Token {
	lexer := css.NewLexer(source.NewInputString(XMLText(text)))
	var out []css.Token
	for {
		kind, data := lexer.Next()
		switch kind {
		case css.ErrorToken:
			return out
		case css.CommentToken, css.CDOToken, css.CDCToken:
			kind, data = css.WhitespaceToken, []byte(" ")
		}
		out = append(out, css.Token{TokenType: kind, Data: data})
	}
}

// trimmed leaves out the spaces at both ends.
func trimmed(tokens []css.Token) []css.Token {
	for len(tokens) > 0 && tokens[0].TokenType == css.WhitespaceToken {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].TokenType == css.WhitespaceToken {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

// nesting counts the brackets that are open.
type nesting int

func (n *nesting) read(t css.TokenType) {
	switch t {
	case css.FunctionToken, css.LeftParenthesisToken, css.LeftBracketToken:
		*n++
	case css.RightParenthesisToken, css.RightBracketToken:
		*n = max(*n-1, 0)
	}
}

// until returns the place of the first of some tokens outside of brackets, or the end.
func until(tokens []css.Token, ends ...css.TokenType) int {
	var open nesting
	for i, t := range tokens {
		if open == 0 && slices.Contains(ends, t.TokenType) {
			return i
		}
		open.read(t.TokenType)
	}
	return len(tokens)
}

// blockEnd returns the place of the brace that closes a block whose first one was read, or the end.
func blockEnd(tokens []css.Token) int {
	depth := 1
	for i, t := range tokens {
		switch t.TokenType {
		case css.LeftBraceToken:
			depth++
		case css.RightBraceToken:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens)
}

// separated returns the parts of a list. A block in braces ends its part, as a rule inside of a
// rule does.
func separated(tokens []css.Token, by css.TokenType) iter.Seq[[]css.Token] {
	return func(yield func([]css.Token) bool) {
		for {
			end := until(tokens, by, css.LeftBraceToken)
			if end < len(tokens) && tokens[end].TokenType == css.LeftBraceToken {
				end++
				end += blockEnd(tokens[end:])
			}
			if end >= len(tokens) {
				yield(tokens)
				return
			}
			if !yield(tokens[:end]) {
				return
			}
			tokens = tokens[end+1:]
		}
	}
}

// cssFunctions are the functions that values may call: they compute numbers, colours,
// shapes and motions out of their arguments, and load nothing.
var cssFunctions = Names(`rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark var
	calc min max clamp abs sign round mod rem sin cos tan asin acos atan atan2 pow sqrt hypot log exp
	linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient repeating-conic-gradient
	matrix matrix3d translate translatex translatey translatez translate3d scale scalex scaley scalez scale3d
	rotate rotatex rotatey rotatez rotate3d skew skewx skewy perspective
	blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
	circle ellipse inset polygon rect xywh minmax repeat fit-content counter counters cubic-bezier steps linear`)

// harmless returns the tokens of a value that loads nothing and calls no function but
// those that are known; url(#id) points to the page's id of the id in it.
func harmless(tokens []css.Token, id func(string) string) ([]css.Token, bool) {
	out := slices.Clone(tokens)
	for i, t := range tokens {
		switch t.TokenType {
		case css.IdentToken, css.CustomPropertyNameToken, css.HashToken, css.StringToken, css.NumberToken, css.PercentageToken,
			css.DimensionToken,
			css.WhitespaceToken, css.CommaToken, css.LeftParenthesisToken, css.RightParenthesisToken, css.LeftBracketToken, css.RightBracketToken:
		case css.DelimToken:
			if !strings.Contains("/*+-!", string(t.Data)) {
				return nil, false
			}
		case css.FunctionToken:
			if !cssFunctions[strings.ToLower(string(t.Data[:len(t.Data)-1]))] {
				return nil, false
			}
		case css.URLToken:
			target, ok := localTarget(t.Data)
			if !ok {
				return nil, false
			}
			out[i].Data = []byte("url(#" + id(target) + ")")
		default:
			return nil, false
		}
	}
	return out, true
}

// localTarget returns the id in url(#id), with or without quotes.
func localTarget(token []byte) (string, bool) {
	inner, closed := bytes.CutSuffix(token[len("url("):], []byte(")"))
	inner = bytes.TrimSpace(inner)
	for _, quote := range []string{`"`, `'`} {
		if rest, ok := bytes.CutPrefix(inner, []byte(quote)); ok {
			inner, closed = bytes.CutSuffix(rest, []byte(quote))
		}
	}
	id, inside := strings.CutPrefix(string(inner), "#")
	return id, closed && inside && id != "" && !strings.ContainsAny(id, " \t\n\"'()")
}

// plainText returns the text of tokens that stay within their place: brackets are closed, strings
// end, and nothing is written in the other spellings that a backslash allows. A style sheet stands
// in the page as it is, so that < and & are refused too.
func plainText(tokens []css.Token) (string, bool) {
	var b strings.Builder
	var open []byte
	for _, t := range tokens {
		last := byte(0)
		if len(open) > 0 {
			last = open[len(open)-1]
		}
		switch t.TokenType {
		case css.FunctionToken, css.LeftParenthesisToken:
			open = append(open, ')')
		case css.LeftBracketToken:
			open = append(open, ']')
		case css.RightParenthesisToken, css.RightBracketToken:
			if t.Data[0] != last {
				return "", false
			}
			open = open[:len(open)-1]
		case css.StringToken:
			if len(t.Data) < 2 || t.Data[0] != t.Data[len(t.Data)-1] {
				return "", false
			}
		case css.LeftBraceToken, css.RightBraceToken, css.SemicolonToken, css.BadStringToken, css.BadURLToken:
			return "", false
		}
		if bytes.ContainsAny(t.Data, `\<&`) {
			return "", false
		}
		b.Write(t.Data)
	}
	return b.String(), len(open) == 0
}
