package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/jupyter/notebook"
)

// code is the source of a cell, which a reader can fold.
func (p *page) code(i int, c *notebook.Cell, v visibility) *node {
	lang := language(c.Source)
	title := map[string]string{"go": "Go", "cope": "CoPE"}[lang]
	note := ""
	if c.ExecutionCount > 0 {
		note = fmt.Sprintf("[%d]", c.ExecutionCount)
	}
	if d := duration(c, i+1, p.opt); d > 0 {
		note = strings.TrimSpace(note + " " + seconds(d))
	}
	summary := element("summary", nil, textNode(title))
	if note != "" {
		summary.children = append(summary.children, textNode(" "), element("span", []string{"class", "run"}, textNode(note)))
	}
	pre := element("pre", nil, element("code", nil, highlight(strings.TrimRight(c.Source, "\n"), lang)...))
	out := element("details", []string{"class", "code"}, summary, pre)
	if v == shown {
		out.set("open", "open")
	}
	return out
}

// tells reports whether an output shows an error in the form of package report.
func tells(n *node) bool {
	return slices.ContainsFunc(n.all("div"), func(d *node) bool { return d.hasClass("error") })
}

// banner says at the top that the run failed, and where.
func (p *page) banner() []*node {
	list := failures(p.nb)
	if len(list) == 0 {
		return nil
	}
	text := "This run failed. "
	if len(list) > 1 {
		text = fmt.Sprintf("This run failed in %d cells. ", len(list))
	}
	out := element("div", []string{"class", "failed", "role", "note"}, element("p", nil, element("strong", nil, textNode(text)),
		textNode("What follows is what was finished.")))
	ul := element("ul", nil)
	for _, f := range list {
		link := textNode(fmt.Sprintf("Cell %d", f.cell))
		if !p.nb.Cells[f.cell-1].HasTag(removeCell) {
			link = element("a", []string{"href", fmt.Sprintf("#cell-%d", f.cell)}, link)
		}
		ul.children = append(ul.children, element("li", nil, link, textNode(": "+f.what)))
	}
	out.children = append(out.children, ul)
	return []*node{out}
}

// contents is the outline as nested lists, or nil when there is nothing to choose
// from.
func contents(list []heading) *node {
	if len(list) < 2 {
		return nil
	}
	nav := element("nav", []string{"aria-label", "Contents"}, element("p", []string{"class", "label"}, textNode("Contents")))
	var levels []*node // the open list of each level from 2
	for _, h := range list {
		depth := max(h.level-1, 1)
		levels = levels[:min(len(levels), depth)]
		for len(levels) < depth {
			ol := element("ol", nil)
			if len(levels) == 0 {
				nav.children = append(nav.children, ol)
			} else {
				items := levels[len(levels)-1]
				last := items.children[len(items.children)-1]
				last.children = append(last.children, ol)
			}
			levels = append(levels, ol)
		}
		link := element("a", []string{"href", "#" + h.id}, inlineCopy(h.node)...)
		levels[depth-1].children = append(levels[depth-1].children, element("li", nil, link))
	}
	return nav
}

// inlineCopy is what a heading says, without links, ids, which a page has once, and
// styles, which are for the place of the heading.
func inlineCopy(n *node) []*node {
	var out []*node
	for _, c := range n.children {
		inner := inlineCopy(c)
		switch {
		case c.tag == "":
			out = append(out, &node{text: c.text, children: inner})
		case c.tag == "a" || c.tag == "img" || c.tag == "sup":
			out = append(out, inner...)
		default:
			copied := &node{tag: c.tag, children: inner}
			for _, a := range c.attrs {
				if a.name != "id" && a.name != "style" {
					copied.attrs = append(copied.attrs, a)
				}
			}
			out = append(out, copied)
		}
	}
	return out
}

// settle leaves every id once, where it comes first, and drops what refers to an
// id that the page does not have.
func settle(body *node) {
	ids := map[string]bool{}
	body.walk(func(n *node) bool {
		n.attrs = slices.DeleteFunc(n.attrs, func(a attr) bool { return a.name == "id" && ids[a.value] })
		ids[n.get("id")] = true
		return true
	})
	delete(ids, "")
	missing := func(id string) bool { return !ids[id] }
	body.walk(func(n *node) bool {
		n.attrs = slices.DeleteFunc(n.attrs, func(a attr) bool {
			switch a.name {
			case "href":
				id, inside := strings.CutPrefix(a.value, "#")
				return inside && missing(id)
			case "headers", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-details":
				return slices.ContainsFunc(strings.Fields(a.value), missing)
			}
			return false
		})
		return true
	})
}
