package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	prose "github.com/jedib0t/go-pretty/v6/text"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// LaTeX writes the document as sections with booktabs tables, to be included in a paper with \usepackage{booktabs}. It
// compiles with pdflatex. A collapsed table has its first ten rows and says so. A figure is written as its data; save the
// figure as .pdf to include the picture. It returns the first error of w.
func LaTeX(w io.Writer, d Document) error {
	l := newLaTeX(false)
	l.writef("%% %s\n%% needs \\usepackage{booktabs}\n", strings.ReplaceAll(d.title(), "\n", " "))
	l.sections(l, d)
	return l.to(w)
}

// LaTeXFragment returns one display as LaTeX without a heading, to be put into a document. It needs \usepackage{booktabs}.
// A figure becomes a sentence that describes it.
func LaTeXFragment(d Display) string {
	l := newLaTeX(true)
	text, _ := l.fragment(l, d) // fragment fails only if a figure cannot be drawn, and this medium draws none
	return text
}

type latexWriter struct {
	markWriter
	inWords bool // whether figures become sentences
	article bool // see LaTeXOf
}

func newLaTeX(inWords bool) *latexWriter {
	return &latexWriter{markWriter: markWriter{b: new(strings.Builder), marks: marks{
		heading: "\n\\subsection*{%s}\n", lead: "\n%s\n", paragraph: "\n%s\n", value: "\n%s\n",
		note: "\n\\noindent\\textbf{Note:} %s\n", warning: "\n\\noindent\\textbf{Warning:} %s\n", footnote: "\n\\smallskip\\footnotesize %s\n",
		escape: inlineLaTeX, source: func(s string) string { return `\texttt{` + inlineLaTeX(s) + "}" },
		runs: map[InlineKind]string{Break: "\\newline\n", Picture: "%.0s\\includegraphics{%s}", Emphasis: `\emph{%s}`, Strong: `\textbf{%s}`, Struck: "%s",
			Raised: `\textsuperscript{%s}`, Lowered: `\textsubscript{%s}`, Link: `\href{%[2]s}{%[1]s}`, Footnote: `\footnote{%s}`},
	}}, inWords: inWords}
}

func (l *latexWriter) keyValues(kv KeyValues) {
	l.table(Table{Caption: kv.Caption, Columns: []Column{text("", ""), text("", "")},
		Rows: lists.Map(kv.Items, func(item KeyValue) []any { return []any{item.Key, item.text()} })})
}

func (l *latexWriter) figure(f Figure, data Table) {
	if l.inWords {
		l.writef("\n\\emph{Figure: %s} %s\n", inlineLaTeX(f.Title), inlineLaTeX(f.Describe()))
		return
	}
	l.table(data)
}

func (l *latexWriter) table(t Table) {
	limit := mostPageRows
	if t.Collapsed {
		limit = collapsedRows
	}
	rows, omitted := t.cells(limit)
	sides := make([]string, len(t.Columns))
	heads := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		if sides[j], heads[j] = latexColumn(c, j, rows); c.Prose != nil {
			heads[j] = l.headingMarkup(c)
		}
	}
	caption, done := t.Caption, 0
	for first := true; first || len(rows) > 0; first = false { // split the table, because it cannot continue on the next page
		here := fitting(rows, sides)
		place, begin, end := "htbp", "", ""
		if l.article {
			place, begin, end = "H", "\\begin{fitted}", "\\end{fitted}"
		}
		l.writef("\n\\begin{table}[%s]\n\\centering\\small\n", place)
		if caption != "" {
			l.mark("\\caption{%s}\n", caption)
		}
		l.writef("%s\\begin{tabular}{%s}\n\\toprule\n", begin, strings.Join(sides, ""))
		if strings.Join(heads, "") != "" {
			l.writef("%s \\\\\n\\midrule\n", strings.Join(heads, " & "))
		}
		for i, r := range rows[:here] {
			l.row(t.Rows[done+i], r, sides)
		}
		l.writef("\\bottomrule\n\\end{tabular}%s\n", end)
		done += here
		if rows, caption = rows[here:], strings.TrimSpace(t.Caption+" (continued)"); len(rows) == 0 {
			more := ""
			if omitted > 0 {
				more = plural(omitted, "more row") + " not shown."
			}
			l.footnotes(more, t.Notes)
		}
		l.write("\\end{table}\n")
	}
}

// latexLines is the maximum number of lines of a LaTeX table. A longer table is split.
const latexLines = 40

// fitting returns how many of the rows fit on a page, starting with the first.
func fitting(rows [][]string, sides []string) int {
	lines := 0
	for i, r := range rows {
		most := 1
		for j := range r {
			if strings.HasPrefix(sides[j], "p") {
				most = max(most, (len([]rune(r[j]))+wrapped-1)/wrapped)
			}
		}
		if lines += most; lines > latexLines && i > 0 {
			return i
		}
	}
	return len(rows)
}

// wrapped is the maximum number of letters of a cell that does not wrap.
const wrapped = 26

// row writes one row of a table. sides has the LaTeX type of each column.
func (l *latexWriter) row(cells []any, r, sides []string) {
	end := `\\`
	for j := range r {
		long := len([]rune(r[j])) > wrapped
		if r[j] = l.cellMarkup(cells[j], r[j]); long && strings.HasPrefix(sides[j], "p") {
			r[j] = `\raggedright ` + r[j] // justified text would have large gaps between few words
			if j == len(r)-1 {
				end = `\tabularnewline` // after \raggedright, \\ would end a line of the cell instead of the row
			}
		}
	}
	l.writef("%s %s\n", strings.Join(r, " & "), end)
}

// latexColumn returns the LaTeX type and the heading of column j. Texts of more than 26 letters wrap. A heading that is
// wider than its cells has several lines, so that most tables fit on a page.
func latexColumn(c Column, j int, rows [][]string) (kind, head string) {
	widest := 12
	for _, r := range rows {
		widest = max(widest, len([]rune(r[j])))
	}
	kind = "l"
	switch {
	case c.Align == Right:
		kind = "r"
	case widest > wrapped:
		kind = `p{0.25\linewidth}`
		if j == 1 && len(rows[0]) == 2 { // the column of values in a list of facts
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

// code writes literal text line by line, because the text could end a verbatim environment. It breaks long lines at
// spaces.
func (l *latexWriter) code(c Code) {
	if c.Source {
		l.write("\n\\noindent\\rule{\\linewidth}{.3pt}")
	}
	l.writef("\n\\begin{flushleft}\\ttfamily\\small\n")
	for _, line := range strings.Split(strings.ReplaceAll(strings.TrimRight(c.Text, "\n"), "\t", "    "), "\n") {
		words := strings.TrimLeft(line, " ")
		indent := strings.Repeat("~", len(line)-len(words))
		words = strings.ReplaceAll(inlineLaTeX(words), "  ", "~ ")
		words = cmp.Or(words, "~")
		l.writef("%s%s\\\\\n", indent, words)
	}
	l.writef("\\end{flushleft}\n")
}
