package tex

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

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

// special escapes the characters that have a meaning in TeX. Characters beyond ASCII are kept; Characters declares them in
// the preamble.
var special = strings.NewReplacer("---", "-{}-{}-", "--", "-{}-", "``", "`{}`", "''", "'{}'", `\`, `\textbackslash{}`, "{", `\{`, "}",
	`\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`,
	`\textquotedbl{}`, "[", "{[}", "]", "{]}")

// Text returns LaTeX that prints s. Long words, such as checksums, may be broken.
func Text(s string) string {
	if len(s) <= 40 && strings.IndexFunc(s, isNotPlain) < 0 {
		return s
	}
	s = strings.ToValidUTF8(strings.Join(strings.FieldsFunc(s, unicode.IsControl), " "), "?")
	words := strings.Split(s, " ")
	for i, w := range words {
		size := max(len(w), 1)
		if size > 40 {
			size = 16
		}
		var pieces []string
		for piece := range slices.Chunk([]rune(w), size) {
			pieces = append(pieces, special.Replace(string(piece)))
		}
		words[i] = strings.Join(pieces, `\allowbreak{}`)
	}
	return composed(strings.Join(words, " "))
}

// isNotPlain reports whether TeX may need a character to be escaped.
func isNotPlain(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == ' ' || r == '.' || r == ',')
}

// accentCommands maps a combining accent to the TeX command that precedes the letter.
var accentCommands = pairs("\u0300 ` \u0301 ' \u0302 ^ \u0303 ~ \u0304 = \u0307 . \u0308 \"")

var combined = regexp.MustCompile(`(\pL)([\x{300}-\x{304}\x{307}\x{308}])`)

func composed(s string) string {
	return combined.ReplaceAllStringFunc(s, func(m string) string {
		r := []rune(m)
		return `\` + accentCommands[string(r[1:])] + "{" + string(r[:1]) + "}"
	})
}

// lineLength is the number of fixed-width characters per line.
const lineLength = 94

// Verbatim returns LaTeX that prints text unchanged. A line that is too long is broken, and a backslash marks the break.
// In the text, \end{Verbatim} is written with a space, so that it does not end the environment.
func Verbatim(text string, options string) string {
	var b strings.Builder
	b.WriteString("\n\\begin{Verbatim}[" + options + "]\n")
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		r := []rune(strings.ReplaceAll(plainLine(strings.ReplaceAll(line, "\t", "    ")), `\end{Verbatim}`, `\end {Verbatim}`))
		indent := ""
		for len(indent)+len(r) > lineLength {
			here := lineLength - 1 - len(indent)
			b.WriteString(indent + string(r[:here]) + "\\\n")
			r, indent = r[here:], "    "
		}
		b.WriteString(indent + string(r) + "\n")
	}
	b.WriteString("\\end{Verbatim}\n")
	return b.String()
}

// plainLine removes control characters, combining marks and invisible characters.
func plainLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// signs maps characters that are not in the tables of symbols to LaTeX.
var signs = pairs(`─ - ━ - │ \textbar{} ┃ \textbar{} ┌ + ┐ + └ + ┘ + ├ + ┤ + ┬ + ┴ + ┼ + ╭ + ╮ + ╰ + ╯ + ═ = ║ \textbar{} ╔ + ╗ + ╚ + ╝ + ╠ + ╣ + ╦ + ╩ + ╬ +
	█ \rule{1ex}{1.5ex} ▀ \rule{1ex}{.7ex} ▄ \rule{1ex}{.7ex} ■ \ensuremath{\blacksquare} □ \ensuremath{\square} ✓ \ensuremath{\checkmark} ✔ \ensuremath{\checkmark} ✗ \ensuremath{\times} ✘ \ensuremath{\times}
	☐ \ensuremath{\square} ☑ \ensuremath{\boxtimes} ▲ \ensuremath{\blacktriangle} ▼ \ensuremath{\blacktriangledown} ▶ \ensuremath{\blacktriangleright} ◀ \ensuremath{\blacktriangleleft} ● \ensuremath{\bullet}
	⁰ \ensuremath{^0} ⁴ \ensuremath{^4} ⁵ \ensuremath{^5} ⁶ \ensuremath{^6} ⁷ \ensuremath{^7} ⁸ \ensuremath{^8} ⁹ \ensuremath{^9} ⁻ \ensuremath{^-} ⁺ \ensuremath{^+} ᵀ \ensuremath{^{\top}} ⁿ \ensuremath{^n}
	₀ \ensuremath{_0} ₁ \ensuremath{_1} ₂ \ensuremath{_2} ₃ \ensuremath{_3} ₄ \ensuremath{_4} ₅ \ensuremath{_5} ₆ \ensuremath{_6} ₇ \ensuremath{_7} ₈ \ensuremath{_8} ₉ \ensuremath{_9} ᵢ \ensuremath{_i} ₙ \ensuremath{_n}
	− \ensuremath{-} ≔ \ensuremath{:=} ′ ' ″ '' ‑ - ℝ \ensuremath{\mathbb{R}} ℕ \ensuremath{\mathbb{N}} ℤ \ensuremath{\mathbb{Z}} 𝒳 \ensuremath{\mathcal{X}} ∎ \ensuremath{\blacksquare} ⟂ \ensuremath{\perp} ↵ \textbackslash{}`)

// native reports whether pdfLaTeX with T1 fonts supports a character without a declaration.
func native(r rune) bool {
	return r >= 0xa0 && r <= 0x17f && r != 0xad || strings.ContainsRune("–—‘’“”„†‡•…‰€™←↑→↓", r)
}

// Characters returns the preamble lines that declare the characters beyond ASCII in a text. An unknown character is
// printed as its code, so that every report compiles.
func Characters(text string) string {
	seen := map[rune]bool{}
	for _, r := range text {
		if r > 0x7f && !native(r) {
			seen[r] = true
		}
	}
	var b strings.Builder
	for _, r := range slices.Sorted(maps.Keys(seen)) {
		fmt.Fprintf(&b, "\\DeclareUnicodeCharacter{%04X}{%s}\n", r, character(r))
	}
	return b.String()
}

func character(r rune) string {
	s := string(r)
	if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) {
		return ""
	}
	if unicode.IsSpace(r) {
		return "~"
	}
	if tex, ok := signs[s]; ok {
		return tex
	}
	best := ""
	for _, table := range []map[string]string{identifiers, operators, fences, integrals, large} {
		for name, char := range table {
			if char == s && letter(name[0]) && (best == "" || len(name) < len(best) || len(name) == len(best) && name < best) {
				best = name
			}
		}
	}
	if best == "" {
		return fmt.Sprintf(`\texttt{U+%04X}`, r)
	}
	return `\ensuremath{\` + best + "}"
}

func controls(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
