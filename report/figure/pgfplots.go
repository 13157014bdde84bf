package figure

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// PGFPlots writes a figure of lines, points or bars as a tikzpicture for a paper, to
// be read with \input or compiled alone. Its numbers are in the file dat beside
// it, which Dat writes. It needs \usepackage{pgfplots}, and states so at its head. A
// heat map is an error. It returns the error of w.
func (f Figure) PGFPlots(w io.Writer, dat string) error {
	if f.Heat != nil {
		return fmt.Errorf("a heat map has no form in pgfplots here: save it as .pdf and include that")
	}
	p := pgf{figure: f, laid: newLayout(f, false), dat: filepath.Base(dat), shared: ranges(f.Parts()), styles: styles(f.Parts())}
	if f.InRows() {
		p.shared.x, p.shared.y = p.laid.panes[0].x, p.laid.panes[0].y
	}
	p.head()
	if len(f.Panels) == 0 {
		p.writef("\\begin{axis}[\n%s]\n", p.options())
		p.plots(0, f)
		p.writef("\\end{axis}\n")
	} else {
		columns := f.gridColumns()
		cells := f.cells()
		last := cells[len(cells)-1]
		rows := last.row + 1
		box := p.laid.panes[0].box
		names := p.shared.tickRoom(box.Max.X-box.Min.X, 8) // along the x axis of panels
		apart, at := "20pt", ", y descriptions at=edge left"
		below := 34 + float64(names-tickRow)
		switch {
		case f.InRows():
			apart, at, below = "0pt", "", 40
			if columns > 1 {
				apart = p.fraction(float64((p.laid.panes[1].box.Min.X - box.Max.X) / f.sheet()))
			}
		case f.FreeY:
			apart, at = "40pt", ""
		}
		p.writef("\\begin{groupplot}[\n  group style={group size=%d by %d, horizontal sep=%s, vertical sep=%.0fpt%s},\n%s]\n", columns, rows,
			apart, below, at, p.options())
		several, next := len(f.Units()) > 1, 0
		for i, panel := range f.Panels {
			for ; next < cells[i].row*columns+cells[i].column; next++ {
				p.writef("\\nextgroupplot[group/empty plot]\n")
			}
			next++
			own := ""
			if cells[i] == (cell{last.row, last.column / 2}) {
				own = ", xlabel={" + texLabel(f.XLabel) + "}"
			}
			switch y := p.laid.panes[i].y; {
			case f.InRows():
				own += ",\n" + p.rowAxes(p.laid.panes[i])
			case f.FreeY:
				own += ",\n" + yAxis(y, map[bool]string{true: panel.YLabel}[cells[i].column == 0])
			case several && cells[i].column == 0:
				own += ",\n" + yAxis(y, panel.YLabel)
			case several:
				own += ",\n" + yAxis(y, "") + "  yticklabels={},\n"
			}
			p.writef("\\nextgroupplot[title={%s}%s]\n", texLabel(panel.Title), own)
			p.plots(i, panel)
		}
		p.writef("\\end{groupplot}\n")
	}
	p.legend()
	p.writef("\\end{tikzpicture}\n\\copefigure\n")
	_, err := io.WriteString(w, p.b.String())
	return err
}

// pgf writes one figure.
type pgf struct {
	b      strings.Builder
	figure Figure
	laid   layout // of the figure, without its title
	dat    string
	shared extents
	styles [][]seriesStyle
}

func (p *pgf) writef(format string, a ...any) { fmt.Fprintf(&p.b, format, a...) }

// head makes the file one that compiles by itself if no document is open yet, and
// names the colours.
func (p *pgf) head() {
	p.writef("%% %s\n%% %s\n", line(p.figure.Title), line(p.figure.Describe()))
	const scale = 17.8 / sheetWidth // cm
	wideness, tallness := float64(p.figure.sheet())*scale+0.8, float64(p.laid.height)*scale+1.4
	p.writef(`%% Data: %s, in the same folder. Read with \input{...} it needs \usepackage{pgfplots} and
%% \usepgfplotslibrary{groupplots,fillbetween}; compiled by itself it is a page of its own.
\expandafter\ifx\csname pgfplotsset\endcsname\relax
\def\copefigure{\end{document}}
\documentclass[10pt]{article}
\usepackage[paperwidth=%.1fcm,paperheight=%.1fcm,margin=4mm]{geometry}
\usepackage{pgfplots}
\usepgfplotslibrary{groupplots,fillbetween}
\pagestyle{empty}
\setlength{\parindent}{0pt}
\begin{document}
\centering
\else
\let\copefigure\relax
\fi
`, p.dat, wideness, tallness)
	for i, c := range append(slices.Clone(palette), ink, grey) {
		p.writef("\\definecolor{%s}{RGB}{%d,%d,%d}\n", "cope"+string(rune('a'+i)), c.R, c.G, c.B)
	}
	p.writef("\\begin{tikzpicture}\n\\pgfplotsset{compat=1.15}\n")
}

