package tex

import (
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

// numberClass is the class of a formula's number element. Until Number sets the number, the element contains the formula's
// tag and label.
const numberClass = "eqno"

// Reference returns a placeholder for \eqref{label} or \ref{label} in text. Number replaces its text by the number of the
// formula.
func Reference(command string) *markup.Node {
	name, label, _ := strings.Cut(strings.TrimSuffix(command, "}"), "{")
	return markup.Element("a", []string{"class", strings.TrimPrefix(name, `\`)}, markup.Text(label))
}

// Number numbers the formulas of a document in order, as LaTeX does. A formula gets the next number if it has a label or
// is in a numbered environment, unless it has a tag. References get the formula's number and a link. A reference to an
// unknown label shows the label with a question mark.
func Number(document *markup.Node) {
	type place struct{ number, id string }
	places := map[string]place{}
	count := 0
	document.Walk(func(n *markup.Node) bool {
		if n.Tag != "mrow" || n.Get("class") != numberClass || len(n.Children) != 2 {
			return true
		}
		tag, label := n.Children[0].Plain(), n.Children[1].Plain()
		if tag == "" {
			count++
			tag = fmt.Sprintf("(%d)", count)
		}
		n.Children = []*markup.Node{leaf("mtext", tag)}
		if _, known := places[label]; label != "" && !known {
			p := place{tag, fmt.Sprintf("formula-%d", len(places)+1)}
			n.Set("id", p.id)
			places[label] = p
		}
		return false
	})
	document.Walk(func(n *markup.Node) bool {
		class := n.Get("class")
		if (n.Tag != "a" && n.Tag != "mtext") || class != "eqref" && class != "ref" || n.Has("href") {
			return true
		}
		p, known := places[n.Plain()]
		if !known {
			n.Children = []*markup.Node{markup.Text("(" + n.Plain() + "?)")}
			return false
		}
		if class == "ref" {
			p.number = strings.Trim(p.number, "()")
		}
		n.Children = []*markup.Node{markup.Text(p.number)}
		if n.Tag == "a" {
			n.Set("href", "#"+p.id)
		}
		return false
	})
}
