package dsl

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Function describes a function of the language. Checks, help, completion and documentation read the list of Functions.
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
	Result    Type     // type of the result; anything if it depends on the arguments
	Example   string   // example call; a test checks it, with results r and b, a sweep s and a fit f bound

	args   reflect.Type // struct of the arguments, nil if there is none; see makeFunction
	fields []field      // fields of that struct

	pure  bool                     // can be evaluated in a check; other functions are evaluated only when the script runs
	each  bool                     // applies to each element of a list; the result has the type of the first argument
	eval  func(*call) (any, error) // computes the result of a call that passed all checks; call.finish describes the possible results
	check func(*call)              // reports conflicting arguments, in the check and again before the call; may be nil
	early func(*call)              // in a check, reports mistakes that a slow call would otherwise find only after a long time; may be nil
}

// Section groups functions in help and documentation. Its value is the heading.
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

// Functions returns the catalogue, ordered by section. Callers must not change the parameters, which are shared.
func Functions() []Function { return slices.Clone(functions) }

// functions is the catalogue, and index finds a function by name. They are set in init because some functions refer to the
// catalogue.
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

// Signature returns the call with all parameters. An optional parameter shows its default, or only an equals sign.
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

// suggestParam proposes a parameter of the function for a word; or a parameter of problem, if the function's first parameter is a
// problem; or the equivalent of another tool's word.
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

// meant returns the parameter that a word means, by synonym or similar spelling; otherwise a hint, if the word belongs to another
// tool.
func (f *Function) meant(word string) (param, hint string) {
	var known []string
	for _, p := range f.Params { // names and synonyms in lower case
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

// Meant returns the parameter of a catalogue function that a user's word means. Otherwise param is "", and hint explains a word
// of another tool. It panics if the function is not in the catalogue.
func Meant(function, word string) (param, hint string) { return index[function].meant(word) }

// unset is the Default of an optional parameter that has no default value. Signatures show only its equals sign.
const unset = "none"

// param returns the index of a parameter, or -1.
func (f *Function) param(name string) int {
	return slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == name })
}

// kernelFunctions returns the kernels of the catalogue as functions. Package kernels checks their arguments, and call.culprit
// finds the argument that an error is about.
func kernelFunctions() []Function {
	all := lists.Map(kernels.Catalogue(), func(e kernels.Entry) Function {
		return Function{
			Name: e.Name, Synonyms: e.Synonyms, Section: SectionKernels, Doc: e.Doc,
			Formula: e.Formula, Reference: e.Reference, Result: Kernel, Example: e.Example, pure: true,
			eval: func(c *call) (any, error) { return builtKernel(c, e) },
			Params: lists.Map(e.Params, func(p kernels.Param) Param {
				// The kind of the parameter determines its types.
				kind := kernelKinds[p.Kind]
				return Param{
					Name: p.Name, Synonyms: p.Synonyms, Types: kind.types, Default: p.Default,
					// Entry.Build checks the range
					words: kind.words, Range: anyNumber, Doc: p.Doc + kernelRange(p) + kind.doc,
				}
			}),
		}
	})
	return append(all, freeFunction())
}

// kernelRange describes the allowed numbers of a kernel's parameter.
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
// description. It must list every kind: a missing kind would accept all types.
var kernelKinds = map[kernels.Kind]struct {
	types []Type // accepted types
	words words  // meaning of texts, for completion; a text for wordsData is a path
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

// spaceFunctions returns the functions task and arm, which assign a kernel to a space. evaluator.lift converts other kernels if
// they have the same meaning in both spaces.
func spaceFunctions() []Function {
	// space makes a function that converts a kernel of tasks or of arms to a joint kernel by lift.
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
