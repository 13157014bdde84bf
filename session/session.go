package session

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/notebook/bridge"
)

// Entry is a bound name together with the name of its type in the script language.
type Entry = bridge.Entry

// ErrNoSession is the cause of every error of a function that needs a session where there is none: under plain GoNB, and
// outside a notebook.
var ErrNoSession = bridge.ErrNoKernel

func client(what string) (*bridge.Client, error) {
	c, err := bridge.Connect()
	if errors.Is(err, ErrNoSession) {
		err = fmt.Errorf("%w: %s needs a cell of the notebook kernel \"Go + CoPE (gonb-cope)\"; elsewhere, make values with the "+
			"packages kernels and engine, and show them with session/display", err, what)
	}
	return c, err
}

// Names returns the bound names of the session, oldest first. It panics if there is no session.
func Names() []Entry {
	c, err := client("Names")
	var names []Entry
	if err == nil {
		names, err = c.Names()
	}
	if err != nil {
		panic(prefixed(err))
	}
	return names
}

// Get returns the value of a bound name. A number is a float64, a text a string, and a list a []float64, []string,
// [][]float64 or []any. Other values are a kernels.Kernel, a kernels.Joint, an *problem.Problem, an engine.Result, or a
// value of engine/sim or engine/bounds. For an unbound name, the error lists the bound names.
func Get(name string) (any, error) {
	c, err := client("Get")
	if err != nil {
		return nil, prefixed(err)
	}
	v, err := c.Get(name)
	return v, prefixed(err)
}

// Bind binds a name to a value, like a %%cope cell. Names that use the old value become outdated. Names of the script
// language cannot be bound. The value may be a number, a string, or a slice of these or of such slices. It may also be
// a kernel, a joint kernel, a problem, a result, a sweep, a value of engine/bounds, or a pointer to one of these. It
// may also be one of these functions:
//
//	func(x, y []float64) float64                                               a kernel of two points
//	func(rng *rand.Rand, task, arm string) float64                             one reward (math/rand/v2)
//	func(rng *rand.Rand, task, arm string, n int) (mean float64, err error)    the mean of n rewards
//
// Or it is an algorithms.Entry, for a user-defined algorithm. If its Name is "", the algorithm gets the bound name.
//
// The package documentation has the rules for functions. Bind returns when the name is bound.
func Bind(name string, v any) error {
	c, err := client("Put")
	if err == nil {
		err = c.Put(name, v)
	}
	return prefixed(err)
}

// Put binds a name like Bind, and panics if Bind returns an error.
func Put(name string, v any) {
	if err := Bind(name, v); err != nil {
		panic(err)
	}
}

func prefixed(err error) error {
	if err == nil {
		return err
	}
	return fmt.Errorf("session: %w", err)
}

// read returns the value of a name as a T. It panics if the name is not bound or its value has another type.
func read[T any](name string) T {
	v, err := Get(name)
	if err != nil {
		panic(err)
	}
	got, ok := v.(T)
	if !ok {
		want, _ := describe(reflect.TypeFor[T]())
		panic(mismatch(name, v, want))
	}
	return got
}

// mismatch returns the error for a value of another type than want. The error names the function that reads the value.
func mismatch(name string, v any, want string) error {
	what, reader := describe(reflect.TypeOf(v))
	hint := ""
	if reader != "" {
		hint = fmt.Sprintf("; read it with session.%s(%q)", reader, name)
	}
	return fmt.Errorf("session: %s is %s, not %s%s", name, what, want, hint)
}

// Number returns the number that is bound to name. Like all functions that read a value, it panics if the name is not
// bound or its value has another type.
func Number(name string) float64 { return read[float64](name) }

// Text returns the text that is bound to name.
func Text(name string) string { return read[string](name) }

// Numbers returns the list of numbers that is bound to name.
func Numbers(name string) []float64 { return read[[]float64](name) }

// Texts returns the list of texts that is bound to name.
func Texts(name string) []string { return read[[]string](name) }

// List returns the list that is bound to name; its elements may have any type.
func List(name string) []any {
	switch v := read[any](name).(type) {
	case []any:
		return v
	case []float64:
		return anys(v)
	case []string:
		return anys(v)
	case [][]float64:
		return anys(v)
	default:
		panic(mismatch(name, v, "a list"))
	}
}

