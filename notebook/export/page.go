package export

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/export/tex"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	script string
)

// scriptText returns the script exactly as the page contains it. The page's content policy has the hash of this text.
func scriptText() string { return "\n" + script }

// printable returns the page for printing. pages maps the IDs of headings to their page numbers; nil means that they are
// unknown.
func printable(ctx context.Context, nb *notebook.Notebook, opt Options, pages map[string]int) []byte {
	return newPage(nb, opt.limited(ctx), true, pages).text()
}

// newPage returns a page that loads nothing from a network. Its text is well-formed XML with one h1, an outline, and
// numbered figures and tables.
func newPage(nb *notebook.Notebook, opt Options, paper bool, pages map[string]int) *page {
	return &page{nb: nb, opt: opt, paper: paper, pages: pages, hides: hidingOf(nb, opt, paper), own: languageOf(nb, opt), lost: ledger{}}
}

// page is the state of a page while it is built.
type page struct {
	nb  *notebook.Notebook
	opt Options

	paper bool // for printing: everything is unfolded, and there is no script
	hides hiding
	own   language // language of the notebook
	lost  ledger
	// heading ID → page number in a previous printed version
	pages                    map[string]int
	sheets                   []string
	to                       *target // the report for which the tree is made; nil for the page itself
	level                    int     // level of the heading above the current cell
	outputs, figures, tables int
}

func (p *page) text() []byte {
	body := p.body()
	uniqueIDs(body)
	allowed := scriptText()
	if p.paper {
		allowed = ""
	}
	var b strings.Builder
	b.WriteString(report.PageHead(markup.XMLText(body.Child("main").Child("h1").Plain()),
		report.Stylesheet()+pageStyle+p.sheetStyle()+strings.Join(p.sheets, ""), allowed))
	if p.paper {
		fitPaper(body)
	}
	body.Write(&b)
	b.WriteString("\n</html>\n")
	return []byte(b.String())
}

// body returns the body element of the page.
func (p *page) body() *markup.Node {
	trees := p.proseTrees()
	title, list := outline(trees, p.opt.Title)
	title = cmp.Or(title, p.opt.fallbackTitle(p.nb))
	linkHeadings(trees, list)
	main := markup.Element("main", nil, markup.Element("h1", nil, markup.Text(title)))
	p.level = 1
	for i := range p.nb.Cells {
		if n := p.cell(i, trees[i]); n != nil {
			main.Children = append(main.Children, markup.Text("\n"), n)
		}
	}
	for _, note := range notes(p.nb, p.hides, p.lost) {
		main.Children = append(main.Children, markup.Text("\n"), markup.Element("div", []string{"class", "missing"}, markup.Text(note)))
	}
	if tables := p.opt.Provenance.Blocks(); len(tables) > 0 {
		h := markup.Element("h2", []string{"id", "provenance"}, markup.Text("Provenance"))
		list = append(list, heading{2, "provenance", h})
		section := markup.Element("section", []string{"class", "provenance"}, h)
		var b strings.Builder
		_ = report.Elements(&b, "provenance", tables...) // no error: there are no figures
		section.Children = append(section.Children, new(markup.Cleaner).Read(b.String()))
		main.Children = append(main.Children, markup.Text("\n"), section)
	}
	before := p.banner()
	if nav := p.contents(list); nav != nil {
		before = append([]*markup.Node{nav}, before...)
	}
	main.Children = slices.Insert(main.Children, 1, before...)
	if p.to == nil {
		tex.Number(main)
	}
	body := markup.Element("body", []string{"class", "cope report"}, main)
	if !p.paper {
		body.Children = append(body.Children, &markup.Node{Tag: "script", Text: scriptText()})
	}
	return body
}

