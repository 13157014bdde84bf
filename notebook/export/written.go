package export

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

// written holds one Markdown text and its syntax tree.
type written struct {
	source []byte
	name   string
	root   ast.Node
	// formulas in source order, and the source with formulas masked, which goldmark parses
	formulas []formula
	masked   []byte

	allowance *allowance.Allowance
	plain     bool     // a limit was reached, and the rest is plain text
	deep      bool     // something was nested too deeply or too large, and is plain text
	block     ast.Node // block whose emphasis characters signs counts
	signs     int
}

// readMarkdown parses one Markdown text within its allowance. name is the prefix of its footnotes' IDs, which keeps texts
// apart.
func readMarkdown(source, name string, a *allowance.Allowance) *written {
	w := &written{source: []byte(source), name: name, allowance: a}
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
	switch n := n.(type) {
	case *ast.Link:
		w.unmask(&n.Destination, before.Start, after.Start)
		w.unmask(&n.Title, before.Start, after.Start)
	case *ast.Image:
		w.unmask(&n.Destination, before.Start, after.Start)
		w.unmask(&n.Title, before.Start, after.Start)
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

// unmask replaces a masked address or title by its text in the source. The end of its link is there from start to stop.
func (w *written) unmask(part *[]byte, start, stop int) {
	if len(*part) == 0 || stop > len(w.source) {
		return
	}
	if i := bytes.Index(w.masked[start:stop], *part); i >= 0 {
		*part = w.source[start+i : start+i+len(*part)]
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
		}
	}
	return out
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
