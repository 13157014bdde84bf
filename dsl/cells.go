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

// Completeness tells a console whether a text can be run as it stands: "complete"; "incomplete",
// with spaces to begin the next line with; or "invalid", when it has a mistake that no further text
// repairs. It looks at form, not at names and types: a complete text may still be wrong.
func Completeness(src string) (status, indent string) {
	c, open := front.CompletenessOf(src)
	if c == front.Incomplete {
		indent = strings.Repeat("    ", max(open, 1)) // one step, too, where something else than a bracket is missing
	}
	return string(c), indent
}

// CellMagic begins a notebook cell that holds a script.
const CellMagic = "%%cope"

// Cell returns the script in a notebook cell, every line where it stands in the cell, or false when
// the cell is of another language. The first line that is neither blank nor a comment decides; as
// for GoNB, it may be written as the comment //gonb:%%cope. It is an error when something follows
// %%cope in its line.
func Cell(code string) (script string, ok bool, err error) {
	lines := strings.Split(strings.TrimPrefix(code, "\ufeff"), "\n")
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if rest, found := strings.CutPrefix(text, "//gonb:"); found {
			text = strings.TrimSpace(rest) // such as //gonb:%%cope: the text decides like any other
		} else if text == "" || strings.HasPrefix(text, "//") {
			continue
		}
		rest, found := strings.CutPrefix(text, CellMagic)
		switch {
		case !found || rest != "" && strings.TrimSpace(rest[:1]) != "": // code of another language, or a magic such as %%copepod
			return "", false, nil
		case rest != "":
			return "", true, fmt.Errorf("line %d: %s takes nothing after it, got %q: the script begins in the next line", i+1, CellMagic,
				strings.TrimSpace(rest))
		}
		lines[i] = "" // emptied and not removed, so that lines keep their numbers
		return strings.Join(lines, "\n"), true, nil
	}
	return "", false, nil
}

// Paragraph is a part of a script that makes a notebook cell.
type Paragraph struct {
	Source  string // the text; of a comment without the slashes
	Comment bool   // it has nothing but // comments, so it can be read as Markdown
	Line    int    // where it begins, from 1
}

// Paragraphs cuts a script at blank lines, but not inside a statement or comment. A
// text that cannot be read is one paragraph.
func Paragraphs(src string) []Paragraph {
	s := front.NewSource("", src)
	lines := strings.Split(s.Text, "\n")
	whole := make([]bool, len(lines)+2) // by number of the line: it goes on from the line before
	for _, at := range front.Solid(s) {
		first, _ := s.Position(at.From)
		last, _ := s.Position(max(at.From, at.To-1))
		for n := first + 1; n <= last; n++ {
			whole[n] = true // the line before belongs to the same statement or comment
		}
	}
	var all []Paragraph
	var part []string
	// finish ends the paragraph that the lines so far make; next is the number of the line after it.
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

// paragraph makes a paragraph of its lines, the first of them number at. One blank after the slashes goes with them.
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

// Rewrite returns a script with other values: each NAME=VALUE replaces the right
// side of the statement that binds NAME, as Options.Set does. VALUE is an expression
// of the language: a number, a "text" in quotes, a list. All else stays as written.
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
	at := 0 // up to here the text is written
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

// replace returns the statements of a script, those whose names are set with what
// they are set to. A name that the script does not bind is an error unless others
// are allowed.
// Where a name is set twice, the last value counts. The new statements have a text of their own, for messages.
func (s *Script) replace(set []string, others bool) ([]*front.Statement, Errors) {
	statements := slices.Clone(s.statements)
	for _, text := range set {
		// NAME=VALUE has the form of a binding, so the parser of scripts reads it.
		source := front.NewSource("--set", text)
		parsed, errs := front.Parse(source)
		if len(errs) > 0 {
			return nil, errs
		}
		if len(parsed) != 1 || parsed[0].Name == "" || parsed[0].Params != nil { // an expression, several statements or a formula
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

// outline holds what the text of fc, fb or a sweep says of its value before anything runs.
// A check asks it where a later call, such as plot or speedup, would refuse the value after hours of runs.
type outline struct {
	names []string // swept names, in their order; nil of a result
	// the texts among the values of each name; nil where the values are not known yet
	texts [][]string
	mode  string // of the result, or of the one that is swept; "" where that is not known
}

// outlined returns what the value of a call will have, nil where nothing is known of it.
func outlined(c *call) *outline {
	switch c.fn.Name {
	// The mode is known by the name of the function.
	case engine.ModeFC, engine.ModeFB:
		return &outline{mode: c.fn.Name}
	case "sweep":
		// The names are known as written; the mode by the result, or by what the result will be.
		o := &outline{}
		if r, ok := c.args[0].Data.(engine.Result); ok {
			o.mode = r.Mode
		} else if of := c.args[0].outline; of != nil { // of a result that fc or fb will give
			o.mode = of.mode
		}
		for _, a := range c.named {
			o.names, o.texts = append(o.names, a.Name), append(o.texts, texts(a.value))
		}
		return o
	}
	return nil
}

// sweepOutline returns what a sweep will have: from its value where there is one; nil where that is not known.
// A sweep that is known may have been interrupted, so what it has counts and not what it was to have.
func (a argument) sweepOutline() *outline {
	if s, known := a.Data.(sim.Sweep); known {
		return outlineOf(s)
	}
	if a.Type != Sweep {
		return nil
	}
	return a.outline
}

// outlineOf returns the outline of a sweep that has run, whole or in part.
// The mode is the last row's, as all rows have the same.
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

// sourceOf returns the expression that an expression stands for, and its statement.
// A name that is not bound stands for itself.
func sourceOf(e *evaluator, n ast.Node) (ast.Node, *front.Statement) {
	st := e.st
	for range len(e.scope) + 1 { // a name may stand for a name
		id, ok := n.(*ast.IdentifierNode)
		if !ok || e.scope[id.Value] == nil {
			break
		}
		st = e.scope[id.Value].st
		n = st.Node
	}
	return n, st
}

// evalAgain evaluates an expression of a statement that was evaluated without mistakes,
// and leaves no trace of it.
// Nothing is read or run, and mistakes go nowhere.
func evalAgain(e *evaluator, n ast.Node, st *front.Statement) value {
	other := &evaluator{ctx: e.ctx, session: e.session, dry: true, scope: e.scope, st: st}
	return other.eval(n)
}

// texts returns the texts in a list; nil where the list is not known.
// A known list without texts gives an empty slice, which is not nil.
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

// of returns the texts among the values of a swept name: false when it is not swept,
// nil when they are not known.
func (o *outline) of(name string) (texts []string, swept bool) {
	i := slices.Index(o.names, name)
	if i < 0 {
		return nil, false
	}
	return o.texts[i], true
}
