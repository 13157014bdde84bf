package tex

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/front/export/markup"
)

// command reads the arguments of a command, whose name comes without backslash.
func (m *mathParser) command(name string) *markup.Node {
	if n := symbol(name); n != nil {
		return n
	}
	if a, ok := alphabets[name]; ok {
		return m.lettered(a)
	}
	if mark, ok := accents[name]; ok {
		return m.marked("mover", mark)
	}
	if mark, ok := unders[name]; ok {
		return m.marked("munder", mark)
	}
	switch name {
	case "frac", "dfrac", "tfrac", "cfrac":
		return m.two("mfrac", nil)
	case "binom":
		return bracketed("(", m.two("mfrac", []string{"linethickness", "0"}), ")")
	case "stackrel", "overset":
		over := m.argument()
		return markup.Element("mover", nil, m.argument(), over)
	case "underset":
		under := m.argument()
		return markup.Element("munder", nil, m.argument(), under)
	case "substack":
		return m.stack()
	case "boxed":
		return markup.Element("mrow", []string{"class", "boxed"}, m.argument())
	case "hspace":
		return m.space()
	case "sqrt":
		return m.root()
	case "text", "textrm", "textit", "textbf", "texttt", "mbox", "textsf", "textup":
		s := m.raw()
		if strings.ContainsAny(escapedTeX.ReplaceAllString(s, ""), `\$^_&#%{}~`) {
			panic(errMath)
		}
		return markup.Element("mtext", nil, markup.Text(strings.ReplaceAll(unescapeTeX(s), " ", "\u00a0")))
	case "mathrm", "operatorname", "operatornamewithlimits", "mathit", "mathnormal":
		return m.upright(name)
	case "left":
		return m.delimited()
	case "begin":
		return m.environment()
	case "tag", "label":
		m.raw()
		return nil
	}
	panic(errMath)
}

// symbol returns a command without arguments, or nil.
func symbol(name string) *markup.Node {
	if ignored[name] {
		return markup.Element("mrow", nil)
	}
	fixed, movable := []string{"stretchy", "false"}, []string{"movablelimits", "true"}
	if strings.Contains(name, "int") { // integrals keep their limits beside them
		movable = nil
	}
	for _, kind := range []struct {
		characters map[string]string
		tag        string
		attributes []string
	}{
		{identifiers, "mi", nil}, {operators, "mo", nil}, {fences, "mo", fixed}, {large, "mo", movable}, {functions, "mi", nil},
		{limits, "mo", []string{"movablelimits", "true", "form", "prefix"}}, {bare, "mo", fixed},
	} {
		if s, ok := kind.characters[name]; ok {
			return markup.Element(kind.tag, kind.attributes, markup.Text(s))
		}
	}
	if width, ok := spaces[name]; ok {
		return markup.Element("mspace", []string{"width", width})
	}
	return nil
}

// bare are the characters that mean something to TeX without a backslash.
var bare = pairs("{ { } } % % # # & & $ $ _ _ | ‖")

func (m *mathParser) two(tag string, attrs []string) *markup.Node {
	a := m.argument()
	return markup.Element(tag, attrs, a, m.argument())
}

func (m *mathParser) marked(tag, mark string) *markup.Node {
	n := m.argument()
	attrs := []string{"accent", "true"}
	if tag == "munder" {
		attrs = nil
	}
	return markup.Element(tag, attrs, n, markup.Element("mo", nil, markup.Text(mark)))
}

func (m *mathParser) root() *markup.Node {
	if m.peek() != "[" {
		return markup.Element("msqrt", nil, m.argument())
	}
	m.next()
	degree := m.row("]")
	return markup.Element("mroot", nil, m.argument(), degree)
}

// stack reads the lines of \substack.
func (m *mathParser) stack() *markup.Node {
	s := m.raw()
	const name = "substack"
	inner := &mathParser{rest: []rune(s + `\end{` + name + "}"), depth: m.depth + 1}
	n := inner.rows(name, bracketedTable{})
	if len(inner.rest) > 0 || inner.depth > mostDepth {
		panic(errMath)
	}
	return n
}

var texLength = regexp.MustCompile(`^\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*(em|ex|pt|mu|cm|mm|in|px)\s*$`)

// space reads the length of \hspace. A mu is the 18th part of an em.
func (m *mathParser) space() *markup.Node {
	if m.peek() == "*" {
		m.next()
	}
	length := texLength.FindStringSubmatch(m.raw())
	if length == nil {
		panic(errMath)
	}
	width := length[1] + length[2]
	if length[2] == "mu" {
		mu, _ := strconv.ParseFloat(length[1], 64) // the pattern has numbers alone
		width = strconv.FormatFloat(mu/18, 'f', 3, 64) + "em"
	}
	return markup.Element("mspace", []string{"width", width})
}

// lettered sets the letters of its argument in another alphabet.
func (m *mathParser) lettered(a alphabet) *markup.Node {
	n := m.argument()
	n.Walk(func(c *markup.Node) bool {
		if c.Tag == "" {
			var b strings.Builder
			for _, r := range c.Text {
				b.WriteString(a.letter(r))
			}
			c.Text = b.String()
		}
		return true
	})
	return n
}

// upright returns a name of several letters.
func (m *mathParser) upright(command string) *markup.Node {
	limited := command == "operatornamewithlimits"
	if m.peek() == "*" {
		m.next()
		limited = true
	}
	s := strings.ReplaceAll(m.raw(), `\,`, "\u2009")
	if strings.ContainsAny(s, "$&#%~") {
		panic(errMath)
	}
	if strings.ContainsAny(s, `\^_{`) {
		inner := &mathParser{rest: []rune(s), depth: m.depth}
		return inner.row("")
	}
	if limited {
		return markup.Element("mo", []string{"movablelimits", "true"}, markup.Text(s))
	}
	n := markup.Element("mi", nil, markup.Text(strings.ReplaceAll(s, " ", "\u00a0")))
	if len([]rune(s)) == 1 && command != "mathit" {
		n.Set("mathvariant", "normal")
	}
	return n
}

var escapedTeX = regexp.MustCompile(`\\([%#&$_{} ])`)

func unescapeTeX(s string) string { return escapedTeX.ReplaceAllString(s, "$1") }
