package export

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// demoScript makes one display of each kind that has its own shape: theory, results, a comparison,
// a figure, a kernel and a number.
const demoScript = `p = paper(case=2, gap=0.2)
bounds(p, delta=0.05)
r = fc(p, delta=0.05, runs=4, seed=1)
b = fc(p, delta=0.05, algorithm="IndKernelFC", runs=4, seed=1)
r
compare(r, b)
plot([r, b], y="samples")
s = sweep(r, gap=[0.2, 0.4])
plot(s, x="gap", y="samples")
rbf(0.5) + 0.1*identity()
1/3`

// evaluated are the displays of demoScript, evaluated once.
var evaluated = sync.OnceValues(func() ([]report.Display, error) {
	script, errs := dsl.Parse("demo.cope", demoScript)
	if len(errs) > 0 {
		return nil, errs
	}
	return dsl.NewSession(dsl.Options{}).Eval(context.Background(), script)
})

func bundles(t *testing.T) []notebook.Output {
	t.Helper()
	displays := try.Of(evaluated())
	var out []notebook.Output
	for i, d := range displays {
		b := try.Of(report.Bundle(d, fmt.Sprintf("cell-%d", i+1)))
		data := map[string]any{}
		for media, v := range b {
			data[media] = v
		}
		out = append(out, notebook.Output{Type: notebook.ExecuteResult, Data: data, ExecutionCount: 1})
	}
	return out
}

// pixels returns a small PNG.
func pixels(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 60, 30))
	for x := range 60 {
		for y := range 30 {
			img.Set(x, y, color.RGBA{uint8(4 * x), uint8(8 * y), 120, 255})
		}
	}
	var b bytes.Buffer
	try.To(png.Encode(&b, img))
	return b.Bytes()
}

func markdownCell(source string, tags ...any) notebook.Cell {
	return notebook.Cell{Type: notebook.Markdown, Source: source, Metadata: tagged(tags)}
}

func codeCell(source string, tags []any, outputs ...notebook.Output) notebook.Cell {
	return notebook.Cell{Type: notebook.Code, Source: source, Metadata: tagged(tags), Outputs: outputs, ExecutionCount: 1}
}

func tagged(tags []any) map[string]any {
	if len(tags) == 0 {
		return map[string]any{}
	}
	return map[string]any{"tags": tags}
}

func shows(pairs ...string) notebook.Output {
	o := notebook.Output{Type: notebook.DisplayData, Data: map[string]any{}}
	for i := 0; i < len(pairs); i += 2 {
		o.Data[pairs[i]] = pairs[i+1]
	}
	return o
}

func printed(name, s string) notebook.Output {
	return notebook.Output{Type: notebook.Stream, Name: name, Text: s}
}

