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

// written holds one Markdown text and its syntax tree. All reports take headings, links and images from the tree. Markdown
// reports copy the source and edit only these places.
type written struct {
	source []byte
	name   string
	root   ast.Node
	tails  map[ast.Node]tail // positions of links and images
	// formulas in source order, and the source with formulas masked, which goldmark parses
	formulas []formula
	masked   []byte

	allowance *allowance.Allowance
	plain     bool     // a limit was reached, and the rest is plain text
	deep      bool     // something was nested too deeply or too large, and is plain text
	block     ast.Node // block whose emphasis characters signs counts
	signs     int
}

// tail is the position of the end of a link or an image: "](address)", "][reference]" or "]".
type tail struct{ start, stop int }

// readMarkdown parses one Markdown text within its allowance. name is the prefix of its footnotes' IDs, which keeps texts
// apart.
func readMarkdown(source, name string, a *allowance.Allowance) *written {
	w := &written{source: []byte(source), name: name, tails: map[ast.Node]tail{}, allowance: a}
	w.formulas = findFormulas(w.source)
	w.masked = maskNames(masked(w.source, w.formulas))
	w.parse()
	return w
}

// shortened reports whether a part of the text is shown as source because of a limit.
func (w *written) shortened() bool { return w.plain || w.deep }

// These messages are about text that is shown as source.
const (
	tooDeep     = "text that is too deep or too long to be laid out; its source is shown"
	tooDeepNote = "A part of this text is too deep or too long to be laid out. Its source is shown."
)

// linkParser is the type of goldmark's parser of links and images.
type linkParser interface {
	parser.InlineParser
	parser.CloseBlocker
}

// tailParser wraps goldmark's link parser and records where links and images end. goldmark's nodes do not store it.
type tailParser struct {
	linkParser
	d *dialect
}

// Parse implements parser.InlineParser.
func (p tailParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	w, line, before := p.d.peek(block)
	if w.plain || line[0] == ']' && !w.may(linesOf(parent)) { // goldmark searches for the link's text line by line
		return nil
	}
	n := p.linkParser.Parse(parent, block, pc)
	switch n.(type) {
	case nil:
	case *ast.Link, *ast.Image: // includes the tail
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

// spacedName matches an attachment whose name has blanks. Markdown does not allow them here, but front ends show such
// images.
var spacedName = regexp.MustCompile(`\]\(attachment:[^()<>"'\n]* [^()<>"'\n]*\)`)

// maskNames replaces each blank in the names of attachments by the letter x.
func maskNames(source []byte) []byte {
	return spacedName.ReplaceAllFunc(source, func(m []byte) []byte { return bytes.ReplaceAll(m, []byte(" "), []byte("x")) })
}

// unmask replaces a masked address or title by its text in the source. t is the end of the link that contains it.
func (w *written) unmask(part *[]byte, t tail) {
	if len(*part) == 0 || t.stop > len(w.source) {
		return
	}
	if i := bytes.Index(w.masked[t.start:t.stop], *part); i >= 0 {
		*part = w.source[t.start+i : t.start+i+len(*part)]
	}
}

// tree renders a node to clean markup.
func (w *written) tree(n ast.Node, c *markup.Cleaner) *markup.Node {
	var b bytes.Buffer
	w.with(func(d *dialect) { _ = d.Renderer().Render(&b, w.source, n) }) // no error: a buffer accepts all writes
	// HTML reopens unclosed elements in each following paragraph, so count them first.
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

// headings returns all headings in document order.
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

// address returns the address of a link or an image, with characters escaped as in HTML.
func address(destination []byte) string { return string(util.URLEscape(destination, true)) }

// edit replaces source[start:stop] by text.
type edit struct {
	start, stop int
	text        string
}

// edited returns the source with the edits applied. If two edits overlap, only the first is applied.
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

// place is the position of a heading: all of it is source[start:stop], and its text is source[first:last]. The heading has
// the form "# text #" or a line of signs below its text.
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

// lineEnd returns the end of the line that contains position at, before its newline.
func (w *written) lineEnd(at int) int {
	at = min(at, len(w.source))
	if i := bytes.IndexByte(w.source[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(w.source)
}

// releveled returns the edits that change a heading's level.
func (w *written) releveled(h *ast.Heading, level int) []edit {
	p := w.place(h)
	out := []edit{{p.start, p.first, strings.Repeat("#", level) + " "}, {p.last, p.stop, ""}}
	for i := 1; i < h.Lines().Len(); i++ {
		line := h.Lines().At(i - 1)
		out = append(out, edit{line.TrimRightSpace(w.source).Stop, h.Lines().At(i).Start, " "})
	}
	return out
}

// readdressed returns the edit that changes the address of a link or image to to. If the address is in a reference
// definition, the edit writes the new address into the link itself.
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

// rawHTML returns the HTML of a node and, for each byte, its position in the source.
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

// rawImages returns the edits that replace the images in raw HTML. Each img element with a src attribute becomes the text
// that change returns.
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
