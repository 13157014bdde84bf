package figure

import (
	"bytes"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// drawn returns figures of every kind that pgfplots can draw.
func drawn(t *testing.T) map[string]Figure {
	all := map[string]Figure{}
	for _, name := range []string{"lines", "edges", "points", "bars", "speedup", "panels", "units"} {
		all[name] = saved(t, name)
	}
	return all
}

// TestDat: the file has every point once, in the axes and in full precision.
func TestDat(t *testing.T) {
	for name, f := range drawn(t) {
		t.Run(name, func(t *testing.T) {
			want := 0
			for _, p := range f.Parts() {
				for _, s := range p.Series {
					want += len(s.Y)
				}
			}
			rows := 0
			for _, line := range strings.Split(string(written(t, f.Dat)), "\n") {
				fields := strings.Fields(line)
				if len(fields) == 0 || line[0] == '#' || fields[0] == "id" {
					continue
				}
				rows++
				var x [7]float64
				for k := range x {
					var err error
					if x[k], err = strconv.ParseFloat(fields[k], 64); err != nil || math.IsInf(x[k], 0) {
						t.Fatalf("line %q has no number in column %d", line, k+1)
					}
				}
				if f.InRows() {
					continue
				}
				if x[3] > x[2] || x[2] > x[4] {
					t.Errorf("the interval of %q does not hold its value", line)
				}
			}
			if rows != want {
				t.Errorf("%d rows, want %d", rows, want)
			}
		})
	}
	// A rate of zero is at the edge, and the file says what it was.
	text := string(written(t, saved(t, "edges").Dat))
	if !strings.Contains(text, "at the edge: x = 8000, y = 0") || !strings.Contains(text, " -1 ") {
		t.Errorf("no word of the zeros:\n%s", text)
	}
}

// TestPGFPlotsCompiles runs pdflatex on figures saved as .tex, one by itself and all
// read by a document, and looks for a page of a picture.
func TestPGFPlotsCompiles(t *testing.T) {
	needPGFPlots(t)
	dir := t.TempDir()
	inputs := ""
	for name, f := range drawn(t) {
		write := func(w io.Writer) error { return f.PGFPlots(w, name+".dat") }
		for ending, render := range map[string]func(io.Writer) error{".dat": f.Dat, ".tex": write} {
			if err := os.WriteFile(filepath.Join(dir, name+ending), written(t, render), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		inputs += "\\begin{figure}\\input{" + name + "}\\end{figure}\n"
		if name == "panels" {
			compile(t, dir, name)
		}
	}
	paper := "\\documentclass{article}\\usepackage{pgfplots}\\usepgfplotslibrary{groupplots,fillbetween}\\begin{document}\nBefore.\n" + inputs + "After.\n\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(paper), 0o644); err != nil {
		t.Fatal(err)
	}
	compile(t, dir, "paper")
}

func needPGFPlots(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: LaTeX is not started")
	}
	missing := ""
	if _, err := exec.LookPath("pdflatex"); err != nil {
		missing = "pdflatex"
	} else if exec.Command("kpsewhich", "pgfplots.sty").Run() != nil {
		missing = "pgfplots.sty (Debian: texlive-pictures)"
	}
	switch {
	case missing == "":
	case os.Getenv("GONB_COPE_REQUIRE_ALL") == "1":
		t.Fatal("missing: " + missing)
	default:
		t.Skip("missing: " + missing)
	}
}

func compile(t *testing.T, dir, name string) {
	t.Helper()
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", name+".tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out[max(0, len(out)-2000):])
	}
	for _, bad := range []string{"Missing character", "Undefined", "Package pgfplots Error", "Overfull \\vbox"} {
		if bytes.Contains(out, []byte(bad)) {
			t.Errorf("%s: pdflatex says %q", name, bad)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, name+".pdf")); err != nil || info.Size() < 8000 {
		t.Errorf("%s: no page with a picture (%v)", name, err)
	}
}

// TestPGFPlotsLooks: every name of the figure, its colours and its axes are in the
// file; a heat map is refused.
func TestPGFPlotsLooks(t *testing.T) {
	f := saved(t, "lines")
	text := string(written(t, func(w io.Writer) error { return f.PGFPlots(w, "folder/x.dat") }))
	for _, want := range []string{"xmode=log", "ymode=log", "$10^{3}$", "{x.dat}", "CoKernelFC-IndAlloc", "IndRAGE/V (reference)", "lower bound", "mark=triangle*", "RGB}{0,114,178}", "% Line chart of"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if err := saved(t, "heat").PGFPlots(io.Discard, "x.dat"); err == nil {
		t.Error("a heat map was written")
	}
}
