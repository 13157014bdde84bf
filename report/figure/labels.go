package figure

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// name collects the entries, each name once with its style, and decides where to write them. The entries of a single pane
// begin with its series, in their order.
func (d *layout) name(panes []pane) {
	d.single = len(panes) == 1 && !d.InRows()
	d.atEnds = d.single && len(panes[0].Categories) == 0
	for _, p := range panes {
		for i, s := range p.Series {
			e := entry{name: s.Name, style: p.styles[i],
				bare: s.Style == Points || s.Style == Dots, filled: s.Style == Bars}
			if s.Measured {
				e.style.color = ink
			}
			for k := range s.Y {
				if p.drawable(s, k) && (!e.placed || s.X[k] > e.x) {
					e.x, e.y, e.placed = s.X[k], s.Y[k], true
				}
			}
			d.atEnds = d.atEnds && s.Style != Points && (!e.placed || p.x.fraction(e.x) > 0.85)
			d.add(e, len(panes) > 1 || s.Measured)
		}
		for i, l := range p.Lines {
			if _, outside := p.y.clamp(l.At); !l.Vertical && outside == 0 {
				d.add(entry{name: l.Label, style: p.lineStyle(i), x: p.x.hi, y: l.At, placed: true, across: true}, len(panes) > 1)
			}
		}
	}
	if len(withName(d.entries)) > 14 || d.crowdsPane() {
		d.atEnds = false
	}
	if d.crowdsPane() { // all names go below
		d.single = false
	}
}

// crowdsPane reports whether names at the right would take too much of the width. A narrow sheet has less room for them.
func (d layout) crowdsPane() bool { return d.margin() > (0.15+0.3*d.width/sheetWidth)*d.width }

// add appends an entry. If once is set, it skips a name that is already there.
func (d *layout) add(e entry, once bool) {
	if once && slices.ContainsFunc(d.entries, func(o entry) bool { return o.name == e.name && o.style.color == e.style.color }) {
		return
	}
	d.entries = append(d.entries, e)
}

// rank returns 1 for bounds and 0 for other entries.
func (e entry) rank() int { return indices.Indicator(e.style.color == grey) }

func withName(entries []entry) []entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return e.name == "" })
}

// beside returns the entries whose names are to the right of a pane. These are all entries, or only the horizontal lines
// across the pane if the legend has the others.
func (d layout) beside() []entry {
	switch {
	case d.atEnds:
		return withName(d.entries)
	case !d.single:
		return nil
	}
	return slices.DeleteFunc(withName(d.entries), func(e entry) bool { return !e.across })
}

// listed returns the entries of the legend: bounds last, the others first.
func (d layout) listed() []entry {
	if d.atEnds {
		return nil
	}
	out := withName(d.entries)
	if d.single {
		out = slices.DeleteFunc(out, func(e entry) bool { return e.across })
	}
	slices.SortStableFunc(out, func(a, b entry) int { return cmp.Compare(a.rank(), b.rank()) })
	return out
}

// margin returns the room to the right of a single pane of curves.
func (d layout) margin() vg.Length {
	t := words(9)
	return max(lists.Max(d.beside(), func(e entry) vg.Length { return t.Width(shorten(e.name, d.letters(34))) + d.sampleRoom() + 10 }), 12)
}

// sampleRoom returns the room before a name at the right, for a leader line and a sample of the line. Names of lines
// across the pane need neither.
func (d layout) sampleRoom() vg.Length {
	if d.atEnds {
		return sampleWidth + 4
	}
	return 0
}

