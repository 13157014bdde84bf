package export

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// copeLexer reads the script language of docs/language.md, and the first line of
// a %%cope cell.
var copeLexer = chroma.MustNewLexer(&chroma.Config{Name: "CoPE", Aliases: []string{"cope"}}, func() chroma.Rules {
	return chroma.Rules{"root": {
		{Pattern: `%%cope\b[^\n]*`, Type: chroma.KeywordPseudo},
		{Pattern: `//[^\n]*`, Type: chroma.CommentSingle},
		{Pattern: `/\*[\s\S]*?\*/`, Type: chroma.CommentMultiline},
		{Pattern: `"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?`, Type: chroma.LiteralString},
		{Pattern: `\.\.`, Type: chroma.Operator},
		{Pattern: `(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][-+]?\d+)?`, Type: chroma.LiteralNumber},
		{Pattern: `[A-Za-z_]\w*(?=\s*\()`, Type: chroma.NameFunction},
		{Pattern: `[A-Za-z_]\w*`, Type: chroma.Name},
		{Pattern: `\s+`, Type: chroma.TextWhitespace},
		{Pattern: `.`, Type: chroma.Operator},
	}}
})

// language is what a code cell is written in.
func language(source string) string {
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		line = strings.TrimSpace(strings.TrimPrefix(line, "//gonb:"))
		switch {
		case line == "%%cope" || strings.HasPrefix(line, "%%cope "):
			return "cope"
		case line != "" && !strings.HasPrefix(line, "//"):
			return "go"
		}
	}
	return "go"
}

// highlight marks the words of source text with the classes of the report's
// style: c comment, s text, d number, f function, k keyword. Colour only repeats
// what the text says. A language that is not known stays plain.
func highlight(source, name string) []*node {
	var lexer chroma.Lexer = copeLexer
	if name != "cope" {
		if lexer = lexers.Get(name); lexer == nil {
			return []*node{textNode(source)}
		}
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, source)
	if err != nil {
		return []*node{textNode(source)}
	}
	var out []*node
	for t := range tokens.Stdlib() {
		n := textNode(t.Value)
		if class := tokenClass(t.Type); class != "" {
			n = element("span", []string{"class", class}, n)
		}
		out = append(out, n)
	}
	return out
}

func tokenClass(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Comment):
		return "c"
	case t.InCategory(chroma.Keyword):
		return "k"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	case t.InSubCategory(chroma.LiteralNumber):
		return "d"
	case t == chroma.NameFunction, t == chroma.NameBuiltin:
		return "f"
	}
	return ""
}
