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
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report"
)

// Completion is a word that may be inserted at the cursor.
type Completion struct {
	Text      string         // replaces the word at the cursor
	Type      CompletionType // kind of word; a front end may show it as an icon
	Signature string         // a function's signature, a parameter's accepted values, or the type of a name
}

// CompletionType names the kind of a proposed word.
type CompletionType string

// The types of completions.
const (
	CompletesFunction CompletionType = "function"
	CompletesKeyword  CompletionType = "keyword"  // a parameter, with "=" after its name
	CompletesInstance CompletionType = "instance" // a name bound by a script
	CompletesChoice   CompletionType = "choice"   // a text that a parameter accepts
	// a column, a task or an arm of a bound problem
	CompletesColumn CompletionType = "column"
	CompletesPath   CompletionType = "path"     // a file, or a folder including its /
	CompletesPart   CompletionType = "property" // a part of a value, after a dot
)

// CompleteItems proposes words for the cursor position in text, which may be an unfinished script. cursor counts runes.
// Each proposal replaces the runes from … to-1. Inside a call it proposes parameters not yet given, then bound names, then
// functions. Inside quotes it proposes the texts that the parameter accepts: choices, names from bound problems (columns,
// tasks, arms), or files below Options.Folder. It makes no runs, and reads only folders and the headers of tables.
func (s *Session) CompleteItems(text string, cursor int) (from, to int, items []Completion) {
	c := front.CursorAt(text, cursor)
	prefix := string([]rune(text)[c.At.From:min(max(cursor, c.At.From), c.At.To)]) // the part of the word before the cursor
	p := proposals{prefix: prefix, seen: map[string]bool{}}
	switch {
	case c.InText && c.Owner != "": // in owner["…, the text is the name of a row
		completeRow(&p, evalAbove(s, c.Owner, c.Above(text)))
	case c.InText:
		p.header = func() []string { return headerIn(s, text, cursor) }
		completeText(s, &p, c)
	case c.Owner != "":
		v := evalAbove(s, c.Owner, c.Above(text))
		for _, name := range v.partNames() {
			p.add(CompletesPart, name, unknownPart(v.goType(), name).Type.a())
		}
	default:
		completeName(s, &p, c)
	}
	return c.At.From, c.At.To, p.items
}

// Inspect describes the word at the cursor; cursor counts runes. The word may be an algorithm in quotes, a bound name or a
// function. Otherwise Inspect describes the function whose call surrounds the cursor.
func (s *Session) Inspect(text string, cursor int) Inspection {
	return inspection(description(s, text, cursor))
}

// proposals collects distinct words that begin with prefix.
type proposals struct {
	prefix string          // the part of the word before the cursor
	header func() []string // returns the columns of the table that the surrounding call of problem reads
	seen   map[string]bool // words proposed so far; a name and a function may have the same spelling
	items  []Completion    // proposed words, ordered by kind
}

// add proposes a word if it begins with the prefix. If the word was already proposed, add ignores it.
func (p *proposals) add(t CompletionType, word, signature string) {
	if strings.HasPrefix(word, p.prefix) && !p.seen[word] {
		p.seen[word] = true
		p.items = append(p.items, Completion{word, t, signature})
	}
}

// addAll proposes words of one type. It doubles the braces in column names, because a single brace has a meaning in a text
// of the language.
func (p *proposals) addAll(t CompletionType, words []string, signature string) {
	for _, word := range words {
		if t == CompletesColumn { // column names from a file may contain braces
			word = doubled.Replace(word)
		}
		p.add(t, word, signature)
	}
}

// doubled replaces each brace in a text by two.
var doubled = strings.NewReplacer("{", "{{", "}", "}}")

// completionTime limits the time that completion spends to evaluate the lines above the cursor.
const completionTime = 200 * time.Millisecond

