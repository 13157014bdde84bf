package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// at is where point i of a series is drawn, with y in place of its own: inside the
// pane, at its edge when it lies outside.
func (p pane) at(s Series, i int, y float64, shift vg.Length) vg.Point {
	x, _ := p.x.clamp(s.X[i])
	y, _ = p.y.clamp(y)
	return vg.Point{X: p.px(x) + shift, Y: p.py(y)}
}

// curve draws series i as a line with markers, or as points.
func (p pane) curve(c draw.Canvas, i int) {
	s, look, shift := p.Series[i], p.looks[i], p.shift(i)
	if !p.bandOf(i) {
		p.intervals(c, i)
	}
	if s.Style != Points {
		for _, run := range p.runs(s) {
			var line []vg.Point
			for _, k := range run {
				line = append(line, p.at(s, k, s.Y[k], shift))
			}
			c.StrokeLines(look.line(), line)
		}
	}
	if look.mark.glyph == nil {
		return
	}
	for k, y := range s.Y {
		if !p.drawable(s, k) {
			continue
		}
		style := look.marker(p.title != "")
		if _, outside := p.y.clamp(y); outside != 0 {
			style.Shape, style.Radius = edge(outside), style.Radius+1
		}
		c.DrawGlyph(style, p.at(s, k, y, shift))
	}
}

func (p pane) drawable(s Series, k int) bool {
	_, outside := p.x.clamp(s.X[k])
	return outside == 0 && !math.IsNaN(s.X[k]) && !math.IsNaN(s.Y[k])
}

// runs are the stretches of indices without a gap.
func (p pane) runs(s Series) [][]int {
	var out [][]int
	open := false
	for k := range s.Y {
		if !p.drawable(s, k) {
			open = false
			continue
		}
		if !open {
			out, open = append(out, nil), true
		}
		out[len(out)-1] = append(out[len(out)-1], k)
	}
	return out
}

func (s Series) hasIntervals() bool {
	return len(s.Lo) == len(s.Y) && len(s.Hi) == len(s.Y) && len(s.Y) > 0
}

// intervals draws the intervals of series i as bars.
func (p pane) intervals(c draw.Canvas, i int) {
	s := p.Series[i]
	if !s.hasIntervals() {
		return
	}
	style := draw.LineStyle{Color: p.looks[i].color, Width: 1}
	cap := vg.Length(2.5)
	if p.title != "" || p.withIntervals() > 4 {
		style.Width, cap = 0.8, 1.6
	}
	for k := range s.Y {
		if !p.drawable(s, k) || !(s.Lo[k] < s.Hi[k]) {
			continue
		}
		lo, hi := p.at(s, k, s.Lo[k], p.shift(i)), p.at(s, k, s.Hi[k], p.shift(i))
		c.StrokeLine2(style, lo.X, lo.Y, hi.X, hi.Y)
		for _, e := range []vg.Point{lo, hi} {
			c.StrokeLine2(style, e.X-cap, e.Y, e.X+cap, e.Y)
		}
	}
}

// band draws the intervals of series i as a shade around its line.
func (p pane) band(c draw.Canvas, i int) {
	s, shade := p.Series[i], p.looks[i].color
	shade.A = 0x30
	for _, run := range p.runs(s) {
		var outline []vg.Point
		for _, k := range run {
			outline = append(outline, p.at(s, k, s.Lo[k], 0))
		}
		for j := len(run) - 1; j >= 0; j-- {
			outline = append(outline, p.at(s, run[j], s.Hi[run[j]], 0))
		}
		fill(c, shade, outline)
	}
}

// fill fills a polygon.
func fill(c draw.Canvas, color color.Color, outline []vg.Point) {
	if len(outline) == 0 {
		return
	}
	var path vg.Path
	path.Move(outline[0])
	for _, p := range outline[1:] {
		path.Line(p)
	}
	path.Close()
	c.SetColor(color)
	c.Fill(path)
}

// open is a marker that hides the line below it and shows the paper, or a cross.
type open struct{ shape string }

// DrawGlyph implements draw.GlyphDrawer.
func (o open) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := style.Radius * 0.9
	var p vg.Path
	to := func(first bool, x, y vg.Length) {
		if q := (vg.Point{X: at.X + x, Y: at.Y + y}); first {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	switch o.shape {
	case "cross":
		to(true, -r, -r)
		to(false, r, r)
		to(true, -r, r)
		to(false, r, -r)
	case "square":
		for k, q := range [][2]vg.Length{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
			to(k == 0, q[0]*r*0.9, q[1]*r*0.9)
		}
		p.Close()
	case "triangle":
		for k, q := range [][2]vg.Length{{0, -1.2}, {-1.05, 0.65}, {1.05, 0.65}} {
			to(k == 0, q[0]*r, q[1]*r)
		}
		p.Close()
	default:
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
	}
	if o.shape != "cross" {
		c.SetColor(plate)
		c.Fill(p)
	}
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: style.Radius / 2.8})
	c.Stroke(p)
}

// edge is an open triangle that points out of the figure: the value lies there.
type edge int

// DrawGlyph implements draw.GlyphDrawer.
func (e edge) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, pt vg.Point) {
	r := style.Radius
	up := vg.Length(e) * r
	var p vg.Path
	p.Move(vg.Point{X: pt.X, Y: pt.Y + up})
	p.Line(vg.Point{X: pt.X + r, Y: pt.Y - up})
	p.Line(vg.Point{X: pt.X - r, Y: pt.Y - up})
	p.Close()
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: 1.2})
	c.Stroke(p)
}
