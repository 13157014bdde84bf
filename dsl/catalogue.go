package dsl

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Function describes a function of the language. The checker, help, completion
// and the documentation all read the same table, see Functions.
type Function struct {
	Name      string   // as scripts call it; unique in the catalogue
	Synonyms  []string // names other libraries use; messages suggest Name for them
	Section   Section  // where help and documentation list it
	Doc       string   // one line
	Formula   string   // of a kernel: k(x, y)
	Reference string   // of a kernel: where it is from
	Params    []Param  // in the order of positional arguments
	Variadic  string   // what the further positional arguments are, "" for none
	Named     string   // what further named arguments are, "" for none
	Result    Type     // of every call; anything where it follows from the argument
	Example   string   // a call; a test checks it where r and b are results, s a sweep and f a fit

	args   reflect.Type // the struct of its arguments, nil where it has none; see bound
	fields []field      // of that struct

	pure  bool                     // computed while a script is checked; the others only when it runs
	each  bool                     // goes through a list: the value has the type of the first argument, and Result is of a number
	eval  func(*call) (any, error) // makes the value of a call that passed all checks; for what it may return, see call.finish
	check func(*call)              // reports arguments that do not fit together, before it runs and when; may be nil
	early func(*call)              // reports before an impure call runs what it would refuse after a long time; may be nil
}

// Section groups functions in help and documentation.
// The text is the heading of the section.
type Section string

// The sections, in the order of the documentation.
const (
	SectionKernels  Section = "Kernels"
	SectionSpaces   Section = "Spaces"
	SectionProblems Section = "Problems and theory"
	SectionRuns     Section = "Runs"
	SectionCampaign Section = "Campaigns"
	SectionOutput   Section = "Output"
	SectionNumbers  Section = "Numbers"
)

// Functions returns the catalogue, section by section.
// The elements share their parameters with the catalogue and must not be changed.
func Functions() []Function { return slices.Clone(functions) }

// functions is the catalogue, and index finds a function in it by name. Both are
// set once; an init function because calls refer back to the catalogue.
var (
	functions []Function
	index     = map[string]*Function{}
)

func init() {
	functions = slices.Concat(kernelFunctions(), spaceFunctions(), engineFunctions(), fittingFunctions(), analysisFunctions(),
		explainFunctions(), campaignFunctions(), outputFunctions(), numberFunctions())
	for i := range functions {
		index[functions[i].Name] = &functions[i]
	}
}

// Signature prints how the function is called.
// Parameters with a default show it, and parameters without a value end in their equals sign.
func (f *Function) Signature() string {
	parts := lists.Map(f.Params, Param.written)
	if f.Variadic != "" {
		parts = append(parts, "…")
	}
	if f.Named != "" {
		parts = append(parts, "name=…")
	}
	return f.Name + "(" + strings.Join(parts, ", ") + ")"
}

// suggestParam proposes a parameter of the function, or of problem, which the function has as its first one; else what
// says the same as a word of other tools.
func (f *Function) suggestParam(word string) string {
	if meant, hint := f.meant(word); meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	} else if hint != "" {
		return hint
	}
	if problem := index["problem"]; f != problem && len(f.Params) > 0 && slices.Contains(f.Params[0].Types, Problem) &&
		problem.param(word) >= 0 {
		return fmt.Sprintf("the problem has it: write problem(..., %s=)", word)
	}
	return "write " + f.Signature()
}

// meant returns the parameter that a word stands for, by its synonyms or its spelling, or what says the same as a word of
// other tools.
func (f *Function) meant(word string) (param, hint string) {
	var known []string
	for _, p := range f.Params { // words of other tools, in lower case
		if slices.Contains(p.Synonyms, strings.ToLower(word)) {
			return p.Name, ""
		}
		known = append(known, p.Name)
	}
	if hint := foreignWord(word); hint != "" {
		return "", hint
	}
	return nearest(word, known), ""
}

