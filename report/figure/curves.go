package figure

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// layCurves lays out lines, points and bands, in one pane or several.
func (d *layout) layCurves() {
	panels := d.Parts()
	shared := ranges(panels)
	all := styles(panels)
	var panes []pane
	for _, unit := range d.Units() {
		y := ranges(unit).y
		for range unit {
			i := len(panes)
			if d.FreeY {
				y = ranges(panels[i : i+1]).y
			}
			panes = append(panes, pane{Figure: panels[i], x: shared.x, y: y, styles: all[i], size: 9})
			if len(panels) > 1 {
				panes[i].title, panes[i].size = panels[i].Title, 8
			}
		}
	}
	d.name(panes)
	if len(panes) == 1 {
		d.layAlone(panes[0], shared)
	} else {
		d.layGrid(panes, shared)
	}
	for i := range d.panes { // the width of the panes is known now
		p := &d.panes[i]
		shared.tickX(p, len(panes) > 1)
		p.banded = p.crowdedBars()
		p.aside = p.movedBars()
	}
}

// extents has the axes that all panels share, and the values of x.
type extents struct {
	x, y       axis
	at         []float64
	categories []string
	names      []XName
}

// ranges returns the axes of panels that share them. In rows, x has the positions and y the values, as in other figures.
func ranges(panels []Figure) extents {
	var e extents
	rows := panels[0].InRows()
	var ys, ends []float64
	logX, logY, never := false, false, false
	var xlim, ylim *[2]float64
	for _, f := range panels {
		never = never || f.NonNegative
		logX, logY = logX || f.LogX, logY || f.LogY
		xlim, ylim = cmp.Or(xlim, f.XLim), cmp.Or(ylim, f.YLim)
		if len(f.Categories) > len(e.categories) {
			e.categories = f.Categories
		}
		if len(f.XNames) > len(e.names) {
			e.names = f.XNames
		}
		for _, s := range f.Series {
			e.at, ys = append(e.at, s.X...), append(ys, s.Y...)
			ends = append(append(ends, s.Lo...), s.Hi...)
		}
		for _, l := range f.Lines {
			switch {
			case l.Vertical != rows:
				e.at = append(e.at, l.At)
			case rows: // bars and dots can be far from the line
				ys = append(ys, l.At)
			default:
				ends = append(ends, l.At)
			}
		}
	}
	zero := slices.Min(append([]float64{0}, ys...)) >= 0
	if rows { // bars begin at zero; dots need not
		logX, logY, xlim, ylim, zero = logY, logX, ylim, xlim, !panels[0].InDots()
	}
	if rows || len(e.categories) > 0 {
		e.x = axis{lo: -0.5, hi: max(float64(len(e.categories))-0.5, 0.5), down: rows}
	} else {
		e.x = newAxis(e.at, nil, logX, false)
		e.x.limit(xlim)
	}
	if never {
		ends = slices.DeleteFunc(ends, func(v float64) bool { return v < 0 })
	}
	e.y = newAxis(ys, ends, logY, !logY && zero)
	if rows && logY { // even the shortest bar needs some length
		e.y.lo /= 1.5
	}
	e.y.limit(ylim)
	return e
}

// overhang limits how far labels may reach beyond a pane, so that they do not touch the labels of the next pane.
const overhang = between/2 - 2

// tickX puts the ticks on the x axis of a pane. neighbours states whether other panes are beside it.
func (e extents) tickX(p *pane, neighbours bool) {
	length := p.box.Max.X - p.box.Min.X
	if e.categories != nil {
		p.x.named(e.categories, 24, 44)
		if p.turned = e.turned(length, p.size); !p.turned {
			return
		}
		if most := int(length / 11); len(e.categories) > most {
			p.x.ticks = nil
			p.x.named(e.categories, max(most, 1), 44)
		}
		return
	}
	beyond := vg.Length(2 * overhang)
	if neighbours {
		beyond = overhang
	}
	p.x.tickAt(e.at, e.names, length, beyond, p.size)
}

// turned reports whether the names of categories do not fit side by side.
func (e extents) turned(length, size vg.Length) bool {
	return (e.widest(size)+6)*vg.Length(len(e.categories)) > length
}

// widest returns the width of the widest name of a category.
func (e extents) widest(size vg.Length) vg.Length {
	return lists.Max(e.categories, func(name string) vg.Length { return width(shorten(name, 44), size) })
}

// tickRoom returns the height of the labels of the x axis of panes of the given width.
func (e extents) tickRoom(length, size vg.Length) vg.Length {
	if e.categories == nil || !e.turned(length, size) {
		return tickRow
	}
	return e.widest(size) + 10
}

// layAlone places a pane that is alone on its sheet.
func (d *layout) layAlone(p pane, e extents) {
	p.y.tickRound(6)
	length := d.width - 2*edging - yLabel - p.tickRoom() - d.margin()
	d.one(p, p.tickRoom(), d.margin(), d.tall(), e.tickRoom(length, p.size))
}

