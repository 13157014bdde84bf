package export

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/gonb-cope/gonb-cope/internal/front/export/tex"
)

// maths lets Markdown hold formulas as Jupyter does: $…$ in a line, $$…$$ and
// \begin{align}…\end{align} set apart.
type maths struct{}

// Extend implements goldmark.Extender.
func (maths) Extend(m goldmark.Markdown) {
	// Before links and emphasis, whose signs mean other things in TeX; after code.
	m.Parser().AddOptions(
		parser.WithBlockParsers(util.Prioritized(mathBlockParser{}, 650)),
		parser.WithInlineParsers(util.Prioritized(mathInlineParser{}, 150)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(mathRenderer{}, 500)))
}

var (
	kindMath      = ast.NewNodeKind("Math")
	kindMathBlock = ast.NewNodeKind("MathBlock")
)

// mathNode is a formula in a line; set apart when display is true.
type mathNode struct {
	ast.BaseInline
	tex     string
	display bool
}

// Kind implements ast.Node.
func (*mathNode) Kind() ast.NodeKind { return kindMath }

// Dump implements ast.Node.
func (n *mathNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// mathBlock is a formula on separate lines; its lines include the signs around it.
type mathBlock struct {
	ast.BaseBlock
	end string // that is still to come, or ""
}

// Kind implements ast.Node.
func (*mathBlock) Kind() ast.NodeKind { return kindMathBlock }

// IsRaw implements ast.Node: no Markdown inside.
func (*mathBlock) IsRaw() bool { return true }

// Dump implements ast.Node.
func (n *mathBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// tex returns the formula without dollars.
func (n *mathBlock) tex(source []byte) string {
	s := strings.TrimSpace(string(n.Lines().Value(source)))
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(s, "$$"), "$$"))
}

type mathInlineParser struct{}

// Trigger implements parser.InlineParser.
func (mathInlineParser) Trigger() []byte { return []byte{'$'} }

// Parse implements parser.InlineParser. A dollar followed by a space, or one that
// is closed before a digit, is money.
func (mathInlineParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	sign := "$"
	if bytes.HasPrefix(line, []byte("$$")) {
		sign = "$$"
	}
	body := line[len(sign):]
	end := closing(body, sign)
	if end < 0 { // then perhaps on a later line
		l, pos := block.Position()
		block.AdvanceLine()
		for more, _ := block.PeekLine(); more != nil; more, _ = block.PeekLine() {
			body = append(body[:len(body):len(body)], more...)
			block.AdvanceLine()
		}
		block.SetPosition(l, pos)
		end = closing(body, sign)
	}
	if end < 0 {
		block.Advance(len(sign))
		return ast.NewTextSegment(segment.WithStop(segment.Start + len(sign)))
	}
	block.Advance(end + 2*len(sign))
	return &mathNode{tex: strings.TrimSpace(string(body[:end])), display: sign == "$$"}
}

// closing returns the offset at which the formula ends, or -1.
func closing(body []byte, sign string) int {
	for i := 0; i < len(body); i++ {
		switch {
		case body[i] == '\\':
			i++
		case bytes.HasPrefix(body[i:], []byte(sign)):
			after := body[i+len(sign):]
			if sign == "$" && (i == 0 || blank(body[0]) || blank(body[i-1]) || len(after) > 0 && after[0] >= '0' && after[0] <= '9') {
				return -1
			}
			if len(bytes.TrimSpace(body[:i])) == 0 {
				return -1
			}
			return i
		}
	}
	return -1
}

func blank(c byte) bool { return c == ' ' || c == '\n' }

type mathBlockParser struct{}

// Trigger implements parser.BlockParser.
func (mathBlockParser) Trigger() []byte { return []byte{'$', '\\'} }

// Open implements parser.BlockParser.
func (mathBlockParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 {
		return nil, parser.NoChildren
	}
	s := strings.TrimSpace(string(line[pos:]))
	end := "$$"
	rest, dollars := strings.CutPrefix(s, end)
	if name := tex.Environment(s); name != "" {
		end = `\end{` + name + "}"
	} else if !dollars {
		return nil, parser.NoChildren
	}
	n := &mathBlock{end: end}
	if strings.Contains(rest, end) {
		n.end = ""
		if !strings.HasSuffix(rest, end) || strings.Count(rest, end) > 1 {
			return nil, parser.NoChildren // a formula and text: the inline parser's
		}
	} else if !bytes.Contains(reader.Source()[min(segment.Stop, len(reader.Source())):], []byte(end)) {
		return nil, parser.NoChildren
	}
	n.Lines().Append(segment)
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

// Continue implements parser.BlockParser.
func (mathBlockParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*mathBlock)
	if n.end == "" {
		return parser.Close
	}
	line, segment := reader.PeekLine()
	n.Lines().Append(segment)
	reader.AdvanceToEOL()
	if bytes.Contains(line, []byte(n.end)) {
		n.end = ""
		return parser.Close
	}
	return parser.Continue | parser.NoChildren
}

// Close implements parser.BlockParser.
func (mathBlockParser) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements parser.BlockParser.
func (mathBlockParser) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements parser.BlockParser.
func (mathBlockParser) CanAcceptIndentedLine() bool { return false }

type mathRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (mathRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindMath, func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if n := node.(*mathNode); entering {
			_, _ = w.WriteString(tex.Formula(n.tex, n.display).String())
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(kindMathBlock, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if n := node.(*mathBlock); entering {
			_, _ = w.WriteString(tex.Formula(n.tex(source), true).String() + "\n")
		}
		return ast.WalkSkipChildren, nil
	})
}
