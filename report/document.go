package report

import (
	"fmt"
	"strings"
	"time"
)

// Document holds what a renderer writes: displays in order, and where they came from.
type Document struct {
	Title      string // "" means "Report"
	Displays   []Display
	Script     string      // source of the whole script, "" for none
	Provenance *Provenance // nil for none
}

// Provenance says how a document came about, well enough to make it again.
// JSON output leaves it out, so that the same script with the same data and
// seed gives the same bytes.
type Provenance struct {
	Version      string // of gonb-cope
	Revision     string // of its source
	Go           string // version of Go it was built with
	Platform     string // operating system and architecture
	Script       string // file name
	ScriptSHA256 string
	Data         []DataFile
	Seed         string // given from outside for all runs; "" means the script's
	Command      string // the command line that makes it again
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

// blocks returns the lines of the provenance that are known.
func (p Provenance) blocks() []Block {
	kv := KeyValues{Caption: "How this was made"}
	add := func(key, value string) {
		if value != "" {
			kv.Items = append(kv.Items, KeyValue{Key: key, Value: value})
		}
	}
	add("gonb-cope", strings.TrimSpace(p.Version+" "+p.Revision))
	add("Built with", strings.TrimSpace(p.Go+" "+p.Platform))
	add("Script", p.Script)
	add("Script SHA-256", p.ScriptSHA256)
	for _, d := range p.Data {
		add("Data", fmt.Sprintf("%s, %s, SHA-256 %s", d.Path, plural(d.Rows, "row"), d.SHA256))
	}
	add("Seed", p.Seed)
	add("Command", p.Command)
	if !p.Started.IsZero() {
		add("Started", p.Started.Format(time.RFC3339))
	}
	if p.Duration > 0 {
		add("Duration", p.Duration.Round(time.Millisecond).String())
	}
	if p.Workers > 0 {
		add("Workers", fmt.Sprint(p.Workers))
	}
	return []Block{kv}
}

// section is a display or an appendix, ready to be rendered under one heading.
type section struct {
	name   string // heading
	source string // the statement it answers, "" for none
	blocks []Block
	inline bool // a single short value, printed as name = value
}

// sections returns all parts of the document in reading order.
func (d Document) sections() []section {
	var out []section
	for _, x := range d.Displays {
		out = append(out, x.section())
	}
	if d.Script != "" {
		out = append(out, section{name: "Script", blocks: []Block{Code{Text: d.Script, Lines: true}}})
	}
	if d.Provenance != nil {
		out = append(out, section{name: "Provenance", blocks: d.Provenance.blocks()})
	}
	return out
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

func (d Document) title() string {
	if d.Title == "" {
		return "Report"
	}
	return d.Title
}
