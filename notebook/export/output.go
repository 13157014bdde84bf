package export

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/export/tex"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// These limits state how much of an output is shown before folding, and how much at all. The executed notebook keeps
// everything.
const (
	shownLines  = 30
	keptLines   = 2000
	keptBytes   = 400_000
	shownRows   = 60 // rows of a table
	shortenedTo = 20 // lines shown before the fold of a long text
)

// output returns one output as markup, or nil if it shows nothing.
func (p *page) output(cell int, c *notebook.Cell, o notebook.Output) *markup.Node {
	p.outputs++
	id := fmt.Sprintf("output-%d", p.outputs)
	out := markup.Element("div", []string{"class", "output", "id", id})
	switch o.Type {
	case notebook.Stream:
		out.Children = p.stream(o)
	case notebook.Error:
		out.Children = []*markup.Node{p.errorNode(c, o)}
	default:
		out.Children = p.rich(cell, id, c, o)
	}
	if len(out.Children) == 0 {
		return nil
	}
	if p.to != nil {
		out.Set("data-kind", cmp.Or(map[notebook.OutputType]string{notebook.Stream: o.Name, notebook.Error: "error"}[o.Type], "display"))
	}
	p.levels(out)
	p.number(out, cell, o)
	return out
}

// stream returns printed text as markup, or nil if the text is only white space.
func (p *page) stream(o notebook.Output) []*markup.Node {
	if strings.TrimSpace(o.Text) == "" {
		return nil
	}
	nodes := p.long(o.Text)
	if o.Name == "stderr" && p.to == nil {
		label := markup.Element("p", []string{"class", "label"}, markup.Text("Standard error"))
		return []*markup.Node{markup.Element("div", []string{"class", "stderr"}, append([]*markup.Node{label}, nodes...)...)}
	}
	return nodes
}

// long returns a text as markup. A long text shows its first lines, and the rest is folded. The middle of a very long text
// is cut out.
func (p *page) long(text string) []*markup.Node {
	render := func(s string) *markup.Node { return markup.Element("pre", nil, ansi(s)...) }
	text = strings.TrimRight(overwrite(text), "\n")
	text, cut := shorten(text)
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= shownLines && len(text) < keptBytes/10 || p.to != nil {
		return []*markup.Node{render(text)}
	}
	head := min(shortenedTo, len(lines)-1)
	rest := strings.Join(lines[head:], "")
	summary := sentence.Count(len(lines)-head, "more line")
	if cut {
		summary += ", shortened"
	}
	var out []*markup.Node
	if head > 0 {
		out = append(out, render(strings.TrimRight(strings.Join(lines[:head], ""), "\n")))
	}
	return append(out, markup.Element("details", nil, markup.Element("summary", nil, markup.Text(summary)), render(rest)))
}

// shorten cuts the middle out of a text of more than keptLines lines or keptBytes bytes, and puts a note there. It reports
// whether it cut anything.
func shorten(text string) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	cut := false
	if n := len(lines); n > keptLines {
		note := fmt.Sprintf("[… %d lines left out; the executed notebook has them …]\n", n-keptLines)
		lines = slices.Concat(lines[:keptLines/2], []string{note}, lines[n-keptLines/2:])
		cut = true
	}
	text = strings.Join(lines, "")
	if n := len(text); n > keptBytes {
		note := fmt.Sprintf("\n[… %d bytes left out; the executed notebook has them …]\n", n-keptBytes)
		text = strings.ToValidUTF8(text[:keptBytes/2], "") + note + strings.ToValidUTF8(text[n-keptBytes/2:], "")
		cut = true
	}
	return text, cut
}

// errorNode returns an error with its traceback as markup.
func (p *page) errorNode(c *notebook.Cell, o notebook.Output) *markup.Node {
	label := "Error"
	if slices.Contains(marks(c), raises) {
		label = "Error, as expected"
	}
	head := markup.Element("p", nil, markup.Element("strong", nil, markup.Text(label+":")), markup.Text(" "+errorLine(o)))
	out := markup.Element("div", []string{"class", "error"}, head)
	trace := strings.Join(o.Traceback, "\n")
	if strings.TrimSpace(trace) == "" && strings.Contains(o.ErrorValue, "\n") {
		trace = o.ErrorValue
	}
	if t := strings.TrimSpace(stripANSI(trace)); t != "" && t != errorLine(o) {
		out.Children = append(out.Children, p.long(trace)...)
	}
	return out
}

// preferred are the media types that a page can show, best first.
var preferred = []string{"text/html", "image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp", "text/markdown", "text/latex",
	"application/json", "text/plain"}

// rich returns the first representation in the order of preferred that shows something after cleaning. A note lists what
// was dropped.
func (p *page) rich(cell int, id string, c *notebook.Cell, o notebook.Output) []*markup.Node {
	var lost []string
	wanted := preferred
	if p.to != nil {
		if figure := p.ownPicture(o); figure != nil {
			return []*markup.Node{figure}
		}
		wanted = p.to.media
	}
	for _, media := range wanted {
		data, ok := o.Data[media]
		if !ok {
			continue
		}
		nodes, dropped := p.represent(media, data, cell, id, c, o)
		lost = append(lost, dropped...)
		if len(nodes) > 0 {
			if more := interactive(o); media == "text/plain" && len(more) > 0 {
				p.lost.add(more...)
				nodes = append(nodes, markup.Element("p", []string{"class", "missing"}, markup.Text(asText(more))))
			}
			p.lost.add(lost...)
			return append(nodes, lostNote(lost)...)
		}
	}
	if len(o.Data) > 0 && len(lost) == 0 {
		lost = slices.Sorted(maps.Keys(o.Data))
	}
	p.lost.add(lost...)
	return lostNote(lost)
}

