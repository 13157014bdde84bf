package dsl

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report"
)

// Completion is a word that fits at the cursor.
type Completion struct {
	Text      string         // replaces the word at the cursor
	Type      CompletionType // how a front end marks it
	Signature string         // how a function is called; what a parameter accepts; what a name is
}

// CompletionType names the kind of a proposed word.
type CompletionType string

// The types of completions.
const (
	CompletesFunction CompletionType = "function"
	CompletesKeyword  CompletionType = "keyword"  // a parameter, with its =
	CompletesInstance CompletionType = "instance" // a name that a script bound
	CompletesChoice   CompletionType = "choice"   // a text that a parameter accepts
	// a column, task or arm of a problem that is bound
	CompletesColumn CompletionType = "column"
	CompletesPath   CompletionType = "path"     // a file, or a folder with its /
	CompletesPart   CompletionType = "property" // a part of a value, after a point
)

// CompleteItems proposes words for the place of the cursor in a text that may be
// unfinished. In a call these are the parameters that are not given yet, then names,
// then functions; inside quotes, what the parameter takes: choices, columns, tasks
// and arms of the problems bound, files below Options.Folder. The words replace the
// runes from, …, to-1. The cursor counts runes.
// It runs nothing, and reads no more than folders and headers of tables.
func (s *Session) CompleteItems(text string, cursor int) (from, to int, items []Completion) {
	c := front.CursorAt(text, cursor)
	prefix := string([]rune(text)[c.At.From:min(max(cursor, c.At.From), c.At.To)]) // of the word, what stands before the cursor
	p := proposals{prefix: prefix, seen: map[string]bool{}}
	switch {
	case c.InText && c.Owner != "": // owner["…: the name of a row
		completeRow(&p, worth(s, c.Owner, c.Above(text)))
	case c.InText:
		p.header = func() []string { return headerIn(s, text, cursor) }
		completeText(s, &p, c)
	case c.Owner != "":
		v := worth(s, c.Owner, c.Above(text))
		for _, name := range v.partNames() {
			p.add(CompletesPart, name, unknownPart(v.goType(), name).Type.a())
		}
	default:
		completeName(s, &p, c)
	}
	return c.At.From, c.At.To, p.items
}

// Inspect describes what the cursor is on: an algorithm inside quotes, a name that
// is bound, a function; or else the function whose call is around it. The cursor
// counts runes.
func (s *Session) Inspect(text string, cursor int) Inspection {
	return inspection(description(s, text, cursor))
}

// proposals collects the words that begin with a prefix, each once.
type proposals struct {
	prefix string          // the word up to the cursor
	header func() []string // columns of the file that a problem is read from, inside quotes
	seen   map[string]bool // words that are proposed: a name and a function that are spelled alike appear once
	items  []Completion    // in the order of their kinds
}

// add proposes a word that begins with the prefix. The first of several types stays.
func (p *proposals) add(t CompletionType, word, signature string) {
	if strings.HasPrefix(word, p.prefix) && !p.seen[word] {
		p.seen[word] = true
		p.items = append(p.items, Completion{word, t, signature})
	}
}

// addAll proposes words of one type. Braces of a column are doubled, as they stand in a text.
func (p *proposals) addAll(t CompletionType, words []string, signature string) {
	for _, word := range words {
		if t == CompletesColumn { // of a file, which may have braces
			word = doubled.Replace(word)
		}
		p.add(t, word, signature)
	}
}

// doubled writes braces as they stand in a text.
var doubled = strings.NewReplacer("{", "{{", "}", "}}")

// worthTime is how long completion looks at what stands above the cursor.
const worthTime = 200 * time.Millisecond

// worth returns what an expression is worth where the statements above it are not evaluated yet, as far
// as that is known without running anything.
// Mistakes are of no interest, and a statement with one leaves what is known.
func worth(s *Session, src, above string) value {
	parsed, errs := front.Parse(front.NewSource("", src))
	if len(errs) > 0 || len(parsed) != 1 {
		return unknown(anything)
	}
	// Long scripts are looked at as far as the time allows.
	ctx, cancel := context.WithTimeout(context.Background(), worthTime)
	defer cancel()
	e := &evaluator{ctx: ctx, session: &Session{opt: s.opt, scope: s.scope}, dry: true, scope: maps.Clone(s.scope)}
	statements, _ := front.Parse(front.NewSource("", above))
	for _, st := range statements {
		if ctx.Err() == nil && !taken(st.Name) { // a statement that binds a name of the language is passed over
			e.statement(st)
		}
	}
	// The owner is evaluated last, in the scope that the lines above have made.
	e.st = parsed[0]
	return e.eval(parsed[0].Node)
}

// completeRow proposes the names by which elements of a list are chosen; of another value its parts.
func completeRow(p *proposals, v value) {
	if v.Type != List {
		p.addAll(CompletesPart, v.partNames(), "")
		return
	}
	part := keyOf(v)
	list, _ := v.Data.([]value)
	for _, element := range list {
		if name, ok := report.PartOf(element.Data, part); ok {
			p.addAll(CompletesColumn, []string{fmt.Sprint(name)}, part)
		}
	}
}

