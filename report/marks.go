package report

import (
	"fmt"
	"io"
	"strings"
)

// marks holds the format of each kind of text in a markup language. A format is a string for fmt.Sprintf.
type marks struct {
	begin, end              string // around a section
	heading                 string // of a section
	statement               string // the statement of a section; "" means that it is formatted as code
	lead, paragraph         string
	note, warning, footnote string
	value                   string // a short value on a line of its own
	escape                  func(string) string
	source                  func(string) string   // formats source code within a line
	runs                    map[InlineKind]string // of running text; see Inline
}

// markWriter writes a document in a markup language. A medium writes the blocks that are more than text.
type markWriter struct {
	marks
	b       *strings.Builder
	prose   func(Block) // writes a block of prose.go; nil if the medium has none
	figures int         // number of figures so far
	err     error       // error of the first figure that could not be drawn
}

// medium writes the blocks that are more than text, in one markup language.
type medium interface {
	keyValues(KeyValues)
	table(Table)
	figure(f Figure, data Table)
	code(Code)
}

func (p *markWriter) write(s string)                 { p.b.WriteString(s) }
func (p *markWriter) writef(format string, a ...any) { fmt.Fprintf(p.b, format, a...) }

// mark writes words in a format, after escaping them.
func (p *markWriter) mark(format, words string) { p.writef(format, p.escape(words)) }

// to writes the collected text to w. If a figure could not be drawn, it writes nothing and returns that error.
func (p *markWriter) to(w io.Writer) error {
	if p.err != nil {
		return p.err
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// sections writes all sections of a document. A section gets a heading unless it is one short value.
func (p *markWriter) sections(m medium, d Document) {
	for _, s := range d.sections() {
		if s.inline {
			p.body(m, s)
			continue
		}
		p.write(p.begin)
		if s.name != "" {
			p.mark(p.heading, s.name)
		}
		switch {
		case s.source == "":
		case p.statement != "":
			p.mark(p.statement, s.source)
		default:
			m.code(Code{Text: s.source})
		}
		p.body(m, s)
		p.write(p.end)
	}
}

// fragment returns a display without a heading, to be put into a document such as a notebook cell.
func (p *markWriter) fragment(m medium, d Display) (string, error) {
	p.body(m, d.section())
	return strings.TrimSpace(p.b.String()) + "\n", p.err
}

// body writes a section without its heading. A single short value takes one line.
func (p *markWriter) body(m medium, s section) {
	if !s.inline {
		p.blocks(m, s.blocks)
		return
	}
	value, code := s.value()
	if code {
		value = p.source(value)
	} else {
		value = p.escape(value)
	}
	if s.name != "" {
		value = p.source(s.name) + " = " + value
	}
	p.writef(p.value, value)
}

func (p *markWriter) blocks(m medium, blocks []Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case Paragraph:
			format := p.paragraph
			if b.Lead {
				format = p.lead
			}
			p.mark(format, b.Text)
		case Note:
			format := p.note
			if b.Warning {
				format = p.warning
			}
			p.mark(format, b.Text)
		case KeyValues:
			m.keyValues(b)
		case Table:
			m.table(b)
		case Figure:
			p.figures++
			m.figure(b, figureTable(b))
		case Drawn:
			p.figures++
			m.figure(b.Figure, b.Data)
		case Code:
			m.code(b)
		default:
			if p.prose != nil {
				p.prose(b)
			}
		}
	}
}

// footnotes writes the notes below a table. more is the note on omitted rows; "" if none are omitted.
func (p *markWriter) footnotes(more string, notes []string) {
	if more != "" {
		p.mark(p.footnote, more)
	}
	for _, n := range notes {
		p.mark(p.footnote, n)
	}
}
