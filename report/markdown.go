package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// Markdown writes the document with pipe tables. A figure is an image inside the text, followed by a table of its data for
// programs that do not show such images. It returns the first error of w.
func Markdown(w io.Writer, d Document) error {
	m := newMarkdown()
	m.mark("# %s\n", d.title())
	m.sections(m, d)
	return m.to(w)
}

// MarkdownFragment returns one display as Markdown without a heading, to be put into a document such as a notebook.
func MarkdownFragment(d Display) (string, error) {
	m := newMarkdown()
	return m.fragment(m, d)
}

// MarkdownForWord writes the document as Markdown without its title, for a program that converts it to .docx. Figures are
// PNG images below their titles. It returns the first error of w.
func MarkdownForWord(w io.Writer, d Document) error {
	m := newMarkdown()
	m.word = true
	m.sections(m, d)
	return m.to(w)
}

type markdownWriter struct {
	markWriter
	word bool // set by MarkdownForWord
}

func newMarkdown() *markdownWriter {
	return &markdownWriter{markWriter: markWriter{marks: marks{
		heading: "\n## %s\n", lead: "\n**%s**\n", paragraph: "\n%s\n", value: "\n%s\n",
		note: "\n> **Note:** %s\n", warning: "\n> **Warning:** %s\n", footnote: "\n*%s*\n",
		escape: inlineMarkdown, source: func(s string) string { return "`" + s + "`" },
	}}}
}

func (m *markdownWriter) keyValues(kv KeyValues) {
	m.mark("\n**%s**\n\n", kv.Caption)
	for _, item := range kv.Items {
		m.writef("- %s: %s\n", inlineMarkdown(item.Key), inlineMarkdown(item.text()))
	}
}

func (m *markdownWriter) figure(f Figure, data Table) {
	if m.word {
		title := f.Title
		f.Title = ""
		var png bytes.Buffer
		m.err = cmp.Or(m.err, figure.PNG(&png, f))
		m.writef("\n![%s](data:image/png;base64,%s)\n", inlineMarkdown(title), base64.StdEncoding.EncodeToString(png.Bytes()))
		return
	}
	svg, err := figure.SVGElement(f, fmt.Sprintf("cope-figure-%d", m.figures), false)
	m.err = cmp.Or(m.err, err)
	m.writef("\n![%s](data:image/svg+xml;base64,%s)\n", inlineMarkdown(f.Describe()), base64.StdEncoding.EncodeToString([]byte(svg)))
	m.table(data)
}

func (m *markdownWriter) table(t Table) {
	row := func(cells []string) { m.write("\n| " + strings.Join(lists.Map(cells, inlineMarkdown), " | ") + " |") }
	m.mark("\n**%s**\n", t.Caption)
	row(lists.Map(t.Columns, Column.heading))
	row(lists.Map(t.Columns, func(c Column) string { return map[Align]string{Left: "---", Right: "---:"}[c.Align] }))
	most := mostPageRows
	if t.Collapsed {
		most = mostFoldedRows
	}
	rows, omitted := t.cells(most)
	for _, r := range rows {
		row(r)
	}
	m.write("\n")
	m.footnotes(t.omittedNote(omitted), t.Notes)
}

// code writes literal text in a code fence that is longer than any fence in the text.
func (m *markdownWriter) code(c Code) {
	fence := "```"
	for strings.Contains(c.Text, fence) {
		fence += "`"
	}
	m.writef("\n%s\n%s\n%s\n", fence, strings.TrimRight(c.Text, "\n"), fence)
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "]", `\]`,
	"#", `\#`, "\n", " ")

// inlineMarkdown escapes characters that Markdown would read as markup.
func inlineMarkdown(s string) string { return markdownEscapes.Replace(s) }
