package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// Every value comes in text, HTML and JSON; figures as images, all else as Markdown and LaTeX too.
func TestBundle(t *testing.T) {
	words := []string{MediaType, "text/html", "text/latex", "text/markdown", "text/plain"}
	for _, c := range []struct {
		value      any
		plain      string
		media      []string
		singleLine bool
	}{
		{0.1, "x = 0.1", words, true},
		{fcResult(), "CoKernelFC (tuned schedule) decided each of 5 tasks", words, false},
		{[]Block{Code{Text: "k = rbf(0.5)"}, Paragraph{Text: "A kernel."}}, "k = rbf(0.5)", words, false},
		{figureFrom(t, fcSweep(), "", ""), "Samples per agent against gap", []string{MediaType, "image/png", "text/html", "text/plain"}, false},
	} {
		b := try.Of(Bundle(Display{Name: "x", Value: c.value}, "cell-1"))
		if media := slices.Sorted(maps.Keys(b)); !slices.Equal(media, c.media) {
			t.Errorf("%T: media types %v, want %v", c.value, media, c.media)
		}
		for media, v := range b {
			if text, ok := v.(string); media != MediaType && (!ok || text == "") {
				t.Errorf("%T: %s is %v, want text", c.value, media, v)
			}
		}
		text := b["text/plain"].(string)
		if !strings.Contains(text, c.plain) || strings.Contains(text, "\n") == c.singleLine {
			t.Errorf("%T: plain text %q", c.value, text)
		}
		parse(t, []byte(b["text/html"].(string)))
	}
}

// The fragments are what is below the headings of a document.
func TestFragments(t *testing.T) {
	d := Display{Name: "r", Source: "r = fc(p)", Value: undecidedResult()}
	markdown := try.Of(MarkdownFragment(d))
	latex := LaTeXFragment(d)
	whole := written(t, func(w io.Writer) error { return LaTeX(w, Document{Displays: []Display{d}}) })
	if strings.Contains(markdown, "\n## ") || !strings.Contains(markdown, "| Task |") {
		t.Errorf("Markdown %q", markdown)
	}
	if strings.Contains(latex, `\subsection`) || !strings.Contains(latex, `\toprule`) || !bytes.Contains(whole, []byte(strings.TrimSpace(latex))) {
		t.Errorf("LaTeX %q", latex)
	}
	f := figureFrom(t, fcSweep(), "", "")
	if got := LaTeXFragment(Display{Value: f}); strings.Contains(got, "tabular") || !strings.Contains(got, inlineLaTeX(f.Describe())) {
		t.Errorf("a figure in LaTeX is %q, want a sentence", got)
	}
}

// The HTML of a figure shows it wherever svg elements are removed: as an image with a description,
// in SVG for front ends and in PNG for hosts that refuse SVG.
func TestBundlePicture(t *testing.T) {
	f := figureFrom(t, fcSweep(), "", "")
	b, err := Bundle(Display{Value: f}, "cell-1")
	if err != nil {
		t.Fatal(err)
	}
	root := parse(t, []byte(b["text/html"].(string)))
	if n := len(root.all("svg")); n > 0 {
		t.Errorf("%d svg elements", n)
	}
	sources, images := root.all("source"), root.all("img")
	if len(sources) != 1 || len(images) != 1 {
		t.Fatalf("%d sources and %d images, want one of each", len(sources), len(images))
	}
	svg, isSVG := strings.CutPrefix(sources[0].attrs["srcset"], "data:image/svg+xml;base64,")
	drawing, err := base64.StdEncoding.DecodeString(svg)
	if !isSVG || err != nil || !bytes.Contains(drawing, []byte("prefers-color-scheme: dark")) {
		t.Errorf("the source is %.60q (%v)", sources[0].attrs["srcset"], err)
	}
	if images[0].attrs["src"] != "data:image/png;base64,"+b["image/png"].(string) || images[0].attrs["alt"] != f.Describe() {
		t.Errorf("the image is %.60q, described %q", images[0].attrs["src"], images[0].attrs["alt"])
	}
	f.Title = "机器"
	if b, err = Bundle(Display{Value: f}, "cell-1"); err != nil || b["image/png"] != nil || !strings.Contains(b["text/html"].(string), `<img src="data:image/svg+xml;base64,`) {
		t.Errorf("letters that the font lacks: %v, with a PNG: %v", err, b["image/png"] != nil)
	}
}

