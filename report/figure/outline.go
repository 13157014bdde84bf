package figure

import (
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	vgfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// outline fills the shapes of the letters of s as paths, starting at at.
func outline(c vg.Canvas, face vgfont.Face, at vg.Point, s string) {
	var buf sfnt.Buffer
	const em = 1000 // units in which the font gives its shapes
	scale := float64(face.Font.Size) / em
	x := at.X
	for _, r := range s {
		glyph, err := face.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		segments, err := face.Face.LoadGlyph(&buf, glyph, fixed.I(em), nil)
		if err == nil && len(segments) > 0 {
			c.Fill(glyphPath(segments, vg.Point{X: x, Y: at.Y}, scale))
		}
		if advance, err := face.Face.GlyphAdvance(&buf, glyph, fixed.I(em), font.HintingNone); err == nil {
			x += vg.Length(float64(advance) / 64 * scale)
		}
	}
}

// glyphPath turns a font's segments (y down, 26.6 fixed point) into a path.
func glyphPath(segments sfnt.Segments, origin vg.Point, scale float64) vg.Path {
	at := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: origin.X + vg.Length(float64(p.X)/64*scale), Y: origin.Y - vg.Length(float64(p.Y)/64*scale)}
	}
	var path vg.Path
	for i, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				path.Close()
			}
			path.Move(at(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(at(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(at(s.Args[0]), at(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
		}
	}
	path.Close()
	return path
}
