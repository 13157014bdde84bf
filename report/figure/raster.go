//go:build !js

package figure

import (
	"cmp"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// PNG writes a figure as an image with 200 dots per inch. It returns a LettersError for letters that the font lacks; other
// errors come from w.
func PNG(w io.Writer, f Figure) error { return PNGAt(w, f, 200) }

// PNGAt writes a PNG with dpi dots per inch. It returns a LettersError for letters that the font lacks; other errors come
// from w.
func PNGAt(w io.Writer, f Figure, dpi int) error {
	d := newLayout(f, true)
	c := &pngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(d.width, d.height), vgimg.UseDPI(dpi))}
	d.draw(c)
	if err := c.err(); err != nil {
		return err
	}
	return png.Encode(w, paletted(c.Image()))
}

// pngCanvas records missing letters.
type pngCanvas struct {
	*vgimg.Canvas
	letters
}

// FillString implements vg.Canvas.
func (c *pngCanvas) FillString(face font.Face, at vg.Point, s string) {
	c.check(face, s)
	c.Canvas.FillString(face, at, s)
}

// PDF writes a figure as a PDF file for papers. The same figure gives the same bytes. The file embeds the letters in use.
// PDF returns a LettersError for letters that the font lacks; other errors come from w.
func PDF(w io.Writer, f Figure) error {
	d := newLayout(f, true)
	c := newPDF(f.Title, d.width, d.height)
	d.draw(c)
	if err := c.err(); err != nil {
		return err
	}
	return c.doc.Output(w)
}

// paletted reduces an opaque image to 256 colours: first the most frequent colours, then, one after another, the colour
// farthest from all chosen ones. A drawing has few colours, and the file is a third as large. Equal images give equal
// palettes.
func paletted(img image.Image) *image.Paletted {
	whole, ok := img.(*image.RGBA)
	if !ok {
		whole = image.NewRGBA(img.Bounds())
		draw.Draw(whole, whole.Rect, img, img.Bounds().Min, draw.Src)
	}
	counts := map[uint32]int{}
	runs(whole, func(_, n int, c uint32) { counts[c] += n })
	ordered := slices.SortedFunc(maps.Keys(counts), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var palette color.Palette
	index, distances := make([]uint8, len(ordered)), slices.Repeat([]int{math.MaxInt}, len(ordered))
	for len(palette) < min(256, len(ordered)) {
		next := len(palette)
		if next >= frequent {
			next = slices.Index(distances, slices.Max(distances))
		}
		for k, c := range ordered {
			if d := distance(c, ordered[next]); d < distances[k] {
				distances[k], index[k] = d, uint8(len(palette))
			}
		}
		c := ordered[next]
		palette = append(palette, color.RGBA{uint8(c >> 24), uint8(c >> 16), uint8(c >> 8), uint8(c)})
	}
	place := lists.Keyed(ordered, func(k int, c uint32) (uint32, uint8) { return c, index[k] })
	out := image.NewPaletted(whole.Rect, palette)
	runs(whole, func(from, n int, c uint32) {
		i := place[c]
		for k := range n {
			out.Pix[from+k] = i
		}
	})
	return out
}

// frequent is the number of colours that are chosen because they are frequent.
const frequent = 64

// distance returns the squared distance of two colours.
func distance(a, b uint32) int {
	d := 0
	for shift := 8; shift < 32; shift += 8 {
		x := int(a>>shift&0xff) - int(b>>shift&0xff)
		d += x * x
	}
	return d
}

// runs calls visit for each group of n consecutive pixels with the same colour, from the first pixel on.
func runs(img *image.RGBA, visit func(from, n int, c uint32)) {
	at := func(k int) uint32 { return binary.BigEndian.Uint32(img.Pix[4*k:]) }
	total := len(img.Pix) / 4
	for from := 0; from < total; {
		to, c := from+1, at(from)
		for to < total && at(to) == c {
			to++
		}
		visit(from, to-from, c)
		from = to
	}
}
