package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Document is what a renderer writes: displays in order, and where they come from.
type Document struct {
	Title      string // "" means "Report"
	Displays   []Display
	Script     string      // text of the whole script; "" omits it
	Provenance *Provenance // nil omits it
}

// Provenance describes how a document was made, so that it can be made again. Documents omit empty fields. JSON output of
// values omits it, so that the same script, data and seed give the same bytes.
type Provenance struct {
	Parameters []Parameter `json:"parameters,omitempty"` // of a notebook
	Version    string      `json:"version,omitzero"`     // version of gonb-cope
	Revision   string      `json:"revision,omitzero"`    // revision of its source
	ModuleSum  string      `json:"module_sum,omitzero"`  // checksum of the Go module, as in go.sum
	Go         string      `json:"go,omitzero"`          // Go version of the build
	Platform   string      `json:"platform,omitzero"`    // operating system and architecture
	Kernel     string      `json:"kernel,omitzero"`      // display name of the kernel that executed a notebook, or else its name
	Host       string      `json:"host,omitzero"`

	Script         string        `json:"script,omitzero"` // file name of the script
	ScriptSHA256   string        `json:"script_sha256,omitzero"`
	Notebook       string        `json:"notebook,omitzero"` // path of the notebook that the reader of the report can use
	NotebookSHA256 string        `json:"notebook_sha256,omitzero"`
	Kept           bool          `json:"kept,omitzero"` // true if nothing was executed and the outputs are the notebook's saved ones
	Data           []DataFile    `json:"data,omitempty"`
	Seeds          []string      `json:"seeds,omitempty"`  // seeds that the caller set for all runs, or that a notebook's runs used
	Command        string        `json:"command,omitzero"` // command line that makes the document again
	Started        time.Time     `json:"started,omitzero"`
	Duration       time.Duration `json:"duration_ns,omitzero"`
	Cells          []CellTime    `json:"cells,omitempty"`
	Workers        int           `json:"workers,omitzero"`
}

// Parameter is a notebook parameter to which the user gave a value.
type Parameter struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default,omitempty"` // "" if the notebook has no default
}

// CellTime is the run time of a cell. Cell counts cells of all types from 1.
type CellTime struct {
	Cell     int           `json:"cell"`
	Duration time.Duration `json:"duration_ns"`
}

// DataFile is a data file that was read.
type DataFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Rows   int    `json:"rows"`
}

// Blocks returns the provenance as blocks; none if nothing is known.
func (p Provenance) Blocks() (out []Block) {
	if len(p.Parameters) > 0 {
		out = append(out, Table{Caption: "Parameters", Columns: []Column{{Title: "Parameter"}, {Title: "Value"}, {Title: "Default"}},
			Rows: lists.Map(p.Parameters, func(x Parameter) []any { return []any{x.Name, x.Value, x.Default} })})
	}
	kv := KeyValues{Caption: "How this was made"}
	kv.add("gonb-cope", known(strings.TrimSpace(p.Version+" "+p.Revision)))
	kv.add("Module checksum", known(p.ModuleSum))
	kv.add("Built with", known(strings.TrimSpace(p.Go+" "+p.Platform)))
	kv.add("Kernel", known(p.Kernel))
	kv.add("Host", known(p.Host))
	kv.add("Script", known(p.Script))
	kv.add("Script SHA-256", known(p.ScriptSHA256))
	kv.add("Notebook", known(p.Notebook))
	kv.add("Notebook SHA-256", known(p.NotebookSHA256))
	if p.Kept {
		kv.add("Outputs", "the saved outputs of the notebook; nothing was executed")
	}
	for _, d := range p.Data {
		kv.add("Data", fmt.Sprintf("%s, %s, SHA-256 %s", d.Path, plural(d.Rows, "row"), d.SHA256))
	}
	kv.add("Seed", known(strings.Join(p.Seeds, ", ")))
	kv.add("Command", known(p.Command))
	if !p.Started.IsZero() {
		kv.add("Started", p.Started.Format(time.RFC3339))
	}
	if p.Duration > 0 {
		kv.add("Duration", p.Duration.Round(time.Millisecond).String())
	}
	kv.add("Cells executed", known(len(p.Cells)))
	kv.add("Workers", known(p.Workers))
	if len(kv.Items) > 0 {
		out = append(out, kv)
	}
	return out
}

// section is a display or an appendix, with the blocks below its heading.
type section struct {
	name   string // heading
	source string // statement whose value is displayed; "" if there is none
	blocks []Block
	inline bool // whether the section is one short value, written as name = value
}

// sections returns all sections of the document in their order.
func (d Document) sections() []section {
	out := lists.Map(d.Displays, Display.section)
	shortenRepeats(out)
	if d.Script != "" {
		out = append(out, section{name: "Script", blocks: []Block{Code{Text: d.Script, Lines: true}}})
	}
	if d.Provenance != nil {
		out = append(out, section{name: "Provenance", blocks: d.Provenance.Blocks()})
	}
	return out
}

