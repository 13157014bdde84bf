package export

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/export/tex"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// texProse converts one Markdown text into LaTeX.
type texProse struct {
	*written
	l      *latexWriter
	cell   *notebook.Cell
	output bool             // the text is an output: its headings are set deeper, and none is the title
	notes  map[int]ast.Node // footnote number → node
	inNote bool             // whether a footnote is being written
	placed map[int]bool     // numbers of the footnotes already begun
}

// markdown returns the LaTeX of one Markdown text of cell c. Set output if the text is an output and not the cell itself.
func (l *latexWriter) markdown(w *written, c *notebook.Cell, output bool) string {
	p := &texProse{written: w, l: l, cell: c, output: output, notes: map[int]ast.Node{}, placed: map[int]bool{}}
	if list, ok := p.root.LastChild().(*east.FootnoteList); ok {
		for n := list.FirstChild(); n != nil; n = n.NextSibling() {
			p.notes[n.(*east.Footnote).Index] = n
		}
	}
	text := p.inside(p.root)
	if p.shortened() {
		l.lost.add(tooDeep)
		text = "\n" + l.emphasis(tooDeepNote) + "\n" + text
	}
	return text
}

// inside returns the LaTeX of a node's children.
func (p *texProse) inside(parent ast.Node) string { return children(parent, p.node) }

// children calls write for each child of a node and joins the returned texts.
func children(parent ast.Node, write func(ast.Node) string) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b.WriteString(write(n))
	}
	return b.String()
}

// around maps a kind of node to the LaTeX before and after its children. Kinds without an entry have only their children.
var around = map[ast.NodeKind][2]string{
	ast.KindParagraph: {"\n", "\n"}, ast.KindTextBlock: {"", "\n"}, ast.KindBlockquote: {"\n\\begin{quote}\n", "\\end{quote}\n"},
}

func (p *texProse) node(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Heading:
		return p.heading(n)
	case *ast.List:
		kind := "itemize"
		if n.IsOrdered() {
			kind = "enumerate"
		}
		return fmt.Sprintf("\n\\begin{%s}\n%s\\end{%[1]s}\n", kind, p.inside(n))
	case *ast.ListItem:
		return "\\item " + strings.TrimLeft(p.inside(n), "\n")
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return p.verbatim(string(n.Lines().Value(p.source)), codeFrame)
	case *ast.ThematicBreak:
		return "\n\\medskip\\hrule\\medskip\n"
	case *ast.HTMLBlock:
		return p.html(n)
	case *mathBlock:
		return p.math(n.formula)
	case *east.Table:
		return p.table(n)
	case *east.FootnoteList, *east.FootnoteBacklink:
		return ""
	case *ast.Text:
		s := tex.Text(unescapeMarkdown(string(n.Value(p.source))))
		switch {
		case n.HardLineBreak():
			s += "\\newline\n"
		case n.SoftLineBreak():
			s += "\n"
		}
		return s
	case *ast.String:
		return tex.Text(string(n.Value))
	case *ast.Emphasis:
		if n.Level == 2 {
			return `\textbf{` + p.inside(n) + "}"
		}
		return `\emph{` + p.inside(n) + "}"
	case *ast.CodeSpan:
		return `\texttt{` + tex.Text(textIn(n, p.source)) + "}"
	case *ast.Link:
		return p.l.link(string(n.Destination), p.inside(n))
	case *ast.AutoLink:
		return p.l.link(string(n.URL(p.source)), tex.Text(string(n.Label(p.source))))
	case *ast.Image:
		return p.l.image(address(n.Destination), p.cell)
	case *ast.RawHTML:
		if lineBreak.Match(n.Segments.Value(p.source)) {
			return "\\newline\n"
		}
		return strings.TrimSuffix(p.html(n), "\n")
	case *east.TaskCheckBox:
		return map[bool]string{true: "☑ ", false: "☐ "}[n.IsChecked]
	case *east.FootnoteLink:
		return p.footnote(n.Index)
	case *mathNode:
		return p.math(n.formula)
	}
	return around[n.Kind()][0] + p.inside(n) + around[n.Kind()][1]
}

// math returns a formula as LaTeX, or as verbatim text if it would not compile.
func (p *texProse) math(f formula) string {
	switch {
	case f.reference:
		if tex.Compilable(f.tex) {
			return f.tex
		}
		return tex.Text(f.tex)
	case f.display:
		if s := displayMath(f.tex); !p.inNote || !strings.Contains(s, "{Verbatim}") {
			return s
		}
		return p.verbatim(f.tex, outputFrame)
	}
	return inlineMath(f.tex)
}