// completeName proposes what may stand outside quotes.
// The order is the order of the proposals: parameters, names, constants, functions.
func completeName(s *Session, p *proposals, c front.Cursor) {
	// Arguments by number fill the parameters from the left, so those are not proposed.
	if fn := s.scope.function(c.Function()); fn != nil && c.Argument == "" && !c.Formula {
		given := lists.Keyed(c.Given, func(_ int, name string) (string, bool) { return name, true })
		for i, param := range fn.Params {
			if i >= c.Position && !given[param.Name] {
				p.add(CompletesKeyword, param.Name+"=", param.Given())
			}
		}
		if fn.Named != "" {
			sweepable(s, c.First, func(name string, param *Param) { // c.First is the result that is swept
				if !given[name] {
					p.add(CompletesKeyword, name+"=", "a list of values to try")
				}
			})
		}
	}
	for _, name := range s.Names() {
		p.add(CompletesInstance, name, s.scope[name].value.Type.a())
	}
	p.addAll(CompletesInstance, c.Names, "bound above")
	p.addAll(CompletesInstance, slices.Sorted(maps.Keys(constants)), Number.a())
	if c.Formula {
		for _, f := range formula.Functions() {
			p.add(CompletesFunction, f.Name, f.Signature)
		}
		return
	}
	for i := range functions {
		// a signature takes longer than the rest
		if strings.HasPrefix(functions[i].Name, p.prefix) {
			p.add(CompletesFunction, functions[i].Name, functions[i].Signature())
		}
	}
}

// sweepable lists what a sweep of a result may vary: the names that it depends on, without a
// parameter, and the parameters of the calls below it.
// tell is called for a name more than once where several calls have a parameter of that name.
func sweepable(s *Session, result string, tell func(name string, p *Param)) {
	// Whatever the result rests on: numbers, texts, kernels and problems by name, and parameters of calls.
	for _, name := range s.scope.below(result) {
		b := s.scope[name]
		if name != result && (b.value.Type == Number || b.value.Type == Text || b.value.Type.isKernel() || b.value.Type == Problem) {
			tell(name, nil)
		}
		if b.st.Params != nil { // calls in a formula have vectors for arguments
			continue
		}
		for _, n := range s.scope.callsIn(b.st.Node) {
			for i, p := range n.fn.Params {
				if p.accepts(Number) || p.accepts(Text) || p.accepts(Joint) {
					tell(p.Name, &n.fn.Params[i])
				}
			}
		}
	}
}

// completeText proposes what may stand inside quotes.
// It goes by the parameter that the cursor is in: the named one, else the one at its position.
func completeText(s *Session, p *proposals, c front.Cursor) {
	if c.Formula { // x["x_1"]
		p.addAll(CompletesColumn, columnsIn(s, ""), "")
		return
	}
	fn := index[c.Function()] // formulas with parameters take no texts
	if fn == nil {
		return
	}
	at := fn.param(c.Argument)
	if c.Argument == "" && c.Position < len(fn.Params) {
		at = c.Position
	}
	switch {
	case at >= 0:
		completeParam(s, p, c, fn.Params[at])
	case fn.Named != "":
		sweepable(s, c.First, func(name string, param *Param) {
			if name == c.Argument && param != nil {
				completeParam(s, p, c, *param)
			}
		})
	}
}

// completeParam proposes the texts that a parameter takes.
// Choices come first, then what is found in problems, tables and folders.
func completeParam(s *Session, p *proposals, c front.Cursor, param Param) {
	for _, choice := range param.Choices {
		p.add(CompletesChoice, choice, algorithmDoc(choice))
	}
	switch param.words {
	// Columns of problems that are bound, and inside problem(…) the columns of the table that it reads.
	case wordsColumns:
		p.addAll(CompletesColumn, columnsIn(s, space(c.Calls)), "")
		if slices.Contains(c.Calls, "problem") {
			p.addAll(CompletesColumn, ofSpace(p.header(), space(c.Calls)), "")
		}
	case wordsPoints:
		p.addAll(CompletesColumn, pointsIn(s, space(c.Calls)), "")
	case wordsTasks:
		p.addAll(CompletesColumn, tasksIn(s, c.First), "")
	case wordsData:
		p.addAll(CompletesPath, filesIn(s, p.prefix, dataEndings), "")
	case wordsHeader:
		p.addAll(CompletesColumn, p.header(), "")
	case wordsOutput:
		p.addAll(CompletesPath, filesIn(s, p.prefix, nil), "")
	case wordsStore:
		p.addAll(CompletesPath, filesIn(s, p.prefix, []string{storeEnding}), "")
	case wordsX, wordsY, wordsSwept:
		xs, ys := axesIn(s, c.First)
		if slices.Contains(c.Given, "posterior") { // the axes of such a figure do not follow from the value
			xs, ys = report.PosteriorX(), nil
		}
		if param.words != wordsY { // a panel and an x are swept names or axes
			ys = xs
		}
		p.addAll(CompletesChoice, ys, "")
	}
}

// algorithmDoc describes an algorithm in a line; "" where no algorithm has the name.
func algorithmDoc(name string) string {
	a, _ := lists.First(algorithms.All(), func(a algorithms.Entry) bool { return a.Name == name })
	return a.Doc
}
