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

// Completeness reports whether a console can run src. status is "complete"; "incomplete", and then indent is the
// indentation of the next line; or "invalid", if no continuation can correct src. It tests only the syntax, so a complete
// text may contain unknown names or wrong types.
func Completeness(src string) (status, indent string) {
	c, open := front.CompletenessOf(src)
	if c == front.Incomplete {
		indent = strings.Repeat("    ", max(open, 1)) // at least one level, because not only brackets can be unfinished
	}
	return string(c), indent
}

// CellMagic is the first line of a notebook cell that contains a script.
const CellMagic = "%%cope"

// Cell returns the script in a notebook cell; ok is false if the cell is in another language. The first line that is
// neither blank nor a comment must be %%cope, or the comment //gonb:%%cope as in GoNB. In the script, that line is empty,
// so that line numbers do not change. Other text on that line is an error.
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
		case !found || rest != "" && strings.TrimSpace(rest[:1]) != "": // another language, or another magic such as %%copepod
			return "", false, nil
		case rest != "":
			return "", true, fmt.Errorf("line %d: nothing may follow %s, got %q. The script begins in the next line", i+1, CellMagic,
				strings.TrimSpace(rest))
		}
		lines[i] = "" // an empty line, so that line numbers do not change
		return strings.Join(lines, "\n"), true, nil
	}
	return "", false, nil
}

// Paragraph is a section of a script, which becomes one notebook cell.
type Paragraph struct {
	Source  string // the text; if Comment is true, without the slashes
	Comment bool   // whether it has only // whether the text has only // comments; a notebook can show it as Markdown
	Line    int    // number of the first line, from 1
}

// Paragraphs splits a script at blank lines, except inside statements and comments. If the script cannot be parsed, it is
// one paragraph.
func Paragraphs(src string) []Paragraph {
	s := front.NewSource("", src)
	lines := strings.Split(s.Text, "\n")
	whole := make([]bool, len(lines)+2) // whether a line, by its number, continues the line before
	for _, at := range front.Solid(s) {
		first, _ := s.Position(at.From)
		last, _ := s.Position(max(at.From, at.To-1))
		for n := first + 1; n <= last; n++ {
			whole[n] = true // the previous line belongs to the same statement or comment
		}
	}
	var all []Paragraph
	var part []string
	// finish ends the current paragraph before line number next.
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

// paragraph makes a Paragraph from lines; at is the number of the first line. If all lines are comments, it removes the
// slashes and one following blank.
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

// Rewrite returns the script src with other values. Each element NAME=VALUE of set replaces the right-hand side of the
// statement that binds NAME, like Options.Set. VALUE is an expression of the language, such as a number, a "text" or a
// list. The rest of src stays unchanged.
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
	at := 0 // bytes of src that are already copied
	for i, st := range script.statements {
		new := changed[i]
		if new == st {
			continue
		}
		place, text := st.Body(), new.Source.Slice(new.Body())
		if st.Params != nil { // a formula NAME(x, y) = … becomes a binding NAME = VALUE
			place, text = st.Whole(), new.Source.Slice(new.Whole())
		}
		b.WriteString(script.source.Slice(front.Span{From: at, To: place.From}) + text)
		at = place.To
	}
	b.WriteString(script.source.Slice(front.Span{From: at, To: len([]rune(script.source.Text))}))
	return b.String(), nil
}

// replace returns the statements of a script, in which each NAME=VALUE of set replaces the definition of NAME. If a name
// occurs twice, the last one applies. A name that the script does not bind is an error, unless others is true. Messages
// show "--set" as the file of the new statements.
func (s *Script) replace(set []string, others bool) ([]*front.Statement, Errors) {
	statements := slices.Clone(s.statements)
	for _, text := range set {
		// NAME=VALUE has the syntax of a binding, so use the parser.
		source := front.NewSource("--set", text)
		parsed, errs := front.Parse(source)
		if len(errs) > 0 {
			return nil, errs
		}
		if len(parsed) != 1 || parsed[0].Name == "" || parsed[0].Params != nil { // reject anything other than one binding
			whole := front.Span{From: 0, To: len(text)}
			return nil, Errors{source.At(whole, "this does not set a name", "write NAME=VALUE")}
		}
		name := parsed[0].Name
		at := slices.IndexFunc(statements, func(st *front.Statement) bool { return st.Name == name })
		switch {
		case at >= 0:
			statements[at] = parsed[0]
		case !others:
			return nil, Errors{source.At(parsed[0].NameAt, fmt.Sprintf("the script defines no name %s", name), suggest(name, s.Names()))}
		}
	}
	return statements, nil
}

// outline describes the result of fc, fb or a sweep before any run. With it, a check of a later call such as plot or
// speedup can find mistakes that would otherwise show only after hours.
type outline struct {
	names []string // names that the sweep varies, in order; nil for a single result
	// for each swept name, the texts among its values; nil if the values are unknown
	texts [][]string
	mode  string // mode of the results; "" if unknown
}

// outlineCall returns what is known about the result of call c before any run; nil if nothing is known.
func outlineCall(c *call) *outline {
	switch c.fn.Name {
	case engine.ModeFC, engine.ModeFB:
		return &outline{mode: c.fn.Name}
	case "sweep":
		// The call has the swept names; the first argument has the mode.
		o := &outline{}
		if r, ok := c.args[0].Data.(engine.Result); ok {
			o.mode = r.Mode
		} else if of := c.args[0].outline; of != nil { // a result of fc or fb that is not computed yet
			o.mode = of.mode
		}
		for _, a := range c.named {
			o.names, o.texts = append(o.names, a.Name), append(o.texts, texts(a.value))
		}
		return o
	}
	return nil
}

// sweepOutline returns the outline of the sweep that is the value of the argument; nil if unknown. If the sweep has run,
// the outline describes only its finished rows, because an interrupt may have stopped it.
func (a argument) sweepOutline() *outline {
	if s, known := a.Data.(sim.Sweep); known {
		return outlineOf(s)
	}
	if a.Type != Sweep {
		return nil
	}
	return a.outline
}

// outlineOf returns the outline of the rows of a sweep that has run. All rows have the same mode.
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

// sourceOf returns the expression that defines n, and the statement that contains that expression. If n is not a bound
// name, it returns n itself.
func sourceOf(e *evaluator, n ast.Node) (ast.Node, *front.Statement) {
	st := e.st
	for range len(e.scope) + 1 { // a name may be bound to another name, so repeat
		id, ok := n.(*ast.IdentifierNode)
		if !ok || e.scope[id.Value] == nil {
			break
		}
		st = e.scope[id.Value].st
		n = st.Node
	}
	return n, st
}

// evalAgain evaluates an expression of the statement st again, without side effects: it reads no files, makes no runs, and
// drops mistakes. The statement must have no mistakes.
func evalAgain(e *evaluator, n ast.Node, st *front.Statement) value {
	other := &evaluator{ctx: e.ctx, session: e.session, dry: true, scope: e.scope, st: st}
	return other.eval(n)
}

// texts returns the texts among the elements of a list. It returns nil if the list is unknown, and an empty slice if the
// list has no texts.
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

// of returns the texts among the values of the named axis; nil if they are unknown. swept is false if the sweep does not
// vary that name.
func (o *outline) of(name string) (texts []string, swept bool) {
	i := slices.Index(o.names, name)
	if i < 0 {
		return nil, false
	}
	return o.texts[i], true
}