// colorName returns the name that head gives a colour.
func colorName(c color.NRGBA) string {
	i := slices.Index(append(slices.Clone(palette), ink, grey), c)
	return "cope" + string(rune('a'+max(i, 0)))
}

// options returns the options of the axes, equal in all panels.
func (p *pgf) options() string {
	var b strings.Builder
	f := p.figure
	opt := func(format string, a ...any) { fmt.Fprintf(&b, "  "+format+",\n", a...) }
	tallness := 0.52
	if f.Width != 0 { // a narrow figure is not as flat
		tallness = 1 - 0.24*f.Width
	}
	width, height := p.fraction(0.95), p.fraction(tallness)
	switch columns := f.gridColumns(); {
	case f.FreeY && columns > 1:
		width, height = p.fraction(1/float64(columns)-0.03), p.fraction(0.42)
	case columns == 1:
		if len(f.Units()) > 1 {
			height = p.fraction(0.33)
		}
	case columns == 2:
		width, height = p.fraction(0.5), p.fraction(0.42)
	case columns == 3:
		width, height = p.fraction(0.355), p.fraction(0.4)
	}
	x, y := p.shared.x, p.laid.panes[0].y
	if !f.InRows() {
		opt("width=%s, height=%s", width, height)
	} else { // names of any length are beside the axis
		opt("%s, scale only axis, log origin=infty", p.size(p.laid.panes[0]))
	}
	opt("xmin=%s, xmax=%s", num(x.lo), num(x.hi))
	if x.log {
		opt("xmode=log")
	}
	if len(f.Panels) == 0 {
		opt("xlabel={%s}", texLabel(f.XLabel))
	}
	switch {
	case f.InRows(): // the names of bars need no label
		b.WriteString(yAxis(y, ""))
	case len(f.Units()) == 1 && !f.FreeY:
		b.WriteString(yAxis(y, f.YLabel))
	}
	opt("axis lines=left, axis line style={-}, ymajorgrids=%v, major grid style={black!12}, tick align=outside, tick style={black}",
		!f.InRows())
	opt("tick label style={font=\\footnotesize}, label style={font=\\small}, title style={font=\\small, yshift=-4pt}, legend " +
		"style={font=\\footnotesize, draw=none, /tikz/every even column/.append style={column sep=8pt}}")
	opt("scaled ticks=false, clip=%v", f.InRows()) // curves lie inside, their markers may reach out
	b.WriteString(p.ticks())
	return b.String()
}

// size returns the width and height of a pane.
func (p *pgf) size(of pane) string {
	sheet := p.figure.sheet()
	return fmt.Sprintf("width=%s, height=%s", p.fraction(float64((of.box.Max.X-of.box.Min.X)/sheet)),
		p.fraction(float64((of.box.Max.Y-of.box.Min.Y)/sheet)))
}

// rowAxes returns the axes of a panel of rows, which has its own.
func (p *pgf) rowAxes(of pane) string {
	return fmt.Sprintf("  %s, xmin=%s, xmax=%s,\n", p.size(of), num(of.x.lo), num(of.x.hi)) + ticksOf("x", of.x) + yAxis(of.y, "")
}

// fraction returns a share of the width of the figure: of the text that it is read into, or, where a
// width was asked for, of that.
func (p *pgf) fraction(of float64) string {
	if p.figure.Width == 0 {
		return strconv.FormatFloat(math.Round(of*1000)/1000, 'f', -1, 64) + "\\linewidth"
	}
	return fmt.Sprintf("%.1fbp", of*float64(p.figure.sheet()))
}

// narrowest is the width of the text of a paper in which a figure is read, as a share of
// the sheet that the figure is laid out on.
const narrowest = 345. / sheetWidth

