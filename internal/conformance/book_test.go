package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// book writes a notebook for our kernel into a folder: with a fresh id for each
// cell.
func book(t testing.TB, folder, name string, cells ...notebook.Cell) string {
	t.Helper()
	nb := &notebook.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": ourKernel, "display_name": "Go + CoPE (gonb-cope)", "language": "go"}}, Cells: cells}
	for i := range nb.Cells {
		nb.Cells[i].ID = nb.FreshID("cell")
	}
	path := filepath.Join(folder, name)
	f := try.Of(os.Create(path))
	defer f.Close()
	try.To(notebook.Write(f, nb))
	return path
}

// code returns a cell of code, with tags.
func code(source string, tags ...string) notebook.Cell {
	c := notebook.Cell{Type: notebook.Code, Source: source, Metadata: map[string]any{}}
	for _, tag := range tags {
		c.AddTag(tag)
	}
	return c
}

// text returns a cell of Markdown.
func text(source string) notebook.Cell {
	return notebook.Cell{Type: notebook.Markdown, Source: source, Metadata: map[string]any{}}
}

// mixed returns seven cells of every kind: parameters in both languages, a table, a figure, Go, and
// Go that reads what a script bound.
func mixed() []notebook.Cell {
	return []notebook.Cell{
		text("# Seven cells\n\nScripts and Go, $\\Upsilon$ and a figure."),
		code("%%cope\ngap = 0.4", "parameters"),
		code("var repeats = 3", "parameters"),
		code("%%cope\np = paper(case=1, gap=gap)\nb = bounds(p, xi=1e-3)\nb"),
		code("%%cope\nplot(b)"),
		code("func twice(x int) int { return 2 * x }\n\n%%\nfmt.Println(\"twice the repeats:\", twice(repeats))"),
		code("import \"github.com/gonb-cope/gonb-cope/session\"\n\n%%\nfmt.Println(\"tasks:\", session.Problem(\"p\").Tasks.Len())"),
	}
}
