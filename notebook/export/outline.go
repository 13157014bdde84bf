package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

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
