package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// at returns the place of point i of a series with the value y. A value outside the pane is at its edge.
func (p pane) at(s Series, i int, y float64) vg.Point {
	x, _ := p.positions().clamp(s.X[i])
	y, _ = p.values().clamp(y)
	if p.InRows() {
		x, y = y, x
	}
	return vg.Point{X: p.px(x), Y: p.py(y)}
}

// positions returns the axis of the X of points, and values that of their Y. In rows, values are along x.
func (p pane) positions() axis {
	if p.InRows() {
		return p.y
	}
	return p.x
}

func (p pane) values() axis {
	if p.InRows() {
		return p.x
	}
	return p.y
}

// alone is the length of the stroke for a line that has one point and no marker.
const alone = 16

// curve draws series i as a line with markers, as points, or as dots in rows.
func (p pane) curve(c draw.Canvas, i int) {
	s, style := p.Series[i], p.styles[i]
	if !p.bandOf(i) {
		p.intervals(c, i)
	}
	if s.Style != Points && s.Style != Dots {
		for _, run := range p.runs(s, p.inside) {
			line := lists.Map(run, func(k int) vg.Point { return p.at(s, k, s.Y[k]) })
			if at := line[0]; len(line) == 1 && style.mark == nil {
				line = []vg.Point{{X: at.X - alone/2, Y: at.Y}, {X: at.X + alone/2, Y: at.Y}}
			}
			c.StrokeLines(style.line(), line)
		}
	}
	if style.mark == nil {
		return
	}
	for k, y := range s.Y {
		if !p.drawable(s, k) {
			continue
		}
		marker := style.marker(p.title != "" && s.Style != Dots)
		if _, outside := p.values().clamp(y); outside != 0 {
			marker.Shape, marker.Radius = edge{outside, s.Style == Dots}, marker.Radius+1+1.2*vg.Length(p.above(i, outside))
		}
		c.DrawGlyph(marker, p.at(s, k, y))
	}
}

func (p pane) drawable(s Series, k int) bool {
	_, outside := p.positions().clamp(s.X[k])
	return outside == 0 && !math.IsNaN(s.X[k]) && !math.IsNaN(s.Y[k])
}

// above counts the later series that also have points at this edge. Markers at the edge are nested, because several can
// have the same place.
func (p pane) above(i, edge int) int {
	n := 0
	for _, s := range p.Series[i+1:] {
		for k, y := range s.Y {
			if _, outside := p.values().clamp(y); outside == edge && p.drawable(s, k) {
				n++
				break
			}
		}
	}
	return n
}

// inside reports whether a point lies within the axes. No line leads to a point at the edge, because the edge is not the
// point's value.
func (p pane) inside(s Series, k int) bool {
	_, outside := p.values().clamp(s.Y[k])
	return outside == 0 && p.drawable(s, k)
}

// runs returns groups of consecutive indices whose points can be drawn.
func (p pane) runs(s Series, drawable func(Series, int) bool) [][]int {
	var out [][]int
	open := false
	for k := range s.Y {
		if !drawable(s, k) {
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

// polygons are the corners of open markers, in units of the radius.
var polygons = map[string][][2]vg.Length{
	"square":   {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}},
	"diamond":  {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}},
	"triangle": {{0, -1.2}, {-1.05, 0.65}, {1.05, 0.65}},
}

// open is a cross, or an open marker that hides the line below it.
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
	switch corners := polygons[o.shape]; {
	case o.shape == "cross":
		to(true, -r, -r)
		to(false, r, r)
		to(true, -r, r)
		to(false, r, -r)
	case corners != nil:
		for k, q := range corners {
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

// edge is an open triangle that points out of the figure, in the direction of the value.
type edge struct {
	towards int  // 1 for up or right, -1 for down or left
	aside   bool // right or left
}

// DrawGlyph implements draw.GlyphDrawer.
func (e edge) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	tip, side := vg.Point{Y: vg.Length(e.towards) * style.Radius}, vg.Point{X: style.Radius}
	if e.aside {
		tip, side = vg.Point{X: tip.Y}, vg.Point{Y: side.X}
	}
	var p vg.Path
	p.Move(at.Add(tip))
	p.Line(at.Sub(tip).Add(side))
	p.Line(at.Sub(tip).Sub(side))
	p.Close()
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: 1})
	c.Stroke(p)
}

// bars draws the series as horizontal bars, first category and first series at the top. The value is written at the end of
// each bar.
func (p pane) bars(c draw.Canvas) {
	base, _ := p.x.clamp(0)
	if p.x.log {
		base = p.x.lo
	}
	n := len(p.Series)
	// the height of a bar with the space around it
	slot := (p.py(0) - p.py(1)) * 0.72 / vg.Length(n)
	half := slot * 0.46
	for k, s := range p.Series {
		for i, v := range s.Y {
			if math.IsNaN(v) {
				continue
			}
			_, outside := p.x.clamp(v)
			shift := vg.Point{Y: (vg.Length(n-1)/2 - vg.Length(k)) * slot}
			end := p.at(s, i, v).Add(shift)
			x0, x1, y := p.px(base), end.X, end.Y
			fill(c, p.styles[k].color, []vg.Point{{X: x0, Y: y - half}, {X: x1, Y: y - half}, {X: x1, Y: y + half}, {X: x0, Y: y + half}})
			right := max(x0, x1)
			if s.HasIntervals() && s.Lo[i] < s.Hi[i] {
				right = max(right, p.interval(c, draw.LineStyle{Color: ink, Width: 1.1}, s, i, shift, vg.Point{Y: half / 2}).X)
			}
			label := wording.Decimal(v, 3)
			if outside > 0 {
				label += " →"
			}
			c.FillText(words(min(9, 2*half+1)), vg.Point{X: right + 4, Y: y + 0.5}, label)
		}
	}
}
