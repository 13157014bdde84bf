package dsl

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// Type is the type of a value, by the name that messages and help use.
type Type string

// The types of the language that more than one function knows; typeOf has the others.
const (
	Number  Type = "number"          // a float64; 1 and 0 are true and false
	Text    Type = "text"            // a string
	List    Type = "list"            // a []value
	Free    Type = "free number"     // kernels.Free
	Kernel  Type = "kernel"          // of the points of one space; kernels.Kernel
	Joint   Type = "joint kernel"    // of arms of tasks; kernels.Joint
	Problem Type = "problem"         // *problem.Problem
	Result  Type = "result"          // engine.Result
	Sweep   Type = "sweep"           // sim.Sweep
	Figure  Type = "figure"          // report.Figure
	Table   Type = "table"           // report.Table
	Rewards Type = "reward function" // a func of a Go cell, see Session.Put
	Record  Type = "record"          // a part with parts of its own; a struct or map
	Nothing Type = "nothing"         // what a function returns that only acts

	anything Type = "" // after an error, and for parameters that take every type
)

// typeOf returns the type of values that are a T in Go. It panics if package kinds has none.
// T is a kind that functions of the language return, a kernel or a problem.
func typeOf[T any]() Type {
	return ofGo(reflect.TypeFor[T]())
}

// zero returns an empty value of a type that package kinds lists, nil of another.
func (t Type) zero() any {
	if k, ok := t.kind(); ok {
		return reflect.Zero(k.Type).Interface()
	}
	return nil
}

// kind returns the kind of value that package kinds lists under the type's name.
func (t Type) kind() (kinds.Kind[struct{}], bool) {
	return lists.First(kinds.Names(), func(k kinds.Kind[struct{}]) bool { return k.Name == string(t) })
}

// drawn returns the types whose values can be drawn: a check asks at every call that saves.
// The axes of an empty value say what there is to draw.
var drawn = sync.OnceValue(func() map[Type]bool {
	out := map[Type]bool{}
	for _, k := range kinds.Names() {
		_, ys := report.Axes(reflect.Zero(k.Type).Interface(), "")
		out[Type(k.Name)] = len(ys) > 0
	}
	return out
})

// isDrawn reports whether values of the type can be drawn.
func (t Type) isDrawn() bool { return drawn()[t] }

// a returns the type with its article.
func (t Type) a() string {
	switch t {
	case Nothing:
		return string(t)
	case anything:
		return "a value"
	}
	if k, ok := t.kind(); ok {
		return k.A()
	}
	return "a " + string(t)
}

// orList joins words as in "a, b or c".
func orList(words []string) string { return listWith(" or ", words) }

// andList joins words as in "a, b and c".
func andList(words []string) string { return listWith(" and ", words) }

// listWith joins words with commas, and the last two with a text between them; one word is itself.
func listWith(between string, words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + between + words[last]
}

// value is a value of the language. Data is nil when only the type is known: while
// a script is checked and not run, and after an error. The data of a number is a
// float64, of a text a string, of a list a []value.
// A value is not changed once it is made: names, lists and memories of sweeps share it.
type value struct {
	Type Type // "" where any type is possible, or after an error
	Data any  // of the Go type that Type says; nil where only the type is known

	// of a record its Go type, of a list its elements' type, where they are known: what parts there
	// are follows from it
	of reflect.Type

	outline *outline // what runs will give, while a script is checked; else nil
}

// known reports whether there is data: false in a check for what runs give, and after an error.
func (v value) known() bool { return v.Data != nil }

func unknown(t Type) value        { return value{Type: t} }
func numberValue(x float64) value { return value{Type: Number, Data: x} }

// plain returns what the value is in Go: a float64, a string, a []float64 and so
// on for a list as narrow as its elements allow, or the data itself.
// An empty list is a []float64. A list of lists of numbers is a [][]float64, and any other mixture an []any.
func (v value) plain() any {
	list, ok := v.Data.([]value)
	if !ok {
		return v.Data
	}
	if numbers, ok := every[float64](list); ok {
		return numbers
	}
	if texts, ok := every[string](list); ok {
		return texts
	}
	// A list of lists of numbers is a matrix, whose rows may differ in length.
	rows := make([][]float64, len(list))
	for i, e := range list {
		row, _ := e.Data.([]value)
		if rows[i], ok = every[float64](row); !ok || row == nil {
			return v.items()
		}
	}
	return rows
}

// size counts the elements in a list and in the lists inside it, up to about limit:
// a list of lists of the same list is small to write and large to walk through.
// The list counts for one, as does every other value; the sum only serves to compare with a limit.
func (v value) size(limit int) int {
	list, _ := v.Data.([]value)
	n := 1
	for _, e := range list {
		if n > limit {
			break
		}
		n += e.size(limit - n)
	}
	return n
}

