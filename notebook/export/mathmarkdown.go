package export

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/export/tex"
)

// maths adds formulas to goldmark's Markdown. findFormulas finds the formulas in the source before goldmark parses it.
type maths struct{ d *dialect }

// Extend implements goldmark.Extender.
func (e maths) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithBlockParsers(util.Prioritized(mathBlockParser(e), 650)),
		parser.WithInlineParsers(util.Prioritized(mathInlineParser(e), 150))) // before links and emphasis, but after code
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(mathRenderer(e), 500)))
}

var (
	kindMath      = ast.NewNodeKind("Math")
	kindMathBlock = ast.NewNodeKind("MathBlock")
)

// mathNode is a formula within a paragraph. It may be a display formula.
type mathNode struct {
	ast.BaseInline
	formula
}

// Kind implements ast.Node.
func (*mathNode) Kind() ast.NodeKind { return kindMath }

// Dump implements ast.Node.
func (n *mathNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// mathBlock is a display formula on its own lines.
type mathBlock struct {
	ast.BaseBlock
	formula
}

// Kind implements ast.Node.
func (*mathBlock) Kind() ast.NodeKind { return kindMathBlock }

// IsRaw implements ast.Node: the content is not Markdown.
func (*mathBlock) IsRaw() bool { return true }

// Dump implements ast.Node.
func (n *mathBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type mathInlineParser maths

// Trigger implements parser.InlineParser.
func (mathInlineParser) Trigger() []byte { return []byte{'$'} }

// Parse implements parser.InlineParser.
func (p mathInlineParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	_, segment := block.PeekLine()
	f, there := formulaAt(p.d.now.formulas, segment.Start)
	if !there || f.stop > segment.Stop {
		return nil
	}
	p.d.now.takes(bytesOfBlock + bytesOfTeX*min(len(f.tex), tex.Longest))
	block.Advance(f.stop - f.start)
	return &mathNode{formula: f}
}

type mathBlockParser maths

// Trigger implements parser.BlockParser.
func (mathBlockParser) Trigger() []byte { return []byte{'$'} }

// Open implements parser.BlockParser.
func (p mathBlockParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 {
		return nil, parser.NoChildren
	}
	f, there := formulaAt(p.d.now.formulas, segment.Start+pos-segment.Padding)
	end := f.stop - segment.Start + segment.Padding
	if !there || !f.display || end > len(line) || len(bytes.TrimSpace(line[end:])) > 0 { // text follows: use the inline parser
		return nil, parser.NoChildren
	}
	p.d.now.takes(bytesOfBlock + bytesOfTeX*min(len(f.tex), tex.Longest))
	n := &mathBlock{formula: f}
	n.Lines().Append(segment)
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

// Continue implements parser.BlockParser.
func (mathBlockParser) Continue(ast.Node, text.Reader, parser.Context) parser.State {
	return parser.Close
}

// Close implements parser.BlockParser.
func (mathBlockParser) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements parser.BlockParser.
func (mathBlockParser) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements parser.BlockParser.
func (mathBlockParser) CanAcceptIndentedLine() bool { return false }

type mathRenderer maths

// RegisterFuncs implements renderer.NodeRenderer.
func (r mathRenderer) RegisterFuncs(registry renderer.NodeRendererFuncRegisterer) {
	registry.Register(kindMath, func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(node.(*mathNode).markup().String())
		}
		return ast.WalkSkipChildren, nil
	})
	registry.Register(kindMathBlock, func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(node.(*mathBlock).markup().String() + "\n")
		}
		return ast.WalkSkipChildren, nil
	})
	registry.Register(ast.KindHTMLBlock, func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			r.html(w, node)
		}
		return ast.WalkContinue, nil
	})
}

// markup returns the formula as MathML, or as TeX source if it cannot be converted. A reference becomes a link, whose text
// number adds later.
func (f formula) markup() *markup.Node {
	if f.reference {
		return tex.Reference(f.tex)
	}
	return tex.Formula(f.tex, f.display)
}

// untouched are the HTML elements in which formulas are not converted.
var untouched = markup.Names("pre code script style textarea title")

// html writes raw HTML and converts the formulas in its text.
func (r mathRenderer) html(w util.BufWriter, node ast.Node) {
	source, places := r.d.now.rawHTML(node)
	at, inside := 0, 0
	for z := html.NewTokenizer(bytes.NewReader(source)); z.Next() != html.ErrorToken; {
		token := z.Token()
		from := at
		at += len(z.Raw())
		switch {
		case token.Type == html.StartTagToken && untouched[token.Data]:
			inside++
		case token.Type == html.EndTagToken && untouched[token.Data]:
			inside = max(inside-1, 0)
		case token.Type == html.TextToken && inside == 0:
			for i := from; i < at; i++ {
				f, there := formulaAt(r.d.now.formulas, places[i])
				if end := i + f.stop - f.start; there && end <= at && places[end-1] == f.stop-1 {
					_, _ = w.Write(source[from:i])
					_, _ = w.WriteString(f.markup().String())
					from, i = end, end-1
				}
			}
		}
		_, _ = w.Write(source[from:at])
	}
	_, _ = w.Write(source[at:])
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
