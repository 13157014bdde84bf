package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/export/markup"
	"github.com/gonb-cope/gonb-cope/internal/jupyter/notebook"
)

// code returns the source of a cell, which a reader can fold.
func (p *page) code(i int, c *notebook.Cell, v visibility) *markup.Node {
	lang := language(c.Source)
	title := map[string]string{"go": "Go", "cope": "CoPE"}[lang]
	note := ""
	if c.ExecutionCount > 0 {
		note = fmt.Sprintf("[%d]", c.ExecutionCount)
	}
	if d := duration(c, i+1, p.opt); d > 0 {
		note = strings.TrimSpace(note + " " + seconds(d))
	}
	summary := markup.Element("summary", nil, markup.Text(title))
	if note != "" {
		summary.Children = append(summary.Children, markup.Text(" "), markup.Element("span", []string{"class", "run"}, markup.Text(note)))
	}
	pre := markup.Element("pre", nil, markup.Element("code", nil, highlight(strings.TrimRight(c.Source, "\n"), lang)...))
	out := markup.Element("details", []string{"class", "code"}, summary, pre)
	if v == shown {
		out.Set("open", "open")
	}
	return out
}

// tells reports whether an output shows an error in the form of package report.
func tells(n *markup.Node) bool {
	return slices.ContainsFunc(n.All("div"), func(d *markup.Node) bool { return d.HasClass("error") })
}

// banner says at the top that the run failed, and where.
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
			markup.Text("What follows is what was finished.")))
	ul := markup.Element("ul", nil)
	for _, f := range list {
		link := markup.Text(fmt.Sprintf("Cell %d", f.cell))
		if !p.nb.Cells[f.cell-1].HasTag(removeCell) {
			link = markup.Element("a", []string{"href", fmt.Sprintf("#cell-%d", f.cell)}, link)
		}
		ul.Children = append(ul.Children, markup.Element("li", nil, link, markup.Text(": "+f.what)))
	}
	out.Children = append(out.Children, ul)
	return []*markup.Node{out}
}

// contents returns the outline as nested lists, on paper with the pages, or nil when there is nothing
// to choose from.
func (p *page) contents(list []heading) *markup.Node {
	if len(list) < 2 {
		return nil
	}
	nav := markup.Element("nav", []string{"aria-label", "Contents"}, markup.Element("p", []string{"class", "label"}, markup.Text("Contents")))
	var levels []*markup.Node // the open list of each level from 2
	for _, h := range list {
		depth := max(h.level-1, 1)
		levels = levels[:min(len(levels), depth)]
		for len(levels) < depth {
			ol := markup.Element("ol", nil)
			if len(levels) == 0 {
				nav.Children = append(nav.Children, ol)
			} else {
				items := levels[len(levels)-1]
				last := items.Children[len(items.Children)-1]
				last.Children = append(last.Children, ol)
			}
			levels = append(levels, ol)
		}
		link := markup.Element("a", []string{"href", "#" + h.id}, inlineCopy(h.node)...)
		item := markup.Element("li", nil, link)
		if p.paper {
			number := "0" // takes the room of a number until it is known
			if n := p.pages[h.id]; n > 0 {
				number = fmt.Sprint(n)
			}
			item.Children = append(item.Children, markup.Element("span", []string{"class", "page"}, markup.Text(number)))
		}
		levels[depth-1].Children = append(levels[depth-1].Children, item)
	}
	return nav
}

// inlineCopy returns the content of a heading without links, ids, which a page has once, and
// styles, which are for the place of the heading.
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

// uniqueIDs leaves every id once, where it comes first, and drops what refers to an
// id that the page does not have.
func uniqueIDs(body *markup.Node) {
	ids := map[string]bool{}
	body.Walk(func(n *markup.Node) bool {
		n.Attrs = slices.DeleteFunc(n.Attrs, func(a markup.Attr) bool { return a.Name == "id" && ids[a.Value] })
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
