package dsl

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// Type is the type of a value. The string is the type's name in messages and help.
type Type string

// These types are common to several functions; typeOf returns all others.
const (
	Number    Type = "number"              // float64; 1 and 0 are true and false
	Text      Type = "text"                // a string
	List      Type = "list"                // a []value
	Free      Type = "free hyperparameter" // kernels.Free
	Kernel    Type = "kernel"              // kernel of one space: kernels.Kernel
	Joint     Type = "joint kernel"        // kernel on arms of tasks: kernels.Joint
	Problem   Type = "problem"             // *problem.Problem
	Result    Type = "result"              // engine.Result
	Sweep     Type = "sweep"               // sim.Sweep
	Figure    Type = "figure"              // report.Figure
	Table     Type = "table"               // report.Table
	Rewards   Type = "reward function"     // Go function that draws rewards, see Session.Put
	Record    Type = "record"              // part of a value that has parts itself: a struct or map
	Nothing   Type = "nothing"             // result of a function that returns nothing
	Algorithm Type = "own algorithm"       // user-defined algorithm: *algorithms.Entry; the catalogue's algorithms are texts

	anything Type = "" // type of a value after an error, and of a parameter that accepts every type
)

// typeOf returns the language's type for the Go type T, which must be listed in package kinds. It panics otherwise.
func typeOf[T any]() Type {
	return ofGo(reflect.TypeFor[T]())
}

// zero returns an empty Go value of type t; nil if package kinds does not list t.
func (t Type) zero() any {
	if k, ok := t.kind(); ok {
		return reflect.Zero(k.Type).Interface()
	}
	return nil
}

// kind returns the entry of package kinds whose name is t; false if there is none.
func (t Type) kind() (kinds.Kind[struct{}], bool) {
	return lists.First(kinds.Names(), func(k kinds.Kind[struct{}]) bool { return k.Name == string(t) })
}

// drawn returns the set of types that a figure can show: those whose empty value has axes. The set is computed once,
// because every check of save uses it.
var drawn = sync.OnceValue(func() map[Type]bool {
	out := map[Type]bool{}
	for _, k := range kinds.Names() {
		_, ys := report.Axes(reflect.Zero(k.Type).Interface(), "")
		out[Type(k.Name)] = len(ys) > 0
	}
	return out
})

// isDrawn reports whether a figure can show values of the type.
func (t Type) isDrawn() bool { return drawn()[t] }

// a returns the type's name after "a" or "an".
func (t Type) a() string {
	switch t {
	case Nothing:
		return string(t)
	case anything:
		return "a value"
	case Algorithm:
		return "an algorithm of your own"
	}
	if k, ok := t.kind(); ok {
		return k.A()
	}
	return "a " + string(t)
}

// orList joins words: "a, b or c".
func orList(words []string) string { return listWith(" or ", words) }

// andList joins words: "a, b and c".
func andList(words []string) string { return listWith(" and ", words) }

// listWith joins words with commas, and the last two words with between.
func listWith(between string, words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + between + words[last]
}

// value is a value of the language. Data is a float64 for a number, a string for a text, and a []value for a list. Data is
// nil if only the type is known, during a check or after an error. Values are shared, so they must not be changed.
type value struct {
	Type Type // "" for any type, or after an error
	Data any  // of the Go type that belongs to Type; nil if only the type is known

	// Go type of a record, or of the elements of a list; nil if unknown. It determines the names of the parts.
	of reflect.Type

	outline *outline // what is known about the result of runs while the script is checked; nil otherwise
}

// known reports whether the value has data.
func (v value) known() bool { return v.Data != nil }

func unknown(t Type) value        { return value{Type: t} }
func numberValue(x float64) value { return value{Type: Number, Data: x} }

// plain returns the value as a Go value. A number is a float64 and a text is a string. A list is the most specific of
// []float64, []string, [][]float64 and []any; an empty list is a []float64. Other values return their data.
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
	// A list of lists of numbers is a matrix, whose rows may have different lengths.
	rows := make([][]float64, len(list))
	for i, e := range list {
		row, _ := e.Data.([]value)
		if rows[i], ok = every[float64](row); !ok || row == nil {
			return v.items()
		}
	}
	return rows
}

// size counts the elements of a list and of its nested lists; each list counts as one element too. A value that is not a
// list has size 1. The count stops soon after limit, because a short script can nest copies of one list.
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

// depth returns how deeply lists are nested: 0 for an empty list and for a value that is not a list.
func (v value) depth() int {
	list, _ := v.Data.([]value)
	return lists.Max(list, func(e value) int { return 1 + e.depth() })
}

// items returns the elements of a known list as Go values.
func (v value) items() []any {
	list := v.Data.([]value)
	return lists.Map(list, func(e value) any { return e.plain() })
}

// every returns the elements of a list as a []T, and false if an element has another Go type. The result for an empty list
// is not nil.
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

func kernelValue(k kernels.Kernel) value { return value{Type: Kernel, Data: k} }
func jointValue(j kernels.Joint) value   { return value{Type: Joint, Data: j} }

