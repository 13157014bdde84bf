package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// layBars is the layout of horizontal bars: a row for each category.
func (d *drawing) layBars() {
	var values, ends []float64
	for _, s := range d.Series {
		values = append(values, s.Y...)
		ends = append(append(ends, s.Lo...), s.Hi...)
	}
	for _, l := range d.Lines {
		if l.Vertical {
			values = append(values, l.At)
		}
	}
	n := len(d.Categories)
	d.x = newAxis(values, ends, d.LogX, !d.LogX)
	if d.LogX { // the shortest bar needs some length
		d.x.lo /= 1.5
	}
	d.x.tickRound(6)
	d.y = axis{lo: -0.5, hi: max(float64(n)-0.5, 0.5)}
	d.y.named(d.Categories, func(i int) float64 { return float64(n - 1 - i) }, 80)
	d.height = 70 + vg.Length(min(max(n, 2), 60))*20
}

// bars draws a series as horizontal bars, first category on top, with the value
// in figures at the end of each.
type bars struct {
	Series
	look look
	x    axis
	n    int // categories
	text draw.TextStyle
}

// Plot implements plot.Plotter.
func (s bars) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	base, _ := s.x.clamp(0)
	if s.x.log {
		base = s.x.lo
	}
	for i, v := range s.Y {
		if math.IsNaN(v) {
			continue
		}
		end, outside := s.x.clamp(v)
		y := trY(float64(s.n-1) - s.X[i])
		half := (trY(1) - trY(0)) * 0.32
		x0, x1 := trX(base), trX(end)
		c.FillPolygon(s.look.color, []vg.Point{{X: x0, Y: y - half}, {X: x1, Y: y - half}, {X: x1, Y: y + half}, {X: x0, Y: y + half}})
		right := max(x0, x1)
		if s.hasIntervals() && s.Lo[i] < s.Hi[i] {
			lo, _ := s.x.clamp(s.Lo[i])
			hi, _ := s.x.clamp(s.Hi[i])
			style := draw.LineStyle{Color: ink, Width: 1.1}
			c.StrokeLine2(style, trX(lo), y, trX(hi), y)
			c.StrokeLine2(style, trX(lo), y-half/2, trX(lo), y+half/2)
			c.StrokeLine2(style, trX(hi), y-half/2, trX(hi), y+half/2)
			right = max(right, trX(hi))
		}
		label := decimal(v, 3)
		if outside > 0 {
			label += " →"
		}
		c.FillText(s.text, vg.Point{X: right + 4, Y: y + 1}, label)
	}
}
