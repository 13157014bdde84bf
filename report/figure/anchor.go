package figure

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	plottext "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Text in SVG is set by the reader's browser, in whatever font it has. So its place must not depend
// on the widths of ours: what is centred or right-aligned is anchored there, and an exponent follows
// its base in one piece of text. vgsvg has no means for this; characters of the private use area
// say it in the text, and anchors replaces them in the finished drawing. Words are fitted into
// the room that the layout has for them: those of a wider font would run out of the sheet.
const (
	middleMark   = "\uE000"
	endMark      = "\uE001"
	exponentMark = "\uE002"
)

// anchored is a text handler that leaves the alignment of text in SVG to the reader's browser.
type anchored struct{ plottext.Plain }

// Draw implements text.Handler.
func (h anchored) Draw(c vg.Canvas, s string, style plottext.Style, at vg.Point) {
	if onSVG(c) {
		switch style.XAlign {
		case plottext.XCenter:
			s = middleMark + s
		case plottext.XRight:
			s = endMark + s
		}
		style.XAlign = plottext.XLeft
	}
	h.Plain.Draw(c, s, style, at)
}

// onSVG reports whether a canvas writes SVG.
func onSVG(c vg.Canvas) bool {
	if d, ok := c.(*draw.Canvas); ok {
		c = d.Canvas
	}
	_, ok := c.(*vgsvg.Canvas)
	return ok
}

// longText is the number of letters from which a text is fitted.
const longText = 6

var svgSize = regexp.MustCompile(`font-size:([\d.]+)px`)

// widthOf returns the width of a text in our font.
func widthOf(s string, size vg.Length) float64 {
	w := words(size)
	return w.Width(s).Points()
}

var svgText = regexp.MustCompile(`<text ([^>]*)>([` + middleMark + endMark + `]?)([^<]*)</text>`)

// anchors replaces the marks in the text of an SVG drawing by what they mean.
func anchors(svg string) string {
	return svgText.ReplaceAllStringFunc(svg, func(element string) string {
		m := svgText.FindStringSubmatch(element)
		attributes, words := m[1], m[3]
		if plain := html.UnescapeString(words); utf8.RuneCountInString(plain) >= longText {
			if size := svgSize.FindStringSubmatch(attributes); size != nil {
				points, _ := strconv.ParseFloat(size[1], 64) // digits
				attributes = fmt.Sprintf(`textLength="%.4g" lengthAdjust="spacingAndGlyphs" %s`, widthOf(plain, vg.Length(points)), attributes)
			}
		}
		switch m[2] {
		case middleMark:
			attributes = `text-anchor="middle" ` + attributes
		case endMark:
			attributes = `text-anchor="end" ` + attributes
		}
		if base, exponent, found := strings.Cut(words, exponentMark); found {
			words = base + `<tspan dy="-0.5em" font-size="72%">` + exponent + `</tspan>`
		}
		return "<text " + attributes + ">" + words + "</text>"
	})
}
