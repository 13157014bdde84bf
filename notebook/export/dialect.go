package export

import (
	"bytes"
	"errors"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	render "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A dialect reads and renders the Markdown of notebooks: GitHub's, with footnotes and formulas. Raw HTML passes: it is cleaned when a
// tree is rendered. It is made once and used for one text at a time.
//
// Goldmark takes time by the square of the length of some texts, such as ">>>>" and "*a_*a_", and makes a cell for each column of a
// table's head in each of its rows. So parsers that count call its parsers. Text over a limit is left unchanged.
type dialect struct {
	goldmark.Markdown
	now *written // the text under way
}

// The limits of one text, and what its parts take. How much they may take together is in limits.go.
const (
	mostNesting  = 100     // quotes and lists within each other
	mostCells    = 200_000 // of a table
	mostLinks    = 2_000   // addresses that are together at the end of a text
	bytesOfBlock = 1_000   // of the tree of Markdown, of HTML and of the page; about
	bytesInline  = 400
	bytesOfTeX   = 300 // of each letter
)

// dialects keeps ones that are not in use: making one takes longer than reading a short text.
var dialects = sync.Pool{New: func() any { return newDialect() }}

// with runs something with a dialect for a text.
func (w *written) with(do func(*dialect)) {
	d := dialects.Get().(*dialect)
	d.now = w
	do(d)
	d.now = nil
	dialects.Put(d)
}

func newDialect() *dialect {
	d := &dialect{}
	inline := append(parser.DefaultInlineParsers(), util.Prioritized(extension.NewStrikethroughParser(), 500),
		util.Prioritized(extension.NewFootnoteParser(), 101))
	for i := range inline {
		inner := inline[i].Value.(parser.InlineParser)
		switch p := inner.(type) {
		case linkParser:
			inline[i].Value = tailParser{p, d}
		default:
			inline[i].Value = countedInline{p, d}
		}
	}
	blocks := append(parser.DefaultBlockParsers(), util.Prioritized(extension.NewFootnoteBlockParser(), 999))
	for i := range blocks {
		blocks[i].Value = nestedBlock{blocks[i].Value.(parser.BlockParser), d}
	}
	d.Markdown = goldmark.New(
		goldmark.WithParser(parser.NewParser(parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inline...),
			parser.WithParagraphTransformers(util.Prioritized(countedLinks{parser.LinkReferenceParagraphTransformer, d}, 100),
				util.Prioritized(countedTables{extension.NewTableParagraphTransformer(), d}, 200)),
			parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0),
				util.Prioritized(extension.NewFootnoteASTTransformer(), 999)))),
		goldmark.WithExtensions(extension.Linkify, extension.TaskList, maths{d}),
		goldmark.WithRendererOptions(render.WithUnsafe(), render.WithXHTML(), renderer.WithNodeRenderers(
			util.Prioritized(extension.NewTableHTMLRenderer(), 500), util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
			util.Prioritized(extension.NewFootnoteHTMLRenderer(extension.WithFootnoteIDPrefixFunction(func(ast.Node) []byte {
				return []byte(d.now.name + "-")
			})), 500))))
	return d
}

// errLarge ends the reading of a text that would take too much memory.
var errLarge = errors.New("a text that takes too much memory")

// parse reads the Markdown. A text that would take too much memory becomes code, unchanged.
func (w *written) parse() {
	defer func() {
		if r := recover(); r == errLarge {
			w.asCode()
		} else if r != nil {
			panic(r)
		}
	}()
	w.with(func(d *dialect) { w.root = d.Parser().Parse(text.NewReader(w.masked)) })
	_ = ast.Walk(w.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if block, ok := n.(*ast.HTMLBlock); ok && entering {
			for _, line := range block.Lines().Sliced(0, block.Lines().Len()) {
				w.takes(bytesOfBlock / 2 * bytes.Count(line.Value(w.source), []byte("<")))
			}
		}
		return ast.WalkContinue, nil
	})
}

// asCode makes all of the text code, unchanged.
func (w *written) asCode() {
	code := ast.NewCodeBlock()
	code.Lines().Append(text.NewSegment(0, len(w.source)))
	w.root, w.deep = ast.NewDocument(), true
	w.root.AppendChild(w.root, code)
}

