package rpc

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
)

// evaluateParams is the request to the program to evaluate one of its functions. For a kernel, X and Y are numbers of
// blocks with points, point by point, as little-endian float64. The answer is a block with the values, row by row. For
// rewards, the request has all arms of a round, and the answer has their means. For an algorithm, the answer has the next
// plan and the current answers.
type evaluateParams struct {
	Request  string `json:"request"` // ID of the request that needs the values
	Function int    `json:"function"`
	Kind     string `json:"kind"` // "kernel", "rewards" or "algorithm"

	X       int      `json:"x,omitempty"`
	Y       int      `json:"y,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Rows    int      `json:"rows,omitempty"`  // number of points in X
	Width   int      `json:"width,omitempty"` // number of points in Y

	Tasks  []string `json:"tasks,omitempty"`
	Arms   []string `json:"arms,omitempty"`
	Counts []int    `json:"counts,omitempty"`

	Algorithm *ownParams `json:"algorithm,omitempty"`
}

// evaluated is the program's answer to evaluateParams.
type evaluated struct {
	Block int       `json:"block"`
	Means []float64 `json:"means"`

	Plan    []int `json:"plan"`    // pulls per arm; empty if the algorithm is done
	Answers []int `json:"answers"` // index of an arm per task, or -1; nil before the first data
}

// asker sends requests to the program during a request of the program. If several requests are nested, it uses the context
// of the outermost.
type asker struct {
	server *server

	mu      sync.Mutex
	ctx     context.Context // context of the current request; nil if there is none
	request string
	faults  []error // errors of functions during this request
	asking  map[*question]bool
}

// question is a request to the program that has not been answered yet.
type question struct {
	cancel context.CancelCauseFunc
	number int  // number of the function
	kept   bool // the result is shared, so other uses of the function wait for this answer
}

// errUnreadable ends all open questions when the program sends a message that is not JSON. The message may be one of the
// answers.
var errUnreadable = errors.New("the program answered with a message that is not JSON; NaN and infinity are not JSON")

// unreadable makes all open questions fail with errUnreadable.
func (a *asker) unreadable() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for q := range a.asking {
		q.cancel(errUnreadable)
	}
}

// open registers a question. The returned context ends with errUnreadable if the program sends an invalid message. The
// caller must call answered at the end.
func (a *asker) open(ctx context.Context, p evaluateParams) (_ context.Context, answered func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	q := &question{cancel, p.Function, p.Kind == "kernel" || p.Algorithm != nil && p.Algorithm.Terms != nil}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asking == nil {
		a.asking = map[*question]bool{}
	}
	a.asking[q] = true
	return ctx, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.asking, q)
		cancel(nil)
	}
}

// waits reports whether a question to the program is open.
func (a *asker) waits() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.asking) > 0
}

// needs reports whether each use of the function with this number must wait for an open question.
func (a *asker) needs(number int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for q := range a.asking {
		if q.kept && q.number == number {
			return true
		}
	}
	return false
}

// begin begins a request, whose context is used unless another request is active. The returned function ends the request
// and returns the first error of the program's functions during it.
func (a *asker) begin(ctx context.Context, request string) (end func() error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	outermost := a.ctx == nil
	if outermost {
		a.ctx, a.request, a.faults = ctx, request, nil
	}
	before := len(a.faults)
	return func() (fault error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if outermost {
			a.ctx = nil
		}
		if len(a.faults) > before {
			fault = a.faults[before]
			a.faults = a.faults[:before]
		}
		return fault
	}
}

// context returns the context of the current request, or nil if there is none.
func (a *asker) context() context.Context {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ctx
}

// errBetween is the error of a computation that continues after its request has ended.
var errBetween = errors.New("the request that needs the value is over")

func (a *asker) ask(p evaluateParams, blocks ...[]byte) (out evaluated, err error) {
	a.mu.Lock()
	ctx := a.ctx
	p.Request = a.request
	a.mu.Unlock()
	if ctx == nil {
		return out, errBetween
	}
	defer func() {
		if err != nil {
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.ctx == ctx {
				a.faults = append(a.faults, err)
			}
		}
	}()
	for i, into := range []*int{&p.X, &p.Y}[:len(blocks)] {
		if *into, err = a.server.channel.sendBlock(blocks[i]); err != nil {
			return out, err
		}
	}
	open, answered := a.open(ctx, p)
	defer answered()
	answer, err := a.server.rpc.Callback(open, "evaluate", p)
	if err != nil {
		if cause := context.Cause(open); errors.Is(cause, errUnreadable) {
			err = cause
		}
		return out, err
	}
	err = answer.UnmarshalResult(&out)
	return out, err
}

// draw returns a reward function whose rewards the program draws, for all arms of a round together.
func (a *asker) draw(function int) sim.RoundFunc {
	return func(asked []sim.Asked) ([]float64, error) {
		p := evaluateParams{Function: function, Kind: "rewards"}
		for _, q := range asked {
			p.Tasks, p.Arms, p.Counts = append(p.Tasks, q.Task), append(p.Arms, q.Arm), append(p.Counts, q.Count)
		}
		out, err := a.ask(p)
		if err == nil && len(out.Means) != len(asked) {
			err = fmt.Errorf("the function returned %d rewards for %d arms", len(out.Means), len(asked))
		}
		return out.Means, err
	}
}

func floats(block []byte, n int) ([]float64, error) {
	if len(block) != 8*n {
		return nil, fmt.Errorf("the block has %d bytes, but %d numbers need %d", len(block), n, 8*n)
	}
	out := make([]float64, n)
	_, err := binary.Decode(block, binary.LittleEndian, out)
	return out, err
}

// bytesOf returns numbers as the bytes of a block.
func bytesOf(numbers []float64) []byte {
	out, _ := binary.Append(nil, binary.LittleEndian, numbers) // never returns an error
	return out
}

// function defines a name in the session for a function of the program, and returns the name. The function becomes an
// algorithm if digest is set, a reward function if p accepts rewards, and otherwise a kernel.
func (s *server) function(number int, label, digest string, p *dsl.Param) (string, error) {
	rewards := p != nil && slices.Contains(p.Types, dsl.Rewards)
	if !isName(label) {
		label = "function"
	}
	name := fmt.Sprintf("%s_%d", label, number)
	if rewards && digest == "" { // the same function may also be used as a kernel
		name = "rewards_" + name
	}
	s.functions[name] = number
	if _, _, bound := s.session.Value(name); bound {
		return name, nil
	}
	var v any = s.asker.kernel(name, number)
	switch {
	case digest != "":
		v = s.asker.algorithm(label, number, digest)
	case rewards:
		v = s.asker.draw(number)
	}
	return name, s.session.Put(name, v)
}

// forgetFunctions deletes the program's functions that no definition uses, and returns their numbers.
func (s *server) forgetFunctions() []int {
	s.session.Forget(slices.Collect(maps.Keys(s.functions))...)
	gone := map[int]bool{}
	for name, number := range s.functions {
		if _, _, bound := s.session.Value(name); !bound {
			gone[number] = true
			delete(s.functions, name)
		}
	}
	for _, number := range s.functions { // keeps a function that is still used under another name
		delete(gone, number)
	}
	return append([]int{}, slices.Sorted(maps.Keys(gone))...)
}

// Catalogue lists the functions and kinds of values of the script language. Other programs generate their own functions
// from it.
type Catalogue struct {
	Protocol  int        `json:"protocol"`
	Functions []Function `json:"functions"`
	Kinds     []Kind     `json:"kinds"` // kinds of values that functions return, except numbers, strings, lists and kernels
}

// Function describes a function of the language.
type Function struct {
	Name      string      `json:"name"`
	Section   string      `json:"section"`
	Signature string      `json:"signature"`
	Doc       string      `json:"doc"`
	Formula   string      `json:"formula,omitempty"`
	Reference string      `json:"reference,omitempty"`
	Params    []Parameter `json:"params"`
	Variadic  string      `json:"variadic,omitempty"`
	Named     string      `json:"named,omitempty"`
	Result    string      `json:"result"`
	Example   string      `json:"example"`
}

// Parameter describes a parameter of a function.
type Parameter struct {
	Name     string   `json:"name"`
	Types    []string `json:"types,omitempty"` // empty for any type
	Choices  []string `json:"choices,omitempty"`
	Whole    bool     `json:"whole,omitempty"`
	Switch   bool     `json:"switch,omitempty"` // a boolean
	Optional bool     `json:"optional,omitempty"`
	Table    bool     `json:"table,omitempty"`    // accepts a table instead of a file path
	Function bool     `json:"function,omitempty"` // accepts a function of the program
	Column   bool     `json:"column,omitempty"`   // accepts names of columns of the table
	Doc      string   `json:"doc"`
	Given    string   `json:"given"` // allowed values and the default, in words
}

// Kind describes a kind of value.
type Kind struct {
	Name string `json:"name"`
	JSON string `json:"json"` // its type in docs/reference/json.md
}

// Contents returns the catalogue.
func Contents() Catalogue {
	c := Catalogue{Protocol: Protocol,
		Kinds: lists.Map(kinds.Names(), func(k kinds.Kind[struct{}]) Kind { return Kind{k.Name, k.JSON} })}
	for _, f := range dsl.Functions() {
		out := Function{
			Name: f.Name, Section: string(f.Section), Signature: f.Signature(), Doc: f.Doc, Formula: f.Formula, Reference: f.Reference,
			Params: []Parameter{}, Variadic: f.Variadic, Named: f.Named, Result: string(f.Result), Example: f.Example,
		}
		for _, p := range f.Params {
			out.Params = append(out.Params, Parameter{
				Name: p.Name, Choices: p.Choices, Whole: p.Whole, Switch: p.IsSwitch(), Optional: p.Default != "",
				Table: p.IsFile(), Column: p.IsColumn(),
				Function: slices.Contains(p.Types, dsl.Rewards) || slices.Contains(p.Types, dsl.Kernel), Doc: p.About(), Given: p.Given(),
				Types: lists.Map(p.Types, func(t dsl.Type) string { return string(t) }),
			})
		}
		c.Functions = append(c.Functions, out)
	}
	return c
}

// WriteCatalogue writes the catalogue as JSON.
func WriteCatalogue(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(Contents())
}

// functionNamed returns the function of the language with a name, or nil.
func functionNamed(name string) *dsl.Function {
	f, there := lists.First(dsl.Functions(), func(f dsl.Function) bool { return f.Name == name })
	if !there {
		return nil
	}
	return &f
}
