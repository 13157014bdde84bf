package figure

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/vgimg"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// words of an SVG drawing, with where they are anchored.
type word struct {
	Anchor string  `xml:"text-anchor,attr"`
	X      float64 `xml:"x,attr"`
	Text   string  `xml:",chardata"`
	Raised string  `xml:"tspan"`
}

// wordsOf returns the pieces of text in an SVG drawing.
func wordsOf(t *testing.T, svg []byte) []word {
	t.Helper()
	var out []word
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "text" {
			var w word
			try.To(d.DecodeElement(&w, &e))
			out = append(out, w)
		}
	}
}

// TestAnchors: in SVG, text that ends at a place or is centred there is anchored there, because the
// width of the reader's font is unknown; an exponent is in the text of its base.
func TestAnchors(t *testing.T) {
	f := saved(t, "bars")
	p := newLayout(f, true).panes[0]
	found := map[string]word{}
	for _, w := range wordsOf(t, written(t, func(w io.Writer) error { return SVG(w, f) })) {
		found[w.Text+"^"+w.Raised] = w
	}
	if len(f.Categories) < 2 {
		t.Fatal("nothing to test")
	}
	for _, name := range f.Categories {
		w, ok := found[name+"^"]
		if want := (p.box.Min.X - 6).Points(); !ok || w.Anchor != "end" || w.X < want-0.1 || w.X > want+0.1 {
			t.Errorf("%q is anchored %+v, want its end at %g", name, w, want)
		}
	}
	if title := found[f.Title+"^"]; title.Anchor != "middle" {
		t.Errorf("the title is anchored %+v, want its middle", title)
	}
	raised := 0
	for _, tick := range p.x.ticks {
		base, exponent, isPower := strings.Cut(tick.label, "^")
		w, ok := found[base+"^"+exponent]
		if want := p.px(tick.value).Points(); tick.label != "" && (!ok || w.Anchor != "middle" || w.X < want-0.1 || w.X > want+0.1) {
			t.Errorf("tick %q is anchored %+v, want its middle at %g", tick.label, w, want)
		}
		if isPower {
			raised++
		}
	}
	for name, f := range awkward() {
		svg := written(t, func(w io.Writer) error { return SVG(w, f) })
		if strings.ContainsAny(string(svg), middleMark+endMark+exponentMark) {
			t.Errorf("%s: a mark is left in the text", name)
		}
	}
	if raised == 0 {
		t.Log("no exponent in this figure")
	}
}

// inflated returns the streams of a PDF, unpacked.
func inflated(t *testing.T, pdf []byte) string {
	t.Helper()
	var out strings.Builder
	for _, m := range regexp.MustCompile(`(?s)stream\r?\n(.*?)\r?\nendstream`).FindAllSubmatch(pdf, -1) {
		r, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			out.Write(m[1])
			continue
		}
		text := try.Of(io.ReadAll(r))
		out.Write(text)
	}
	return out.String()
}

// TestPDFFont: a PDF holds the letters that it uses, Greek ones too, and says which they are, so that
// its text can be searched; it does not hold the whole font.
func TestPDFFont(t *testing.T) {
	f := saved(t, "lines")
	f.XLabel = "Υ and ξ"
	pdf := written(t, func(w io.Writer) error { return PDF(w, f) })
	if len(pdf) > 40_000 {
		t.Errorf("%d bytes, want a tenth of the 400 kB of the font at most", len(pdf))
	}
	if !bytes.Contains(pdf, []byte("/ToUnicode")) || !bytes.Contains(pdf, []byte("/FontFile2")) {
		t.Error("no embedded font with a table to Unicode")
	}
	// fpdf writes text in UTF-16.
	if text := inflated(t, pdf); !strings.Contains(text, "\x03\xa5\x00 \x00a\x00n\x00d\x00 \x03\xbe") {
		t.Error("the label is not there as text")
	}
}

// TestMissingLetters: letters that the font of figures lacks are refused in formats that would omit
// them, and left to the reader's fonts in SVG.
func TestMissingLetters(t *testing.T) {
	f := Figure{Title: "机器 A", XLabel: "x", YLabel: "机", Series: []Series{{Name: "s", X: []float64{1, 2}, Y: []float64{1, 2}}}}
	for name, write := range map[string]func(io.Writer, Figure) error{"PNG": PNG, "PDF": PDF} {
		var b bytes.Buffer
		err := write(&b, f)
		var lacking *LettersError
		if !errors.As(err, &lacking) || lacking.Letters != "机器" && lacking.Letters != "器机" || b.Len() > 0 {
			t.Errorf("%s: %v and %d bytes, want the two letters refused", name, err, b.Len())
		}
	}
	if svg := string(written(t, func(w io.Writer) error { return SVG(w, f) })); !strings.Contains(svg, "机器 A") {
		t.Error("the SVG has no such letters")
	}
	if err := PDF(io.Discard, Figure{Title: "ρ₁ ≤ 10³ → ∞ ‖μ‖ … ± × √ ² – “a” é ß ñ"}); err != nil {
		t.Error(err)
	}
}

// TestSVGImage: the drawing for an img element knows dark pages and is alone.
func TestSVGImage(t *testing.T) {
	s := try.Of(SVGImage(saved(t, "lines")))
	if !strings.Contains(s, "prefers-color-scheme: dark") || !strings.Contains(s, "fill:var(--page)") || !strings.HasPrefix(s, "<svg ") {
		t.Errorf("%.300s", s)
	}
	if ws := wordsOf(t, []byte(s)); len(ws) < 5 {
		t.Errorf("%d words", len(ws))
	}
}

// TestPaletted: the palette loses nothing that can be seen.
func TestPaletted(t *testing.T) {
	d := newLayout(saved(t, "panels"), true)
	c := vgimg.NewWith(vgimg.UseWH(d.width, d.height), vgimg.UseDPI(96))
	d.draw(c)
	whole, few := c.Image(), paletted(c.Image())
	worst := 0
	for y := range whole.Bounds().Dy() {
		for x := range whole.Bounds().Dx() {
			r, g, b, _ := whole.At(x, y).RGBA()
			R, G, B, _ := few.At(x, y).RGBA()
			for _, pair := range [][2]uint32{{r, R}, {g, G}, {b, B}} {
				worst = max(worst, int(pair[0]>>8)-int(pair[1]>>8), int(pair[1]>>8)-int(pair[0]>>8))
			}
		}
	}
	if worst > 16 {
		t.Errorf("a colour is off by %d of 255", worst)
	}
}