// depth counts how far lists stand inside each other.
// A value that is no list has depth 0, and so has an empty list.
func (v value) depth() int {
	list, _ := v.Data.([]value)
	return lists.Max(list, func(e value) int { return 1 + e.depth() })
}

// items returns a list as Go values, element by element.
// The value must be a list that is known.
func (v value) items() []any {
	list := v.Data.([]value)
	return lists.Map(list, func(e value) any { return e.plain() })
}

// every returns the elements of a list that are all of one Go type.
// An empty list is of every type, and gives a slice that is not nil.
func every[T any](list []value) ([]T, bool) {
	out := make([]T, len(list))
	for i, e := range list {
		x, ok := e.Data.(T)
		if !ok {
			return nil, false
		}
		out[i] = x
	}
	return out, true
}

// kernelValue and jointValue keep the two kinds of kernel apart.
func kernelValue(k kernels.Kernel) value { return value{Type: Kernel, Data: k} }
func jointValue(j kernels.Joint) value   { return value{Type: Joint, Data: j} }

// foreign has words of other tools, in lower case, and what says the same here.
// Most messages look words up here before they look for similar spellings.
var foreign = sync.OnceValue(func() map[string]string {
	const (
		read     = `problem(data="runs.csv", task=, arm=, reward=) reads a table; gonb-cope best runs.csv lists its columns`
		write    = `save(value, "file.csv") writes files: csv, json, html, parquet, png and others`
		answer   = "best(p) says which arm is best by what was measured; with next=12 also what to measure next"
		lowest   = `best(p) answers from measurements; where lower is better, write problem(..., goal="min")`
		simulate = "fc(p) and fb(p, budget=) simulate an algorithm; best(p) answers from measurements"
		process  = `kernel="auto" of problem, the default, finds a Gaussian process by itself; rbf(...) and matern(...) state its kernel, fit(p) fits one`
		bayes    = `CoBayesFC of fc(p) and CoBayesFB of fb(p, budget=), the default, go by a posterior; best(p, next=12) proposes by expected gain`
		display  = "a value alone in a line is shown, with its parts; plot(value) draws it"
		logs     = `log="lr" of problem takes the logarithm of a column, arm="log10(lr)" computes one; best(p) also finds it by itself`
		inPlace  = "a name is bound to what an expression gives: q = with_kernel(p, ...)"
	)
	out := map[string]string{
		"true": "write true", "false": "write false", "none": "leave the argument out", "null": "leave the argument out",
		"nan":        "leave the argument out",
		"help":       "in a notebook write fc? in a line, or press Shift and Tab; docs/reference/functions.md has every function",
		"auto":       `kernel="auto" is the default of problem: leave kernel out`,
		"set_kernel": inPlace, "append": inPlace, "numpy": "all functions are there: exp, sqrt, sum, ...; a Go cell can import packages",
	}
	// One hint answers many words, with blanks between them.
	for hint, words := range map[string]string{
		read:  "read_csv read_excel read_table read_parquet readtable read.csv load load_csv loadtxt dataframe open csv df pd pandas pl polars",
		write: "to_csv to_excel to_json to_parquet to_latex to_html savefig dump write_csv write.csv savetxt",
		answer: "predict suggest recommend best best_params best_arm best_params_ best_value best_trial argmax winner answer " +
			"predictions posterior",
		lowest:   "minimize minimise fmin maximize maximise optimize optimise argmin gp_minimize forest_minimize",
		simulate: "run simulate experiment study trial create_study",
		process:  "gp gpr gaussianprocess gaussianprocessregressor singletaskgp multitaskgp botorch gpytorch sklearn gauche",
		bayes: "ei ucb pi lcb ts thompson thompson_sampling expected_improvement qei qlognei qucb kg knowledge_gradient " +
			"acquisition bo bayes bayesian tpe",
		countsHint: "bernoulli binomial likelihood family binary",
		logs:       "scale log_scale logx logscale log10_scale loguniform transform transforms",
		display:    "head tail describe summary info display shape columns dtypes",
	} {
		for _, word := range strings.Fields(words) {
			out[word] = hint
		}
	}
	return out
})

// foreignWord returns what says here what a word says elsewhere; "" of others.
func foreignWord(word string) string { return foreign()[strings.ToLower(word)] }

// nameFor checks that a name can be bound, and returns a statement that stands for
// the definition that a Go value does not have: it uses nothing and calls nothing,
// so a sweep takes the value as it is.
// The text of the statement is only there to be parsed: the name is checked by the rules of the language itself.
func nameFor(s *Session, name string) (*front.Statement, error) {
	parsed, errs := front.Parse(front.NewSource("a Go cell", name+" = 0"))
	_, bound := s.scope[name]
	switch {
	case len(errs) > 0 || len(parsed) != 1 || parsed[0].Name != name || parsed[0].Params != nil:
		return nil, fmt.Errorf("cannot bind %q: it is not a name; names are letters, digits and _, and begin with a letter", name)
	case taken(name):
		return nil, fmt.Errorf("cannot bind %s: it is a name of the language; choose another name", name)
	case bound && !s.opt.Rebind:
		return nil, fmt.Errorf("cannot bind %s: it is bound already; choose another name: a name keeps its value", name)
	}
	return parsed[0], nil
}

