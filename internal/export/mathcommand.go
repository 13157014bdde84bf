package export

import (
	"regexp"
	"strings"
)

// command reads the arguments of a command, whose name comes without backslash.
func (m *mathParser) command(name string) (*node, error) {
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
		return element("mover", nil, base, over), err
	case "sqrt":
		return m.root()
	case "text", "textrm", "textit", "textbf", "texttt", "mbox", "textsf":
		s, err := m.raw()
		return element("mtext", nil, textNode(strings.ReplaceAll(unescapeTeX(s), " ", "\u00a0"))), err
	case "mathrm", "operatorname", "mathit", "mathnormal":
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

// symbol is a command without arguments, or nil.
func symbol(name string) *node {
	if ignored[name] {
		return element("mrow", nil)
	}
	if s, ok := identifiers[name]; ok {
		return element("mi", nil, textNode(s))
	}
	if s, ok := operators[name]; ok {
		return element("mo", nil, textNode(s))
	}
	if s, ok := fences[name]; ok {
		return element("mo", []string{"stretchy", "false"}, textNode(s))
	}
	if s, ok := large[name]; ok {
		if strings.Contains(name, "int") {
			return element("mo", nil, textNode(s))
		}
		return element("mo", []string{"movablelimits", "true"}, textNode(s))
	}
	if functions[name] {
		return element("mi", nil, textNode(name))
	}
	if limits[name] {
		return element("mo", []string{"movablelimits", "true", "form", "prefix"}, textNode(name))
	}
	if width, ok := spaces[name]; ok {
		return element("mspace", []string{"width", width})
	}
	switch name {
	case "{", "}", "%", "#", "&", "$", "_":
		return element("mo", []string{"stretchy", "false"}, textNode(name))
	case "|":
		return element("mo", []string{"stretchy", "false"}, textNode("‖"))
	}
	return nil
}

func (m *mathParser) two(tag string, attrs []string) (*node, error) {
	a, err := m.argument()
	if err != nil {
		return nil, err
	}
	b, err := m.argument()
	return element(tag, attrs, a, b), err
}

func (m *mathParser) marked(tag, mark string) (*node, error) {
	n, err := m.argument()
	if err != nil {
		return nil, err
	}
	attrs := []string{"accent", "true"}
	if tag == "munder" {
		attrs = nil
	}
	return element(tag, attrs, n, element("mo", nil, textNode(mark))), nil
}

func (m *mathParser) root() (*node, error) {
	if m.peek() != "[" {
		n, err := m.argument()
		return element("msqrt", nil, n), err
	}
	m.next()
	degree, err := m.row("]")
	if err != nil {
		return nil, err
	}
	n, err := m.argument()
	return element("mroot", nil, n, degree), err
}

// lettered sets the letters of its argument in another alphabet.
func (m *mathParser) lettered(a alphabet) (*node, error) {
	n, err := m.argument()
	if err != nil {
		return nil, err
	}
	n.walk(func(c *node) bool {
		if c.tag == "" {
			c.text = strings.Join(mapRunes(c.text, a.letter), "")
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

// upright is a name of several letters.
func (m *mathParser) upright(command string) (*node, error) {
	limited := false
	if m.peek() == "*" {
		m.next()
		limited = true
	}
	s, err := m.raw()
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(s, `\^_{$`) {
		inner := &mathParser{rest: []rune(s), depth: m.depth}
		return inner.row("")
	}
	if limited {
		return element("mo", []string{"movablelimits", "true"}, textNode(s)), nil
	}
	n := element("mi", nil, textNode(strings.ReplaceAll(s, " ", "\u00a0")))
	if len([]rune(s)) == 1 && command != "mathit" {
		n.set("mathvariant", "normal")
	}
	return n, nil
}

var escapedTeX = regexp.MustCompile(`\\([%#&$_{} ])`)

func unescapeTeX(s string) string { return escapedTeX.ReplaceAllString(s, "$1") }

// delimiter reads what follows \left or \right; "." is none.
func (m *mathParser) delimiter() (string, error) {
	t := m.next()
	switch {
	case t == ".":
		return "", nil
	case t == `\|`:
		return "‖", nil
	case t == `\{` || t == `\}`:
		return t[1:], nil
	case strings.HasPrefix(t, `\`):
		if s := fences[t[1:]]; s != "" {
			return s, nil
		}
		return "", errMath
	case len(t) == 1 && strings.Contains("()[]|/<>", t):
		return strings.NewReplacer("<", "⟨", ">", "⟩").Replace(t), nil
	}
	return "", errMath
}

func (m *mathParser) delimited() (*node, error) {
	open, err := m.delimiter()
	if err != nil {
		return nil, err
	}
	content, err := m.row(`\right`)
	if err != nil {
		return nil, err
	}
	end, err := m.delimiter()
	return bracketed(open, content, end), err
}

func bracketed(open string, content *node, end string) *node {
	out := element("mrow", nil)
	if open != "" {
		out.children = append(out.children, element("mo", []string{"stretchy", "true", "form", "prefix"}, textNode(open)))
	}
	out.children = append(out.children, content)
	if end != "" {
		out.children = append(out.children, element("mo", []string{"stretchy", "true", "form", "postfix"}, textNode(end)))
	}
	return out
}

// environments are the tables of TeX, with what stands around them and how their
// columns are aligned.
var environments = map[string]struct{ open, end, align string }{
	"aligned": {"", "", "right left"}, "align": {"", "", "right left"}, "split": {"", "", "right left"}, "alignat": {"", "", "right left"},
	"eqnarray": {"", "", "right center left"}, "gathered": {}, "gather": {}, "equation": {}, "multline": {}, "matrix": {}, "smallmatrix": {}, "array": {},
	"pmatrix": {"(", ")", ""}, "bmatrix": {"[", "]", ""}, "vmatrix": {"|", "|", ""}, "Vmatrix": {"‖", "‖", ""}, "cases": {"{", "", "left left"},
}

func (m *mathParser) environment() (*node, error) {
	name, err := m.raw()
	if err != nil {
		return nil, err
	}
	e, ok := environments[strings.TrimSuffix(name, "*")]
	if !ok {
		return nil, errMath
	}
	if name == "array" {
		if _, err := m.raw(); err != nil {
			return nil, err
		}
	}
	table := element("mtable", nil)
	if e.align != "" {
		table.set("columnalign", e.align)
		table.set("displaystyle", "true")
	}
	row, cell := element("mtr", nil), element("mtd", nil)
	align := strings.Fields(e.align)
	for {
		t := m.peek()
		switch t {
		case "&", `\\`, `\end`:
			m.next()
			if len(align) > 0 { // columnalign is not drawn by all browsers
				cell.set("class", align[len(row.children)%len(align)])
			}
			row.children = append(row.children, cell)
			cell = element("mtd", nil)
			if t != "&" {
				if len(row.children) > 1 || len(row.children[0].children) > 0 {
					table.children = append(table.children, row)
				}
				row = element("mtr", nil)
			}
			if t == `\end` {
				last, err := m.raw()
				if err == nil && last != name {
					err = errMath
				}
				return bracketed(e.open, table, e.end), err
			}
			continue
		case `\hline`:
			m.next()
			continue
		case "":
			return nil, errMath
		}
		n, err := m.scripted()
		if err != nil {
			return nil, err
		}
		if n != nil {
			cell.children = append(cell.children, n)
		}
	}
}
