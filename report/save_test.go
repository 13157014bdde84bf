package report_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/pandoc"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// TestSave: each ending gives its format.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	for ending, start := range map[string]string{
		".csv": "gap,algorithm,", ".json": "{", ".md": "# s", ".html": "<!DOCTYPE html>", ".tex": "% s", ".txt": "s\n",
		".svg": "<?xml", ".pdf": "%PDF-", ".png": "\x89PNG", ".parquet": "PAR1",
	} {
		path := filepath.Join(dir, "s"+ending)
		if err := save.File(path, report.SweepOfFC()); err != nil {
			t.Error(err)
			continue
		}
		b := try.Of(os.ReadFile(path))
		if !strings.HasPrefix(string(b), start) {
			t.Errorf("%s starts with %q, want %q", ending, b[:min(len(b), 20)], start)
		}
	}
	if _, err := pandoc.Find(); err == nil {
		path := filepath.Join(t.TempDir(), "s.docx")
		if err := save.File(path, report.SweepOfFC()); err != nil {
			t.Error(err)
		} else if b, _ := os.ReadFile(path); !strings.HasPrefix(string(b), "PK") {
			t.Errorf("%s starts with %q", path, b[:min(len(b), 20)])
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 10 {
		t.Errorf("%d files left behind, want 10 (%v)", len(files), err)
	}
}

func TestSaveErrors(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.csv")
	try.To(os.WriteFile(old, []byte("old"), 0o644))
	for _, c := range []struct {
		path  string
		value any
		want  string
	}{
		{"x.doc", 1, "cannot save x.doc: the ending selects the format and must be one of .csv .docx .html .json .md .parquet .pdf .png .svg .tex .txt"},
		{"x", 1, "cannot save x: the ending selects the format"},
		{filepath.Join(dir, "none", "x.json"), 1, "none"},
		{old, kernels.RBF{Lengthscale: []float64{1}}, "a kernel has no rows and columns to save as CSV"},
		{filepath.Join(dir, "x.svg"), 1, "a number cannot be drawn"},
		{filepath.Join(dir, "x.csv"), []any{report.SweepOfFC().Rows[0].Result, 1}, "save its entries one by one"},
	} {
		err := save.File(c.path, c.value)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("error %v, want %q and the path", err, c.want)
		}
	}
	if b, _ := os.ReadFile(old); string(b) != "old" {
		t.Errorf("a failed save left %q", b)
	}
}

// TestSaveWithoutPandoc: where pandoc is missing, .docx files say how to install it before anything is computed; LaTeX needs none.
func TestSaveWithoutPandoc(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	path := filepath.Join(dir, "x.docx")
	for _, err := range []error{save.CheckEnding(path), save.File(path, 1)} {
		if !errors.Is(err, pandoc.ErrMissing) {
			t.Error(err)
		}
	}
	if err := save.File(filepath.Join(dir, "x.tex"), 1); err != nil {
		t.Error(err)
	}
}

// TestSaveLaTeXFigure: a figure saved as .tex, as a value or by a pointer, includes a PDF file beside it. LaTeX puts the picture on a
// page.
func TestSaveLaTeXFigure(t *testing.T) {
	f := try.Of(report.FigureOf(report.SweepOfFC(), report.PlotOptions{}))
	narrow := f
	narrow.Width = 1
	for name, c := range map[string]struct {
		value  any
		option string
	}{"value": {f, `\includegraphics[width=\linewidth]{value-figure.pdf}`}, "pointer": {&f, `{pointer-figure.pdf}`},
		"narrow": {narrow, `\includegraphics{narrow-figure.pdf}`}} {
		dir := t.TempDir()
		try.To(save.File(filepath.Join(dir, name+".tex"), c.value))
		tex, err := os.ReadFile(filepath.Join(dir, name+".tex"))
		if err != nil || !strings.Contains(string(tex), c.option) {
			t.Errorf("%s: %s, %v", name, tex, err)
		}
		if _, err := exec.LookPath("pdflatex"); err != nil || testing.Short() {
			continue
		}
		paper := "\\documentclass{article}\\usepackage{graphicx}\\begin{document}\\begin{figure}\\input{" + name + "}\\end{figure}\\end{document}\n"
		try.To(os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(paper), 0o644))
		cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if info, err := os.Stat(filepath.Join(dir, "paper.pdf")); err != nil || info.Size() < 8000 {
			t.Errorf("%s: the page has no picture (%v)", name, err)
		}
	}
}
