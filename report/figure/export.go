package figure

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
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

// PNG writes a figure as an image of 200 dots per inch. Letters that it cannot show are a
// LettersError; other errors come from w.
func PNG(w io.Writer, f Figure) error { return PNGAt(w, f, 200) }

// PNGAt writes a PNG with dpi dots per inch. Letters that it cannot show are a LettersError.
func PNGAt(w io.Writer, f Figure, dpi int) error {
	d := newLayout(f, true)
	c := &pngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(d.width, d.height), vgimg.UseDPI(dpi))}
	d.draw(c)
	if err := c.err(); err != nil {
		return err
	}
	return png.Encode(w, paletted(c.Image()))
}

// pngCanvas looks for missing letters.
type pngCanvas struct {
	*vgimg.Canvas
	letters
}

// FillString implements vg.Canvas.
func (c *pngCanvas) FillString(face font.Face, at vg.Point, s string) {
	c.check(face, s)
	c.Canvas.FillString(face, at, s)
}

// PDF writes a figure as a PDF file for inclusion in papers; the same figure gives
// the same bytes. It embeds the letters that are used. Letters that it cannot show are a
// LettersError; other errors come from w.
func PDF(w io.Writer, f Figure) error {
	d := newLayout(f, true)
	c := newPDF(f.Title, d.width, d.height)
	d.draw(c)
	if err := c.err(); err != nil {
		return err
	}
	return c.doc.Output(w)
}

var (
	svgHead = regexp.MustCompile(`(?s)^.*?<svg width="([\d.]+)pt" height="([\d.]+)pt" viewBox="([^"]*)"[^>]*>`)
	svgFont = regexp.MustCompile(`font-family:[^;"]*;font-variant:[a-z-]*;font-weight:[a-z0-9]*;font-style:[a-z]*;?`)
)

// darkColours are for the dark pages of browsers. The plate has the colour of JupyterLab's dark page.
const darkColours = "<style>svg { --ink: #1b1f24; --page: #ffffff; --grid: #dde2e7 } @media (prefers-color-scheme: dark) { " +
	"svg { --ink: #e8ebee; --page: #111111; --grid: #333b44 } }</style>\n"

var (
	inks  = []string{"#1B1F24", "#FFFFFF", "#DDE2E7"} // of ink, plate and grid, as vgsvg writes them
	paged = []string{"var(--ink, #1b1f24)", "var(--page, #ffffff)", "var(--grid, #dde2e7)"}
	filed = []string{"var(--ink)", "var(--page)", "var(--grid)"}
)

// SVGImage returns a figure as an SVG file for an img element. Browsers draw it for a dark page where
// that states that it is one (color-scheme); the plate is drawn too, so that it can be read in any.
func SVGImage(f Figure) (string, error) {
	s, err := svgOf(f, "figure", true, filed)
	if err != nil {
		return "", err
	}
	head, rest, _ := strings.Cut(s, "\n")
	return head + "\n" + darkColours + rest, nil
}

// SVGElement returns a figure as one svg element. Ids start with id. A figure
// inside a page takes ink, plate and grid from the page's style, and leaves the
// title to the caption.
func SVGElement(f Figure, id string, inPage bool) (string, error) {
	if inPage {
		return svgOf(f, id, false, paged)
	}
	return svgOf(f, id, true, inks)
}

// svgOf draws a figure, with its title or without, in the given ink, plate and grid.
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

// joined makes one path of neighbours in one style, such as the bars of many
// intervals: the same picture in a third of the bytes. Shapes that let others shine through stay apart.
func joined(svg string) string {
	var out []string
	style := "" // of the path that out ends with
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