// cleaner returns a cleaner for markup of a cell. The IDs in the markup get the prefix name.
func (p *page) cleaner(name string, c *notebook.Cell) *markup.Cleaner {
	id := func(s string) string { return name + "-" + strings.Join(strings.FieldsFunc(s, notInID), "-") }
	style := func(css string) { // adds the style sheet to the head, limited to this output, unless it is our own
		if strings.TrimSpace(css) != strings.TrimSpace(report.NotebookStyle()) {
			p.sheets = append(p.sheets, markup.Scoped(css, name, id))
		}
	}
	return &markup.Cleaner{ID: id, Load: images(c, p.opt.Folder), Style: style,
		Files: p.to != nil, Paths: p.to != nil && !p.to.paper}
}

func notInID(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' || r == '.')
}

// proseTrees returns one tree per cell: the rendered Markdown, or an empty tree for other and hidden cells.
func (p *page) proseTrees() []*markup.Node {
	trees := make([]*markup.Node, len(p.nb.Cells))
	for i := range p.nb.Cells {
		c := &p.nb.Cells[i]
		trees[i] = new(markup.Node)
		if c.Type != notebook.Markdown || hidden(c) || p.opt.interrupted() {
			continue
		}
		k := p.cleaner("m", c)
		k.Style = nil // style sheets in Markdown are dropped
		tree := prose(p.opt.read(c.Source, fmt.Sprintf("c%d", i+1)), k)
		for _, t := range tree.All("table") {
			scopes(t)
		}
		tree.Walk(func(n *markup.Node) bool { wrapTables(n, true); return n.Tag != "table" })
		p.lost.cleaned(k)
		trees[i] = tree
	}
	return trees
}

// cell returns the element of cell i, or nil if it shows nothing. text is the rendered Markdown of a Markdown cell.
func (p *page) cell(i int, text *markup.Node) *markup.Node {
	c := &p.nb.Cells[i]
	if hidden(c) || p.opt.interrupted() {
		return nil
	}
	if c.Type == notebook.Raw {
		return p.raw(i, c)
	}
	out := markup.Element("div", []string{"class", "cell", "id", fmt.Sprintf("cell-%d", i+1)})
	if c.Type == notebook.Markdown {
		out.Set("class", "prose")
		out.Children = []*markup.Node{text}
		for _, h := range headingsIn(text) {
			p.level = headingLevel(h)
		}
		return out
	}
	if v := p.hides.code(c); v != absent {
		out.Children = append(out.Children, p.code(i, c, v))
	}
	if v := p.hides.outputs(c); v != absent {
		outputs := markup.Element("details", nil, markup.Element("summary", nil, markup.Text("Output")))
		displayed := false // a display has already shown the error
		for _, o := range p.hides.lasting(c) {
			n := p.output(i+1, c, o)
			if n == nil {
				continue
			}
			if o.Type == notebook.Error && displayed {
				n = markup.Element("details", nil, markup.Element("summary", nil, markup.Text("The error as text")), n)
			}
			displayed = displayed || slices.ContainsFunc(n.All("div"), func(d *markup.Node) bool { return d.HasClass("error") })
			if v == shown {
				out.Children = append(out.Children, n)
			} else {
				outputs.Children = append(outputs.Children, n)
			}
		}
		if len(outputs.Children) > 1 {
			out.Children = append(out.Children, outputs)
		}
	}
	if len(out.Children) == 0 {
		return nil
	}
	return out
}

// raw returns the content of a raw cell whose format is HTML, Markdown, plain text or missing, or nil for other formats.
func (p *page) raw(i int, c *notebook.Cell) *markup.Node {
	_, settings := frontMatter(p.nb)
	settings = settings && i == 0
	name := fmt.Sprintf("raw-%d", i+1)
	k := p.cleaner(name, c)
	out := markup.Element("div", []string{"class", "prose", "id", fmt.Sprintf("cell-%d", i+1)})
	switch format := rawFormat(c); {
	case settings:
		p.lost.add(rawKind(c, true))
		return nil
	case strings.TrimSpace(c.Source) == "":
		return nil
	case format == "" || format == "text/plain":
		out.Children = []*markup.Node{markup.Element("pre", nil, markup.Text(strings.TrimRight(c.Source, "\n")))}
	case format == "text/html":
		k.Limits = p.opt.share(c.Source, htmlByByte)
		out.Children = []*markup.Node{k.Read(c.Source)}
	case format == "text/markdown":
		out.Children = []*markup.Node{prose(p.opt.read(c.Source, name), k)}
	case format == "text/latex" && p.to != nil && (p.to.latex || p.to.quarto) && tex.Compilable(c.Source):
		out.Children = []*markup.Node{p.latex(c.Source)}
	default:
		p.lost.add(rawKind(c, false))
		return nil
	}
	p.lost.cleaned(k)
	p.levels(out)
	return out
}