// demo returns a notebook with everything that a report meets.
func demo(t *testing.T) *notebook.Notebook {
	t.Helper()
	encoded := base64.StdEncoding.EncodeToString(pixels(t))
	withImage := markdownCell("## Pictures\n\nFrom the notebook: ![a gradient](attachment:a.png) and one that is gone: ![gone](gone.png).\n\n| a | b |\n|---|--:|\n| x | 1 |\n")
	withImage.Attachments = map[string]any{"a.png": map[string]any{"image/png": encoded}}
	results := codeCell("%%cope\n"+demoScript, nil, bundles(t)...)
	results.Metadata["execution"] = map[string]any{"iopub.execute_input": "2026-03-01T10:00:00.100Z", "shell.execute_reply": "2026-03-01T10:00:01.350Z"}
	long := ""
	for i := range 80 {
		long += fmt.Sprintf("line %d\n", i+1)
	}
	return &notebook.Notebook{
		Metadata: map[string]any{"kernelspec": map[string]any{"name": "gonb-cope", "display_name": "Go + CoPE"}},
		Cells: []notebook.Cell{
			markdownCell("# Two groups of tasks\n\nHow many samples does sharing save? The gap is $\\Delta_{\\min} = 0.2$; see [the results](#The-results) and a note[^1].\n\n" +
				"$$\\rho^*(\\xi) = \\min_{\\lambda \\in \\mathcal{X}} \\max_{x \\neq x^*} \\frac{\\|\\phi(x^*) - \\phi(x)\\|^2_{A(\\xi,\\lambda)^{-1}}}{(f(x^*) - f(x))^2}$$\n\n" +
				"\\begin{align}\n\\Upsilon &= \\log\\det\\left(I + \\xi^{-1} K_\\lambda\\right) \\\\\nd_{\\text{eff}} &\\le \\mathrm{rank}(K_Z)\\cdot\\mathrm{rank}(K_X)\n\\end{align}\n\n[^1]: Of the paper's three cases it is the second; $\\hat\\theta \\in \\mathbb{R}^d$.\n"),
			markdownCell("## The results"),
			results,
			markdownCell("### From Go"),
			codeCell("import \"fmt\"\n\n%%\nfor i := range 3 {\n\tfmt.Println(\"round\", i) // say so\n}", []any{"hide-input"},
				printed("stdout", "round 0\nround \x1b[1;32m1\x1b[0m\nround \x1b[38;5;208m2\x1b[0m\n"), printed("stderr", "warning: \x1b[31mslow\x1b[0m\n")),
			codeCell("display.HTML(table)", nil, shows("text/html", "<style>th {color: red} #t1 {border: 1px solid}</style><table id='t1' border=1><tr><th>n<th>v<tr><th>10<td>1,000<tr><th>9<td>12.5 [11, 14]<tr><th>100<td>—</table><script>alert(1)</script>")),
			codeCell("gonbui.DisplaySvg(s)", nil, shows("image/svg+xml", `<svg width="120" height="60" viewBox="0 0 120 60"><title>A ramp</title><defs><linearGradient id="g"><stop offset="0" stop-color="#048"/><stop offset="1" stop-color="#fa0"/></linearGradient></defs><rect width="120" height="60" fill="url(#g)"/></svg>`)),
			codeCell("gonbui.DisplayPng(p)", []any{"remove-input"}, shows("image/png", encoded, "text/plain", "a gradient from blue to red")),
			codeCell("fmt.Print(long)", nil, printed("stdout", long)),
			codeCell("json", []any{"hide-output"}, notebook.Output{Type: notebook.DisplayData, Data: map[string]any{"application/json": map[string]any{"a": []any{1, 2}, "b": "<x>"}}}),
			withImage,
			codeCell("var x int = \"a\"", nil, notebook.Output{Type: notebook.Error, ErrorName: "compile error", ErrorValue: "Cell [7] Line 1: cannot use \"a\" as int",
				Traceback: []string{"\x1b[31mCell [7] Line 1\x1b[0m", "var x int = \"a\"", "            ^^^"}}),
		},
	}
}

// demoOptions returns options with every line of the provenance.
func demoOptions() Options {
	return Options{Provenance: report.Provenance{
		Parameters: []report.Parameter{{Name: "gap", Value: "0.2", Default: "0.1"}, {Name: "names", Value: `["a", "b"]`}},
		Version:    "v0.2.0", Revision: "0123456789ab", ModuleSum: "h1:" + strings.Repeat("Ab3", 14) + "=", Go: "go1.26.0", Platform: "linux/amd64", Host: "host, 2 CPUs", Kernel: "Go + CoPE (gonb-cope)",
		Notebook: "notebooks/demo.ipynb", NotebookSHA256: strings.Repeat("0123456789abcdef", 4), Data: []report.DataFile{{Path: "data/a.csv", SHA256: strings.Repeat("f", 64), Rows: 180}},
		Seeds: []string{"1", "2"}, Started: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), Duration: 4200 * time.Millisecond, Cells: []report.CellTime{{Cell: 6, Duration: 140 * time.Millisecond}},
		Command: "gonb-cope report notebooks/demo.ipynb --set gap=0.2 -o demo.html",
	}}
}
