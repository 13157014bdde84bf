package figure

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// pane is the area of one pair of axes.
type pane struct {
	Figure
	x, y   axis
	styles []seriesStyle // style of each series
	box    vg.Rectangle  // area of the data, measured from the lower left corner of the sheet
	title  string        // written above the box; "" if the pane is alone on its sheet
	rows   int           // number of rows above the box for labels of vertical lines
	rules  []placedLabel // labels of vertical lines
	size   vg.Length     // size of the tick labels
	bare   bool          // no labels at the y axis, because the pane to the left has them
	banded bool          // intervals are bands, because bars would hide each other
	// for each series and point, how far the bar of the interval is moved aside from its marker
	aside  [][]vg.Length
	blind  bool // categories at the y axis, without an axis line and ticks
	turned bool // labels of the x axis are vertical
}

// placedLabel is the label of a vertical line. In its row above the box, it touches no other label.
type placedLabel struct {
	text string
	x    vg.Length
	row  int
}

func (p pane) px(x float64) vg.Length {
	return p.box.Min.X + vg.Length(p.x.fraction(x))*(p.box.Max.X-p.box.Min.X)
}

func (p pane) py(y float64) vg.Length {
	return p.box.Min.Y + vg.Length(p.y.fraction(y))*(p.box.Max.Y-p.box.Min.Y)
}

// tickRoom returns the width that the labels of the y axis need.
func (p pane) tickRoom() vg.Length {
	return lists.Max(p.y.ticks, func(t tick) vg.Length { return width(t.label, p.size) }) + 8
}

// place gives each label of a vertical line the lowest row in which it touches no other label.
func (p *pane) place() {
	p.rules, p.rows = nil, 0
	var ends []vg.Length // right end of each row
	for _, l := range p.inOrder() {
		text := words(8.5)
		half := text.Width(l.Label) / 2
		x := min(max(p.px(l.At), p.box.Min.X-20+half), p.box.Max.X+30-half)
		row := 0
		for row < len(ends) && x-half < ends[row]+6 {
			row++
		}
		if row == len(ends) {
			ends = append(ends, 0)
		}
		ends[row] = x + half
		p.rules = append(p.rules, placedLabel{l.Label, x, row})
	}
	p.rows = len(ends)
}

// inOrder returns the vertical lines that have a label and lie in the pane, from left to right.
func (p pane) inOrder() []ReferenceLine {
	out := lists.Where(p.Lines, func(l ReferenceLine) bool {
		_, outside := p.x.clamp(l.At)
		return l.Vertical && l.Label != "" && outside == 0 && !math.IsNaN(l.At)
	})
	slices.SortStableFunc(out, func(a, b ReferenceLine) int { return cmp.Compare(a.At, b.At) })
	return out
}

func (p pane) draw(c draw.Canvas) {
	switch {
	case p.Heat != nil:
		p.cells(c)
	case p.InRows() && !p.InDots():
		p.lines(c)
		p.bars(c)
	default:
		p.rulers(c)
		p.lines(c)
		for i := range p.Series { // intervals are below all lines
			if p.bandOf(i) {
				p.band(c, i)
			}
		}
		for i := range p.Series {
			p.curve(c, i)
		}
	}
	p.axes(c)
	if p.title != "" {
		t := words(9.5)
		t.XAlign = draw.XCenter
		c.FillText(t, vg.Point{X: (p.box.Min.X + p.box.Max.X) / 2, Y: p.box.Max.Y + vg.Length(p.rows)*above + caption/2},
			fitting(p.title, 9.5, p.box.Max.X-p.box.Min.X+between-4))
	}
}

// axes draws the axes with ticks and labels.
func (p pane) axes(c draw.Canvas) {
	style := draw.LineStyle{Color: ink, Width: 0.8}
	c.StrokeLine2(style, p.box.Min.X, p.box.Min.Y, p.box.Max.X, p.box.Min.Y)
	below := numbered(p.size, p.x.log)
	below.XAlign, below.YAlign = draw.XCenter, draw.YTop
	if p.turned {
		below.Rotation = math.Pi / 2
		below.XAlign, below.YAlign = draw.XRight, draw.YCenter
	}
	for _, t := range p.x.ticks {
		x := p.px(t.value)
		c.StrokeLine2(style, x, p.box.Min.Y, x, p.box.Min.Y-tickLength(t))
		if t.label != "" {
			c.FillText(below, vg.Point{X: x, Y: p.box.Min.Y - 6}, t.label)
		}
	}
	if !p.blind {
		c.StrokeLine2(style, p.box.Min.X, p.box.Min.Y, p.box.Min.X, p.box.Max.Y)
	}
	beside := numbered(p.size, p.y.log)
	beside.XAlign = draw.XRight
	for _, t := range p.y.ticks {
		y := p.py(t.value)
		if !p.blind {
			c.StrokeLine2(style, p.box.Min.X, y, p.box.Min.X-tickLength(t), y)
		}
		if t.label != "" && !p.bare {
			c.FillText(beside, vg.Point{X: p.box.Min.X - 6, Y: y + 0.5}, t.label)
		}
	}
}

func tickLength(t tick) vg.Length {
	if t.label == "" {
		return 2
	}
	return 4
}

// rulers draws light horizontal lines at ticks that have labels.
func (p pane) rulers(c draw.Canvas) {
	for _, t := range p.y.ticks {
		if t.label != "" {
			c.StrokeLine2(draw.LineStyle{Color: grid, Width: 0.75}, p.box.Min.X, p.py(t.value), p.box.Max.X, p.py(t.value))
		}
	}
}

// lines draws the reference lines across the pane, and the labels of vertical ones
// above it.
func (p pane) lines(c draw.Canvas) {
	for i, l := range p.Lines {
		if math.IsNaN(l.At) {
			continue
		}
		style := p.lineStyle(i).line()
		if l.Vertical {
			if _, outside := p.x.clamp(l.At); outside == 0 {
				top := p.box.Max.Y
				if !l.Wide || l.Label != "" {
					top += 2
				}
				c.StrokeLine2(style, p.px(l.At), p.box.Min.Y, p.px(l.At), top)
			}
		} else if _, outside := p.y.clamp(l.At); outside == 0 {
			c.StrokeLine2(style, p.box.Min.X, p.py(l.At), p.box.Max.X, p.py(l.At))
		}
	}
	for _, l := range p.rules {
		t := words(8.5)
		t.XAlign = draw.XCenter
		c.FillText(t, vg.Point{X: l.x, Y: p.box.Max.Y + vg.Length(l.row)*above + above/2 + 2}, l.text)
	}
}
