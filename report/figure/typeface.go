package figure

import (
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	plottext "gonum.org/v1/plot/text"
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
	return plottext.Plain{Fonts: font.NewCache(font.Collection{{Font: typeface, Face: face}})}
})