// fromGo makes a value of the language of a Go value.
// A pointer means what it points to. The name is given to what prints by it.
func fromGo(name string, v any) (value, error) {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Func && r.IsNil() {
		return value{}, fmt.Errorf("the function is nil")
	}
	// The types that the language knows apart from package kinds.
	switch v := v.(type) {
	case func(x, y []float64) float64:
		return kernelValue(kernels.Func(name, v)), nil
	case sim.RewardFunc, sim.RoundFunc:
		return value{Type: Rewards, Data: v}, nil
	case kernels.Free:
		if err := v.Validate(0); err != nil {
			return value{}, err
		}
		return named(value{Type: Free, Data: v}, name), nil
	case kernels.Formula:
		if v.Body == "" {
			v.Name = name // prints as what it is bound to
		}
		return kernelValue(v), nil
	case *problem.Problem:
		return problemFromGo(v)
	case problem.Problem:
		return problemFromGo(&v)
	case kernels.Joint:
		if len(v.Terms) == 0 {
			return value{}, fmt.Errorf("the joint kernel has no terms")
		}
		return jointValue(v), nil
	case report.Figure:
		return value{Type: Figure, Data: v}, nil
	case report.Table:
		return value{Type: Table, Data: v}, nil
	}
	// A pointer is followed, but for a kernel whose methods need the pointer: that is the kernel itself.
	if r.Kind() == reflect.Pointer && !r.IsNil() {
		element := r.Elem().Interface()
		_, byValue := element.(kernels.Kernel)
		if k, ok := v.(kernels.Kernel); ok && !byValue {
			return kernelFromGo(k)
		}
		return fromGo(name, element)
	}
	if !r.IsValid() || r.Kind() == reflect.Pointer {
		return value{}, fmt.Errorf("the value is nil")
	}
	if k, ok := v.(kernels.Kernel); ok {
		return kernelFromGo(k)
	}
	// Results, sweeps, answers and the other values that functions of the language return.
	if k, ok := kinds.Of[struct{}](r.Type()); ok {
		return named(value{Type: Type(k.Name), Data: v}, name), nil
	}
	return plainFromGo(name, r)
}

// plainFromGo makes a number, text or list.
// Elements of a list may be whatever Put takes, but for functions that draw rewards.
func plainFromGo(name string, r reflect.Value) (value, error) {
	switch r.Kind() {
	case reflect.String:
		return value{Type: Text, Data: r.String()}, nil
	case reflect.Bool:
		return value{}, fmt.Errorf("there are no booleans in the language; use the numbers 0 and 1")
	case reflect.Slice, reflect.Array:
		list, err := lists.Try(r.Len(), func(i int) (value, error) {
			// Elements have the name of the list, where they print by a name.
			element, err := fromGo(name, r.Index(i).Interface())
			if err == nil && element.Type == Rewards {
				err = fmt.Errorf("a list cannot hold %s", element.Type.a())
			}
			if err != nil {
				err = fmt.Errorf("element %d: %w", i, err)
			}
			return element, err
		})
		return value{Type: List, Data: list}, err
	}
	if x, ok := number(r); ok { // whole numbers of all widths, and decimals
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return value{}, fmt.Errorf("%v is not a finite number", x)
		}
		return numberValue(x), nil
	}
	return value{}, fmt.Errorf("a %s has no meaning in the language; numbers, texts, lists, kernels, problems, results, figures "+
		"and tables have", r.Type())
}

// kernelFromGo refuses a kernel with more parts than a script could give it.
func kernelFromGo(k kernels.Kernel) (value, error) {
	if n := parts(k); n > maxParts {
		return value{}, fmt.Errorf("the kernel has more than %d parts", maxParts)
	}
	return kernelValue(k), nil
}

// problemFromGo refuses a problem whose lists would be read beyond their ends. The rest is checked where the problem is
// used.
func problemFromGo(p *problem.Problem) (value, error) {
	switch {
	case p == nil:
		return value{}, fmt.Errorf("the problem is nil")
	case p.Tasks == nil || p.Arms == nil || p.V() == 0 || p.N() == 0:
		return value{}, fmt.Errorf("the problem has no tasks or no arms")
	case p.Arms.Len() != p.N() || len(p.Noise.Scales) != p.N() || p.Mean != nil && len(p.Mean) != p.N():
		return value{}, fmt.Errorf("the problem has lists of unequal length: there must be one point, task and noise for each arm")
	}
	return value{Type: Problem, Data: p}, nil
}
