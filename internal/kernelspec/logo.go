package kernelspec

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
)

// The mark: three tasks, lines one above the other, that share one bump, the kernel;
// and on each the best arm. In units of a square of side 1, y downwards.
var (
	ground = color.RGBA{0x0b, 0x3c, 0x5d, 0xff}
	tasks  = []task{
		{base: 0.44, height: 0.24, paint: color.RGBA{0xf0, 0xe4, 0x42, 0xff}},
		{base: 0.63, height: 0.24, paint: color.RGBA{0x56, 0xb4, 0xe9, 0xff}},
		{base: 0.82, height: 0.24, paint: color.RGBA{0xff, 0xff, 0xff, 0xff}},
	}
)

type task struct {
	base, height float64
	paint        color.RGBA
}

const (
	corner    = 0.18 // radius of the square's corners
	margin    = 0.14 // left and right of the lines
	stroke    = 0.055
	dot       = 0.06 // radius
	bumpAt    = 0.5
	bumpWidth = 0.11
)

// at returns the height of a line over x.
func (t task) at(x float64) float64 {
	u := (x - bumpAt) / bumpWidth
	return t.base - t.height*math.Exp(-u*u/2)
}

// near reports whether a point belongs to the line or its dot.
func (t task) near(x, y float64) bool {
	if math.Hypot(x-bumpAt, y-t.at(bumpAt)) <= dot {
		return true
	}
	if x < margin || x > 1-margin {
		return false
	}
	const h = 1e-3
	slope := (t.at(x+h) - t.at(x-h)) / (2 * h)
	return math.Abs(y-t.at(x)) <= stroke/2*math.Hypot(1, slope)
}

// LogoSVG returns the mark as SVG.
func LogoSVG() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" role="img"><title>gonb-cope</title>`+"\n")
	fmt.Fprintf(&b, `<rect width="100" height="100" rx="%g" fill="%s"/>`+"\n", 100*corner, hex(ground))
	for _, t := range tasks {
		path := make([]string, 0, 37)
		for x := margin; x <= 1-margin+1e-9; x += (1 - 2*margin) / 36 {
			path = append(path, fmt.Sprintf("%.1f %.1f", 100*x, 100*t.at(x)))
		}
		fmt.Fprintf(&b, `<path d="M%s" fill="none" stroke="%s" stroke-width="%g" stroke-linejoin="round"/>`+"\n", strings.Join(path, "L"),
			hex(t.paint), 100*stroke)
		fmt.Fprintf(&b, `<circle cx="%g" cy="%g" r="%g" fill="%s"/>`+"\n", 100*bumpAt, 100*(t.base-t.height), 100*dot, hex(t.paint))
	}
	return []byte(b.String() + "</svg>\n")
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// LogoPNG returns the mark as PNG of a side in pixels.
func LogoPNG(side int) []byte {
	const samples = 4 // each way in a pixel
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		var r, g, b, seen float64
		for s := range samples * samples {
			x := (float64(i%side) + (float64(s%samples)+0.5)/samples) / float64(side)
			y := (float64(i/side) + (float64(s/samples)+0.5)/samples) / float64(side)
			if c, ok := paint(x, y); ok {
				r, g, b, seen = r+float64(c.R), g+float64(c.G), b+float64(c.B), seen+1
			}
		}
		if seen > 0 {
			img.SetNRGBA(i%side, i/side, color.NRGBA{uint8(r / seen), uint8(g / seen), uint8(b / seen), uint8(255 * seen / (samples * samples))})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}

// paint returns the colour at a point; none outside the rounded square.
func paint(x, y float64) (color.RGBA, bool) {
	dx := max(corner-x, x-(1-corner), 0)
	dy := max(corner-y, y-(1-corner), 0)
	if math.Hypot(dx, dy) > corner {
		return color.RGBA{}, false
	}
	for k := len(tasks) - 1; k >= 0; k-- {
		if tasks[k].near(x, y) {
			return tasks[k].paint, true
		}
	}
	return ground, true
}
