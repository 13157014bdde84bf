package report

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// name collects the entries, each name with its look once, and decides where they
// are written. Those of a single pane begin with its series, in their order.
func (d *drawing) name(panes []pane) {
	d.direct = len(panes) == 1 && len(panes[0].Categories) == 0
	for _, p := range panes {
		for i, s := range p.Series {
			e := entry{name: s.Name, look: p.looks[i], bare: s.Style == Points}
			for k := range s.Y {
				if p.drawable(s, k) && (!e.placed || s.X[k] > e.x) {
					e.x, e.y, e.placed = s.X[k], s.Y[k], true
				}
			}
			d.direct = d.direct && s.Style != Points && (!e.placed || p.x.share(e.x) > 0.85)
			d.add(e, len(panes) > 1)
		}
		for _, l := range p.Lines {
			if _, outside := p.y.clamp(l.At); !l.Vertical && outside == 0 {
				d.add(entry{name: l.Label, look: bound(0), x: p.x.hi, y: l.At, placed: true}, len(panes) > 1)
			}
		}
	}
	if d.named() > 14 {
		d.direct = false
	}
}

// add appends an entry, or nothing when once is set and its name is there.
func (d *drawing) add(e entry, once bool) {
	if once && slices.ContainsFunc(d.entries, func(o entry) bool { return o.name == e.name && o.look.color == e.look.color }) {
		return
	}
	d.entries = append(d.entries, e)
}

// rank is 1 for bounds and 0 for the rest.
func (e entry) rank() int {
	if e.look.color == grey {
		return 1
	}
	return 0
}

// named is the number of entries with a name.
func (d drawing) named() int {
	n := 0
	for _, e := range d.entries {
		if e.name != "" {
			n++
		}
	}
	return n
}

// margin is the room at the right of a single pane of curves.
func (d drawing) margin() vg.Length {
	if !d.direct {
		return 12
	}
	widest := vg.Length(0)
	t := words(9)
	for _, e := range d.entries {
		if e.name != "" {
			widest = max(widest, t.Width(shorten(e.name, 34))+34)
		}
	}
	return max(widest, 12)
}

// labels writes every name beside the end of its line, moved apart where they
// would overlap, with a thin line from the end to the name.
func (d drawing) labels(c draw.Canvas) {
	p := d.panes[0]
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
		y, _ := p.y.clamp(e.y)
		from := vg.Point{X: p.px(e.x) + e.shift, Y: p.py(y)}
		ls = append(ls, label{e, from, from.Y})
	}
	slices.SortStableFunc(ls, func(a, b label) int { return cmp.Compare(a.y, b.y) })
	// Push up from the bottom, then down from the top: the order stays.
	for i := 1; i < len(ls); i++ {
		ls[i].y = max(ls[i].y, ls[i-1].y+lineHeight)
	}
	top := p.box.Max.Y + above
	for i := len(ls) - 1; i >= 0; i-- {
		ls[i].y = min(ls[i].y, top)
		top = ls[i].y - lineHeight
	}
	left := p.box.Max.X + 12
	for _, l := range ls {
		thin := draw.LineStyle{Color: l.look.color, Width: 0.5}
		c.StrokeLine2(thin, l.from.X+4, l.from.Y, left-2, l.y)
		sample(c, l.entry, vg.Point{X: left, Y: l.y})
		c.FillText(words(9), vg.Point{X: left + sampleWidth + 4, Y: l.y + 1}, shorten(l.name, 34))
	}
}

// sampleWidth is long enough to show the dashes of a line at both sides of its marker.
const sampleWidth = 20

// sample is a short piece of a line with its marker, or a patch of a bar's colour.
func sample(c draw.Canvas, e entry, at vg.Point) {
	if e.filled {
		fill(c, e.look.color, []vg.Point{{X: at.X + 4, Y: at.Y - 4}, {X: at.X + 16, Y: at.Y - 4}, {X: at.X + 16, Y: at.Y + 4}, {X: at.X + 4, Y: at.Y + 4}})
		return
	}
	if !e.bare {
		c.StrokeLine2(e.look.line(), at.X, at.Y, at.X+sampleWidth, at.Y)
	}
	if e.look.mark.glyph != nil {
		c.DrawGlyph(e.look.marker(false), vg.Point{X: at.X + sampleWidth/2, Y: at.Y})
	}
}

// legendColumns is how many names fit side by side, and how wide each column is.
func (d drawing) legendColumns() (n int, width vg.Length) {
	t := words(9)
	for _, e := range d.entries {
		width = max(width, t.Width(shorten(e.name, 60))+sampleWidth+20)
	}
	n = max(1, int((d.width-2*edging-8)/max(width, 1)))
	rows := (d.named() + n - 1) / n
	return (d.named() + rows - 1) / max(rows, 1), width // rows equally full
}

func (d drawing) legendRows() int {
	if d.named() == 0 {
		return 0
	}
	columns, _ := d.legendColumns()
	return (d.named() + columns - 1) / columns
}

// below is the room that the legend takes below the panes.
func (d drawing) below() vg.Length {
	n := d.legendRows()
	if d.direct || n == 0 {
		return 0
	}
	return vg.Length(n)*lineHeight + 6
}

// legend writes the names in rows below the panes.
func (d drawing) legend(c draw.Canvas) {
	if d.named() == 0 {
		return
	}
	columns, width := d.legendColumns()
	left := edging + max(10, (d.width-2*edging-vg.Length(columns)*width)/2)
	lines := vg.Length(d.legendRows())
	// What is compared comes first, bounds last.
	entries := slices.Clone(d.entries)
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.rank(), b.rank()) })
	k := 0
	for _, e := range entries {
		if e.name == "" {
			continue
		}
		at := vg.Point{
			X: left + vg.Length(k%columns)*width,
			Y: edging + lines*lineHeight - vg.Length(k/columns)*lineHeight - lineHeight/2,
		}
		sample(c, e, at)
		c.FillText(words(9), vg.Point{X: at.X + sampleWidth + 5, Y: at.Y + 1}, shorten(e.name, 60))
		k++
	}
}