// text returns the text of raw HTML as LaTeX, including its formulas.
func (p *texProse) text(s string) string {
	var b strings.Builder
	at := 0
	for _, f := range findFormulas([]byte(s)) {
		b.WriteString(tex.Text(s[at:f.start]) + p.math(f))
		at = f.stop
	}
	return b.String() + tex.Text(s[at:])
}

var sections = []string{"section", "subsection", "subsubsection", "paragraph", "subparagraph"}

func (p *texProse) heading(n *ast.Heading) string {
	level := n.Level + 2
	if !p.output {
		if p.l.strip {
			p.l.strip = false
			return ""
		}
		level = max(n.Level-p.l.shift, 1)
	}
	return fmt.Sprintf("\n\\%s{%s}\n", sections[min(level, len(sections))-1], p.inside(n))
}

var lineBreak = regexp.MustCompile(`(?i)^<br\s*/?>$`)

// html returns the text of raw HTML as LaTeX, followed by its images.
func (p *texProse) html(n ast.Node) string {
	source, _ := p.rawHTML(n)
	k := markup.Cleaner{Load: func(src string) (string, string) { return src, "" }} // p.l.image loads them below
	tree := k.Read(string(source))
	var b strings.Builder
	if s := tree.Lines(); s != "" {
		b.WriteString("\n" + p.text(s) + "\n")
	}
	for _, img := range tree.All("img") {
		b.WriteString("\n" + p.l.image(img.Get("src"), p.cell) + "\n")
	}
	return b.String()
}

// footnote returns the footnote with a number as LaTeX, or "" if there is none. Inside a footnote, each other footnote is
// written only once. Otherwise footnotes that refer to each other would not terminate.
func (p *texProse) footnote(number int) string {
	note := p.notes[number]
	if note == nil || p.inNote && p.placed[number] {
		return ""
	}
	outer := p.inNote
	p.inNote, p.placed[number] = true, true
	defer func() { p.inNote = outer }()
	return `\footnote{` + strings.TrimSpace(p.inside(note)) + "}"
}

// verbatim returns text unchanged in a Verbatim environment with the options frame. In a footnote, where TeX does not
// allow the environment, it returns a line of fixed-width text.
func (p *texProse) verbatim(text, frame string) string {
	if p.inNote {
		return `\texttt{` + tex.Text(text) + "}"
	}
	return tex.Verbatim(text, frame)
}

// textIn returns the plain text inside a node, with spaces instead of newlines.
func textIn(n ast.Node, source []byte) string {
	text := children(n, func(c ast.Node) string {
		if t, ok := c.(*ast.Text); ok {
			return string(t.Value(source))
		}
		return textIn(c, source)
	})
	return strings.ReplaceAll(text, "\n", " ")
}

var (
	backslashed = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")
	mdEntity    = regexp.MustCompile(`&[A-Za-z0-9#]+;`)
)

func unescapeMarkdown(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	s = mdEntity.ReplaceAllStringFunc(s, html.UnescapeString)
	return backslashed.ReplaceAllString(s, "$1")
}

var webAddress = regexp.MustCompile(`^https?://[\w./?=&%#~:+,@;!*-]+$`)

// link returns a LaTeX link to a web address. For any other target it returns only the words and, except for links inside
// the notebook and mail, counts the link as lost.
func (l *latexWriter) link(target, words string) string {
	if !webAddress.MatchString(target) {
		if !strings.HasPrefix(target, "#") && !strings.HasPrefix(target, "mailto:") {
			l.lost.add(lostLink)
		}
		return words
	}
	return `\href{` + strings.NewReplacer("%", `\%`, "#", `\#`, "&", `\&`, "_", `\_`, "~", `\~{}`).Replace(target) + "}{" + words + "}"
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

func inlineMath(formula string) string {
	ready, ok := texMath(formula, false)
	if !ok || environments.MatchString(ready) {
		return `\texttt{` + tex.Text(formula) + "}"
	}
	return "$" + ready + "$"
}

func displayMath(formula string) string {
	ready, ok := texMath(formula, true)
	found := environments.FindAllStringIndex(ready, -1)
	switch {
	case !ok || len(found) > 1 || len(found) == 1 && found[0][0] > 0:
		return tex.Verbatim(formula, outputFrame)
	case len(found) == 1:
		return "\n" + ready + "\n"
	case strings.Contains(ready, `\label{`) && !strings.Contains(ready, `\tag`): // \label needs an equation number
		return "\n\\begin{equation}\n" + ready + "\n\\end{equation}\n"
	}
	return "\n\\[\n" + ready + "\n\\]\n"
}

func (p *texProse) table(n *east.Table) string {
	sides := ""
	for _, a := range n.Alignments {
		sides += map[east.Alignment]string{east.AlignRight: "r", east.AlignCenter: "c", east.AlignLeft: "l", east.AlignNone: "l"}[a]
	}
	var rows [][]string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, p.inside(c))
		}
		rows = append(rows, cells)
	}
	return tabular("", sides, rows[0], rows[1:]) // goldmark accepts no table without a head
}

