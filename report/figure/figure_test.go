package figure

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

func written(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	try.To(write(&b))
	return b.Bytes()
}

// saved reads a figure that package report made of a value; its TestGolden writes them.
func saved(t *testing.T, name string) Figure {
	t.Helper()
	text := try.Of(os.ReadFile(filepath.Join("testdata", name+".json")))
	var v any
	try.To(json.Unmarshal(text, &v))
	return try.Of(FromJSON(v))
}

// awkward returns figures that a plotting library might stumble over.
func awkward() map[string]Figure {
	nan, inf := math.NaN(), math.Inf(1)
	out := map[string]Figure{
		"empty":         {},
		"empty series":  {LogX: true, LogY: true, Series: []Series{{Name: "a"}}},
		"one point":     {LogY: true, Series: []Series{{Name: "a", X: []float64{3}, Y: []float64{5}}}},
		"zeros on log":  {LogX: true, LogY: true, Series: []Series{{Name: "a", X: []float64{0, 1, 2}, Y: []float64{0, 0.5, 0}, Lo: []float64{0, 0, 0}, Hi: []float64{0.1, 1, 0.1}}}},
		"all zero, log": {LogY: true, Series: []Series{{Name: "a", X: []float64{1, 2}, Y: []float64{0, 0}}}},
		"negative, log": {LogX: true, LogY: true, Series: []Series{{Name: "a", X: []float64{-1, 2}, Y: []float64{-3, 4}, Lo: []float64{-9, -9}, Hi: []float64{-1, 9}}}},
		"not finite":    {LogY: true, Series: []Series{{Name: "a", X: []float64{1, 2, 3, nan, inf}, Y: []float64{nan, inf, -inf, 1, 1}, Lo: []float64{nan, 0, 0, 0, 0}, Hi: []float64{nan, inf, 1, inf, 1}}}},
		"all NaN":       {Series: []Series{{Name: "a", X: []float64{nan}, Y: []float64{nan}}}},
		"huge":          {Series: []Series{{Name: "a", X: []float64{-math.MaxFloat64, math.MaxFloat64}, Y: []float64{-math.MaxFloat64, math.MaxFloat64}}}},
		"tiny, log":     {LogY: true, Series: []Series{{Name: "a", X: []float64{1, 2}, Y: []float64{5e-324, 1e-320}}}},
		"same values":   {Series: []Series{{Name: "a", X: []float64{1e9, 1e9 + 1}, Y: []float64{1e15, 1e15}}}},
		"lines only":    {LogY: true, Lines: []ReferenceLine{{"zero", 0, false, false}, {"nan", nan, true, false}, {"one", 1, false, false}}},
		"bars":          {LogX: true, Categories: []string{"a", "b", "c", "d"}, Series: []Series{{Style: Bars, X: []float64{0, 1, 2, 3}, Y: []float64{0, -1, nan, inf}, Lo: []float64{0, 0, 0, 0}, Hi: []float64{1, 1, 1, inf}}}},
		"no bars":       {Series: []Series{{Style: Bars}}},
		"signed bars":   {Categories: []string{"a", "b"}, Series: []Series{{Style: Bars, X: []float64{0, 1}, Y: []float64{-2, 3}}}},
		"empty heat":    {Heat: &Heat{}},
		"heat":          {Heat: &Heat{Rows: []string{"a"}, Columns: []string{"x", "y"}, Z: [][]float64{{nan, -1}}}},
		"markup":        {Title: `<b> & "q" ξ ‖`, XLabel: "<i>", YLabel: "10^3 & more", Series: []Series{{Name: "a<b", X: []float64{1}, Y: []float64{1}}}},
		"many":          {LogY: true},
	}
	many := out["many"]
	for k := range 40 {
		s := Series{Name: fmt.Sprintf("series with a long name %d", k)}
		for i := range 6 {
			s.X, s.Y = append(s.X, float64(i)), append(s.Y, float64(i*k%11))
		}
		many.Series = append(many.Series, s)
	}
	out["many"] = many
	return out
}

// TestAwkwardFigures: any figure draws in every format, the same twice; SVG is well-formed without
// NaN or infinity, and PNG shows something.
func TestAwkwardFigures(t *testing.T) {
	for name, f := range awkward() {
		t.Run(name, func(t *testing.T) {
			var drawn [][]byte
			writers := []func(io.Writer, Figure) error{SVG, PNG, PDF}
			if testing.Short() {
				writers = writers[:1] // which has all lines and texts
			}
			for _, write := range writers {
				a := written(t, func(w io.Writer) error { return write(w, f) })
				drawn = append(drawn, a)
				b := written(t, func(w io.Writer) error { return write(w, f) })
				if !bytes.Equal(a, b) {
					t.Error("drawing twice gave different bytes")
				}
			}
			svg := drawn[0]
			for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if s := string(svg); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
				t.Error("SVG has coordinates that are not numbers")
			}
			if len(drawn) > 1 && colours(t, drawn[1]) < 2 {
				t.Error("PNG is blank")
			}
		})
	}
}

