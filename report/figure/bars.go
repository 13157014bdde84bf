package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// layBars lays out horizontal bars: a row for each category, in which the bars of several series
// stand below each other.
func (d *layout) layBars() {
	var values, ends []float64
	for _, s := range d.Series {
		values = append(values, s.Y...)
		ends = append(append(ends, s.Lo...), s.Hi...)
	}
	if d.NonNegative {
		ends = slices.DeleteFunc(ends, func(v float64) bool { return v < 0 })
	}
	for _, l := range d.Lines {
		if l.Vertical {
			values = append(values, l.At)
		}
	}
	n := len(d.Categories)
	p := pane{Figure: d.Figure, looks: looks([]Figure{d.Figure})[0], size: 9, blind: true, aside: make([][]vg.Length, len(d.Series))}
	p.x = newAxis(values, ends, d.LogX, !d.LogX)
	if d.LogX { // the shortest bar needs some length
		p.x.lo /= 1.5
	}
	p.x.limit(d.XLim)
	p.y = axis{lo: -0.5, hi: max(float64(n)-0.5, 0.5)}
	p.y.named(d.Categories, func(i int) float64 { return float64(n - 1 - i) }, 80, d.letters(44))
	if len(d.Series) > 1 {
		for i, s := range d.Series {
			d.entries = append(d.entries, entry{name: s.Name, look: p.looks[i], filled: true})
		}
	}
	each := vg.Length(max(20, 10*len(d.Series)+6))
	d.one(p, p.left(), 44, 12+vg.Length(min(max(n, 2), 60))*each, tickRow)
	only := &d.panes[0]
	only.x.tickRound(6)
	only.x.thin(only.box.Max.X-only.box.Min.X, 2*overhang, only.size)
}

// bars draws the series as horizontal bars, first category and first series on top,
// with the value in figures at the end of each.
func (p pane) bars(c draw.Canvas) {
	base, _ := p.x.clamp(0)
	if p.x.log {
		base = p.x.lo
	}
	n := len(p.Series)
	// the height of a bar with the space around it
	slot := (p.py(1) - p.py(0)) * 0.72 / vg.Length(n)
	half := slot * 0.46
	for k, s := range p.Series {
		for i, v := range s.Y {
			if math.IsNaN(v) {
				continue
			}
			end, outside := p.x.clamp(v)
			y := p.py(float64(len(p.Categories)-1)-s.X[i]) + (vg.Length(n-1)/2-vg.Length(k))*slot
			x0, x1 := p.px(base), p.px(end)
			fill(c, p.looks[k].color, []vg.Point{{X: x0, Y: y - half}, {X: x1, Y: y - half}, {X: x1, Y: y + half}, {X: x0, Y: y + half}})
			right := max(x0, x1)
			if s.HasIntervals() && s.Lo[i] < s.Hi[i] {
				right = max(right, p.whisker(c, s.Lo[i], s.Hi[i], y, half))
			}
			label := wording.Decimal(v, 3)
			if outside > 0 {
				label += " →"
			}
			c.FillText(words(min(9, 2*half+1)), vg.Point{X: right + 4, Y: y + 0.5}, label)
		}
	}
}

// whisker draws the interval of a bar and returns its right end.
func (p pane) whisker(c draw.Canvas, from, to float64, y, half vg.Length) vg.Length {
	lo, _ := p.x.clamp(from)
	hi, _ := p.x.clamp(to)
	style := draw.LineStyle{Color: ink, Width: 1.1}
	c.StrokeLine2(style, p.px(lo), y, p.px(hi), y)
	for _, end := range []float64{from, to} {
		if _, outside := p.x.clamp(end); outside == 0 { // one that lies outside has no cap
			c.StrokeLine2(style, p.px(end), y-half/2, p.px(end), y+half/2)
		}
	}
	return p.px(hi)
}