// code returns the source of a cell as an element that readers can fold. v states whether it begins folded.
func (p *page) code(i int, c *notebook.Cell, v visibility) *markup.Node {
	lang := cellLanguage(c, p.own)
	note := ""
	if c.ExecutionCount > 0 {
		note = fmt.Sprintf("[%d]", c.ExecutionCount)
	}
	if d := duration(c, i+1, p.opt); d > 0 {
		note = strings.TrimSpace(note + " " + seconds(d))
	}
	summary := markup.Element("summary", nil, markup.Text(cmp.Or(lang.title, "Code")))
	if note != "" {
		summary.Children = append(summary.Children, markup.Text(" "), markup.Element("span", []string{"class", "run"}, markup.Text(note)))
	}
	colours := highlight(strings.TrimRight(c.Source, "\n"), lang.name, p.opt.share(c.Source, bytesByByte))
	pre := markup.Element("pre", nil, markup.Element("code", []string{"class", "language-" + lang.name}, colours...))
	out := markup.Element("details", []string{"class", "code"}, summary, pre)
	if v == shown {
		out.Set("open", "open")
	}
	return out
}

// banner returns a box that lists the failed cells, or nil if no cell failed.
func (p *page) banner() []*markup.Node {
	list := failures(p.nb)
	if len(list) == 0 {
		return nil
	}
	text := "This run failed. "
	if len(list) > 1 {
		text = fmt.Sprintf("This run failed in %d cells. ", len(list))
	}
	out := markup.Element("div", []string{"class", "failed", "role", "note"},
		markup.Element("p", nil, markup.Element("strong", nil, markup.Text(text)),
			markup.Text("The finished part follows.")))
	ul := markup.Element("ul", nil)
	for _, f := range list {
		link := markup.Text(fmt.Sprintf("Cell %d", f.cell))
		if !hidden(&p.nb.Cells[f.cell-1]) {
			link = markup.Element("a", []string{"href", fmt.Sprintf("#cell-%d", f.cell)}, link)
		}
		ul.Children = append(ul.Children, markup.Element("li", nil, link, markup.Text(": "+f.what)))
	}
	out.Children = append(out.Children, ul)
	return []*markup.Node{out}
}

// contents returns the outline as nested lists, with page numbers on paper. It returns nil if there are fewer than two
// headings.
func (p *page) contents(list []heading) *markup.Node {
	if len(list) < 2 {
		return nil
	}
	nav := markup.Element("nav", []string{"aria-label", "Contents"}, markup.Element("p", []string{"class", "label"}, markup.Text("Contents")))
	var levels []*markup.Node // the open list per level, from level 2
	for _, h := range list {
		depth := max(h.level-1, 1)
		levels = levels[:min(len(levels), depth)]
		if len(levels) < depth { // at most one shorter, because outline skips no level
			parent := nav
			if depth > 1 {
				items := levels[depth-2].Children
				parent = items[len(items)-1]
			}
			levels = append(levels, markup.Element("ol", nil))
			parent.Children = append(parent.Children, levels[depth-1])
		}
		link := markup.Element("a", []string{"href", "#" + h.id}, inlineCopy(h.node)...)
		item := markup.Element("li", nil, link)
		if p.paper {
			number := "0" // a placeholder with the width of a number
			if n := p.pages[h.id]; n > 0 {
				number = fmt.Sprint(n)
			}
			item.Children = append(item.Children, markup.Element("span", []string{"class", "page"}, markup.Text(number)))
		}
		levels[depth-1].Children = append(levels[depth-1].Children, item)
	}
	return nav
}

