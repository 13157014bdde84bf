package export

import (
	"html"
	"strings"
)

// parse reads HTML as it is found: unclosed, wrongly nested, in any case of
// letters. It does not fail; what is no tag is text. Comments, declarations and
// processing instructions are dropped. The result is a node without tag.
//
// It follows the rules of HTML where pages rely on them (what closes a
// paragraph, a list item, a row) and is no complete implementation: clean
// rebuilds the markup, so a page never depends on how a browser mends it.
func parse(source string) *node {
	p := markupParser{rest: source, stack: []*node{{}}}
	for p.rest != "" {
		i := strings.IndexByte(p.rest, '<')
		if i < 0 {
			i = len(p.rest)
		}
		p.text(p.rest[:i])
		if p.rest = p.rest[i:]; p.rest != "" {
			p.markup()
		}
	}
	return p.stack[0]
}

// maxDepth is how deep elements nest; browsers stop at 512.
const maxDepth = 256

type markupParser struct {
	rest    string
	stack   []*node // open elements, the root first
	foreign int     // open svg and math elements
}

func (p *markupParser) top() *node { return p.stack[len(p.stack)-1] }

func (p *markupParser) add(n *node) { p.top().children = append(p.top().children, n) }

func (p *markupParser) text(s string) {
	if s != "" {
		p.add(textNode(html.UnescapeString(s)))
	}
}

// markup reads what starts at a "<".
func (p *markupParser) markup() {
	s := p.rest
	switch {
	case strings.HasPrefix(s, "<!--"):
		p.skipPast("-->")
	case strings.HasPrefix(s, "<![CDATA[") && p.foreign > 0:
		body, rest, _ := strings.Cut(s[len("<![CDATA["):], "]]>")
		p.add(textNode(body))
		p.rest = rest
	case strings.HasPrefix(s, "<!"), strings.HasPrefix(s, "<?"):
		p.skipPast(">")
	case strings.HasPrefix(s, "</") && len(s) > 2 && letter(s[2]):
		name, _, _ := tagName(s[2:])
		p.skipPast(">")
		p.close(strings.ToLower(name))
	case len(s) > 1 && letter(s[1]):
		p.start()
	default:
		p.text("<")
		p.rest = s[1:]
	}
}

func (p *markupParser) skipPast(end string) {
	_, p.rest, _ = strings.Cut(p.rest, end)
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// tagName splits a name from what follows it.
func tagName(s string) (name, rest string, ok bool) {
	i := strings.IndexAny(s, " \t\r\n\f/>")
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i:], true
}

// rawText elements hold text up to their end tag, whatever it looks like.
var rawText = set("script style textarea title xmp iframe noembed noframes noscript template")

// start reads a start tag and opens the element.
func (p *markupParser) start() {
	name, rest, _ := tagName(p.rest[1:])
	n := &node{tag: strings.ToLower(name)}
	var selfClosing bool
	n.attrs, p.rest, selfClosing = attributes(rest)
	p.closeImplied(n.tag)
	p.add(n)
	switch {
	case void[n.tag]:
	case p.foreign > 0 && selfClosing:
	case rawText[n.tag] && (p.foreign == 0 || n.tag == "script" || n.tag == "style"):
		end := indexFold(p.rest, "</"+n.tag)
		n.text = p.rest[:end]
		p.rest = p.rest[end:]
		p.skipPast(">")
	case len(p.stack) > maxDepth: // goes on without nesting
	default:
		p.stack = append(p.stack, n)
		if n.tag == "svg" || n.tag == "math" {
			p.foreign++
		}
	}
}

// indexFold is the place of an ASCII text in any case, or the end.
func indexFold(s, lower string) int {
	for i := 0; i+len(lower) <= len(s); i++ {
		if s[i] == lower[0] && strings.EqualFold(s[i:i+len(lower)], lower) {
			return i
		}
	}
	return len(s)
}

// attributes reads up to the end of a tag. Of two attributes with one name the
// first counts, as in browsers.
func attributes(s string) (list []attr, rest string, selfClosing bool) {
	seen := map[string]bool{}
	for {
		trimmed := strings.TrimLeft(s, " \t\r\n\f/")
		selfClosing = strings.HasSuffix(strings.TrimRight(s[:len(s)-len(trimmed)], " \t\r\n\f"), "/")
		s = trimmed
		if s == "" {
			return list, "", selfClosing
		}
		if s[0] == '>' {
			return list, s[1:], selfClosing
		}
		i := 1 + strings.IndexAny(s[1:], " \t\r\n\f/>=")
		if i == 0 {
			i = len(s)
		}
		a := attr{name: s[:i]}
		s = s[i:]
		if after := strings.TrimLeft(s, " \t\r\n\f"); strings.HasPrefix(after, "=") {
			a.value, s = attributeValue(strings.TrimLeft(after[1:], " \t\r\n\f"))
		}
		if low := strings.ToLower(a.name); !seen[low] {
			seen[low] = true
			list = append(list, a)
		}
	}
}

func attributeValue(s string) (value, rest string) {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		value, rest, _ = strings.Cut(s[1:], s[:1])
		return html.UnescapeString(value), rest
	}
	i := strings.IndexAny(s, " \t\r\n\f>")
	if i < 0 {
		i = len(s)
	}
	return html.UnescapeString(s[:i]), s[i:]
}

// closers says which open elements a start tag ends, and at which elements the
// search for them stops.
var (
	block = set("address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
		"header hgroup hr main menu nav ol p pre section summary table ul")
	closers = map[string]struct{ ends, stop map[string]bool }{
		"li":       {set("li"), set("ul ol")},
		"dt":       {set("dt dd"), set("dl")},
		"dd":       {set("dt dd"), set("dl")},
		"td":       {set("td th"), set("tr table")},
		"th":       {set("td th"), set("tr table")},
		"tr":       {set("tr td th caption colgroup"), set("table")},
		"tbody":    {set("tbody thead tfoot tr td th caption colgroup"), set("table")},
		"thead":    {set("tbody thead tfoot tr td th caption colgroup"), set("table")},
		"tfoot":    {set("tbody thead tfoot tr td th caption colgroup"), set("table")},
		"colgroup": {set("caption colgroup"), set("table")},
		"option":   {set("option"), set("select")},
	}
)

func (p *markupParser) closeImplied(tag string) {
	if p.foreign > 0 {
		return
	}
	if c, ok := closers[tag]; ok {
		for i := len(p.stack) - 1; i > 0 && !c.stop[p.stack[i].tag]; i-- {
			if c.ends[p.stack[i].tag] {
				p.stack = p.stack[:i]
			}
		}
	}
	if block[tag] {
		for i := len(p.stack) - 1; i > 0; i-- {
			if t := p.stack[i].tag; t == "p" {
				p.stack = p.stack[:i]
				return
			} else if block[t] || t == "td" || t == "th" || t == "li" {
				return
			}
		}
	}
}

// close ends the innermost element with this tag and all inside it; an end tag
// of nothing is ignored, and none inside a cell ends its table's surroundings.
func (p *markupParser) close(tag string) {
	for i := len(p.stack) - 1; i > 0; i-- {
		t := p.stack[i].tag
		if t == tag {
			for _, n := range p.stack[i:] {
				if n.tag == "svg" || n.tag == "math" {
					p.foreign--
				}
			}
			p.stack = p.stack[:i]
			return
		}
		if (t == "td" || t == "th") && tag != "tr" && tag != "table" && tag != "tbody" && tag != "thead" && tag != "tfoot" {
			return
		}
	}
}
