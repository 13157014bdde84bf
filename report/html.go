package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/report/figure"
)

// stylesheet is the style of a report on its own page; pageStyle adds rules for the pages of this package. Each colour
// has two values, for light and for dark pages. The variables --lt and --dk select one: depending on the browser's
// scheme, one is empty and the other invalid. The browser uses the value whose var reads the invalid one.
//
// notebookStyle is the style of the output of a notebook cell. Each output except plain text contains it, because
// front ends remove cells that are not visible and show outputs alone. Therefore it is short. It uses only shades that
// suit every page, and does not set background, text colour or font. A front end removes the style of a notebook that
// is not trusted; cells keep their alignment then. JupyterLab aligns cells with specificity (0,2,1), and so does
// .cope.cope td.
var (
	//go:embed html.css
	stylesheet string
	//go:embed notebook.css
	notebookStyle string
	//go:embed page.css
	pageStyle string
	//go:embed paper.css
	paperStyle string
)

// HTML writes the document as one page that loads nothing: styles and figures are inside. The page is well-formed XML with
// one h1. Every table has a caption and scopes, and every figure a title and a description. The page follows the light or
// dark scheme of the browser, and can be printed. It returns the first error of w.
func HTML(w io.Writer, d Document) error {
	h := newHTML("cope", false)
	h.write(PageHead(d.title(), stylesheet+pageStyle, ""))
	h.body(d)
	return h.to(w)
}

// Paper writes the page of HTML for printing on numbered A4 sheets. Each sheet repeats the heading of a table that
// continues.
func Paper(w io.Writer, d Document) error {
	h := newHTML("cope", false)
	h.write(PageHead(d.title(), stylesheet+pageStyle+paperStyle, ""))
	h.body(d)
	return h.to(w)
}

func (h *htmlWriter) body(d Document) {
	h.mark("<body class=\"cope\">\n<main>\n<h1>%s</h1>\n", d.title())
	h.sections(h, d)
	h.write("</main>\n</body>\n</html>\n")
}

// Sections writes the displays of a document as HTML, for a page that includes Stylesheet. Figures are inline SVG. The ids
// of elements begin with id.
func Sections(w io.Writer, d Document, id string) error {
	h := newHTML(id, false)
	h.sections(h, d)
	return h.to(w)
}

// PageHead returns the beginning of an HTML page, up to its body. The page's policy permits no loading from elsewhere:
// images and styles are in the page, and only the given script runs. script is the whole text of its element; "" means no
// script.
func PageHead(title, style, script string) string {
	policy := "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
	if script != "" {
		sum := sha256.Sum256([]byte(script))
		policy += "; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="` + policy + `"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>` + html.EscapeString(title) + `</title>
<style>
` + style + `</style>
</head>
`
}

// Stylesheet returns the style of the pages that HTML writes. Another page can use it for fragments inside elements of the
// class cope.
func Stylesheet() string { return stylesheet }

// NotebookStyle returns the style that every Fragment contains.
func NotebookStyle() string { return notebookStyle }

// Fragment writes one display as HTML for a notebook cell: a div with a short style, which leaves colours and fonts to the
// front end. Figures are img elements, because front ends remove svg elements from notebooks that are not trusted. id must
// be unique in the notebook.
func Fragment(w io.Writer, d Display, id string) error { return htmlFragment(d, id).to(w) }

func htmlFragment(d Display, id string) *htmlWriter {
	h := newHTML(id, true)
	h.blocks(h, Blocks(d.Value))
	body := h.b.String()
	h.b.Reset()
	h.writef("<div class=\"cope\" id=\"%s\">\n", html.EscapeString(id))
	if strings.Contains(body, `="`) || strings.Contains(body, "<pre>") { // the body has more than paragraphs
		h.writef("<style>\n%s</style>\n", notebookStyle)
	}
	h.write(body + "</div>\n")
	return h
}

