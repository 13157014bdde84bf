package conformance

import (
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// limit is far above what any report of the tests takes.
const limit = 5 * time.Minute

// written runs gonb-cope report in a folder and returns the file that it wrote.
func written(t *testing.T, folder, output string, args ...string) string {
	t.Helper()
	argv := append([]string{installed(t), "report", "mixed.ipynb", "-o", output}, args...)
	o := runIn(t, folder, limit, argv...).must(t)
	if !strings.Contains(o.stderr, "wrote "+output) {
		t.Errorf("it does not say what it wrote: %q", o.stderr)
	}
	content := try.Of(os.ReadFile(filepath.Join(folder, output)))
	if _, err := os.Stat(filepath.Join(folder, strings.TrimSuffix(output, filepath.Ext(output))+".partial.ipynb")); err == nil {
		t.Error("the partial notebook is still there after a report")
	}
	t.Logf("%s: %.2f s, %d bytes", output, o.took.Seconds(), len(content))
	return string(content)
}

// contains fails the test for each piece that a text lacks.
func contains(t *testing.T, what, text string, pieces ...string) {
	t.Helper()
	for _, p := range pieces {
		if !strings.Contains(text, p) {
			t.Errorf("%s lacks %q", what, p)
		}
	}
}

// Every format has what the cells gave, under other parameters in both languages.
func TestReportFormats(t *testing.T) {
	warm(t)
	folder := t.TempDir()
	book(t, folder, "mixed.ipynb", mixed()...)
	set := []string{"--set", "gap=0.2", "--set", "repeats=5"}
	t.Run("html", func(t *testing.T) {
		page := written(t, folder, "r.html", set...)
		contains(t, "the page", page, "<svg", "twice the repeats: 10", "tasks: 5", "--set gap=0.2", "Seven cells")
		if count := requests(t, filepath.Join(folder, "r.html"), 0); len(count) != 0 {
			t.Errorf("the page asks the network: %v", count)
		}
	})
	t.Run("ipynb", func(t *testing.T) {
		written(t, folder, "r.ipynb", set...)
		validate(t, filepath.Join(folder, "r.ipynb"))
		nb := try.Of(notebook.Load(filepath.Join(folder, "r.ipynb")))
		var injected []string
		for _, c := range nb.Cells {
			if c.HasTag("injected-parameters") {
				injected = append(injected, c.Source)
			}
		}
		if want := []string{"%%cope\n// Parameters\ngap = 0.2", "// Parameters\nvar repeats = 5"}; !slices.Equal(injected, want) {
			t.Errorf("injected cells %q, want %q", injected, want)
		}
		if n := media(nb); n["image/png"] != 1 || n["application/pdf"] != 1 || n["image/svg+xml"] != 0 || n["error"] != 0 {
			t.Errorf("outputs %v", n)
		}
	})
	t.Run("pdf", func(t *testing.T) {
		program(t, "chromium", "chromium")
		info, words := program(t, "pdfinfo", "poppler-utils"), program(t, "pdftotext", "poppler-utils")
		written(t, folder, "r.pdf", set...)
		contains(t, "pdfinfo", runIn(t, folder, limit, info, "r.pdf").must(t).stdout, "Title:", "Seven cells")
		contains(t, "the PDF", runIn(t, folder, limit, words, "r.pdf", "-").must(t).stdout, "Seven cells", "twice the repeats: 10", "tasks: 5")
	})
	t.Run("md", func(t *testing.T) {
		contains(t, "the Markdown", written(t, folder, "r.md", set...), "# Seven cells\n", "twice the repeats: 10", "```go", "](r_files/")
		contains(t, "the Markdown for Quarto", written(t, folder, "r.qmd", set...), "title: \"Seven cells\"", "twice the repeats: 10", "::: {.cell", "](r_files/")
	})
	t.Run("tex", func(t *testing.T) {
		program(t, "chromium", "chromium")
		contains(t, "the LaTeX", written(t, folder, "r.tex", set...), `\toprule`, `\includegraphics`, `\Upsilon`, "twice the repeats: 10")
		compiler := program(t, "pdflatex", "texlive-latex-recommended")
		o := runIn(t, folder, limit, compiler, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "r.tex")
		if o.status != 0 {
			t.Errorf("pdflatex:\n%s", o.stdout)
		}
	})
}

// A report is the same in what it says as the one before, and different when a
// parameter is.
func TestReportCheck(t *testing.T) {
	warm(t)
	folder := t.TempDir()
	book(t, folder, "mixed.ipynb", mixed()...)
	written(t, folder, "old.ipynb")
	o := runIn(t, folder, limit, installed(t), "report", "--check", "old.ipynb")
	if o.status != 0 || !strings.Contains(o.stdout, "all outputs are the same") {
		t.Errorf("status %d: %s%s", o.status, o.stdout, o.stderr)
	}
	edit(t, filepath.Join(folder, "old.ipynb"), func(nb *notebook.Notebook) {
		nb.Cells[5].Source = strings.Replace(nb.Cells[5].Source, "return 2 * x", "return 3 * x", 1)
	})
	o = runIn(t, folder, limit, installed(t), "report", "--check", "old.ipynb")
	if o.status != 1 {
		t.Errorf("status %d for outputs that differ", o.status)
	}
	contains(t, "the comparison", o.stdout, "cell 6, output 1", "- twice the repeats: 6", "+ twice the repeats: 9")
	contains(t, "the reason", o.stderr, "1 outputs differ")
}

// So is a report in Markdown, in text and pictures, wherever and whenever it was made.
func TestReportCheckMarkdown(t *testing.T) {
	warm(t)
	folder := t.TempDir()
	path := book(t, folder, "mixed.ipynb", mixed()...)
	try.To(os.Mkdir(filepath.Join(folder, "gallery"), 0o700))
	report := func(args ...string) outcome {
		return runIn(t, folder, limit, append([]string{installed(t), "report"}, args...)...)
	}
	report("mixed.ipynb", "--no-provenance", "-o", "gallery/r.md").must(t)
	text := try.Of(os.ReadFile(filepath.Join(folder, "gallery", "r.md")))
	if strings.Contains(string(text), "Provenance") || strings.Contains(string(text), folder) {
		t.Error("the report says where it was made")
	}
	if o := report("--check", "gallery/r.md"); o.status != 0 || !strings.Contains(o.stdout, "all outputs are the same") {
		t.Errorf("status %d: %s%s", o.status, o.stdout, o.stderr)
	}
	edit(t, path, func(nb *notebook.Notebook) {
		nb.Cells[1].Source = "%%cope\ngap = 0.3"
	})
	o := report("--check", "gallery/r.md")
	if o.status != 1 {
		t.Errorf("status %d for outputs that differ", o.status)
	}
	contains(t, "the comparison", o.stdout, "gallery/r.md, line ", "- gap = 0.4", "+ gap = 0.3", "figure-1.svg differs")
	contains(t, "the reason", o.stderr, "gallery/r.md is out of date. To write it again, run gonb-cope report mixed.ipynb")
	try.To(os.WriteFile(filepath.Join(folder, "other.md"), []byte("# Words\n"), 0o600))
	if o := report("--check", "other.md"); o.status != 1 || !strings.Contains(o.stderr, "other.md is not a Markdown report") {
		t.Errorf("status %d: %s", o.status, o.stderr)
	}
}

// edit changes a notebook file.
func edit(t *testing.T, path string, change func(*notebook.Notebook)) {
	t.Helper()
	nb := try.Of(notebook.Load(path))
	change(nb)
	f := try.Of(os.Create(path))
	defer f.Close()
	try.To(notebook.Write(f, nb))
}

// A cell that fails ends the report with status 1, and the report has what was
// finished before, the error, and nothing after.
func TestReportOfFailure(t *testing.T) {
	warm(t)
	for _, test := range []struct{ name, cell, says string }{
		{"script", "%%cope\nrbf(0.5) * linaer()", `unknown function "linaer"`},
		{"panic", "%%\npanic(\"out of reagent\")", "out of reagent"},
		{"compile", "%%\nvar x int = \"a\"\n_ = x", "cannot use"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			book(t, folder, "f.ipynb", text("# Failing"), code("%%cope\n600*7"), code(test.cell), code("%%cope\n1000+1"))
			o := runIn(t, folder, limit, installed(t), "report", "f.ipynb", "-o", "f.ipynb.out.html")
			if o.status != 1 {
				t.Errorf("status %d", o.status)
			}
			contains(t, "standard error", o.stderr, "cell 3", test.says)
			page := try.Of(os.ReadFile(filepath.Join(folder, "f.ipynb.out.html")))
			contains(t, "the partial report", html.UnescapeString(string(page)), "4,200", test.says)
			if strings.Contains(string(page), "1,001") {
				t.Error("a cell after the one that failed was executed")
			}
			o = runIn(t, folder, limit, installed(t), "report", "f.ipynb", "--allow-errors", "-o", "all.html").must(t)
			page = try.Of(os.ReadFile(filepath.Join(folder, "all.html")))
			contains(t, "the report with --allow-errors", html.UnescapeString(string(page)), "1,001", test.says)
		})
	}
}

