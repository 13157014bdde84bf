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

// Type is the type of a value. Its text is the name in messages and help.
type Type string

// The types that several functions use; typeOf returns the others.
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

	anything Type = "" // type after an error, and of parameters that accept every type
)

// typeOf returns the type of values whose Go type is T: a type that functions of the language return, a kernel or a problem. It
// panics if package kinds does not list T.
func typeOf[T any]() Type {
	return ofGo(reflect.TypeFor[T]())
}

// zero returns an empty value of a type that package kinds lists; nil for other types.
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

// drawn returns the types whose values can be drawn: those whose empty value has axes. It is computed once, since every check of
// save reads it.
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

// a returns the type with its indefinite article.
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

// value is a value of the language. Data is a float64 for a number, a string for a text, a []value for a list. Data is nil if
// only the type is known: in a check, and after an error. Values are shared and immutable.
type value struct {
	Type Type // "" for any type, or after an error
	Data any  // of the Go type that belongs to Type; nil if only the type is known

	// Go type of a record, or of the elements of a list, if known; it determines the parts
	of reflect.Type

	outline *outline // in a check, describes the value that runs will produce; otherwise nil
}

// known reports whether the value has data.
func (v value) known() bool { return v.Data != nil }

func unknown(t Type) value        { return value{Type: t} }
func numberValue(x float64) value { return value{Type: Number, Data: x} }

// plain returns the value as a Go value: a float64, a string, the most specific slice for a list, or the data itself. An empty
// list is a []float64, a list of lists of numbers a [][]float64, any other mixture an []any.
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

// size counts the elements of a list and of its nested lists, and stops soon after limit, because a short script can nest copies
// of one list. Every value counts as one, including a list itself.
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

// depth counts the nesting of lists. An empty list and other values have depth 0.
func (v value) depth() int {
	list, _ := v.Data.([]value)
	return lists.Max(list, func(e value) int { return 1 + e.depth() })
}

// items returns the elements of a known list as Go values.
func (v value) items() []any {
	list := v.Data.([]value)
	return lists.Map(list, func(e value) any { return e.plain() })
}

// every returns the elements of a list if all have Go type T. For an empty list it returns an empty slice that is not nil.
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

// foreign maps words of other tools, in lower case, to hints about the equivalent in this language. Messages look up a word here
// before they search for similar spellings.
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
	// One hint belongs to many words, which are separated by blanks.
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

// nameFor checks that a name can be bound, and returns a placeholder statement for a Go value, which has no definition. The
// placeholder is parsed from text, so that the rules of the language check the name. It uses no names, so a sweep does not change
// the value.
func nameFor(s *Session, name string) (*front.Statement, error) {
	parsed, errs := front.Parse(front.NewSource("a Go cell", name+" = 0"))
	_, bound := s.scope[name]
	switch {
	case len(errs) > 0 || len(parsed) != 1 || parsed[0].Name != name || parsed[0].Params != nil:
		return nil, fmt.Errorf("cannot bind %q: it is not a name; names are letters, digits and _, and begin with a letter", name)
	case isReserved(name):
		return nil, fmt.Errorf("cannot bind %s: it is a name of the language; choose another name", name)
	case bound && !s.opt.Rebind:
		return nil, fmt.Errorf("cannot bind %s: it is bound already; choose another name: a name has one value", name)
	}
	return parsed[0], nil
}

// fromGo converts a Go value to a value of the language, following pointers. The name is given to values that print their name.
func fromGo(name string, v any) (value, error) {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Func && r.IsNil() {
		return value{}, fmt.Errorf("the function is nil")
	}
	// The types that package kinds does not list.
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
	// Follow a pointer, unless the pointer itself implements the methods of a kernel.
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
	// Results, sweeps, answers and other values that functions of the language return.
	if k, ok := kinds.Of[struct{}](r.Type()); ok {
		return nameValue(value{Type: Type(k.Name), Data: v}, name), nil
	}
	return plainFromGo(name, r)
}

// plainFromGo converts a Go value to a number, a text or a list. Elements of a list may be anything that Put accepts, except
// functions that draw rewards.
func plainFromGo(name string, r reflect.Value) (value, error) {
	switch r.Kind() {
	case reflect.String:
		return value{Type: Text, Data: r.String()}, nil
	case reflect.Bool:
		return value{}, fmt.Errorf("the language has no booleans; use the numbers 0 and 1")
	case reflect.Slice, reflect.Array:
		list, err := lists.Try(r.Len(), func(i int) (value, error) {
			// An element that prints its name gets the list's name.
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

// algorithmFromGo completes and checks a user-defined algorithm. If it has no name, its name is the one that it is bound to.
func algorithmFromGo(name string, e algorithms.Entry) (value, error) {
	e.Name = cmp.Or(e.Name, name)
	mode := cmp.Or(e.Mode, engine.ModeFC)
	if _, err := (question.Question{Mode: mode, Own: &e}).Entry(); err != nil {
		return value{}, err
	}
	return value{Type: Algorithm, Data: &e}, nil
}

// kernelFromGo returns an error for a kernel with more parts than a script could make.
func kernelFromGo(k kernels.Kernel) (value, error) {
	if n := parts(k); n > maxParts {
		return value{}, fmt.Errorf("the kernel has more than %d parts", maxParts)
	}
	return kernelValue(k), nil
}

// problemFromGo returns an error for a problem whose lists have unequal lengths. Other properties are checked when the problem is
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
