package tex

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

// command parses the arguments of the command with the given name (without backslash) and returns its MathML. It panics
// with errMath if the command is unknown.
func (m *mathParser) command(name string) *markup.Node {
	if s, ok := symbols[name]; ok {
		return s()
	}
	if a, ok := alphabets[name]; ok {
		return m.lettered(a)
	}
	if mark, ok := accents[name]; ok {
		return markup.Element("mover", []string{"accent", "true"}, m.argument(), leaf("mo", mark))
	}
	if mark, ok := unders[name]; ok {
		return markup.Element("munder", nil, m.argument(), leaf("mo", mark))
	}
	switch name {
	case "frac", "dfrac", "tfrac", "cfrac":
		return markup.Element("mfrac", nil, m.argument(), m.argument())
	case "binom":
		return bracketed("(", markup.Element("mfrac", []string{"linethickness", "0"}, m.argument(), m.argument()), ")")
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
		require(!strings.ContainsAny(escapedTeX.ReplaceAllString(s, ""), `\$^_&#%{}~`))
		return leaf("mtext", strings.ReplaceAll(escapedTeX.ReplaceAllString(s, "$1"), " ", "\u00a0"))
	case "mathrm", "operatorname", "operatornamewithlimits", "mathit", "mathnormal":
		return m.upright(name)
	case "left":
		return m.delimited()
	case "begin":
		return m.environment()
	case "tag":
		form := "(%s)"
		if m.peek() == "*" {
			m.next()
			form = "%s"
		}
		m.tag = fmt.Sprintf(form, symbolName.ReplaceAllStringFunc(strings.Trim(m.raw(), "$ "), func(command string) string {
			if symbol, known := symbols[command[1:]]; known {
				return symbol().Plain()
			}
			return command
		}))
		return nil
	case "label":
		m.label = m.raw()
		return nil
	case "notag", "nonumber":
		m.noNumber = true
		return nil
	case "eqref", "ref":
		return leaf("mtext", m.raw(), "class", name)
	}
	panic(errMath)
}

func (m *mathParser) root() *markup.Node {
	if m.peek() != "[" {
		return markup.Element("msqrt", nil, m.argument())
	}
	m.next()
	degree := m.row("]")
	return markup.Element("mroot", nil, m.argument(), degree)
}

// stack parses \substack, whose argument has several lines.
func (m *mathParser) stack() *markup.Node {
	s := m.raw()
	const name = "substack"
	inner := &mathParser{rest: s + `\end{` + name + "}", depth: m.depth + 1}
	n := inner.rows(name, tableForm{})
	require(inner.rest == "" && inner.depth <= mostDepth)
	return n
}

// symbolName matches a command such as \star.
var symbolName = regexp.MustCompile(`\\[A-Za-z]+`)

var texLength = regexp.MustCompile(`^\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*(em|ex|pt|mu|cm|mm|in|px)\s*$`)

// space parses the length of \hspace. 18 mu are 1 em.
func (m *mathParser) space() *markup.Node {
	if m.peek() == "*" {
		m.next()
	}
	length := texLength.FindStringSubmatch(m.raw())
	require(length != nil)
	width := length[1] + length[2]
	if length[2] == "mu" {
		mu, _ := strconv.ParseFloat(length[1], 64) // no error: the pattern matches only numbers
		width = strconv.FormatFloat(mu/18, 'f', 3, 64) + "em"
	}
	return markup.Element("mspace", []string{"width", width})
}

// lettered converts the letters in the next argument to a mathematical alphabet.
func (m *mathParser) lettered(a alphabet) *markup.Node {
	n := m.argument()
	n.Walk(func(c *markup.Node) bool {
		if c.Tag == "" {
			c.Text = strings.Map(a.letter, c.Text)
		}
		return true
	})
	return n
}

// upright parses a name of several letters, such as \operatorname{conv}.
func (m *mathParser) upright(command string) *markup.Node {
	limited := command == "operatornamewithlimits"
	if m.peek() == "*" {
		m.next()
		limited = true
	}
	s := strings.ReplaceAll(m.raw(), `\,`, "\u2009")
	require(!strings.ContainsAny(s, "$&#%~"))
	if strings.ContainsAny(s, `\^_{`) {
		inner := &mathParser{rest: s, depth: m.depth}
		return inner.row("")
	}
	if limited {
		return leaf("mo", s, "movablelimits", "true")
	}
	n := leaf("mi", strings.ReplaceAll(s, " ", "\u00a0"))
	if len([]rune(s)) == 1 && command != "mathit" {
		n.Set("mathvariant", "normal")
	}
	return n
}

var escapedTeX = regexp.MustCompile(`\\([%#&$_{} ])`)