// tabular returns a LaTeX table. title is LaTeX above the table and may be "". sides has an alignment letter per column.
// head may be nil.
func tabular(title, sides string, head []string, rows [][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n\\begin{center}\\small\n%s\\begin{tabular}{%s}\n\\toprule\n", title, sides)
	if head != nil {
		fmt.Fprintf(&b, "%s \\\\\n\\midrule\n", strings.Join(head, " & "))
	}
	for _, row := range rows {
		fmt.Fprintf(&b, "%s \\\\\n", strings.Join(row, " & "))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{center}\n")
	return b.String()
}

// prose renders Markdown to a clean markup tree. If text was left unchanged because of a limit, the tree begins with a
// note.
func prose(w *written, c *markup.Cleaner) *markup.Node {
	tree := w.tree(w.root, c)
	if w.shortened() {
		c.Plain = true
		tree.Children = append([]*markup.Node{markup.Element("p", []string{"class", "missing"}, markup.Text(tooDeepNote))}, tree.Children...)
	}
	return tree
}

// heading is an entry of the outline.
type heading struct {
	level int
	id    string
	node  *markup.Node
}

// headingLevel returns 1 to 6, or 0 if the node is not a heading.
func headingLevel(n *markup.Node) int {
	if len(n.Tag) == 2 && n.Tag[0] == 'h' && n.Tag[1] >= '1' && n.Tag[1] <= '6' {
		return int(n.Tag[1] - '0')
	}
	return 0
}

// headingsIn returns the headings in the trees in document order.
func headingsIn(trees ...*markup.Node) (found []*markup.Node) {
	markup.Element("", nil, trees...).Walk(func(n *markup.Node) bool {
		if headingLevel(n) > 0 {
			found = append(found, n)
		}
		return true
	})
	return found
}

// outline assigns a level and an anchor to all Markdown headings. Levels begin below the title, and no level is skipped.
// If wanted is "", the first heading is the title. If the first heading is the title, outline removes it from its tree.
func outline(trees []*markup.Node, wanted string) (title string, list []heading) {
	found := headingsIn(trees...)
	title = wanted
	if len(found) > 0 && (wanted == "" || found[0].Plain() == wanted) {
		title = strings.TrimSpace(found[0].Plain())
		found[0].Tag, found[0].Attrs, found[0].Children = "", nil, nil
		found = found[1:]
	}
	shift := 0
	if slices.ContainsFunc(found, func(n *markup.Node) bool { return headingLevel(n) == 1 }) {
		shift = 1
	}
	ids := map[string]int{}
	last := 1
	for _, n := range found {
		level := min(headingLevel(n)+shift, last+1, 6)
		last = level
		id := "s-" + slug(n.Plain())
		if ids[id]++; ids[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, ids[id])
		}
		n.Tag = fmt.Sprintf("h%d", level)
		n.Set("id", id)
		list = append(list, heading{level, id, n})
	}
	return title, list
}

// slug returns the anchor for the text of a heading.
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		case unicode.IsSpace(r) || r == '-' || r == '_':
			return '-'
		}
		return -1
	}, s)
	words := strings.FieldsFunc(s, func(r rune) bool { return r == '-' })
	return cmp.Or(strings.Join(words, "-"), "section")
}

// linkHeadings changes links in Jupyter's form, #Name-of-the-heading, to the anchors in the report.
func linkHeadings(trees []*markup.Node, list []heading) {
	known := lists.Keyed(list, func(_ int, h heading) (string, bool) { return h.id, true })
	for _, a := range markup.Element("", nil, trees...).All("a") {
		if name, ok := strings.CutPrefix(a.Get("href"), "#m-"); ok && known["s-"+slug(unescapePath(name))] {
			a.Set("href", "#s-"+slug(unescapePath(name)))
		}
	}
}
