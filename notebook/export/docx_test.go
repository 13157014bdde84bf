package export

import (
	"archive/zip"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// docxOf saves a notebook as .docx and returns the text of the document and the names of its files.
func docxOf(t *testing.T, nb *notebook.Notebook, opt Options) (body string, names []string) {
	t.Helper()
	need(t, "pandoc")
	path := filepath.Join(t.TempDir(), "r.docx")
	try.To(Save(context.Background(), path, nb, opt))
	z := try.Of(zip.OpenReader(path))
	defer z.Close()
	for _, f := range z.File {
		names = append(names, f.Name)
		if f.Name == "word/document.xml" {
			r := try.Of(f.Open())
			b := try.Of(io.ReadAll(r))
			body = string(b)
		}
	}
	return body, names
}

// A .docx has the title, headings, code, formulas of all forms, tables of ours and of other programs, figures as PNG images without
// the tables of their data, and the provenance.
func TestDocx(t *testing.T) {
	points := report.Figure{Title: "Samples", XLabel: "gap", YLabel: "samples", Alt: "falls", Series: []report.Series{{Name: "a", X: []float64{1, 2}, Y: []float64{1, 4}}}}
	shownBy := func(v any) notebook.Output {
		b := try.Of(report.Bundle(report.Display{Value: v}, "x"))
		return notebook.Output{Type: notebook.ExecuteResult, Data: b}
	}
	frame := "<table><thead><tr><th></th><th>well</th></tr></thead><tbody><tr><th>0</th><td>B7</td></tr></tbody></table>"
	nb := book(markdownCell("# Main\n\n## Part\n\n$x^2$ and \\\\(y^3\\\\)\n\n\\begin{align}\na &= b\n\\end{align}\n\n| a |\n|---|\n| $|z|$ |"),
		codeCell("func f() {\n\treturn\n}", nil, shownBy(points)),
		codeCell("g", nil, shownBy([]report.Block{report.Paragraph{Text: "words"}, points})),
		codeCell("h", []any{hideInput}, notebook.Output{Type: notebook.ExecuteResult, Data: map[string]any{"text/html": frame, "text/plain": "   well\n0  B7"}}))
	body, names := docxOf(t, nb, demoOptions())
	holds(t, body, `w:val="Title"`, ">Main<", `w:val="Heading1"`, ">Part<", ">B7<", ">words<", ">    </w:t>", ">Provenance<")
	if n := strings.Count(body, "<m:oMath>"); n != 4 {
		t.Errorf("%d formulas, want 4", n)
	}
	files := strings.Join(names, " ")
	if n := strings.Count(files, ".png"); n != 2 || strings.Contains(files, ".svg") || strings.Contains(body, "Data of the figure") {
		t.Errorf("%d figures as PNG of 2 in %s", n, files)
	}
	if n := strings.Count(body, ">samples<"); n != 0 {
		t.Error("the data of a figure are printed below it")
	}
}

// Without pandoc the error is known before the notebook runs; LaTeX and Markdown need none.
func TestDocxWithoutPandoc(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	if err := Writable(filepath.Join(folder, "r.docx")); err == nil || !strings.Contains(err.Error(), "apt-get install pandoc") {
		t.Error(err)
	}
	for _, name := range []string{"r.tex", "r.md"} {
		if err := Save(context.Background(), filepath.Join(folder, name), book(markdownCell("words")), Options{}); err != nil {
			t.Error(err)
		}
	}
}
