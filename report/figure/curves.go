package figure

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
)

// layCurves lays out lines, points and bands, in one pane or several.
func (d *layout) layCurves() {
	panels := d.Parts()
	shared := ranges(panels)
	all := looks(panels)
	panes := make([]pane, len(panels))
	for i, f := range panels {
		panes[i] = pane{Figure: f, x: shared.x, y: shared.y, looks: all[i], size: 9}
		if len(panels) > 1 {
			panes[i].title, panes[i].size = f.Title, 8
		}
	}
	d.name(panes)
	if len(panes) == 1 {
		d.layAlone(panes[0], shared)
		return
	}
	d.layGrid(panes, shared)
}

// extents are the axes that all panels share, and the values at x.
type extents struct {
	x, y       axis
	at         []float64
	categories []string
	names      []XName
}

func ranges(panels []Figure) extents {
	var e extents
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
			if l.Vertical {
				e.at = append(e.at, l.At)
			} else {
				ends = append(ends, l.At)
			}
		}
	}
	if len(e.categories) > 0 {
		e.x = axis{lo: -0.5, hi: float64(len(e.categories)) - 0.5}
	} else {
		e.x = newAxis(e.at, nil, logX, false)
		e.x.limit(xlim)
	}
	if never {
		ends = slices.DeleteFunc(ends, func(v float64) bool { return v < 0 })
	}
	e.y = newAxis(ys, ends, logY, !logY && slices.Min(append([]float64{0}, ys...)) >= 0)
	e.y.limit(ylim)
	return e
}

// overhang limits how far the labels of a pane reach beyond it on either side, so that they do not
// touch its neighbours' labels.
const overhang = between/2 - 2

// tickX puts the ticks of the x axis of a pane, which may have neighbours.
func (e extents) tickX(p *pane, neighbours bool) {
	length := p.box.Max.X - p.box.Min.X
	if e.categories != nil {
		p.x.named(e.categories, func(i int) float64 { return float64(i) }, 24, 44)
		if p.turned = e.turned(length, p.size); !p.turned {
			return
		}
		if most := int(length / 11); len(e.categories) > most {
			p.x.ticks = nil
			p.x.named(e.categories, func(i int) float64 { return float64(i) }, max(most, 1), 44)
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
	total := vg.Length(0)
	for _, name := range e.categories {
		total = max(total, width(shorten(name, 44), size)+6)
	}
	return total*vg.Length(len(e.categories)) > length
}

// tickRoom returns the height of the labels of the x axis of panes of the given width.
func (e extents) tickRoom(length, size vg.Length) vg.Length {
	if e.categories == nil || !e.turned(length, size) {
		return tickRow
	}
	widest := vg.Length(0)
	for _, name := range e.categories {
		widest = max(widest, width(shorten(name, 44), size))
	}
	return widest + 10
}

// layAlone places the only pane.
func (d *layout) layAlone(p pane, e extents) {
	p.y.tickRound(6)
	length := d.width - 2*edging - yLabel - p.left() - d.margin()
	d.one(p, p.left(), d.margin(), d.tall(), e.tickRoom(length, p.size))
	d.finish(&d.panes[0], e)
}

// finish puts the ticks of the x axis and chooses how intervals are drawn, when the
// width of a pane is known.
func (d *layout) finish(p *pane, e extents) {
	e.tickX(p, len(d.panes) > 1)
	p.banded = p.crowdedBars()
	p.aside = p.movedBars()
}

// layGrid places several panes in rows.
func (d *layout) layGrid(panes []pane, e extents) {
	columns := d.gridColumns()
	rows := (len(panes) + columns - 1) / columns
	panes[0].y.tickRound(4)
	for i := range panes {
		panes[i].y.ticks, panes[i].bare = panes[0].y.ticks, i%columns > 0
	}
	left := edging + yLabel + panes[0].left()
	wide := (d.width - left - edging - 10 - between*vg.Length(columns-1)) / vg.Length(columns)
	high := min(wide*1.05, 175)
	labels := 0 // rows above each pane
	for i := range panes {
		p := &panes[i]
		p.box.Min.X = left + vg.Length(i%columns)*(wide+between)
		p.box.Max.X = p.box.Min.X + wide
		p.place()
		labels = max(labels, p.rows)
	}
	ticks := e.tickRoom(wide, panes[0].size)
	each := high + ticks + caption + vg.Length(labels)*above
	bottom := edging + d.below()
	if d.XLabel != "" {
		bottom += xLabel
	}
	for i := range panes {
		panes[i].box.Min.Y = bottom + vg.Length(rows-1-i/columns)*(each+6) + ticks
		panes[i].box.Max.Y = panes[i].box.Min.Y + high
	}
	d.panes = panes
	for i := range panes {
		d.finish(&panes[i], e)
	}
	d.height = panes[0].box.Max.Y + caption + vg.Length(labels)*above + d.top()
}
