package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Parse reads HTML as browsers do inside of a body: unclosed, wrongly nested, in any case
// of letters. Elements and attributes of drawings get the spelling of SVG. Comments and
// declarations are dropped. HTML that nests deeper than browsers go, 512 elements, is not
// read: it becomes text. The result is a node without tag.
func Parse(source string) *Node {
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	list, err := html.ParseFragment(strings.NewReader(source), body)
	if err != nil { // the depth; reading a text has no other
		return Element("", nil, Element("pre", nil, Text(source)))
	}
	out := &Node{}
	for _, n := range list {
		out.Children = append(out.Children, converted(n)...)
	}
	return out
}

// converted returns a node of package html as ours, and nothing for what shows nothing.
func converted(n *html.Node) []*Node {
	switch n.Type {
	case html.TextNode:
		return []*Node{Text(n.Data)}
	case html.ElementNode:
		out := &Node{Tag: n.Data}
		for _, a := range n.Attr {
			if a.Namespace != "" {
				a.Key = a.Namespace + ":" + a.Key
			}
			if !out.Has(a.Key) { // of two with one name the first counts
				out.Attrs = append(out.Attrs, Attr{a.Key, a.Val})
			}
		}
		for c := range n.ChildNodes() {
			out.Children = append(out.Children, converted(c)...)
		}
		if n.Data == "style" {
			out.Text, out.Children = Element("", nil, out.Children...).Plain(), nil
		}
		return []*Node{out}
	}
	return nil
}
