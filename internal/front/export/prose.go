package export

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/gonb-cope/gonb-cope/internal/front/export/markup"
)

// prose renders Markdown to markup that is clean. The name tells the footnotes of
// one cell from another's.
func prose(source, name string, c *markup.Cleaner) (*markup.Node, error) {
	w := readMarkdown(source, name)
	out, err := w.tree(w.root, c)
	if err != nil {
		return nil, fmt.Errorf("Markdown of %s: %w", name, err)
	}
	return out, nil
}

// heading is an entry of the outline.
type heading struct {
	level int
	id    string
	node  *markup.Node
}

// headingLevel returns 1 to 6, or 0 for what is no heading.
func headingLevel(n *markup.Node) int {
	if len(n.Tag) == 2 && n.Tag[0] == 'h' && n.Tag[1] >= '1' && n.Tag[1] <= '6' {
		return int(n.Tag[1] - '0')
	}
	return 0
}

// outline gives the headings of all Markdown their level below the title, no
// level left out, and an anchor. When wanted is "", the first heading is the
// title and leaves the text. Trees of cells without Markdown are nil.
func outline(trees []*markup.Node, wanted string) (title string, list []heading) {
	var found []*markup.Node
	for _, tree := range trees {
		if tree != nil {
			tree.Walk(func(n *markup.Node) bool {
				if headingLevel(n) > 0 {
					found = append(found, n)
				}
				return true
			})
		}
	}
	title = wanted
	if len(found) > 0 && (wanted == "" || found[0].Plain() == wanted) {
		title = strings.TrimSpace(found[0].Plain())
		found[0].Tag, found[0].Attrs, found[0].Children = "", nil, nil
		found = found[1:]
	}
	shift := 0
	for _, n := range found {
		if headingLevel(n) == 1 {
			shift = 1
		}
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

// slug makes an anchor of a heading's text.
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		case unicode.IsSpace(r) || r == '-' || r == '_':
			return '-'
		}
		return -1
	}, strings.TrimSpace(s))
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	if s = strings.Trim(s, "-"); s == "" {
		return "section"
	}
	return s
}

// linkHeadings lets links written for Jupyter, #Name-of-the-heading, find their
// heading in the report.
func linkHeadings(trees []*markup.Node, list []heading) {
	known := map[string]bool{}
	for _, h := range list {
		known[h.id] = true
	}
	for _, tree := range trees {
		if tree == nil {
			continue
		}
		for _, a := range tree.All("a") {
			if name, ok := strings.CutPrefix(a.Get("href"), "#m-"); ok && known["s-"+slug(unescapePath(name))] {
				a.Set("href", "#s-"+slug(unescapePath(name)))
			}
		}
	}
}