// layGrid places several panes in rows.
func (d *layout) layGrid(panes []pane, e extents) {
	columns := d.gridColumns()
	cells := d.cells()
	room := vg.Length(0)
	for i := range panes {
		p := &panes[i]
		if p.bare = cells[i].column > 0 && !d.FreeY; i > 0 && p.YLabel == panes[i-1].YLabel && !d.FreeY {
			p.y.ticks = panes[i-1].y.ticks
		} else {
			p.y.tickRound(4)
		}
		room = max(room, p.tickRoom())
	}
	margin, between := edging+yLabel+room, vg.Length(between)
	if d.FreeY {
		between = room + 10
	}
	wide := (d.width - margin - edging - 10 - between*vg.Length(columns-1)) / vg.Length(columns)
	high := min(wide*1.05, 175)
	if columns == 1 && len(panes) == len(d.Units()) { // the panels have different units
		high = min(high, stacked)
	}
	for i := range panes {
		panes[i].box.Min.X = margin + vg.Length(cells[i].column)*(wide+between)
		panes[i].box.Max.X = panes[i].box.Min.X + wide
	}
	d.stack(panes, slices.Repeat([]vg.Length{high}, len(panes)), e.tickRoom(wide, panes[0].size))
}

// Intervals are bars, or bands where bars would be crowded. Markers and lines are always at the true x. Bars that would
// hide each other are moved aside by a few points.

// mostAside limits the distance of a bar from its marker, in points.
const mostAside = 3

// HasIntervals reports whether each Y has an interval.
func (s Series) HasIntervals() bool {
	return len(s.Lo) == len(s.Y) && len(s.Hi) == len(s.Y) && len(s.Y) > 0
}

// withIntervals counts the series that have intervals.
func (p pane) withIntervals() int { return lists.Count(p.Series, Series.HasIntervals) }

// crowdedBars reports whether the intervals of several series do not fit side by side between neighbouring points. Then
// all of them are bands.
func (p pane) crowdedBars() bool {
	n := p.withIntervals()
	if n == 0 || len(p.Categories) > 0 {
		return false
	}
	xs := lists.Flat(lists.Where(p.Series, Series.HasIntervals), func(s Series) []float64 { return s.X })
	room := p.x.nearest(xs, p.box.Max.X-p.box.Min.X)
	return room < vg.Length(n-1)*2.5+4
}

// bandOf reports whether the intervals of series i are a band.
func (p pane) bandOf(i int) bool {
	s := p.Series[i]
	return s.HasIntervals() && p.banded && s.Style != Points
}

// bar is the interval of point k of series i, as a vertical stroke.
type bar struct {
	series, k int
	lo, hi    vg.Length
}

// movedBars returns, for each series and point, how far the bar of the interval is moved aside from its marker. A bar
// stays if it can be distinguished from all others at its x. Categories are already apart.
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

// seen is the smallest length, in points, of a bar that is visible outside its marker.
const seen = 12

// overlapping returns groups of bars that would hide each other, each in the order of the series. Bars that are hidden by
// their markers are not included.
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

// intervals draws the intervals of series i as bars.
func (p pane) intervals(c draw.Canvas, i int) {
	s := p.Series[i]
	if !s.HasIntervals() {
		return
	}
	style, cap := draw.LineStyle{Color: p.styles[i].color, Width: 1}, vg.Point{X: 2.5}
	switch {
	case s.Style == Dots:
		style.Width, cap = 1.4, vg.Point{}
	case p.title != "" || p.withIntervals() > 4:
		style.Width, cap.X = 0.8, 1.6
	}
	for k := range s.Y {
		if p.drawable(s, k) && s.Lo[k] < s.Hi[k] {
			p.interval(c, style, s, k, vg.Point{X: p.aside[i][k]}, cap)
		}
	}
}

// interval draws the interval of point k of a series, moved aside by shift. It returns the upper end. cap is half of the
// stroke across each end; an end that lies outside the axes has none.
func (p pane) interval(c draw.Canvas, style draw.LineStyle, s Series, k int, shift, cap vg.Point) (upper vg.Point) {
	stroke := func(a, b vg.Point) { c.StrokeLine2(style, a.X, a.Y, b.X, b.Y) }
	upper = p.at(s, k, s.Hi[k]).Add(shift)
	stroke(p.at(s, k, s.Lo[k]).Add(shift), upper)
	for _, end := range []float64{s.Lo[k], s.Hi[k]} {
		if _, outside := p.values().clamp(end); outside == 0 && cap != (vg.Point{}) {
			at := p.at(s, k, end).Add(shift)
			stroke(at.Sub(cap), at.Add(cap))
		}
	}
	return upper
}

// shadeAlpha is the opacity of bands, which lets the parts below them show.
const shadeAlpha = 0x30

// band draws the intervals of series i as a shaded band around its line.
func (p pane) band(c draw.Canvas, i int) {
	s, shade := p.Series[i], p.styles[i].color
	shade.A = shadeAlpha
	for _, run := range p.runs(s, p.drawable) {
		outline := lists.Map(run, func(k int) vg.Point { return p.at(s, k, s.Lo[k]) })
		for j := len(run) - 1; j >= 0; j-- {
			outline = append(outline, p.at(s, run[j], s.Hi[run[j]]))
		}
		fill(c, shade, outline)
	}
}
