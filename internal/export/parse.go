package export

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// parse reads HTML as browsers do inside of a body: unclosed, wrongly nested, in any case
// of letters. Elements and attributes of drawings get the spelling of SVG. Comments and
// declarations are dropped. HTML that nests deeper than browsers go, 512 elements, is not
// read: it becomes text. The result is a node without tag.
func parse(source string) *node {
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	list, err := html.ParseFragment(strings.NewReader(source), body)
	if err != nil { // the depth; reading a text has no other
		return element("", nil, element("pre", nil, textNode(source)))
	}
	out := &node{}
	for _, n := range list {
		out.children = append(out.children, converted(n)...)
	}
	return out
}

// converted is a node of package html as ours, or nil for what shows nothing.
func converted(n *html.Node) []*node {
	switch n.Type {
	case html.TextNode:
		return []*node{textNode(n.Data)}
	case html.ElementNode:
		out := &node{tag: n.Data}
		for _, a := range n.Attr {
			if a.Namespace != "" {
				a.Key = a.Namespace + ":" + a.Key
			}
			if !out.has(a.Key) { // of two with one name the first counts
				out.attrs = append(out.attrs, attr{a.Key, a.Val})
			}
		}
		for c := range n.ChildNodes() {
			out.children = append(out.children, converted(c)...)
		}
		if n.Data == "style" {
			out.text, out.children = element("", nil, out.children...).plain(), nil
		}
		return []*node{out}
	}
	return nil
}
