package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Completeness reports whether a console can run a text. status is "complete"; "incomplete", with the indentation of the next
// line; or "invalid", if no further text can repair it. Only the syntax is tested, so a complete text may still have wrong names
// or types.
func Completeness(src string) (status, indent string) {
	c, open := front.CompletenessOf(src)
	if c == front.Incomplete {
		indent = strings.Repeat("    ", max(open, 1)) // indent at least once, even if something other than a closing bracket is missing
	}
	return string(c), indent
}

// CellMagic is the first line of a notebook cell that holds a script.
const CellMagic = "%%cope"

// Cell returns the script of a notebook cell, with unchanged line numbers; false if the cell is in another language. It looks at
// the first line that is neither blank nor a comment. As in GoNB, that line may be the comment //gonb:%%cope. Other text in the
// line of %%cope is an error.
func Cell(code string) (script string, ok bool, err error) {
	lines := strings.Split(strings.TrimPrefix(code, "\ufeff"), "\n")
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if rest, found := strings.CutPrefix(text, "//gonb:"); found {
			text = strings.TrimSpace(rest) // such as //gonb:%%cope
		} else if text == "" || strings.HasPrefix(text, "//") {
			continue
		}
		rest, found := strings.CutPrefix(text, CellMagic)
		switch {
		case !found || rest != "" && strings.TrimSpace(rest[:1]) != "": // another language, or a magic such as %%copepod
			return "", false, nil
		case rest != "":
			return "", true, fmt.Errorf("line %d: nothing may follow %s, got %q. The script begins in the next line", i+1, CellMagic,
				strings.TrimSpace(rest))
		}
		lines[i] = "" // keeps the line numbers
		return strings.Join(lines, "\n"), true, nil
	}
	return "", false, nil
}

// Paragraph is a part of a script that becomes one notebook cell.
type Paragraph struct {
	Source  string // its text; without the slashes if it is a comment
	Comment bool   // whether it has only // comments, so that it can be shown as Markdown
	Line    int    // first line, from 1
}

// Paragraphs splits a script at blank lines outside statements and comments. A text that cannot be parsed is one paragraph.
func Paragraphs(src string) []Paragraph {
	s := front.NewSource("", src)
	lines := strings.Split(s.Text, "\n")
	whole := make([]bool, len(lines)+2) // by line number: whether the line continues the previous one
	for _, at := range front.Solid(s) {
		first, _ := s.Position(at.From)
		last, _ := s.Position(max(at.From, at.To-1))
		for n := first + 1; n <= last; n++ {
			whole[n] = true // the previous line belongs to the same statement or comment
		}
	}
	var all []Paragraph
	var part []string
	// finish ends the current paragraph; next is the number of the line after the paragraph.
	finish := func(next int) {
		if len(part) > 0 {
			all = append(all, paragraph(part, next-len(part)))
		}
		part = nil
	}
	for i, line := range lines {
		if strings.TrimSpace(line) == "" && !whole[i+1] {
			finish(i + 1)
			continue
		}
		part = append(part, strings.TrimRight(line, "\r"))
	}
	finish(len(lines) + 1)
	return all
}

// paragraph makes a paragraph of the given lines, the first of which has number at. In comments it removes the slashes and one
// blank.
func paragraph(lines []string, at int) Paragraph {
	p := Paragraph{Comment: true, Line: at}
	text := make([]string, len(lines))
	for i, line := range lines {
		comment, found := strings.CutPrefix(strings.TrimSpace(line), "//")
		p.Comment = p.Comment && found
		text[i] = strings.TrimPrefix(comment, " ")
	}
	if !p.Comment {
		text = lines
	}
	p.Source = strings.Join(text, "\n")
	return p
}

// Rewrite returns a script with changed values. Each NAME=VALUE replaces the right-hand side of the statement that binds NAME,
// like Options.Set. VALUE is an expression of the language: a number, a "text" in quotes, a list. Other text stays unchanged.
func Rewrite(src string, set []string) (string, error) {
	script, errs := Parse("script", src)
	if len(errs) > 0 {
		return "", errs
	}
	changed, errs := script.replace(set, false)
	if len(errs) > 0 {
		return "", errs
	}
	var b strings.Builder
	at := 0 // src is copied up to this byte
	for i, st := range script.statements {
		new := changed[i]
		if new == st {
			continue
		}
		place, text := st.Body(), new.Source.Slice(new.Body())
		if st.Params != nil { // a formula becomes a plain binding
			place, text = st.Whole(), new.Source.Slice(new.Whole())
		}
		b.WriteString(script.source.Slice(front.Span{From: at, To: place.From}) + text)
		at = place.To
	}
	b.WriteString(script.source.Slice(front.Span{From: at, To: len([]rune(script.source.Text))}))
	return b.String(), nil
}