// shortenRepeats shortens each note or warning whose text an earlier section contains: it keeps the first sentence and
// adds "(see above)".
func shortenRepeats(all []section) {
	var shown []string
	for _, s := range all {
		for i, b := range s.blocks {
			switch b := b.(type) {
			case Note:
				if text, again := shortened(b.Text, shown); again {
					b.Text = text
					s.blocks[i] = b
				} else {
					shown = append(shown, strings.TrimSuffix(lowered(b.Text), "."))
				}
			case Table:
				b.Notes = lists.Map(b.Notes, func(note string) string { text, _ := shortened(note, shown); return text })
				s.blocks[i] = b
			}
		}
	}
}

// shortened returns note in short form, and true, if shown contains its text. The short form is the first sentence and
// "(see above)". The beginning of a warning, such as "Warning for A: ", is kept, and any text after the repeated part.
// shown has texts that start in lower case. A text of one sentence is not shortened.
func shortened(note string, shown []string) (text string, again bool) {
	head, rest, isWarning := strings.Cut(note, ": ")
	if isWarning = isWarning && strings.HasPrefix(head, "Warning"); !isWarning {
		rest = note
	}
	for _, before := range shown {
		first, _, several := strings.Cut(before, ". ")
		after, same := strings.CutPrefix(lowered(rest), before)
		if !same || !several {
			continue
		}
		if isWarning {
			return head + ": " + first + " (see above)" + after, true
		}
		return upper(first) + " (see above)" + after, true
	}
	return note, false
}

// lowered returns text with its first letter in lower case.
func lowered(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}

func (x Display) section() section {
	s := section{name: x.Name, source: x.Source, blocks: Blocks(x.Value)}
	if s.name == "" {
		s.name, s.source = x.Source, ""
	}
	if len(s.blocks) == 1 {
		switch b := s.blocks[0].(type) {
		case Paragraph:
			s.inline = !b.Lead && len(b.Text) <= 100
		case Code:
			s.inline = !b.Lines && !strings.Contains(b.Text, "\n")
		}
	}
	return s
}

// value returns the value of an inline section, and whether to format it as code.
func (s section) value() (v string, code bool) {
	switch b := s.blocks[0].(type) {
	case Paragraph:
		return b.Text, false
	case Code:
		return b.Text, true
	}
	panic("report: not an inline section")
}

func (d Document) title() string { return cmp.Or(d.Title, "Report") }

// MediaType is the media type under which a bundle contains the value as JSON. It is not application/json, because
// JupyterLab and VS Code would then show the JSON as a tree instead of the HTML. Front ends keep an unknown type in the
// notebook without showing it.
const MediaType = "application/vnd.gonb-cope+json"

// Limits on the size of one display in a notebook. They do not remove information.
const (
	// resolution of the PNG: sharp at the size of the SVG; 200 would double the size of a notebook with figures
	bundleDPI   = 96
	maxBundleJS = 1 << 20 // bytes of the value as JSON; a larger value is omitted
)

// Bundle returns the representations of one display, by media type. A notebook front end, or a converter, chooses one
// of them:
//
//	text/plain, text/html              always
//	text/markdown, text/latex          except for figures
//	image/png (base64)                 for figures, unless the font lacks letters
//	application/vnd.gonb-cope+json     {"schema", "name", "type", "value"} as a decoded
//	                                   JSON value, up to a MiB; see FigureFromJSON
//
// A figure has no Markdown and no LaTeX, because converters prefer text to images and would omit the picture. The SVG
// of a figure is only an image inside the HTML, for three reasons. Front ends do not show SVG in notebooks that are
// not trusted, GitHub shows it in black, and nbconvert needs Inkscape to convert it to LaTeX. For LaTeX, package
// export adds a PDF to executed notebooks. id must be unique in the notebook.
func Bundle(d Display, id string) (map[string]any, error) {
	var plainText strings.Builder
	if err := Text(&plainText, Document{Displays: []Display{{Name: d.Name, Value: d.Value}}}, TextOptions{}); err != nil {
		return nil, err
	}
	page := htmlFragment(d, id)
	if page.err != nil {
		return nil, page.err
	}
	out := map[string]any{
		"text/plain": strings.TrimRight(plainText.String(), "\n"),
		"text/html":  page.b.String(),
	}
	if _, ok := plain(d.Value).(Figure); ok {
		if page.png != nil {
			out["image/png"] = base64.StdEncoding.EncodeToString(page.png)
		}
	} else {
		markdown, err := MarkdownFragment(d)
		if err != nil {
			return nil, err
		}
		out["text/markdown"], out["text/latex"] = markdown, LaTeXFragment(d)
	}
	return out, addJSON(out, d)
}

// addJSON adds the value as plain JSON to a bundle.
func addJSON(out map[string]any, d Display) error {
	var text bytes.Buffer
	j := jsonWriter{w: bufio.NewWriter(&text), limit: maxBundleJS, flat: 1}
	j.value(reflect.ValueOf(object{{"schema", Schema}, {"name", d.Name}, {"type", TypeName(d.Value)}, {"value", writtenValue(d.Value)}}))
	if err := j.finish(); errors.Is(err, errTooLong) {
		return nil
	} else if err != nil {
		return err
	}
	var decoded any
	if err := json.Unmarshal(text.Bytes(), &decoded); err != nil {
		return fmt.Errorf("reading back JSON: %w", err)
	}
	out[MediaType] = decoded
	return nil
}
