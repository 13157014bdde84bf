package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// levels sets the levels of the headings in an output below the heading that precedes the output. It skips no level.
func (p *page) levels(tree *markup.Node) {
	last, top := p.level, 0
	for _, n := range headingsIn(tree) {
		level := headingLevel(n)
		if top == 0 || level < top {
			top = level
		}
		n.Set("class", strings.TrimSpace(n.Get("class")+" inner"))
		last = min(p.level+1+level-top, last+1, 6)
		n.Tag = fmt.Sprintf("h%d", last)
	}
}

// number numbers the figures and tables of an output; the count continues over the whole page. Tables in folded details
// get no number, so the visible numbers have no gaps.
func (p *page) number(tree *markup.Node, cell int, o notebook.Output) {
	frame(tree)
	var visit func(n *markup.Node, detail bool)
	visit = func(n *markup.Node, detail bool) {
		switch n.Tag {
		case "details":
			detail = true
		case "figure":
			p.figure(n, o)
		case "table":
			p.table(n, detail)
		case "svg":
			describe(n, cell, o)
		case "img":
			if n.Get("alt") == "" {
				n.Set("alt", altText(cell, o))
			}
		}
		for _, c := range n.Children {
			visit(c, detail)
		}
		wrapTables(n, detail || p.paper)
	}
	visit(tree, false)
}

// frame encloses the picture of an output in a figure if the output contains nothing else.
func frame(tree *markup.Node) {
	var pictures []*markup.Node
	alone := true
	tree.Walk(func(n *markup.Node) bool {
		switch {
		case n.Tag == "svg" || n.Tag == "img":
			pictures = append(pictures, n)
			return false
		case n.Tag == "figure", n.Tag == "table", n.Tag == "" && strings.TrimSpace(n.Text) != "":
			alone = false
		}
		return alone
	})
	if !alone || len(pictures) != 1 {
		return
	}
	inner := *pictures[0]
	*pictures[0] = *markup.Element("figure", nil, &inner)
	if inner.Tag == "svg" && !strings.Contains(inner.String(), "var(--page") {
		pictures[0].Set("class", "plate") // drawn for a white background
	}
	unparagraph(tree)
}

// unparagraph changes paragraphs, spans and headings that contain a figure into divs, because HTML does not allow figures
// in them.
func unparagraph(tree *markup.Node) {
	tree.Walk(func(n *markup.Node) bool {
		if (n.Tag == "p" || n.Tag == "span" || headingLevel(n) > 0) && len(n.All("figure")) > 0 {
			n.Tag = "div"
		}
		return true
	})
}

func (p *page) figure(n *markup.Node, o notebook.Output) {
	p.figures++
	caption := n.Child("figcaption")
	if caption == nil {
		text := stringOf(o.Metadata["caption"])
		if svg := n.Child("svg"); text == "" && svg != nil && svg.Child("title") != nil {
			text = svg.Child("title").Plain()
		}
		caption = markup.Element("figcaption", nil, markup.Text(text))
		n.Children = append(n.Children, caption)
	}
	lead(caption, fmt.Sprintf("Figure %d", p.figures))
}

// lead puts the text name, such as "Figure 1", before a caption.
func lead(caption *markup.Node, name string) {
	number := markup.Element("span", []string{"class", "number"}, markup.Text(name))
	if strings.TrimSpace(caption.Plain()) != "" {
		number.Children[0].Text += "."
		caption.Children = append([]*markup.Node{number, markup.Text(" ")}, caption.Children...)
		return
	}
	caption.Children = []*markup.Node{number}
}

func (p *page) table(n *markup.Node, detail bool) {
	scopes(n)
	if detail || n.Get("role") == "presentation" || len(n.All("th")) == 0 && n.Child("caption") == nil || len(n.All("tr")) == 0 {
		return // no number: folded detail, layout table, or empty
	}
	p.tables++
	caption := n.Child("caption")
	if caption == nil {
		caption = markup.Element("caption", nil)
		n.Children = append([]*markup.Node{caption}, n.Children...)
	}
	lead(caption, fmt.Sprintf("Table %d", p.tables))
}

// scopes sets the scope (column or row) of each head cell of a table.
func scopes(table *markup.Node) {
	var visit func(n *markup.Node, scope string)
	visit = func(n *markup.Node, scope string) {
		switch {
		case n.Tag == "thead":
			scope = "col"
		case n.Tag == "th" && !n.Has("scope"):
			n.Set("scope", scope)
		}
		for _, c := range n.Children {
			visit(c, scope)
		}
	}
	headRow(table)
	visit(table, "row")
}

// headRow moves the first row of a table into a thead if the row has only head cells.
func headRow(table *markup.Node) {
	rows := table.All("tr")
	if table.Child("thead") != nil || len(rows) < 2 || len(rows[0].All("td")) > 0 {
		return
	}
	for _, body := range table.All("tbody") {
		if len(body.Children) > 0 && body.Children[0] == rows[0] {
			body.Children = body.Children[1:]
			at := 0
			for at < len(table.Children) && (table.Children[at].Tag == "caption" || table.Children[at].Tag == "colgroup") {
				at++
			}
			table.Children = slices.Insert(table.Children, at, markup.Element("thead", nil, rows[0]))
			return
		}
	}
}

// wrapTables puts wide tables among the children of n into scrollable divs. It folds tables of more than shownRows rows
// unless unfolded is set.
func wrapTables(n *markup.Node, unfolded bool) {
	for i, c := range n.Children {
		if c.Tag == "table" && !n.HasClass("scroll") {
			c = markup.Element("div", []string{"class", "scroll"}, c)
			n.Children[i] = c
		}
		table := c.Child("table")
		if table == nil || c.Tag != "div" || !c.HasClass("scroll") || unfolded {
			continue
		}
		if rows := len(table.All("tr")); rows > shownRows {
			title := fmt.Sprintf("Table of %d rows", rows-1)
			if caption := table.Child("caption"); caption != nil && caption.Plain() != "" {
				title = fmt.Sprintf("%s (%d rows)", caption.Plain(), rows-1)
			}
			n.Children[i] = markup.Element("details", []string{"class", "long"}, markup.Element("summary", nil, markup.Text(title)), c)
		}
	}
}

// describe sets the accessible name of a drawing that has none: its title, or else altText.
func describe(svg *markup.Node, cell int, o notebook.Output) {
	svg.Set("role", "img")
	if !svg.Has("aria-label") && !svg.Has("aria-labelledby") {
		label := altText(cell, o)
		if title := svg.Child("title"); title != nil {
			label = title.Plain()
		}
		svg.Set("aria-label", label)
	}
}
