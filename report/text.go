package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prose "github.com/jedib0t/go-pretty/v6/text"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// TextOptions describes a terminal. The zero value means plain text, 100 columns wide.
type TextOptions struct {
	Width int  // number of columns; 0 means 100
	Color bool // whether to write colours; set it only for a terminal that shows them
	Rows  int  // maximum number of rows of a table; 0 means 60. A collapsed table has at most 10
}

// collapsedRows is the maximum number of rows of a folded table in media without folding.
const collapsedRows = 10

// Text writes the document to w for a terminal. It returns the first error of w.
func Text(w io.Writer, d Document, opt TextOptions) error {
	opt.Width = cmp.Or(opt.Width, 100)
	opt.Rows = cmp.Or(opt.Rows, 60)
	t := textWriter{opt: opt}
	if d.Title != "" {
		t.line(d.Title, prose.Bold)
		t.b.WriteString(strings.Repeat("=", min(prose.StringWidth(d.Title), opt.Width)) + "\n\n")
	}
	for i, s := range d.sections() {
		if i > 0 {
			t.b.WriteString("\n")
		}
		t.section(s)
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

type textWriter struct {
	b   strings.Builder
	opt TextOptions
}

// line writes one line, in the given colours if the terminal has them.
func (t *textWriter) line(s string, colors ...prose.Color) {
	if t.opt.Color {
		s = prose.Colors(colors).Sprint(s)
	}
	t.b.WriteString(s + "\n")
}

func (t *textWriter) section(s section) {
	if s.inline {
		t.inline(s)
		return
	}
	if s.name != "" {
		t.line("── "+cmp.Or(s.source, s.name), prose.Bold)
	}
	for i, b := range s.blocks {
		if i > 0 && !(remark(b) && remark(s.blocks[i-1])) {
			t.b.WriteString("\n")
		}
		t.block(b)
	}
}

// remark reports whether a block is a note that is not a warning.
func remark(b Block) bool {
	n, is := b.(Note)
	return is && !n.Warning
}

// inline writes a section as "name = value".
func (t *textWriter) inline(s section) {
	value, _ := s.value()
	if s.name != "" {
		value = s.name + " = " + value
	}
	t.b.WriteString(value + "\n")
}

func (t *textWriter) block(b Block) {
	switch b := b.(type) {
	case Paragraph:
		t.wrap("", b.Text)
	case Note:
		if b.Warning {
			t.wrap("! ", "WARNING: "+b.Text, prose.FgYellow)
		} else {
			t.wrap("  ", "Note: "+b.Text, prose.FgHiBlack)
		}
	case KeyValues:
		t.keyValues(b)
	case Table:
		t.table(b)
	case Figure:
		if b.Repeats {
			return
		}
		x := figureTable(b)
		x.Collapsed = len(b.Panels) > 0 // the points of a figure with panels are too many to show in full
		t.table(x)
	case Drawn:
		b.Data.Collapsed = true
		t.table(b.Data)
	case Code:
		t.code(b)
	}
}

// wrap writes s in lines of the terminal's width, each starting with indent. colors apply if the terminal has them.
func (t *textWriter) wrap(indent, s string, colors ...prose.Color) {
	for _, line := range wrapLines(s, t.opt.Width-len(indent)) {
		t.line(indent+line, colors...)
	}
}

// wrapLines breaks s into lines of at most the given width. Unlike prose.WrapSoft, it breaks neither at a no-break space nor
// before a percent sign.
func wrapLines(s string, width int) []string {
	keep := strings.NewReplacer("\u00a0", "\ue000", " %", "\ue001%") // characters that no text uses
	restore := strings.NewReplacer("\ue000", "\u00a0", "\ue001", " ")
	return lists.Map(strings.Split(prose.WrapSoft(keep.Replace(s), width), "\n"), func(line string) string {
		return strings.TrimRight(restore.Replace(line), " ")
	})
}

func (t *textWriter) code(c Code) {
	lines := strings.Split(strings.TrimRight(c.Text, "\n"), "\n")
	digits := len(fmt.Sprint(len(lines)))
	for i, line := range lines {
		if c.Lines {
			line = fmt.Sprintf("%*d  %s", digits, i+1, line)
		}
		t.b.WriteString("  " + strings.TrimRight(line, " ") + "\n")
	}
}

func (t *textWriter) keyValues(kv KeyValues) {
	t.line(kv.Caption, prose.Bold)
	width := lists.Max(kv.Items, func(item KeyValue) int { return prose.StringWidth(item.Key) })
	for _, item := range kv.Items {
		value := wrapLines(item.text(), max(30, t.opt.Width-width-4))
		t.b.WriteString("  " + prose.Pad(item.Key, width, ' ') + "  " + value[0] + "\n")
		for _, line := range value[1:] {
			t.b.WriteString(strings.Repeat(" ", width+4) + line + "\n")
		}
	}
}

func (kv KeyValue) text() string {
	s := cell(kv.Value, kv.Digits)
	if kv.Unit != "" && s != absent {
		s += " " + kv.Unit
	}
	return s
}

func (t *textWriter) table(x Table) {
	t.line(x.Caption, prose.Bold)
	limit := t.opt.Rows
	if x.Collapsed {
		limit = min(limit, collapsedRows)
	}
	rows, omitted := x.cells(limit)
	if t.natural(x, rows) > t.opt.Width {
		withoutBars(rows)
	}
	lead := keys(rows)
	for at := 0; at < len(x.Columns); {
		for some := len(x.Columns) - at; ; some-- { // try all remaining columns, then fewer
			part, shown := someColumns(x, rows, min(at, lead), at, at+some)
			if configs, fits := t.columns(part, shown); fits || some == 1 {
				if at > 0 {
					t.b.WriteString("\n")
				}
				t.grid(part, shown, configs)
				at += some
				break
			}
		}
	}
	if omitted > 0 {
		t.b.WriteString("  " + x.omittedNote(omitted) + "\n")
	}
	for _, n := range x.Notes {
		t.wrap("  ", n)
	}
}

// keys returns how many of the first columns are needed to identify each row, from 1 to 3. It returns 1 if three columns
// do not suffice.
func keys(rows [][]string) int {
	for k := 1; k <= 3 && len(rows) > 0 && k < len(rows[0]); k++ {
		seen := lists.Keyed(rows, func(_ int, r []string) (string, bool) { return strings.Join(r[:k], "\x00"), true })
		if len(seen) == len(rows) {
			return k
		}
	}
	return 1
}

// someColumns returns the table and rows with only the first columns (first of them) and the columns from … to-1.
func someColumns(x Table, rows [][]string, first, from, to int) (Table, [][]string) {
	x.Columns = slices.Concat(x.Columns[:first], x.Columns[from:to])
	out := lists.Map(rows, func(r []string) []string { return slices.Concat(r[:first], r[from:to]) })
	return x, out
}

// grid writes a table with aligned columns.
func (t *textWriter) grid(x Table, rows [][]string, configs []table.ColumnConfig) {
	tw := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = prose.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	style.Options.SeparateColumns = false
	style.Box.PaddingLeft, style.Box.PaddingRight = " ", " "
	tw.SetStyle(style)
	tw.AppendHeader(lists.Map(x.Columns, func(c Column) any { return c.heading() }))
	for _, r := range rows {
		tw.AppendRow(lists.Map(r, func(s string) any { return s }))
	}
	tw.SetColumnConfigs(configs)
	for _, line := range strings.Split(tw.Render(), "\n") {
		t.b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// columns returns the width and the alignment of each column. If the table does not fit the terminal, it narrows
// columns of words and headings, never numbers. fits reports whether the table fits.
func (t *textWriter) columns(x Table, rows [][]string) (out []table.ColumnConfig, fits bool) {
	out = make([]table.ColumnConfig, len(x.Columns))
	width, least, total, fewest := make([]int, len(out)), make([]int, len(out)), 0, 0
	for j, c := range x.Columns {
		widest := widestCell(rows, j)
		width[j] = max(prose.StringWidth(c.heading()), widest)
		if c.Align == Right {
			least[j] = max(longestWord(c.heading()), widest)
			fewest += least[j] + 2
		} else {
			least[j] = max(longestWord(c.heading()), min(lists.Max(rows, func(r []string) int { return longestWord(r[j]) }), 24))
			fewest += min(least[j], fewestWide) + 2
		}
		total += width[j] + 2
	}
	for total > t.opt.Width {
		widest := -1
		for j := range width {
			if width[j] > least[j] && (widest < 0 || width[j] > width[widest]) {
				widest = j
			}
		}
		if widest >= 0 {
			width[widest]--
			total--
			continue
		}
		for j, c := range x.Columns { // if that suffices, break the longest word
			if fewest > t.opt.Width {
				break
			}
			if c.Align != Right && least[j] > fewestWide && (widest < 0 || least[j] > least[widest]) {
				widest = j
			}
		}
		if widest < 0 {
			break // no column can become narrower
		}
		least[widest]--
	}
	for j, c := range x.Columns {
		align := prose.AlignLeft
		if c.Align == Right {
			align = prose.AlignRight
		}
		out[j] = table.ColumnConfig{Number: j + 1, Align: align, AlignHeader: align, VAlignHeader: prose.VAlignBottom,
			WidthMax: max(width[j], 1), WidthMaxEnforcer: prose.WrapSoft}
	}
	return out, total <= t.opt.Width
}

// fewestWide is the minimum width to which a column of text is narrowed.
const fewestWide = 10

// natural returns the width of a table whose columns are not narrowed.
func (t *textWriter) natural(x Table, rows [][]string) int {
	total := 0
	for j, c := range x.Columns {
		total += max(longestWord(c.heading()), widestCell(rows, j)) + 2
	}
	return total
}

func widestCell(rows [][]string, j int) int {
	return lists.Max(rows, func(r []string) int { return prose.StringWidth(r[j]) })
}

// withoutBars removes the bars of shares, so that only the numbers remain.
func withoutBars(rows [][]string) {
	for _, r := range rows {
		for j, s := range r {
			if cut := strings.TrimLeft(s, "█░"); cut != s {
				r[j] = strings.TrimLeft(cut, "\u00a0")
			}
		}
	}
}

func longestWord(s string) int {
	return lists.Max(strings.Split(s, " "), func(w string) int { return prose.StringWidth(w) })
}
