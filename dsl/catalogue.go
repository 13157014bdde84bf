package dsl

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Function describes one function of the script language. The checks, help, completion and documentation all use the list
// that Functions returns.
type Function struct {
	Name      string   // name in scripts; unique in the catalogue
	Synonyms  []string // names of this function in other libraries; for such a name, error messages suggest Name
	Section   Section  // heading under which help and documentation list the function
	Doc       string   // description of one line
	Formula   string   // for a kernel: k(x, y)
	Reference string   // for a kernel: its source
	Params    []Param  // in the order of positional arguments
	Variadic  string   // describes further positional arguments; "" if there are none
	Named     string   // describes further named arguments; "" if there are none
	Result    Type     // type of the result; the constant anything if it depends on the arguments
	Example   string   // example call; a test evaluates it, with results r and b, a sweep s and a fit f bound

	args   reflect.Type // type of the struct that holds the arguments; nil if eval reads the call itself; see makeFunction
	fields []field      // fields of that struct

	pure  bool                     // reads no files and makes no runs, so that checks evaluate it too
	each  bool                     // applies to each element of a list; the result then has the type of the first argument
	eval  func(*call) (any, error) // computes the result of a call that passed all checks; call.finish describes the possible results
	check func(*call)              // reports arguments that conflict, when the script is checked and again before the call; may be nil
	early func(*call)              // in a check, reports mistakes that the call would find only after long runs; may be nil
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

// Functions returns the catalogue, ordered by section. The slice is a copy, but the Params are shared and must not be
// changed.
func Functions() []Function { return slices.Clone(functions) }

// functions is the catalogue; index maps each name to its function. init sets both, because some functions refer to the
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

// Signature returns the function's name with all parameters. An optional parameter is followed by its default, or only by
// "=" if it has none.
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

// suggestParam returns a hint for a word that is not a parameter of f. It suggests a parameter of f, a parameter of
// problem (if the first parameter of f is a problem), or the equivalent of another tool's word.
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
	if other := map[string]string{"fc": "fb", "fb": "fc"}[f.Name]; other != "" && index[other].param(word) >= 0 {
		return fmt.Sprintf("%[1]s is a parameter of %[2]s: write %[2]s(..., %[1]s=)", word, other)
	}
	return "write " + f.Signature()
}

// meant returns the parameter of f that word probably means, because it is a synonym or has a similar spelling. Otherwise
// param is "", and hint explains a word of another tool, if word is one.
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
	return lists.Nearest(word, known), ""
}

// Meant returns the parameter that word probably means in a call of the named function. Otherwise param is "", and hint
// explains a word of another tool, if word is one. It panics if the catalogue does not have the function.
func Meant(function, word string) (param, hint string) { return index[function].meant(word) }

// unset is the Default of an optional parameter without a default value. Signatures show "=" and no value for it.
const unset = "none"

// param returns the index of the named parameter, or -1 if there is none.
func (f *Function) param(name string) int {
	return slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == name })
}

// kernelFunctions returns a function for each kernel of package kernels. That package checks the arguments; call.culprit
// finds the argument that caused an error.
func kernelFunctions() []Function {
	all := lists.Map(kernels.Catalogue(), func(e kernels.Entry) Function {
		return Function{
			Name: e.Name, Synonyms: e.Synonyms, Section: SectionKernels, Doc: e.Doc,
			Formula: e.Formula, Reference: e.Reference, Result: Kernel, Example: e.Example, pure: true,
			eval: func(c *call) (any, error) { return builtKernel(c, e) },
			Params: lists.Map(e.Params, func(p kernels.Param) Param {
				// The kind of the kernel parameter determines the types that the function accepts.
				kind := kernelKinds[p.Kind]
				return Param{
					Name: p.Name, Synonyms: p.Synonyms, Types: kind.types, Default: p.Default,
					// Entry.Build checks the range itself
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

// kernelKinds describes each kind of kernel parameter. It must list every kind: a parameter of a missing kind would accept
// all types.
var kernelKinds = map[kernels.Kind]struct {
	types []Type // accepted types
	words words  // what a text means, for completion; wordsData means the path of a file
	doc   string // text added to the parameter's description
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

// spaceFunctions returns the functions task and arm, each of which assigns a kernel to one space. evaluator.lift converts
// kernels that need no such call, because they mean the same in both spaces.
func spaceFunctions() []Function {
	// space makes the function task or arm. The function uses lift to convert a kernel of its space to a joint kernel.
	space := func(name, doc, of, example string, lift func(kernels.Kernel) kernels.Joint) Function {
		return makeFunction(Function{
			Name: name, Section: SectionSpaces, Doc: doc, Params: []Param{{Name: "k", Doc: of,
				elsewhere: map[string]string{string(Joint): "it already compares tasks or arms: leave out this " + name + "(...)"}}},
			Result: Joint, Example: example, pure: true,
		}, nil, func(_ *call, a struct{ K kernels.Kernel }) (any, error) { return lift(a.K), nil })
	}
	return []Function{
		space("task", "a joint kernel that compares tasks by their features z_*", "a kernel on tasks", "task(rbf(lengthscale=0.7))",
			kernels.LiftTask),
		space("arm", "a joint kernel that compares arms by their features x_*", "a kernel on arms", "arm(linear())", kernels.LiftArm),
	}
}
