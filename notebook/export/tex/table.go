package tex

import (
	"regexp"
	"strings"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

// delimiter parses the delimiter after \left or \right. The delimiter "." is returned as "".
func (m *mathParser) delimiter() string {
	switch t := m.next(); {
	case t == ".":
		return ""
	case strings.HasPrefix(t, `\`) && fences[t[1:]] != "":
		return fences[t[1:]]
	case len(t) == 1 && strings.Contains("()[]|/<>", t):
		return strings.NewReplacer("<", "⟨", ">", "⟩").Replace(t)
	}
	panic(errMath)
}

func (m *mathParser) delimited() *markup.Node {
	open := m.delimiter()
	content := m.row(`\right`)
	return bracketed(open, content, m.delimiter())
}

func bracketed(open string, content *markup.Node, end string) *markup.Node {
	out := markup.Element("mrow", nil)
	if open != "" {
		out.Children = append(out.Children, leaf("mo", open, "stretchy", "true", "form", "prefix"))
	}
	out.Children = append(out.Children, content)
	if end != "" {
		out.Children = append(out.Children, leaf("mo", end, "stretchy", "true", "form", "postfix"))
	}
	return out
}

// tableForm states the delimiters around a table and the alignment of its columns, which repeats.
type tableForm struct{ open, end, align string }

// environments maps TeX's environments of formulas to their form as tables.
var environments = map[string]tableForm{
	"aligned": {"", "", "right left"}, "align": {"", "", "right left"}, "split": {"", "", "right left"},
	"alignat": {"", "", "right left"}, "alignedat": {"", "", "right left"}, "flalign": {"", "", "right left"},
	"eqnarray": {"", "", "right center left"}, "gathered": {}, "gather": {}, "equation": {}, "multline": {}, "matrix": {},
	"smallmatrix": {}, "array": {},
	"pmatrix": {"(", ")", ""}, "bmatrix": {"[", "]", ""}, "vmatrix": {"|", "|", ""}, "Vmatrix": {"‖", "‖", ""},
	"cases": {"{", "", "left left"},
}

var beginMath = regexp.MustCompile(`^\\begin\{([a-z]+\*?)\}`)

// Environment returns the name of the formula environment at the beginning of source, or "".
func Environment(source string) string {
	if m := beginMath.FindStringSubmatch(source); m != nil {
		if _, ok := environments[strings.TrimSuffix(m[1], "*")]; ok {
			return m[1]
		}
	}
	return ""
}

func (m *mathParser) environment() *markup.Node {
	name := m.raw()
	form, ok := environments[strings.TrimSuffix(name, "*")]
	require(ok && (name != "array" || strings.Trim(m.raw(), "lcr| ") == ""))
	if strings.HasPrefix(name, "alignat") || strings.HasPrefix(name, "alignedat") {
		m.raw() // skips the number of columns
	}
	table := m.rows(name, form)
	if name == "equation" || name == "multline" {
		return m.numbered(table, true)
	}
	return table
}

// rowNumbers are the environments that number each row. With a star, only rows with a \tag have a number.
var rowNumbers = markup.Names("align gather eqnarray alignat flalign")

// rows parses a table up to \end{name}.
func (m *mathParser) rows(name string, form tableForm) *markup.Node {
	table := markup.Element("mtable", nil)
	sides := strings.Fields(form.align)
	if len(sides) > 0 {
		table.Set("columnalign", form.align)
		table.Set("displaystyle", "true")
	}
	row := markup.Element("mtr", nil)
	for {
		cell, end := m.cell()
		if len(sides) > 0 { // not all browsers support columnalign
			cell.Set("class", sides[len(row.Children)%len(sides)])
		}
		row.Children = append(row.Children, cell)
		if end == "&" {
			continue
		}
		if len(row.Children) > 1 || len(cell.Children) > 0 {
			if bare := strings.TrimSuffix(name, "*"); rowNumbers[bare] {
				if n := m.number(bare == name); n != nil {
					row.Children = append(row.Children, markup.Element("mtd", []string{"class", "left"}, n))
				}
			}
			table.Children = append(table.Children, row)
		}
		if end == `\\` {
			row = markup.Element("mtr", nil)
			continue
		}
		require(m.raw() == name)
		return bracketed(form.open, table, form.end)
	}
}

// cell parses one cell and the token that ends it: & or \\ or \end.
func (m *mathParser) cell() (cell *markup.Node, end string) {
	cell = markup.Element("mtd", nil)
	for {
		switch t := m.peek(); t {
		case "&", `\\`, `\end`:
			m.next()
			return cell, t
		case `\hline`:
			m.next()
			continue
		}
		if n := m.scripted(); n != nil {
			cell.Children = append(cell.Children, n)
		}
	}
}
