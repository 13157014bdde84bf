package export

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/chromium"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/pandoc"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// Options state how a report is written. The zero value works.
type Options struct {
	Title      string // title of the report; "" means the first heading, or else the name of the notebook
	HideCode   bool   // omit the code of all cells
	Provenance report.Provenance
	Folder     string // folder of the notebook, in which images of Markdown are found
	Paper      Paper  // paper size of PDF and LaTeX; "" means A4
	// path of the notebook relative to the report; Markdown for code hosts contains it for Outputs
	Source string
	Notice func(string) // receives a sentence about each omission; may be nil

	limits *allowance.Allowance // allowance that the texts use beyond their own shares
}

// Paper is a paper size.
type Paper string

// These are the supported paper sizes.
const (
	A4     Paper = "a4"
	Letter Paper = "letter"
)

// Papers returns the supported paper sizes.
func Papers() []string { return []string{string(A4), string(Letter)} }

// format is a report format, chosen by the ending of the file name.
type format struct {
	ending string
	write  func(ctx context.Context, nb *notebook.Notebook, opt Options, put putter) ([]byte, error)
	beside bool         // whether figures are separate files in a folder beside the report
	ready  func() error // returns why this machine cannot write the format; nil if no other program is needed
}

// formats lists the formats, sorted by ending.
func formats() []format {
	programOf := func(find func() (string, error)) func() error {
		return func() error { _, err := find(); return err }
	}
	return []format{
		{ending: ".docx", write: docx, ready: programOf(pandoc.Find)},
		{ending: ".html", write: func(_ context.Context, nb *notebook.Notebook, opt Options, _ putter) ([]byte, error) {
			return newPage(nb, opt, false, nil).text(), nil
		}},
		{ending: ".ipynb", write: func(_ context.Context, nb *notebook.Notebook, opt Options, _ putter) ([]byte, error) {
			return Notebook(nb, opt)
		}},
		{ending: ".md", beside: true, write: func(ctx context.Context, nb *notebook.Notebook, opt Options, put putter) ([]byte, error) {
			return markdown(ctx, nb, opt, false, put), nil
		}},
		{ending: ".pdf", ready: programOf(chromium.Find),
			write: func(ctx context.Context, nb *notebook.Notebook, opt Options, _ putter) ([]byte, error) {
				return PDF(ctx, nb, opt)
			}},
		{ending: ".qmd", beside: true, write: func(ctx context.Context, nb *notebook.Notebook, opt Options, put putter) ([]byte, error) {
			return markdown(ctx, nb, opt, true, put), nil
		}},
		{ending: ".tex", beside: true, write: func(ctx context.Context, nb *notebook.Notebook, opt Options, put putter) ([]byte, error) {
			return latex(ctx, nb, opt, put), nil
		}},
	}
}

// formatOf returns the format for the ending of a path, or false if there is none.
func formatOf(path string) (format, bool) {
	ending := strings.ToLower(filepath.Ext(path))
	return lists.First(formats(), func(f format) bool { return f.ending == ending })
}

// Known returns the file endings that Save supports, sorted.
func Known() []string { return lists.Map(formats(), func(f format) string { return f.ending }) }

// putter stores a file beside a report and returns the name by which the report refers to it.
type putter func(name string, data []byte) string

// made returns the report in the format with the given ending. put stores its figures.
func made(ctx context.Context, ending string, nb *notebook.Notebook, opt Options, put putter) ([]byte, error) {
	f, ok := formatOf(ending)
	if !ok {
		return nil, fmt.Errorf("the ending selects the format and must be one of %s", strings.Join(Known(), " "))
	}
	return f.write(ctx, nb, opt.limited(ctx), put)
}

// Save writes the report to path in the format of its ending (see Known). Figures of Markdown and LaTeX reports go into
// the folder NAME_files beside it. Save writes the figures first and then replaces the file at path atomically. Errors
// contain the path.
func Save(ctx context.Context, path string, nb *notebook.Notebook, opt Options) error {
	// An interrupted conversion continues in the background for a short time. It therefore has its own files and notices.
	type outcome struct {
		text []byte
		side *side
		said []string
	}
	done, err := await.Result(ctx, await.Patience{}, func() (o outcome, err error) {
		o.side = sideOf(path)
		inner := opt
		inner.Notice = func(line string) { o.said = append(o.said, line) }
		if o.text, err = made(ctx, filepath.Ext(path), nb, inner, o.side.put); err == nil {
			err = ctx.Err() // the conversion may have stopped early
		}
		return o, err
	})
	if err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	s, text := done.side, done.text
	if err := s.save(); err != nil {
		return err
	}
	if err := report.WriteBytes(path, text); err != nil {
		return err
	}
	if opt.Notice != nil {
		for _, line := range done.said {
			opt.Notice(line)
		}
	}
	return nil
}