// Meant returns the parameter of a function that a word of a person stands for, "" for none, or a hint, which says what
// is written here in place of a word of other tools.
// The function must be one of the catalogue.
func Meant(function, word string) (param, hint string) { return index[function].meant(word) }

// unset is the Default of a parameter that may be left out and has no value then.
// Signatures show such a parameter with an equals sign and no value.
const unset = "none"

// param returns the index of a parameter, or -1.
func (f *Function) param(name string) int {
	return slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == name })
}

// kernelFunctions returns the rows of the kernel catalogue as functions.
// What a kernel allows is in package kernels; its errors are shown under the argument by call.culprit.
func kernelFunctions() []Function {
	all := lists.Map(kernels.Catalogue(), func(e kernels.Entry) Function {
		return Function{
			Name: e.Name, Synonyms: e.Synonyms, Section: SectionKernels, Doc: e.Doc,
			Formula: e.Formula, Reference: e.Reference, Result: Kernel, Example: e.Example, pure: true,
			eval: func(c *call) (any, error) { return builtKernel(c, e) },
			Params: lists.Map(e.Params, func(p kernels.Param) Param {
				// The kind says which types the language takes; numbers are checked by the kernel itself.
				kind := kernelKinds[p.Kind]
				return Param{
					Name: p.Name, Synonyms: p.Synonyms, Types: kind.types, Default: p.Default,
					// Build checks ranges: the kernels say what they allow
					words: kind.words, Range: anyNumber, Doc: p.Doc + kernelRange(p) + kind.doc,
				}
			}),
		}
	})
	return append(all, freeFunction())
}

// kernelRange says which numbers a kernel's parameter may have.
func kernelRange(p kernels.Param) string {
	switch p.Kind {
	case kernels.NumberKind, kernels.ListKind:
		return ", " + p.Range.String()
	case kernels.IntegerKind:
		return ", whole and " + p.Range.String()
	case kernels.ChoiceKind:
		words := lists.Map(p.Choices, formatNumber)
		return ", " + orList(words)
	}
	return ""
}

// kernelKinds says of a kind of parameter of kernels from which types it can be made, what its texts name, and what its
// description adds.
// It has every kind of package kernels: a kind that is missing here would accept arguments of every type.
var kernelKinds = map[kernels.Kind]struct {
	types []Type // accepted types
	words words  // for completion; a text for data is read as a file
	doc   string // appended to the description of the parameter
}{
	kernels.NumberKind:  {types: []Type{Number, Free}},
	kernels.IntegerKind: {types: []Type{Number}},
	kernels.ChoiceKind:  {types: []Type{Number}},
	kernels.ListKind:    {types: []Type{Number, List, Free}},
	kernels.ColumnsKind: {types: []Type{List, Text, Number}, words: wordsColumns},
	kernels.NamesKind:   {types: []Type{List}, words: wordsPoints},
	kernels.MatrixKind: {types: []Type{List, Text}, words: wordsData, doc: "; or the CSV file that holds them, relative to the script: a " +
		"square table of numbers, with or without a header and a first column of names"},
}

// spaceFunctions returns the functions that say which space a kernel compares.
// Other kernels become joint ones by evaluator.lift, where they mean the same in both spaces.
func spaceFunctions() []Function {
	// Function name takes a kernel of two tasks or two arms; lift makes the joint kernel of it, and cannot fail.
	space := func(name, doc, of, example string, lift func(kernels.Kernel) kernels.Joint) Function {
		return bound(Function{
			Name: name, Section: SectionSpaces, Doc: doc, Params: []Param{{Name: "k", Doc: of}}, Result: Joint, Example: example, pure: true,
		}, nil, func(_ *call, a struct{ K kernels.Kernel }) (any, error) { return lift(a.K), nil })
	}
	return []Function{
		space("task", "a joint kernel that compares tasks by their features z_*", "kernel of two tasks", "task(rbf(lengthscale=0.7))",
			kernels.LiftTask),
		space("arm", "a joint kernel that compares arms by their features x_*", "kernel of two arms", "arm(linear())", kernels.LiftArm),
	}
}
