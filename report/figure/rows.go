package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lengths of figures in rows, in points.
const (
	dotRow     = 14   // height of a row of dots
	pairedRows = 400  // smallest width of a sheet with two panels of dots side by side
	nameShare  = 0.56 // largest part of a panel's width that names can take
)

// layRows lays out horizontal bars or dots. Each category has a row, with the bars of several series one below another.
func (d *layout) layRows() {
	parts := d.Parts()
	all := styles(parts)
	columns := d.gridColumns()
	wide := (d.width - 2*edging - yLabel) / vg.Length(columns)
	var panes []pane
	for k, f := range parts {
		p := pane{Figure: f, styles: all[k], size: 9, blind: true, aside: make([][]vg.Length, len(f.Series)), x: rowAxis(f)}
		n := len(f.Categories)
		p.y = axis{lo: -0.5, hi: max(float64(n)-0.5, 0.5)}
		letters := d.letters(44)
		if f.InDots() { // nameShare limits these names
			letters = 44
		}
		for ; ; letters-- {
			p.y.ticks = nil
			p.y.named(f.Categories, func(i int) float64 { return float64(n - 1 - i) }, 80, letters)
			if !f.InDots() || letters <= 8 || p.tickRoom() <= nameShare*wide {
				break
			}
		}
		if len(parts) > 1 {
			p.title = f.Title
		}
		panes = append(panes, p)
	}
	for i, f := range parts {
		for k, s := range f.Series {
			if len(f.Series) > 1 {
				e := entry{name: s.Name, style: all[i][k], filled: !f.InDots(), bare: f.InDots()}
				if s.Measured {
					e.style.color = ink
				}
				d.add(e, true)
			}
		}
	}
	if len(parts) > 1 || d.InDots() {
		d.layDots(panes, columns, wide)
	} else {
		each := vg.Length(max(20, 10*len(d.Series)+6))
		d.one(panes[0], panes[0].tickRoom(), 44, 12+vg.Length(min(max(len(d.Categories), 2), 60))*each, tickRow)
	}
	for i := range d.panes {
		p := &d.panes[i]
		length := p.box.Max.X - p.box.Min.X
		ticks := 6
		if p.InDots() {
			ticks = int(min(6, max(3, length/45)))
		}
		p.x.tickRound(ticks)
		p.x.thin(length, 2*overhang, p.size)
	}
}

// rowAxis returns the axis of values for rows. Bars begin at zero; dots need not.
func rowAxis(f Figure) axis {
	var values, ends []float64
	for _, s := range f.Series {
		values = append(values, s.Y...)
		ends = append(append(ends, s.Lo...), s.Hi...)
	}
	if f.NonNegative {
		ends = slices.DeleteFunc(ends, func(v float64) bool { return v < 0 })
	}
	for _, l := range f.Lines {
		if l.Vertical {
			values = append(values, l.At)
		}
	}
	x := newAxis(values, ends, f.LogX, !f.LogX && !f.InDots())
	if f.LogX { // even the shortest bar needs some length
		x.lo /= 1.5
	}
	x.limit(f.XLim)
	return x
}

// layDots places panels of dots in rows. Each panel has its names at its left, and a height that follows from its number
// of rows.
func (d *layout) layDots(panes []pane, columns int, wide vg.Length) {
	room := make([]vg.Length, columns) // for the names in each column of panels
	for i, p := range panes {
		room[i%columns] = max(room[i%columns], p.tickRoom())
	}
	var heights []vg.Length // height of each row of panels
	for i, p := range panes {
		if i%columns == 0 {
			heights = append(heights, 0)
		}
		last := &heights[len(heights)-1]
		*last = max(*last, vg.Length(max(len(p.Categories), 2))*dotRow+6)
	}
	above, apart := vg.Length(0), vg.Length(tickRow)
	if len(panes) > 1 {
		above, apart = caption, tickRow+caption+6
	}
	bottom := edging + d.below()
	if d.XLabel != "" {
		bottom += xLabel
	}
	top := bottom
	for _, h := range heights {
		top += h + apart
	}
	d.height = top + d.top()
	for i := range panes {
		row, column, p := i/columns, i%columns, &panes[i]
		y := top
		for _, h := range heights[:row] {
			y -= h + apart
		}
		left := edging + yLabel + vg.Length(column)*wide
		p.box.Max.Y = y - above
		p.box.Min.Y = p.box.Max.Y - vg.Length(max(len(p.Categories), 2))*dotRow - 6
		p.box.Min.X, p.box.Max.X = left+room[column], left+wide-14
	}
	d.panes = panes
}

// dots draws the series as markers with intervals, first category at the top. A value outside the axis is an open triangle
// at the edge.
func (p pane) dots(c draw.Canvas) {
	for i := range p.Categories {
		y := p.py(float64(i))
		c.StrokeLine2(draw.LineStyle{Color: grid, Width: 0.75}, p.box.Min.X, y, p.box.Max.X, y)
	}
	p.lines(c)
	for k, s := range p.Series {
		for i, v := range s.Y {
			if math.IsNaN(v) {
				continue
			}
			at, outside := p.x.clamp(v)
			y := p.py(float64(len(p.Categories)-1) - s.X[i])
			if s.HasIntervals() && s.Lo[i] < s.Hi[i] {
				lo, _ := p.x.clamp(s.Lo[i])
				hi, _ := p.x.clamp(s.Hi[i])
				c.StrokeLine2(draw.LineStyle{Color: p.styles[k].color, Width: 1.4}, p.px(lo), y, p.px(hi), y)
			}
			marker := p.styles[k].marker(false)
			if outside != 0 {
				marker.Shape = side(outside)
			}
			c.DrawGlyph(marker, vg.Point{X: p.px(at), Y: y})
		}
	}
}

// side is an open triangle that points out of the figure, to the left or right, in the direction of the value.
type side int

// DrawGlyph implements draw.GlyphDrawer.
func (s side) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := style.Radius
	out := vg.Length(s) * r
	var p vg.Path
	p.Move(vg.Point{X: at.X + out, Y: at.Y})
	p.Line(vg.Point{X: at.X - out, Y: at.Y + r})
	p.Line(vg.Point{X: at.X - out, Y: at.Y - r})
	p.Close()
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: 1})
	c.Stroke(p)
}
