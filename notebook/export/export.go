package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/chromium"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/pandoc"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/export/tex"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// Options state how a report is made. The zero value works.
type Options struct {
	Title      string // "" means the first heading, else the name of the notebook
	HideCode   bool   // leave the code of all cells out
	Provenance Provenance
	Folder     string // of the notebook, where images that Markdown names are found
	Paper      Paper  // of PDF and LaTeX; "" means A4
	// the notebook by its path from the report, for Outputs; Markdown for code hosts has it
	Source string
	Notice func(string) // receives a sentence about each omission of the report; may be nil

	limits *allowance.Allowance        // limits for the texts of the report beyond their shares
	texts  map[*notebook.Cell]*written // that were read for their headings
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

// format is how a report is written to files of one ending.
type format struct {
	ending string
	write  func(ctx context.Context, nb *notebook.Notebook, opt Options, put putter) ([]byte, error)
	beside bool         // figures are files beside the report
	ready  func() error // why this machine cannot write the format; nil if no other program is needed
}

// formats lists the formats by their endings.
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
		{ending: ".md", beside: true, write: func(_ context.Context, nb *notebook.Notebook, opt Options, put putter) ([]byte, error) {
			return markdown(nb, opt, forHosts, put), nil
		}},
		{ending: ".pdf", ready: programOf(chromium.Find),
			write: func(ctx context.Context, nb *notebook.Notebook, opt Options, _ putter) ([]byte, error) {
				return PDF(ctx, nb, opt)
			}},
		{ending: ".qmd", beside: true, write: func(_ context.Context, nb *notebook.Notebook, opt Options, put putter) ([]byte, error) {
			return markdown(nb, opt, forQuarto, put), nil
		}},
		{ending: ".tex", beside: true, write: func(ctx context.Context, nb *notebook.Notebook, opt Options, put putter) ([]byte, error) {
			return latex(ctx, nb, opt, put), nil
		}},
	}
}

// formatOf returns the format of a file.
func formatOf(path string) (format, bool) {
	ending := strings.ToLower(filepath.Ext(path))
	return lists.First(formats(), func(f format) bool { return f.ending == ending })
}

// Known returns the endings that Save knows, sorted.
func Known() []string { return lists.Map(formats(), func(f format) string { return f.ending }) }

// putter takes a file that belongs beside a report and returns the name by which the report refers to it.
type putter func(name string, data []byte) string

// made returns a report.
func made(ctx context.Context, ending string, nb *notebook.Notebook, opt Options, put putter) ([]byte, error) {
	f, ok := formatOf(ending)
	if !ok {
		return nil, fmt.Errorf("the ending selects the format and must be one of %s", strings.Join(Known(), " "))
	}
	return f.write(ctx, nb, opt.limited(ctx), put)
}