// replace returns the statements of a script with overrides applied. The last override of a name has priority. A name that the
// script does not bind is an error, unless others is true. The source of the new statements is "--set".
func (s *Script) replace(set []string, others bool) ([]*front.Statement, Errors) {
	statements := slices.Clone(s.statements)
	for _, text := range set {
		// NAME=VALUE is a binding, so the parser reads it.
		source := front.NewSource("--set", text)
		parsed, errs := front.Parse(source)
		if len(errs) > 0 {
			return nil, errs
		}
		if len(parsed) != 1 || parsed[0].Name == "" || parsed[0].Params != nil { // reject an expression, several statements, and a formula
			whole := front.Span{From: 0, To: len(text)}
			return nil, Errors{source.At(whole, "this does not set a name", "write NAME=VALUE")}
		}
		name := parsed[0].Name
		at := slices.IndexFunc(statements, func(st *front.Statement) bool { return st.Name == name })
		switch {
		case at >= 0:
			statements[at] = parsed[0]
		case !others:
			return nil, Errors{source.At(parsed[0].NameAt, fmt.Sprintf("the script binds no name %s", name), suggest(name, s.Names()))}
		}
	}
	return statements, nil
}

// outline describes the value of fc, fb or a sweep before anything runs. From it a check finds mistakes in a later call, such as
// plot or speedup, before hours of runs.
type outline struct {
	names []string // swept names, in order; nil for a single result
	// the texts among the values of each swept name; nil if the values are unknown
	texts [][]string
	mode  string // mode of the result, or of the swept result; "" if unknown
}

// outlineCall returns the outline of a call's value; nil if nothing is known.
func outlineCall(c *call) *outline {
	switch c.fn.Name {
	case engine.ModeFC, engine.ModeFB:
		return &outline{mode: c.fn.Name}
	case "sweep":
		// The call contains the swept names. The mode follows from the result or its outline.
		o := &outline{}
		if r, ok := c.args[0].Data.(engine.Result); ok {
			o.mode = r.Mode
		} else if of := c.args[0].outline; of != nil { // the result of an fc or fb that has not run yet
			o.mode = of.mode
		}
		for _, a := range c.named {
			o.names, o.texts = append(o.names, a.Name), append(o.texts, texts(a.value))
		}
		return o
	}
	return nil
}

// sweepOutline returns the outline of a sweep; nil if unknown. For a sweep that has run, it describes the rows that exist, since
// the sweep may have been interrupted.
func (a argument) sweepOutline() *outline {
	if s, known := a.Data.(sim.Sweep); known {
		return outlineOf(s)
	}
	if a.Type != Sweep {
		return nil
	}
	return a.outline
}

// outlineOf returns the outline of a sweep that has run, completely or in part. All rows have the same mode.
func outlineOf(s sim.Sweep) *outline {
	o := &outline{names: s.Names, texts: make([][]string, len(s.Names))}
	for _, row := range s.Rows {
		o.mode = row.Result.Mode
		for j, x := range row.Values {
			if name, ok := x.(string); ok {
				o.texts[j] = lists.Add(o.texts[j], name)
			}
		}
	}
	return o
}

// sourceOf follows a bound name to the expression that defines it, and returns that expression with its statement. An unbound
// name is returned unchanged.
func sourceOf(e *evaluator, n ast.Node) (ast.Node, *front.Statement) {
	st := e.st
	for range len(e.scope) + 1 { // a name may be bound to another name
		id, ok := n.(*ast.IdentifierNode)
		if !ok || e.scope[id.Value] == nil {
			break
		}
		st = e.scope[id.Value].st
		n = st.Node
	}
	return n, st
}

// evalAgain evaluates an expression of a statement again; the statement has no mistakes. There are no side effects: it reads and
// runs nothing, and drops mistakes.
func evalAgain(e *evaluator, n ast.Node, st *front.Statement) value {
	other := &evaluator{ctx: e.ctx, session: e.session, dry: true, scope: e.scope, st: st}
	return other.eval(n)
}

// texts returns the texts in a list; nil if the list is unknown, and an empty slice if a known list has none.
func texts(v value) []string {
	list, known := v.Data.([]value)
	if !known {
		return nil
	}
	found := []string{}
	for _, e := range list {
		if text, ok := e.Data.(string); ok {
			found = append(found, text)
		}
	}
	return found
}

// of returns the texts among the values of a swept name; nil if they are unknown. swept is false if the name is not swept.
func (o *outline) of(name string) (texts []string, swept bool) {
	i := slices.Index(o.names, name)
	if i < 0 {
		return nil, false
	}
	return o.texts[i], true
}
