package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// nbformat validates files: every complaint is an error, also that an id is missing.
const nbformat = `
import sys, warnings, nbformat
warnings.simplefilter("error")
for name in sys.argv[1:]:
    nb = nbformat.read(name, as_version=nbformat.NO_CONVERT)
    nbformat.validate(nb)
    print(name, nb.nbformat, nb.nbformat_minor, len(nb.cells))
`

// validate has nbformat judge notebooks.
func validate(t *testing.T, paths ...string) {
	t.Helper()
	interpreter := python(t, "nbformat", "jupyter-nbconvert")
	o := runIn(t, "", limit, append([]string{interpreter, "-c", nbformat}, paths...)...)
	if o.status != 0 {
		t.Errorf("nbformat: %s%s", o.stdout, o.stderr)
	}
}

// A file that nbformat must refuse, since a validator that accepts everything proves nothing.
func TestNbformatRefuses(t *testing.T) {
	interpreter := python(t, "nbformat", "jupyter-nbconvert")
	path := filepath.Join(t.TempDir(), "bad.ipynb")
	text := `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "markdown", "metadata": {}, "source": ""}]}`
	try.To(os.WriteFile(path, []byte(text), 0o600))
	if o := runIn(t, "", limit, interpreter, "-c", nbformat, path); o.status == 0 {
		t.Errorf("a cell without an id was accepted: %s", o.stdout)
	}
}

// ours returns the notebooks of the repository.
func ours(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks were found: %v", err)
	}
	return paths
}

// fewer holds the parameters by which notebooks take seconds in these tests: the cells are the same,
// their simulations shorter. The gallery has them with the parameters that are stored, and so do these
// tests with GONB_COPE_WHOLE=1.
var fewer = map[string]map[string]string{
	"collaboration-curves": {"runs": "3", "functions": "2"},
	"corollary-bounds":     {"runs": "10"},
	"coupling-campaign":    {"runs": "2", "runs_budget": "20"},
	"coupling-days":        {"days_shown": "6"},
	"custom-kernels":       {"runs": "10"},
	"paper-figures":        {"runs_fc": "5", "runs_fb": "10", "many": "50", "trust": "1000"},
	"quickstart":           {"runs": "5", "adaptive_runs": "2"},
}

// copied copies the folder of notebooks, so that executions write elsewhere, and shortens their
// simulations.
func copied(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "notebooks")
	try.To(os.CopyFS(folder, os.DirFS("../../notebooks")))
	if os.Getenv("GONB_COPE_WHOLE") == "1" {
		return folder
	}
	for name, values := range fewer {
		edit(t, filepath.Join(folder, name+".ipynb"), func(nb *notebook.Notebook) {
			at := slices.IndexFunc(nb.Cells, func(c notebook.Cell) bool { return c.HasTag("parameters") })
			for parameter, value := range values {
				line := regexp.MustCompile(`(?m)^(\s*` + parameter + `\s*=\s*)\d+`)
				if n := len(line.FindAllString(nb.Cells[at].Source, -1)); n != 1 {
					t.Fatalf("%s sets the parameter %s %d times", name, parameter, n)
				}
				nb.Cells[at].Source = line.ReplaceAllString(nb.Cells[at].Source, "${1}"+value)
			}
		})
	}
	return folder
}

// Notebooks are stored without outputs, in the format that nbformat accepts.
func TestNotebooksAreStoredClean(t *testing.T) {
	for _, path := range ours(t) {
		nb := try.Of(notebook.Load(path))
		if name := nb.KernelName(); name != ourKernel {
			t.Errorf("%s asks for the kernel %q, want %s", path, name, ourKernel)
		}
		for i, c := range nb.Cells {
			if len(c.Outputs) > 0 || c.ExecutionCount != 0 {
				t.Errorf("%s: cell %d is stored with outputs or a count", path, i+1)
			}
		}
	}
	validate(t, ours(t)...)
}

// nbconvert executes a notebook with a kernel and returns what came out.
func nbconvert(t *testing.T, kernel, path string) *notebook.Notebook {
	t.Helper()
	interpreter := python(t, "nbconvert", "jupyter-nbconvert")
	name := kernel + "-" + filepath.Base(path)
	o := runIn(t, filepath.Dir(path), 2*limit, interpreter, "-W", "ignore", "-m", "nbconvert", "--to", "notebook", "--execute",
		"--ExecutePreprocessor.kernel_name="+kernel, "--ExecutePreprocessor.timeout=1800", "--ExecutePreprocessor.startup_timeout=600", "--output", name, filepath.Base(path))
	if o.status != 0 {
		t.Fatalf("%s under %s:\n%s%s", filepath.Base(path), kernel, o.stdout, o.stderr)
	}
	out := filepath.Join(filepath.Dir(path), name)
	nb := try.Of(notebook.Load(out))
	validate(t, out)
	t.Logf("%s under %s: %.1f s", filepath.Base(path), kernel, o.took.Seconds())
	return nb
}

// media counts the outputs of a notebook by what they show. An error that a cell is
// there to show is an "expected error".
func media(nb *notebook.Notebook) map[string]int {
	count := map[string]int{}
	for _, c := range nb.Cells {
		for _, o := range c.Outputs {
			kind := string(o.Type)
			if o.Type == notebook.Error && c.HasTag("raises-exception") {
				kind = "expected error"
			}
			count[kind]++
			for m := range o.Data {
				count[m]++
			}
		}
	}
	return count
}

// Jupyter's own executor runs every notebook of the repository.
func TestNbconvertExecutes(t *testing.T) {
	warm(t)
	folder := copied(t)
	for _, path := range ours(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ipynb"), func(t *testing.T) {
			nb := nbconvert(t, ourKernel, filepath.Join(folder, filepath.Base(path)))
			count := media(nb)
			if count["error"] != 0 || count["image/png"] == 0 || count["text/html"] == 0 {
				t.Errorf("outputs %v: there must be tables and figures, and no error", count)
			}
		})
	}
}

// GoNB itself runs a notebook that has only Go cells, too, and prints the same.
func TestGoCellsUnderGoNB(t *testing.T) {
	warm(t)
	needGoNB(t)
	text := try.Of(os.ReadFile("testdata/go-only.ipynb"))
	path := filepath.Join(t.TempDir(), "go-only.ipynb")
	try.To(os.WriteFile(path, text, 0o666))
	source := try.Of(filepath.Abs("../.."))
	t.Setenv("GONB_COPE_SOURCE", source)
	theirs, own := nbconvert(t, plainGoNB, path), nbconvert(t, ourKernel, path)
	printed := ""
	for i := range theirs.Cells {
		a, b := streams(theirs.Cells[i]), streams(own.Cells[i])
		if printed += a; a != b {
			t.Errorf("cell %d prints under GoNB\n%s\nand under this kernel\n%s", i+1, a, b)
		}
	}
	if printed == "" {
		t.Error("the notebook prints nothing")
	}
}

// streams returns what a cell printed on standard output.
func streams(c notebook.Cell) string {
	var b strings.Builder
	for _, o := range c.Outputs {
		if o.Type == notebook.Stream && o.Name == "stdout" {
			b.WriteString(o.Text)
		}
	}
	return b.String()
}
