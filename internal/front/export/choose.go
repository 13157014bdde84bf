package export

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"iter"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/gonb-cope/gonb-cope/internal/front/export/markup"
	"github.com/gonb-cope/gonb-cope/internal/front/export/tex"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// picture is a drawing or photograph of an output, as a file.
type picture struct {
	data    []byte
	ending  string // with dot
	alt     string
	caption string
}

// drawn returns the picture of an output in the first of the wanted endings (.pdf .svg .png .jpg)
// that it has. A figure of ours, whose data are in the output, is drawn again as PDF or SVG; without
// its title for a report that sets the caption below it.
func drawn(cell int, o notebook.Output, captioned bool, wanted ...string) (picture, bool) {
	p := picture{alt: altText(cell, o), caption: stringOf(o.Metadata["caption"])}
	f, ours := ownFigure(o)
	if ours {
		p.caption, p.alt = f.Title, f.Describe()
	}
	if captioned {
		f.Title = ""
	}
	for _, p.ending = range wanted {
		switch p.ending {
		case ".pdf":
			var b strings.Builder
			if ours && figure.PDF(&b, f) == nil {
				p.data = []byte(b.String())
				return p, true
			}
			if data := decoded(o.Data["application/pdf"]); bytes.HasPrefix(data, []byte("%PDF-")) {
				p.data = data
			}
		case ".svg":
			var b strings.Builder
			if ours && figure.SVG(&b, f) == nil {
				p.data = []byte(b.String())
				return p, true
			}
			p.data = drawingFile(stringOf(o.Data["image/svg+xml"]))
			if len(p.data) == 0 {
				p.data = []byte(soleDrawing(stringOf(o.Data["text/html"])))
			}
		case ".png":
			p.data = outputImage(o, "image/png")
		case ".jpg":
			p.data = outputImage(o, "image/jpeg")
		}
		if len(p.data) > 0 {
			return p, true
		}
	}
	return picture{}, false
}

// ownFigure returns the figure whose data an output of ours carries.
func ownFigure(o notebook.Output) (figure.Figure, bool) {
	v, _ := o.Data[report.MediaType].(map[string]any)
	if stringOf(v["type"]) != "figure" {
		return figure.Figure{}, false
	}
	f, err := figure.FromJSON(v["value"])
	return f, err == nil
}

// outputImage returns the image of an output, or nil when its bytes are no such image.
func outputImage(o notebook.Output, media string) []byte {
	if data, kind, _ := sniffed(decoded(o.Data[media])); kind == media {
		return data
	}
	return nil
}

func decoded(v any) []byte {
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(stringOf(v)), ""))
	if err != nil {
		return nil
	}
	return data
}

// soleDrawing returns the drawing in HTML that holds nothing else, as GoNB puts it out.
func soleDrawing(source string) string {
	if !strings.Contains(source, "<svg") {
		return ""
	}
	tree := new(markup.Cleaner).Read(source)
	found := tree.All("svg")
	rest := strings.TrimSpace(tree.Plain())
	if len(found) != 1 || rest != strings.TrimSpace(found[0].Plain()) {
		return ""
	}
	return string(drawingFile(source))
}

// blockKind says how a text representation of an output is read.
type blockKind int

const (
	asNothing blockKind = iota
	asText
	asMarkdown
	asLaTeX
	asHTML
	asJSON
)

// textOf returns the first of the wanted media types that an output has.
func textOf(o notebook.Output, wanted ...string) (string, blockKind) {
	for _, media := range wanted {
		source := stringOf(o.Data[media])
		switch media {
		case "application/json":
			if v, ok := o.Data[media]; ok {
				return prettyJSON(v), asJSON
			}
			continue
		case "text/latex":
			if _, ours := o.Data[report.MediaType]; !tex.Compilable(source) || !ours && !recognised(source) {
				continue
			}
		}
		if strings.TrimSpace(source) == "" {
			continue
		}
		return source, map[string]blockKind{"text/plain": asText, "text/markdown": asMarkdown, "text/latex": asLaTeX, "text/html": asHTML}[media]
	}
	return "", asNothing
}

// recognised reports whether foreign LaTeX is a formula that we can read, or an
// environment such as a table. Of anything else nobody knows which packages it
// needs.
func recognised(source string) bool {
	if inner, ok := loneFormula(source); ok {
		_, ok = texMath(inner, true)
		return ok
	}
	return strings.HasPrefix(strings.TrimSpace(source), `\begin{`)
}

// loneFormula returns the formula of a text that is one formula between dollars.
func loneFormula(source string) (formula string, ok bool) {
	s := strings.TrimSpace(source)
	for _, sign := range []string{"$$", "$"} {
		inner, found := strings.CutPrefix(s, sign)
		if found && strings.HasSuffix(inner, sign) && strings.Count(s, "$") == 2*len(sign) {
			return strings.TrimSuffix(inner, sign), true
		}
	}
	return "", false
}

// htmlText returns what HTML says, for formats that have no HTML.
func htmlText(source string) string { return new(markup.Cleaner).Read(source).Lines() }

// fileName numbers the files beside a report.
func fileName(kind string, n int, ending string) string {
	return fmt.Sprintf("%s-%d%s", kind, n, ending)
}

// authored holds a heading, and the text and the cell that it stands in.
type authored struct {
	text    *written
	heading *ast.Heading
	cell    *notebook.Cell
}

// headings yields the headings of all Markdown cells that a report shows.
func headings(nb *notebook.Notebook) iter.Seq[authored] {
	return func(yield func(authored) bool) {
		for i := range nb.Cells {
			c := &nb.Cells[i]
			if c.Type != notebook.Markdown || c.HasTag(removeCell) {
				continue
			}
			w := readMarkdown(c.Source, "h")
			for _, h := range w.headings() {
				if !yield(authored{w, h, c}) {
					return
				}
			}
		}
	}
}

// titleOf returns the title that HTML would give, and whether the first heading of the
// Markdown is it.
func titleOf(nb *notebook.Notebook, opt Options) (title string, first bool, err error) {
	title = opt.Title
	for h := range headings(nb) {
		words, err := h.text.plain(h.heading, images(h.cell, opt.Folder))
		if err != nil {
			return "", false, fmt.Errorf("the first heading: %w", err)
		}
		first = title == "" || title == words
		title = cmp.Or(title, words)
		break
	}
	if title == "" {
		title = (&page{nb: nb, opt: opt}).fallbackTitle()
	}
	return title, first, nil
}
