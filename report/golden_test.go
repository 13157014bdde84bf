package report

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

var update = flag.Bool("update", false, "write the golden files again; read the difference before committing it")

// TestGolden holds every format to the files in testdata. A difference is a
// change that readers will see.
func TestGolden(t *testing.T) {
	csv := func(v any) func(io.Writer) error {
		return func(w io.Writer) error { return CSV(w, v) }
	}
	plotted := func(f Figure) func(io.Writer) error { // for the tests of package figure
		return func(w io.Writer) error { return writeJSON(w, writtenValue(f)) }
	}
	for name, write := range map[string]func(io.Writer) error{
		"document.txt":                    func(w io.Writer) error { return Text(w, document(), TextOptions{}) },
		"document.md":                     func(w io.Writer) error { return Markdown(w, document()) },
		"document.html":                   func(w io.Writer) error { return HTML(w, document()) },
		"document.tex":                    func(w io.Writer) error { return LaTeX(w, document()) },
		"document.json":                   func(w io.Writer) error { return JSON(w, document()) },
		"sweep.csv":                       csv(fcSweep()),
		"result.csv":                      csv(undecidedResult()),
		"bounds.csv":                      csv(boundsReport()),
		"figure.svg":                      func(w io.Writer) error { return figure.SVG(w, figureFrom(t, fbSweep(), "budget", "error")) },
		"../figure/testdata/lines.json":   plotted(figureFrom(t, fcSweep(), "gap", "samples")),
		"../figure/testdata/edges.json":   plotted(figureFrom(t, fbSweep(), "budget", "error")),
		"../figure/testdata/points.json":  plotted(figureFrom(t, fcSweep(), "algorithm", "ratio")),
		"../figure/testdata/bars.json":    plotted(figureFrom(t, boundsReport(), "", "")),
		"../figure/testdata/heat.json":    plotted(figureFrom(t, allocation(5, 6), "", "")),
		"../figure/testdata/across.json":  plotted(figureFrom(t, speedup(), "lengthscale", "")),
		"../figure/testdata/speedup.json": plotted(panelled(t, speedup(), "lengthscale", "gap")),
		"../figure/testdata/panels.json":  plotted(panelled(t, fcSweep(), "gap", "algorithm")),
		"../figure/testdata/cases.json":   plotted(panelled(t, byCase(), "gap", "case")),
	} {
		t.Run(name, func(t *testing.T) {
			got, again := written(t, write), written(t, write)
			if !bytes.Equal(got, again) {
				t.Error("writing twice gave different bytes")
			}
			path := filepath.Join("testdata", name)
			if *update {
				try.To(os.WriteFile(path, got, 0o644))
			}
			want := try.Of(os.ReadFile(path))
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("differs from %s (-want +got):\n%s", path, diff)
			}
		})
	}
}

func written(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	try.To(write(&b))
	return b.Bytes()
}

func figureFrom(t *testing.T, v any, x, y string) Figure {
	t.Helper()
	return try.Of(FigureOf(v, asked(x, y)))
}

// asked returns a PlotOptions of one y; "" means the usual choice.
func asked(x, y string) PlotOptions {
	if y == "" {
		return PlotOptions{X: x}
	}
	return PlotOptions{X: x, Y: []string{y}}
}
