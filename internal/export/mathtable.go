package export

import (
	"regexp"
	"strings"
)

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
	"aligned": {"", "", "right left"}, "align": {"", "", "right left"}, "split": {"", "", "right left"},
	"eqnarray": {"", "", "right center left"}, "gathered": {}, "gather": {}, "equation": {}, "multline": {}, "matrix": {}, "smallmatrix": {}, "array": {},
	"pmatrix": {"(", ")", ""}, "bmatrix": {"[", "]", ""}, "vmatrix": {"|", "|", ""}, "Vmatrix": {"‖", "‖", ""}, "cases": {"{", "", "left left"},
}

var beginMath = regexp.MustCompile(`^\\begin\{([a-z]+\*?)\}`)

// opens returns the environment of formulas that a text begins with, or "".
func opens(source string) string {
	if m := beginMath.FindStringSubmatch(source); m != nil {
		if _, ok := environments[strings.TrimSuffix(m[1], "*")]; ok {
			return m[1]
		}
	}
	return ""
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
		if columns, err := m.raw(); err != nil || strings.Trim(columns, "lcr| ") != "" {
			return nil, errMath
		}
	}
	return m.rows(name, bracketedTable{e.open, e.end, strings.Fields(e.align)})
}

// bracketedTable is how a table is set: what stands around it, and to which side
// its columns are aligned, in turn.
type bracketedTable struct {
	open, end string
	align     []string
}

// rows reads a table up to its end, which must bear the same name.
func (m *mathParser) rows(name string, b bracketedTable) (*node, error) {
	table := element("mtable", nil)
	if len(b.align) > 0 {
		table.set("columnalign", strings.Join(b.align, " "))
		table.set("displaystyle", "true")
	}
	row := element("mtr", nil)
	for {
		cell, end, err := m.cell()
		if err != nil {
			return nil, err
		}
		if len(b.align) > 0 { // columnalign is not drawn by all browsers
			cell.set("class", b.align[len(row.children)%len(b.align)])
		}
		row.children = append(row.children, cell)
		if end == "&" {
			continue
		}
		if len(row.children) > 1 || len(cell.children) > 0 {
			table.children = append(table.children, row)
		}
		if end == `\\` {
			row = element("mtr", nil)
			continue
		}
		if last, err := m.raw(); err != nil || last != name {
			return nil, errMath
		}
		return bracketed(b.open, table, b.end), nil
	}
}

// cell reads up to the token that ends a cell: & or \\ or \end.
func (m *mathParser) cell() (cell *node, end string, err error) {
	cell = element("mtd", nil)
	for {
		switch t := m.peek(); t {
		case "&", `\\`, `\end`:
			m.next()
			return cell, t, nil
		case `\hline`:
			m.next()
			continue
		case "":
			return nil, "", errMath
		}
		n, err := m.scripted()
		if err != nil {
			return nil, "", err
		}
		if n != nil {
			cell.children = append(cell.children, n)
		}
	}
}