// foreign maps a word of another tool, in lower case, to a hint about the equivalent here. Error messages use this hint
// before they suggest a similar spelling.
var foreign = sync.OnceValue(func() map[string]string {
	const (
		read     = `problem(data="runs.csv", task=, arm=, reward=) reads a table; gonb-cope best runs.csv lists its columns`
		write    = `save(value, "file.csv") writes files: csv, json, html, parquet, png and others`
		answer   = "best(p) recommends the best arm from the measurements; with next=12 also what to measure next"
		lowest   = `best(p) recommends an arm from the measurements; if lower is better, write problem(..., goal="min")`
		simulate = "fc(p) and fb(p, budget=) simulate an algorithm; best(p) recommends an arm from measurements"
		process  = `problem(...) finds a Gaussian process by itself (kernel="auto"); rbf(...) and matern(...) state its kernel, fit(p) fits one`
		bayes    = "best(p, next=12) proposes measurements by expected gain; the Bayesian algorithms are CoBayesFC of fc(p) and " +
			"CoBayesFB of fb(p, budget=)"
		display = "a value alone in a line is shown, with its parts; plot(value) draws it"
		logs    = `problem(..., log="lr") uses the logarithm of a column, and arm="log10(lr)" computes it; best(p) also finds it by itself`
		inPlace = "values do not change; bind a new one: q = with_kernel(p, ...)"
	)
	out := map[string]string{
		"true": "write true", "false": "write false", "none": "leave the argument out", "null": "leave the argument out",
		"nan":        "leave the argument out",
		"help":       "in a notebook write fc? in a line, or press Shift and Tab; docs/reference/functions.md has every function",
		"auto":       `kernel="auto" is the default of problem: leave kernel out`,
		"set_kernel": inPlace, "append": inPlace, "numpy": "the language has the functions exp, sqrt, sum, ...; a Go cell can import packages",
	}
	// Each hint belongs to several words, separated by blanks.
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

// foreignWord returns the hint for a word of another tool; "" for other words.
func foreignWord(word string) string { return foreign()[strings.ToLower(word)] }

// nameFor returns an error if the name cannot be bound. Otherwise it returns a placeholder statement that binds the name,
// for a Go value without a definition in a script. The placeholder uses no names, so a sweep does not change the value.
func nameFor(s *Session, name string) (*front.Statement, error) {
	parsed, errs := front.Parse(front.NewSource("a Go cell", name+" = 0"))
	_, bound := s.scope[name]
	switch {
	case len(errs) > 0 || len(parsed) != 1 || parsed[0].Name != name || parsed[0].Params != nil:
		return nil, fmt.Errorf("cannot define %q: it is not a name; names are letters, digits and _, and begin with a letter", name)
	case isReserved(name):
		return nil, fmt.Errorf("cannot define %s: it is a name of the language; choose another name", name)
	case bound && !s.opt.Rebind:
		return nil, fmt.Errorf("cannot define %s: it has a value already; choose another name", name)
	}
	return parsed[0], nil
}

// fromGo converts a Go value to a value of the language, and follows pointers. name is the name that the value is bound
// to; functions and algorithms print it. It returns an error for a Go type that the language does not have.
func fromGo(name string, v any) (value, error) {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Func && r.IsNil() {
		return value{}, fmt.Errorf("the function is nil")
	}
	// First the types that package kinds does not list.
	switch v := v.(type) {
	case func(x, y []float64) float64:
		return kernelValue(kernels.Func(name, v)), nil
	case sim.RewardFunc, sim.RoundFunc:
		return value{Type: Rewards, Data: v}, nil
	case algorithms.Entry:
		return algorithmFromGo(name, v)
	case kernels.Free:
		if err := v.Validate(0); err != nil {
			return value{}, err
		}
		return nameValue(value{Type: Free, Data: v}, name), nil
	case kernels.Formula:
		if v.Body == "" {
			v.Name = name // a function prints as its bound name
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
	// Follow a pointer unless the pointer type itself is a kernel.
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
	// The other types that functions of the language return, such as results, sweeps and answers.
	if k, ok := kinds.Of[struct{}](r.Type()); ok {
		return nameValue(value{Type: Type(k.Name), Data: v}, name), nil
	}
	return plainFromGo(name, r)
}

// plainFromGo converts a Go value to a number, a text or a list. A list may contain every value that Put accepts, except
// functions that draw rewards.
func plainFromGo(name string, r reflect.Value) (value, error) {
	switch r.Kind() {
	case reflect.String:
		return value{Type: Text, Data: r.String()}, nil
	case reflect.Bool:
		return value{}, fmt.Errorf("the language has no booleans; use the numbers 0 and 1")
	case reflect.Slice, reflect.Array:
		list, err := lists.Try(r.Len(), func(i int) (value, error) {
			// An element that prints a name uses the name of the list.
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
	if x, ok := number(r); ok { // integers of all widths, and floating-point numbers
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return value{}, fmt.Errorf("%v is not a finite number", x)
		}
		return numberValue(x), nil
	}
	return value{}, fmt.Errorf("the language cannot use a value of type %s; it accepts numbers, texts, lists, kernels, problems, "+
		"results, figures and tables", r.Type())
}

// algorithmFromGo checks a user-defined algorithm and fills in missing fields. An algorithm without a name gets the name
// it is bound to.
func algorithmFromGo(name string, e algorithms.Entry) (value, error) {
	e.Name = cmp.Or(e.Name, name)
	mode := cmp.Or(e.Mode, engine.ModeFC)
	if _, err := (question.Question{Mode: mode, Own: &e}).Entry(); err != nil {
		return value{}, err
	}
	return value{Type: Algorithm, Data: &e}, nil
}

// kernelFromGo converts a kernel to a value. It returns an error if the kernel has more parts than a script could make.
func kernelFromGo(k kernels.Kernel) (value, error) {
	if n := parts(k); n > maxParts {
		return value{}, fmt.Errorf("the kernel has more than %d parts", maxParts)
	}
	return kernelValue(k), nil
}

// problemFromGo converts a problem to a value. It returns an error if the problem's lists have unequal lengths; other
// properties are checked when the problem is used.
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
