package export

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/chromium"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// PDF prints the HTML page with a browser of the Chromium family. Folded parts are unfolded, except for long tables of
// package report. PDF prints twice, because the table of contents needs the page numbers of the first print. Without an
// installed browser it returns chromium.ErrMissing.
func PDF(ctx context.Context, nb *notebook.Notebook, opt Options) (pdf []byte, err error) {
	if _, err := chromium.Find(); err != nil {
		return nil, err
	}
	var pages map[string]int
	for range 2 {
		if pdf, err = chromium.Print(ctx, printable(ctx, nb, opt, pages)); err != nil {
			return nil, err
		}
		if pages = destinations(pdf); len(pages) == 0 {
			break // no table of contents
		}
	}
	return pdf, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

var leadingNumber = regexp.MustCompile(`^\s*(\d+\.?\d*)(px|pt|in|cm|mm)?\s*$`)

// svgPDF prints an SVG drawing as a PDF whose page has the size of the drawing.
func svgPDF(ctx context.Context, source string) ([]byte, error) {
	if _, err := chromium.Find(); err != nil {
		return nil, err
	}
	svg := drawing(source)
	if svg == nil {
		return nil, errors.New("no drawing")
	}
	width, height := size(svg)
	style := fmt.Sprintf("@page { size: %[1]gpx %[2]gpx; margin: 0 } html, body { margin: 0 } "+
		"svg { display: block; width: %[1]gpx; height: %[2]gpx }\n", width, height)
	return chromium.Print(ctx, []byte(report.PageHead("Drawing", style, "")+"<body>"+svg.String()+"</body></html>"))
}

// drawing returns the first SVG drawing in a source after cleaning, including its style sheets, or nil if there is none.
func drawing(source string) *markup.Node {
	const name = "drawing"
	style := ""
	k := markup.Cleaner{Style: func(sheet string) { style += markup.Scoped(sheet, name, func(id string) string { return id }) }}
	found := k.Read(source).All("svg")
	if len(found) == 0 {
		return nil
	}
	svg := found[0]
	if style != "" {
		svg.Set("id", name)
		svg.Children = append([]*markup.Node{markup.Element("style", nil, markup.Text(style))}, svg.Children...)
	}
	return svg
}

// drawingFile returns the first drawing in a source as an SVG file (XML), or nil if there is none.
func drawingFile(source string) []byte {
	if svg := drawing(source); svg != nil {
		return []byte(svg.String())
	}
	return nil
}

// size returns a drawing's size in CSS pixels, from its attributes or else from its view box.
func size(svg *markup.Node) (width, height float64) {
	width, height = length(svg.Get("width")), length(svg.Get("height"))
	if box := strings.Fields(strings.ReplaceAll(svg.Get("viewBox"), ",", " ")); len(box) == 4 && (width == 0 || height == 0) {
		width, height = length(box[2]), length(box[3])
	}
	if width == 0 || height == 0 {
		return 300, 150 // CSS's default size
	}
	return width, height
}

func length(s string) float64 {
	m := leadingNumber.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	if n := perInch[m[2]]; n > 0 {
		return x * 96 / n
	}
	return x
}

// perInch maps a CSS unit to its number per inch. An inch has 96 px.
var perInch = map[string]float64{"pt": 72, "in": 1, "cm": 2.54, "mm": 25.4}
