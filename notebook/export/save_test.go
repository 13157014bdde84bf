package export

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

func TestSaveUnknown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.doc")
	err := Save(context.Background(), path, book(), Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "x.doc: the ending selects the format and must be one of .docx .html .ipynb .md .pdf .qmd .tex") {
		t.Errorf("error %v", err)
	}
}

// TestSaveWhole: what cannot be saved leaves the old file and no scraps.
func TestSaveWhole(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.pdf")
	try.To(os.WriteFile(path, []byte("old"), 0o644))
	t.Setenv("CHROME_PATH", filepath.Join(folder, "no-such-browser"))
	err := Save(context.Background(), path, book(), Options{})
	if err == nil || !strings.Contains(err.Error(), "CHROME_PATH names") {
		t.Errorf("error %v", err)
	}
	t.Setenv("CHROME_PATH", "")
	t.Setenv("PATH", folder)
	err = Save(context.Background(), path, book(), Options{})
	if err == nil || !strings.Contains(err.Error(), "apt-get install chromium") || !strings.Contains(err.Error(), ".html") {
		t.Errorf("without a browser: %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "old" {
		t.Errorf("the old file is now %q", data)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v are left, %v", entries, err)
	}
}

func TestSaveNotebook(t *testing.T) {
	nb, path := demo(t), filepath.Join(t.TempDir(), "out.ipynb")
	try.To(Save(context.Background(), path, nb, demoOptions()))
	if _, touched := nb.Metadata["gonb-cope"]; touched {
		t.Error("the notebook given was changed")
	}
	back := try.Of(notebook.Load(path))
	record, _ := back.Metadata["gonb-cope"].(map[string]any)
	if record["command"] != demoOptions().Provenance.Command || record["notebook_sha256"] == nil || len(record["data"].([]any)) != 1 {
		t.Errorf("provenance %v", record)
	}
	if len(back.Cells) != len(nb.Cells) || len(back.Cells[2].Outputs) != len(nb.Cells[2].Outputs) {
		t.Error("cells or outputs are missing")
	}
}

// Markdown for code hosts has what Quarto gets in words that these know: no head, no divisions, no
// attributes of pictures, code folded as HTML folds it.
func TestSaveMarkdown(t *testing.T) {
	folder := t.TempDir()
	try.To(Save(context.Background(), filepath.Join(folder, "r.md"), demo(t), demoOptions()))
	data := try.Of(os.ReadFile(filepath.Join(folder, "r.md")))
	text := string(data)
	for _, want := range append(provenanceWords, "```cope\n%%cope\n", "<details><summary>Code</summary>\n\n```go\n", "\n```\nwarning: slow\n```", "| Bound | Fixed confidence",
		"$\\Delta_{\\min} = 0.2$", "[the results](#the-results)", "This run failed.") {
		if !strings.Contains(text, want) {
			t.Errorf("Markdown lacks %q", want)
		}
	}
	if !strings.HasPrefix(text, "# Two groups of tasks\n") || strings.Count(text, "# Two groups") != 1 {
		t.Errorf("the title is not there once: %.60q", text)
	}
	lacks(t, text, ":::", "{.", "fig-alt", "{=", "---\ntitle", "data:image", "<script", "\x1b")
	links := regexp.MustCompile(`!\[[^\]]*\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1)
	if len(links) != 5 {
		t.Errorf("%d pictures, want 5", len(links))
	}
	for _, l := range links {
		if info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(l[1]))); err != nil || info.Size() == 0 {
			t.Errorf("picture %s: %v", l[1], err)
		}
	}
}

// Facts are a list: a table of Markdown would have an empty heading above them.
func TestFactsInMarkdown(t *testing.T) {
	facts := report.KeyValues{Caption: "Model", Items: []report.KeyValue{{Key: "Noise", Value: 2}, {Key: "Level", Value: "0 to 1"}}}
	b := try.Of(report.Bundle(report.Display{Value: []report.Block{facts}}, "x"))
	nb := book(codeCell("x", nil, notebook.Output{Type: notebook.ExecuteResult, Data: b}))
	text := string(markdown(t.Context(), nb, Options{}.limited(t.Context()), false, nil))
	if !strings.Contains(text, "**Model**\n\n- Noise: 2\n- Level: 0 to 1\n") || strings.Contains(text, "|") {
		t.Errorf("facts are %q", text)
	}
}

// A report in Markdown has the same outputs with provenance and without, wherever the report and
// its notebook are; the last line names the notebook.
func TestOutputs(t *testing.T) {
	write := func(source string, p report.Provenance) string {
		nb := book(markdownCell("# Title\n\n## Provenance\n\nwords"), codeCell("x", nil, printed("stdout", "said")))
		return string(markdown(t.Context(), nb, Options{Source: source, Provenance: p}.limited(t.Context()), false, nil))
	}
	plain, source := Outputs(write("../a b.ipynb", report.Provenance{}))
	if source != "../a b.ipynb" || !strings.HasSuffix(plain, "said\n```") || !strings.Contains(plain, "words") {
		t.Errorf("%q of %q", plain, source)
	}
	if full, _ := Outputs(write("elsewhere/a.ipynb", demoOptions().Provenance)); full != plain {
		t.Errorf("with provenance %q\nwithout %q", full, plain)
	}
	if text, source := Outputs("# Words\n"); text != "# Words\n" || source != "" {
		t.Errorf("%q of %q", text, source)
	}
}

// An executed notebook has a PDF of our figures, which nbconvert takes for LaTeX, and no SVG, which
// it would turn into one with a program that few have.
func TestSaveNotebookPDF(t *testing.T) {
	nb := demo(t)
	b := try.Of(Notebook(nb, demoOptions()))
	figures := 0
	for _, c := range nb.Cells {
		for _, o := range c.Outputs {
			if _, ours := ownFigure(o); ours {
				figures++
				if o.Data["application/pdf"] != nil || o.Data["image/svg+xml"] != nil {
					t.Error("the notebook itself has changed, or a figure has an SVG")
				}
			}
		}
	}
	if n := strings.Count(string(b), `"application/pdf"`); figures == 0 || n != figures {
		t.Errorf("%d PDFs of %d figures", n, figures)
	}
}

// provenanceWords are on every report.
var provenanceWords = []string{"0123456789ab", "host, 2 CPUs", "180 rows", "go1.26.0", "data/a.csv", "Parameters", "1, 2"}

func TestSaveQuarto(t *testing.T) {
	folder := t.TempDir()
	try.To(Save(context.Background(), filepath.Join(folder, "my report.qmd"), demo(t), demoOptions()))
	data := try.Of(os.ReadFile(filepath.Join(folder, "my report.qmd")))
	text := string(data)
	for _, want := range append(provenanceWords, "---\ntitle: \"Two groups of tasks\"\ndate: 2026-03-01\nexecute:\n  enabled: false\n", "```{.cope}\n%%cope\n", "```{.go code-fold=\"true\"}",
		"::: {.cell-output .cell-output-stderr}\n\n```\nwarning: slow\n```", "| Bound | Fixed confidence", "$\\Delta_{\\min} = 0.2$", "[the results](#the-results)", "Image gone.png is missing: no such file",
		"This run failed.") {
		if !strings.Contains(text, want) {
			t.Errorf("Markdown lacks %q", want)
		}
	}
	lacks(t, text, "# Two groups", "<script", "alert(1)", "data:image", "\x1b", "gonbui.DisplayPng")
	if strings.Count(text, "\n:::: {.cell}\n") != strings.Count(text, "\n::::\n") || strings.Count(text, "\n::: {") != strings.Count(text, "\n:::\n") {
		t.Error("divisions are not closed")
	}
	links := regexp.MustCompile(`!\[[^\]]*\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1)
	if len(links) != 5 { // two figures of ours, two of Go cells, one attachment
		t.Errorf("%d pictures, want 5", len(links))
	}
	for _, l := range links {
		if info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(l[1]))); err != nil || info.Size() == 0 {
			t.Errorf("picture %s: %v", l[1], err)
		}
	}
}

// TestMarkdownReadsBack: the Markdown report as a page has the tables and formulas
// of the notebook.
func TestMarkdownReadsBack(t *testing.T) {
	put := func(name string, _ []byte) string { return name }
	text := string(markdown(t.Context(), demo(t), Options{HideCode: true}.limited(t.Context()), false, put))
	tree := prose(markdownOf(text), new(markup.Cleaner))
	if n := len(tree.All("table")); n < 6 {
		t.Errorf("%d tables, want the tables of theory, answers, rounds, audit trail, comparison and text", n)
	}
	lacks(t, text, "fc(p, delta")
}

func TestSaveLaTeX(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, which turns drawings into PDF")
	}
	folder := t.TempDir()
	try.To(Save(context.Background(), filepath.Join(folder, "r.tex"), demo(t), demoOptions()))
	data := try.Of(os.ReadFile(filepath.Join(folder, "r.tex")))
	holds(t, string(data), "\\title{Two groups of tasks}", "\\begin{table}[H]", "\\toprule", "\\includegraphics{r_files/figure-1.pdf}", "\\section{The results}", "\\subsection{From Go}", "\\ttfamily", "180 rows", "\\footnote{")
	if pdf, err := os.ReadFile(filepath.Join(folder, "r_files", "figure-1.pdf")); err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Errorf("figure: %.20q, %v", pdf, err)
	}
	compileLaTeX(t, folder, "r.tex")
}

// nasty is text that means something to TeX, and letters from everywhere.
const nasty = "\\end{Verbatim} \\end{Verb\x07atim} \\end{document} \\input{/etc/passwd} {[}] # $ % & _ ^ ~ < > | \" '' `` -- --- λΥρξδεθσωΔ ‖x‖₂ ≤ ∞ √ 10⁻³ d̃ é ß Ł 漢字 😀 ─┼│ ✓ … \u200b\x00\x07 \ttab"

func TestLaTeXCompilesAnything(t *testing.T) {
	var cells []notebook.Cell
	for _, s := range append(attacks, nasty, strings.Repeat("long ", 100), strings.Repeat("x", 500)) {
		failed := notebook.Output{Type: notebook.Error, ErrorName: s, ErrorValue: s, Traceback: []string{s}}
		cells = append(cells, markdownCell("# "+s+"\n\n- "+s+"\n\n"+s+"\n\n> `"+s+"`\n\n| a | b |\n|---|---|\n| "+s+" | x |\n\n["+s+"](https://x.example/"+s+")\n\n$"+s+"$ $$"+s+"$$"),
			codeCell(s, nil, shows("text/html", s), shows("text/markdown", s), shows("text/latex", s), shows("text/plain", s), printed("stdout", s), failed))
	}
	folder := t.TempDir()
	opt := Options{Title: nasty, Provenance: report.Provenance{Command: nasty, Parameters: []report.Parameter{{Name: nasty, Value: nasty, Default: nasty}}}}
	t.Setenv("CHROME_PATH", filepath.Join(folder, "none")) // drawings are tested elsewhere
	try.To(Save(context.Background(), filepath.Join(folder, "r.tex"), book(cells...), opt))
	compileLaTeX(t, folder, "r.tex")
}

func TestImages(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	try.To(os.MkdirAll(filepath.Join(folder, "sub"), 0o755))
	page := []byte("<html><body><p>secret</p><svg></svg></body></html>")
	big := append(slices.Clone(pixels(t)), make([]byte, mostImage)...)
	for name, data := range map[string][]byte{"half.png": pixels(t)[:12], "page.svg": page, "big.png": big, "sub/x.png": pixels(t), "../outside.png": pixels(t),
		"old.svg": []byte("<?xml version='1.0' encoding='ISO-8859-1'?>\n<!-- a <p> --><!DOCTYPE svg><svg xmlns='http://www.w3.org/2000/svg'/>"), "a b.png": pixels(t), "t.png": []byte("text"), "s.svg": []byte("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><script>alert(1)</script></svg>")} {
		try.To(os.WriteFile(filepath.Join(folder, name), data, 0o644))
	}
	for name, to := range map[string]string{"inside.png": "sub/x.png", "away.png": "../outside.png", "zero.png": "/dev/zero", "dead.png": "none"} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Skip(err)
		}
	}
	for _, c := range []struct{ source, want string }{
		{"![a](sub/../sub/x.png)", "data:image/png;base64,"},
		{"![a](inside.png)", "data:image/png;base64,"},
		{"![a](old.svg)", "data:image/svg+xml;base64,"},
		{"![a](../outside.png)", "../outside.png is missing: it lies outside of the notebook&#39;s folder"},
		{"![a](../../../../../../../dev/zero)", "is missing: it lies outside of the notebook&#39;s folder"},
		{"![a](away.png)", "away.png is missing: it lies outside of the notebook&#39;s folder"},
		{"![a](zero.png)", "zero.png is missing: it lies outside of the notebook&#39;s folder"},
		{"![a](dead.png)", "dead.png is missing: no such file"},
		{"![a](sub)", "sub is missing: it is not a regular file"},
		{"![a](half.png)", "half.png is missing: not a PNG"},
		{"![a](page.svg)", "page.svg is missing: not a PNG"},
		{"![a](big.png)", "big.png is missing: it is larger than 32 MiB"},
		{"![a](a%20b.png)", "data:image/png;base64,"},
		{"![a](s.svg)", "data:image/svg+xml;base64,"},
		{"![a](t.png)", "t.png is missing: not a PNG, JPEG, GIF, WebP or SVG image"},
		{"![a](none.png)", "none.png is missing: no such file"},
		{"![a](" + folder + "/s.svg)", "is missing: images are named by their path"},
		{"![a](https://x.example/a.png)", "is missing: a report loads nothing from elsewhere"},
		{"![a](//x.example/a.png)", "is missing: a report loads nothing from elsewhere"},
		{"![a](attachment:none.png)", "is missing: the cell has no such attachment"},
		{"<img src='s.svg' width='9' alt='b'>", `alt="b"`},
	} {
		page, root := rendered(t, book(markdownCell("# T\n\n"+c.source)), Options{Folder: folder})
		checkPage(t, root)
		if !strings.Contains(string(page), c.want) {
			t.Errorf("%s: page lacks %q:\n%s", c.source, c.want, root.All("main")[0])
		}
	}
}

// The title of a figure is in its drawing where Markdown shows no caption, and otherwise the caption.
func TestTitlesOfFigures(t *testing.T) {
	f := report.Figure{Title: "Costs by gap", XLabel: "gap", YLabel: "samples", Series: []report.Series{{Name: "a", X: []float64{1, 2}, Y: []float64{1, 4}}}}
	data := try.Of(report.Bundle(report.Display{Value: f}, "x"))
	nb := book(codeCell("x", nil, notebook.Output{Type: notebook.ExecuteResult, Data: data}))
	for ending, drawn := range map[string]bool{".md": true, ".qmd": false} {
		folder := t.TempDir()
		try.To(Save(t.Context(), filepath.Join(folder, "r"+ending), nb, Options{}))
		svg := string(try.Of(os.ReadFile(filepath.Join(folder, "r_files", "figure-1.svg"))))
		text := string(try.Of(os.ReadFile(filepath.Join(folder, "r"+ending))))
		if got := strings.Contains(svg, ">Costs by gap</text>"); got != drawn || strings.Contains(text, "![Costs by gap](") == drawn {
			t.Errorf("%s: the drawing has the title: %v\n%s\n%s", ending, got, text, svg)
		}
	}
}
