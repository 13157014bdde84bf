package figure

import (
	"fmt"
	"slices"
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
