//go:build !js

package figure

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// pdfCanvas draws on a PDF with one page, like gonum's vgpdf. It embeds only the letters in use, and a table from glyphs
// to Unicode. vgpdf embeds the whole font, which lacks Greek letters and this table.
type pdfCanvas struct {
	letters
	doc    *fpdf.Fpdf
	w, h   vg.Length
	widths []vg.Length // widths of lines: one of the page, and one for each Push without a Pop
}

const pdfFont = "LiberationSans"

// newPDF returns a canvas of the given size. The same drawing gives the same bytes.
func newPDF(title string, w, h vg.Length) *pdfCanvas {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: w.Points(), Ht: h.Points()}})
	then := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	doc.SetCreationDate(then)
	doc.SetModificationDate(then)
	doc.SetCatalogSort(true)
	doc.SetTitle(title, true)
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddUTF8FontFromBytes(pdfFont, "", liberationsansregular.TTF)
	doc.AddPage()
	c := &pdfCanvas{doc: doc, w: w, h: h, widths: []vg.Length{1}}
	vg.Initialize(c)
	return c
}

// Size implements vg.CanvasSizer.
func (c *pdfCanvas) Size() (w, h vg.Length) { return c.w, c.h }

// down returns a point in the coordinates of fpdf, whose y grows downwards.
func (c *pdfCanvas) down(p vg.Point) (x, y float64) { return p.X.Points(), (c.h - p.Y).Points() }

// SetLineWidth implements vg.Canvas.
func (c *pdfCanvas) SetLineWidth(w vg.Length) {
	c.widths[len(c.widths)-1] = w
	c.doc.SetLineWidth(w.Points())
}

// SetLineDash implements vg.Canvas.
func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.doc.SetDashPattern(lists.Map(pattern, vg.Length.Points), offset.Points())
}

// SetColor implements vg.Canvas. nil represents black.
func (c *pdfCanvas) SetColor(clr color.Color) {
	clr = cmp.Or(clr, color.Color(color.Black))
	n := color.NRGBAModel.Convert(clr).(color.NRGBA)
	r, g, b := int(n.R), int(n.G), int(n.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(n.A)/0xff, "Normal")
}

// Rotate implements vg.Canvas.
func (c *pdfCanvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	c.doc.Transform(fpdf.TransformMatrix{A: cos, B: sin, C: -sin, D: cos})
}

// Translate implements vg.Canvas.
func (c *pdfCanvas) Translate(p vg.Point) {
	c.doc.Transform(fpdf.TransformMatrix{A: 1, D: 1, E: p.X.Points(), F: p.Y.Points()})
}

// Scale implements vg.Canvas.
func (c *pdfCanvas) Scale(x, y float64) { c.doc.Transform(fpdf.TransformMatrix{A: x, D: y}) }

// Push implements vg.Canvas.
func (c *pdfCanvas) Push() {
	c.widths = append(c.widths, c.widths[len(c.widths)-1])
	c.doc.TransformBegin()
}

// Pop implements vg.Canvas.
func (c *pdfCanvas) Pop() {
	c.doc.TransformEnd()
	c.widths = c.widths[:len(c.widths)-1]
}

// Stroke implements vg.Canvas.
func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.widths[len(c.widths)-1] > 0 {
		c.path(p, "D")
	}
}

// Fill implements vg.Canvas.
func (c *pdfCanvas) Fill(p vg.Path) { c.path(p, "F") }

func (c *pdfCanvas) path(p vg.Path, style string) {
	for i, step := range p {
		switch step.Type {
		case vg.MoveComp:
			c.doc.MoveTo(c.down(step.Pos))
		case vg.LineComp:
			c.doc.LineTo(c.down(step.Pos))
		case vg.ArcComp:
			c.arc(step, i == 0)
		case vg.CurveComp:
			x, y := c.down(step.Pos)
			x1, y1 := c.down(step.Control[0])
			if len(step.Control) == 1 {
				c.doc.CurveTo(x1, y1, x, y)
				break
			}
			x2, y2 := c.down(step.Control[1])
			c.doc.CurveBezierCubicTo(x1, y1, x2, y2, x, y)
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(style)
}

// arc draws an arc as Bézier curves, each at most a quarter of a circle.
func (c *pdfCanvas) arc(a vg.PathComp, first bool) {
	at := func(angle, along vg.Length) (x, y float64) { // a point at this distance along the tangent
		sin, cos := math.Sincos(float64(angle))
		return c.down(vg.Point{X: a.Pos.X + a.Radius*(vg.Length(cos)-along*vg.Length(sin)),
			Y: a.Pos.Y + a.Radius*(vg.Length(sin)+along*vg.Length(cos))})
	}
	x, y := at(vg.Length(a.Start), 0)
	if first {
		c.doc.MoveTo(x, y)
	} else {
		c.doc.LineTo(x, y)
	}
	n := max(1, int(math.Ceil(math.Abs(a.Angle)/(math.Pi/2)-1e-9)))
	step := a.Angle / float64(n)
	reach := vg.Length(4. / 3 * math.Tan(step/4))
	for k := range n {
		from, to := vg.Length(a.Start+float64(k)*step), vg.Length(a.Start+float64(k+1)*step)
		x1, y1 := at(from, reach)
		x2, y2 := at(to, -reach)
		x, y = at(to, 0)
		c.doc.CurveBezierCubicTo(x1, y1, x2, y2, x, y)
	}
}

// FillString implements vg.Canvas.
func (c *pdfCanvas) FillString(face font.Face, at vg.Point, s string) {
	c.check(face, s)
	c.doc.SetFont(pdfFont, "", face.Font.Size.Points())
	x, y := c.down(at)
	c.doc.Text(x, y, s)
}

// DrawImage implements vg.Canvas. Figures have no images.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("figure: a drawing has an image") }
