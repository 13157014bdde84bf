package dsl

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Function describes a function of the language. Checks, help, completion and documentation all read this table, see Functions.
type Function struct {
	Name      string   // as scripts call it; unique in the catalogue
	Synonyms  []string // names other libraries use; messages suggest Name for them
	Section   Section  // where help and documentation list it
	Doc       string   // one line
	Formula   string   // for a kernel: k(x, y)
	Reference string   // for a kernel: its source
	Params    []Param  // in the order of positional arguments
	Variadic  string   // describes further positional arguments; "" if there are none
	Named     string   // describes further named arguments; "" if there are none
	Result    Type     // result of every call; anything if it depends on the argument
	Example   string   // a call; a test checks it with results r and b, a sweep s and a fit f

	args   reflect.Type // struct of the arguments, nil if there is none; see makeFunction
	fields []field      // fields of that struct

	pure  bool                     // evaluated during a check; other functions only when the script runs
	each  bool                     // applies to each element of a list; the value has the type of the first argument
	eval  func(*call) (any, error) // computes the value of a call that passed all checks; see call.finish for its results
	check func(*call)              // reports conflicting arguments, in the check and before the call; may be nil
	early func(*call)              // reports, before an impure call runs, what it would reject after a long time; may be nil
}

// Section groups functions in help and documentation. The text is its heading.
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

// Functions returns the catalogue, section by section. Its parameters are shared and must not be changed.
func Functions() []Function { return slices.Clone(functions) }

// functions is the catalogue; index finds a function by name. An init function sets both, since calls refer back to the catalogue.
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

// Signature returns the function's signature. Optional parameters show their default, or only an equals sign.
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

// suggestParam proposes a parameter of the function; or one of problem, if the function takes a problem first; or the equivalent of
// another tool's word.
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

// meant returns the parameter that a word means, by synonym or similar spelling, or a hint for a word of another tool.
func (f *Function) meant(word string) (param, hint string) {
	var known []string
	for _, p := range f.Params { // in lower case
		if slices.Contains(p.Synonyms, strings.ToLower(word)) {
			return p.Name, ""
		}
		known = append(known, p.Name)
	}
	if hint := foreignWord(word); hint != "" {
		return "", hint
	}
	return lists.Nearest(word, known), ""
}

// Meant returns the parameter of a function that a user's word means, or "" and a hint: the equivalent of another tool's word. The
// function must be in the catalogue.
func Meant(function, word string) (param, hint string) { return index[function].meant(word) }

// unset is the Default of an optional parameter without a default value. Signatures show only its equals sign.
const unset = "none"

// param returns the index of a parameter, or -1.
func (f *Function) param(name string) int {
	return slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == name })
}

// kernelFunctions returns the kernels of the catalogue as functions. Package kernels checks their arguments; call.culprit shows its
// errors under the argument.
func kernelFunctions() []Function {
	all := lists.Map(kernels.Catalogue(), func(e kernels.Entry) Function {
		return Function{
			Name: e.Name, Synonyms: e.Synonyms, Section: SectionKernels, Doc: e.Doc,
			Formula: e.Formula, Reference: e.Reference, Result: Kernel, Example: e.Example, pure: true,
			eval: func(c *call) (any, error) { return builtKernel(c, e) },
			Params: lists.Map(e.Params, func(p kernels.Param) Param {
				// The kind determines the types; the kernel checks numbers itself.
				kind := kernelKinds[p.Kind]
				return Param{
					Name: p.Name, Synonyms: p.Synonyms, Types: kind.types, Default: p.Default,
					// Build checks ranges
					words: kind.words, Range: anyNumber, Doc: p.Doc + kernelRange(p) + kind.doc,
				}
			}),
		}
	})
	return append(all, freeFunction())
}

// kernelRange describes the numbers that a kernel's parameter may have.
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

// kernelKinds maps each kind of kernel parameter to its accepted types, the meaning of its texts, and an addition to its
// description. Every kind must be listed: a missing kind would accept all types.
var kernelKinds = map[kernels.Kind]struct {
	types []Type // accepted types
	words words  // for completion; a text for data is the path of a file
	doc   string // appended to the description of the parameter
}{
	kernels.NumberKind:  {types: []Type{Number, Free}},
	kernels.IntegerKind: {types: []Type{Number}},
	kernels.ChoiceKind:  {types: []Type{Number}},
	kernels.ListKind:    {types: []Type{Number, List, Free}},
	kernels.ColumnsKind: {types: []Type{List, Text, Number}, words: wordsColumns},
	kernels.NamesKind:   {types: []Type{List}, words: wordsPoints},
	kernels.MatrixKind: {types: []Type{List, Text}, words: wordsData,
		doc: "; or the path of a CSV file relative to the script: a square table of numbers, with or without names"},
}

// spaceFunctions returns the functions that assign a kernel to a space. evaluator.lift converts other kernels if they mean the same
// in both spaces.
func spaceFunctions() []Function {
	// space makes a function that takes a kernel of two tasks or two arms; lift converts it to a joint kernel.
	space := func(name, doc, of, example string, lift func(kernels.Kernel) kernels.Joint) Function {
		return makeFunction(Function{
			Name: name, Section: SectionSpaces, Doc: doc, Params: []Param{{Name: "k", Doc: of}}, Result: Joint, Example: example, pure: true,
		}, nil, func(_ *call, a struct{ K kernels.Kernel }) (any, error) { return lift(a.K), nil })
	}
	return []Function{
		space("task", "a joint kernel that compares tasks by their features z_*", "a kernel on tasks", "task(rbf(lengthscale=0.7))",
			kernels.LiftTask),
		space("arm", "a joint kernel that compares arms by their features x_*", "a kernel on arms", "arm(linear())", kernels.LiftArm),
	}
}
