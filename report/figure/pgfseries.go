package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// plots writes the series and lines of one panel.
func (p *pgf) plots(panel int, f Figure) {
	axes := pane{Figure: f, x: p.shared.x, y: p.shared.y, looks: p.looks[panel]}
	drawn := newLayout(p.figure, false).panes[panel]
	for i, l := range f.Lines {
		p.rule(l, f.lineLook(i))
	}
	for i, s := range f.Series {
		if len(axes.points(s, nil)) == 0 {
			continue
		}
		if f.IsBars() {
			p.bar(panel, i)
			continue
		}
		p.curve(drawn, panel, i)
	}
}

// rule writes a line across the panel, with its label where it is vertical; others are in the
// legend.
func (p *pgf) rule(l ReferenceLine, look look) {
	if math.IsNaN(l.At) {
		return
	}
	x, y := p.shared.x, p.shared.y
	if _, outside := x.clamp(l.At); l.Vertical && outside == 0 {
		style := "copeh, dashed"
		if l.Wide {
			style = "black!12, line width=9pt"
		}
		p.writef("\\draw["+style+"] (axis cs:%s,%s) -- (axis cs:%[1]s,%[3]s) node[above, font=\\footnotesize, black] {%[4]s};\n",
			num(l.At), num(y.lo), num(y.hi), texLabel(l.Label))
	} else if _, outside := y.clamp(l.At); !l.Vertical && outside == 0 {
		p.writef("\\addplot[forget plot, %s] coordinates {(%s,%s) (%s,%[3]s)};\n", pgfStyle(Series{}, look), num(x.lo), num(l.At), num(x.hi))
	}
}

// curve writes a series of lines or points, with its intervals as the layout has them.
func (p *pgf) curve(drawn pane, panel, i int) {
	s, look, id := drawn.Series[i], drawn.looks[i], p.id(panel, i)
	points := drawn.points(s, drawn.aside[i])
	if len(points) == 1 && look.mark.tex == "" { // a line of one point
		look.mark.tex = "-"
	}
	table := fmt.Sprintf("table[x=x, y=y, col sep=space, restrict expr to domain={\\thisrow{id}}{%d:%[1]d}", id)
	source := "] {" + p.dat + "};\n"
	name := colorName(look.color)
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
	p.writef("\\addplot[forget plot, unbounded coords=jump, %s] %s%s", pgfStyle(s, look), at(0), source)
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
	style := fmt.Sprintf("forget plot, xbar, bar width=6pt, bar shift=%.1fpt, fill=%s, draw=none", shift, colorName(p.looks[panel][i].color))
	if p.figure.Series[i].HasIntervals() {
		style += ", error bars/.cd, x dir=both, x explicit, error bar style={black}"
		bars = ", x error minus expr=\\thisrow{x}-\\thisrow{lo}, x error plus expr=\\thisrow{hi}-\\thisrow{x}"
	}
	p.writef("\\addplot[%s] table[x=x, y=y, col sep=space, restrict expr to domain={\\thisrow{id}}{%d:%[2]d}%s] {%s};\n", style,
		p.id(panel, i), bars, p.dat)
}

// pgfStyle returns a look in the words of pgfplots.
func pgfStyle(s Series, l look) string {
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
		var parts []string
		for k, d := range l.dashes {
			parts = append(parts, fmt.Sprintf("%s %.3gpt", on[k%2], float64(d)*0.6))
		}
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
	entries := withName(newLayout(p.figure, false).entries)
	if len(entries) == 0 {
		return
	}
	p.writef("\\matrix[anchor=north, yshift=-4pt, matrix anchor=north, column sep=5pt, row sep=0pt, nodes={font=\\footnotesize, " +
		"anchor=west}] at (current bounding box.south) {\n")
	slices.SortStableFunc(entries, func(a, b entry) int { return a.rank() - b.rank() })
	columns := 3
	if p.figure.Width != 0 {
		fit, _ := newLayout(p.figure, false).legendColumns()
		columns = max(1, min(columns, fit))
	}
	k := 0
	for _, e := range entries {
		s := Series{}
		if e.bare {
			s.Style = Points
		}
		sample := fmt.Sprintf("\\draw[%s] plot[mark repeat=2, mark phase=2] coordinates {(0,0) (0.3,0) (0.6,0)};", pgfStyle(s, e.look))
		if e.shaded {
			sample = fmt.Sprintf("\\fill[%s, fill opacity=0.19] (0.1,-0.08) rectangle (0.5,0.08);", colorName(e.look.color))
		}
		if e.filled {
			sample = fmt.Sprintf("\\fill[%s] (0.1,-0.08) rectangle (0.5,0.08);", colorName(e.look.color))
		}
		p.writef("  %s & \\node {%s};", sample, texLabel(e.name))
		if k++; k%columns == 0 || k == len(entries) {
			p.writef(" \\\\\n")
		} else {
			p.writef(" &\n")
		}
	}
	p.writef("};\n")
}

// id numbers the series of a figure over its panels, from 1.
func (p *pgf) id(panel, i int) int {
	for _, f := range p.figure.Parts()[:panel] {
		i += len(f.Series)
	}
	return i + 1
}
