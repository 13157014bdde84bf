package figure

import (
	"strings"

	"gonum.org/v1/plot/font"
	plottext "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

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
