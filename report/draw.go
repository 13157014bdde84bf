package report

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A drawing is a figure laid out on a sheet: the plot, a margin at its right for
// labels at the ends of lines, and a legend below when labels do not fit.
type drawing struct {
	Figure
	x, y          axis
	entries       []entry // what is named beside or below the plot
	direct        bool    // entries are written at the ends of the lines
	titled        bool
	width, height vg.Length
}

// entry is one name with its look, and where its line ends.
type entry struct {
	name   string
	look   look
	x, y   float64 // data coordinates of the end
	shift  vg.Length
	placed bool // x and y say something
	bare   bool // markers without a line
}

const (
	sheetWidth = 500 // points
	plotHeight = 290
	lineHeight = 13
	yLabel     = 16 // room for the label of the y axis
)

// newDrawing decides ranges, ticks and layout; it draws nothing yet.
func newDrawing(f Figure, titled bool) drawing {
	d := drawing{Figure: f, titled: titled && f.Title != "", width: sheetWidth, height: plotHeight}
	switch {
	case f.Heat != nil:
		d.layHeat()
	case f.isBars():
		d.layBars()
	default:
		d.layCurves()
	}
	if d.titled {
		d.height += 20
	}
	return d
}

// layCurves is the layout of lines, points and bands.
func (d *drawing) layCurves() {
	var xs, ys, ends []float64
	for _, s := range d.Series {
		xs, ys = append(xs, s.X...), append(ys, s.Y...)
		ends = append(append(ends, s.Lo...), s.Hi...)
	}
	for _, l := range d.Lines {
		if l.Vertical {
			xs = append(xs, l.At)
		} else {
			ends = append(ends, l.At)
		}
	}
	if len(d.Categories) > 0 {
		d.x = axis{lo: -0.5, hi: float64(len(d.Categories)) - 0.5}
		d.x.named(d.Categories, func(i int) float64 { return float64(i) }, 24)
	} else {
		d.x = newAxis(xs, nil, d.LogX, false)
		d.x.tickAt(xs)
	}
	d.y = newAxis(ys, ends, d.LogY, !d.LogY && slices.Min(append([]float64{0}, ys...)) >= 0)
	d.y.tickRound(6)
	d.name()
}

// name collects the entries and decides where they are written.
func (d *drawing) name() {
	d.direct = len(d.Categories) == 0
	coloured := 0
	for i, s := range d.Series {
		e := entry{name: s.Name, look: lookOf(coloured), bare: s.Style == Points, shift: d.shift(i)}
		if s.Style == Bound {
			e.look = bound()
		} else {
			coloured++
		}
		for k := range s.Y {
			if (curve{Series: s, x: d.x}).drawable(k) && (!e.placed || s.X[k] > e.x) {
				e.x, e.y, e.placed = s.X[k], s.Y[k], true
			}
		}
		d.direct = d.direct && s.Style != Points && (!e.placed || d.x.share(e.x) > 0.85)
		d.entries = append(d.entries, e)
	}
	for _, l := range d.Lines {
		if _, outside := d.y.clamp(l.At); !l.Vertical && outside == 0 {
			d.entries = append(d.entries, entry{name: l.Label, look: bound(), x: d.x.hi, y: l.At, placed: true})
		}
	}
	named := 0
	for _, e := range d.entries {
		if e.name != "" {
			named++
		}
	}
	if named > 14 {
		d.direct = false
	}
	if !d.direct {
		d.height += d.below()
	}
}

// margin is the room to the right of the plot.
func (d drawing) margin() vg.Length {
	switch {
	case d.Heat != nil:
		return 62
	case d.isBars():
		return 44
	case !d.direct:
		return 8
	}
	widest := vg.Length(0)
	t := words(9)
	for _, e := range d.entries {
		if e.name != "" {
			widest = max(widest, t.Width(shorten(e.name, 34))+30)
		}
	}
	return max(widest, 8)
}

// draw draws the sheet. The canvas has the drawing's size.
func (d drawing) draw(cv vg.CanvasSizer) {
	c := draw.New(cv)
	c.SetColor(plate)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, 8, -8, 8, -8)
	p := plot.New()
	d.dress(p)
	d.x.apply(&p.X)
	d.y.apply(&p.Y)
	body := draw.Crop(c, yLabel, -d.margin(), d.below(), 0)
	d.fill(p)
	p.Draw(body)
	data := p.DataCanvas(body)
	// gonum/plot would centre the label wrongly on a logarithmic axis.
	up := words(10)
	up.Rotation, up.XAlign = math.Pi/2, draw.XCenter
	c.FillText(up, vg.Point{X: c.Min.X + yLabel/2, Y: (data.Min.Y + data.Max.Y) / 2}, shorten(d.YLabel, 60))
	switch {
	case d.Heat != nil:
		d.scale(c, data)
	case d.direct:
		d.labels(c, data, p)
	default:
		d.legend(c)
	}
}

// dress sets fonts, colours and lines of the frame.
func (d drawing) dress(p *plot.Plot) {
	p.BackgroundColor = nil
	p.Title.TextStyle = words(12)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	p.Title.Padding = 6
	if d.titled {
		p.Title.Text = shorten(d.Title, 80)
	}
	p.X.Label.Text = d.XLabel
	for i, a := range []*plot.Axis{&p.X, &p.Y} {
		label, tick := a.Label.TextStyle, a.Tick.Label
		a.Label.TextStyle, a.Tick.Label = words(10), words(9)
		a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = label.XAlign, label.YAlign
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = tick.XAlign, tick.YAlign
		if []bool{d.x.log, d.y.log}[i] {
			a.Tick.Label.Handler = raised{plot.DefaultTextHandler}
		}
		a.LineStyle.Color, a.Tick.LineStyle.Color = ink, ink
		a.LineStyle.Width, a.Tick.LineStyle.Width = 0.8, 0.8
		a.Label.Padding, a.Padding, a.Tick.Length = 4, 0, 4
	}
	if d.Heat != nil || d.isBars() {
		p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	}
	if d.Heat != nil && d.upright() {
		p.X.Tick.Label.Rotation = math.Pi / 2
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}
}

// words is the one typeface of figures, in the given size.
func words(size font.Length) draw.TextStyle {
	return draw.TextStyle{
		Color: ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler,
	}
}

// fill adds what is drawn inside the frame.
func (d drawing) fill(p *plot.Plot) {
	if d.Heat != nil {
		p.Add(cells{d.Heat})
		return
	}
	if !d.isBars() {
		p.Add(rows{d.y})
	}
	for _, l := range d.Lines {
		p.Add(rule{l, d.x, d.y, words(9)})
	}
	for i, s := range d.Series {
		if d.isBars() {
			p.Add(bars{s, lookOf(i), d.x, len(d.Categories), words(9)})
			continue
		}
		p.Add(curve{s, d.entries[i].look, d.x, d.y, d.entries[i].shift})
	}
}

// shift moves series i a little sideways when intervals would hide each other.
func (d drawing) shift(i int) vg.Length {
	n := 0
	for _, s := range d.Series {
		if s.hasIntervals() && s.Style != Band {
			n++
		}
	}
	if n < 2 || len(d.Categories) > 0 || !d.Series[i].hasIntervals() { // categories have been moved apart already
		return 0
	}
	step := min(2.5, 16/float64(n))
	return vg.Length((float64(i) - float64(n-1)/2) * step)
}
