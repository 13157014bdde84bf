package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/report"
)

// Inspection describes something in the representations that a front end may choose
// from. All are empty when there is nothing to say.
type Inspection struct{ Text, Markdown, HTML string } // the same description three times

// description returns the blocks that Inspect renders. It is one of finitely many: the text chooses
// one, and none of its words enter.
// The order of the questions: inside quotes, after a point, a bound name, a function of formulas, a function, its call.
func description(s *Session, text string, cursor int) []report.Block {
	c := front.CursorAt(text, cursor)
	if c.InText { // an algorithm, or the function that the text is an argument of
		if blocks := algorithmHelp(wordAround(text, c)); blocks != nil {
			return blocks
		}
		return functionHelp(c.Function())
	}
	if c.Owner != "" {
		return partHelp(worth(s, c.Owner, c.Above(text)), c.Word)
	}
	if _, bound := s.scope[c.Word]; bound { // names that only stand above the cursor are not bound yet
		return describe(s, c.Word)
	}
	if c.Formula {
		if blocks := formulaHelp(c.Word); blocks != nil {
			return blocks
		}
	}
	for _, name := range []string{c.Word, c.Function()} {
		if blocks := functionHelp(name); blocks != nil {
			return blocks
		}
	}
	return nil
}

// partHelp describes a part of the value before a point; nil when it has none of that name.
func partHelp(v value, name string) []report.Block {
	if !slices.Contains(v.partNames(), name) {
		return nil
	}
	of := v.Type.a()
	if v.Type == List {
		of = "every element of a list"
	}
	return []report.Block{report.Code{Text: "." + name},
		report.Paragraph{Text: fmt.Sprintf("A part of %s: %s. docs/reference/results.schema.json lists the parts of all values.", of,
			unknownPart(v.goType(), name).Type.a())}}
}

// wordAround returns what stands between the quotes around the cursor.
// The word of the cursor ends at the cursor, so the rest up to the closing quote is read here.
func wordAround(text string, c front.Cursor) string {
	runes := []rune(text)
	end := c.At.To // of the word, which is the cursor
	for end < len(runes) && !strings.ContainsRune("'\"`\n", runes[end]) {
		end++
	}
	return string(runes[c.At.From:end])
}

// inspection renders a description.
func inspection(blocks []report.Block) Inspection {
	if blocks == nil { // nothing to say is no mistake
		return Inspection{}
	}
	d := report.Display{Value: blocks}
	var text, html strings.Builder
	// Writing to memory cannot fail, and a description has no figures.
	_ = report.Text(&text, report.Document{Displays: []report.Display{d}}, report.TextOptions{})
	_ = report.Fragment(&html, d, "cope-help")
	markdown, _ := report.MarkdownFragment(d)
	return Inspection{Text: text.String(), Markdown: markdown, HTML: html.String()}
}

// describe describes a bound name: its definition, what it is, and the first sentence that it
// would display.
// The name must be bound.
func describe(s *Session, name string) []report.Block {
	definition, _ := s.Definition(name)
	v := s.scope[name].value
	blocks := []report.Block{report.Code{Text: definition}, report.Paragraph{Text: fmt.Sprintf("%s is %s.", name, v.Type.a())}}
	// A stale value is shown as it is, with a warning.
	if len(s.StaleBecause()[name]) > 0 {
		blocks = append(blocks, report.Note{Warning: true, Text: name + " is stale: it was computed from a value that was bound again since"})
	}
	if lead := leadOf(v); lead != "" {
		blocks = append(blocks, report.Paragraph{Text: lead, Lead: true})
	}
	return blocks
}

// maxLead is the length of the longest value that an inspection shows.
const maxLead = 300

// leadOf returns the sentence with which the display of a value begins, "" where that is its
// definition again, or a list too long to be one.
// The value may be one that is not known: then nothing is displayed of it.
func leadOf(v value) string {
	data := v.Data
	if _, list := data.([]value); list {
		data = v.items()
	}
	blocks := report.Blocks(data)
	if len(blocks) == 0 {
		return ""
	}
	p, ok := blocks[0].(report.Paragraph) // tables and figures are too large for a hint
	if !ok || len(p.Text) > maxLead {
		return ""
	}
	return p.Text
}

// functionHelp describes a function; nil when no function has the name.
// Parameters stand in a table, with what the function takes besides them at its end.
func functionHelp(name string) []report.Block {
	f := index[name]
	if f == nil {
		return nil
	}
	blocks := []report.Block{report.Code{Text: f.Signature()}, report.Paragraph{Text: sentence.Upper(f.Doc) + "."}}
	// Kernels have a formula and a source.
	if f.Formula != "" {
		blocks = append(blocks, report.Code{Text: "k(x, y) = " + f.Formula})
	}
	if f.Reference != "" {
		blocks = append(blocks, report.Paragraph{Text: "From: " + f.Reference})
	}
	parameters := report.Table{Caption: "Parameters",
		Columns: []report.Column{{Name: "parameter", Title: "Parameter"}, {Name: "meaning", Title: "Meaning and values"}},
		Rows:    lists.Map(f.arguments(), func(a [2]string) []any { return []any{a[0], a[1]} })}
	if len(parameters.Rows) > 0 {
		blocks = append(blocks, parameters)
	}
	return append(blocks, report.Paragraph{Text: "Gives " + f.Result.a() + ". Example:"}, report.Code{Text: f.Example})
}

// formulaHelp describes a function of formulas; nil when none has the name.
func formulaHelp(name string) []report.Block {
	f, known := lists.First(formula.Functions(), func(f formula.Entry) bool { return f.Name == name })
	if !known {
		return nil
	}
	return []report.Block{report.Code{Text: f.Signature}, report.Paragraph{Text: "In a formula: " + f.Doc + "."}}
}

// algorithmHelp describes an algorithm; nil when none has the name.
// It is for the cursor on a name of an algorithm, so both modes are searched.
func algorithmHelp(name string) []report.Block {
	a, known := lists.First(algorithms.All(), func(a algorithms.Entry) bool { return a.Name == name })
	if !known {
		return nil
	}
	// Three facts that the catalogue of algorithms has, as sentences.
	shares, proven := "Agents exchange nothing.", "Its answers carry no guarantee."
	if a.Shares {
		shares = "Agents exchange counts and means after every round."
	}
	if a.Proven() {
		proven = "Its answers carry a guarantee."
	}
	own := "It has none of the options that only some algorithms have."
	if names := ownOptions(a); len(names) > 0 {
		own = "Of the options that only some algorithms have, it has " + andList(names) + "."
	}
	return []report.Block{
		report.Code{Text: fmt.Sprintf("%s(…, algorithm=%q)", a.Mode, a.Name)},
		report.Paragraph{Text: sentence.Upper(a.Doc) + "."},
		report.Paragraph{Text: shares + " " + proven},
		report.Paragraph{Text: own},
		report.Paragraph{Text: "From: " + a.Source},
	}
}

// arguments lists what the function takes, as pairs of name and description.
func (f *Function) arguments() [][2]string {
	// Each description ends with types, range and default.
	list := lists.Map(f.Params, func(p Param) [2]string { return [2]string{p.Name, p.About() + "; " + p.Given()} })
	return append(list, f.further()...)
}

// further lists what the function takes besides its parameters.
// It is nil for a function that takes its parameters alone.
func (f *Function) further() [][2]string {
	var list [][2]string
	if f.Variadic != "" {
		list = append(list, [2]string{"…", f.Variadic})
	}
	if f.Named != "" {
		list = append(list, [2]string{"name=…", f.Named})
	}
	return list
}
