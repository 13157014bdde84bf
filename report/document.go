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

// Document is the input of a renderer: displays in order, and their origin.
type Document struct {
	Title      string // "" means "Report"
	Displays   []Display
	Script     string      // source of the whole script, "" for none
	Provenance *Provenance // nil for none
}

// Provenance states how a document came about, well enough to make it again.
// JSON output leaves it out, so that the same script with the same data and
// seed gives the same bytes.
type Provenance struct {
	Version      string // version of gonb-cope
	Revision     string // revision of the source code
	Go           string // version of the Go compiler
	Platform     string // operating system and architecture
	Script       string // file name
	ScriptSHA256 string
	Data         []DataFile
	Seed         string // seed that the caller set for all runs; "" means the seeds in the script
	Command      string // command line that produces the document again
	Started      time.Time
	Duration     time.Duration
	Workers      int
}

// DataFile is a file that was read.
type DataFile struct {
	Path   string
	SHA256 string
	Rows   int
}

// blocks returns the provenance as blocks, without unknown values.
func (p Provenance) blocks() []Block {
	kv := KeyValues{Caption: "How this was made"}
	kv.add("gonb-cope", known(strings.TrimSpace(p.Version+" "+p.Revision)))
	kv.add("Built with", known(strings.TrimSpace(p.Go+" "+p.Platform)))
	kv.add("Script", known(p.Script))
	kv.add("Script SHA-256", known(p.ScriptSHA256))
	for _, d := range p.Data {
		kv.add("Data", fmt.Sprintf("%s, %s, SHA-256 %s", d.Path, plural(d.Rows, "row"), d.SHA256))
	}
	kv.add("Seed", known(p.Seed))
	kv.add("Command", known(p.Command))
	if !p.Started.IsZero() {
		kv.add("Started", p.Started.Format(time.RFC3339))
	}
	if p.Duration > 0 {
		kv.add("Duration", p.Duration.Round(time.Millisecond).String())
	}
	kv.add("Workers", known(p.Workers))
	return []Block{kv}
}

// section is a display or an appendix, ready to be rendered under one heading.
type section struct {
	name   string // heading
	source string // statement that produced the value; "" for none
	blocks []Block
	inline bool // a single short value, printed as name = value
}

// sections returns all parts of the document in reading order.
func (d Document) sections() []section {
	out := lists.Map(d.Displays, Display.section)
	shortenRepeats(out)
	if d.Script != "" {
		out = append(out, section{name: "Script", blocks: []Block{Code{Text: d.Script, Lines: true}}})
	}
	if d.Provenance != nil {
		out = append(out, section{name: "Provenance", blocks: d.Provenance.blocks()})
	}
	return out
}

// shortenRepeats cuts a note or warning that an earlier section shows in full to its first sentence, and refers to it.
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

// shortened replaces a note whose text was shown before by its first sentence and a reference. Text after the repeated part, such as
// the results concerned, is kept.
func shortened(note string, shown []string) (text string, again bool) {
	rest, isWarning := strings.CutPrefix(note, "Warning: ")
	for _, before := range shown {
		first, _, several := strings.Cut(before, ". ")
		after, same := strings.CutPrefix(lowered(rest), before)
		if !same || !several {
			continue
		}
		if isWarning {
			return "Warning: " + first + " (see above)" + after, true
		}
		return upper(first) + " (see above)" + after, true
	}
	return note, false
}

// lowered returns a text with a small first letter.
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

// value returns the one value of an inline section, and whether it is code.
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

// MediaType is the media type under which a bundle has the value itself. It is a
// type of our own because front ends rank types: JupyterLab and VS Code would show
// application/json, as a tree, in preference to the HTML. A type that they do not
// know they keep in the notebook and do not show.
const MediaType = "application/vnd.gonb-cope+json"

// Bounds on the size of one display in a notebook; the reader loses nothing.
const (
	// of the PNG: sharp at the size of the SVG; 200 would double a notebook of figures
	bundleDPI   = 96
	maxBundleJS = 1 << 20 // bytes of the value as JSON; a larger one is left out: save it to a file
)

// Bundle returns one display in the representations that a notebook front end and its converters
// choose from, by media type:
//
//	text/plain, text/html              always
//	text/markdown, text/latex          of all but figures
//	image/png (base64)                 of figures, unless it would lack letters
//	application/vnd.gonb-cope+json     {"schema", "name", "type", "value"} as a decoded
//	                                   JSON value, up to a MiB; see FigureFromJSON
//
// A figure has no Markdown and no LaTeX, because converters prefer text to images and would leave
// the drawing out. Its SVG is an image inside the HTML and not a representation: front ends that do
// not trust a notebook would not show it, GitHub would show it in black, and nbconvert would need
// Inkscape to turn it into LaTeX. Package export adds a PDF for that
// to executed notebooks. The id must be unique in the notebook.
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

// addJSON adds the value as plain JSON.
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
