package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// layHeat lays out a heat map: square-ish cells, names at both sides.
func (d *layout) layHeat() {
	h := d.Heat
	n, m := len(h.Rows), len(h.Columns)
	p := pane{Figure: d.Figure, size: 9, blind: true}
	p.x = axis{lo: -0.5, hi: max(float64(m)-0.5, 0.5)}
	p.y = axis{lo: -0.5, hi: max(float64(n)-0.5, 0.5)}
	p.x.named(h.Columns, func(j int) float64 { return float64(j) }, 40, 44)
	p.y.named(h.Rows, func(i int) float64 { return float64(n - 1 - i) }, 60, d.letters(44))
	ticks := vg.Length(tickRow)
	total, widest := vg.Length(0), vg.Length(0)
	for _, t := range p.x.ticks {
		w := width(t.label, p.size)
		total, widest = total+w+8, max(widest, w)
	}
	if total > d.width-2*edging-yLabel-62-p.left() { // the names would not fit side by side
		p.turned, ticks = true, widest+10
	}
	d.one(p, p.left(), 62, min(max(vg.Length(n)*18, 60), 600), ticks)
}

// largest returns the value that gets the darkest colour.
func (h Heat) largest() float64 {
	largest := 0.0
	for _, r := range h.Z {
		for _, z := range r {
			if wording.IsFinite(z) {
				largest = max(largest, z)
			}
		}
	}
	return largest
}

// shade returns the colour of the fraction t in [0, 1] of the largest value: from nearly white to
// dark blue, lightness falling evenly.
func shade(t float64) color.Color {
	stops := [][3]float64{{0xf7, 0xfb, 0xff}, {0xc6, 0xdb, 0xef}, {0x6b, 0xae, 0xd6}, {0x21, 0x71, 0xb5}, {0x08, 0x30, 0x6b}}
	at := min(max(t, 0), 1) * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	f := at - float64(i)
	mix := func(k int) uint8 { return uint8(math.Round(stops[i][k]*(1-f) + stops[i+1][k]*f)) }
	return color.NRGBA{mix(0), mix(1), mix(2), 0xff}
}

// cells draws the rectangles of a heat map, first row on top. What is not finite
// stays empty.
func (p pane) cells(c draw.Canvas) {
	h := p.Heat
	largest := h.largest()
	for i, r := range h.Z {
		y := float64(len(h.Z) - 1 - i)
		for j, z := range r {
			if !wording.IsFinite(z) {
				continue
			}
			t := 0.0
			if largest > 0 {
				t = z / largest
			}
			x0, x1, y0, y1 := p.px(float64(j)-0.47), p.px(float64(j)+0.47), p.py(y-0.47), p.py(y+0.47)
			fill(c, shade(t), []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
		}
	}
}

// scale draws the colours with their values at the right of the map.
func (d layout) scale(c draw.Canvas) {
	const steps = 24
	box := d.panes[0].box
	x := box.Max.X + 12
	height := min(box.Max.Y-box.Min.Y, 150)
	bottom := box.Max.Y - height
	for k := range steps {
		y0, y1 := bottom+height*vg.Length(k)/steps, bottom+height*vg.Length(k+1)/steps
		fill(c, shade((float64(k)+0.5)/steps), []vg.Point{{X: x, Y: y0}, {X: x + 10, Y: y0}, {X: x + 10, Y: y1}, {X: x, Y: y1}})
	}
	largest := d.Heat.largest()
	for k := range 3 {
		share := float64(k) / 2
		c.FillText(words(8), vg.Point{X: x + 13, Y: bottom + height*vg.Length(share)}, wording.Decimal(share*largest, 2))
	}
	c.FillText(words(8), vg.Point{X: x, Y: bottom - 9}, shorten(d.Heat.Label, 14))
}
