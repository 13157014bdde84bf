package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of a figure. ink, plate and grid follow the page in HTML.
var (
	ink   = color.NRGBA{0x1b, 0x1f, 0x24, 0xff}
	plate = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	grid  = color.NRGBA{0xdd, 0xe2, 0xe7, 0xff}
	grey  = color.NRGBA{0x75, 0x7b, 0x82, 0xff}
)

// look is how one series is told from the others: by colour, marker and dash,
// any one of which would do.
type look struct {
	color  color.Color
	marker draw.GlyphDrawer
	dashes []vg.Length
}

// lookOf cycles colours (Okabe and Ito's, without yellow and black), markers
// and dashes with periods 6, 7 and 5: the first 210 series all differ.
func lookOf(i int) look {
	colors := []color.NRGBA{
		{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff},
		{0xcc, 0x79, 0xa7, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
	}
	markers := []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.CrossGlyph{}, draw.TriangleGlyph{},
	}
	dashes := [][]vg.Length{nil, {7, 3}, {2, 2.5}, {8, 3, 2, 3}, {4, 2}}
	return look{colors[i%len(colors)], markers[i%len(markers)], dashes[i%len(dashes)]}
}

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: 1.6, Dashes: l.dashes}
}

func (l look) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: 3, Shape: l.marker}
}

// bound is the look of what is drawn to compare with.
func bound() look { return look{color: grey, dashes: []vg.Length{3, 2}} }

// curve draws a series as a line, points or a band.
type curve struct {
	Series
	look  look
	x, y  axis
	shift vg.Length // so that the intervals of several series stand side by side
}

// Plot implements plot.Plotter.
func (s curve) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	at := func(i int, y float64) vg.Point {
		x, _ := s.x.clamp(s.X[i])
		y, _ = s.y.clamp(y)
		return vg.Point{X: trX(x) + s.shift, Y: trY(y)}
	}
	if s.Style == Band {
		s.band(c, at)
	} else {
		s.intervals(c, at)
	}
	if s.Style != Points {
		for _, run := range s.runs() {
			var line []vg.Point
			for _, i := range run {
				line = append(line, at(i, s.Y[i]))
			}
			c.StrokeLines(s.look.line(), line)
		}
	}
	if s.look.marker == nil {
		return
	}
	for i, y := range s.Y {
		if !s.drawable(i) {
			continue
		}
		style := s.look.glyph()
		if _, outside := s.y.clamp(y); outside != 0 {
			style.Shape, style.Radius = edge(outside), 4
		}
		c.DrawGlyph(style, at(i, y))
	}
}

func (s curve) drawable(i int) bool {
	_, outside := s.x.clamp(s.X[i])
	return outside == 0 && !math.IsNaN(s.X[i]) && !math.IsNaN(s.Y[i])
}

// runs are the stretches of indices without a gap.
func (s curve) runs() [][]int {
	var out [][]int
	open := false
	for i := range s.Y {
		if !s.drawable(i) {
			open = false
			continue
		}
		if !open {
			out, open = append(out, nil), true
		}
		out[len(out)-1] = append(out[len(out)-1], i)
	}
	return out
}

func (s Series) hasIntervals() bool {
	return len(s.Lo) == len(s.Y) && len(s.Hi) == len(s.Y) && len(s.Y) > 0
}

func (s curve) intervals(c draw.Canvas, at func(int, float64) vg.Point) {
	if !s.hasIntervals() {
		return
	}
	style := draw.LineStyle{Color: s.look.color, Width: 1}
	for i := range s.Y {
		if !s.drawable(i) || !(s.Lo[i] < s.Hi[i]) {
			continue
		}
		lo, hi := at(i, s.Lo[i]), at(i, s.Hi[i])
		c.StrokeLine2(style, lo.X, lo.Y, hi.X, hi.Y)
		for _, e := range []vg.Point{lo, hi} {
			c.StrokeLine2(style, e.X-2.5, e.Y, e.X+2.5, e.Y)
		}
	}
}

func (s curve) band(c draw.Canvas, at func(int, float64) vg.Point) {
	if !s.hasIntervals() {
		return
	}
	r, g, b, _ := s.look.color.RGBA()
	shade := color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0x38}
	for _, run := range s.runs() {
		var outline []vg.Point
		for _, i := range run {
			outline = append(outline, at(i, s.Lo[i]))
		}
		for k := len(run) - 1; k >= 0; k-- {
			outline = append(outline, at(run[k], s.Hi[run[k]]))
		}
		c.FillPolygon(shade, outline)
	}
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

// rule draws a reference line across the figure.
type rule struct {
	ReferenceLine
	x, y axis
	text draw.TextStyle
}

// Plot implements plot.Plotter.
func (r rule) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	style := draw.LineStyle{Color: grey, Width: 1.2, Dashes: []vg.Length{3, 2}}
	if !r.Vertical {
		if _, outside := r.y.clamp(r.At); outside == 0 && !math.IsNaN(r.At) {
			c.StrokeLine2(style, c.Min.X, trY(r.At), c.Max.X, trY(r.At))
		}
		return
	}
	if _, outside := r.x.clamp(r.At); outside != 0 || math.IsNaN(r.At) {
		return
	}
	x := trX(r.At)
	c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
	t := r.text
	t.XAlign, t.YAlign = draw.XLeft, draw.YTop
	at := vg.Point{X: x + 4, Y: c.Max.Y - 2}
	if x+4+t.Width(r.Label) > c.Max.X {
		t.XAlign, at.X = draw.XRight, x-4
	}
	c.FillText(t, at, r.Label)
}

// rows draws light horizontal lines at the labelled ticks.
type rows struct{ y axis }

// Plot implements plot.Plotter.
func (g rows) Plot(c draw.Canvas, p *plot.Plot) {
	_, trY := p.Transforms(&c)
	for _, t := range g.y.ticks {
		if t.Label != "" {
			c.StrokeLine2(draw.LineStyle{Color: grid, Width: 0.75}, c.Min.X, trY(t.Value), c.Max.X, trY(t.Value))
		}
	}
}
