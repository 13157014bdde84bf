package figure

import (
	"bytes"
	"fmt"
	"html"
	"image/png"
	"io"
	"regexp"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// SVG writes a figure as an SVG file with title and description. The same figure
// gives the same bytes. It returns the error of w.
func SVG(w io.Writer, f Figure) error {
	s, err := SVGElement(f, "figure", false)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+s)
	return err
}

// PNG writes a figure as an image of 200 dots per inch. It returns the error of w.
func PNG(w io.Writer, f Figure) error { return PNGAt(w, f, 200) }

// PNGAt writes a PNG with dpi dots per inch.
func PNGAt(w io.Writer, f Figure, dpi int) error {
	d := newLayout(f, true)
	c := vgimg.NewWith(vgimg.UseWH(d.width, d.height), vgimg.UseDPI(dpi))
	d.draw(c)
	// A notebook waits for it: a third faster for 4 % more bytes.
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, c.Image())
}

// created finds the dates that PDF files carry. They are overwritten by one of
// the same length, because positions in the file are part of the format.
var created = regexp.MustCompile(`/(CreationDate|ModDate) \(D:\d{14}\)`)

// PDF writes a figure as a PDF file for inclusion in papers; the same figure gives
// the same bytes. It returns the error of w.
func PDF(w io.Writer, f Figure) error {
	d := newLayout(f, true)
	c := pdfCanvas{vgpdf.New(d.width, d.height)}
	d.draw(c)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(created.ReplaceAll(b.Bytes(), []byte("/$1 (D:20000101000000)")))
	return err
}

// pdfCanvas writes text beyond Western European letters (Greek, superscripts) as
// outlines, since vgpdf's fonts hold no more than code page 1252.
type pdfCanvas struct{ *vgpdf.Canvas }

// FillString implements vg.Canvas.
func (c pdfCanvas) FillString(face font.Face, at vg.Point, s string) {
	for _, r := range s {
		if r > 0x7e {
			outline(c, face, at, s)
			return
		}
	}
	c.Canvas.FillString(face, at, s)
}

var (
	svgHead = regexp.MustCompile(`(?s)^.*?<svg width="([\d.]+)pt" height="([\d.]+)pt" viewBox="([^"]*)"[^>]*>`)
	svgFont = regexp.MustCompile(`font-family:[^;"]*;font-variant:[a-z-]*;font-weight:[a-z0-9]*;font-style:[a-z]*;?`)
)

// SVGElement returns a figure as one svg element. Ids start with id. A figure
// inside a page takes ink, plate and grid from the page's style, and leaves the
// title to the caption.
func SVGElement(f Figure, id string, inPage bool) (string, error) {
	d := newLayout(f, !inPage)
	c := vgsvg.New(d.width, d.height)
	d.draw(c)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", fmt.Errorf("drawing %q: %w", f.Title, err)
	}
	s := b.String()
	head := svgHead.FindStringSubmatch(s)
	title := f.Title
	if title == "" {
		title = "Figure"
	}
	s = fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="%s" role="img" aria-labelledby="%s-title %[4]s-desc"`+
		` font-family="'Liberation Sans', Arial, Helvetica, sans-serif">`+"\n"+`<title id="%[4]s-title">%[5]s</title>`+"\n"+`<desc id="%[4]s-desc">%[6]s</desc>`,
		head[1], head[2], head[3], html.EscapeString(id), html.EscapeString(title), html.EscapeString(f.Describe())) + s[len(head[0]):]
	s = svgFont.ReplaceAllString(s, "")
	if inPage {
		s = strings.NewReplacer("#1B1F24", "var(--ink, #1b1f24)", "#FFFFFF", "var(--page, #ffffff)", "#DDE2E7", "var(--grid, #dde2e7)").Replace(s)
	}
	return s, nil
}