// takes notes memory that is taken. Only parse ends its panic.
func (w *written) takes(bytes int) {
	if w.allowance.Make(int64(bytes)) != nil {
		panic(errLarge)
	}
}

// may asks before more work is done; once it is refused all of the rest is text.
func (w *written) may(steps int) bool {
	if !w.plain && w.allowance.Step(int64(steps)) != nil {
		w.plain = true
	}
	return !w.plain
}

// peek returns the text under way, and what is left of the line unless the rest of the text is plain.
func (d *dialect) peek(block text.Reader) (w *written, line []byte, at text.Segment) {
	if w = d.now; !w.plain {
		line, at = block.PeekLine()
	}
	return w, line, at
}

// countedInline is a parser of what is in a line, whose work is counted.
type countedInline struct {
	parser.InlineParser
	d *dialect
}

// Parse implements parser.InlineParser.
func (p countedInline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	w, line, at := p.d.peek(block)
	switch {
	case w.plain:
		return nil
	case len(line) > 0 && strings.IndexByte("*_~", line[0]) >= 0: // a sign is compared with those before it
		if w.block != parent {
			w.block, w.signs = parent, 0
		}
		w.signs++
		if !w.may(w.signs) {
			return nil
		}
	}
	n := p.InlineParser.Parse(parent, block, pc)
	switch n.(type) {
	case nil:
	case *east.FootnoteLink: // and the way back
		w.takes(4 * bytesOfBlock)
	default:
		w.takes(bytesInline)
	}
	switch n.(type) {
	case nil, *ast.Text: // a code or a tag that does not end is looked for to the end of its block
		if len(line) > 1 && (line[0] == '`' || line[0] == '<' && line[1] > ' ') && !w.may(restOf(parent, at)) {
			return n
		}
	}
	return n
}

// linesOf returns the number of lines of a block.
func linesOf(block ast.Node) int {
	if block.Type() != ast.TypeBlock {
		return 1
	}
	return max(block.Lines().Len(), 1)
}

// restOf returns the number of bytes of a block that follow a place.
func restOf(block ast.Node, at text.Segment) int {
	if block.Type() != ast.TypeBlock || block.Lines().Len() == 0 {
		return at.Len()
	}
	return max(block.Lines().At(block.Lines().Len()-1).Stop-at.Start, 0)
}

// nestedBlock is a parser of blocks that does not open one too deep in others.
type nestedBlock struct {
	parser.BlockParser
	d *dialect
}

// Open implements parser.BlockParser.
func (p nestedBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	l, segment := reader.Position()
	n, state := p.BlockParser.Open(parent, reader, pc)
	if n != nil {
		p.d.now.takes(bytesOfBlock)
	}
	// An item is opened where its list was.
	if _, item := n.(*ast.ListItem); n != nil && !item && state&parser.HasChildren != 0 && len(pc.OpenedBlocks()) >= mostNesting {
		p.d.now.deep = true
		reader.SetPosition(l, segment)
		return nil, parser.NoChildren
	}
	return n, state
}

// countedTables parses tables and limits the number of their cells.
type countedTables struct {
	parser.ParagraphTransformer
	d *dialect
}

// Transform implements parser.ParagraphTransformer.
func (t countedTables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, columns := node.Lines(), 0
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		if rule := line.Value(reader.Source()); len(bytes.Trim(rule, "|-: \t\r\n>")) == 0 {
			columns = max(columns, 1+bytes.Count(rule, []byte("|")))
		}
	}
	if columns > 0 && columns*lines.Len() > mostCells {
		t.d.now.deep = true
		return
	}
	if columns > 0 {
		t.d.now.takes(columns * lines.Len() * bytesInline)
		t.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// countedLinks reads the addresses of links that are written apart from their words.
type countedLinks struct {
	parser.ParagraphTransformer
	d *dialect
}

// Transform implements parser.ParagraphTransformer.
func (t countedLinks) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	if lines.Len() == 0 {
		return
	}
	if first := lines.At(0); !bytes.HasPrefix(bytes.TrimLeft(first.Value(reader.Source()), " \t"), []byte("[")) {
		return
	}
	if lines.Len() > mostLinks {
		t.d.now.deep = true
		return
	}
	t.ParagraphTransformer.Transform(node, reader, pc)
}