// Save writes the report in the format that the ending of path names, one of Known. Figures of Markdown
// and LaTeX go into the folder NAME_files beside it. The file at path appears whole or not at all, and after its figures. Errors
// name the path.
func Save(ctx context.Context, path string, nb *notebook.Notebook, opt Options) error {
	// A conversion that is interrupted ends soon, in the background, with files and notices of its own.
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
			err = ctx.Err() // it ended early
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

// Writable returns an error if Save could not write path. Call it before hours are
// spent on what the report is to show: the file itself, the folder of its figures, and
// the program that prints PDF. Errors name the path.
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

// Notebook returns the notebook itself, with the provenance in its metadata under "gonb-cope", and
// with figures of ours as PDF, too: nbconvert prefers that for LaTeX.
func Notebook(nb *notebook.Notebook, opt Options) ([]byte, error) {
	var b bytes.Buffer
	err := notebook.Write(&b, withPDFs(withProvenance(nb, opt.Provenance)))
	return b.Bytes(), err
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

// picture is a drawing or photograph of an output, as a file.
type picture struct {
	data    []byte
	ending  string // with dot
	alt     string
	caption string
}

// drawn returns the picture of an output in the first of the wanted endings (.pdf .svg .png .jpg .gif .webp)
// that it has. A figure of ours, whose data are in the output, is drawn again; without
// its title for a report that sets the caption below it.
func drawn(cell int, o notebook.Output, captioned bool, wanted ...string) (picture, bool) {
	p := picture{alt: altText(cell, o), caption: stringOf(o.Metadata["caption"])}
	f, ours := ownFigure(o)
	if ours {
		p.caption, p.alt = f.Title, f.Describe()
	}
	if captioned {
		f.Title = ""
	}
	for _, p.ending = range wanted {
		var b bytes.Buffer
		switch p.ending {
		case ".pdf":
			if ours && figure.PDF(&b, f) == nil {
				p.data = b.Bytes()
			} else if p.data = decoded(o.Data["application/pdf"]); !bytes.HasPrefix(p.data, []byte("%PDF-")) {
				p.data = nil
			}
		case ".svg":
			if ours && figure.SVG(&b, f) == nil {
				p.data = b.Bytes()
			} else if p.data = drawingFile(stringOf(o.Data["image/svg+xml"])); p.data == nil {
				p.data = soleDrawing(stringOf(o.Data["text/html"]))
			}
		case ".png":
			if ours && figure.PNG(&b, f) == nil {
				p.data = b.Bytes()
			} else {
				p.data = outputImage(o, "image/png")
			}
		case ".jpg":
			p.data = outputImage(o, "image/jpeg")
		case ".gif", ".webp":
			p.data = outputImage(o, "image/"+p.ending[1:])
		}
		if len(p.data) > 0 {
			return p, true
		}
	}
	return picture{}, false
}

// ownFigure returns the figure whose data an output of ours carries.
func ownFigure(o notebook.Output) (figure.Figure, bool) {
	v, _ := o.Data[report.MediaType].(map[string]any)
	if stringOf(v["type"]) != "figure" {
		return figure.Figure{}, false
	}
	f, err := figure.FromJSON(v["value"])
	return f, err == nil
}

// outputImage returns the image of an output that is of a kind, or nil. Some programs put out one kind under the name of another, and
// front ends show it.
func outputImage(o notebook.Output, kind string) []byte {
	for _, media := range []string{kind, "image/png", "image/jpeg", "image/gif", "image/webp"} {
		if data, is, _ := sniffed(decoded(o.Data[media])); is == kind {
			return data
		}
	}
	return nil
}

// decoded returns the bytes of a base64 text or its lines; nil for anything else.
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

// soleDrawing returns the drawing in HTML that holds nothing else, as GoNB puts it out.
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

// textOf returns the first of the wanted media types that an output has as text, and the text; "" without any.
func textOf(o notebook.Output, wanted ...string) (media, source string) {
	_, ours := o.Data[report.MediaType]
	for _, media = range wanted {
		if v, there := o.Data[media]; there && media == "application/json" {
			return media, prettyJSON(v)
		}
		source = stringOf(o.Data[media])
		usable := media != "text/latex" || tex.Compilable(source) && (ours || recognised(source))
		if usable && strings.TrimSpace(source) != "" {
			return media, source
		}
	}
	return "", ""
}

// recognised reports whether foreign LaTeX is a formula that we can read, or an
// environment such as a table. Other LaTeX may need packages that we cannot know.
func recognised(source string) bool {
	if inner, ok := loneFormula(source); ok {
		_, ok = texMath(inner, true)
		return ok
	}
	return strings.HasPrefix(strings.TrimSpace(source), `\begin{`)
}

// loneFormula returns the formula of a text that is one formula between dollars.
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

// htmlText returns the text of HTML, for formats without HTML.
func htmlText(source string) string { return new(markup.Cleaner).Read(source).Lines() }

// headings yields the headings of all Markdown cells that a report shows, each with its text and its cell.
func headings(nb *notebook.Notebook, opt Options) iter.Seq[authored] {
	return func(yield func(authored) bool) {
		for i := range nb.Cells {
			c := &nb.Cells[i]
			if c.Type != notebook.Markdown || hidden(c) {
				continue
			}
			w := opt.cellText(c, fmt.Sprintf("c%d", i+1))
			for _, h := range w.headings() {
				if !yield(authored{w, h, c}) {
					return
				}
			}
		}
	}
}

type authored struct {
	text    *written
	heading *ast.Heading
	cell    *notebook.Cell
}

// titleOf returns the title that HTML would give, and whether the first heading of the
// Markdown is it.
func titleOf(nb *notebook.Notebook, opt Options) (title string, first bool) {
	for h := range headings(nb, opt) { // images are loaded, because one that is missing is a text
		words := strings.TrimSpace(h.text.tree(h.heading, &markup.Cleaner{Load: images(h.cell, opt.Folder)}).Plain())
		return cmp.Or(opt.Title, words, opt.fallbackTitle(nb)), opt.Title == "" || opt.Title == words
	}
	return cmp.Or(opt.Title, opt.fallbackTitle(nb)), false
}

// fallbackTitle returns the title of notebooks without a heading: the one that its settings or its metadata name, or its name.
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

// titleLine is the title in settings of YAML.
var titleLine = regexp.MustCompile(`(?m)^title:[ \t]*["']?([^\n]*?)["']?[ \t]*$`)

// textWriter has the fields that the writers of Markdown and LaTeX share.
type textWriter struct {
	b     strings.Builder
	put   putter
	opt   Options
	files int  // beside the report, so far
	strip bool // the first heading is still to be left out

	begin, end         string // around a cell of code
	foldBegin, foldEnd string // around outputs that are folded
	hides              hiding
	own                language // of the notebook
	lost               ledger
}

// newTextWriter returns a textWriter for a notebook. Paper cannot be unfolded.
func newTextWriter(nb *notebook.Notebook, opt Options, put putter, strip, paper bool) textWriter {
	return textWriter{put: put, opt: opt, strip: strip, hides: hidingOf(nb, opt, paper), own: languageOf(nb, opt), lost: ledger{}}
}

func (t *textWriter) writef(format string, a ...any) { fmt.Fprintf(&t.b, format, a...) }

// file puts the next file beside the report and returns how the report names it.
func (t *textWriter) file(kind, ending string, data []byte) string {
	t.files++
	return t.put(fmt.Sprintf("%s-%d%s", kind, t.files, ending), data)
}

// textForm writes the parts that differ between Markdown and LaTeX.
type textForm interface {
	escape(text string) string
	emphasis(text string) string // a note of the report itself
	prose(number int, c *notebook.Cell)
	source(c *notebook.Cell, fold bool)
	raw(number int, c *notebook.Cell, format string) bool // false for a format that it cannot show
	output(number int, c *notebook.Cell, o notebook.Output)
	facts(t facts)
}

// code writes what is shown of a cell of code.
func (t *textWriter) code(in textForm, number int, c *notebook.Cell) {
	t.b.WriteString(t.begin)
	if v := t.hides.code(c); v != absent {
		in.source(c, v == folded)
	}
	v, outputs := t.hides.outputs(c), t.hides.lasting(c)
	if v != absent && len(outputs) > 0 {
		if v == folded {
			t.b.WriteString(t.foldBegin)
			defer t.b.WriteString(t.foldEnd)
		}
		for _, o := range outputs {
			in.output(number, c, o)
		}
	}
	t.b.WriteString(t.end)
}

// body writes failures in the given format, all cells, and the provenance below its heading.
func (t *textWriter) body(nb *notebook.Notebook, in textForm, failed, provenance string) {
	for _, f := range failures(nb) {
		t.writef(failed, in.escape(f.String()))
	}
	for i := range nb.Cells {
		c := &nb.Cells[i]
		if t.opt.interrupted() {
			return
		}
		switch {
		case hidden(c) || strings.TrimSpace(c.Source) == "" && c.Type == notebook.Raw:
		case c.Type == notebook.Raw:
			_, settings := frontMatter(nb)
			settings = settings && i == 0
			if settings || !in.raw(i+1, c, rawFormat(c)) {
				t.lost.add(rawKind(c, settings))
			}
		case c.Type == notebook.Markdown:
			in.prose(i+1, c)
		case c.Type == notebook.Code:
			t.code(in, i+1, c)
		}
	}
	for _, note := range notes(nb, t.hides, t.lost) {
		t.writef("\n%s\n", in.emphasis(note))
	}
	tables := t.opt.Provenance.tables()
	if len(tables) > 0 {
		t.b.WriteString(provenance)
	}
	for _, table := range tables {
		in.facts(table)
	}
}
