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
	Name      string            // name in calls: lower case with underscores
	Synonyms  []string          // names that other tools use, in lower case, for messages and completion
	Types     []Type            // accepted types; none for any type
	Choices   []string          // accepted texts, if Types has Text; none for any text
	elsewhere map[string]string // hints for texts and types of values that belong to other functions
	words     words             // meaning of the texts that are not in Choices; "" if unknown
	Whole     bool              // numbers must be whole
	Range     kernels.Range     // allowed numbers, also for elements of lists that a function checks
	Default   string            // default value as text; "" for a required parameter
	Doc       string            // description for help; starts in lower case and ends without a full stop
	only      string            // for an option, follows Doc: lists the algorithms that have it; "" if all have it
	// for an option: of reports whether an algorithm has it, wordsOnly whether it accepts only texts for it; nil of means every
	// algorithm has it, nil wordsOnly that all also accept numbers
	of, wordsOnly func(algorithms.Entry) bool
}

// About returns the description of a parameter; for an option, it also lists the algorithms that have it.
func (p Param) About() string { return p.Doc + p.only }

// IsFile reports whether the parameter's texts are paths of tables.
func (p Param) IsFile() bool { return p.words == wordsData }

// IsColumn reports whether the parameter's texts are columns of the table data.
func (p Param) IsColumn() bool { return p.words == wordsHeader }

// IsSwitch reports whether a parameter is true or false; the language represents them as 1 and 0. A parameter is a switch if it
// accepts the whole numbers 0 and 1.
func (p Param) IsSwitch() bool { return p.Whole && p.Range == kernels.Range{Min: 0, Max: 1} }

// rule describes the accepted numbers, to follow "it must be".
func (p Param) rule() string {
	if p.IsSwitch() {
		return "true or false"
	}
	return p.Range.String()
}

// initial returns the default value for help.
func (p Param) initial() string {
	if p.IsSwitch() {
		return cmp.Or(map[string]string{"0": "false", "1": "true"}[p.Default], p.Default)
	}
	return p.Default
}

// written returns the parameter for a signature, with its default value.
func (p Param) written() string {
	switch p.Default {
	case "":
		return p.Name
	case unset:
		return p.Name + "="
	}
	return p.Name + "=" + p.initial()
}

// Given returns a phrase for help: the accepted types, the range, and the default or "optional".
func (p Param) Given() string {
	text := cmp.Or(p.wants(), "any value")
	// Describe a switch by its two values, a number by its range.
	if p.Whole && !p.IsSwitch() {
		text = strings.Replace(text, "a number", "a whole number", 1)
	}
	if r := p.Range; !p.IsSwitch() && r != anyNumber && p.accepts(Number) && len(p.Types) > 0 {
		if r.Max == 1<<53 { // the range of whole numbers has no real upper limit
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

// A parameter without types accepts all types.
func (p Param) accepts(t Type) bool { return len(p.Types) == 0 || slices.Contains(p.Types, t) }

// suggestChoice proposes another text for one that the parameter rejects.
func (p Param) suggestChoice(text string) string {
	if hint := p.elsewhere[text]; hint != "" {
		return hint // for example for an algorithm of the other mode
	}
	if hint := foreignWord(text); p.Name == "algorithm" && hint != "" { // names of methods in other tools
		return hint
	}
	// the name of a kernel, written in quotes
	if f := index[text]; f != nil && f.Result == Kernel && (p.accepts(Joint) || p.accepts(Kernel)) {
		return fmt.Sprintf("write arm(%s) without quotes", f.Example)
	}
	for _, choice := range p.Choices { // propose min for "minimize", max for "maximise"
		if len(choice) >= 3 && strings.HasPrefix(strings.ToLower(text), choice) {
			return fmt.Sprintf("did you mean %q?", choice)
		}
	}
	if best := nearest(text, p.Choices); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "" // the message lists the choices
}

// wants describes the accepted values, to follow "it must be". It lists the choices instead of "a text", and true and false for a
// switch.
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

// instead returns the hint for a type of value that users confuse with what the parameter needs; "" for other types.
func (p Param) instead(t Type) string {
	switch {
	case t == Text && p.accepts(Problem):
		return "p = " + longExample + " reads a table"
	case t == Problem && p.accepts(typeOf[campaign.Status]()):
		return "best(p, next=12) proposes what to measure next; start(days, folder) begins a campaign with the protocol days = protocol(p)"
	}
	return ""
}

// meaning returns the hint for a value of the wrong type: the description of the parameter, or else the function's signature.
func (p Param) meaning(fn *Function) string {
	if p.Doc == "" {
		return "write " + fn.Signature()
	}
	return p.Name + ": " + p.About()
}

// hasOption reports whether an algorithm has the parameter's option.
func (p Param) hasOption(e algorithms.Entry) bool { return p.of == nil || p.of(e) }

// takesNumber reports whether an algorithm has the option and accepts a number for it.
func (p Param) takesNumber(e algorithms.Entry) bool {
	return p.hasOption(e) && (p.wordsOnly == nil || !p.wordsOnly(e))
}

// complete sets the accepted types from the Go type of the argument's field, unless the catalogue states them. A pointer type
// marks an optional parameter.
func (p *Param) complete(t reflect.Type) {
	if t.Kind() == reflect.Pointer && t != reflect.TypeFor[*problem.Problem]() {
		t = t.Elem()
	}
	if len(p.Types) > 0 || t == reflect.TypeFor[any]() {
		return
	}
	// A slice accepts a list or a single element; struct types are types of values.
	switch t.Kind() {
	case reflect.Float64:
		p.Types = []Type{Number}
	case reflect.Int, reflect.Uint64:
		p.Types, p.Whole = []Type{Number}, true
	case reflect.Bool: // the default is false
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

// ofGo returns the type of values whose Go type is t. It panics if the language has no such type, which is a mistake in the
// catalogue.
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
	k, ok := kinds.Of[struct{}](t)
	if !ok {
		panic("dsl: package kinds does not list " + t.String())
	}
	return Type(k.Name)
}

// literal returns the default value as a number or a text; nil if there is none, or if Default is a description such as "none".
func (p Param) literal() any {
	if x, err := strconv.ParseFloat(p.Default, 64); err == nil {
		return x
	}
	if text, err := strconv.Unquote(p.Default); err == nil {
		return text
	}
	return nil
}
