package export

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

// written holds Markdown as its author wrote it, and its tree. All reports take headings,
// links and images from the tree; a Markdown report changes the source at their places.
type written struct {
	source []byte
	name   string
	root   ast.Node
	tails  map[ast.Node]tail // of links and images
	// in the order of the source, and the source without them, which is what is read as Markdown
	formulas []formula
	masked   []byte

	allowance *allowance.Allowance
	plain     bool     // a limit was reached: what follows is text
	deep      bool     // something nests too deep, and is text
	block     ast.Node // whose signs of emphasis are counted
	signs     int
}

// tail holds the place of the end of a link or an image: "](address)", "][reference]" or "]".
type tail struct{ start, stop int }

// readMarkdown reads a text of a notebook, within its allowance. The name keeps the footnotes of different cells apart.
func readMarkdown(source, name string, a *allowance.Allowance) *written {
	w := &written{source: []byte(source), name: name, tails: map[ast.Node]tail{}, allowance: a}
	w.formulas = findFormulas(w.source)
	w.masked = maskNames(masked(w.source, w.formulas))
	w.parse()
	return w
}

// shortened reports whether the source of a part of the text is shown.
func (w *written) shortened() bool { return w.plain || w.deep }

// Messages about text whose source is shown.
const (
	tooDeep     = "text that is too deep or too long to be laid out; its source is shown"
	tooDeepNote = "A part of this text is too deep or too long to be laid out. Its source is shown."
)

// linkParser is the type of goldmark's parser of links and images.
type linkParser interface {
	parser.InlineParser
	parser.CloseBlocker
}

// tailParser records where links and images end, which their nodes do not store.
type tailParser struct {
	linkParser
	d *dialect
}

// Parse implements parser.InlineParser.
func (p tailParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	w, line, before := p.d.peek(block)
	if w.plain || line[0] == ']' && !w.may(linesOf(parent)) { // its words are looked for line by line
		return nil
	}
	n := p.linkParser.Parse(parent, block, pc)
	switch n.(type) {
	case nil:
	case *ast.Link, *ast.Image: // and its tail
		w.takes(2 * bytesOfBlock)
	default:
		w.takes(bytesInline)
	}
	if n == nil && len(line) > 1 && line[0] == ']' && (line[1] == '(' || line[1] == '[') && !w.may(restOf(parent, before)) {
		return nil
	}
	_, after := block.Position()
	t := tail{before.Start, after.Start}
	switch n := n.(type) {
	case *ast.Link:
		w.tails[n] = t
		w.unmask(&n.Destination, t)
		w.unmask(&n.Title, t)
	case *ast.Image:
		w.tails[n] = t
		w.unmask(&n.Destination, t)
		w.unmask(&n.Title, t)
	}
	return n
}

// spacedName is an attachment whose name has blanks that are not written as Markdown wants them. Front ends show it.
var spacedName = regexp.MustCompile(`\]\(attachment:[^()<>"'\n]* [^()<>"'\n]*\)`)

// maskNames replaces blanks in names of attachments by a letter.
func maskNames(source []byte) []byte {
	return spacedName.ReplaceAllFunc(source, func(m []byte) []byte { return bytes.ReplaceAll(m, []byte(" "), []byte("x")) })
}

// unmask puts what was masked in an address or a title back, which is at the end of a link.
func (w *written) unmask(part *[]byte, t tail) {
	if len(*part) == 0 || t.stop > len(w.source) {
		return
	}
	if i := bytes.Index(w.masked[t.start:t.stop], *part); i >= 0 {
		*part = w.source[t.start+i : t.start+i+len(*part)]
	}
}

// tree renders a node to markup that is clean.
func (w *written) tree(n ast.Node, c *markup.Cleaner) *markup.Node {
	var b bytes.Buffer
	w.with(func(d *dialect) { _ = d.Renderer().Render(&b, w.source, n) }) // errors would be the buffer's, which takes everything
	// Elements that HTML leaves open are opened again in each paragraph that follows.
	if n == w.root && !w.deep && w.allowance.Make(int64(markup.Reopened(b.String()))*bytesOfBlock/2) != nil {
		w.asCode()
		return w.tree(w.root, c)
	}
	out := c.Read(b.String())
	for _, code := range out.All("code") {
		if language, ok := strings.CutPrefix(code.Get("class"), "language-"); ok {
			code.Children = highlight(code.Plain(), language, w.allowance)
			code.Attrs = nil
		}
	}
	return out
}

// headings returns all headings in the order of the page.
func (w *written) headings() []*ast.Heading {
	var out []*ast.Heading
	_ = ast.Walk(w.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			out = append(out, h)
		}
		return ast.WalkContinue, nil
	})
	return out
}