// labels writes the name of each entry beside the end of its line. Names that would overlap are moved apart. If all names
// are at the right, each has a sample of its line, and a thin line leads from the end of the line to the name.
func (d layout) labels(c draw.Canvas) {
	p := d.panes[0]
	type label struct {
		entry
		from vg.Point
		y    vg.Length
	}
	var ls []label
	for _, e := range d.beside() {
		if !e.placed {
			continue
		}
		y, _ := p.y.clamp(e.y)
		from := vg.Point{X: p.px(e.x), Y: p.py(y)}
		ls = append(ls, label{e, from, from.Y})
	}
	slices.SortStableFunc(ls, func(a, b label) int { return cmp.Compare(a.y, b.y) })
	// Push names up, beginning at the bottom, then down, beginning at the top. Their order stays.
	for i := 1; i < len(ls); i++ {
		ls[i].y = max(ls[i].y, ls[i-1].y+lineHeight)
	}
	top := p.box.Max.Y + above
	for i := len(ls) - 1; i >= 0; i-- {
		ls[i].y = min(ls[i].y, top)
		top = ls[i].y - lineHeight
	}
	x := p.box.Max.X + 12
	if !d.atEnds {
		x = p.box.Max.X + 6
	}
	for _, l := range ls {
		if d.atEnds {
			thin := draw.LineStyle{Color: l.style.color, Width: 0.5}
			c.StrokeLine2(thin, l.from.X+4, l.from.Y, x-2, l.y)
			sample(c, l.entry, vg.Point{X: x, Y: l.y})
		}
		c.FillText(words(9), vg.Point{X: x + d.sampleRoom(), Y: l.y + 1}, shorten(l.name, d.letters(34)))
	}
}

// sampleWidth is the length of a sample, which shows the dashes of the line on both sides of its marker.
const sampleWidth = 20

// sample draws a short piece of a line with its marker, or a patch of a bar's colour.
func sample(c draw.Canvas, e entry, at vg.Point) {
	if e.filled {
		fill(c, e.style.color, []vg.Point{{X: at.X + 4, Y: at.Y - 4}, {X: at.X + 16, Y: at.Y - 4}, {X: at.X + 16, Y: at.Y + 4},
			{X: at.X + 4, Y: at.Y + 4}})
		return
	}
	if !e.bare {
		c.StrokeLine2(e.style.line(), at.X, at.Y, at.X+sampleWidth, at.Y)
	}
	if e.style.mark != nil {
		c.DrawGlyph(e.style.marker(false), vg.Point{X: at.X + sampleWidth/2, Y: at.Y})
	}
}

// legendGrid returns the numbers of columns and rows of the legend, and the width of a column.
func (d layout) legendGrid() (columns, rows int, width vg.Length) {
	t := words(9)
	listed := d.listed()
	width = lists.Max(listed, func(e entry) vg.Length { return t.Width(shorten(e.name, d.letters(60))) + sampleWidth + 20 })
	columns = max(1, int((d.width-2*edging-8)/max(width, 1)))
	rows = (len(listed) + columns - 1) / columns
	return (len(listed) + rows - 1) / max(rows, 1), rows, width // rows have nearly the same number of names
}

// below returns the height of the legend below the panes.
func (d layout) below() vg.Length {
	_, rows, _ := d.legendGrid()
	if rows == 0 {
		return 0
	}
	return vg.Length(rows)*lineHeight + 6
}

// legend writes the names in rows below the panes.
func (d layout) legend(c draw.Canvas) {
	columns, rows, width := d.legendGrid()
	margin := edging + max(10, (d.width-2*edging-vg.Length(columns)*width)/2)
	for k, e := range d.listed() {
		at := vg.Point{
			X: margin + vg.Length(k%columns)*width,
			Y: edging + vg.Length(rows)*lineHeight - vg.Length(k/columns)*lineHeight - lineHeight/2,
		}
		sample(c, e, at)
		c.FillText(words(9), vg.Point{X: at.X + sampleWidth + 5, Y: at.Y + 1}, shorten(e.name, d.letters(60)))
	}
}

// Keyed splits names such as "oil=ester, speed=10". If all names have the same keys in the same order, it returns the
// values of each name ("ester, 10"), the keys ("oil, speed") and true.
func Keyed(names []string) (values []string, keys string, keyed bool) {
	for i, name := range names {
		var own, of []string
		for _, part := range strings.Split(name, ", ") {
			key, value, found := strings.Cut(part, "=")
			if !found || key == "" || slices.Contains(of, key) {
				return nil, "", false
			}
			own, of = append(own, value), append(of, key)
		}
		if k := strings.Join(of, ", "); i == 0 {
			keys = k
		} else if k != keys {
			return nil, "", false
		}
		values = append(values, strings.Join(own, ", "))
	}
	return values, keys, len(names) > 0
}
