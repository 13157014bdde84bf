package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// Intervals are bars, or bands where bars would be crowded. Markers and lines stand at
// their true x always; bars that would hide each other stand a little beside them.

// mostAside limits the distance of a bar from its marker, in points.
const mostAside = 3

// HasIntervals reports whether each Y has an interval.
func (s Series) HasIntervals() bool {
	return len(s.Lo) == len(s.Y) && len(s.Hi) == len(s.Y) && len(s.Y) > 0
}

// withIntervals counts the series whose intervals are bars unless they are crowded.
func (p pane) withIntervals() int {
	n := 0
	for _, s := range p.Series {
		if s.HasIntervals() && s.Style != Band && s.Style != Shade {
			n++
		}
	}
	return n
}

// crowdedBars reports whether the intervals of several series would not fit side by side between
// neighbouring points: then all are drawn as bands.
func (p pane) crowdedBars() bool {
	n := p.withIntervals()
	if n == 0 || len(p.Categories) > 0 {
		return false
	}
	var xs []float64
	for _, s := range p.Series {
		if s.HasIntervals() {
			xs = append(xs, s.X...)
		}
	}
	room := p.x.nearest(xs, p.box.Max.X-p.box.Min.X)
	return room < vg.Length(n-1)*2.5+4
}

// bandOf reports whether the intervals of series i are a band.
func (p pane) bandOf(i int) bool {
	s := p.Series[i]
	return s.HasIntervals() && (s.Style == Band || s.Style == Shade || p.banded && s.Style != Points)
}

// bar is the interval of point k of series i as a vertical stroke.
type bar struct {
	series, k int
	lo, hi    vg.Length
}

// movedBars returns how far each interval, by series and point, stands beside its marker: not at
// all where it can be told apart from all others at its x. Categories have been moved apart
// already.
func (p pane) movedBars() [][]vg.Length {
	aside := make([][]vg.Length, len(p.Series))
	at := map[float64][]bar{}
	for i, s := range p.Series {
		aside[i] = make([]vg.Length, len(s.Y))
		if !s.HasIntervals() || p.bandOf(i) || len(p.Categories) > 0 {
			continue
		}
		for k := range s.Y {
			if p.drawable(s, k) && s.Lo[k] < s.Hi[k] {
				at[s.X[k]] = append(at[s.X[k]], bar{i, k, p.at(s, k, s.Lo[k]).Y, p.at(s, k, s.Hi[k]).Y})
			}
		}
	}
	for _, bars := range at {
		for _, group := range overlapping(bars) {
			step := min(2, 2*mostAside/vg.Length(max(len(group)-1, 1)))
			for j, b := range group {
				aside[b.series][b.k] = (vg.Length(j) - vg.Length(len(group)-1)/2) * step
			}
		}
	}
	return aside
}

// seen is the length from which a bar reaches out of its marker, in points.
const seen = 12

// overlapping returns the groups of bars that would hide each other, each in the order of its
// series. Bars that their markers hide need not be told apart.
func overlapping(bars []bar) [][]bar {
	slices.SortFunc(bars, func(a, b bar) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.series, b.series)) })
	var groups [][]bar
	top := vg.Length(0)
	for i, b := range bars {
		if i == 0 || b.lo > top {
			groups, top = append(groups, nil), b.hi
		}
		last := &groups[len(groups)-1]
		*last, top = append(*last, b), max(top, b.hi)
	}
	groups = slices.DeleteFunc(groups, func(g []bar) bool {
		return !slices.ContainsFunc(g, func(b bar) bool { return b.hi-b.lo > seen })
	})
	for _, g := range groups {
		slices.SortFunc(g, func(a, b bar) int { return cmp.Compare(a.series, b.series) })
	}
	return groups
}

// intervals draws the intervals of series i as bars. An end that lies outside the axes
// has no cap.
func (p pane) intervals(c draw.Canvas, i int) {
	s := p.Series[i]
	if !s.HasIntervals() {
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
		lo, hi := p.at(s, k, s.Lo[k]), p.at(s, k, s.Hi[k])
		x := lo.X + p.aside[i][k]
		c.StrokeLine2(style, x, lo.Y, x, hi.Y)
		for _, end := range []float64{s.Lo[k], s.Hi[k]} {
			if _, outside := p.y.clamp(end); outside == 0 {
				c.StrokeLine2(style, x-cap, p.py(end), x+cap, p.py(end))
			}
		}
	}
}

// shadeAlpha is the opacity of shades: they show what lies below them, and each other.
const shadeAlpha = 0x30

// band draws the intervals of series i as a shade around its line.
func (p pane) band(c draw.Canvas, i int) {
	s, shade := p.Series[i], p.looks[i].color
	shade.A = shadeAlpha
	for _, run := range p.runs(s, p.drawable) {
		var outline []vg.Point
		for _, k := range run {
			outline = append(outline, p.at(s, k, s.Lo[k]))
		}
		for j := len(run) - 1; j >= 0; j-- {
			outline = append(outline, p.at(s, run[j], s.Hi[run[j]]))
		}
		fill(c, shade, outline)
	}
}