// inlineCopy returns a copy of a heading's content for the outline. It removes links and images, IDs (which must be
// unique), and styles.
func inlineCopy(n *markup.Node) []*markup.Node {
	var out []*markup.Node
	for _, c := range n.Children {
		inner := inlineCopy(c)
		switch {
		case c.Tag == "":
			out = append(out, &markup.Node{Text: c.Text, Children: inner})
		case c.Tag == "a" || c.Tag == "img" || c.Tag == "sup":
			out = append(out, inner...)
		default:
			copied := &markup.Node{Tag: c.Tag, Children: inner}
			for _, a := range c.Attrs {
				if a.Name != "id" && a.Name != "style" {
					copied.Attrs = append(copied.Attrs, a)
				}
			}
			out = append(out, copied)
		}
	}
	return out
}

// uniqueIDs keeps each ID only on the first element that has it. It removes references to IDs that do not exist.
func uniqueIDs(body *markup.Node) {
	ids := map[string]bool{}
	body.Walk(func(n *markup.Node) bool {
		n.Attrs = slices.DeleteFunc(n.Attrs, func(a markup.Attr) bool { return a.Name == "id" && ids[a.Value] || a.Name == "data-tex" })
		ids[n.Get("id")] = true
		return true
	})
	delete(ids, "")
	missing := func(id string) bool { return !ids[id] }
	body.Walk(func(n *markup.Node) bool {
		n.Attrs = slices.DeleteFunc(n.Attrs, func(a markup.Attr) bool {
			switch a.Name {
			case "href":
				id, inside := strings.CutPrefix(a.Value, "#")
				return inside && missing(id)
			case "headers", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-details":
				return slices.ContainsFunc(strings.Fields(a.Value), missing)
			}
			return false
		})
		return true
	})
}

var (
	pdfObject      = regexp.MustCompile(`(?s)(?:^|\n)(\d+) 0 obj\s*(<<.*?>>)\s*(?:endobj|stream)`)
	pdfKids        = regexp.MustCompile(`/Kids\s*\[([^\]]*)\]`)
	pdfReference   = regexp.MustCompile(`(\d+) 0 R`)
	pdfDestination = regexp.MustCompile(`/([^\s/<>\[\]()]+)\s*\[(\d+) 0 R /XYZ`)
	pdfEscape      = regexp.MustCompile(`#[0-9A-Fa-f]{2}`)
)

// destinations returns the page, from 1, of each link target (by ID) in a PDF made by Chromium. It returns an empty map if
// the PDF has no links or another program made it.
func destinations(pdf []byte) map[string]int {
	objects := map[string]string{}
	root := ""
	for _, m := range pdfObject.FindAllSubmatch(pdf, -1) {
		number, text := string(m[1]), string(m[2])
		objects[number] = text
		if strings.Contains(text, "/Type /Pages") && !strings.Contains(text, "/Parent") {
			root = number
		}
	}
	order := map[string]int{} // PDF object of a page → page number
	var walk func(number string)
	walk = func(number string) {
		text, known := objects[number]
		if !known {
			return
		}
		delete(objects, number) // a valid tree contains each object once; this stops cycles
		kids := pdfKids.FindStringSubmatch(text)
		if kids == nil {
			order[number] = len(order) + 1
			return
		}
		for _, k := range pdfReference.FindAllStringSubmatch(kids[1], -1) {
			walk(k[1])
		}
	}
	walk(root)
	out := map[string]int{}
	for _, m := range pdfDestination.FindAllSubmatch(pdf, -1) {
		id := pdfEscape.ReplaceAllStringFunc(string(m[1]), func(s string) string {
			b, _ := strconv.ParseUint(s[1:], 16, 8) // no error: two hexadecimal digits
			return string([]byte{byte(b)})
		})
		if n := order[string(m[2])]; n > 0 && id != "Dest" { // "Dest" is not an ID but a key of the PDF's outline
			out[id] = n
		}
	}
	return out
}
