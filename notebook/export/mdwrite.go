package export

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"golang.org/x/net/html"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/export/tex"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// mdWriter writes a notebook as Markdown.
type mdWriter struct {
	textWriter
	quarto, word bool // set for the readers forQuarto and forWord
}

// reader is the kind of program that reads the Markdown.
type reader int

// forHosts is for code hosts. forQuarto adds a YAML head and divs (:::) around cells and outputs. forWord is for pandoc's
// .docx: it has no title, and images are PNG.
const (
	forHosts reader = iota
	forQuarto
	forWord
)

// markdown returns the report as Markdown for the given kind of reader.
func markdown(nb *notebook.Notebook, opt Options, who reader, put putter) []byte {
	title, first := titleOf(nb, opt)
	m := &mdWriter{newTextWriter(nb, opt, put, first, who == forWord), who == forQuarto, who == forWord}
	quarto := m.quarto
	if !m.word {
		m.head(title)
	}
	provenance := "\n## Provenance\n"
	if quarto {
		m.begin, m.end = "\n:::: {.cell}\n", "\n::::\n"
		m.foldBegin, m.foldEnd = "\n::: {.callout-note collapse=\"true\" title=\"Output\"}\n", "\n:::\n"
	} else if !m.word { // a .docx file can be printed, so nothing is folded
		m.foldBegin, m.foldEnd = "\n<details><summary>Output</summary>\n", "\n</details>\n"
		provenance = provenanceMark + provenance
	}
	m.body(nb, m, "\n> **This run failed.** %s\n", provenance)
	if who == forHosts && opt.Source != "" {
		m.writef("\n"+madeFrom+"\n", opt.Source)
	}
	return []byte(markup.XMLText(m.b.String()))
}

// head writes the title before the cells. The title replaces the first heading.
func (m *mdWriter) head(title string) {
	if !m.quarto {
		m.writef("# %s\n", mdEscape(title))
		return
	}
	m.writef("---\ntitle: \"%s\"\n", strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(title))
	if t := m.opt.Provenance.Started; !t.IsZero() {
		m.writef("date: %s\n", t.Format(time.DateOnly))
	}
	m.writef("execute:\n  enabled: false\nformat:\n  html:\n    embed-resources: true\n    toc: true\n---\n")
}

// madeFrom is a comment in a Markdown report that contains the notebook's path and is invisible to readers.
const madeFrom = "<!-- gonb-cope report of %s -->"

var madeFromLine = regexp.MustCompile(`(?m)^` + fmt.Sprintf(madeFrom, "(.+)") + `$`)

// Outputs returns a Markdown report without its provenance, which differs from run to run. source is the notebook's path
// relative to the report's folder. If the text is not such a report, Outputs returns it unchanged and source is "".
func Outputs(report string) (text, source string) {
	m := madeFromLine.FindStringSubmatchIndex(report)
	if m == nil {
		return report, ""
	}
	text, source = report[:m[0]], report[m[2]:m[3]]
	if at := strings.LastIndex(text, provenanceMark); at >= 0 {
		text = text[:at]
	}
	return strings.TrimRight(text, "\n"), source
}

// provenanceMark is the text before the provenance.
const provenanceMark = "\n<!-- provenance -->\n"

func (*mdWriter) escape(s string) string { return mdEscape(s) }

func (*mdWriter) emphasis(s string) string { return "*" + mdEscape(s) + "*" }

// raw writes a raw cell whose format is Markdown, HTML, plain text or missing. For Quarto it also writes LaTeX. It returns
// false for any other format.
func (m *mdWriter) raw(_ int, c *notebook.Cell, format string) bool {
	switch format {
	case "", "text/plain":
		m.writef("\n%s\n", fenced("", c.Source))
	case "text/markdown":
		m.writef("\n%s\n", m.rewritten(m.opt.read(c.Source, "m"), c, func(*written, ast.Node) []edit { return nil }))
	case "text/html":
		k := newPage(&notebook.Notebook{}, m.opt, false, nil).cleaner("raw", c)
		k.Style = nil
		text := k.Read(c.Source).String()
		m.lost.add(k.Lost...)
		if m.quarto {
			text = fenced("{=html}", text)
		}
		m.writef("\n%s\n", text)
	case "text/latex":
		if !m.quarto || !tex.Compilable(c.Source) {
			return false
		}
		m.writef("\n%s\n", fenced("{=latex}", c.Source))
	default:
		return false
	}
	return true
}

