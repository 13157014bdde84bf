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

	"gonum.org/v1/plot/vg"

	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// PGFPlots writes a figure of lines, points or bars as a tikzpicture for a paper, to
// be read with \input or compiled by itself. Its numbers are in the file dat beside
// it, which Dat writes. It needs \usepackage{pgfplots}, and says so at its head. A
// heat map is an error. It returns the error of w.
func (f Figure) PGFPlots(w io.Writer, dat string) error {
	if f.Heat != nil {
		return fmt.Errorf("a heat map has no form in pgfplots here: save it as .pdf and include that")
	}
	p := pgf{figure: f, dat: filepath.Base(dat), shared: ranges(f.Parts()), looks: looks(f.Parts())}
	if f.IsBars() {
		d := newLayout(f, false)
		p.shared.x, p.shared.y = d.panes[0].x, d.panes[0].y
	}
	p.head()
	if len(f.Panels) == 0 {
		p.writef("\\begin{axis}[\n%s]\n", p.options(f))
		p.plots(0, f)
		p.writef("\\end{axis}\n")
	} else {
		columns := f.gridColumns()
		rows := (len(f.Panels) + columns - 1) / columns
		p.writef("\\begin{groupplot}[\n  group style={group size=%d by %d, horizontal sep=20pt, vertical sep=%.0fpt, y "+
			"descriptions at=edge left},\n%s]\n", columns, rows, 34+float64(p.names()-tickRow), p.options(f))
		for i, panel := range f.Panels {
			x := ""
			if i == (len(f.Panels)-1)/columns*columns+min(columns-1, len(f.Panels)-1-(len(f.Panels)-1)/columns*columns)/2 {
				x = ", xlabel={" + texLabel(f.XLabel) + "}"
			}
			p.writef("\\nextgroupplot[title={%s}%s]\n", texLabel(panel.Title), x)
			p.plots(i, panel)
		}
		p.writef("\\end{groupplot}\n")
	}
	p.legend()
	p.writef("\\end{tikzpicture}\n\\copefigure\n")
	_, err := io.WriteString(w, p.b.String())
	return err
}

// names returns the room for the names along the x axis of panels.
func (p *pgf) names() vg.Length {
	box := newLayout(p.figure, false).panes[0].box
	return p.shared.tickRoom(box.Max.X-box.Min.X, 8)
}

// pgf writes one figure.
type pgf struct {
	b      strings.Builder
	figure Figure
	dat    string
	shared extents
	looks  [][]look
}

func (p *pgf) writef(format string, a ...any) { fmt.Fprintf(&p.b, format, a...) }

// head makes the file one that compiles by itself where no document is open yet, and
// names the colours.
func (p *pgf) head() {
	p.writef("%% %s\n%% %s\n", line(p.figure.Title), line(p.figure.Describe()))
	const scale = 17.8 / sheetWidth // cm
	wideness, tallness := float64(p.figure.sheet())*scale+0.8, float64(newLayout(p.figure, false).height)*scale+1.4
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
func (p *pgf) options(f Figure) string {
	var b strings.Builder
	opt := func(format string, a ...any) { fmt.Fprintf(&b, "  "+format+",\n", a...) }
	n := len(f.Panels)
	tallness := 0.52
	if f.Width != 0 { // a narrow figure is not as flat
		tallness = 1 - 0.24*f.Width
	}
	width, height := p.fraction(0.95), p.fraction(tallness)
	switch f.gridColumns() {
	case 2:
		width, height = p.fraction(0.5), p.fraction(0.42)
	case 3:
		width, height = p.fraction(0.355), p.fraction(0.4)
	}
	if !f.IsBars() {
		opt("width=%s, height=%s", width, height)
	}
	x, y := p.shared.x, p.shared.y
	if f.IsBars() { // names of any length stand beside the axis
		box := newLayout(f, false).panes[0].box
		sheet := f.sheet()
		opt("width=%s, height=%s, scale only axis, log origin=infty", p.fraction(float64((box.Max.X-box.Min.X)/sheet)),
			p.fraction(float64((box.Max.Y-box.Min.Y)/sheet)))
	}
	opt("xmin=%s, xmax=%s, ymin=%s, ymax=%s", num(x.lo), num(x.hi), num(y.lo), num(y.hi))
	if x.log {
		opt("xmode=log")
	}
	if y.log {
		opt("ymode=log, log basis y=10")
	}
	if n == 0 {
		opt("xlabel={%s}", texLabel(f.XLabel))
	}
	if !f.IsBars() { // the names of bars need no label
		opt("ylabel={%s}", texLabel(f.YLabel))
	}
	opt("axis lines=left, axis line style={-}, ymajorgrids=%v, major grid style={black!12}, tick align=outside, tick style={black}",
		!f.IsBars())
	opt("tick label style={font=\\footnotesize}, label style={font=\\small}, title style={font=\\small, yshift=-4pt}, legend " +
		"style={font=\\footnotesize, draw=none, /tikz/every even column/.append style={column sep=8pt}}")
	opt("scaled ticks=false, clip=%v", f.IsBars()) // curves lie inside, their markers may reach out
	b.WriteString(p.ticks(f))
	return b.String()
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
func (p *pgf) ticks(f Figure) string {
	pane := newLayout(f, false).panes[0]
	if len(f.Panels) > 0 {
		pane.box.Max.X = pane.box.Min.X + narrowest*(pane.box.Max.X-pane.box.Min.X)
		pane.x.ticks = nil
		p.shared.tickX(&pane, true)
		if pane.x.labels() < 2 && p.shared.categories == nil { // upright, all fit
			pane.x.ticks, pane.turned = nil, true
			pane.x.tickAt(p.shared.at, p.shared.names, sheetWidth*10, sheetWidth, pane.size)
		}
	}
	out := ""
	for _, a := range []struct {
		name string
		axis axis
	}{{"x", pane.x}, {"y", pane.y}} {
		var at, labels, minor []string
		for _, t := range a.axis.ticks {
			if t.label == "" {
				minor = append(minor, num(t.value))
				continue
			}
			at, labels = append(at, num(t.value)), append(labels, "{"+strings.ReplaceAll(texLabel(t.label), ",", "{,}")+"}")
		}
		out += fmt.Sprintf("  %stick={%s}, %[1]sticklabels={%[3]s},\n", a.name, strings.Join(at, ","), strings.Join(labels, ","))
		out += fmt.Sprintf("  minor %stick={%s},\n", a.name, strings.Join(minor, ","))
	}
	if pane.turned {
		out += "  x tick label style={rotate=90, anchor=east},\n"
	}
	return out
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

// Dat writes the numbers of a figure for pgfplots and other programs: comments that say what they
// are, then columns id, x, y, lo, hi, edge (-1 or 1 where y lies below or above the axis) and bar
// (the x of the interval, a little beside x where intervals would hide each other) in full
// precision. What lies outside the axes, as a rate of zero on a logarithmic one, stands at their
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
