package figure

import (
	"cmp"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
)

// paletted returns an image without transparent parts in 256 colours: its most frequent ones, then
// always the one that is farthest from all of these. A drawing has few colours besides those between
// ink and paper at the edges of letters, and the file is a third as large. Equal images give equal
// palettes.
func paletted(img image.Image) *image.Paletted {
	whole, ok := img.(*image.RGBA)
	if !ok {
		whole = image.NewRGBA(img.Bounds())
		draw.Draw(whole, whole.Rect, img, img.Bounds().Min, draw.Src)
	}
	counts := map[uint32]int{}
	runs(whole, func(_, n int, c uint32) { counts[c] += n })
	ordered := make([]uint32, 0, len(counts))
	for c := range counts {
		ordered = append(ordered, c)
	}
	slices.SortFunc(ordered, func(a, b uint32) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	var palette color.Palette
	index, away := make([]uint8, len(ordered)), make([]int, len(ordered))
	for k := range away {
		away[k] = math.MaxInt
	}
	for len(palette) < min(256, len(ordered)) {
		next := len(palette)
		if next >= frequent {
			next = slices.Index(away, slices.Max(away))
		}
		for k, c := range ordered {
			if d := distance(c, ordered[next]); d < away[k] {
				away[k], index[k] = d, uint8(len(palette))
			}
		}
		c := ordered[next]
		palette = append(palette, color.RGBA{uint8(c >> 24), uint8(c >> 16), uint8(c >> 8), uint8(c)})
	}
	place := map[uint32]uint8{}
	for k, c := range ordered {
		place[c] = index[k]
	}
	out := image.NewPaletted(whole.Rect, palette)
	runs(whole, func(from, n int, c uint32) {
		i := place[c]
		for k := range n {
			out.Pix[from+k] = i
		}
	})
	return out
}

// frequent is how many colours are taken because they are frequent.
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

// runs visits the stretches of n pixels of one colour, from the first pixel on.
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