// layHeat lays out a heat map: square-ish cells, names at both sides.
func (d *layout) layHeat() {
	h := d.Heat
	n, m := len(h.Rows), len(h.Columns)
	p := pane{Figure: d.Figure, size: 9, blind: true}
	p.x = axis{lo: -0.5, hi: max(float64(m)-0.5, 0.5)}
	p.y = axis{lo: -0.5, hi: max(float64(n)-0.5, 0.5)}
	p.x.marked(h.ColumnMarks, h.Columns, func(j float64) float64 { return j }, 40, 44)
	p.y.marked(h.RowMarks, h.Rows, func(i float64) float64 { return float64(n-1) - i }, 60, d.letters(44))
	ticks := vg.Length(tickRow)
	total, widest := vg.Length(0), vg.Length(0)
	for _, t := range p.x.ticks {
		w := width(t.label, p.size)
		total, widest = total+w+8, max(widest, w)
	}
	if total > d.width-2*edging-yLabel-62-p.left() { // the names would not fit side by side
		p.turned, ticks = true, widest+10
	}
	each := vg.Length(18)
	if len(h.ColumnMarks) > 0 { // square fields, as far as the sheet is wide
		each = min(each, (d.width-p.left()-62)/vg.Length(max(m, 1)))
	}
	d.one(p, p.left(), 62, min(max(vg.Length(n)*each, 60), 600), ticks)
}

// marked labels an axis with the marks, or with the names where there are none.
func (a *axis) marked(marks []XName, names []string, position func(i float64) float64, most, letters int) {
	if len(marks) == 0 {
		a.named(names, func(i int) float64 { return position(float64(i)) }, most, letters)
		return
	}
	for _, m := range marks {
		a.ticks = append(a.ticks, tick{value: position(m.At), label: shorten(m.Name, letters)})
	}
}

// fraction returns the part of the scale, from 0 to 1, at which a value lies.
func (h Heat) fraction(z, largest float64) float64 {
	switch {
	case largest <= 0:
		return 0
	case h.Log:
		return math.Log1p(max(z, 0)) / math.Log1p(largest)
	}
	return z / largest
}

// at returns the value at a part of the scale.
func (h Heat) at(share, largest float64) float64 {
	if h.Log {
		return math.Expm1(share * math.Log1p(largest))
	}
	return share * largest
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
		for j := 0; j < len(r); j++ {
			z, from := r[j], j
			if !wording.IsFinite(z) {
				continue
			}
			for len(h.ColumnMarks) > 0 && z == 0 && j+1 < len(r) && r[j+1] == 0 { // thousands of empty fields
				j++
			}
			t := h.fraction(z, largest)
			x0, x1, y0, y1 := p.px(float64(from)-0.47), p.px(float64(j)+0.47), p.py(y-0.47), p.py(y+0.47)
			outline := []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
			fill(c, shade(t), outline)
			if len(h.ColumnMarks) > 0 {
				continue
			}
			c.StrokeLines(draw.LineStyle{Color: grey, Width: 0.4}, append(outline, outline[0])) // dark cells end on dark pages, too
			label, style := cellNumber(z), words(7)
			if style.Color, style.XAlign = color.Black, draw.XCenter; t > 0.55 {
				style.Color = color.NRGBA{0xfe, 0xfe, 0xfe, 0xff} // not the page's, which may be dark
			}
			if width(label, 7) < x1-x0-2 && y1-y0 > 9 {
				c.FillText(style, vg.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}, label)
			}
		}
	}
}

// cellNumber writes a value in a cell: 0.95 and 1 are two colours that nobody tells apart.
func cellNumber(z float64) string { return wording.Decimal(z, 2) }

// scale draws the colours with their values at the right of the map.
func (d layout) scale(c draw.Canvas) {
	const steps = 24
	box := d.panes[0].box
	x := box.Max.X + 12
	height := min(box.Max.Y-box.Min.Y, 150)
	bottom := box.Max.Y - height
	for k := range steps {
		y0, y1 := bottom+height*vg.Length(k)/steps, min(bottom+height*vg.Length(k+1)/steps+0.5, box.Max.Y) // over the next, so that no seam shows
		fill(c, shade((float64(k)+0.5)/steps), []vg.Point{{X: x, Y: y0}, {X: x + 10, Y: y0}, {X: x + 10, Y: y1}, {X: x, Y: y1}})
	}
	largest := d.Heat.largest()
	for k := range 3 {
		share := float64(k) / 2
		c.FillText(words(8), vg.Point{X: x + 13, Y: bottom + height*vg.Length(share)}, wording.Decimal(d.Heat.at(share, largest), 2))
	}
	c.FillText(words(8), vg.Point{X: x, Y: bottom - 9}, shorten(d.Heat.Label, 14))
}