// ticks returns the ticks of the layout, so that both show the same numbers; where panels are
// neighbours, the ones that fit panels of a narrow page.
func (p *pgf) ticks() string {
	pane := p.laid.panes[0]
	if len(p.figure.Panels) > 0 && !p.figure.InRows() {
		pane.box.Max.X = pane.box.Min.X + narrowest*(pane.box.Max.X-pane.box.Min.X)
		pane.x.ticks = nil
		p.shared.tickX(&pane, true)
		if pane.x.labels() < 2 && p.shared.categories == nil { // upright, all fit
			pane.x.ticks, pane.turned = nil, true
			pane.x.tickAt(p.shared.at, p.shared.names, sheetWidth*10, sheetWidth, pane.size)
		}
	}
	out := ticksOf("x", pane.x)
	if pane.turned {
		out += "  x tick label style={rotate=90, anchor=east},\n"
	}
	return out
}

// yAxis returns the options of a y axis, with a label unless that is "".
func yAxis(y axis, label string) string {
	out := fmt.Sprintf("  ymin=%s, ymax=%s,\n", num(y.lo), num(y.hi))
	if y.log {
		out += "  ymode=log, log basis y=10,\n"
	}
	if label != "" {
		out += fmt.Sprintf("  ylabel={%s},\n", texLabel(label))
	}
	return out + ticksOf("y", y)
}

// ticksOf returns the options of the ticks of an axis.
func ticksOf(name string, a axis) string {
	var at, labels, minor []string
	for _, t := range a.ticks {
		if t.label == "" {
			minor = append(minor, num(t.value))
			continue
		}
		at, labels = append(at, num(t.value)), append(labels, "{"+strings.ReplaceAll(texLabel(t.label), ",", "{,}")+"}")
	}
	return fmt.Sprintf("  %stick={%s}, %[1]sticklabels={%[3]s},\n", name, strings.Join(at, ","), strings.Join(labels, ",")) +
		fmt.Sprintf("  minor %stick={%s},\n", name, strings.Join(minor, ","))
}

// line returns text as one line of a comment.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// texLabel returns a label in LaTeX; 10^3 and names of ticks get their exponent.
func texLabel(s string) string {
	if base, exponent, found := strings.Cut(s, "^"); found && base == "10" {
		return "$10^{" + strings.Replace(exponent, "\u2212", "-", 1) + "}$"
	}
	return wording.LaTeX(s)
}

// Dat writes the numbers of a figure for pgfplots and other programs: comments that state what they
// are, then columns id, x, y, lo, hi, edge (-1 or 1 where y lies below or above the axis) and bar
// (the x of the interval, a little beside x where intervals would hide each other) in full
// precision. A value outside the axes, such as a rate of zero on a logarithmic one, is at their
// edge with a comment. It returns the error of w.
func (f Figure) Dat(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# x: %s, y: %s; lo and hi are the ends of the 95 %% interval.\n", line(f.Title), line(f.XLabel), line(f.YLabel))
	d := newLayout(f, false)
	id := 0
	var rows strings.Builder
	for k, panel := range f.Parts() {
		if f.Heat != nil {
			break
		}
		p := d.panes[k]
		for i, s := range panel.Series {
			id++
			fmt.Fprintf(&b, "# %d: %s\n", id, line(strings.Trim(p.title+", "+s.Name, ", ")))
			for _, q := range p.points(s, p.aside[i]) {
				if q.outside != 0 {
					fmt.Fprintf(&b, "#    at the edge: x = %s, y = %s\n", num(q.x), num(q.was))
				}
				fmt.Fprintf(&rows, "%d %s %s %s %s %d %s\n", id, num(q.x), num(q.y), num(q.lo), num(q.hi), q.outside, num(q.bar))
			}
		}
	}
	_, err := io.WriteString(w, b.String()+"id x y lo hi edge bar\n"+rows.String())
	return err
}

