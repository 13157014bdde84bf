package export

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/export/tex"
	"github.com/gonb-cope/gonb-cope/report"
)

// target is a report that package report writes from blocks.
type target struct {
	put     putter
	latex   bool
	quarto  bool
	paper   bool                     // folded parts are omitted, because a reader cannot unfold paper
	figures []string                 // media types of files for our figures, best first
	media   []string                 // media types of outputs, best first
	anchor  func(text string) string // anchor of a heading; nil if links to headings become text
	deepest int                      // nesting of lists and quotes; deeper ones become text
}

// converter makes blocks from the tree of a page.
type converter struct {
	target
	ctx     context.Context
	parents map[*markup.Node]bool // nodes that contain blocks
	ids     map[string]*markup.Node
	notes   map[*markup.Node]report.Prose // footnotes so far; one inside another is written once
	depth   int
	note    bool // inside a footnote
	cell    bool // inside a cell of a table
	output  bool // inside an output
	files   int
}

// blocksOf returns the blocks of a page's main element without its title.
func blocksOf(ctx context.Context, main *markup.Node, t target) []report.Block {
	c := &converter{target: t, ctx: ctx, parents: map[*markup.Node]bool{},
		ids: map[string]*markup.Node{}, notes: map[*markup.Node]report.Prose{}}
	c.look(main)
	return c.blocks(main.Children[1:])
}

// look finds the nodes that contain blocks, and those with an ID.
func (c *converter) look(n *markup.Node) bool {
	c.ids[n.Get("id")] = n
	inside := false
	for _, child := range n.Children {
		inside = c.look(child) || inside
	}
	c.parents[n] = inside
	return inside || c.apart(n)
}

// apart reports whether a node is a block: an element on a line of its own, or a displayed formula.
func (c *converter) apart(n *markup.Node) bool { return n.IsBlock() || n.Get("display") == "block" }

// blocks returns nodes as blocks. Running text between blocks is a paragraph.
func (c *converter) blocks(nodes []*markup.Node) (out []report.Block) {
	var line report.Prose
	end := func() {
		if slices.ContainsFunc(line, inked) {
			out = append(out, line)
		}
		line = nil
	}
	for _, n := range nodes {
		if c.apart(n) || c.parents[n] {
			end()
			out = append(out, c.block(n)...)
		} else {
			line = append(line, c.inline(n)...)
		}
	}
	end()
	return out
}

// inked reports whether a piece of text is more than white space.
func inked(in report.Inline) bool {
	return in.Kind == report.Picture || in.Kind != report.Break && strings.TrimSpace(in.Text) != "" || slices.ContainsFunc(in.Inside, inked)
}

// block returns a node with blocks, or one that is a block, as blocks.
func (c *converter) block(n *markup.Node) []report.Block {
	if level := headingLevel(n); level > 0 && !c.parents[n] {
		return []report.Block{report.Heading{Level: level, Text: c.line(n)}}
	}
	switch n.Tag {
	case "nav", "summary":
		return nil
	case "pre":
		return []report.Block{c.code(n)}
	case "hr":
		return []report.Block{report.Prose{{Kind: report.Raw, Text: map[bool]string{true: "\\medskip\\hrule\\medskip", false: "***"}[c.latex]}}}
	case "table":
		return []report.Block{c.table(n)}
	case "figure":
		return c.figure(n)
	case "details":
		return c.details(n)
	case "math":
		return []report.Block{c.inline(n)}
	case "ul", "ol", "dl", "blockquote":
		return c.nested(n)
	}
	output := c.output
	defer func() { c.output = output }()
	class := ""
	switch {
	case n.HasClass("display"):
		return []report.Block{c.formula(n.Plain(), true)}
	case n.HasClass("footnotes"):
		c.cell = true
		defer func() { c.cell = false }()
		return lists.Flat(n.All("li"), func(li *markup.Node) []report.Block {
			if c.latex {
				return nil
			}
			name := report.Inline{Kind: report.Raw, Text: "[^" + li.Get("id") + "]: "}
			return []report.Block{append(report.Prose{name}, c.footnote(li)...)}
		})
	case n.HasClass("failed") || n.HasClass("warning"):
		return c.nested(n)
	case n.HasClass("lead") || n.HasClass("note") || n.HasClass("missing") || n.HasClass("label"):
		kind := map[bool]report.InlineKind{true: report.Strong, false: report.Emphasis}[n.HasClass("lead")]
		return []report.Block{report.Prose{{Kind: kind, Inside: c.line(n)}}}
	case n.HasClass("cell"):
		class = ".cell"
	case n.HasClass("output"):
		c.output, class = true, ".cell-output .cell-output-"+n.Get("data-kind")
	case n.HasClass("provenance") && !c.latex && !c.quarto && !c.paper:
		return append([]report.Block{report.Prose{{Kind: report.Raw, Text: provenanceMark}}}, c.blocks(n.Children)...)
	}
	inner := c.blocks(n.Children)
	if class == "" || len(inner) == 0 {
		return inner
	}
	return []report.Block{report.Group{Class: class, Blocks: inner}}
}

