package report_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/pandoc"
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
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
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
	if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
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

// TestSavePGFPlots: a figure as .tex, given as a value or behind a pointer, has its
// numbers in a file beside it.
func TestSavePGFPlots(t *testing.T) {
	f, err := report.FigureOf(report.SweepOfFC(), report.PlotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{f, &f} {
		dir := t.TempDir()
		if err := save.File(filepath.Join(dir, "f.tex"), v); err != nil {
			t.Fatal(err)
		}
		tex, err := os.ReadFile(filepath.Join(dir, "f.tex"))
		if err != nil || !strings.Contains(string(tex), "f.dat") {
			t.Errorf("%.80s, %v", tex, err)
		}
		if dat, err := os.ReadFile(filepath.Join(dir, "f.dat")); err != nil || len(dat) == 0 {
			t.Errorf("f.dat: %d bytes, %v", len(dat), err)
		}
	}
}
