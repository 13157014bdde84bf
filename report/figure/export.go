package figure

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

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

var (
	svgHead = regexp.MustCompile(`(?s)^.*?<svg width="([\d.]+)pt" height="([\d.]+)pt" viewBox="([^"]*)"[^>]*>`)
	svgFont = regexp.MustCompile(`font-family:[^;"]*;font-variant:[a-z-]*;font-weight:[a-z0-9]*;font-style:[a-z]*;?`)
)

// darkColours are used on dark pages. The plate has the colour of a dark page of JupyterLab.
const darkColours = "<style>svg { --ink: #1b1f24; --page: #ffffff; --grid: #dde2e7 } @media (prefers-color-scheme: dark) { " +
	"svg { --ink: #e8ebee; --page: #111111; --grid: #333b44 } }</style>\n"

var (
	inks  = []string{"#1B1F24", "#FFFFFF", "#DDE2E7"} // ink, plate and grid, as vgsvg writes them
	paged = []string{"var(--ink, #1b1f24)", "var(--page, #ffffff)", "var(--grid, #dde2e7)"}
	filed = []string{"var(--ink)", "var(--page)", "var(--grid)"}
)

// SVGImage returns a figure as an SVG file for an img element. If the page states that it is dark (color-scheme), browsers
// draw the figure in light ink. It has a plate, so that it can be read on every page.
func SVGImage(f Figure) (string, error) {
	s, err := svgOf(f, "figure", true, filed)
	if err != nil {
		return "", err
	}
	head, rest, _ := strings.Cut(s, "\n")
	return head + "\n" + darkColours + rest, nil
}

// SVGElement returns a figure as one svg element, whose ids begin with id. A figure inside a page takes ink, plate and
// grid from the style of the page, and has no title, because the caption has it.
func SVGElement(f Figure, id string, inPage bool) (string, error) {
	if inPage {
		return svgOf(f, id, false, paged)
	}
	return svgOf(f, id, true, inks)
}

// svgOf draws a figure, with or without its title, in the given ink, plate and grid.
func svgOf(f Figure, id string, titled bool, in []string) (string, error) {
	d := newLayout(f, titled)
	c := vgsvg.New(d.width, d.height)
	d.draw(c)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", fmt.Errorf("drawing %q: %w", f.Title, err)
	}
	s := b.String()
	head := svgHead.FindStringSubmatch(s)
	title := cmp.Or(f.Title, "Figure")
	s = fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="%s" role="img" aria-labelledby="%s-title %[4]s-desc"`+
		` font-family="'Liberation Sans', Arial, Helvetica, sans-serif">`+"\n"+`<title id="%[4]s-title">%[5]s</title>`+"\n"+
		`<desc id="%[4]s-desc">%[6]s</desc>`,
		head[1], head[2], head[3], html.EscapeString(id), html.EscapeString(title), html.EscapeString(f.Describe())) + s[len(head[0]):]
	s = joined(anchors(svgFont.ReplaceAllString(s, "")))
	return strings.NewReplacer(inks[0], in[0], inks[1], in[1], inks[2], in[2]).Replace(s), nil
}

var svgPath = regexp.MustCompile(`^<path d="([^"]*)" style="([^"]*)" />$`)

// joined merges neighbouring paths with the same style, such as bars of intervals, into one. The picture stays the same,
// in a third of the bytes. Transparent shapes stay separate.
func joined(svg string) string {
	var out []string
	style := "" // style of the path at the end of out
	for line := range strings.Lines(svg) {
		path := svgPath.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		switch {
		case path == nil || strings.Contains(path[2], "opacity"):
			style = ""
		case path[2] == style:
			d, end := out[len(out)-1], `" style="`+style+"\" />\n"
			out[len(out)-1] = strings.TrimSuffix(d, end) + path[1] + end
			continue
		default:
			style = path[2]
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}
