package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
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
	word   bool // set by MarkdownForWord
	quarto bool // see MarkdownOf
}

func newMarkdown() *markdownWriter {
	return &markdownWriter{markWriter: markWriter{b: new(strings.Builder), marks: marks{
		heading: "\n## %s\n", lead: "\n**%s**\n", paragraph: "\n%s\n", value: "\n%s\n",
		note: "\n> **Note:** %s\n", warning: "\n> **Warning:** %s\n", footnote: "\n*%s*\n",
		escape: inlineMarkdown, source: codeSpan,
		runs: map[InlineKind]string{Break: "\\\n", Picture: "![%s](%s)", Emphasis: "*%s*", Strong: "**%s**", Struck: "~~%s~~",
			Raised: "<sup>%s</sup>", Lowered: "<sub>%s</sub>", Link: "[%s](%s)", Footnote: "%s"},
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
	row := func(cells []string) {
		whole := lists.Map(cells, func(s string) string { return openBar.ReplaceAllString(s, `$1\|`) })
		m.write("\n| " + strings.Join(whole, " | ") + " |")
	}
	if t.Caption != "" {
		m.mark("\n**%s**\n", t.Caption)
	}
	row(lists.Map(t.Columns, m.headingMarkup))
	row(lists.Map(t.Columns, func(c Column) string { return map[Align]string{Left: "---", Right: "---:"}[c.Align] }))
	most := mostPageRows
	if t.Collapsed {
		most = mostFoldedRows
	}
	rows, omitted := t.cells(most)
	for i, r := range rows {
		row(lists.Make(len(r), func(j int) string { return m.cellMarkup(t.Rows[i][j], r[j]) }))
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
	info, format := c.Language, "\n%s\n"
	switch {
	case m.quarto && c.Folded:
		info = "{." + cmp.Or(info, "default") + ` code-fold="true"}` // Pandoc's word for code without a language
	case m.quarto && info == "cope":
		info = "{.cope}"
	case c.Folded && !m.word:
		format = "\n<details><summary>Code</summary>\n\n%s\n\n</details>\n"
	}
	m.writef(format, fence+info+"\n"+strings.TrimRight(c.Text, "\n")+"\n"+fence)
}

// codeSpan returns code within a line, between more backticks than it has in a row.
func codeSpan(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// openBar matches a bar that would end a cell.
var openBar = regexp.MustCompile(`(^|[^\\])\|`)

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "$", `\$`, "~", `\~`, "<", "&lt;", "[", `\[`, "]", `\]`,
	"#", `\#`, "\n", " ")

// inlineMarkdown escapes characters that Markdown would read as markup.
func inlineMarkdown(s string) string {
	return markdownEscapes.Replace(entity.ReplaceAllString(s, "&amp;$1"))
}

// entity matches text that HTML would read as a character.
var entity = regexp.MustCompile(`&(#?\w+;)`)