// Elements writes blocks as HTML for a page that includes Stylesheet. A figure is inline SVG in the colours of
// the page. Its title is the caption, and its data are folded. The ids of elements begin with id.
func Elements(w io.Writer, id string, blocks ...Block) error {
	h := newHTML(id, false)
	h.blocks(h, blocks)
	return h.to(w)
}

type htmlWriter struct {
	markWriter
	prefix   string // prefix of the ids of elements
	notebook bool   // whether the output is for a notebook cell
	png      []byte // PNG of the last figure in a notebook; nil if the font lacks some of its letters
}

func newHTML(prefix string, notebook bool) *htmlWriter {
	return &htmlWriter{markWriter: markWriter{b: new(strings.Builder), marks: marks{
		begin: "<section>\n", end: "</section>\n", heading: "<h2>%s</h2>\n", statement: "<p class=\"source\"><code>%s</code></p>\n",
		lead: "<p class=\"lead\">%s</p>\n", paragraph: "<p>%s</p>\n", value: "<p class=\"value\">%s</p>\n",
		note: "<p class=\"note\">%s</p>\n", warning: "<p class=\"warning\" role=\"note\"><strong>Warning:</strong> %s</p>\n",
		footnote: "<p class=\"note\">%s</p>\n",
		escape:   html.EscapeString, source: func(s string) string { return "<code>" + highlight(s) + "</code>" },
	}}, prefix: prefix, notebook: notebook}
}

func (h *htmlWriter) keyValues(kv KeyValues) {
	h.writef("<div class=\"scroll\"><table class=\"facts\">\n<caption>%s</caption>\n<tbody>\n", html.EscapeString(kv.Caption))
	for _, item := range kv.Items {
		side := h.side(Left)
		h.writef("<tr><th scope=\"row\"%s>%s</th><td%[1]s>%[3]s</td></tr>\n", side, html.EscapeString(item.Key), html.EscapeString(item.text()))
	}
	h.write("</tbody>\n</table></div>\n")
}

func (h *htmlWriter) table(t Table) {
	if t.Collapsed {
		long := "" // the summary of a long table, shown when it is printed
		if len(t.Rows) > mostRows {
			long = ` class="long"`
		}
		h.details(t, long)
		return
	}
	h.rows(t)
}

// details writes a table folded, in a details element with the given attributes.
func (h *htmlWriter) details(t Table, attributes string) {
	h.writef("<details%s>\n<summary>%s (%s)</summary>\n", attributes, html.EscapeString(t.Caption), plural(len(t.Rows), "row"))
	h.rows(t)
	h.write("</details>\n")
}

func (h *htmlWriter) rows(t Table) {
	class := ""
	if t.Cards {
		class = ` class="cards"`
	}
	h.writef("<div class=\"scroll\"><table%s>\n<caption>%s</caption>\n<thead>\n<tr>", class, html.EscapeString(t.Caption))
	for _, c := range t.Columns {
		h.writef("<th scope=\"col\"%s>%s</th>", h.side(c.Align), html.EscapeString(c.heading()))
	}
	h.write("</tr>\n</thead>\n<tbody>\n")
	most := mostPageRows
	if t.Collapsed && h.notebook {
		most = mostFoldedRows
	}
	rows, omitted := t.cells(most)
	for _, r := range rows {
		h.write("<tr>")
		for j, s := range r {
			tag, scope := "td", ""
			if j == 0 { // the first column is the heading of the row
				tag, scope = "th", ` scope="row"`
			} else if class != "" {
				scope = ` data-of="` + html.EscapeString(t.Columns[j].heading()) + `"`
			}
			text := html.EscapeString(s)
			if n := strings.LastIndexAny(text, "█░"); n >= 0 && strings.Trim(text[:n], "█░") == "" {
				text = `<span class="bar">` + strings.Replace(text, "\u00a0", "</span>\u00a0", 1)
			}
			if t.Columns[j].Align == Right && strings.Contains(s, " ") { // a number and its interval stay on one line
				text = `<span class="nb">` + unbroken.Replace(text) + "</span>"
			}
			side := h.side(t.Columns[j].Align)
			if t.Columns[j].Fill && s == "" {
				side = ` class="fill"`
			}
			if t.Columns[j].Align != Right && strings.Contains(s, " ") && utf8.RuneCountInString(s) <= shortText {
				side = ` class="short"` + side // class short: no line breaks
			}
			h.writef("<%s%s%s>%s</%[1]s>", tag, scope, side, text)
		}
		h.write("</tr>\n")
	}
	h.write("</tbody>\n</table></div>\n")
	h.footnotes(t.omittedNote(omitted), t.Notes)
}