// nested returns a list or a quote. Below c.deepest it returns the contents.
func (c *converter) nested(n *markup.Node) []report.Block {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > c.deepest {
		return c.blocks(lists.Flat(n.Children, func(child *markup.Node) []*markup.Node { return child.Children }))
	}
	if n.Tag != "ul" && n.Tag != "ol" && n.Tag != "dl" {
		return []report.Block{report.Quote(c.blocks(n.Children))}
	}
	out := report.List{Ordered: n.Tag == "ol", First: 1}
	_, _ = fmt.Sscan(n.Get("start"), &out.First) // without a number it stays 1
	for _, item := range n.Children {
		if item.Tag != "" {
			out.Items = append(out.Items, c.blocks(item.Children))
		}
	}
	return []report.Block{out}
}

// code returns literal text. LaTeX of an output is copied only if it is harmless.
func (c *converter) code(n *markup.Node) report.Block {
	text := n.Plain()
	if n.HasClass("latex") && tex.Compilable(text) {
		switch {
		case c.latex:
			return report.Prose{{Kind: report.Raw, Text: placed(text)}}
		case c.quarto:
			return report.Code{Text: text, Language: "{=latex}"}
		}
		return report.Code{Text: text, Language: "latex"}
	}
	language := ""
	if code := n.Child("code"); code != nil {
		language = notInFence.ReplaceAllString(strings.TrimPrefix(code.Get("class"), "language-"), "-")
	}
	return report.Code{Text: text, Language: language}
}

// float matches the start of environments that LaTeX could move to another page.
var float = regexp.MustCompile(`\\begin\{(table|figure)\}(\[[a-zA-Z!]*\])?`)

// placed returns LaTeX in which tables keep their position and fit the width of the page.
func placed(source string) string {
	source = float.ReplaceAllString(strings.TrimSpace(source), `\begin{$1}[H]`)
	return strings.NewReplacer(`\begin{tabular}`, `\begin{fitted}\begin{tabular}`, `\end{tabular}`,
		`\end{tabular}\end{fitted}`).Replace(source)
}

// details returns a folded part: code, a long table or something else. The data of a figure are omitted, because the
// figure shows them.
func (c *converter) details(n *markup.Node) []report.Block {
	if n.HasClass("data") {
		return nil
	}
	inner := c.blocks(n.Children)
	if len(inner) == 1 {
		switch b := inner[0].(type) {
		case report.Code:
			if n.HasClass("code") {
				b.Source, b.Folded = true, !n.Has("open")
				return []report.Block{b}
			}
		case report.Table:
			b.Collapsed = true
			return []report.Block{b}
		}
	}
	if len(inner) == 0 || c.paper {
		return inner
	}
	summary := ""
	if s := n.Child("summary"); s != nil {
		summary = strings.Join(strings.Fields(s.Plain()), " ")
	}
	return []report.Block{report.Group{Summary: summary, Blocks: inner}}
}

