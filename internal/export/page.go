package export

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	script string
)

// scriptText is the script as it stands in the page, which its policy knows by its sum.
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

	paper                    bool // for printing at once: all open, no script
	sheets                   []string
	level                    int // of the heading we are under
	outputs, figures, tables int
}

func (p *page) write(w io.Writer) error {
	body, err := p.body()
	if err != nil {
		return err
	}
	settle(body)
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n" + p.policy() +
		"\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n")
	fmt.Fprintf(&b, "<title>%s</title>\n<style>\n%s</style>\n", escape(body.child("main").child("h1").plain()), look()+pageStyle+strings.Join(p.sheets, ""))
	b.WriteString("</head>\n")
	if p.paper {
		for _, d := range body.all("details") {
			d.set("open", "open")
		}
	}
	body.write(&b)
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

// body is the whole visible page.
func (p *page) body() (*node, error) {
	trees, err := p.proseTrees()
	if err != nil {
		return nil, err
	}
	title, list := outline(trees, p.opt.Title)
	if title == "" {
		title = p.fallbackTitle()
	}
	linkHeadings(trees, list)
	main := element("main", nil, element("h1", nil, textNode(title)))
	main.children = append(main.children, p.banner()...)
	p.level = 1
	for i := range p.nb.Cells {
		n, err := p.cell(i, trees[i])
		if err != nil {
			return nil, err
		}
		if n != nil {
			main.children = append(main.children, textNode("\n"), n)
		}
	}
	if tables := p.opt.Provenance.tables(); len(tables) > 0 {
		h := element("h2", []string{"id", "provenance"}, textNode("Provenance"))
		list = append(list, heading{2, "provenance", h})
		section := element("section", []string{"class", "provenance"}, h)
		for _, t := range tables {
			section.children = append(section.children, t.html())
		}
		main.children = append(main.children, textNode("\n"), section)
	}
	body := element("body", []string{"class", "cope report"})
	if nav := contents(list); nav != nil {
		body.children = append(body.children, nav)
	}
	body.children = append(body.children, main)
	if !p.paper {
		body.children = append(body.children, &node{tag: "script", text: scriptText()})
	}
	return body, nil
}

// fallbackTitle is for notebooks without a heading.
func (p *page) fallbackTitle() string {
	if name := filepath.Base(p.opt.Provenance.Notebook); name != "." && name != "/" {
		return strings.TrimSuffix(name, filepath.Ext(name))
	}
	return "Notebook"
}

// cleaner is for markup of a cell, whose ids start with name.
func (p *page) cleaner(name string, c *notebook.Cell) *cleaner {
	id := func(s string) string { return name + "-" + strings.Join(strings.FieldsFunc(s, notInID), "-") }
	return &cleaner{id: id, load: images(c, p.opt.Folder), style: func(css string) { p.style(css, name, id) }}
}

func notInID(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' || r == '.')
}

// style takes a style sheet into the head: that of package report is there
// already, any other reaches only its own output.
func (p *page) style(css, name string, id func(string) string) {
	if strings.TrimSpace(css) == strings.TrimSpace(look()) {
		return
	}
	p.sheets = append(p.sheets, scoped(css, name, id))
}

// proseTrees renders all Markdown cells; the other places are nil.
func (p *page) proseTrees() ([]*node, error) {
	trees := make([]*node, len(p.nb.Cells))
	for i := range p.nb.Cells {
		c := &p.nb.Cells[i]
		if c.Type != notebook.Markdown || c.HasTag(removeCell) {
			continue
		}
		k := p.cleaner("m", c)
		k.style = nil // text has no style of its own
		tree, err := prose(c.Source, fmt.Sprintf("c%d", i+1), k)
		if err != nil {
			return nil, err
		}
		for _, t := range tree.all("table") {
			scopes(t)
		}
		tree.walk(func(n *node) bool { wrapTables(n, true); return n.tag != "table" })
		trees[i] = tree
	}
	return trees, nil
}

// cell is one cell as it stands in the page, or nil.
func (p *page) cell(i int, text *node) (*node, error) {
	c := &p.nb.Cells[i]
	if c.HasTag(removeCell) || c.Type == notebook.Raw {
		return nil, nil
	}
	out := element("div", []string{"class", "cell", "id", fmt.Sprintf("cell-%d", i+1)})
	if c.Type == notebook.Markdown {
		out.set("class", "prose")
		out.children = []*node{text}
		text.walk(func(n *node) bool {
			if l := headingLevel(n); l > 0 {
				p.level = l
			}
			return true
		})
		return out, nil
	}
	if v := codeVisibility(c, p.opt); v != absent {
		out.children = append(out.children, p.code(i, c, v))
	}
	if v := outputVisibility(c); v != absent {
		outputs := element("details", nil, element("summary", nil, textNode("Output")))
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
				n = element("details", nil, element("summary", nil, textNode("The error as text")), n)
			}
			told = told || tells(n)
			if v == shown {
				out.children = append(out.children, n)
			} else {
				outputs.children = append(outputs.children, n)
			}
		}
		if len(outputs.children) > 1 {
			out.children = append(out.children, outputs)
		}
	}
	if len(out.children) == 0 {
		return nil, nil
	}
	return out, nil
}
