package tex

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/front/export/markup"
)

// command reads the arguments of a command, whose name comes without backslash.
func (m *mathParser) command(name string) (*markup.Node, error) {
	if n := symbol(name); n != nil {
		return n, nil
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
		n, err := m.two("mfrac", []string{"linethickness", "0"})
		return bracketed("(", n, ")"), err
	case "stackrel", "overset":
		over, err := m.argument()
		if err != nil {
			return nil, err
		}
		base, err := m.argument()
		return markup.Element("mover", nil, base, over), err
	case "underset":
		under, err := m.argument()
		if err != nil {
			return nil, err
		}
		base, err := m.argument()
		return markup.Element("munder", nil, base, under), err
	case "substack":
		return m.stack()
	case "boxed":
		n, err := m.argument()
		return markup.Element("mrow", []string{"class", "boxed"}, n), err
	case "hspace":
		return m.space()
	case "sqrt":
		return m.root()
	case "text", "textrm", "textit", "textbf", "texttt", "mbox", "textsf", "textup":
		s, err := m.raw()
		if err != nil || strings.ContainsAny(escapedTeX.ReplaceAllString(s, ""), `\$^_&#%{}~`) {
			return nil, errMath
		}
		return markup.Element("mtext", nil, markup.Text(strings.ReplaceAll(unescapeTeX(s), " ", "\u00a0"))), nil
	case "mathrm", "operatorname", "operatornamewithlimits", "mathit", "mathnormal":
		return m.upright(name)
	case "left":
		return m.delimited()
	case "begin":
		return m.environment()
	case "tag", "label":
		_, err := m.raw()
		return nil, err
	}
	return nil, errMath
}

// symbol returns a command without arguments, or nil.
func symbol(name string) *markup.Node {
	if ignored[name] {
		return markup.Element("mrow", nil)
	}
	if s, ok := identifiers[name]; ok {
		return markup.Element("mi", nil, markup.Text(s))
	}
	if s, ok := operators[name]; ok {
		return markup.Element("mo", nil, markup.Text(s))
	}
	if s, ok := fences[name]; ok {
		return markup.Element("mo", []string{"stretchy", "false"}, markup.Text(s))
	}
	if s, ok := large[name]; ok {
		if strings.Contains(name, "int") {
			return markup.Element("mo", nil, markup.Text(s))
		}
		return markup.Element("mo", []string{"movablelimits", "true"}, markup.Text(s))
	}
	if functions[name] {
		return markup.Element("mi", nil, markup.Text(name))
	}
	if limits[name] {
		return markup.Element("mo", []string{"movablelimits", "true", "form", "prefix"}, markup.Text(name))
	}
	if width, ok := spaces[name]; ok {
		return markup.Element("mspace", []string{"width", width})
	}
	switch name {
	case "{", "}", "%", "#", "&", "$", "_":
		return markup.Element("mo", []string{"stretchy", "false"}, markup.Text(name))
	case "|":
		return markup.Element("mo", []string{"stretchy", "false"}, markup.Text("‖"))
	}
	return nil
}

func (m *mathParser) two(tag string, attrs []string) (*markup.Node, error) {
	a, err := m.argument()
	if err != nil {
		return nil, err
	}
	b, err := m.argument()
	return markup.Element(tag, attrs, a, b), err
}

func (m *mathParser) marked(tag, mark string) (*markup.Node, error) {
	n, err := m.argument()
	if err != nil {
		return nil, err
	}
	attrs := []string{"accent", "true"}
	if tag == "munder" {
		attrs = nil
	}
	return markup.Element(tag, attrs, n, markup.Element("mo", nil, markup.Text(mark))), nil
}

func (m *mathParser) root() (*markup.Node, error) {
	if m.peek() != "[" {
		n, err := m.argument()
		return markup.Element("msqrt", nil, n), err
	}
	m.next()
	degree, err := m.row("]")
	if err != nil {
		return nil, err
	}
	n, err := m.argument()
	return markup.Element("mroot", nil, n, degree), err
}

// stack reads the lines of \substack.
func (m *mathParser) stack() (*markup.Node, error) {
	s, err := m.raw()
	if err != nil {
		return nil, err
	}
	const name = "substack"
	inner := &mathParser{rest: []rune(s + `\end{` + name + "}"), depth: m.depth + 1}
	n, err := inner.rows(name, bracketedTable{})
	if err != nil || len(inner.rest) > 0 || inner.depth > mostDepth {
		return nil, errMath
	}
	return n, nil
}

var texLength = regexp.MustCompile(`^\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*(em|ex|pt|mu|cm|mm|in|px)\s*$`)

// space reads the length of \hspace. A mu is the 18th part of an em.
func (m *mathParser) space() (*markup.Node, error) {
	if m.peek() == "*" {
		m.next()
	}
	s, err := m.raw()
	length := texLength.FindStringSubmatch(s)
	if err != nil || length == nil {
		return nil, errMath
	}
	width := length[1] + length[2]
	if length[2] == "mu" {
		mu, _ := strconv.ParseFloat(length[1], 64) // the pattern has numbers alone
		width = strconv.FormatFloat(mu/18, 'f', 3, 64) + "em"
	}
	return markup.Element("mspace", []string{"width", width}), nil
}

// lettered sets the letters of its argument in another alphabet.
func (m *mathParser) lettered(a alphabet) (*markup.Node, error) {
	n, err := m.argument()
	if err != nil {
		return nil, err
	}
	n.Walk(func(c *markup.Node) bool {
		if c.Tag == "" {
			c.Text = strings.Join(mapRunes(c.Text, a.letter), "")
		}
		return true
	})
	return n, nil
}

func mapRunes(s string, f func(rune) string) []string {
	var out []string
	for _, r := range s {
		out = append(out, f(r))
	}
	return out
}

// upright returns a name of several letters.
func (m *mathParser) upright(command string) (*markup.Node, error) {
	limited := command == "operatornamewithlimits"
	if m.peek() == "*" {
		m.next()
		limited = true
	}
	s, err := m.raw()
	s = strings.ReplaceAll(s, `\,`, "\u2009")
	if err != nil || strings.ContainsAny(s, "$&#%~") {
		return nil, errMath
	}
	if strings.ContainsAny(s, `\^_{`) {
		inner := &mathParser{rest: []rune(s), depth: m.depth}
		return inner.row("")
	}
	if limited {
		return markup.Element("mo", []string{"movablelimits", "true"}, markup.Text(s)), nil
	}
	n := markup.Element("mi", nil, markup.Text(strings.ReplaceAll(s, " ", "\u00a0")))
	if len([]rune(s)) == 1 && command != "mathit" {
		n.Set("mathvariant", "normal")
	}
	return n, nil
}

var escapedTeX = regexp.MustCompile(`\\([%#&$_{} ])`)

func unescapeTeX(s string) string { return escapedTeX.ReplaceAllString(s, "$1") }