// table returns a table. A cell that spans others is in the first of them.
func (c *converter) table(n *markup.Node) report.Block {
	outer := c.cell
	c.cell = true
	defer func() { c.cell = outer }()
	var t report.Table
	rows := rowsOf(n)
	blocked := map[[2]int]bool{} // places of cells from rows above
	for i, row := range rows {
		var cells []any
		for _, of := range cellsOf(row) {
			wide, high := 1, 1
			_, _ = fmt.Sscan(of.Get("colspan"), &wide) // without a number they stay 1
			_, _ = fmt.Sscan(of.Get("rowspan"), &high)
			for blocked[[2]int{i, len(cells)}] {
				cells = append(cells, "")
			}
			at := len(cells)
			cells = append(cells, c.line(of))
			for len(cells) < min(at+wide, mostColumns) {
				cells = append(cells, "")
			}
			for k := 1; k < min(high, len(rows)-i) && len(blocked) < mostCells; k++ {
				for j := at; j < len(cells); j++ {
					blocked[[2]int{i + k, j}] = true
				}
			}
			for at >= len(t.Columns) {
				t.Columns = append(t.Columns, report.Column{})
			}
			if of.HasClass("r") || strings.Contains(of.Get("style"), "right") {
				t.Columns[at].Align = report.Right
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	width := lists.Max(t.Rows, func(row []any) int { return len(row) })
	switch {
	case width == 0:
		return report.Prose{}
	case width*len(rows) > mostCells:
		return report.Code{Text: n.Lines()}
	}
	t.Columns = append(t.Columns, make([]report.Column, width-len(t.Columns))...)
	for i := range t.Rows {
		for len(t.Rows[i]) < len(t.Columns) {
			t.Rows[i] = append(t.Rows[i], "")
		}
	}
	head := n.Child("thead")
	if head != nil && head.Child("tr") != nil && rows[0] == head.Child("tr") {
		for j, v := range t.Rows[0] {
			title, _ := v.(report.Prose)
			if slices.ContainsFunc(title, func(in report.Inline) bool { return in.Kind != report.Words }) {
				t.Columns[j].Prose = title
			}
			t.Columns[j].Title = strings.TrimSpace(title.String())
		}
		t.Rows = t.Rows[1:]
	}
	if caption := n.Child("caption"); caption != nil {
		t.Caption = strings.TrimSpace(c.line(caption).String())
	}
	if n.HasClass("facts") && head == nil { // report.HTML writes facts as a table without a heading
		return factsOf(t)
	}
	return t
}

// factsOf returns the rows of a table as facts, named by their first cells.
func factsOf(t report.Table) report.KeyValues {
	return report.KeyValues{Caption: t.Caption, Items: lists.Map(t.Rows, func(row []any) report.KeyValue {
		words := lists.Map(row, func(v any) string { return strings.TrimSpace(fmt.Sprint(v)) })
		return report.KeyValue{Key: words[0], Value: strings.Join(words[1:], " ")}
	})}
}

// rowsOf returns the rows of a table, without those of tables inside it.
func rowsOf(n *markup.Node) []*markup.Node {
	return lists.Flat(n.Children, func(part *markup.Node) []*markup.Node {
		switch part.Tag {
		case "tr":
			return []*markup.Node{part}
		case "thead", "tbody", "tfoot":
			return rowsOf(part)
		}
		return nil
	})
}

// mostColumns is the largest number of columns of a table in which cells that span columns are filled in.
const mostColumns = 50

// figure returns a figure with one picture and its caption, or the content of another figure.
func (c *converter) figure(n *markup.Node) []report.Block {
	pictures := append(n.All("img"), n.All("svg")...)
	caption := n.Child("figcaption")
	if len(pictures) != 1 {
		return c.blocks(n.Children)
	}
	out := report.Image{}
	if caption != nil {
		out.Caption = c.line(caption)
	}
	problem := ""
	if out.File, problem = c.file(pictures[0]); problem != "" {
		return []report.Block{report.Prose{{Kind: report.Emphasis, Inside: report.Prose{{Text: problem}}}}}
	}
	out.Alt = pictures[0].Get("alt") + pictures[0].Get("aria-label")
	return []report.Block{out}
}

// file stores a picture beside the report and returns the name of its file, or a note on a problem.
func (c *converter) file(n *markup.Node) (name, problem string) {
	data, media := []byte(n.String()), "image/svg+xml"
	if n.Tag != "svg" {
		_, encoded, _ := strings.Cut(n.Get("src"), ";base64,")
		if data = decoded(unescapePath(encoded)); bytes.HasPrefix(data, []byte("%PDF-")) {
			media = pdfMedia
		} else {
			data, media, problem = sniffed(data)
		}
	}
	if media == "image/svg+xml" {
		data = drawingFile(string(data))
	}
	c.files++
	kind := map[bool]string{true: "figure", false: "image"}[c.output]
	put := func(ending string, data []byte) string {
		return c.put(fmt.Sprintf("%s-%d%s", kind, c.files, ending), data)
	}
	switch {
	case problem != "" || data == nil:
		return "", "A picture is missing: " + problem
	case c.latex && media == "image/svg+xml":
		pdf, err := svgPDF(c.ctx, string(data))
		if err != nil {
			return "", "The drawing in " + put(".svg", data) + " is not shown: without Chromium there is no PDF of it."
		}
		data, media = pdf, pdfMedia
	case c.latex && media != "image/png" && media != "image/jpeg" && media != pdfMedia:
		return "", "A picture is missing: LaTeX cannot use " + strings.TrimPrefix(media, "image/")
	}
	return put(endings[media], data), ""
}

// line returns the content of a node as running text, without line ends at its sides.
func (c *converter) line(n *markup.Node) report.Prose {
	return lists.Flat(n.Children, func(child *markup.Node) []report.Inline { return c.inline(child) })
}

// kinds are the kinds of the elements within a line.
var kinds = map[string]report.InlineKind{"em": report.Emphasis, "i": report.Emphasis, "cite": report.Emphasis, "dfn": report.Emphasis,
	"strong": report.Strong, "b": report.Strong, "del": report.Struck, "s": report.Struck, "sup": report.Raised, "sub": report.Lowered}

// blanks matches white space, which HTML shows as one blank.
var blanks = regexp.MustCompile(`[ \t\r\n\f]+`)

// inline returns a node as running text.
func (c *converter) inline(n *markup.Node) report.Prose {
	switch n.Tag {
	case "":
		switch {
		case c.note && strings.Trim(n.Text, "\u00a0\n") == "": // between links back
		case n.Text != "":
			return report.Prose{{Text: blanks.ReplaceAllStringFunc(n.Text, func(s string) string {
				if strings.Contains(s, "\n") && !c.cell {
					return "\n"
				}
				return " "
			})}}
		}
	case "br":
		if !c.cell {
			return report.Prose{{Kind: report.Break}}
		}
		return report.Prose{{Text: " "}}
	case "code", "kbd", "samp", "pre", "tt":
		if n.HasClass("math") {
			return c.formula(n.Plain(), false)
		}
		return report.Prose{{Kind: report.Literal, Text: blanks.ReplaceAllString(n.Plain(), " ")}}
	case "math":
		if source := n.Get("data-tex"); source != "" {
			return c.formula(source, n.Get("display") == "block")
		}
	case "a":
		return c.link(n)
	case "img", "svg":
		name, problem := c.file(n)
		if problem != "" {
			return report.Prose{{Kind: report.Emphasis, Inside: report.Prose{{Text: problem}}}}
		}
		return report.Prose{{Kind: report.Picture, Text: n.Get("alt"), To: name}}
	case "summary", "title", "desc":
		return nil
	}
	kind, marked := kinds[n.Tag]
	if n.HasClass("missing") {
		kind, marked = report.Emphasis, true
	}
	switch inner := c.line(n); {
	case n.HasClass("number"): // LaTeX numbers figures and tables itself
		return nil
	case n.Tag == "li" || n.Tag == "td" || n.Tag == "th" || n.Tag == "p" || n.Tag == "div":
		return append(inner, report.Inline{Text: " "})
	case !marked || n.Child("a") != nil && n.Child("a").HasClass("footnote-ref"):
		return inner
	default:
		return report.Prose{{Kind: kind, Inside: inner}}
	}
}

// footnote returns the text of a footnote, without the blank before the link back.
func (c *converter) footnote(n *markup.Node) report.Prose {
	return lists.Map(c.line(n), func(in report.Inline) report.Inline {
		in.Text = strings.TrimRight(in.Text, "\u00a0")
		return in
	})
}

// label matches the labels of formulas that references may name.
var label = regexp.MustCompile(`^[\w:. -]+$`)

var webAddress = regexp.MustCompile(`^https?://[\w./?=&%#~:+,@;!*-]+$`)

// link returns a link to the web or to a heading, a reference to a formula, or a footnote. Of any other link it returns
// the text.
func (c *converter) link(n *markup.Node) report.Prose {
	to, words := n.Get("href"), c.line
	id, inside := strings.CutPrefix(to, "#")
	switch place := c.ids[id]; {
	case n.HasClass("eqref") || n.HasClass("ref"):
		if label.MatchString(n.Plain()) {
			command := map[bool]string{true: `\eqref{`, false: `\ref{`}[n.HasClass("eqref")]
			return report.Prose{{Kind: report.Raw, Text: command + n.Plain() + "}"}}
		}
	case n.HasClass("footnote-backref"):
		return nil
	case n.HasClass("footnote-ref"):
		note, known := c.notes[place]
		if place == nil || known && c.note {
			return nil
		}
		if !c.latex {
			return report.Prose{{Kind: report.Raw, Text: "[^" + id + "]"}}
		}
		if !known {
			outer := c.note
			c.note, c.notes[place] = true, nil
			note = c.footnote(place)
			c.note, c.notes[place] = outer, note
		}
		return report.Prose{{Kind: report.Footnote, Inside: note}}
	case inside && place != nil && headingLevel(place) > 0 && c.anchor != nil:
		return report.Prose{{Kind: report.Link, Inside: words(n), To: "#" + c.anchor(place.Plain())}}
	case webAddress.MatchString(to) && c.latex:
		to = strings.NewReplacer("%", `\%`, "#", `\#`, "&", `\&`, "_", `\_`, "~", `\~{}`).Replace(to)
		return report.Prose{{Kind: report.Link, Inside: words(n), To: to}}
	case !c.latex && to != "" && !inside:
		to = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "\n", "").Replace(to)
		return report.Prose{{Kind: report.Link, Inside: words(n), To: to}}
	}
	return words(n)
}

// formula returns a formula in the markup of the target, or its source if it would not compile, or could end the formula.
func (c *converter) formula(source string, display bool) report.Prose {
	display = display && !c.cell
	text := strings.ReplaceAll(strings.TrimSpace(source), "\n", " ")
	switch {
	case c.latex:
		ready, ok := texMath(source, display)
		found := environments.FindAllStringIndex(ready, -1)
		switch {
		case !ok || len(found) > 1 || len(found) == 1 && (found[0][0] > 0 || !display):
			return report.Prose{{Kind: report.Literal, Text: text}}
		case len(found) == 1:
			text = "\n" + ready + "\n"
		case !display:
			text = "$" + ready + "$"
		case strings.Contains(ready, `\label{`) && !strings.Contains(ready, `\tag`): // \label needs an equation number
			text = "\n\\begin{equation}\n" + ready + "\n\\end{equation}\n"
		default:
			text = "\n\\[\n" + ready + "\n\\]\n"
		}
	case strings.Contains(strings.ReplaceAll(text, `\$`, ""), "$"):
		return report.Prose{{Kind: report.Literal, Text: text}}
	case c.cell: // otherwise readers split cells at each bar
		text = "$" + strings.NewReplacer(`\|`, `\Vert{}`, "|", `\vert{}`).Replace(text) + "$"
	case c.quarto && display && isEnvironment(text):
		text = "\n\n" + text + "\n\n"
	case display:
		text = "$$" + text + "$$"
	default:
		text = "$" + text + "$"
	}
	return report.Prose{{Kind: report.Raw, Text: text}}
}

// isEnvironment reports whether TeX is one environment that switches to math mode itself.
func isEnvironment(source string) bool {
	name := tex.Environment(source)
	begin, end := `\begin{`+name+"}", `\end{`+name+"}"
	return environments.MatchString(begin) && strings.Count(source, begin) == 1 && strings.Count(source, end) == 1 &&
		strings.HasSuffix(source, end)
}

// blankLine matches a blank line. It ends a paragraph, which TeX does not allow inside a formula.
var blankLine = regexp.MustCompile(`\n\s*\n`)

// texComment matches a TeX comment, which could hide the end of a formula.
var texComment = regexp.MustCompile(`(^|[^\\])%[^\n]*`)

// texMath returns a formula without comments and blank lines. If ok is true, package tex can parse the formula, so it
// compiles. Otherwise the report must show the source.
func texMath(formula string, display bool) (ready string, ok bool) {
	formula = texComment.ReplaceAllString(formula, "$1")
	formula = blankLine.ReplaceAllString(strings.TrimSpace(formula), "\n")
	return formula, formula != "" && tex.Compilable(formula) && tex.Formula(formula, display).Tag == "math"
}

// environments matches the start of environments that switch to math mode themselves and are not allowed inside it.
var environments = regexp.MustCompile(`\\begin\{(align|gather|equation|multline|eqnarray|alignat|flalign)\*?\}`)
