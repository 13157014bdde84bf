package export

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// Options say how a report is made. The zero value works.
type Options struct {
	Title      string // "" means the first heading, else the name of the notebook
	HideCode   bool   // leave the code of all cells out
	Provenance Provenance
	Folder     string // of the notebook, where images that Markdown names are found
	Paper      Paper  // of PDF and LaTeX; "" means A4
	// the notebook by its path from the report, for Outputs; Markdown for code hosts has it
	Source string
}

// Paper is the size of the pages of a report.
type Paper string

// The sizes.
const (
	A4     Paper = "a4"
	Letter Paper = "letter"
)

// Papers returns the sizes that a report can have.
func Papers() []string { return []string{string(A4), string(Letter)} }

// writer makes a report. Files that belong beside it go through put, which returns the name by
// which the report refers to them.
type writer func(ctx context.Context, w io.Writer, nb *notebook.Notebook, opt Options, put func(name string, data []byte) string) error

// formats are the endings that Save knows.
var formats = map[string]writer{
	".html": func(_ context.Context, w io.Writer, nb *notebook.Notebook, opt Options, _ func(string, []byte) string) error {
		return HTML(w, nb, opt)
	},
	".pdf": func(ctx context.Context, w io.Writer, nb *notebook.Notebook, opt Options, _ func(string, []byte) string) error {
		return PDF(ctx, w, nb, opt)
	},
	".ipynb": func(_ context.Context, w io.Writer, nb *notebook.Notebook, opt Options, _ func(string, []byte) string) error {
		return Notebook(w, nb, opt)
	},
	".md":  writeMarkdown,
	".qmd": writeQuarto,
	".tex": writeLaTeX,
}

// Known returns the endings that Save knows, sorted.
func Known() []string {
	var out []string
	for e := range formats {
		out = append(out, e)
	}
	slices.Sort(out)
	return out
}

// Save writes the report in the format that the ending of path names: .html .ipynb
// .md .pdf .qmd .tex. Figures of Markdown and LaTeX go into the folder NAME_files beside
// it. The file at path appears whole or not at all, and after its figures. Errors
// name the path.
func Save(ctx context.Context, path string, nb *notebook.Notebook, opt Options) error {
	ending := strings.ToLower(filepath.Ext(path))
	write, ok := formats[ending]
	if !ok {
		return fmt.Errorf("cannot save %s: the ending says the format, one of %s", path, strings.Join(Known(), " "))
	}
	s := sideOf(path)
	var b bytes.Buffer
	if err := write(ctx, &b, nb, opt, s.put); err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	if err := s.save(); err != nil {
		return err
	}
	return report.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}

// Writable reports what would keep Save from writing path, for the time before hours are
// spent on what the report is to show: the file itself, the folder of its figures, and
// the program that prints PDF. Errors name the path.
func Writable(path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".pdf":
		if _, err := findBrowser(); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, err)
		}
	case ".md", ".qmd", ".tex":
		if err := sideOf(path).writable(); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, err)
		}
	}
	return report.Writable(path)
}

// Notebook writes the notebook itself, with the provenance in its metadata under "gonb-cope", and
// with figures of ours as PDF, too: nbconvert prefers that for LaTeX. It returns the error of w.
func Notebook(w io.Writer, nb *notebook.Notebook, opt Options) error {
	return notebook.Write(w, withPDFs(withProvenance(nb, opt.Provenance)))
}

// withPDFs returns a copy whose figures have a PDF besides what they had. A figure with letters that
// a PDF cannot show has none.
func withPDFs(nb *notebook.Notebook) *notebook.Notebook {
	out := *nb
	out.Cells = slices.Clone(nb.Cells)
	for i, c := range out.Cells {
		outputs := slices.Clone(c.Outputs)
		for j, o := range outputs {
			f, ours := ownFigure(o)
			var b bytes.Buffer
			if !ours || o.Data["application/pdf"] != nil || figure.PDF(&b, f) != nil {
				continue
			}
			outputs[j].Data = maps.Clone(o.Data)
			outputs[j].Data["application/pdf"] = base64.StdEncoding.EncodeToString(b.Bytes())
		}
		out.Cells[i].Outputs = outputs
	}
	return &out
}