// Writable returns an error if Save could not write path, so that a long computation is not lost. It checks the file, the
// folder for figures, and the program that the format needs. Errors contain the path.
func Writable(path string) error {
	f, _ := formatOf(path)
	var err error
	if f.ready != nil {
		err = f.ready()
	}
	if f.beside {
		err = sideOf(path).writable()
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return report.Writable(path)
}

// Notebook returns the notebook with the provenance in its metadata under "gonb-cope". Our figures also get a PDF, which
// nbconvert prefers for LaTeX.
func Notebook(nb *notebook.Notebook, opt Options) ([]byte, error) {
	var b bytes.Buffer
	err := notebook.Write(&b, withPDFs(withProvenance(nb, opt.Provenance)))
	return b.Bytes(), err
}

// withPDFs returns a copy of the notebook in which our figures also have a PDF. Figures with letters that a PDF cannot
// show get none.
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

// ownFigure returns the figure whose data one of our outputs contains, or false.
func ownFigure(o notebook.Output) (figure.Figure, bool) {
	v, _ := o.Data[report.MediaType].(map[string]any)
	if stringOf(v["type"]) != "figure" {
		return figure.Figure{}, false
	}
	f, err := figure.FromJSON(v["value"])
	return f, err == nil
}

// decoded returns the bytes of a base64 text or list of lines, or nil for anything else.
func decoded(v any) []byte {
	if list, ok := v.([]any); ok {
		v = strings.Join(lists.Map(list, stringOf), "")
	}
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(stringOf(v)), ""))
	if err != nil {
		return nil
	}
	return data
}

// soleDrawing returns the SVG drawing in HTML that contains nothing else, as GoNB writes it, or nil.
func soleDrawing(source string) []byte {
	if !strings.Contains(source, "<svg") {
		return nil
	}
	tree := new(markup.Cleaner).Read(source)
	found := tree.All("svg")
	if len(found) != 1 || strings.TrimSpace(tree.Plain()) != strings.TrimSpace(found[0].Plain()) {
		return nil
	}
	return drawingFile(source)
}

// recognised reports whether LaTeX of other programs is a formula that package tex can read, or an environment such as a
// table. Other LaTeX may need unknown packages.
func recognised(source string) bool {
	if inner, ok := loneFormula(source); ok {
		_, ok = texMath(inner, true)
		return ok
	}
	return strings.HasPrefix(strings.TrimSpace(source), `\begin{`)
}

// loneFormula returns the formula in a text that consists of one formula between $ or $$ signs, or false.
func loneFormula(source string) (formula string, ok bool) {
	s := strings.TrimSpace(source)
	for _, sign := range []string{"$$", "$"} {
		inner, found := strings.CutPrefix(s, sign)
		if found && strings.HasSuffix(inner, sign) && strings.Count(s, "$") == 2*len(sign) {
			return strings.TrimSuffix(inner, sign), true
		}
	}
	return "", false
}

// fallbackTitle returns the title of a notebook without headings: from its YAML settings or metadata, or else its file
// name without ending.
func (o Options) fallbackTitle(nb *notebook.Notebook) string {
	if front, ok := frontMatter(nb); ok {
		if m := titleLine.FindStringSubmatch(front); m != nil {
			return m[1]
		}
	}
	if title := strings.TrimSpace(stringOf(nb.Metadata["title"])); title != "" {
		return title
	}
	if name := filepath.Base(o.Provenance.Notebook); name != "." && name != "/" {
		return strings.TrimSuffix(name, filepath.Ext(name))
	}
	return "Notebook"
}

// titleLine matches the title in YAML settings.
var titleLine = regexp.MustCompile(`(?m)^title:[ \t]*["']?([^\n]*?)["']?[ \t]*$`)