func anys[T any](items []T) []any {
	return lists.Map(items, func(item T) any { return item })
}

// Kernel returns a joint kernel, which compares pairs of task and arm. Use PointKernel for a kernel of one space.
func Kernel(name string) kernels.Joint { return read[kernels.Joint](name) }

// PointKernel returns a kernel of one space, which compares tasks or compares arms.
func PointKernel(name string) kernels.Kernel { return read[kernels.Kernel](name) }

// Problem returns a copy of the problem that is bound to name.
func Problem(name string) *problem.Problem { return read[*problem.Problem](name) }

// Result returns a result of fc or fb.
func Result(name string) engine.Result { return read[engine.Result](name) }

// Sweep returns a sweep.
func Sweep(name string) sim.Sweep { return read[sim.Sweep](name) }

// Comparisons returns the value of paired(...).
func Comparisons(name string) sim.Comparisons { return read[sim.Comparisons](name) }

// Speedup returns the value of speedup(...).
func Speedup(name string) sim.Speedup { return read[sim.Speedup](name) }

// Answer returns the value of best(...).
func Answer(name string) answer.Answer { return read[answer.Answer](name) }

// Explanation returns the value of explain(...).
func Explanation(name string) engine.Explanation { return read[engine.Explanation](name) }

// Fit returns the value of fit(...); its Kernel equals fitted(...).
func Fit(name string) fit.Fit { return read[fit.Fit](name) }

// Bounds returns the value of bounds(...).
func Bounds(name string) bounds.Report { return read[bounds.Report](name) }

// Plan returns the value of plan(...).
func Plan(name string) plan.Forecast { return read[plan.Forecast](name) }

// Design returns the value of design(...).
func Design(name string) bounds.Design { return read[bounds.Design](name) }

// Hardness returns the value of hardness(...).
func Hardness(name string) bounds.Hardness { return read[bounds.Hardness](name) }

// Campaign returns the state that a campaign had when name was bound. Resume returns its present state.
func Campaign(name string) campaign.Status { return read[campaign.Status](name) }

// Protocol returns the value of protocol(...), with its problem.
func Protocol(name string) campaign.Protocol { return read[campaign.Protocol](name) }

// Worklist returns the value of ask(...): the measurements to make.
func Worklist(name string) campaign.List { return read[campaign.List](name) }

// Receipt returns the value of a function that records rows: the outcome of each row.
func Receipt(name string) campaign.Receipt { return read[campaign.Receipt](name) }

// Spectrum returns the value of spectrum(...).
func Spectrum(name string) bounds.Spectrum { return read[bounds.Spectrum](name) }

// plainTypes maps Go types that package kinds does not list to a description and the name of the function that reads them.
var plainTypes = map[reflect.Type][2]string{
	reflect.TypeFor[float64]():       {"a number", "Number"},
	reflect.TypeFor[string]():        {"a text", "Text"},
	reflect.TypeFor[[]float64]():     {"a list of numbers", "Numbers"},
	reflect.TypeFor[[]string]():      {"a list of texts", "Texts"},
	reflect.TypeFor[[]any]():         {"a list", "List"},
	reflect.TypeFor[[][]float64]():   {"a list", "List"},
	reflect.TypeFor[kernels.Joint](): {"a joint kernel", "Kernel"},
}

// describe returns the description of a Go type, and the name of the function that reads values of it.
func describe(t reflect.Type) (what, reader string) {
	if plain, is := plainTypes[t]; is {
		return plain[0], plain[1]
	}
	if t == reflect.TypeFor[*problem.Problem]() {
		t = t.Elem()
	}
	k, ok := kinds.Of[struct{}](t)
	switch {
	case !ok && t.Implements(reflect.TypeFor[kernels.Kernel]()):
		return "a kernel of one space", "PointKernel"
	case !ok:
		return "a value that Go cells cannot read", ""
	case k.Of != "":
		return "the value of " + k.Of + "(...)", k.Reader
	}
	return k.A(), k.Reader
}
