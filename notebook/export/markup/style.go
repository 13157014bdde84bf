package markup

import (
	"bytes"
	"iter"
	"regexp"
	"slices"
	"strings"

	source "github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// Scoped rewrites an output's style sheet so that it applies only inside the element with ID scope. id maps the IDs in the
// sheet to those in the page. Scoped keeps @media, @supports and @layer and drops all other @ rules.
func Scoped(sheet, scope string, id func(string) string) string {
	return scoped{scope, id}.rules(cssTokens(sheet), 0)
}

// scoped is the state of Scoped.
type scoped struct {
	scope string
	id    func(string) string
}

// conditions are the @ rules that contain other rules.
var conditions = Names("@media @supports @layer")

// mostConditions limits the nesting depth of such rules.
const mostConditions = 16

// rules returns the rewritten rules of a sheet or of a condition at the given nesting depth.
func (s scoped) rules(tokens []css.Token, depth int) string {
	var b strings.Builder
	for tokens = trimmed(tokens); len(tokens) > 0; tokens = trimmed(tokens) {
		begin := until(tokens, css.LeftBraceToken, css.SemicolonToken)
		if begin == len(tokens) {
			break
		}
		head, rest := tokens[:begin], tokens[begin+1:]
		if tokens[begin].TokenType == css.SemicolonToken { // a rule without block, such as @import or @charset
			tokens = rest
			continue
		}
		end := blockEnd(rest)
		if end == len(rest) {
			break // a block without end is dropped
		}
		body := rest[:end]
		tokens = rest[end+1:]
		if len(head) > 0 && head[0].TokenType == css.AtKeywordToken {
			text, ok := plainText(trimmed(head))
			if ok && conditions[strings.ToLower(string(head[0].Data))] && depth < mostConditions {
				b.WriteString(text + " {\n" + s.rules(body, depth+1) + "}\n")
			}
			continue
		}
		list, ok := s.selectors(head)
		if d := declared(body, s.id); ok && d != "" {
			b.WriteString(list + " { " + d + " }\n")
		}
	}
	return b.String()
}

// selectors prefixes each selector of a list with the scope. It returns false if a selector is invalid or begins with + or
// ~, which would select siblings of the scope.
func (s scoped) selectors(tokens []css.Token) (string, bool) {
	var out []string
	for part := range separated(tokens, css.CommaToken) {
		part = trimmed(part)
		if len(part) == 0 || part[0].TokenType == css.DelimToken && !strings.Contains(".*>", string(part[0].Data)) {
			return "", false
		}
		part = slices.Clone(part)
		for i, t := range part {
			if t.TokenType == css.HashToken {
				part[i].Data = []byte("#" + s.id(string(t.Data[1:])))
			}
			if !selectorTokens[t.TokenType] {
				return "", false
			}
		}
		text, ok := plainText(part)
		if !ok {
			return "", false
		}
		out = append(out, "#"+s.scope+" "+text)
	}
	return strings.Join(out, ", "), true
}

// selectorTokens are the token types allowed in selectors.
var selectorTokens = map[css.TokenType]bool{
	css.IdentToken: true, css.HashToken: true, css.WhitespaceToken: true, css.ColonToken: true, css.CommaToken: true, css.DelimToken: true,
	css.FunctionToken: true, css.LeftParenthesisToken: true, css.RightParenthesisToken: true, css.LeftBracketToken: true,
	css.RightBracketToken: true,
	css.StringToken:       true, css.NumberToken: true, css.DimensionToken: true,
	css.IncludeMatchToken: true, css.DashMatchToken: true, css.PrefixMatchToken: true, css.SuffixMatchToken: true,
	css.SubstringMatchToken: true,
}

// declarations returns the harmless declarations in a list "name: value; …". id maps IDs in url(#id).
func declarations(list string, id func(string) string) string { return declared(cssTokens(list), id) }

func declared(tokens []css.Token, id func(string) string) string {
	var out []string
	for part := range separated(tokens, css.SemicolonToken) {
		if d, ok := declaration(trimmed(part), id); ok {
			out = append(out, d)
		}
	}
	return strings.Join(out, "; ")
}

// declaration returns one declaration as text, with IDs mapped by id. It returns false if the declaration is not allowed.
func declaration(tokens []css.Token, id func(string) string) (string, bool) {
	colon := until(tokens, css.ColonToken)
	if colon == len(tokens) {
		return "", false
	}
	name, value := trimmed(tokens[:colon]), tokens[colon+1:]
	if len(name) != 1 || name[0].TokenType != css.IdentToken && name[0].TokenType != css.CustomPropertyNameToken {
		return "", false
	}
	value, ok := harmless(value, id)
	if !ok {
		return "", false
	}
	text, ok := plainText(slices.Concat(tokens[:colon+1], value))
	return text, ok && (!strings.EqualFold(string(name[0].Data), "position") || inPlace.MatchString(text))
}

// inPlace matches the values of position that keep an element inside its output. A value that must be computed does not
// match.
var inPlace = regexp.MustCompile(`(?i)^position\s*:\s*(static|relative)\s*(!important)?$`)

// cssTokens splits CSS into tokens. A comment becomes a space, because it separates words.
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

// trimmed returns the tokens without spaces at both ends.
func trimmed(tokens []css.Token) []css.Token {
	for len(tokens) > 0 && tokens[0].TokenType == css.WhitespaceToken {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].TokenType == css.WhitespaceToken {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

// until returns the index of the first token with a type in ends that is outside brackets, or len(tokens).
func until(tokens []css.Token, ends ...css.TokenType) int {
	open := 0
	for i, t := range tokens {
		if open == 0 && slices.Contains(ends, t.TokenType) {
			return i
		}
		switch t.TokenType {
		case css.FunctionToken, css.LeftParenthesisToken, css.LeftBracketToken:
			open++
		case css.RightParenthesisToken, css.RightBracketToken:
			open = max(open-1, 0)
		}
	}
	return len(tokens)
}

// blockEnd returns the index of the brace that closes a block, or len(tokens). The opening brace precedes tokens.
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

// separated yields the parts of a list between tokens of type by. A block in braces also ends its part, as in nested
// rules.
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

// cssFunctions are the functions allowed in values. They compute from their arguments and load nothing.
var cssFunctions = Names(`rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark var
	calc min max clamp abs sign round mod rem sin cos tan asin acos atan atan2 pow sqrt hypot log exp
	linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient repeating-conic-gradient
	matrix matrix3d translate translatex translatey translatez translate3d scale scalex scaley scalez scale3d
	rotate rotatex rotatey rotatez rotate3d skew skewx skewy perspective
	blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
	circle ellipse inset polygon rect xywh minmax repeat fit-content counter counters cubic-bezier steps linear`)

// harmless returns the tokens of a value in which url(#id) points to the page's ID. It returns false for a value that
// loads something or calls an unknown function.
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

// localTarget returns the ID in url(#id), with or without quotes. It returns false for other addresses.
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

// plainText returns the text of tokens. It returns false if brackets or strings are not closed, or if there is a
// backslash. It also refuses < and &, because a style sheet is copied into the page without escapes.
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
