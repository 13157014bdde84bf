package markup

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// Scoped lets a style sheet of an output reach only what is inside the element with id
// scope. Rules at @media, @supports and @layer are kept so, other @ rules are dropped.
func Scoped(sheet, scope string, id func(string) string) string {
	s := sheetReader{scope: scope, id: id}
	s.rules(cssTokens(sheet))
	return s.b.String()
}

// sheetReader rewrites a style sheet.
type sheetReader struct {
	b     strings.Builder
	scope string
	id    func(string) string
	depth int // of @ rules
}

// conditions are the @ rules that hold rules as a sheet does.
var conditions = Names("@media @supports @layer")

// mostConditions limits how deep they nest.
const mostConditions = 16

func (s *sheetReader) rules(tokens []css.Token) {
	for tokens = trimmed(tokens); len(tokens) > 0; tokens = trimmed(tokens) {
		begin := until(tokens, css.LeftBraceToken, css.SemicolonToken)
		if begin == len(tokens) {
			return
		}
		head, rest := tokens[:begin], tokens[begin+1:]
		if tokens[begin].TokenType == css.SemicolonToken { // @import …; and @charset …;
			tokens = rest
			continue
		}
		end := blockEnd(rest)
		if end == len(rest) {
			return // what is not closed is dropped
		}
		body := rest[:end]
		tokens = rest[end+1:]
		if len(head) > 0 && head[0].TokenType == css.AtKeywordToken {
			s.condition(head, body)
			continue
		}
		list, ok := s.selectors(head)
		if d := declared(body, s.id); ok && d != "" {
			s.b.WriteString(list + " { " + d + " }\n")
		}
	}
}

// condition writes an @ rule that holds others.
func (s *sheetReader) condition(head, body []css.Token) {
	text, ok := plainText(trimmed(head))
	if !ok || !conditions[strings.ToLower(string(head[0].Data))] || s.depth >= mostConditions {
		return
	}
	s.b.WriteString(text + " {\n")
	s.depth++
	s.rules(body)
	s.depth--
	s.b.WriteString("}\n")
}

// selectors puts each selector of a list below the scope. One that begins with + or ~
// would reach what stands beside it.
func (s *sheetReader) selectors(tokens []css.Token) (string, bool) {
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

// selectorTokens holds the kinds of token that make a selector.
var selectorTokens = map[css.TokenType]bool{
	css.IdentToken: true, css.HashToken: true, css.WhitespaceToken: true, css.ColonToken: true, css.CommaToken: true, css.DelimToken: true,
	css.FunctionToken: true, css.LeftParenthesisToken: true, css.RightParenthesisToken: true, css.LeftBracketToken: true,
	css.RightBracketToken: true,
	css.StringToken:       true, css.NumberToken: true, css.DimensionToken: true,
	css.IncludeMatchToken: true, css.DashMatchToken: true, css.PrefixMatchToken: true, css.SuffixMatchToken: true,
	css.SubstringMatchToken: true,
}

// declarations returns the harmless ones of a list "name: value; …".
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

// declaration returns one declaration as it was written, with its addresses in the page.
func declaration(tokens []css.Token, id func(string) string) (string, bool) {
	colon := until(tokens, css.ColonToken)
	if colon == len(tokens) {
		return "", false
	}
	name, value := trimmed(tokens[:colon]), tokens[colon+1:]
	if len(name) != 1 || name[0].TokenType != css.IdentToken && name[0].TokenType != css.CustomPropertyNameToken {
		return "", false
	}
	if strings.EqualFold(string(name[0].Data), "position") && !inPlace(value) {
		return "", false
	}
	value, ok := harmless(value, id)
	if !ok {
		return "", false
	}
	text, ok := plainText(slices.Concat(tokens[:colon+1], value))
	return text, ok
}

// inPlace reports whether a value of position leaves an element in its output. A value
// that has to be computed first is refused.
func inPlace(value []css.Token) bool {
	value = trimmed(value)
	if len(value) == 0 || value[0].TokenType != css.IdentToken {
		return false
	}
	word, rest := bytes.ToLower(value[0].Data), trimmed(value[1:])
	important := len(rest) == 2 && string(rest[0].Data) == "!" && bytes.EqualFold(rest[1].Data, []byte("important"))
	return (string(word) == "static" || string(word) == "relative") && (len(rest) == 0 || important)
}
