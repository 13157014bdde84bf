package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/jupyter/notebook"
)

// levels puts the headings of an output below the one it stands under, without
// leaving a level out.
func (p *page) levels(tree *node) {
	last, top := p.level, 0
	tree.walk(func(n *node) bool {
		level := headingLevel(n)
		if level == 0 {
			return true
		}
		if top == 0 || level < top {
			top = level
		}
		n.set("class", strings.TrimSpace(n.get("class")+" inner"))
		last = min(p.level+1+level-top, last+1, 6)
		n.tag = fmt.Sprintf("h%d", last)
		return true
	})
}

// number gives figures and tables of an output their numbers over the whole
// page. What is folded as detail is not counted, so that the numbers a reader
// sees have no gaps.
func (p *page) number(tree *node, cell int, o notebook.Output) {
	p.frame(tree, o)
	var visit func(n, parent *node, detail bool)
	visit = func(n, parent *node, detail bool) {
		switch n.tag {
		case "details":
			detail = true
		case "figure":
			p.figure(n, cell, o)
		case "table":
			p.table(n, detail)
		case "svg":
			describe(n, cell, o)
		case "img":
			if n.get("alt") == "" {
				n.set("alt", altText(cell, o))
			}
		}
		for _, c := range n.children {
			visit(c, n, detail)
		}
		wrapTables(n, detail)
	}
	visit(tree, nil, false)
}

// frame makes a figure of an output that is a picture and nothing else.
func (p *page) frame(tree *node, o notebook.Output) {
	var pictures []*node
	alone := true
	tree.walk(func(n *node) bool {
		switch {
		case n.tag == "svg" || n.tag == "img":
			pictures = append(pictures, n)
			return false
		case n.tag == "figure", n.tag == "table", n.tag == "" && strings.TrimSpace(n.text) != "":
			alone = false
		}
		return alone
	})
	if !alone || len(pictures) != 1 {
		return
	}
	inner := *pictures[0]
	*pictures[0] = *element("figure", nil, &inner)
	if inner.tag == "svg" && !strings.Contains(inner.String(), "var(--page") {
		pictures[0].set("class", "plate") // drawn for white paper
	}
	unparagraph(tree)
}

// unparagraph makes divisions of paragraphs and headings that have come to hold
// a figure.
func unparagraph(tree *node) {
	tree.walk(func(n *node) bool {
		if (n.tag == "p" || n.tag == "span" || headingLevel(n) > 0) && len(n.all("figure")) > 0 {
			n.tag = "div"
		}
		return true
	})
}

func (p *page) figure(n *node, cell int, o notebook.Output) {
	p.figures++
	number := element("span", []string{"class", "number"}, textNode(fmt.Sprintf("Figure %d", p.figures)))
	caption := n.child("figcaption")
	if caption == nil {
		caption = element("figcaption", nil)
		if s := stringOf(o.Metadata["caption"]); s != "" {
			caption.children = append(caption.children, textNode(s))
		} else if svg := n.child("svg"); svg != nil && svg.child("title") != nil {
			caption.children = append(caption.children, textNode(svg.child("title").plain()))
		}
		n.children = append(n.children, caption)
	}
	lead(caption, number)
}

// lead puts a number before a caption.
func lead(caption, number *node) {
	if strings.TrimSpace(caption.plain()) != "" {
		number.children[0].text += "."
		caption.children = append([]*node{number, textNode(" ")}, caption.children...)
		return
	}
	caption.children = []*node{number}
}

func (p *page) table(n *node, detail bool) {
	scopes(n)
	if n.get("role") == "presentation" || len(n.all("th")) == 0 && n.child("caption") == nil {
		return // a table for its looks
	}
	if detail || len(n.all("tr")) == 0 {
		return
	}
	p.tables++
	caption := n.child("caption")
	if caption == nil {
		caption = element("caption", nil)
		n.children = append([]*node{caption}, n.children...)
	}
	lead(caption, element("span", []string{"class", "number"}, textNode(fmt.Sprintf("Table %d", p.tables))))
}

// scopes says of each head cell whether it names a column or a row.
func scopes(table *node) {
	var visit func(n *node, scope string)
	visit = func(n *node, scope string) {
		switch {
		case n.tag == "thead":
			scope = "col"
		case n.tag == "th" && !n.has("scope"):
			n.set("scope", scope)
		}
		for _, c := range n.children {
			visit(c, scope)
		}
	}
	headRow(table)
	visit(table, "row")
}

// headRow makes a head of a first row that has nothing but head cells.
func headRow(table *node) {
	rows := table.all("tr")
	if table.child("thead") != nil || len(rows) < 2 || len(rows[0].all("td")) > 0 {
		return
	}
	for _, body := range table.all("tbody") {
		if len(body.children) > 0 && body.children[0] == rows[0] {
			body.children = body.children[1:]
			at := 0
			for at < len(table.children) && (table.children[at].tag == "caption" || table.children[at].tag == "colgroup") {
				at++
			}
			table.children = slices.Insert(table.children, at, element("thead", nil, rows[0]))
			return
		}
	}
}

// wrapTables lets wide tables among the children scroll by themselves, and folds
// long ones, which are not printed.
func wrapTables(n *node, detail bool) {
	for i, c := range n.children {
		if c.tag != "table" {
			continue
		}
		if !n.hasClass("scroll") {
			c = element("div", []string{"class", "scroll"}, c)
			n.children[i] = c
		}
	}
	for i, c := range n.children {
		if c.tag != "div" || !c.hasClass("scroll") || detail || len(c.children) == 0 {
			continue
		}
		if table := c.child("table"); table != nil {
			if rows := len(table.all("tr")); rows > shownRows {
				title := fmt.Sprintf("Table of %d rows", rows-1)
				if caption := table.child("caption"); caption != nil && caption.plain() != "" {
					title = fmt.Sprintf("%s (%d rows)", caption.plain(), rows-1)
				}
				n.children[i] = element("details", []string{"class", "long"}, element("summary", nil, textNode(title)), c)
			}
		}
	}
}

// describe gives a drawing without one a name for those who cannot see it.
func describe(svg *node, cell int, o notebook.Output) {
	svg.set("role", "img")
	if !svg.has("aria-label") && !svg.has("aria-labelledby") {
		label := altText(cell, o)
		if title := svg.child("title"); title != nil {
			label = title.plain()
		}
		svg.set("aria-label", label)
	}
}
