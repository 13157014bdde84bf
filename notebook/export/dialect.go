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

// dialect parses and renders notebook Markdown: GitHub's Markdown with footnotes and formulas. It keeps raw HTML, which is
// cleaned when a tree is rendered. A dialect is reused, for one text at a time.
//
// Goldmark needs quadratic time for some texts, such as ">>>>" and "*a_*a_". It also makes a cell for each column of a
// table's head in each row. Therefore each of its parsers is wrapped in one that counts work. Text above a limit is left
// unchanged.
type dialect struct {
	goldmark.Markdown
	now *written // the text being parsed or rendered
}

// These are the limits of one text, and estimates of the memory that its parts take. limits.go has the totals per text and
// report.
const (
	mostNesting  = 100     // nesting depth of quotes and lists
	mostCells    = 200_000 // cells per table
	mostLinks    = 2_000   // consecutive link definitions
	bytesOfBlock = 1_000   // per block: the nodes of Markdown, HTML and page together, roughly
	bytesInline  = 400
	bytesOfTeX   = 300 // per byte of a formula
)

// dialects is a pool of unused dialects. Creating one takes longer than parsing a short text.
var dialects = sync.Pool{New: func() any { return newDialect() }}

// with calls do with a dialect from the pool that works on text w.
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

// errLarge is the panic value that stops the parsing of a text that would take too much memory.
var errLarge = errors.New("a text that takes too much memory")

// parse parses the Markdown into w.root. If the text would take too much memory, the whole text becomes a code block.
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

// asCode makes the whole text one code block.
func (w *written) asCode() {
	code := ast.NewCodeBlock()
	code.Lines().Append(text.NewSegment(0, len(w.source)))
	w.root, w.deep = ast.NewDocument(), true
	w.root.AppendChild(w.root, code)
}

// takes counts memory against the allowance. Above the allowance it panics with errLarge, which parse recovers.
func (w *written) takes(bytes int) {
	if w.allowance.Make(int64(bytes)) != nil {
		panic(errLarge)
	}
}

// may asks the allowance for steps of work. After the first refusal it returns false, and the rest of the text stays
// plain.
func (w *written) may(steps int) bool {
	if !w.plain && w.allowance.Step(int64(steps)) != nil {
		w.plain = true
	}
	return !w.plain
}

// peek returns the text being parsed and the rest of the current line. The line is empty if the rest of the text is plain.
func (d *dialect) peek(block text.Reader) (w *written, line []byte, at text.Segment) {
	if w = d.now; !w.plain {
		line, at = block.PeekLine()
	}
	return w, line, at
}

// countedInline wraps an inline parser and counts its work and memory.
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
	case len(line) > 0 && strings.IndexByte("*_~", line[0]) >= 0: // goldmark compares each of these with all earlier ones
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
	case *east.FootnoteLink: // also for its backlink
		w.takes(4 * bytesOfBlock)
	default:
		w.takes(bytesInline)
	}
	switch n.(type) {
	case nil, *ast.Text: // without an end, goldmark searched to the end of the block
		if len(line) > 1 && (line[0] == '`' || line[0] == '<' && line[1] > ' ') && !w.may(restOf(parent, at)) {
			return n
		}
	}
	return n
}

// linesOf returns the number of lines of a block, at least 1.
func linesOf(block ast.Node) int {
	if block.Type() != ast.TypeBlock {
		return 1
	}
	return max(block.Lines().Len(), 1)
}

// restOf returns the number of bytes in a block from the start of segment at.
func restOf(block ast.Node, at text.Segment) int {
	if block.Type() != ast.TypeBlock || block.Lines().Len() == 0 {
		return at.Len()
	}
	return max(block.Lines().At(block.Lines().Len()-1).Stop-at.Start, 0)
}

// nestedBlock wraps a block parser and refuses to open blocks deeper than mostNesting.
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
	// A list item is always allowed where its list was allowed.
	if _, item := n.(*ast.ListItem); n != nil && !item && state&parser.HasChildren != 0 && len(pc.OpenedBlocks()) >= mostNesting {
		p.d.now.deep = true
		reader.SetPosition(l, segment)
		return nil, parser.NoChildren
	}
	return n, state
}

// countedTables wraps the table parser and limits the number of cells to mostCells.
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

// countedLinks wraps the parser of link definitions ("[name]: address") and limits their number to mostLinks.
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
