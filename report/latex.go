package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	prose "github.com/jedib0t/go-pretty/v6/text"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// LaTeX writes the document as sections with booktabs tables, to be included in
// a paper: it needs \usepackage{booktabs} and compiles under pdflatex. Collapsed
// tables are cut to ten rows and say so; figures are given as their data (save a
// figure as .pdf to include the drawing). It returns the error of w.
func LaTeX(w io.Writer, d Document) error {
	l := latexWriter{}
	l.writef("%% %s\n%% needs \\usepackage{booktabs}\n", strings.ReplaceAll(d.title(), "\n", " "))
	for _, s := range d.sections() {
		if s.name != "" && !s.inline {
			l.writef("\n\\subsection*{%s}\n", inlineLaTeX(s.name))
		}
		if s.source != "" && !s.inline {
			l.code(Code{Text: s.source})
		}
		l.body(s)
	}
	_, err := io.WriteString(w, l.b.String())
	return err
}

// LaTeXFragment returns one display as LaTeX to stand inside a document, such as a notebook cell:
// without headings around it. It needs \usepackage{booktabs}. A figure is a sentence that describes
// it.
func LaTeXFragment(d Display) string {
	l := latexWriter{fragment: true}
	l.body(d.section())
	return strings.TrimSpace(l.b.String()) + "\n"
}

type latexWriter struct {
	b        strings.Builder
	fragment bool // figures in words
}

func (l *latexWriter) writef(format string, a ...any) { fmt.Fprintf(&l.b, format, a...) }

// body writes a section without its heading.
func (l *latexWriter) body(s section) {
	if s.inline {
		l.inline(s)
		return
	}
	for _, b := range s.blocks {
		l.block(b)
	}
}

// inline writes a single short value without a heading.
func (l *latexWriter) inline(s section) {
	value, code := s.value()
	value = inlineLaTeX(value)
	if code {
		value = "\\texttt{" + value + "}"
	}
	if s.name != "" {
		value = "\\texttt{" + inlineLaTeX(s.name) + "} = " + value
	}
	l.writef("\n%s\n", value)
}

func (l *latexWriter) block(b Block) {
	switch b := b.(type) {
	case Paragraph:
		l.writef("\n%s\n", inlineLaTeX(b.Text))
	case Note:
		word := "Note"
		if b.Warning {
			word = "Warning"
		}
		l.writef("\n\\noindent\\textbf{%s:} %s\n", word, inlineLaTeX(b.Text))
	case KeyValues:
		l.table(Table{Caption: b.Caption, Columns: []Column{text("", ""), text("", "")},
			Rows: lists.Map(b.Items, func(item KeyValue) []any { return []any{item.Key, item.text()} })})
	case Table:
		l.table(b)
	case Figure:
		if l.fragment {
			l.writef("\n\\emph{Figure: %s} %s\n", inlineLaTeX(b.Title), inlineLaTeX(b.Describe()))
			return
		}
		l.table(figureTable(b))
	case Code:
		l.code(b)
	}
}

func (l *latexWriter) table(t Table) {
	limit := mostPageRows
	if t.Collapsed {
		limit = collapsedRows
	}
	rows, left := t.cells(limit)
	sides := make([]string, len(t.Columns))
	heads := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		sides[j], heads[j] = latexColumn(c, j, rows)
	}
	l.writef("\n\\begin{table}[htbp]\n\\centering\\small\n\\caption{%s}\n\\begin{tabular}{%s}\n\\toprule\n", inlineLaTeX(t.Caption),
		strings.Join(sides, ""))
	if strings.Join(heads, "") != "" {
		l.writef("%s \\\\\n\\midrule\n", strings.Join(heads, " & "))
	}
	for _, r := range rows {
		end := `\\`
		for j := range r {
			long := len([]rune(r[j])) > 26
			if r[j] = breakable(inlineLaTeX(r[j])); long && strings.HasPrefix(sides[j], "p") {
				r[j] = `\raggedright ` + r[j] // else the few words of a line are torn apart
				if j == len(r)-1 {
					end = `\tabularnewline` // \raggedright takes \\ for a new line of the cell
				}
			}
		}
		l.writef("%s %s\n", strings.Join(r, " & "), end)
	}
	l.writef("\\bottomrule\n\\end{tabular}\n")
	notes := t.Notes
	if left > 0 {
		notes = append([]string{fmt.Sprintf("%s not shown.", plural(left, "more row"))}, notes...)
	}
	for _, n := range notes {
		l.writef("\n\\smallskip\\footnotesize %s\n", inlineLaTeX(n))
	}
	l.writef("\\end{table}\n")
}

// latexColumn returns the column's type and heading: words past 26 letters wrap, and a heading
// wider than its cells is stacked, so that most tables fit a page.
func latexColumn(c Column, j int, rows [][]string) (kind, head string) {
	widest := 12
	for _, r := range rows {
		widest = max(widest, len([]rune(r[j])))
	}
	kind = "l"
	switch {
	case c.Align == Right:
		kind = "r"
	case widest > 26:
		kind = `p{0.25\linewidth}`
		if j == 1 && len(rows[0]) == 2 { // the values of a list of facts
			kind = `p{0.6\linewidth}`
		}
	}
	lines := strings.Split(prose.WrapSoft(c.heading(), max(widest, longestWord(c.heading()))), "\n")
	for i, line := range lines {
		lines[i] = inlineLaTeX(strings.TrimRight(line, " "))
	}
	if len(lines) == 1 {
		return kind, lines[0]
	}
	return kind, fmt.Sprintf(`\shortstack[%.1s]{%s}`, strings.Replace(kind, "p", "l", 1), strings.Join(lines, `\\`))
}

// breakable lets lines end inside words that are too long for a column, such as
// checksums.
func breakable(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		if len(w) == 64 && strings.Trim(w, "0123456789abcdef") == "" {
			words[i] = w[:32] + `\allowbreak{}` + w[32:]
		}
	}
	return strings.Join(words, " ")
}

// code writes literal text line by line; verbatim could be ended by the text. Lines that are too long
// are broken at spaces.
func (l *latexWriter) code(c Code) {
	l.writef("\n\\begin{flushleft}\\ttfamily\\small\n")
	for _, line := range strings.Split(strings.TrimRight(c.Text, "\n"), "\n") {
		words := strings.TrimLeft(line, " ")
		indent := strings.Repeat("~", len(line)-len(words))
		words = strings.ReplaceAll(inlineLaTeX(words), "  ", "~ ")
		words = cmp.Or(words, "~")
		l.writef("%s%s\\\\\n", indent, words)
	}
	l.writef("\\end{flushleft}\n")
}