// represent returns one representation as markup, or nil if it shows nothing. lost lists the dropped elements.
func (p *page) represent(media string, data any, cell int, id string, c *notebook.Cell,
	o notebook.Output) (nodes []*markup.Node, lost []string) {
	source := stringOf(data)
	_, own := o.Data[report.MediaType]
	if f, ours := ownFigure(o); ours && media == "text/html" { // drawn again in the colours of the page
		var b strings.Builder
		if report.Elements(&b, "figure", f) == nil {
			source = b.String()
		}
	}
	if p.to != nil {
		var picture []byte
		kind := "image/svg+xml"
		switch media {
		case kind:
			picture = drawingFile(source)
		case "text/html":
			picture = soleDrawing(source)
		case pdfMedia:
			kind = media
			if picture = decoded(data); !bytes.HasPrefix(picture, []byte("%PDF-")) {
				return nil, nil
			}
		case "text/latex":
			if own || !tex.Compilable(source) || !recognised(source) {
				return nil, nil
			}
		}
		if picture != nil {
			return []*markup.Node{imageElement(kind, picture, altText(cell, o))}, nil
		}
	}
	switch media {
	case "text/html", "image/svg+xml":
		k := p.cleaner(id, c)
		k.Limits = p.opt.share(source, htmlByByte)
		tree := k.Read(source)
		if !visible(tree) {
			return nil, k.Lost
		}
		p.lost.asWritten(k)
		return []*markup.Node{tree}, k.Lost
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		image, kind, problem := sniffed(decoded(data))
		if problem != "" || kind == "image/svg+xml" {
			return nil, []string{"a damaged " + media}
		}
		return []*markup.Node{imageElement(kind, image, altText(cell, o))}, nil
	case "text/markdown":
		k := p.cleaner(id, c)
		tree := prose(p.opt.read(source, id), k)
		p.lost.asWritten(k)
		return []*markup.Node{tree}, k.Lost
	case "text/latex":
		return []*markup.Node{p.latex(source)}, nil
	case "application/json":
		text, _ := shorten(prettyJSON(data))
		return []*markup.Node{markup.Element("details", nil, markup.Element("summary", nil, markup.Text("JSON")),
			markup.Element("pre", nil, markup.Text(text)))}, nil
	}
	if strings.TrimSpace(source) == "" {
		return nil, nil
	}
	return p.long(source), nil
}

// imageElement returns an image of a media type.
func imageElement(kind string, data []byte, alt string) *markup.Node {
	return markup.Element("img", []string{"src", "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data), "alt", alt})
}

// ownPicture returns one of our figures, drawn as the first media type that is possible, or nil for other outputs. If the
// report sets the title as caption, the drawing has none.
func (p *page) ownPicture(o notebook.Output) *markup.Node {
	f, ours := ownFigure(o)
	title, alt := f.Title, f.Describe()
	if p.to.latex || p.to.quarto || p.to.paper { // other readers show no caption
		f.Title = ""
	}
	draw := map[string]func(io.Writer, figure.Figure) error{pdfMedia: figure.PDF, "image/svg+xml": figure.SVG, "image/png": figure.PNG}
	for _, media := range p.to.figures {
		var b bytes.Buffer
		if ours && draw[media](&b, f) == nil {
			return markup.Element("figure", nil, imageElement(media, b.Bytes(), alt),
				markup.Element("figcaption", nil, markup.Text(title)))
		}
	}
	return nil
}

// visible reports whether a tree contains text or an image, drawing, line or meter.
func visible(tree *markup.Node) bool {
	found := false
	tree.Walk(func(n *markup.Node) bool {
		found = found || n.Tag == "img" || n.Tag == "svg" || n.Tag == "hr" || n.Tag == "meter" || n.Tag == "progress" ||
			n.Tag == "" && strings.TrimSpace(n.Text) != ""
		return !found && n.Tag != "title" && n.Tag != "desc"
	})
	return found
}

// altText returns a description of a picture: the output's alt or short text, or else the number of its cell.
func altText(cell int, o notebook.Output) string {
	if alt := stringOf(o.Metadata["alt"]); alt != "" {
		return alt
	}
	if plain := strings.TrimSpace(stripANSI(stringOf(o.Data["text/plain"]))); plain != "" && !strings.HasPrefix(plain, "<") &&
		len(plain) < 300 {
		return plain
	}
	return fmt.Sprintf("Picture put out by cell %d", cell)
}

// latex returns a formula as MathML and other LaTeX as unchanged text.
func (p *page) latex(source string) *markup.Node {
	if p.opt.share(source, bytesByByte).Make(int64(bytesOfTeX*min(len(source), tex.Longest))) != nil {
		p.lost.add(tooDeep)
		return markup.Element("pre", nil, markup.Text(source))
	}
	if formula, ok := loneFormula(source); ok {
		return tex.Formula(formula, true)
	}
	if s := strings.TrimSpace(source); tex.Environment(s) != "" {
		return tex.Formula(s, true)
	}
	return markup.Element("pre", []string{"class", "latex"}, markup.Text(source))
}

// prettyJSON returns a decoded JSON value as indented text.
func prettyJSON(data any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(data); err != nil {
		return fmt.Sprint(data)
	}
	return strings.TrimRight(b.String(), "\n")
}
