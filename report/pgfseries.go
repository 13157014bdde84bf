package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// plots are the series and lines of one panel.
func (p *pgf) plots(panel int, f Figure) {
	axes := pane{Figure: f, x: p.shared.x, y: p.shared.y, looks: p.looks[panel]}
	drawn := newDrawing(p.figure, false).panes[panel]
	for i, l := range f.Lines {
		p.rule(l, i)
	}
	for i, s := range f.Series {
		if len(axes.points(s)) == 0 {
			continue
		}
		if f.isBars() {
			p.bar(panel, i)
			continue
		}
		p.curve(drawn, panel, i)
	}
}

// rule is a line across the panel, with its label where it is vertical; others are
// in the legend.
func (p *pgf) rule(l ReferenceLine, _ int) {
	if math.IsNaN(l.At) {
		return
	}
	x, y := p.shared.x, p.shared.y
	if _, outside := x.clamp(l.At); l.Vertical && outside == 0 {
		p.writef("\\draw[copeh, dashed] (axis cs:%s,%s) -- (axis cs:%[1]s,%[3]s) node[above, font=\\footnotesize, black] {%[4]s};\n", num(l.At), num(y.lo), num(y.hi), texLabel(l.Label))
	} else if _, outside := y.clamp(l.At); !l.Vertical && outside == 0 {
		p.writef("\\addplot[forget plot, copeh, dashed, line width=0.7pt] coordinates {(%s,%s) (%s,%[2]s)};\n", num(x.lo), num(l.At), num(x.hi))
	}
}

// curve is a series of lines or points, with its intervals as the drawing has them.
func (p *pgf) curve(drawn pane, panel, i int) {
	s, look := drawn.Series[i], drawn.looks[i]
	table := fmt.Sprintf("table[x=x, y=y, col sep=space, restrict expr to domain={\\thisrow{id}}{%d:%[1]d}", p.id(panel, i))
	source := "] {" + p.dat + "};\n"
	name := colorName(look.color)
	switch {
	case drawn.bandOf(i):
		for k, end := range []string{"lo", "hi"} {
			p.writef("\\addplot[forget plot, draw=none, name path=p%d%c] %s%s", p.id(panel, i), 'a'+k, strings.Replace(table, "y=y", "y="+end, 1), source)
		}
		p.writef("\\addplot[forget plot, %s, fill opacity=0.19] fill between[of=p%da and p%[2]db];\n", name, p.id(panel, i))
	}
	style := pgfStyle(s, look)
	if slices.ContainsFunc(drawn.points(s), func(q point) bool { return q.outside != 0 }) {
		p.edges(table, source, s, look, p.id(panel, i))
		if s.Style == Points {
			return
		}
		style = strings.Split(style, ", mark=")[0] + ", no markers"
	}
	bars := ""
	if s.hasIntervals() && !drawn.bandOf(i) {
		style += ", error bars/.cd, y dir=both, y explicit, error bar style={solid, line width=0.5pt}, error mark options={rotate=90, mark size=1.5pt, line width=0.5pt}"
		bars = ", y error minus expr=\\thisrow{y}-\\thisrow{lo}, y error plus expr=\\thisrow{hi}-\\thisrow{y}"
	}
	p.writef("\\addplot[forget plot, %s] %s%s%s", style, table, bars, source)
}

// edges draws the markers of a series of which some lie at the edge: those as open
// triangles that point out of the figure.
func (p *pgf) edges(table, source string, s Series, l look, id int) {
	s.Style = Points
	for _, e := range []struct {
		edge int
		mark string
	}{{0, ""}, {-1, ", mark=triangle, mark size=2.6pt, mark options={solid, fill=white, rotate=180}"}, {1, ", mark=triangle, mark size=2.6pt, mark options={solid, fill=white}"}} {
		at := fmt.Sprintf("{4*\\thisrow{id}+\\thisrow{edge}}{%d:%[1]d}", 4*id+e.edge)
		p.writef("\\addplot[forget plot, %s%s] %s%s", pgfStyle(s, l), e.mark, strings.Replace(table, fmt.Sprintf("{\\thisrow{id}}{%d:%[1]d}", id), at, 1), source)
	}
}

// bar is a series of horizontal bars.
func (p *pgf) bar(panel, i int) {
	n := len(p.figure.Series)
	shift := (float64(n-1)/2 - float64(i)) * 7
	bars := ""
	style := fmt.Sprintf("forget plot, xbar, bar width=6pt, bar shift=%.1fpt, fill=%s, draw=none", shift, colorName(p.looks[panel][i].color))
	if p.figure.Series[i].hasIntervals() {
		style += ", error bars/.cd, x dir=both, x explicit, error bar style={black}"
		bars = ", x error minus expr=\\thisrow{x}-\\thisrow{lo}, x error plus expr=\\thisrow{hi}-\\thisrow{x}"
	}
	p.writef("\\addplot[%s] table[x=x, y=y, col sep=space, restrict expr to domain={\\thisrow{id}}{%d:%[2]d}%s] {%s};\n", style, p.id(panel, i), bars, p.dat)
}

// pgfStyle is a look in the words of pgfplots.
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

// legend is a row of names below the panels: one matrix, drawn by hand, so that it is
// the same for one panel and for several.
func (p *pgf) legend() {
	d := newDrawing(p.figure, false)
	if d.named() == 0 {
		return
	}
	p.writef("\\matrix[anchor=north, yshift=-4pt, matrix anchor=north, column sep=5pt, row sep=0pt, nodes={font=\\footnotesize, anchor=west}] at (current bounding box.south) {\n")
	entries := d.entries
	slices.SortStableFunc(entries, func(a, b entry) int { return a.rank() - b.rank() })
	columns := 3
	k := 0
	for _, e := range entries {
		if e.name == "" {
			continue
		}
		s := Series{}
		if e.bare {
			s.Style = Points
		}
		sample := fmt.Sprintf("\\draw[%s] plot[mark repeat=2, mark phase=2] coordinates {(0,0) (0.3,0) (0.6,0)};", pgfStyle(s, e.look))
		if e.filled {
			sample = fmt.Sprintf("\\fill[%s] (0.1,-0.08) rectangle (0.5,0.08);", colorName(e.look.color))
		}
		p.writef("  %s & \\node {%s};", sample, texLabel(e.name))
		if k++; k%columns == 0 || k == d.named() {
			p.writef(" \\\\\n")
		} else {
			p.writef(" &\n")
		}
	}
	p.writef("};\n")
}

// id numbers the series of a figure over its panels, from 1.
func (p *pgf) id(panel, i int) int {
	for _, f := range p.figure.panels()[:panel] {
		i += len(f.Series)
	}
	return i + 1
}
