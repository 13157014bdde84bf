package report

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// labels writes every name beside the end of its line, moved apart where they
// would overlap, with a thin line from the end to the name.
func (d drawing) labels(c, data draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&data)
	type label struct {
		entry
		from vg.Point
		y    vg.Length
	}
	var ls []label
	for _, e := range d.entries {
		if e.name == "" || !e.placed {
			continue
		}
		y, _ := d.y.clamp(e.y)
		from := vg.Point{X: trX(e.x) + e.shift, Y: trY(y)}
		ls = append(ls, label{e, from, from.Y})
	}
	slices.SortStableFunc(ls, func(a, b label) int { return cmp.Compare(a.y, b.y) })
	// Push up from the bottom, then down from the top: the order stays.
	for i := 1; i < len(ls); i++ {
		ls[i].y = max(ls[i].y, ls[i-1].y+lineHeight)
	}
	top := c.Max.Y - lineHeight/2
	for i := len(ls) - 1; i >= 0; i-- {
		ls[i].y = min(ls[i].y, top)
		top = ls[i].y - lineHeight
	}
	left := data.Max.X + 12
	for _, l := range ls {
		thin := draw.LineStyle{Color: l.look.color, Width: 0.5}
		c.StrokeLine2(thin, l.from.X+4, l.from.Y, left-2, l.y)
		sample(c, l.entry, vg.Point{X: left, Y: l.y})
		c.FillText(words(9), vg.Point{X: left + 18, Y: l.y + 1}, shorten(l.name, 34))
	}
}

// sample is a short piece of a line with its marker.
func sample(c draw.Canvas, e entry, at vg.Point) {
	if !e.bare {
		c.StrokeLine2(e.look.line(), at.X, at.Y, at.X+14, at.Y)
	}
	if e.look.marker != nil {
		c.DrawGlyph(e.look.glyph(), vg.Point{X: at.X + 7, Y: at.Y})
	}
}

// legendColumns is how many names fit side by side, and how wide each column is.
func (d drawing) legendColumns() (n int, width vg.Length) {
	t := words(9)
	for _, e := range d.entries {
		width = max(width, t.Width(shorten(e.name, 60))+34)
	}
	return max(1, int((sheetWidth-24)/max(width, 1))), width
}

func (d drawing) legendRows() int {
	named := 0
	for _, e := range d.entries {
		if e.name != "" {
			named++
		}
	}
	columns, _ := d.legendColumns()
	return (named + columns - 1) / columns
}

// below is the room that the legend takes below the plot.
func (d drawing) below() vg.Length {
	n := d.legendRows()
	if d.direct || n == 0 {
		return 0
	}
	return vg.Length(n)*lineHeight + 6
}

// legend writes the names in rows below the plot.
func (d drawing) legend(c draw.Canvas) {
	columns, width := d.legendColumns()
	lines := vg.Length(d.legendRows())
	k := 0
	for _, e := range d.entries {
		if e.name == "" {
			continue
		}
		at := vg.Point{
			X: c.Min.X + 10 + vg.Length(k%columns)*width,
			Y: c.Min.Y + lines*lineHeight - vg.Length(k/columns)*lineHeight - lineHeight/2,
		}
		sample(c, e, at)
		c.FillText(words(9), vg.Point{X: at.X + 20, Y: at.Y + 1}, shorten(e.name, 60))
		k++
	}
}
