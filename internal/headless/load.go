package headless

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/jupyter/notebook"
)

// KernelName is the name of our kernelspec.
const KernelName = "gonb-cope"

// cellMagic is the line that begins a cell of the script language.
const cellMagic = dsl.CellMagic + "\n"

// Load reads a notebook (.ipynb) or a script (.cope). A script becomes a notebook of
// one cell a paragraph; paragraphs of comments become Markdown.
func Load(path string) (*notebook.Notebook, error) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".ipynb":
		return notebook.Load(path)
	case ".cope":
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read script: %w", err)
		}
		if _, errs := dsl.Parse(path, string(text)); len(errs) > 0 {
			return nil, errs
		}
		return ofScript(string(text)), nil
	default:
		return nil, fmt.Errorf("%s: a report is made of a notebook (.ipynb) or a script (.cope), not of %q", path, ending)
	}
}

// ofScript makes a notebook of a script.
func ofScript(text string) *notebook.Notebook {
	n := &notebook.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": KernelName, "display_name": "Go + CoPE (gonb-cope)", "language": "go"}}}
	for i, p := range dsl.Paragraphs(text) {
		c := notebook.Cell{Type: notebook.Code, ID: fmt.Sprintf("cell-%d", i+1), Source: cellMagic + p.Source, Metadata: map[string]any{}}
		if p.Comment {
			c.Type, c.Source = notebook.Markdown, p.Source
		}
		n.Cells = append(n.Cells, c)
	}
	return n
}

// scriptOf is the script in a cell, without the empty lines that it begins with, or
// false for a cell of another language.
func scriptOf(c *notebook.Cell) (string, bool) {
	if c.Type != notebook.Code {
		return "", false
	}
	script, ok, err := dsl.Cell(c.Source)
	return strings.TrimLeft(script, "\r\n"), ok && err == nil
}
