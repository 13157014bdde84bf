package tex

import (
	"regexp"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/front/export/markup"
)

// delimiter reads what follows \left or \right; "." stands for no delimiter.
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

func (m *mathParser) delimited() (*markup.Node, error) {
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

func bracketed(open string, content *markup.Node, end string) *markup.Node {
	out := markup.Element("mrow", nil)
	if open != "" {
		out.Children = append(out.Children, markup.Element("mo", []string{"stretchy", "true", "form", "prefix"}, markup.Text(open)))
	}
	out.Children = append(out.Children, content)
	if end != "" {
		out.Children = append(out.Children, markup.Element("mo", []string{"stretchy", "true", "form", "postfix"}, markup.Text(end)))
	}
	return out
}

// environments are the tables of TeX, with what stands around them and how their
// columns are aligned.
var environments = map[string]struct{ open, end, align string }{
	"aligned": {"", "", "right left"}, "align": {"", "", "right left"}, "split": {"", "", "right left"},
	"eqnarray": {"", "", "right center left"}, "gathered": {}, "gather": {}, "equation": {}, "multline": {}, "matrix": {},
	"smallmatrix": {}, "array": {},
	"pmatrix": {"(", ")", ""}, "bmatrix": {"[", "]", ""}, "vmatrix": {"|", "|", ""}, "Vmatrix": {"‖", "‖", ""},
	"cases": {"{", "", "left left"},
}

var beginMath = regexp.MustCompile(`^\\begin\{([a-z]+\*?)\}`)

// Environment returns the environment of formulas that a text begins with, or "".
func Environment(source string) string {
	if m := beginMath.FindStringSubmatch(source); m != nil {
		if _, ok := environments[strings.TrimSuffix(m[1], "*")]; ok {
			return m[1]
		}
	}
	return ""
}

func (m *mathParser) environment() (*markup.Node, error) {
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

// bracketedTable says how a table is set: what stands around it, and to which side its columns are
// aligned, in turn.
type bracketedTable struct {
	open, end string
	align     []string
}

// rows reads a table up to its end, which must bear the same name.
func (m *mathParser) rows(name string, b bracketedTable) (*markup.Node, error) {
	table := markup.Element("mtable", nil)
	if len(b.align) > 0 {
		table.Set("columnalign", strings.Join(b.align, " "))
		table.Set("displaystyle", "true")
	}
	row := markup.Element("mtr", nil)
	for {
		cell, end, err := m.cell()
		if err != nil {
			return nil, err
		}
		if len(b.align) > 0 { // columnalign is not drawn by all browsers
			cell.Set("class", b.align[len(row.Children)%len(b.align)])
		}
		row.Children = append(row.Children, cell)
		if end == "&" {
			continue
		}
		if len(row.Children) > 1 || len(cell.Children) > 0 {
			table.Children = append(table.Children, row)
		}
		if end == `\\` {
			row = markup.Element("mtr", nil)
			continue
		}
		if last, err := m.raw(); err != nil || last != name {
			return nil, errMath
		}
		return bracketed(b.open, table, b.end), nil
	}
}

// cell reads up to the token that ends a cell: & or \\ or \end.
func (m *mathParser) cell() (cell *markup.Node, end string, err error) {
	cell = markup.Element("mtd", nil)
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
			cell.Children = append(cell.Children, n)
		}
	}
}
