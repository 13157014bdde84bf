package export

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
)

// output writes one output, for Quarto in the division that it makes for its kind.
func (m *mdWriter) output(number int, c *notebook.Cell, o notebook.Output) {
	kind, body := "display", ""
	switch o.Type {
	case notebook.Stream:
		kind = o.Name
		text, _ := shorten(strings.TrimRight(stripANSI(o.Text), "\n"))
		if strings.TrimSpace(text) == "" {
			return
		}
		body = fenced("", text)
	case notebook.Error:
		kind = "error"
		body = fenced("", errorText(o))
	default:
		body = m.rich(number, c, o)
	}
	if body = strings.TrimRight(body, "\n"); body == "" {
		return
	}
	if !m.quarto {
		m.writef("\n%s\n", body)
		return
	}
	m.writef("\n::: {.cell-output .cell-output-%s}\n\n%s\n:::\n", kind, body+"\n")
}

// errorText returns the text of an error with its traceback, for formats without colours.
func errorText(o notebook.Output) string {
	text := errorLine(o)
	if trace := strings.TrimSpace(stripANSI(strings.Join(o.Traceback, "\n"))); trace != "" && trace != text {
		text += "\n\n" + trace
	}
	return text
}

func (m *mdWriter) rich(number int, c *notebook.Cell, o notebook.Output) string {
	if p, ok := drawn(number, o, m.quarto, ".svg", ".png", ".jpg"); ok {
		m.files++
		if !m.quarto {
			return "![" + mdEscape(p.alt) + "](" + m.put(fileName("figure", m.files, p.ending), p.data) + ")\n"
		}
		alt := strings.NewReplacer("[", "(", "]", ")", `"`, "'", "\n", " ").Replace(p.alt)
		caption := p.caption
		if caption == "" {
			caption = alt
		}
		return "![" + mdEscape(caption) + "](" + m.put(fileName("figure", m.files, p.ending), p.data) + "){fig-alt=\"" + alt + "\"}\n"
	}
	source, kind := textOf(o, "text/markdown", "text/latex", "text/plain", "application/json", "text/html")
	switch kind {
	case asMarkdown:
		return m.rewritten(source, c, func(w *written, n ast.Node) []edit {
			if h, ok := n.(*ast.Heading); ok { // below the headings of the text
				return w.releveled(h, min(6, h.Level+2))
			}
			return nil
		})
	case asLaTeX:
		if formula, ok := loneFormula(source); ok {
			return "$$" + formula + "$$\n"
		}
		if plain, _ := textOf(o, "text/plain"); plain != "" {
			return fenced("", stripANSI(plain))
		}
		if !m.quarto {
			return fenced("latex", source)
		}
		return fenced("{=latex}", source)
	case asText, asJSON:
		text, _ := shorten(strings.TrimRight(stripANSI(source), "\n"))
		return fenced(map[blockKind]string{asJSON: "json"}[kind], text)
	case asHTML:
		if !m.quarto {
			text, _ := shorten(htmlText(source))
			return fenced("", text)
		}
		k := (&page{opt: m.opt}).cleaner("html", c)
		k.Style = nil
		tree := k.Read(source)
		if visible(tree) {
			return fenced("{=html}", tree.String())
		}
		return "*" + mdEscape(lostNote(append(k.Lost, "HTML without text"))[0].Plain()) + "*"
	}
	return ""
}