// mdEscape escapes text so that Markdown shows its characters unchanged, in one line.
func mdEscape(s string) string {
	return mdSpecial.ReplaceAllString(strings.ReplaceAll(s, "\n", " "), `\$0`)
}

var mdSpecial = regexp.MustCompile("[\\\\`*_{}\\[\\]<>#|$~^]")

// prose writes a Markdown cell. It removes the title, stores images as files, and changes links to headings to the anchors
// of the report's reader. The rest is unchanged.
func (m *mdWriter) prose(number int, c *notebook.Cell) {
	source := m.rewritten(m.opt.finalText(c, fmt.Sprintf("c%d", number)), c, func(w *written, n ast.Node) []edit {
		switch n := n.(type) {
		case *ast.Heading:
			if m.strip {
				m.strip = false
				p := w.place(n)
				return []edit{{p.start, p.stop, ""}}
			}
		case *ast.Link:
			if place, inside := strings.CutPrefix(address(n.Destination), "#"); inside && n.Reference == nil {
				return []edit{w.readdressed(n, n.Destination, n.Title, nil, "#"+m.slug(unescapePath(place)))}
			}
		}
		return nil
	})
	m.writef("\n%s\n", strings.TrimSpace(source))
}

// rewritten returns Markdown with images stored as files and formulas adapted to the reader. change returns additional
// edits for a node.
func (m *mdWriter) rewritten(w *written, c *notebook.Cell, change func(*written, ast.Node) []edit) string {
	var edits []edit
	_ = ast.Walk(w.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			edits = append(edits, m.image(w, n, c))
			return ast.WalkSkipChildren, nil
		case *mathBlock:
			if m.word {
				edits = append(edits, edit{n.start, n.stop, dollars(n.formula)})
			}
		case *mathNode:
			tex := string(w.source[n.start:n.stop])
			if m.word {
				tex = dollars(n.formula)
			}
			if inTable(n) { // otherwise readers split table cells at each bar
				tex = strings.NewReplacer(`\|`, `\Vert{}`, "|", `\vert{}`).Replace(tex)
			}
			edits = append(edits, edit{n.start, n.stop, tex})
		case *ast.RawHTML, *ast.HTMLBlock:
			edits = append(edits, w.rawImages(n, func(img html.Token, src *html.Attribute) string { return m.rawImage(img, src, c) })...)
		}
		edits = append(edits, change(w, n)...)
		return ast.WalkContinue, nil
	})
	return w.edited(edits)
}

// dollars returns a formula between dollar signs, the form that every Markdown reader with formulas accepts.
func dollars(f formula) string {
	tex := strings.ReplaceAll(strings.TrimSpace(f.tex), "\n", " ")
	switch {
	case f.reference:
		return tex
	case f.display:
		return "$$" + tex + "$$"
	}
	return "$" + tex + "$"
}

func inTable(n ast.Node) bool {
	for n = n.Parent(); n != nil; n = n.Parent() {
		if n.Kind() == east.KindTableCell {
			return true
		}
	}
	return false
}

// image returns the edit that replaces an image's address by a file, or the image by a note if it cannot be read.
func (m *mdWriter) image(w *written, n *ast.Image, c *notebook.Cell) edit {
	src := address(n.Destination)
	name, problem := m.imageFile(src, c)
	if problem != "" {
		return edit{n.Pos(), w.tails[n].stop, "*" + mdEscape(markup.MissingImage(unescapePath(src), problem)) + "*"}
	}
	return w.readdressed(n, n.Destination, n.Title, n.Reference, name)
}

// rawImage returns an HTML image whose source is a file, or a note if the image cannot be read.
func (m *mdWriter) rawImage(img html.Token, src *html.Attribute, c *notebook.Cell) string {
	name, problem := m.imageFile(src.Val, c)
	if problem != "" {
		return markup.Element("em", nil, markup.Text(markup.MissingImage(unescapePath(src.Val), problem))).String()
	}
	src.Val = name
	return img.String()
}

// imageFile stores an image as a file beside the report. It returns the file's name, or the problem.
func (m *mdWriter) imageFile(src string, c *notebook.Cell) (name, problem string) {
	data, media, problem := imageBytes(src, c, m.opt.Folder)
	if media == "image/svg+xml" && problem == "" {
		if data = drawingFile(string(data)); data == nil {
			problem = "no drawing"
		}
	}
	if problem != "" {
		return "", problem
	}
	return m.file("image", endings[media], data), ""
}