// longCell takes a minute or more.
const longCell = "%%cope\nr = fc(paper(case=3, gap=0.05), delta=0.005, algorithm=\"CoKernelFC\", schedule=\"tuned\", runs=100000, seed=1)"

// A cell that takes too long is stopped by --timeout.
func TestReportTimeout(t *testing.T) {
	warm(t)
	for name, cell := range map[string]string{"script": longCell, "go": "%%\nfor {\n\ttime.Sleep(time.Second)\n}"} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			book(t, folder, "t.ipynb", code("%%cope\n600*7"), code(cell))
			o := runIn(t, folder, limit, installed(t), "report", "t.ipynb", "--timeout", "5s", "-o", "t.html")
			if o.status != 1 {
				t.Errorf("status %d after %v", o.status, o.took)
			}
			contains(t, "standard error", o.stderr, "cell 2", "5s")
		})
	}
}

// An interrupt ends a report, and what was finished is in it.
func TestReportInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	folder := t.TempDir()
	book(t, folder, "i.ipynb", code("%%cope\n600*7"), code(longCell))
	said := new(strings.Builder)
	cmd := exec.Command(installed(t), "report", "i.ipynb", "-o", "i.html")
	cmd.Dir, cmd.Stderr, cmd.SysProcAttr = folder, said, &syscall.SysProcAttr{Setpgid: true}
	try.To(cmd.Start())
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	eventually(t, "the first cell in the partial notebook", func() bool {
		nb, err := notebook.Load(filepath.Join(folder, "i.partial.ipynb"))
		return err == nil && len(nb.Cells[0].Outputs) == 1
	})
	try.To(cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "i.html"))
	if err != nil {
		t.Fatalf("%v; it said %s", err, said)
	}
	contains(t, "the report", string(page), "4,200")
	contains(t, "standard error", said.String(), "cell 2", "interrupt")
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !within(limit, holds) {
		t.Fatalf("%s did not come within %v", what, limit)
	}
}

// A notebook of scripts alone needs neither Go nor any other program: GoNB is not
// started.
func TestScriptsNeedNoGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	folder := t.TempDir()
	book(t, folder, "s.ipynb", code("%%cope\n600*7"), code("%%cope\nplot(bounds(paper(case=1, gap=0.4), xi=1e-3))"))
	command := installed(t)
	t.Setenv("PATH", folder)
	t.Setenv("GONB_COPE_TOOLS", filepath.Join(folder, "tools"))
	o := runIn(t, folder, limit, command, "report", "s.ipynb", "-o", "s.html").must(t)
	page := try.Of(os.ReadFile(filepath.Join(folder, "s.html")))
	contains(t, "the page", string(page), "4,200", "<svg")
	t.Logf("%.2f s", o.took.Seconds())
	book(t, folder, "g.ipynb", code("%%\nfmt.Println(1)"))
	if o := runIn(t, folder, limit, command, "report", "g.ipynb", "-o", "g.html"); o.status != 1 || !strings.Contains(o.stderr, "go.dev/dl") {
		t.Errorf("a Go cell without Go: status %d, %s", o.status, o.stderr)
	}
}
