package figure

import "gonum.org/v1/plot/vg"

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
	row, around, right := vg.Length(max(20, 10*len(d.Series)+6)), vg.Length(12), vg.Length(44) // at the right are the values of bars
	letters := d.letters(44)
	if d.InDots() { // nameShare limits these names
		row, around, right, letters = dotRow, 6, 14, 44
	}
	var panes []pane
	var heights []vg.Length
	room := make([]vg.Length, columns) // for the names in each column of panels
	for k, f := range parts {
		e := ranges(parts[k : k+1])
		p := pane{Figure: f, styles: all[k], size: 9, blind: true, x: e.y, y: e.x}
		p.y.named(f.Categories, 80, letters)
		for n := letters; n > 8 && p.tickRoom() > nameShare*wide; n-- {
			p.y.ticks = nil
			p.y.named(f.Categories, 80, n)
		}
		if len(parts) > 1 {
			p.title = f.Title
		}
		room[k%columns] = max(room[k%columns], p.tickRoom())
		panes, heights = append(panes, p), append(heights, vg.Length(min(max(len(f.Categories), 2), 60))*row+around)
	}
	for k := range panes {
		left := edging + yLabel + vg.Length(k%columns)*wide
		panes[k].box.Min.X, panes[k].box.Max.X = left+room[k%columns], left+wide-right
	}
	d.name(panes)
	d.stack(panes, heights, tickRow)
	for k := range d.panes {
		p := &d.panes[k]
		length := p.box.Max.X - p.box.Min.X
		p.x.tickRound(int(min(6, max(3, length/34))))
		p.x.thin(length, 2*overhang, p.size)
		p.aside = p.movedBars()
	}
}