// evalAbove evaluates the expression src without making runs, as far as that is possible. It first evaluates the lines of
// above, and ignores their mistakes.
func evalAbove(s *Session, src, above string) value {
	parsed, errs := front.Parse(front.NewSource("", src))
	if len(errs) > 0 || len(parsed) != 1 {
		return unknown(anything)
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	e := &evaluator{ctx: ctx, session: &Session{opt: s.opt, scope: s.scope}, dry: true, scope: maps.Clone(s.scope)}
	statements, _ := front.Parse(front.NewSource("", above))
	for _, st := range statements {
		if ctx.Err() == nil && !isReserved(st.Name) { // skip a statement that binds a reserved name
			e.statement(st)
		}
	}
	// Evaluate src in the scope of the lines above.
	e.st = parsed[0]
	return e.eval(parsed[0].Node)
}

// completeRow proposes the names of a list's elements, or the names of another value's parts.
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

// completeName proposes words outside quotes, in this order: parameters, bound names, constants, functions.
func completeName(s *Session, p *proposals, c front.Cursor) {
	// Do not propose parameters whose values the positional arguments give.
	if fn := s.scope.function(c.Function()); fn != nil && c.Argument == "" && !c.Formula {
		given := lists.Keyed(c.Given, func(_ int, name string) (string, bool) { return name, true })
		for i, param := range fn.Params {
			if i >= c.Position && !given[param.Name] {
				p.add(CompletesKeyword, param.Name+"=", param.Given())
			}
		}
		if fn.Named != "" {
			visitSweepable(s, c.First, func(name string, param *Param) { // c.First is the first argument of sweep or compare
				if !given[name] {
					about := "a list of values to try"
					if s.scope[c.First].value.Type == Problem && name != "algorithm" { // compare(p, …) passes its other arguments to fc or fb
						about = param.Given()
					}
					p.add(CompletesKeyword, name+"=", about)
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
		// Test the prefix first, because building a signature takes longest.
		if strings.HasPrefix(functions[i].Name, p.prefix) {
			p.add(CompletesFunction, functions[i].Name, functions[i].Signature())
		}
	}
}

// visitSweepable calls the given function for each name that a sweep of result can vary. These are the bound names
// that the result depends on, with a nil parameter, and the parameters of the calls that it depends on. A name is
// visited several times if several calls have such a parameter. If result is a problem, the parameters of fc and fb
// are visited.
func visitSweepable(s *Session, result string, tell func(name string, p *Param)) {
	if b := s.scope[result]; b != nil && b.value.Type == Problem {
		for _, mode := range []string{engine.ModeFC, engine.ModeFB} {
			for i := range index[mode].Params[1:] { // skip the first parameter, which is the problem
				tell(index[mode].Params[i+1].Name, &index[mode].Params[i+1])
			}
		}
		return
	}
	// Bound names with a number, a text, a kernel or a problem, and the arguments of calls.
	for _, name := range s.scope.below(result) {
		b := s.scope[name]
		if name != result && (b.value.Type == Number || b.value.Type == Text || b.value.Type.isKernel() || b.value.Type == Problem) {
			tell(name, nil)
		}
		if b.st.Params != nil { // a sweep cannot vary arguments of calls inside a formula, which are vectors
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

// completeText proposes texts for the parameter whose argument contains the cursor, given by name or by position.
func completeText(s *Session, p *proposals, c front.Cursor) {
	if c.Formula { // the body of a formula, as in x["x_1"]
		p.addAll(CompletesColumn, columnsIn(s, ""), "")
		return
	}
	fn := index[c.Function()] // nil for a formula with parameters, which accepts no texts
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
		visitSweepable(s, c.First, func(name string, param *Param) {
			if name == c.Argument && param != nil {
				completeParam(s, p, c, *param)
			}
		})
	}
}

// completeParam proposes the texts that a parameter accepts: first its choices, then names from problems, tables or
// folders.
func completeParam(s *Session, p *proposals, c front.Cursor, param Param) {
	for _, choice := range param.Choices {
		p.add(CompletesChoice, choice, algorithmDoc(choice))
	}
	switch param.words {
	// Inside problem(…), propose columns of the table; elsewhere, columns of bound problems.
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
		if param.words != wordsY { // panel and x take swept names or axes
			ys = xs
		}
		p.addAll(CompletesChoice, ys, "")
	}
}

// algorithmDoc returns the one-line description of the named algorithm; "" if there is no such algorithm.
func algorithmDoc(name string) string {
	a, _ := lists.First(algorithms.All(), func(a algorithms.Entry) bool { return a.Name == name })
	return a.Doc
}
