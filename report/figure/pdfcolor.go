package figure

import "image/color"

// SetColor implements vg.Canvas. vgpdf takes colours with their alpha multiplied in
// and applies it once more, which turns a shade of any colour grey.
func (c pdfCanvas) SetColor(clr color.Color) {
	if clr == nil { // which stands for black
		clr = color.Black
	}
	n := color.NRGBA64Model.Convert(clr).(color.NRGBA64)
	c.Canvas.SetColor(straight(n))
}

// straight is a colour that gives its channels as they are, beside its alpha.
type straight color.NRGBA64

// RGBA implements color.Color for vgpdf alone.
func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R), uint32(s.G), uint32(s.B), uint32(s.A)
}
