package figure

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	plottext "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// typeface is the only font of figures, and the only one that is linked. gonum.org/v1/plot and its font/liberation would
// add eleven others, and 4 MB to every Go cell that shows a value.
var typeface = font.Font{Typeface: "Liberation", Variant: "Sans"}

// typesetter returns the handler that measures and draws text in figures.
var typesetter = sync.OnceValue(func() plottext.Handler {
	face, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // the font is part of the binary
	}
	return anchored{plottext.Plain{Fonts: font.NewCache(font.Collection{{Font: typeface, Face: face}})}}
})

// LettersError lists letters that a PNG or a PDF cannot show, because the font of figures lacks them. SVG shows them in
// the reader's fonts.
type LettersError struct{ Letters string }

// Error implements error.
func (e *LettersError) Error() string {
	return fmt.Sprintf("the font of figures, Liberation Sans, has no letters %q for PNG and PDF; save the figure as .svg, which "+
		"is shown with the fonts of the reader", e.Letters)
}

// letters collects the letters of a drawing that the font lacks, each once.
type letters struct {
	buf     sfnt.Buffer
	missing []rune
}

// check records the letters of s that the font lacks. Characters that are not printed need no letter.
func (l *letters) check(face font.Face, s string) {
	for _, r := range s {
		glyph, err := face.Face.GlyphIndex(&l.buf, r)
		if (err != nil || glyph == 0) && unicode.IsPrint(r) && !slices.Contains(l.missing, r) {
			l.missing = append(l.missing, r)
		}
	}
}

// err returns a LettersError if a letter is missing.
func (l *letters) err() error {
	if len(l.missing) == 0 {
		return nil
	}
	return &LettersError{string(l.missing)}
}

// raised is a text handler that draws the text after ^ as an exponent, as in 10^3. It draws exponents smaller and higher,
// because the font lacks the superscript minus.
type raised struct{ plottext.Handler }

const exponentSize = 0.72 // relative to the size of the base

// Box implements text.Handler.
func (h raised) Box(s string, f font.Font) (width, height, depth vg.Length) {
	base, exponent, found := strings.Cut(s, "^")
	width, height, depth = h.Handler.Box(base, f)
	if found {
		small := f
		small.Size *= exponentSize
		w, _, _ := h.Handler.Box(exponent, small)
		width += w
	}
	return width, height, depth
}

// Draw implements text.Handler. Exponents are for text that is not rotated.
func (h raised) Draw(c vg.Canvas, s string, style plottext.Style, at vg.Point) {
	style.Handler = h.Handler
	base, exponent, found := strings.Cut(s, "^")
	if found && onSVG(c) {
		s, found = base+exponentMark+exponent, false
	}
	if !found {
		h.Handler.Draw(c, s, style, at)
		return
	}
	width, _, _ := h.Box(s, style.Font)
	at.X += width * vg.Length(style.XAlign)
	style.XAlign = plottext.XLeft
	h.Handler.Draw(c, base, style, at)
	w, _, _ := h.Handler.Box(base, style.Font)
	at.X += w
	at.Y += style.Font.Size * 0.36
	style.Font.Size *= exponentSize
	h.Handler.Draw(c, exponent, style, at)
}

// Text in SVG is set by the reader's browser, in whatever font it has. So its place must not depend
// on the widths of ours: what is centred or right-aligned is anchored there, and an exponent follows
// its base in one piece of text. vgsvg has no means for this; characters of the private use area
// say it in the text, and anchors replaces them in the finished drawing. Words are fitted into
// the room that the layout has for them: words in a wider font would run out of the sheet.
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

func onSVG(c vg.Canvas) bool {
	if d, ok := c.(*draw.Canvas); ok {
		c = d.Canvas
	}
	_, ok := c.(*vgsvg.Canvas)
	return ok
}

// longText is the number of letters from which a text gets a stated length.
const longText = 6

var svgSize = regexp.MustCompile(`font-size:([\d.]+)px`)

var svgText = regexp.MustCompile(`<text ([^>]*)>([` + middleMark + endMark + `]?)([^<]*)</text>`)

// anchors replaces the marks in the text of an SVG drawing by attributes.
func anchors(svg string) string {
	return svgText.ReplaceAllStringFunc(svg, func(element string) string {
		m := svgText.FindStringSubmatch(element)
		attributes, text := m[1], m[3]
		if plain := html.UnescapeString(text); utf8.RuneCountInString(plain) >= longText {
			if size := svgSize.FindStringSubmatch(attributes); size != nil {
				points, _ := strconv.ParseFloat(size[1], 64) // size[1] has only digits
				ours := words(vg.Length(points))
				attributes = fmt.Sprintf(`textLength="%.4g" lengthAdjust="spacingAndGlyphs" %s`, ours.Width(plain).Points(), attributes)
			}
		}
		switch m[2] {
		case middleMark:
			attributes = `text-anchor="middle" ` + attributes
		case endMark:
			attributes = `text-anchor="end" ` + attributes
		}
		if base, exponent, found := strings.Cut(text, exponentMark); found {
			text = base + `<tspan dy="-0.5em" font-size="72%">` + exponent + `</tspan>`
		}
		return "<text " + attributes + ">" + text + "</text>"
	})
}
