package export

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/export/markup"
	"github.com/gonb-cope/gonb-cope/report"
)

var leadingNumber = regexp.MustCompile(`^\s*(\d+\.?\d*)(px|pt|in|cm|mm)?\s*$`)

// svgPDF prints a drawing on a sheet of the drawing's size.
func svgPDF(ctx context.Context, source string) ([]byte, error) {
	browser, err := findBrowser()
	if err != nil {
		return nil, err
	}
	svg := drawing(source)
	if svg == nil {
		return nil, errors.New("no drawing")
	}
	width, height := size(svg)
	page := fmt.Sprintf("<!DOCTYPE html>\n<html lang=\"en\"><head><meta "+
		"charset=\"utf-8\"/>%[3]s<title>Drawing</title><style>@page { size: %[1]gpx %[2]gpx; margin: 0 } "+
		"html, body { margin: 0 } svg { display: block; width: %[1]gpx; height: %[2]gpx }</style></head><body>%[4]s</body></html>", width,
		height, report.ContentPolicy(""), svg.String())
	return printPage(ctx, browser, []byte(page))
}

// drawing returns the first drawing in a source, rebuilt from what is known to be harmless and with
// the style that it brings; nil without a drawing.
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

// drawingFile returns a drawing as a separate file, which is XML.
func drawingFile(source string) []byte {
	if svg := drawing(source); svg != nil {
		return []byte(svg.String())
	}
	return nil
}

// size returns the drawing's size in CSS pixels, from its attributes or else its view box.
func size(svg *markup.Node) (width, height float64) {
	width, height = length(svg.Get("width")), length(svg.Get("height"))
	if box := strings.Fields(strings.ReplaceAll(svg.Get("viewBox"), ",", " ")); len(box) == 4 && (width == 0 || height == 0) {
		width, height = length(box[2]), length(box[3])
	}
	if width == 0 || height == 0 {
		return 300, 150 // what CSS takes
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
	switch m[2] {
	case "pt":
		return x * 96 / 72
	case "in":
		return x * 96
	case "cm":
		return x * 96 / 2.54
	case "mm":
		return x * 96 / 25.4
	}
	return x
}