var unbroken = strings.NewReplacer(" [", `</span> <span class="nb">[`, " ±", `</span> <span class="nb">±`, ": ", `:</span> <span class="nb">`)

// side returns the style attribute for the alignment of a cell. Front ends align cells to the right by default. They keep
// this attribute even if they remove style sheets.
func (h *htmlWriter) side(a Align) string {
	switch {
	case a == Right:
		return ` class="r"`
	case h.notebook:
		return ` style="text-align:left"`
	}
	return ""
}

// figure writes a figure, and its data as a folded table below.
func (h *htmlWriter) figure(f Figure, data Table) {
	if h.notebook {
		h.picture(f)
	} else {
		h.drawing(f)
	}
	data.Caption = strings.TrimSuffix("Data of the figure: "+f.Title, ": ")
	h.details(data, ` class="data"`) // printed pages keep it folded, because the figure shows the data
}

// drawing writes the figure twice as inline SVG in the colours of the page: once for wide windows and once for phones.
func (h *htmlWriter) drawing(f Figure) {
	id := fmt.Sprintf("%s-figure-%d", h.prefix, h.figures)
	svg, err := figure.SVGElement(f, id, true)
	slim := f // the copy for phones: letters keep their size, and panels are one below the other
	slim.Width = Narrowest
	narrow, narrowErr := figure.SVGElement(slim, id+"-narrow", true)
	h.err = cmp.Or(h.err, err, narrowErr)
	h.writef("<figure>\n<div class=\"broad\">%s</div><div class=\"narrow\">%s</div><figcaption>%s</figcaption>\n</figure>\n",
		svg, narrow, html.EscapeString(f.Title))
}

// picture writes the figure as an image: SVG in the colours of the theme, and PNG for hosts that remove SVG, such as
// GitHub.
func (h *htmlWriter) picture(f Figure) {
	svg, err := figure.SVGImage(f)
	drawn := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(svg))
	alt := html.EscapeString(f.Describe())
	h.png, h.err = nil, cmp.Or(h.err, err)
	var png bytes.Buffer
	lacking := (*figure.LettersError)(nil)
	if err := figure.PNGAt(&png, f, bundleDPI); err == nil {
		h.png = png.Bytes()
	} else if !errors.As(err, &lacking) {
		h.err = cmp.Or(h.err, fmt.Errorf("drawing %q: %w", f.Title, err))
	}
	if h.png == nil {
		h.writef("<figure>\n<img src=\"%s\" alt=\"%s\"/>\n</figure>\n", drawn, alt)
		return
	}
	h.writef("<figure>\n<picture><source type=\"image/svg+xml\" srcset=\"%s\"/><img src=\"data:image/png;base64,%s\" "+
		"alt=\"%s\"/></picture>\n</figure>\n",
		drawn, base64.StdEncoding.EncodeToString(h.png), alt)
}

func (h *htmlWriter) code(c Code) {
	if !c.Lines {
		h.writef("<pre><code>%s</code></pre>\n", highlight(c.Text))
		return
	}
	h.write("<pre class=\"lines\"><code>")
	for i, line := range strings.Split(highlight(strings.TrimRight(c.Text, "\n")), "\n") {
		h.writef("<span class=\"n\" aria-hidden=\"true\">%d</span>%s\n", i+1, line)
	}
	h.write("</code></pre>\n")
}
