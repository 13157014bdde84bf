package figure

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// layout has the places of all parts of a figure on a sheet: one pane, or several in rows that share axes; the title
// above; and the names at the ends of the lines, or in a legend below if they do not fit there.
type layout struct {
	Figure
	panes         []pane
	entries       []entry // names beside or below the panes
	atEnds        bool    // all entries are written at the ends of the lines
	single        bool    // whether there is one pane, which has room at its right for names of lines across it
	titled        bool
	width, height vg.Length
}

// entry is a name with its style, and the place where its line ends.
type entry struct {
	name   string
	style  seriesStyle
	x, y   float64 // end of the line, in the units of the data
	placed bool    // whether x and y are known
	across bool    // a line across the figure
	bare   bool    // markers without a line
	filled bool    // bars, shown as a patch of colour
}

// Lengths in points. The sheet is as wide as a page with two columns of text, so that letters keep their size in print.
const (
	sheetWidth = 2*column + gutter
	column     = 241 // width of one of two columns of a page
	gutter     = 18  // space between the two columns
	edging     = 8   // space at the edges of the sheet
	lineHeight = 13  // height of a line of names
	yLabel     = 16  // room for the label of the y axis
	xLabel     = 16  // room for the label of the x axis
	tickRow    = 17  // room for the ticks of the x axis and their labels
	between    = 18  // space between two panes side by side
	caption    = 15  // room for the title of a pane
	above      = 12  // height of a row of labels of vertical lines
	tall       = 236 // height of a pane that is alone on its sheet
	stacked    = 130 // height of each pane if several units are one below another
	titleSize  = 12
	titleLine  = 15
)

// newLayout computes ranges, ticks and places. It draws nothing.
func newLayout(f Figure, titled bool) layout {
	f = f.byValues()
	d := layout{Figure: f, titled: titled && f.Title != "", width: f.sheet()}
	switch {
	case f.Heat != nil:
		d.layHeat()
	case f.InRows():
		d.layRows()
	default:
		d.layCurves()
	}
	return d
}

// top returns the height of the title.
func (d layout) top() vg.Length {
	if d.titled {
		return edging + 20 + vg.Length(len(d.titleLines())-1)*titleLine
	}
	return edging
}

// one places a pane that is alone on the sheet, with the given room for words at its left and right.
func (d *layout) one(p pane, left, right, height, ticks vg.Length) {
	p.box.Min.X, p.box.Max.X = edging+yLabel+left, d.width-edging-right
	d.stack([]pane{p}, []vg.Length{height}, ticks)
}

// stack places panes of given heights one below another, in the rows of cells, above the legend and the label of the x axis.
// ticks is the room for the labels below each pane. The sides of the panes and their ranges must be known. stack sets the
// height of the sheet.
func (d *layout) stack(panes []pane, heights []vg.Length, ticks vg.Length) {
	cells := d.cells()
	tallest := make([]vg.Length, cells[len(cells)-1].row+1) // of each row
	head := vg.Length(0)                                    // room for words above each pane
	for i := range panes {
		row := cells[i].row
		tallest[row] = max(tallest[row], heights[i])
		panes[i].place()
		head = max(head, vg.Length(panes[i].rows)*above)
	}
	if len(panes) > 1 {
		head += caption
	}
	y := edging + d.below() + ticks
	if d.XLabel != "" {
		y += xLabel
	}
	for i := len(panes) - 1; i >= 0; i-- { // from the bottom to the top
		row, box := cells[i].row, &panes[i].box
		if i+1 < len(panes) && cells[i+1].row > row {
			y += tallest[row+1] + head + 6 + ticks
		}
		box.Max.Y = y + tallest[row]
		box.Min.Y = box.Max.Y - heights[i]
	}
	d.panes, d.height = panes, y+tallest[0]+head+d.top()
}

// draw draws the sheet. The canvas has the size of the layout.
func (d layout) draw(cv vg.CanvasSizer) {
	c := draw.New(cv)
	c.SetColor(plate)
	c.Fill(c.Rectangle.Path())
	for _, p := range d.panes {
		p.draw(c)
	}
	d.frame(c)
	if d.Heat != nil {
		d.scale(c)
		return
	}
	d.labels(c)
	d.legend(c)
}

// frame writes the title, and the labels of the axes that all panes share.
func (d layout) frame(c draw.Canvas) {
	around := surrounding(d.panes)
	centred := func(size font.Length, text string, y vg.Length) {
		t := words(size)
		t.XAlign = draw.XCenter
		x := min(max((around.Min.X+around.Max.X)/2, edging+t.Width(text)/2), d.width-edging-t.Width(text)/2)
		c.FillText(t, vg.Point{X: x, Y: y}, text)
	}
	if d.titled {
		for k, line := range d.titleLines() {
			centred(titleSize, line, d.height-edging-6-vg.Length(k)*titleLine)
		}
	}
	if d.XLabel != "" {
		centred(10, fitting(d.XLabel, 10, d.width-2*edging), edging+d.below()+7)
	}
	up := words(10)
	up.Rotation, up.XAlign = math.Pi/2, draw.XCenter
	beside := func(label string, box vg.Rectangle, room vg.Length) {
		label = fitting(label, 10, room)
		half := up.Width(label) / 2
		y := min(max((box.Min.Y+box.Max.Y)/2, edging+half), d.height-edging-half)
		c.FillText(up, vg.Point{X: edging + yLabel/2, Y: y}, label)
	}
	units := d.Units()
	if len(units) == 1 {
		beside(d.YLabel, around, d.height-2*edging)
		return
	}
	panes := d.panes
	for _, unit := range units {
		box := surrounding(panes[:len(unit)])
		beside(unit[0].YLabel, box, box.Max.Y-box.Min.Y+caption)
		panes = panes[len(unit):]
	}
}

