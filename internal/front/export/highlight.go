package export

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/gonb-cope/gonb-cope/internal/front/export/markup"
	"github.com/gonb-cope/gonb-cope/report"
)

// language returns the language of a code cell.
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
func highlight(source, name string) []*markup.Node {
	var out []*markup.Node
	add := func(piece, class string) {
		n := markup.Text(piece)
		if class != "" {
			n = markup.Element("span", []string{"class", class}, n)
		}
		out = append(out, n)
	}
	if name == "cope" {
		for piece, class := range report.Colours(source) {
			add(piece, class)
		}
		return out
	}
	lexer := lexers.Get(name)
	if lexer == nil {
		return []*markup.Node{markup.Text(source)}
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, source)
	if err != nil {
		return []*markup.Node{markup.Text(source)}
	}
	for t := range tokens.Stdlib() {
		add(t.Value, tokenClass(t.Type))
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
