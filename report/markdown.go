package report

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// Markdown writes the document with pipe tables. A figure is an image held in
// the text itself, followed by its data, which also reads where such images are
// not shown. It returns the error of w.
func Markdown(w io.Writer, d Document) error {
	m := markdownWriter{}
	m.writef("# %s\n", inlineMarkdown(d.title()))
	for _, s := range d.sections() {
		if s.name != "" && !s.inline {
			m.writef("\n## %s\n", inlineMarkdown(s.name))
		}
		if s.source != "" && !s.inline {
			m.fence(s.source)
		}
		if err := m.body(s); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

// MarkdownFragment returns one display as Markdown to stand inside a document, such as a notebook
// cell: without headings around it.
func MarkdownFragment(d Display) (string, error) {
	m := markdownWriter{}
	if err := m.body(d.section()); err != nil {
		return "", err
	}
	return strings.TrimSpace(m.b.String()) + "\n", nil
}

type markdownWriter struct {
	b       strings.Builder
	figures int
}

func (m *markdownWriter) writef(format string, a ...any) { fmt.Fprintf(&m.b, format, a...) }

// body writes a section without its heading.
func (m *markdownWriter) body(s section) error {
	if s.inline {
		m.inline(s)
		return nil
	}
	return lists.Each(s.blocks, m.block)
}

// inline writes a single short value without a heading.
func (m *markdownWriter) inline(s section) {
	value, code := s.value()
	if code {
		value = "`" + value + "`"
	} else {
		value = inlineMarkdown(value)
	}
	if s.name != "" {
		value = "`" + s.name + "` = " + value
	}
	m.writef("\n%s\n", value)
}

func (m *markdownWriter) block(b Block) error {
	switch b := b.(type) {
	case Paragraph:
		if b.Lead {
			m.writef("\n**%s**\n", inlineMarkdown(b.Text))
		} else {
			m.writef("\n%s\n", inlineMarkdown(b.Text))
		}
	case Note:
		word := "Note"
		if b.Warning {
			word = "Warning"
		}
		m.writef("\n> **%s:** %s\n", word, inlineMarkdown(b.Text))
	case KeyValues:
		m.writef("\n**%s**\n\n", inlineMarkdown(b.Caption))
		for _, item := range b.Items {
			m.writef("- %s: %s\n", inlineMarkdown(item.Key), inlineMarkdown(item.text()))
		}
	case Table:
		m.table(b)
	case Figure:
		return m.figure(b)
	case Code:
		m.fence(b.Text)
	}
	return nil
}

func (m *markdownWriter) figure(f Figure) error {
	m.figures++
	svg, err := figure.SVGElement(f, fmt.Sprintf("cope-figure-%d", m.figures), false)
	if err != nil {
		return err
	}
	m.writef("\n![%s](data:image/svg+xml;base64,%s)\n", inlineMarkdown(f.Describe()), base64.StdEncoding.EncodeToString([]byte(svg)))
	m.table(figureTable(f))
	return nil
}

func (m *markdownWriter) table(t Table) {
	m.writef("\n**%s**\n\n|", inlineMarkdown(t.Caption))
	for _, c := range t.Columns {
		m.writef(" %s |", inlineMarkdown(c.heading()))
	}
	m.writef("\n|")
	for _, c := range t.Columns {
		if c.Align == Right {
			m.writef(" ---: |")
		} else {
			m.writef(" --- |")
		}
	}
	most := mostPageRows
	if t.Collapsed {
		most = mostFoldedRows
	}
	rows, left := t.cells(most)
	for _, r := range rows {
		m.writef("\n|")
		for _, s := range r {
			m.writef(" %s |", inlineMarkdown(s))
		}
	}
	m.writef("\n")
	if left > 0 {
		m.writef("\n*%s*\n", inlineMarkdown(t.further(left)))
	}
	for _, n := range t.Notes {
		m.writef("\n*%s*\n", inlineMarkdown(n))
	}
}

// fence writes literal text in a fence longer than any inside it.
func (m *markdownWriter) fence(s string) {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	m.writef("\n%s\n%s\n%s\n", fence, strings.TrimRight(s, "\n"), fence)
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "]", `\]`,
	"#", `\#`, "\n", " ")

// inlineMarkdown escapes what would be markup.
func inlineMarkdown(s string) string { return markdownEscapes.Replace(s) }
