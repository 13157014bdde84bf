package export

import (
	"html"
	"slices"
	"strings"
)

// node is one piece of markup: an element with a tag, or text without one. A
// page is a tree of nodes, so that it can be checked and changed before it is
// written.
type node struct {
	tag      string
	attrs    []attr
	children []*node
	text     string // of text, style and script
}

type attr struct{ name, value string }

// void elements have no content and no end tag.
var void = set("area base br col embed hr img input link meta param source track wbr")

// set makes a set of the words of a text.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// element makes a node; attributes come as name, value, name, value.
func element(tag string, attrs []string, children ...*node) *node {
	n := &node{tag: tag, children: children}
	for i := 0; i+1 < len(attrs); i += 2 {
		n.attrs = append(n.attrs, attr{attrs[i], attrs[i+1]})
	}
	return n
}

func textNode(s string) *node { return &node{text: s} }

func (n *node) get(name string) string {
	for _, a := range n.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

func (n *node) has(name string) bool {
	return slices.ContainsFunc(n.attrs, func(a attr) bool { return a.name == name })
}

func (n *node) set(name, value string) {
	for i := range n.attrs {
		if n.attrs[i].name == name {
			n.attrs[i].value = value
			return
		}
	}
	n.attrs = append(n.attrs, attr{name, value})
}

func (n *node) hasClass(class string) bool {
	return slices.Contains(strings.Fields(n.get("class")), class)
}

// walk visits n and all below it, parents first; what visit declines is not
// entered.
func (n *node) walk(visit func(*node) bool) {
	if !visit(n) {
		return
	}
	for _, c := range n.children {
		c.walk(visit)
	}
}

// all are the elements of a tag below n, in reading order.
func (n *node) all(tag string) []*node {
	var out []*node
	n.walk(func(c *node) bool {
		if c != n && c.tag == tag {
			out = append(out, c)
		}
		return true
	})
	return out
}

// child is the first child with a tag, or nil.
func (n *node) child(tag string) *node {
	for _, c := range n.children {
		if c.tag == tag {
			return c
		}
	}
	return nil
}

// plain is the text inside, without markup.
func (n *node) plain() string {
	var b strings.Builder
	n.walk(func(c *node) bool {
		if c.tag == "" {
			b.WriteString(c.text)
		}
		return c.tag != "style"
	})
	return b.String()
}

// block are the elements that stand on lines of their own.
var block = set("address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
	"header hgroup hr main menu nav ol p pre section summary table ul")

// lines is what markup says in plain text: rows on lines, cells apart.
func (n *node) lines() string {
	var b strings.Builder
	n.walk(func(c *node) bool {
		switch {
		case c.tag == "":
			b.WriteString(c.text)
		case c.tag == "td" || c.tag == "th":
			b.WriteString("  ")
		case block[c.tag] || c.tag == "tr" || c.tag == "br" || c.tag == "li" || c.tag == "caption":
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

// write appends the markup of n, which reads the same as HTML and as XML. A node
// without tag and text is just its children.
func (n *node) write(b *strings.Builder) {
	switch n.tag {
	case "":
		b.WriteString(escape(n.text))
	case "script": // our own, without < and &
		b.WriteString("<script>" + n.text + "</script>")
		return
	default:
		b.WriteString("<" + n.tag)
		for _, a := range n.attrs {
			b.WriteString(" " + a.name + `="` + escape(a.value) + `"`)
		}
		if void[n.tag] {
			b.WriteString("/>")
			return
		}
		b.WriteString(">")
		if (n.tag == "pre") && strings.HasPrefix(n.plain(), "\n") {
			b.WriteString("\n") // HTML drops the first newline
		}
	}
	for _, c := range n.children {
		c.write(b)
	}
	if n.tag != "" {
		b.WriteString("</" + n.tag + ">")
	}
}

func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// escape makes text safe between tags and between quotes.
func escape(s string) string { return html.EscapeString(xmlText(s)) }

// xmlText drops what is no UTF-8 and the control characters that XML does not know.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 || r&0xfffe == 0xfffe {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}
