package figure

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	plottext "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// typeface is the one font of figures. Only it is linked: gonum.org/v1/plot and its
// font/liberation would add eleven others, 4 MB to every Go cell that shows a value.
var typeface = font.Font{Typeface: "Liberation", Variant: "Sans"}

// typesetter returns the handler that measures and draws the words of figures.
var typesetter = sync.OnceValue(func() plottext.Handler {
	face, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // the font is in the binary
	}
	return anchored{plottext.Plain{Fonts: font.NewCache(font.Collection{{Font: typeface, Face: face}})}}
})

// LettersError reports letters that a PNG or a PDF cannot show, because the font of figures lacks
// them. SVG shows them, with the fonts of the reader.
type LettersError struct{ Letters string }

// Error implements error.
func (e *LettersError) Error() string {
	return fmt.Sprintf("the font of figures, Liberation Sans, has no letters %q for PNG and PDF; save the figure as .svg, which "+
		"is shown with the fonts of the reader", e.Letters)
}

// letters collects the letters of a drawing that the font of figures lacks, each once.
type letters struct {
	buf     sfnt.Buffer
	missing []rune
}

// look notes the letters of s that the face lacks. What is not printed needs no letter.
func (l *letters) look(face font.Face, s string) {
	for _, r := range s {
		glyph, err := face.Face.GlyphIndex(&l.buf, r)
		if (err != nil || glyph == 0) && unicode.IsPrint(r) && !slices.Contains(l.missing, r) {
			l.missing = append(l.missing, r)
		}
	}
}

// err returns a LettersError when a letter is missing.
func (l *letters) err() error {
	if len(l.missing) == 0 {
		return nil
	}
	return &LettersError{string(l.missing)}
}

// canvas is a vg.Canvas that looks for missing letters.
type canvas interface {
	vg.CanvasSizer
	err() error
}

// raised is a text handler that sets what follows a ^ as an exponent: 10^3. The fonts at hand lack
// the superscript minus, so exponents are set smaller and higher instead of as separate characters.
type raised struct{ plottext.Handler }

const exponentSize = 0.72 // of the base

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

// Draw implements text.Handler. Exponents are for upright text.
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
