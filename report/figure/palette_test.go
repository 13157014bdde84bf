package figure

import (
	"image/color"
	"math"
	"testing"
)

// lab returns the CIE L*a*b* coordinates (white D65) of linear RGB [IEC 61966-2-1].
func lab(rgb [3]float64) [3]float64 {
	m := [3][3]float64{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}
	white := [3]float64{0.9505, 1, 1.089}
	var f [3]float64
	for i, row := range m {
		t := (row[0]*rgb[0] + row[1]*rgb[1] + row[2]*rgb[2]) / white[i]
		if f[i] = math.Cbrt(t); t < 216./24389 {
			f[i] = (24389./27*t + 16) / 116
		}
	}
	return [3]float64{116*f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])}
}

// TestPaletteForTheColourBlind: all pairs of colours stay apart for eyes without green or
// without red cones, simulated with the matrices of Machado, Oliveira and Fernandes, "A
// Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 2009,
// severity 1. A distance of 2.3 in L*a*b* is just noticeable; 10 is seen at a glance.
func TestPaletteForTheColourBlind(t *testing.T) {
	eyes := map[string][3][3]float64{
		"all cones":    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	}
	linear := func(c uint8) float64 { return math.Pow((float64(c)/255+0.055)/1.055, 2.4) }
	for eye, m := range eyes {
		seen := make([][3]float64, len(palette))
		for i, c := range palette {
			rgb := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
			var through [3]float64
			for k, row := range m {
				through[k] = min(max(row[0]*rgb[0]+row[1]*rgb[1]+row[2]*rgb[2], 0), 1)
			}
			seen[i] = lab(through)
		}
		for i := range seen {
			for j := range i {
				d := math.Hypot(math.Hypot(seen[i][0]-seen[j][0], seen[i][1]-seen[j][1]), seen[i][2]-seen[j][2])
				if d < 10 {
					t.Errorf("%s: colours %d and %d are %.1f apart", eye, j+1, i+1, d)
				}
			}
		}
	}
}

// TestShadesInPDF: a shade keeps its colour beside its alpha.
func TestShadesInPDF(t *testing.T) {
	c := newPDF("", 10, 10)
	c.SetColor(color.NRGBA{0, 0x72, 0xb2, 0x30})
	if r, g, b := c.doc.GetFillColor(); r != 0 || g != 0x72 || b != 0xb2 {
		t.Errorf("%x %x %x", r, g, b)
	}
	if alpha, _ := c.doc.GetAlpha(); alpha != 0x30/255. {
		t.Errorf("alpha %g", alpha)
	}
}
