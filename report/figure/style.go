package figure

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of a figure. In HTML, the page sets ink, plate and grid.
var (
	ink   = color.NRGBA{0x1b, 0x1f, 0x24, 0xff}
	plate = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	grid  = color.NRGBA{0xdd, 0xe2, 0xe7, 0xff}
	grey  = color.NRGBA{0x75, 0x7b, 0x82, 0xff}
)

// seriesStyle distinguishes a series by colour, marker and dashes. Each of the three is enough to distinguish it.
type seriesStyle struct {
	color  color.NRGBA
	mark   draw.GlyphDrawer // nil for no marker
	dashes []vg.Length
	thin   bool // a reference, drawn thinner than the other series
	wide   bool // a wide strip
}

// palette has the colours of Okabe and Ito, without yellow, which is too light on paper, and black, which looks like an
// axis.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff},
	{0xcc, 0x79, 0xa7, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
}

var marks = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, open{"ring"}, open{"square"}, open{"cross"}, open{"triangle"},
}

var dashings = [][]vg.Length{nil, {7, 3}, {2, 2.5}, {8, 3, 2, 3}, {4, 2}}

// styleOf repeats colours, markers and dashes with periods 6, 7 and 5, so that the first 210 series differ.
func styleOf(i int) seriesStyle {
	return seriesStyle{color: palette[i%len(palette)], mark: marks[i%len(marks)], dashes: dashings[i%len(dashings)]}
}

// varied returns the style of variant k of a series: the same colour, with another marker and other dashes.
func (l seriesStyle) varied(hue, k int) seriesStyle {
	l.mark, l.dashes = marks[(hue+2*k)%len(marks)], dashings[(hue+k)%len(dashings)]
	return l
}

// reference returns the style of reference k, such as an oracle: in ink, thin, with open markers.
func reference(k int) seriesStyle {
	hollow := []int{3, 5, 4, 6}
	return seriesStyle{color: ink, mark: marks[hollow[k%len(hollow)]], dashes: dashings[1+k%(len(dashings)-1)], thin: true}
}

// referenceLine returns the style of a reference line of the given kind: dashes for the first, dots for the second, and so on.
func referenceLine(kind int) seriesStyle {
	dashes := [][]vg.Length{{3, 2}, {1, 1.5}, {6, 2}, {6, 2, 1, 2}}
	return seriesStyle{color: grey, dashes: dashes[kind%len(dashes)], thin: true}
}

func (l seriesStyle) line() draw.LineStyle {
	width := vg.Length(1.6)
	switch {
	case l.thin:
		width = 1.1
	case l.wide:
		width = 9
	}
	return draw.LineStyle{Color: l.color, Width: width, Dashes: l.dashes}
}

// marker returns the style of the markers. Small panels have small markers.
func (l seriesStyle) marker(small bool) draw.GlyphStyle {
	radius := vg.Length(3)
	if small {
		radius = 2.4
	}
	if l.thin {
		radius *= 0.85
	}
	return draw.GlyphStyle{Color: l.color, Radius: radius, Shape: l.mark}
}

// styles gives each series a style. Series without a hue get the first styles that no other series has. Series with the
// same name look the same in every panel.
func styles(panels []Figure) [][]seriesStyle {
	taken := map[int]bool{}
	for _, s := range (Figure{Panels: panels}).all() {
		if s.Hue > 0 && s.Style != Bound && !s.Reference {
			taken[s.Hue-1] = true
		}
	}
	named := map[string]seriesStyle{}
	next := 0
	out := make([][]seriesStyle, len(panels))
	for p, f := range panels {
		for _, s := range f.Series {
			l, known := named[s.Name]
			switch {
			case s.Style == Bound:
				l = referenceLine(s.Variant)
			case s.Reference:
				l = reference(max(s.Hue-1, 0) + max(s.Variant, 0))
			case s.Hue > 0:
				l = styleOf(s.Hue - 1)
				if s.Variant > 0 {
					l = l.varied(s.Hue-1, s.Variant)
				}
			case !known || len(panels) == 1:
				for taken[next] {
					next++
				}
				l = styleOf(next)
				next++
				named[s.Name] = l
			}
			if s.Measured {
				l.mark = open{"diamond"}
			}
			if s.Style == Forecast {
				l.thin, l.mark = true, nil
			}
			out[p] = append(out[p], l)
		}
	}
	return out
}