// colours counts the different colours of a figure's image, at most 10.
func colours(t *testing.T, data []byte) int {
	t.Helper()
	img := try.Of(png.Decode(bytes.NewReader(data)))
	seen := map[[4]uint32]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y && len(seen) < 10; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, b, a := img.At(x, y).RGBA()
			seen[[4]uint32{r, g, b, a}] = true
		}
	}
	return len(seen)
}

// TestLooksDiffer: no two of many series look the same in colour, marker and
// dash together, and neighbours differ in each.
func TestLooksDiffer(t *testing.T) {
	seen := map[string]bool{}
	for i := range 210 {
		l, next := styleOf(i), styleOf(i+1)
		key := fmt.Sprintf("%v %#v %v", l.color, l.mark, l.dashes)
		if seen[key] {
			t.Fatalf("series %d looks like an earlier one", i)
		}
		seen[key] = true
		if l.color == next.color || l.mark == next.mark || fmt.Sprint(l.dashes) == fmt.Sprint(next.dashes) {
			t.Errorf("series %d and %d share a colour, marker or dash", i, i+1)
		}
	}
}

// TestLooksFollowTheirNumbers: series of one hue and variant look the same whatever is beside them,
// and references are thin and in ink.
func TestLooksFollowTheirNumbers(t *testing.T) {
	type numbers struct {
		hue, variant int
		reference    bool
	}
	seen, references := map[numbers]seriesStyle{}, 0
	for _, name := range []string{"lines", "points", "edges", "cases", "panels"} {
		panels := saved(t, name).Parts()
		for k, ls := range styles(panels) {
			for i, s := range panels[k].Series {
				if s.Style == Bound || s.Hue == 0 {
					continue
				}
				n := numbers{s.Hue, s.Variant, s.Reference}
				if l, known := seen[n]; known && !reflect.DeepEqual(l, ls[i]) {
					t.Errorf("%s: %s looks like no other of %+v", name, s.Name, n)
				}
				if s.Reference != (ls[i].thin && ls[i].color == ink) {
					t.Errorf("%s: %s, reference %v, is drawn as %+v", name, s.Name, s.Reference, ls[i])
				}
				if s.Reference {
					references++
				}
				seen[n] = ls[i]
			}
		}
	}
	if len(seen) < 4 || references == 0 {
		t.Errorf("%d looks and %d references: nothing was tested", len(seen), references)
	}
}

// TestDots: panels of dots have own names and ends; a wide sheet has two in a row, a narrow one has one; a value
// outside the axis is drawn at the edge; the data hold it.
func TestDots(t *testing.T) {
	panel := func(title string, scale float64, names ...string) Figure {
		f := Figure{Title: title, XLabel: "difference", YLabel: "option", Categories: names}
		s := Series{Name: "estimate", Style: Dots}
		for k := range names {
			y := -scale * float64(k)
			s.Add(float64(k), y, y-scale, y+scale)
		}
		f.Series = []Series{s}
		return f
	}
	f := Figure{Title: "Two tasks", XLabel: "difference", YLabel: "option",
		Panels: []Figure{panel("north", 1, "oak", "elm", "ash"), panel("south", 100, "fir", "oak")}}
	f.Panels[1].XLim = &[2]float64{-50, 50}
	var wide, narrow strings.Builder
	try.To(SVG(&wide, f))
	f.Width = Narrowest
	try.To(SVG(&narrow, f))
	for _, name := range []string{"north", "south", "oak", "elm", "ash", "fir"} {
		if !strings.Contains(wide.String(), ">"+name+"<") || !strings.Contains(narrow.String(), ">"+name+"<") {
			t.Errorf("%q is not in the picture", name)
		}
	}
	height := regexp.MustCompile(`height="([\d.]+)pt"`)
	high := func(svg string) float64 {
		return try.Of(strconv.ParseFloat(height.FindStringSubmatch(svg)[1], 64))
	}
	if high(narrow.String()) < high(wide.String())+30 {
		t.Errorf("the narrow figure is %g high, the wide one %g: its panels are not one below the other", high(narrow.String()), high(wide.String()))
	}
	text := try.Of(json.Marshal(f))
	var value any
	try.To(json.Unmarshal(text, &value))
	if back, err := FromJSON(value); err != nil || !back.InDots() {
		t.Errorf("the figure does not come back from JSON: %v", err)
	}
}
