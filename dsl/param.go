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

// Param describes a parameter of a function.
type Param struct {
	Name      string            // name in calls: lower case with underscores
	Synonyms  []string          // names of this parameter in other tools, in lower case, for messages and completion
	Types     []Type            // accepted types; nil accepts every type
	Choices   []string          // accepted texts, if Types has Text; nil accepts every text
	elsewhere map[string]string // hints for values of other functions, by text or by name of the type
	words     words             // what a text outside Choices means; "" if unknown
	Whole     bool              // numbers must be whole
	Range     kernels.Range     // allowed numbers; for lists, a function's check applies it to the elements
	Default   string            // text of the default value; "" if the parameter is required
	Doc       string            // description for help; starts in lower case and ends without a full stop
	only      string            // for an option: text after Doc that lists the algorithms with this option; "" if all have it
	// For an option, of reports whether an algorithm has it; nil means that every algorithm has it. wordsOnly reports
	// whether an algorithm accepts only texts for it; nil means that numbers are accepted too.
	of, wordsOnly func(algorithms.Entry) bool
}

// About returns the parameter's description, followed by the algorithms that have the option, if not all have it.
func (p Param) About() string { return p.Doc + p.only }

// IsFile reports whether the parameter's texts are paths of tables.
func (p Param) IsFile() bool { return p.words == wordsData }

// IsColumn reports whether the parameter's texts are columns of the table data.
func (p Param) IsColumn() bool { return p.words == wordsHeader }

// IsSwitch reports whether the parameter is a boolean. The language represents true and false as 1 and 0, so a switch
// accepts the whole numbers 0 and 1.
func (p Param) IsSwitch() bool { return p.Whole && p.Range == kernels.Range{Min: 0, Max: 1} }

// rule describes the numbers allowed instead of x in a phrase that follows "it must be". A limit of the arithmetic is named only if x
// exceeds it.
func (p Param) rule(x float64) string {
	if p.IsSwitch() {
		return "true or false"
	}
	r := p.Range
	text := r.String()
	if x < r.Max && r.Max > 1e6 && !math.IsInf(r.Max, 1) {
		r.Max = math.Inf(1)
		text = strings.TrimSuffix(r.String(), " and finite")
	}
	if p.Range == kernels.InsideUnit && p.Default != "" && p.Default != unset {
		text += ", such as " + p.Default
	}
	return text
}

// initial returns the default value as help shows it.
func (p Param) initial() string {
	if p.IsSwitch() {
		return cmp.Or(map[string]string{"0": "false", "1": "true"}[p.Default], p.Default)
	}
	return p.Default
}

// written returns the parameter as a signature shows it, with its default value.
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
	// For a switch, name its two values; for a number, its range.
	if p.Whole && !p.IsSwitch() {
		text = strings.Replace(text, "a number", "a whole number", 1)
	}
	if r := p.Range; !p.IsSwitch() && r != anyNumber && p.accepts(Number) && len(p.Types) > 0 {
		if r.Max == 1<<53 { // 1<<53 means that there is no upper limit
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

// accepts reports whether the parameter accepts values of type t. A parameter without types accepts every type.
func (p Param) accepts(t Type) bool { return len(p.Types) == 0 || slices.Contains(p.Types, t) }

// suggestChoice returns a hint for a text that the parameter rejects; "" if there is no better text.
func (p Param) suggestChoice(text string) string {
	if hint := p.elsewhere[text]; hint != "" {
		return hint // for example, the algorithm belongs to the other mode
	}
	if hint := foreignWord(text); p.Name == "algorithm" && hint != "" { // for example, the name of a method in another tool
		return hint
	}
	// The text is the name of a kernel, which needs no quotes.
	if f := index[text]; f != nil && f.Result == Kernel && (p.accepts(Joint) || p.accepts(Kernel)) {
		return fmt.Sprintf("write arm(%s) without quotes", f.Example)
	}
	for _, choice := range p.Choices { // suggest min for "minimize" and max for "maximise"
		if len(choice) >= 3 && strings.HasPrefix(strings.ToLower(text), choice) {
			return fmt.Sprintf("did you mean %q?", choice)
		}
	}
	if best := lists.Nearest(text, p.Choices); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "" // the error message lists the choices
}

// wants describes the accepted values in a phrase that follows "it must be". It lists Choices if there are any, and the
// words true and false for a switch.
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

// instead returns a hint for a value of type t, if users often give that type by mistake; "" for other types.
func (p Param) instead(t Type) string {
	switch {
	case t == Text && p.accepts(Problem):
		return "p = " + longExample + " reads a table"
	case t == Problem && p.accepts(typeOf[campaign.Status]()):
		return "best(p, next=12) proposes what to measure next; start(days, folder) begins a campaign with the protocol days = protocol(p)"
	}
	return ""
}

// meaning returns a hint for a value of the wrong type: the parameter's description, or else the signature of fn.
func (p Param) meaning(fn *Function) string {
	if p.Doc == "" {
		return "write " + fn.Signature()
	}
	return p.Name + ": " + p.About()
}

// hasOption reports whether algorithm e has the parameter's option.
func (p Param) hasOption(e algorithms.Entry) bool { return p.of == nil || p.of(e) }

// takesNumber reports whether algorithm e has the option and accepts a number for it.
func (p Param) takesNumber(e algorithms.Entry) bool {
	return p.hasOption(e) && (p.wordsOnly == nil || !p.wordsOnly(e))
}

// complete sets Types from the Go type t of the argument's struct field, unless the catalogue sets Types. A pointer type
// makes the parameter optional.
func (p *Param) complete(t reflect.Type) {
	if t.Kind() == reflect.Pointer && t != reflect.TypeFor[*problem.Problem]() {
		t = t.Elem()
	}
	if len(p.Types) > 0 || t == reflect.TypeFor[any]() {
		return
	}
	// A slice accepts a list or one element. A struct is a value such as a problem.
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

// ofGo returns the language's type for the Go type t. It panics if there is none, which is a mistake in the catalogue.
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

// literal returns the default value as a float64 or a string. It returns nil if there is no default, or if Default is a
// description such as "none".
func (p Param) literal() any {
	if x, err := strconv.ParseFloat(p.Default, 64); err == nil {
		return x
	}
	if text, err := strconv.Unquote(p.Default); err == nil {
		return text
	}
	return nil
}