// fenced returns text as a fenced code block. The fence is longer than any in the text.
func fenced(info, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + info + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

func (m *mdWriter) source(c *notebook.Cell, fold bool) {
	lang, format := cellLanguage(c, m.own).name, "\n%s"
	switch {
	case m.quarto && fold:
		lang = cmp.Or(lang, "default") // Pandoc's word for code without a language
		lang = "{." + lang + ` code-fold="true"}`
	case m.quarto && lang == "cope":
		lang = "{.cope}"
	case fold:
		format = "\n<details><summary>Code</summary>\n\n%s\n</details>\n"
	}
	m.writef(format, fenced(lang, c.Source))
}

// slug returns the anchor that Quarto or a code host gives to a heading.
func (m *mdWriter) slug(heading string) string {
	if m.quarto {
		return slug(heading)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case unicode.IsSpace(r):
			return '-'
		}
		return -1
	}, strings.TrimSpace(heading))
}

func (m *mdWriter) facts(t facts) {
	heads := t.heads
	if heads == nil {
		heads = []string{"", ""}
	}
	m.writef("\n**%s**\n\n| %s |\n|%s\n", t.caption, strings.Join(heads, " | "), strings.Repeat(" --- |", len(heads)))
	for _, r := range t.rows {
		for i := range r {
			m.writef("| %s ", mdEscape(r[i]))
		}
		m.writef("|\n")
	}
}

// output writes one output of a cell. For Quarto, a div with Quarto's class for this kind of output encloses it.
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

// errorText returns the text of an error with its traceback, without terminal colours.
func errorText(o notebook.Output) string {
	text := errorLine(o)
	if trace := strings.TrimSpace(stripANSI(strings.Join(o.Traceback, "\n"))); trace != "" && trace != text {
		text += "\n\n" + trace
	}
	return text
}

func (m *mdWriter) rich(number int, c *notebook.Cell, o notebook.Output) string {
	wanted := []string{".svg", ".png", ".jpg", ".gif", ".webp"}
	if m.word { // Word does not show SVG everywhere
		wanted = []string{".png", ".jpg", ".gif", ".webp", ".svg"}
	}
	if p, ok := drawn(number, o, m.quarto || m.word, wanted...); ok {
		name := m.file("figure", p.ending, p.data)
		if m.word {
			return "![" + mdEscape(cmp.Or(p.caption, p.alt)) + "](" + name + ")\n"
		}
		if !m.quarto {
			return "![" + mdEscape(p.alt) + "](" + name + ")\n"
		}
		alt := strings.NewReplacer("[", "(", "]", ")", `"`, "'", "\n", " ").Replace(p.alt)
		return "![" + mdEscape(cmp.Or(p.caption, alt)) + "](" + name + "){fig-alt=\"" + alt + "\"}\n"
	}
	media, source := textOf(o, "text/markdown", "text/latex", "text/plain", "application/json", "text/html")
	if m.word {
		source = withPNG(source, o)
		if table := m.tableOf(o); table != "" && media != "text/markdown" {
			return table
		}
	}
	return m.asText(media, source, c, o) + m.notShown(media, o, m.emphasis)
}

// asText returns the output's text representation of the given media type as Markdown. It returns "" if no representation
// is text.
func (m *mdWriter) asText(media, source string, c *notebook.Cell, o notebook.Output) string {
	switch media {
	case "text/markdown":
		return m.rewritten(m.opt.read(source, "m"), c, func(w *written, n ast.Node) []edit {
			if h, ok := n.(*ast.Heading); ok { // headings of outputs go below those of the text
				return w.releveled(h, min(6, h.Level+2))
			}
			return nil
		})
	case "text/latex":
		if formula, ok := loneFormula(source); ok {
			return "$$" + formula + "$$\n"
		}
		if _, plain := textOf(o, "text/plain"); plain != "" {
			return fenced("", stripANSI(plain))
		}
		if !m.quarto {
			return fenced("latex", source)
		}
		return fenced("{=latex}", source)
	case "text/plain", "application/json":
		text, _ := shorten(strings.TrimRight(stripANSI(source), "\n"))
		return fenced(map[string]string{"application/json": "json"}[media], text)
	case "text/html":
		if !m.quarto {
			text, _ := shorten(htmlText(source))
			if strings.TrimSpace(text) == "" {
				return ""
			}
			return fenced("", text)
		}
		k := newPage(&notebook.Notebook{}, m.opt, false, nil).cleaner("html", c)
		k.Style = nil
		if tree := k.Read(source); visible(tree) {
			return fenced("{=html}", tree.String())
		}
	}
	return ""
}
