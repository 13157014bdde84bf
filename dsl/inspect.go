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

// Inspection is a description of a word in three formats. All three are "" if there is nothing to describe.
type Inspection struct{ Text, Markdown, HTML string }

// description returns the blocks that Inspect renders. It describes the first of these that the cursor is at: a text in
// quotes, a part after a dot, a bound name, a function of formulas, a function, the surrounding call. The blocks contain
// only fixed texts, never text of the user.
func description(s *Session, text string, cursor int) []report.Block {
	c := front.CursorAt(text, cursor)
	if c.InText { // an algorithm, or else the function whose argument the text is
		if blocks := algorithmHelp(wordAround(text, c)); blocks != nil {
			return blocks
		}
		return functionHelp(c.Function())
	}
	if c.Owner != "" {
		return partHelp(evalAbove(s, c.Owner, c.Above(text)), c.Word)
	}
	if _, bound := s.scope[c.Word]; bound { // the name's value may not be evaluated yet
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

// partHelp describes a part of a value; nil if the value has no part of that name.
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

// wordAround returns the quoted text around the cursor. c describes the text before the cursor; wordAround reads on to the
// closing quote.
func wordAround(text string, c front.Cursor) string {
	runes := []rune(text)
	end := c.At.To // end of the word at the cursor
	for end < len(runes) && !strings.ContainsRune("'\"`\n", runes[end]) {
		end++
	}
	return string(runes[c.At.From:end])
}

// inspection renders blocks in the three formats.
func inspection(blocks []report.Block) Inspection {
	if blocks == nil { // nil means that there is nothing to describe
		return Inspection{}
	}
	d := report.Display{Value: blocks}
	var text, html strings.Builder
	// The writers cannot fail: they write to memory, and there are no figures.
	_ = report.Text(&text, report.Document{Displays: []report.Display{d}}, report.TextOptions{})
	_ = report.Fragment(&html, d, "cope-help")
	markdown, _ := report.MarkdownFragment(d)
	return Inspection{Text: text.String(), Markdown: markdown, HTML: html.String()}
}

// describe describes a bound name by its definition, its type, and the first sentence of its display. It panics if the
// name is not bound.
func describe(s *Session, name string) []report.Block {
	definition, _ := s.Definition(name)
	v := s.scope[name].value
	blocks := []report.Block{report.Code{Text: definition}, report.Paragraph{Text: fmt.Sprintf("%s is %s.", name, v.Type.a())}}
	// Warn if the value is outdated.
	if len(s.StaleBecause()[name]) > 0 {
		blocks = append(blocks, report.Note{Warning: true, Text: name + " is out of date: a value that it depends on has changed"})
	}
	if lead := leadOf(v); lead != "" {
		blocks = append(blocks, report.Paragraph{Text: lead, Lead: true})
	}
	return blocks
}

// maxLead is the maximum length of a sentence in an inspection.
const maxLead = 300

// leadOf returns the first sentence of a value's display. It returns "" if the value is unknown, or if the sentence is
// longer than maxLead.
func leadOf(v value) string {
	data := v.Data
	if _, list := data.([]value); list {
		data = v.items()
	}
	blocks := report.Blocks(data)
	if len(blocks) == 0 {
		return ""
	}
	p, ok := blocks[0].(report.Paragraph) // do not show tables and figures, which are too large
	if !ok || len(p.Text) > maxLead {
		return ""
	}
	return p.Text
}

// functionHelp describes the named function, with a table of its parameters and other arguments. It returns nil if there
// is no such function.
func functionHelp(name string) []report.Block {
	f := index[name]
	if f == nil {
		return nil
	}
	blocks := []report.Block{report.Code{Text: f.Signature()}, report.Paragraph{Text: sentence.Upper(f.Doc) + "."}}
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

// formulaHelp describes a function of formulas; nil if there is none of that name.
func formulaHelp(name string) []report.Block {
	f, known := lists.First(formula.Functions(), func(f formula.Entry) bool { return f.Name == name })
	if !known {
		return nil
	}
	return []report.Block{report.Code{Text: f.Signature}, report.Paragraph{Text: "In a formula: " + f.Doc + "."}}
}

// algorithmHelp describes an algorithm of either mode; nil if there is none of that name.
func algorithmHelp(name string) []report.Block {
	a, known := lists.First(algorithms.All(), func(a algorithms.Entry) bool { return a.Name == name })
	if !known {
		return nil
	}
	shares, proven := "Agents exchange nothing.", "The answers have no guarantee."
	if a.Shares {
		shares = "Agents exchange counts and means after every round."
	}
	if a.Proven() {
		proven = "The answers have a guarantee."
	}
	own := "The algorithm has none of the options that only some algorithms have."
	if names := ownOptions(a); len(names) > 0 {
		own = "Some options belong to certain algorithms only; this one has " + andList(names) + "."
	}
	return []report.Block{
		report.Code{Text: fmt.Sprintf("%s(…, algorithm=%q)", a.Mode, a.Name)},
		report.Paragraph{Text: sentence.Upper(a.Doc) + "."},
		report.Paragraph{Text: shares + " " + proven},
		report.Paragraph{Text: own},
		report.Paragraph{Text: "From: " + a.Source},
	}
}

// arguments lists the arguments of the function as pairs of name and description.
func (f *Function) arguments() [][2]string {
	// Each description ends with types, range and default.
	list := lists.Map(f.Params, func(p Param) [2]string { return [2]string{p.Name, p.About() + "; " + p.Given()} })
	return append(list, f.otherArguments()...)
}

// otherArguments describes arguments that match no parameter; nil if the function accepts none.
func (f *Function) otherArguments() [][2]string {
	var list [][2]string
	if f.Variadic != "" {
		list = append(list, [2]string{"…", f.Variadic})
	}
	if f.Named != "" {
		list = append(list, [2]string{"name=…", f.Named})
	}
	return list
}