// The JSON of a bundle is the document's, decoded: what is not finite is null.
func TestBundleJSON(t *testing.T) {
	r := fcResult()
	r.SamplesTotal, r.Ridge = math.Inf(1), math.NaN()
	b, err := Bundle(Display{Name: "r", Value: r}, "cell-1")
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Displays []map[string]any }
	text := written(t, func(w io.Writer) error { return JSON(w, Document{Displays: []Display{{Name: "r", Value: r}}}) })
	try.To(json.Unmarshal(text, &document))
	got := b[MediaType].(map[string]any)
	if got["schema"] != Schema {
		t.Errorf("schema %v", got["schema"])
	}
	delete(got, "schema")
	if diff := cmp.Diff(document.Displays[0], got); diff != "" {
		t.Errorf("(-document +bundle):\n%s", diff)
	}
	if v := got["value"].(map[string]any); v["samples_total"] != nil || v["ridge"] != nil || v["tasks"] != 5.0 {
		t.Errorf("value %v", v)
	}
	r.Eliminations = slices.Repeat([]engine.Elimination{{Task: strings.Repeat("t", 1000), Arm: "a"}}, maxBundleJS/1000)
	if b, err = Bundle(Display{Value: r}, "cell-1"); err != nil || b[MediaType] != nil {
		t.Errorf("error %v, and a JSON of more than %d bytes", err, maxBundleJS)
	}
}

// A figure drawn from the JSON of its bundle is the same drawing.
func TestFigureFromJSON(t *testing.T) {
	odd := Figure{Title: "odd", Series: []Series{{Name: "s", X: []float64{1, 2, 3}, Y: []float64{1, math.NaN(), 3}, Style: Points, Measured: true}}, Lines: []ReferenceLine{{Label: "l", At: 2}}}
	heat := Figure{Title: "heat", Heat: &Heat{Rows: []string{"a"}, Columns: []string{"b", "c"}, Z: [][]float64{{1, math.NaN()}}}}
	for _, f := range []Figure{figureFrom(t, fcSweep(), "", ""), figureFrom(t, fbSweep(), "budget", "error"), odd, heat} {
		b := try.Of(Bundle(Display{Value: f}, "cell-1"))
		got := try.Of(figure.FromJSON(b[MediaType].(map[string]any)["value"]))
		if diff := cmp.Diff(f, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-figure +from JSON):\n%s", f.Title, diff)
		}
		if again, err := Bundle(Display{Value: got}, "cell-1"); err != nil || again["text/html"] != b["text/html"] {
			t.Errorf("%s: another drawing (%v)", f.Title, err)
		}
		data := try.Of(base64.StdEncoding.DecodeString(b["image/png"].(string)))
		if image, err := png.Decode(bytes.NewReader(data)); err != nil || image.Bounds().Dx() < 400 {
			t.Errorf("%s: PNG %v", f.Title, err)
		}
	}
	for _, wrong := range []any{nil, 3.0, "text", map[string]any{}, map[string]any{"title": "t"},
		map[string]any{"series": []any{map[string]any{"x": []any{1.0}}}},
		map[string]any{"series": []any{map[string]any{"x": []any{1.0}, "y": []any{1.0}, "lo": []any{1.0}}}},
		map[string]any{"heat": map[string]any{"rows": []any{"a"}, "z": []any{}}},
		map[string]any{"heat": map[string]any{"rows": []any{"a"}, "columns": []any{"b"}, "z": []any{[]any{}}}},
	} {
		if f, err := figure.FromJSON(wrong); err == nil {
			t.Errorf("%v became the figure %+v", wrong, f)
		}
	}
}

// What Axes offers FigureOf draws, and nothing else; the first is the usual choice.
func TestAxes(t *testing.T) {
	for _, v := range []any{fcSweep(), fbSweep(), fcResult(), []engine.Result{fcResult(), undecidedResult()}, boundsReport(), forecast()} {
		usual := figureFrom(t, v, "", "")
		xs, _ := Axes(v, "")
		for i, x := range xs {
			_, ys := Axes(v, x)
			for j, y := range ys {
				got, err := FigureOf(v, asked(x, y))
				if err != nil {
					t.Errorf("%s, x=%q, y=%q: %v", TypeName(v), x, y, err)
				}
				if i == 0 && j == 0 && !cmp.Equal(usual, got) {
					t.Errorf("%s: x=%q, y=%q is not the usual choice", TypeName(v), x, y)
				}
			}
		}
		for _, wrong := range [][2]string{{"nowhere", ""}, {"", "nothing"}} {
			if _, err := FigureOf(v, asked(wrong[0], wrong[1])); err == nil {
				t.Errorf("%s: %q was accepted", TypeName(v), wrong)
			}
		}
	}
	if xs, ys := Axes(3.0, ""); xs != nil || ys != nil {
		t.Errorf("a number has the axes %v and %v", xs, ys)
	}
}

func TestNatural(t *testing.T) {
	names := []string{"arm 10", "b", "arm 2", "arm 02", "arm", "10 mg", "9 mg"}
	slices.SortStableFunc(names, naturally)
	if want := []string{"9 mg", "10 mg", "arm", "arm 2", "arm 02", "arm 10", "b"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
