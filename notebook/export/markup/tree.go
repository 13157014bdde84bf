package markup

import (
	"html"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Node is an element with a tag, or text without one. A page is built as a tree of nodes, so that it can be checked and
// changed before it is written.
type Node struct {
	Tag      string
	Attrs    []Attr
	Children []*Node
	Text     string // content of text, style and script nodes
}

// Attr is an attribute of an element.
type Attr struct{ Name, Value string }

// void elements have neither content nor end tag.
var void = Names("area base br col embed hr img input link meta param source track wbr")

// Names returns the set of the words in a text.
func Names(words string) map[string]bool {
	return lists.Keyed(strings.Fields(words), func(_ int, w string) (string, bool) { return w, true })
}

// Element returns an element. attrs alternates names and values.
func Element(tag string, attrs []string, children ...*Node) *Node {
	n := &Node{Tag: tag, Children: children}
	for i := 0; i+1 < len(attrs); i += 2 {
		n.Attrs = append(n.Attrs, Attr{attrs[i], attrs[i+1]})
	}
	return n
}

// Text returns a text node.
func Text(s string) *Node { return &Node{Text: s} }

// Get returns the value of an attribute, or "".
func (n *Node) Get(name string) string {
	a, _ := lists.First(n.Attrs, func(a Attr) bool { return a.Name == name })
	return a.Value
}

// Has reports whether n has an attribute.
func (n *Node) Has(name string) bool {
	return slices.ContainsFunc(n.Attrs, func(a Attr) bool { return a.Name == name })
}

// Set changes the value of an attribute, or appends the attribute.
func (n *Node) Set(name, value string) {
	for i := range n.Attrs {
		if n.Attrs[i].Name == name {
			n.Attrs[i].Value = value
			return
		}
	}
	n.Attrs = append(n.Attrs, Attr{name, value})
}

// HasClass reports whether n has a class.
func (n *Node) HasClass(class string) bool {
	return slices.Contains(strings.Fields(n.Get("class")), class)
}

// Walk calls visit for n and all nodes below it, parents first. If visit returns false, Walk skips the node's children.
func (n *Node) Walk(visit func(*Node) bool) {
	if !visit(n) {
		return
	}
	for _, c := range n.Children {
		c.Walk(visit)
	}
}

// All returns the elements with a tag below n in document order.
func (n *Node) All(tag string) []*Node {
	var out []*Node
	n.Walk(func(c *Node) bool {
		if c != n && c.Tag == tag {
			out = append(out, c)
		}
		return true
	})
	return out
}

// Child returns the first child element with a tag, or nil.
func (n *Node) Child(tag string) *Node {
	c, _ := lists.First(n.Children, func(c *Node) bool { return c.Tag == tag })
	return c
}

// Plain returns the text below n without markup.
func (n *Node) Plain() string {
	var b strings.Builder
	n.Walk(func(c *Node) bool {
		if c.Tag == "" {
			b.WriteString(c.Text)
		}
		return c.Tag != "style"
	})
	return b.String()
}

// block lists the elements that begin on a new line.
var block = Names("address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer " +
	"form h1 h2 h3 h4 h5 h6 " +
	"header hgroup hr main menu nav ol p pre section summary table ul")

// IsBlock reports whether an element begins on a new line.
func (n *Node) IsBlock() bool { return block[n.Tag] }

// Lines returns the text below n as lines. Each table row is a line, with two spaces before each cell.
func (n *Node) Lines() string {
	var b strings.Builder
	n.Walk(func(c *Node) bool {
		switch {
		case c.Tag == "":
			b.WriteString(c.Text)
		case c.Tag == "td" || c.Tag == "th":
			b.WriteString("  ")
		case block[c.Tag] || c.Tag == "tr" || c.Tag == "br" || c.Tag == "li" || c.Tag == "caption":
			if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
				b.WriteString("\n")
			}
		}
		return true
	})
	var lines []string
	for line := range strings.SplitSeq(b.String(), "\n") {
		if line = strings.TrimRight(line, " \t"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Write appends n as markup that means the same in HTML and XML. For a node without tag and text, Write appends only the
// children.
func (n *Node) Write(b *strings.Builder) {
	switch n.Tag {
	case "":
		b.WriteString(Escape(n.Text))
	case "script": // only our own script, which contains neither < nor &
		b.WriteString("<script>" + n.Text + "</script>")
		return
	default:
		b.WriteString("<" + n.Tag)
		for _, a := range n.Attrs {
			b.WriteString(" " + a.Name + `="` + Escape(a.Value) + `"`)
		}
		if void[n.Tag] {
			b.WriteString("/>")
			return
		}
		b.WriteString(">")
		if n.Tag == "pre" && strings.HasPrefix(n.Plain(), "\n") {
			b.WriteString("\n") // HTML drops the first newline in pre
		}
	}
	for _, c := range n.Children {
		c.Write(b)
	}
	if n.Tag != "" {
		b.WriteString("</" + n.Tag + ">")
	}
}

// String returns the text that Write writes.
func (n *Node) String() string {
	var b strings.Builder
	n.Write(&b)
	return b.String()
}

// Escape escapes text for use in element content and in quoted attributes.
func Escape(s string) string { return html.EscapeString(XMLText(s)) }

// XMLText removes control characters that XML does not allow and replaces invalid UTF-8.
func XMLText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 || r&0xfffe == 0xfffe {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}
