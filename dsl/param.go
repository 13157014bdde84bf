package dsl

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Param describes a parameter.
type Param struct {
	Name      string            // as calls write it, in lower case with underscores
	Synonyms  []string          // words of other tools for it, in lower case; messages and completion know them
	Types     []Type            // accepted types; none for any
	Choices   []string          // accepted texts, where Types has Text; none for any text
	elsewhere map[string]string // texts and types of values that other functions take, with the hint to these
	words     words             // what other texts name, "" for nothing that is known
	Whole     bool              // numbers must be whole
	Range     kernels.Range     // of numbers, and of the elements of a list that a function checks
	Default   string            // as text; "" for a parameter that must be given
	Doc       string            // for help; begins in lower case and ends without a full stop
	only      string            // of an option, after Doc: which algorithms have it, where not all do
	// of an option of algorithms: which of them have it, and which of these take no number for it; nil
	// where all do, and where none refuses one
	of, wordsOnly func(algorithms.Entry) bool
}

// About says what a parameter is, and of an option which algorithms have it.
func (p Param) About() string { return p.Doc + p.only }

// IsFile reports whether the texts of a parameter name a table to read.
func (p Param) IsFile() bool { return p.words == wordsData }

// IsColumn reports whether the texts of a parameter name columns of the table data.
func (p Param) IsColumn() bool { return p.words == wordsHeader }

// IsSwitch reports whether a parameter is true or false, which the language counts as 1 and 0.
// A switch is told by its range: whole numbers from 0 to 1 are nothing else in the language.
func (p Param) IsSwitch() bool { return p.Whole && p.Range == kernels.Range{Min: 0, Max: 1} }

// rule says which numbers a parameter accepts, as it reads after "it must be".
func (p Param) rule() string {
	if p.IsSwitch() {
		return "true or false"
	}
	return p.Range.String()
}

// initial returns the default of a parameter as help shows it.
func (p Param) initial() string {
	if p.IsSwitch() {
		return cmp.Or(map[string]string{"0": "false", "1": "true"}[p.Default], p.Default)
	}
	return p.Default
}

// written returns how an argument is given, with its default.
func (p Param) written() string {
	switch p.Default {
	case "":
		return p.Name
	case unset:
		return p.Name + "="
	}
	return p.Name + "=" + p.initial()
}

// Given says what a parameter accepts and what it is when not given.
// It is a part of a sentence for help: types, range, and default or "optional".
func (p Param) Given() string {
	text := cmp.Or(p.wants(), "any value")
	// A switch is described by its two values, and a number by its range if it has one.
	if p.Whole && !p.IsSwitch() {
		text = strings.Replace(text, "a number", "a whole number", 1)
	}
	if r := p.Range; !p.IsSwitch() && r != anyNumber && p.accepts(Number) && len(p.Types) > 0 {
		if r.Max == 1<<53 { // the largest whole number
			r.Max = math.Inf(1)
		}
		text += ", " + strings.TrimSuffix(r.String(), " and finite")
	}
	switch p.Default {
	case "":
		return text
	case unset:
		return text + ", optional"
	}
	return text + ", default " + p.initial()
}

// A parameter without types accepts all.
func (p Param) accepts(t Type) bool { return len(p.Types) == 0 || slices.Contains(p.Types, t) }

// suggestChoice proposes a text for one that the parameter does not take.
func (p Param) suggestChoice(text string) string {
	if hint := p.elsewhere[text]; hint != "" {
		return hint // such as what an algorithm of the other mode needs
	}
	if hint := foreignWord(text); p.Name == "algorithm" && hint != "" { // names of methods of other tools
		return hint
	}
	if f := index[text]; f != nil && f.Result == Kernel && (p.accepts(Joint) || p.accepts(Kernel)) { // a kernel in quotes
		return fmt.Sprintf("write arm(%s) without quotes", f.Example)
	}
	for _, choice := range p.Choices { // "minimize" is "min", "maximise" is "max"
		if len(choice) >= 3 && strings.HasPrefix(strings.ToLower(text), choice) {
			return fmt.Sprintf("did you mean %q?", choice)
		}
	}
	if best := nearest(text, p.Choices); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "" // the message lists them
}