// address returns the address of a link or an image as a page has it.
func address(destination []byte) string { return string(util.URLEscape(destination, true)) }

// edit replaces the source from start to stop.
type edit struct {
	start, stop int
	text        string
}

// edited returns the source with changes. Of two that overlap the first counts.
func (w *written) edited(edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.start >= at {
			b.Write(w.source[at:e.start])
			b.WriteString(e.text)
			at = e.stop
		}
	}
	b.Write(w.source[at:])
	return b.String()
}

// place holds the place of a heading: all of it from start to stop, its text from first to last. A
// heading is written "# text #" or with a line below its text.
type place struct{ start, first, last, stop int }

func (w *written) place(h *ast.Heading) place {
	if h.Lines().Len() == 0 {
		at := h.Pos()
		stop := w.lineEnd(at)
		return place{at, stop, stop, stop}
	}
	begin, end := h.Lines().At(0), h.Lines().At(h.Lines().Len()-1)
	p := place{first: begin.Start, last: end.TrimRightSpace(w.source).Stop}
	line := bytes.LastIndexByte(w.source[:p.first], '\n') + 1
	before := bytes.TrimRight(w.source[line:p.first], " \t")
	if signs := strings.Repeat("#", h.Level); bytes.HasSuffix(before, []byte(signs)) {
		p.start, p.stop = line+len(before)-h.Level, w.lineEnd(p.last)
	} else {
		p.start, p.stop = p.first, w.lineEnd(w.lineEnd(p.last)+1)
	}
	return p
}

// lineEnd returns the end of the line at a place, before its newline.
func (w *written) lineEnd(at int) int {
	at = min(at, len(w.source))
	if i := bytes.IndexByte(w.source[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(w.source)
}

// releveled returns the edits that give a heading another level.
func (w *written) releveled(h *ast.Heading, level int) []edit {
	p := w.place(h)
	out := []edit{{p.start, p.first, strings.Repeat("#", level) + " "}, {p.last, p.stop, ""}}
	for i := 1; i < h.Lines().Len(); i++ {
		line := h.Lines().At(i - 1)
		out = append(out, edit{line.TrimRightSpace(w.source).Stop, h.Lines().At(i).Start, " "})
	}
	return out
}

// readdressed returns the edit that gives a link or an image another address. One with a reference
// gets the address in its own place.
func (w *written) readdressed(n ast.Node, destination, title []byte, reference *ast.ReferenceLink, to string) edit {
	t := w.tails[n]
	if reference == nil {
		opening := len("](")
		inner := w.source[t.start+opening : t.stop]
		if i := len(inner) - len(bytes.TrimLeft(inner, " \t\r\n")); inner[i] == '<' {
			opening += i + 1
		}
		if i := bytes.Index(w.source[t.start+opening:t.stop], destination); i >= 0 {
			start := t.start + opening + i
			return edit{start, start + len(destination), to}
		}
	}
	if len(title) > 0 {
		to += ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(string(util.UnescapePunctuations(title))) + `"`
	}
	return edit{t.start, t.stop, "](" + to + ")"}
}

// rawHTML returns the HTML of a node and the place in the source of each of its bytes.
func (w *written) rawHTML(n ast.Node) (source []byte, places []int) {
	var all []text.Segment
	switch n := n.(type) {
	case *ast.RawHTML:
		all = n.Segments.Sliced(0, n.Segments.Len())
	case *ast.HTMLBlock:
		all = n.Lines().Sliced(0, n.Lines().Len())
		if n.HasClosure() {
			all = append(slices.Clip(all), n.ClosureLine)
		}
	}
	for _, s := range all {
		source = append(source, w.source[s.Start:s.Stop]...)
		for at := s.Start; at < s.Stop; at++ {
			places = append(places, at)
		}
	}
	return source, places
}

// rawImages returns the edits of the images of raw HTML: each that has a source becomes
// what change returns.
func (w *written) rawImages(n ast.Node, change func(img html.Token, src *html.Attribute) string) []edit {
	source, places := w.rawHTML(n)
	var out []edit
	at := 0
	for z := html.NewTokenizer(bytes.NewReader(source)); z.Next() != html.ErrorToken; {
		from, length := at, len(z.Raw())
		at += length
		token := z.Token()
		if token.DataAtom != atom.Img || token.Type == html.EndTagToken {
			continue
		}
		if i := slices.IndexFunc(token.Attr, func(a html.Attribute) bool { return a.Key == "src" }); i >= 0 {
			out = append(out, edit{places[from], places[at-1] + 1, change(token, &token.Attr[i])})
		}
	}
	return out
}