// num returns the shortest decimal that reads back as the same number.
func num(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// plots writes the series and lines of one panel.
func (p *pgf) plots(panel int, f Figure) {
	drawn := p.laid.panes[panel]
	for i, l := range f.Lines {
		p.rule(drawn, l, f.lineStyle(i))
	}
	for i, s := range f.Series {
		switch {
		case len(drawn.points(s, nil)) == 0:
		case f.InDots():
			p.dots(panel, i)
		case f.InRows():
			p.bar(panel, i)
		default:
			p.curve(drawn, panel, i)
		}
	}
}

// rule writes a line across the panel, with its label if it is vertical; others are in the
// legend.
func (p *pgf) rule(in pane, l ReferenceLine, style seriesStyle) {
	if math.IsNaN(l.At) {
		return
	}
	x, y := in.x, in.y
	if _, outside := x.clamp(l.At); l.Vertical && outside == 0 {
		options := "copeh, dashed"
		if l.Wide {
			options = "black!12, line width=9pt"
		}
		p.writef("\\draw["+options+"] (axis cs:%s,%s) -- (axis cs:%[1]s,%[3]s) node[above, font=\\footnotesize, black] {%[4]s};\n",
			num(l.At), num(y.lo), num(y.hi), texLabel(l.Label))
	} else if _, outside := y.clamp(l.At); !l.Vertical && outside == 0 {
		p.writef("\\addplot[forget plot, %s] coordinates {(%s,%s) (%s,%[3]s)};\n", pgfStyle(Series{}, style), num(x.lo), num(l.At), num(x.hi))
	}
}

// curve writes a series of lines or points, with its intervals as the layout has them.
func (p *pgf) curve(drawn pane, panel, i int) {
	s, style, id := drawn.Series[i], drawn.styles[i], p.id(panel, i)
	points := drawn.points(s, drawn.aside[i])
	if len(points) == 1 && style.mark.tex == "" { // a line of one point
		style.mark.tex = "-"
	}
	table := fmt.Sprintf("table[x=x, y=y, col sep=space, restrict expr to domain={\\thisrow{id}}{%d:%[1]d}", id)
	source := "] {" + p.dat + "};\n"
	name := colorName(style.color)
	if drawn.bandOf(i) {
		for k, end := range []string{"lo", "hi"} {
			p.writef("\\addplot[forget plot, draw=none, name path=p%d%c] %s%s", id, 'a'+k, strings.Replace(table, "y=y", "y="+end, 1), source)
		}
		p.writef("\\addplot[forget plot, %s, fill opacity=0.19] fill between[of=p%da and p%[2]db];\n", name, id)
	}
	if s.Style == Shade {
		return
	}
	if s.HasIntervals() && !drawn.bandOf(i) {
		p.intervals(table, source, name)
	}
	// The points at the edge, apart from which a line is drawn: none leads to them.
	at := func(edge int) string {
		return strings.Replace(table, fmt.Sprintf("{\\thisrow{id}}{%d:%[1]d}", id),
			fmt.Sprintf("{4*\\thisrow{id}+\\thisrow{edge}}{%d:%[1]d}", 4*id+edge), 1)
	}
	p.writef("\\addplot[forget plot, unbounded coords=jump, %s] %s%s", pgfStyle(s, style), at(0), source)
	for _, e := range []struct{ edge, rotate int }{{-1, 180}, {1, 0}} {
		if slices.ContainsFunc(points, func(q point) bool { return q.outside == e.edge }) {
			p.writef("\\addplot[forget plot, %s, only marks, mark=triangle, mark size=%.1fpt, mark options={solid, rotate=%d}] %s%s", name,
				2.6+1.2*float64(drawn.above(i, e.edge)), e.rotate, at(e.edge), source)
		}
	}
}

// intervals draws bars at the places that the layout has found for them.
func (p *pgf) intervals(table, source, color string) {
	p.writef("\\addplot[forget plot, draw=none, no markers, error bars/.cd, y dir=both, y explicit, error bar style={draw=%s, "+
		"solid, line width=0.5pt}, "+
		"error mark options={draw=%[1]s, rotate=90, mark size=1.5pt, line width=0.5pt}] %[2]s, y error minus "+
		"expr=\\thisrow{y}-\\thisrow{lo}, y error plus expr=\\thisrow{hi}-\\thisrow{y}%[3]s",
		color, strings.Replace(table, "x=x", "x=bar", 1), source)
}

// bar writes a series of horizontal bars.
func (p *pgf) bar(panel, i int) {
	n := len(p.figure.Series)
	shift := (float64(n-1)/2 - float64(i)) * 7
	bars := ""
	style := fmt.Sprintf("forget plot, xbar, bar width=6pt, bar shift=%.1fpt, fill=%s, draw=none", shift, colorName(p.styles[panel][i].color))
	if p.figure.Series[i].HasIntervals() {
		style += ", error bars/.cd, x dir=both, x explicit, error bar style={black}"
		bars = ", x error minus expr=\\thisrow{x}-\\thisrow{lo}, x error plus expr=\\thisrow{hi}-\\thisrow{x}"
	}
	p.writef("\\addplot[%s] table[x=x, y=y, col sep=space, restrict expr to domain={\\thisrow{id}}{%d:%[2]d}%s] {%s};\n", style,
		p.id(panel, i), bars, p.dat)
}

// dots writes a series of markers in rows, with their intervals.
func (p *pgf) dots(panel, i int) {
	s, style, bars := p.figure.Parts()[panel].Series[i], p.styles[panel][i], ""
	s.Style = Points
	drawn := pgfStyle(s, style)
	if s.HasIntervals() {
		drawn += fmt.Sprintf(", error bars/.cd, x dir=both, x explicit, error bar style={draw=%s, line width=0.8pt}", colorName(style.color))
		bars = ", x error minus expr=\\thisrow{x}-\\thisrow{lo}, x error plus expr=\\thisrow{hi}-\\thisrow{x}"
	}
	p.writef("\\addplot[forget plot, %s] table[x=x, y=y, col sep=space, restrict expr to domain={\\thisrow{id}}{%d:%[2]d}%s] {%s};\n", drawn,
		p.id(panel, i), bars, p.dat)
}

// pgfStyle returns a style in the words of pgfplots.
func pgfStyle(s Series, l seriesStyle) string {
	out := colorName(l.color)
	switch {
	case s.Style == Points:
		out += ", only marks"
	case l.thin:
		out += ", line width=0.7pt"
	default:
		out += ", line width=1pt"
	}
	if len(l.dashes) > 0 && s.Style != Points {
		on := []string{"on", "off"}
		parts := lists.Make(len(l.dashes), func(k int) string { return fmt.Sprintf("%s %.3gpt", on[k%2], float64(l.dashes[k])*0.6) })
		out += ", dash pattern=" + strings.Join(parts, " ")
	}
	if l.mark.tex == "" {
		return out + ", no markers"
	}
	fill := ""
	if !strings.HasSuffix(l.mark.tex, "*") && l.mark.tex != "x" {
		fill = ", fill=white"
	}
	return out + fmt.Sprintf(", mark=%s, mark size=2pt, mark options={solid%s}", l.mark.tex, fill)
}

// legend writes a row of names below the panels: one matrix, drawn by hand, so that it is the same
// for one panel and for several.
func (p *pgf) legend() {
	entries := withName(p.laid.entries)
	if len(entries) == 0 {
		return
	}
	p.writef("\\matrix[anchor=north, yshift=-4pt, matrix anchor=north, column sep=5pt, row sep=0pt, nodes={font=\\footnotesize, " +
		"anchor=west}] at (current bounding box.south) {\n")
	slices.SortStableFunc(entries, func(a, b entry) int { return a.rank() - b.rank() })
	columns := 3
	if p.figure.Width != 0 {
		fit, _, _ := p.laid.legendGrid()
		columns = max(1, min(columns, fit))
	}
	for k, e := range entries {
		s := Series{}
		if e.bare {
			s.Style = Points
		}
		sample := fmt.Sprintf("\\draw[%s] plot[mark repeat=2, mark phase=2] coordinates {(0,0) (0.3,0) (0.6,0)};", pgfStyle(s, e.style))
		if e.shaded {
			sample = fmt.Sprintf("\\fill[%s, fill opacity=0.19] (0.1,-0.08) rectangle (0.5,0.08);", colorName(e.style.color))
		}
		if e.filled {
			sample = fmt.Sprintf("\\fill[%s] (0.1,-0.08) rectangle (0.5,0.08);", colorName(e.style.color))
		}
		p.writef("  %s & \\node {%s};", sample, texLabel(e.name))
		if (k+1)%columns == 0 || k+1 == len(entries) {
			p.writef(" \\\\\n")
		} else {
			p.writef(" &\n")
		}
	}
	p.writef("};\n")
}

// id numbers the series of a figure over its panels, from 1.
func (p *pgf) id(panel, i int) int {
	return 1 + i + lists.Sum(p.figure.Parts()[:panel], func(f Figure) int { return len(f.Series) })
}