// surrounding returns the rectangle around the boxes of panes.
func surrounding(panes []pane) vg.Rectangle {
	around := panes[0].box
	for _, p := range panes[1:] {
		around.Min.X, around.Min.Y = min(around.Min.X, p.box.Min.X), min(around.Min.Y, p.box.Min.Y)
		around.Max.X, around.Max.Y = max(around.Max.X, p.box.Max.X), max(around.Max.Y, p.box.Max.Y)
	}
	return around
}

// titleLines returns the title in one line, or in two if it is too long. The second line is cut if it does not fit.
func (d layout) titleLines() []string {
	room, t := d.width-2*edging, words(titleSize)
	if t.Width(d.Title) <= room {
		return []string{d.Title}
	}
	for at := strings.LastIndexByte(d.Title, ' '); at > 0; at = strings.LastIndexByte(d.Title[:at], ' ') {
		if t.Width(d.Title[:at]) <= room {
			return []string{d.Title[:at], fitting(d.Title[at+1:], titleSize, room)}
		}
	}
	return []string{fitting(d.Title, titleSize, room)}
}

// words returns the style of text in the given size.
func words(size font.Length) draw.TextStyle {
	return draw.TextStyle{
		Color: ink, Font: font.From(typeface, size),
		XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: typesetter(),
	}
}

// numbered returns the style of the labels of ticks, which have exponents on a logarithmic axis.
func numbered(size font.Length, log bool) draw.TextStyle {
	t := words(size)
	if log {
		t.Handler = raised{typesetter()}
	}
	return t
}

// width returns the width of a label; 10^3 counts with its exponent raised.
func width(label string, size vg.Length) vg.Length { return numbered(size, true).Width(label) }

// fitting shortens a text until its width is at most room.
func fitting(s string, size font.Length, room vg.Length) string {
	t := words(size)
	for n := len([]rune(s)); n > 4 && t.Width(s) > room; n-- {
		s = shorten(s, n-1)
	}
	return s
}

// Possible widths of a figure, in columns.
const (
	Narrowest = 1.
	Widest    = 2.
)

// sheet returns the width of the sheet. A narrow figure has letters of the same size as a wide one, and so less room.
func (f Figure) sheet() vg.Length {
	columns := cmp.Or(f.Width, Widest)
	return vg.Length(columns*(column+gutter) - gutter)
}

// letters returns the number of letters of a name that fit on this sheet, if a wide sheet has room for the given number.
func (d layout) letters(wide int) int { return max(12, int(float64(wide)*float64(d.width/sheetWidth))) }

// tall returns the height of a pane that is alone on its sheet. A narrow sheet has a lower pane, although not in
// proportion.
func (d layout) tall() vg.Length { return tall * (0.4 + 0.6*d.width/sheetWidth) }

// gridColumns returns the number of panels in a row: usually three, two for four panels, and fewer on a narrow sheet.
func (f Figure) gridColumns() int {
	if f.InRows() {
		if len(f.Panels) > 1 && f.sheet() >= pairedRows {
			return 2
		}
		return 1
	}
	most := lists.Max(f.Units(), func(unit []Figure) int { return len(unit) })
	columns := min(most, 3)
	if most == 4 {
		columns = 2
	}
	const least = 150 // smallest width of a panel, in points
	return min(columns, max(1, int(f.sheet()/least)))
}

// cell is the place of a panel among the rows of a figure.
type cell struct{ row, column int }

// cells returns the places of all panels. Each unit begins a row.
func (f Figure) cells() (out []cell) {
	columns, row := f.gridColumns(), 0
	for _, unit := range f.Units() {
		for k := range unit {
			out = append(out, cell{row + k/columns, k % columns})
		}
		row += (len(unit) + columns - 1) / columns
	}
	return out
}

// arrangement describes in words where the panels are.
func (f Figure) arrangement() string {
	places := f.cells()
	rows := places[len(places)-1].row + 1
	switch {
	case rows == 1:
		return "side by side"
	case rows == len(places):
		return "one below the other"
	}
	return fmt.Sprintf("in %d rows", rows)
}

// limits returns an error for ends that an axis cannot have; nil means that none were stated.
func limits(ends *[2]float64, log bool) error {
	switch {
	case ends == nil:
	case !(ends[0] < ends[1]) || math.IsInf(ends[1]-ends[0], 0):
		return fmt.Errorf("its ends must be two finite numbers, the lower one first, got [%g, %g]", ends[0], ends[1])
	case log && !(ends[0] > 0):
		return fmt.Errorf("both ends must be above 0 on a logarithmic axis, got [%g, %g]", ends[0], ends[1])
	}
	return nil
}

// checkFrame returns an error for ends and widths that are not possible. A figure from a file may have them.
func (f Figure) checkFrame() error {
	if f.Width != 0 && !(f.Width >= Narrowest && f.Width <= Widest) {
		return fmt.Errorf("its width must be %g to %g columns, got %g", Narrowest, Widest, f.Width)
	}
	for _, a := range []struct {
		name string
		ends *[2]float64
		log  bool
	}{{"x", f.XLim, f.LogX}, {"y", f.YLim, f.LogY}} {
		if err := limits(a.ends, a.log); err != nil {
			return fmt.Errorf("the %s axis: %w", a.name, err)
		}
	}
	return nil
}
