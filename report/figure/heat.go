package figure

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// layHeat lays out a heat map, with names at the left and below. Cells are nearly square.
func (d *layout) layHeat() {
	h := d.Heat
	n, m := len(h.Rows), len(h.Columns)
	p := pane{Figure: d.Figure, size: 9, blind: true}
	p.x = axis{lo: -0.5, hi: max(float64(m)-0.5, 0.5)}
	p.y = axis{lo: -0.5, hi: max(float64(n)-0.5, 0.5), down: true}
	p.x.marked(h.ColumnMarks, h.Columns, 40, 44)
	p.y.marked(h.RowMarks, h.Rows, 60, d.letters(44))
	ticks := vg.Length(tickRow)
	total, widest := vg.Length(0), vg.Length(0)
	for _, t := range p.x.ticks {
		w := width(t.label, p.size)
		total, widest = total+w+8, max(widest, w)
	}
	if total > d.width-2*edging-yLabel-62-p.tickRoom() { // the names do not fit side by side
		p.turned, ticks = true, widest+10
	}
	each := vg.Length(18)
	if len(h.ColumnMarks) > 0 { // square cells, as far as the width of the sheet allows
		each = min(each, (d.width-p.tickRoom()-62)/vg.Length(max(m, 1)))
	}
	d.one(p, p.tickRoom(), 62, min(max(vg.Length(n)*each, 60), 600), ticks)
}

// marked labels an axis with the marks; without marks, with the names.
func (a *axis) marked(marks []XName, names []string, most, letters int) {
	if len(marks) == 0 {
		a.named(names, most, letters)
		return
	}
	for _, m := range marks {
		a.ticks = append(a.ticks, tick{value: m.At, label: shorten(m.Name, letters)})
	}
}

// fraction returns the place of a value on the scale, from 0 to 1.
func (h Heat) fraction(z, largest float64) float64 {
	switch {
	case largest <= 0:
		return 0
	case h.Log:
		return math.Log1p(max(z, 0)) / math.Log1p(largest)
	}
	return z / largest
}

// at returns the value at a place on the scale, from 0 to 1.
func (h Heat) at(share, largest float64) float64 {
	if h.Log {
		return math.Expm1(share * math.Log1p(largest))
	}
	return share * largest
}

// largest returns the value that gets the darkest colour.
func (h Heat) largest() float64 {
	finite := lists.Where(slices.Concat(h.Z...), wording.IsFinite)
	return lists.Max(finite, func(z float64) float64 { return z })
}

// shade returns the colour for a fraction t in [0, 1] of the largest value, from nearly white to dark blue. Lightness
// falls evenly.
func shade(t float64) color.Color {
	stops := [][3]float64{{0xf7, 0xfb, 0xff}, {0xc6, 0xdb, 0xef}, {0x6b, 0xae, 0xd6}, {0x21, 0x71, 0xb5}, {0x08, 0x30, 0x6b}}
	at := min(max(t, 0), 1) * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	f := at - float64(i)
	mix := func(k int) uint8 { return uint8(math.Round(stops[i][k]*(1-f) + stops[i+1][k]*f)) }
	return color.NRGBA{mix(0), mix(1), mix(2), 0xff}
}

// cells draws the rectangles of a heat map, first row at the top. Values that are not finite stay empty.
func (p pane) cells(c draw.Canvas) {
	h := p.Heat
	largest := h.largest()
	for i, r := range h.Z {
		y := float64(i)
		for j := 0; j < len(r); j++ {
			z, from := r[j], j
			if !wording.IsFinite(z) {
				continue
			}
			for len(h.ColumnMarks) > 0 && z == 0 && j+1 < len(r) && r[j+1] == 0 { // thousands of empty cells are drawn as one
				j++
			}
			t := h.fraction(z, largest)
			x0, x1, y0, y1 := p.px(float64(from)-0.47), p.px(float64(j)+0.47), p.py(y+0.47), p.py(y-0.47)
			outline := []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
			fill(c, shade(t), outline)
			if len(h.ColumnMarks) > 0 {
				continue
			}
			// the outline shows where dark cells end on a dark page
			c.StrokeLines(draw.LineStyle{Color: grey, Width: 0.4}, append(outline, outline[0]))
			label, style := cellNumber(z), words(7)
			if style.Color, style.XAlign = color.Black, draw.XCenter; t > 0.55 {
				style.Color = color.NRGBA{0xfe, 0xfe, 0xfe, 0xff} // not the colour of the page, which may be dark
			}
			if width(label, 7) < x1-x0-2 && y1-y0 > 9 {
				c.FillText(style, vg.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}, label)
			}
		}
	}
}

// cellNumber writes the value of a cell with few digits. The eye cannot distinguish the colours of 0.95 and 1.
func cellNumber(z float64) string { return wording.Decimal(z, 2) }

// scale draws the scale of colours with its values, to the right of the map.
func (d layout) scale(c draw.Canvas) {
	const steps = 24
	box := d.panes[0].box
	x := box.Max.X + 12
	height := min(box.Max.Y-box.Min.Y, 150)
	bottom := box.Max.Y - height
	for k := range steps {
		// a step overlaps the next one, so that no seam is visible
		y0, y1 := bottom+height*vg.Length(k)/steps, min(bottom+height*vg.Length(k+1)/steps+0.5, box.Max.Y)
		fill(c, shade((float64(k)+0.5)/steps), []vg.Point{{X: x, Y: y0}, {X: x + 10, Y: y0}, {X: x + 10, Y: y1}, {X: x, Y: y1}})
	}
	largest := d.Heat.largest()
	for k := range 3 {
		share := float64(k) / 2
		c.FillText(words(8), vg.Point{X: x + 13, Y: bottom + height*vg.Length(share)}, wording.Decimal(d.Heat.at(share, largest), 2))
	}
	c.FillText(words(8), vg.Point{X: x, Y: bottom - 9}, shorten(d.Heat.Label, 14))
}