// wants says what a parameter accepts, as it reads after "it must be".
// The choices stand for the type of texts, and true and false for the type of numbers of a switch.
func (p Param) wants() string {
	var words []string
	for _, t := range p.Types {
		if t == Text && len(p.Choices) > 0 {
			words = append(words, lists.Map(p.Choices, func(choice string) string { return fmt.Sprintf("%q", choice) })...)
			continue
		}
		if t == Number && p.IsSwitch() {
			words = append(words, "true", "false")
			continue
		}
		words = append(words, t.a())
	}
	return orList(words)
}

// instead returns the hint for a value of a type that a person takes for what the parameter needs; "" for others.
func (p Param) instead(t Type) string {
	switch {
	case t == Text && p.accepts(Problem):
		return "p = " + longExample + " reads a table"
	case t == Problem && p.accepts(typeOf[campaign.Status]()):
		return "best(p, next=12) says what to measure next; a campaign begins with start(protocol(p), folder)"
	}
	return ""
}

// meaning returns the hint for a value of the wrong type: what the parameter is for says more than
// a long signature does.
func (p Param) meaning(fn *Function) string {
	if p.Doc == "" {
		return "write " + fn.Signature()
	}
	return p.Name + ": " + p.About()
}

// had reports whether an algorithm has the option that the parameter is.
func (p Param) had(e algorithms.Entry) bool { return p.of == nil || p.of(e) }

// takesNumber reports whether an algorithm has the option and takes a number for it.
func (p Param) takesNumber(e algorithms.Entry) bool {
	return p.had(e) && (p.wordsOnly == nil || !p.wordsOnly(e))
}

// complete takes from the Go type of an argument what a parameter does not say.
// What the catalogue states is left as it is. A pointer says that the parameter may be left out, and has the type it
// points to.
func (p *Param) complete(t reflect.Type) {
	if t.Kind() == reflect.Pointer && t != reflect.TypeFor[*problem.Problem]() {
		t = t.Elem()
	}
	if len(p.Types) > 0 || t == reflect.TypeFor[any]() {
		return
	}
	// Slices are lists or their single element; other types are kinds of values.
	switch t.Kind() {
	case reflect.Float64:
		p.Types = []Type{Number}
	case reflect.Int, reflect.Uint64:
		p.Types, p.Whole = []Type{Number}, true
	case reflect.Bool: // false where it is not given
		p.Types, p.Whole, p.Range = []Type{Number}, true, kernels.Range{Min: 0, Max: 1}
		p.Default = cmp.Or(p.Default, "0")
	case reflect.String:
		p.Types = []Type{Text}
	case reflect.Slice:
		p.Types = []Type{Text, List}
		if t.Elem().Kind() == reflect.Float64 {
			p.Types = []Type{Number, List}
		}
	default:
		p.Types = []Type{ofGo(t)}
	}
}

// ofGo returns the type of values that are a t in Go.
// It panics for a type that the language does not have: that is a mistake in the catalogue.
func ofGo(t reflect.Type) Type {
	switch t {
	case reflect.TypeFor[*problem.Problem]():
		return Problem
	case reflect.TypeFor[kernels.Joint]():
		return Joint
	case reflect.TypeFor[kernels.Kernel]():
		return Kernel
	case reflect.TypeFor[engine.Result]():
		return Result
	}
	// All other types are listed in package kinds.
	k, ok := kinds.Of[struct{}](t)
	if !ok {
		panic("dsl: package kinds does not list " + t.String())
	}
	return Type(k.Name)
}

// literal returns the default of a parameter, nil where it has none or is described in words.
// A number stands as it is, a text in quotes. A default such as "none" gives nil.
func (p Param) literal() any {
	if x, err := strconv.ParseFloat(p.Default, 64); err == nil {
		return x
	}
	if text, err := strconv.Unquote(p.Default); err == nil {
		return text
	}
	return nil
}
