package headless

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/client"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

func TestScriptBecomesCells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cope")
	text := "// # Title\n// Text with $x$.\n\nn = 20 // runs\n\nf(x, y) = exp(\n\n  x[0] - y[0])\nk = f\n\n// About k:\nk\n"
	try.To(os.WriteFile(path, []byte(text), 0o600))
	n := try.Of(Load(path))
	var got []string
	for _, c := range n.Cells {
		got = append(got, string(c.Type)+": "+c.Source)
	}
	want := []string{
		"markdown: # Title\nText with $x$.",
		"code: %%cope\nn = 20 // runs",
		"code: %%cope\nf(x, y) = exp(\n\n  x[0] - y[0])\nk = f",
		"code: %%cope\n// About k:\nk",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if n.KernelName() != KernelName {
		t.Errorf("kernel %q", n.KernelName())
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct{ text, want string }{
		"a.txt":   {"", "not of \".txt\""},
		"b.cope":  {"x = (", "b.cope:1:"},
		"c.ipynb": {"{", "not a notebook"},
		"d.ipynb": {`{"nbformat": 2}`, "nbformat is 2"},
	} {
		path := filepath.Join(dir, name)
		_ = os.WriteFile(path, []byte(test.text), 0o600)
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	if _, err := Load(filepath.Join(dir, "none.ipynb")); err == nil {
		t.Error("a file that is not there was loaded")
	}
}

// code makes a notebook of code cells; the sources that begin with P are tagged as
// parameters, without the letter.
func code(sources ...string) *notebook.Notebook {
	n := &notebook.Notebook{Metadata: map[string]any{}}
	for i, s := range sources {
		c := notebook.Cell{Type: notebook.Code, ID: string(rune('a' + i)), Metadata: map[string]any{}}
		if rest, ok := strings.CutPrefix(s, "P"); ok {
			s = rest
			c.AddTag(parametersTag)
		}
		c.Source = s
		n.Cells = append(n.Cells, c)
	}
	return n
}

func sources(n *notebook.Notebook) []string {
	var all []string
	for _, c := range n.Cells {
		all = append(all, c.Source)
	}
	return all
}

func TestSetInNotebook(t *testing.T) {
	n := code("P%%cope\nruns = 20\nname = \"a\"\nlist = [1, 2]", "Pvar (\n\tgap = 0.5\n\tlabel = \"x\"\n)\nconst k = 3", "%%cope\nruns")
	given := try.Of(Set(n, false, []string{"runs=50", "name=long name", "gap=1", "label=my label", "list=[3]", "k=4"}))
	want := []string{
		"%%cope\nruns = 20\nname = \"a\"\nlist = [1, 2]",
		"%%cope\n// Parameters\nruns = 50\nname = \"long name\"\nlist = [3]",
		"var (\n\tgap = 0.5\n\tlabel = \"x\"\n)\nconst k = 3",
		"// Parameters\nvar gap = float64(1)\nvar label = \"my label\"\nconst k = 4",
		"%%cope\nruns",
	}
	if d := cmp.Diff(want, sources(n)); d != "" {
		t.Error(d)
	}
	parameters := []report.Parameter{
		{Name: "runs", Value: "50", Default: "20"},
		{Name: "name", Value: "long name", Default: `"a"`},
		{Name: "gap", Value: "1", Default: "0.5"},
		{Name: "label", Value: "my label", Default: `"x"`},
		{Name: "list", Value: "[3]", Default: "[1, 2]"},
		{Name: "k", Value: "4", Default: "3"},
	}
	if d := cmp.Diff(parameters, given); d != "" {
		t.Error(d)
	}
	if !n.Cells[1].HasTag(injectedTag) || n.Cells[1].HasTag(parametersTag) {
		t.Errorf("tags %v", n.Cells[1].Tags())
	}
	// Once more: the cells that were injected are replaced.
	try.Of(Set(n, false, []string{"runs=7"}))
	if got := sources(n); len(got) != 4 || got[1] != "%%cope\n// Parameters\nruns = 7" {
		t.Errorf("%q", got)
	}
}

// What is written of a Go parameter keeps its declared type and its kind of number.
func TestSetKeepsTypes(t *testing.T) {
	n := code("Pvar rate float32 = 1.5\nvar neg = -1.5\nconst wait time.Duration = 3")
	try.Of(Set(n, false, []string{"rate=2", "neg=-3", "wait=5"}))
	if want := "// Parameters\nvar rate float32 = 2\nvar neg = float64(-3)\nconst wait time.Duration = 5"; n.Cells[1].Source != want {
		t.Errorf("%s\nwant %s", n.Cells[1].Source, want)
	}
}

// Whatever the kernel takes for a %%cope cell has parameters.
func TestSetInAnyCopeCell(t *testing.T) {
	for _, cell := range []string{"// defaults\n%%cope\nruns = 20", "//gonb:%%cope\nruns = 20", "%%cope \nruns = 20", "%%cope\r\nruns = 20\r\n", "\n\n%%cope\n\nruns = 20"} {
		n := code("P" + cell)
		if _, err := Set(n, false, []string{"runs=5"}); err != nil || len(n.Cells) != 2 || n.Cells[1].Source != "%%cope\n// Parameters\nruns = 5" {
			t.Errorf("%q: %v, %q", cell, err, sources(n))
		}
	}
}

func TestSetErrors(t *testing.T) {
	for set, want := range map[string]string{
		"runs":      "write NAME=VALUE",
		"3=4":       "write NAME=VALUE",
		"rnus=5":    "the name does not exist; the parameters are runs, gap",
		"runs=(":    "--set runs",
		"gap=1 + +": "is not a Go value",
	} {
		n := code("P%%cope\nruns = 20", "Pvar gap = 0.5")
		if _, err := Set(n, false, []string{set}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", set, err, want)
		}
	}
	if _, err := Set(code("%%cope\nruns = 20"), false, []string{"runs=1"}); err == nil || !strings.Contains(err.Error(), "no cell has the tag parameters") {
		t.Errorf("%v", err)
	}
	if _, err := Set(code("P%%cope\nruns = 20"), false, []string{"runs=1", "runs=2"}); err == nil || !strings.Contains(err.Error(), "set twice") {
		t.Errorf("%v", err)
	}
}

func TestSetInScript(t *testing.T) {
	n := ofScript("n = 20\n\np = paper(case=1, gap=0.1)\nr = n")
	given := try.Of(Set(n, true, []string{"n=5"}))
	if d := cmp.Diff([]string{"%%cope\nn = 5", "%%cope\np = paper(case=1, gap=0.1)\nr = n"}, sources(n)); d != "" {
		t.Error(d)
	}
	if given[0].Default != "20" {
		t.Errorf("%+v", given)
	}
	text := ofScript("file = \"a.csv\"")
	if _, err := Set(text, true, []string{"file=b{1}.csv"}); err != nil || sources(text)[0] != "%%cope\nfile = \"b{{1}}.csv\"" { // braces without quotes are braces
		t.Errorf("%q, %v", sources(text), err)
	}
	if _, err := Set(n, true, []string{"m=5"}); err == nil || !strings.Contains(err.Error(), "the script binds n, p, r") {
		t.Errorf("%v", err)
	}
}

func TestCompare(t *testing.T) {
	result := func(text string, value float64) notebook.Output {
		return notebook.Output{Type: notebook.ExecuteResult, ExecutionCount: 3, Data: map[string]any{
			"text/plain": text, "text/html": "<div id=\"c123\">" + text + "</div>", "application/vnd.gonb-cope+json": map[string]any{"value": value},
		}}
	}
	progress := notebook.Output{Type: notebook.DisplayData, Data: map[string]any{"text/plain": "5 of 5 in 3 s"}, Metadata: map[string]any{"gonb_cope": map[string]any{"progress": true}}}
	stream := func(text string) notebook.Output {
		return notebook.Output{Type: notebook.Stream, Name: "stdout", Text: text}
	}
	with := func(outputs ...notebook.Output) *notebook.Notebook {
		n := code("x")
		n.Cells[0].Outputs = outputs
		return n
	}
	for _, test := range []struct {
		old, new *notebook.Notebook
		want     string
	}{
		{with(result("1", 1)), with(progress, result("1", 1)), ""},
		{with(result("1", 1)), with(result("1", 1.5)), "cell 1, output 1: application/vnd.gonb-cope+json, line 1\n  - {\"value\":1}\n  + {\"value\":1.5}"},
		{with(stream("a\nb\n")), with(stream("a\nc\n")), "cell 1, output 1: stdout, line 2\n  - b\n  + c"},
		{with(stream("a")), with(), "cell 1: 1 outputs before, 0 now"},
		{with(stream("a")), with(result("a", 1)), "cell 1, output 1: was stream, is execute_result"},
	} {
		var got []string
		for _, d := range Compare(test.old, test.new) {
			got = append(got, d.String())
		}
		if strings.Join(got, "\n") != test.want {
			t.Errorf("%q, want %q", strings.Join(got, "\n"), test.want)
		}
	}
}

// The error of a cell that a script became has the place in the script.
func TestErrorInScript(t *testing.T) {
	n := ofScript("a = 3\n\n// text\n\n\n\n\n\n\nb = rbf(\n  nope)\n")
	last := len(n.Cells)
	err := InScript("x.cope", n, &client.CellError{Cell: last, Name: "CopeError", Value: "cell 2:3:3: unknown", Traceback: []string{"\x1b[1mcell 2:3:3: unknown name \"nope\"\x1b[0m\n 3 |   nope)\n   |   \x1b[1;31m^^^^\x1b[0m\n   = hint: x"}})
	if want := "x.cope:11:3: unknown name \"nope\"\n 11 |   nope)\n    |   ^^^^\n    = hint: x"; err.Error() != want {
		t.Errorf("%s\nwant\n%s", err, want)
	}
	dead := &client.CellError{Cell: 1, Err: errors.New("the kernel died")}
	if InScript("x.cope", n, dead) != error(dead) {
		t.Error("an error of another kind was changed")
	}
}
