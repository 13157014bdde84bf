package export

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/front/export/markup"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	script string
)

// scriptText returns the script as it stands in the page, which its policy knows by its sum.
func scriptText() string { return "\n" + script }

// HTML writes the report as one page that asks nothing of any network. It is
// well-formed XML, has one h1, an outline, and figures and tables with numbers.
// It returns the error of w, or one that names the cell whose Markdown is beyond
// reading.
func HTML(w io.Writer, nb *notebook.Notebook, opt Options) error {
	return (&page{nb: nb, opt: opt}).write(w)
}

// page is the state of a page as it is put together.
type page struct {
	nb  *notebook.Notebook
	opt Options

	paper bool // for printing at once: all open, no script
	// the pages of the headings, by id, in a paper version that was printed before
	pages                    map[string]int
	sheets                   []string
	level                    int // of the heading we are under
	outputs, figures, tables int
}

func (p *page) write(w io.Writer) error {
	body, err := p.body()
	if err != nil {
		return err
	}
	uniqueIDs(body)
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n" + p.policy() +
		"\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n")
	fmt.Fprintf(&b, "<title>%s</title>\n<style>\n%s</style>\n", markup.Escape(body.Child("main").Child("h1").Plain()),
		report.Stylesheet()+pageStyle+p.sheetStyle()+strings.Join(p.sheets, ""))
	b.WriteString("</head>\n")
	if p.paper {
		fitPaper(body)
	}
	body.Write(&b)
	b.WriteString("\n</html>\n")
	_, err = io.WriteString(w, b.String())
	return err
}

// policy tells the browser what the page may do.
func (p *page) policy() string {
	if p.paper {
		return report.ContentPolicy("")
	}
	return report.ContentPolicy(scriptText())
}

// body returns the whole visible page.
func (p *page) body() (*markup.Node, error) {
	trees, err := p.proseTrees()
	if err != nil {
		return nil, err
	}
	title, list := outline(trees, p.opt.Title)
	if title == "" {
		title = p.fallbackTitle()
	}
	linkHeadings(trees, list)
	main := markup.Element("main", nil, markup.Element("h1", nil, markup.Text(title)))
	p.level = 1
	for i := range p.nb.Cells {
		n, err := p.cell(i, trees[i])
		if err != nil {
			return nil, err
		}
		if n != nil {
			main.Children = append(main.Children, markup.Text("\n"), n)
		}
	}
	if tables := p.opt.Provenance.tables(); len(tables) > 0 {
		h := markup.Element("h2", []string{"id", "provenance"}, markup.Text("Provenance"))
		list = append(list, heading{2, "provenance", h})
		section := markup.Element("section", []string{"class", "provenance"}, h)
		for _, t := range tables {
			section.Children = append(section.Children, t.html())
		}
		main.Children = append(main.Children, markup.Text("\n"), section)
	}
	before := p.banner()
	if nav := p.contents(list); nav != nil {
		before = append([]*markup.Node{nav}, before...)
	}
	main.Children = slices.Insert(main.Children, 1, before...)
	body := markup.Element("body", []string{"class", "cope report"}, main)
	if !p.paper {
		body.Children = append(body.Children, &markup.Node{Tag: "script", Text: scriptText()})
	}
	return body, nil
}

// fallbackTitle returns the title of notebooks without a heading.
func (p *page) fallbackTitle() string {
	if name := filepath.Base(p.opt.Provenance.Notebook); name != "." && name != "/" {
		return strings.TrimSuffix(name, filepath.Ext(name))
	}
	return "Notebook"
}

// cleaner returns the cleaner for markup of a cell, whose ids start with name.
func (p *page) cleaner(name string, c *notebook.Cell) *markup.Cleaner {
	id := func(s string) string { return name + "-" + strings.Join(strings.FieldsFunc(s, notInID), "-") }
	return &markup.Cleaner{ID: id, Load: images(c, p.opt.Folder), Style: func(css string) { p.style(css, name, id) }}
}

func notInID(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' || r == '.')
}

// style takes a style sheet into the head: the outputs of package report have the page's,
// any other reaches only its own output.
func (p *page) style(css, name string, id func(string) string) {
	if strings.TrimSpace(css) == strings.TrimSpace(report.NotebookStyle()) {
		return
	}
	p.sheets = append(p.sheets, markup.Scoped(css, name, id))
}

// proseTrees renders all Markdown cells; the other places are nil.
func (p *page) proseTrees() ([]*markup.Node, error) {
	trees := make([]*markup.Node, len(p.nb.Cells))
	for i := range p.nb.Cells {
		c := &p.nb.Cells[i]
		if c.Type != notebook.Markdown || c.HasTag(removeCell) {
			continue
		}
		k := p.cleaner("m", c)
		k.Style = nil // text has no style
		tree, err := prose(c.Source, fmt.Sprintf("c%d", i+1), k)
		if err != nil {
			return nil, err
		}
		for _, t := range tree.All("table") {
			scopes(t)
		}
		tree.Walk(func(n *markup.Node) bool { wrapTables(n, true); return n.Tag != "table" })
		trees[i] = tree
	}
	return trees, nil
}

// cell returns one cell as it stands in the page, or nil.
func (p *page) cell(i int, text *markup.Node) (*markup.Node, error) {
	c := &p.nb.Cells[i]
	if c.HasTag(removeCell) || c.Type == notebook.Raw {
		return nil, nil
	}
	out := markup.Element("div", []string{"class", "cell", "id", fmt.Sprintf("cell-%d", i+1)})
	if c.Type == notebook.Markdown {
		out.Set("class", "prose")
		out.Children = []*markup.Node{text}
		text.Walk(func(n *markup.Node) bool {
			if l := headingLevel(n); l > 0 {
				p.level = l
			}
			return true
		})
		return out, nil
	}
	if v := codeVisibility(c, p.opt); v != absent {
		out.Children = append(out.Children, p.code(i, c, v))
	}
	if v := outputVisibility(c); v != absent {
		outputs := markup.Element("details", nil, markup.Element("summary", nil, markup.Text("Output")))
		told := false // a display has shown the error already
		for _, o := range c.Lasting() {
			n, err := p.output(i+1, c, o)
			if err != nil {
				return nil, err
			}
			if n == nil {
				continue
			}
			if o.Type == notebook.Error && told {
				n = markup.Element("details", nil, markup.Element("summary", nil, markup.Text("The error as text")), n)
			}
			told = told || tells(n)
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
		return nil, nil
	}
	return out, nil
}
