package bridge

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// started is about when the program began.
var started = time.Now()

// Client is the cell's side. It is safe for concurrent use.
type Client struct {
	conn   *Conn
	remote *Remote

	mu     sync.Mutex
	known  map[string]uint64 // formulas that were read, by name and text
	puts   int               // of values with functions
	serves int               // at which of them to serve, from 1; 0 in a cell
}

// Open connects to the kernel that the environment names. Without one it returns
// ErrNoKernel.
func Open() (*Client, error) {
	if number := os.Getenv(EnvServe); number != "" {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s is %q; it must be a number from 1", EnvServe, number)
		}
		conn, err := inherited(SessionFile)
		if err != nil {
			return nil, err
		}
		return newClient(NewConn(conn), n), nil
	}
	path := os.Getenv(EnvSocket)
	if path == "" {
		return nil, ErrNoKernel
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		return nil, fmt.Errorf("the kernel cannot be reached: %w", err)
	}
	c := newClient(NewConn(conn), 0)
	if _, err := c.call(OpHello, Hello{Version, os.Getenv(EnvKey)}); err != nil {
		return nil, err
	}
	return c, nil
}

// Connect opens the program's one connection, at its first call.
var Connect = sync.OnceValues(Open)

// inherited returns a socket that the kernel left open for the process of a function.
func inherited(number uintptr) (net.Conn, error) {
	file := os.NewFile(number, "kernel")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("the kernel cannot be reached: %w", err)
	}
	return conn, nil
}

func newClient(conn *Conn, serves int) *Client {
	return &Client{conn: conn, remote: NewRemote(conn), known: map[string]uint64{}, serves: serves}
}

func (c *Client) call(op Op, v any) ([]byte, error) {
	content, err := Pack(v)
	if err != nil {
		return nil, err
	}
	return c.sent(op, content)
}

// sent sends a frame and returns the answer.
func (c *Client) sent(op Op, content []byte) ([]byte, error) {
	answer, err := c.conn.Call(op, content)
	if IsBroken(err) {
		err = fmt.Errorf("the kernel does not answer: %w", err)
	}
	return answer, err
}

// Names lists what is bound, oldest first.
func (c *Client) Names() ([]Entry, error) {
	answer, err := c.call(OpNames, "")
	if err != nil {
		return nil, err
	}
	var names []Entry
	return names, Unpack(answer, &names)
}

// Get reads a value; see Encode for what it may be.
func (c *Client) Get(name string) (any, error) {
	answer, err := c.call(OpGet, name)
	if err != nil {
		return nil, err
	}
	var v Value
	if err := Unpack(answer, &v); err != nil {
		return nil, err
	}
	got, err := Decode(v, Functions{Formula: c.formula})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return got, nil
}

// formula returns a formula of the session whose values the notebook kernel computes.
func (c *Client) formula(f kernels.Formula, number uint64) (kernels.Formula, error) {
	c.mu.Lock()
	c.known[identity(f)] = number
	c.mu.Unlock()
	return Formula(f, number, kernelSource{c}), nil
}

// kernelSource evaluates formulas in the notebook kernel. It panics if that fails, because kernels.Formula returns no error.
type kernelSource struct{ *Client }

// Bind returns the connection.
func (c kernelSource) Bind() (*Remote, error) { return c.remote, nil }

// Live returns the connection.
func (c kernelSource) Live() (*Remote, error) { return c.remote, nil }

// Fault panics.
func (c kernelSource) Fault(err error) {
	if IsBroken(err) {
		err = fmt.Errorf("the kernel does not answer: %w", err)
	}
	panic(fmt.Errorf("session: %w", err))
}

func identity(f kernels.Formula) string { return f.Name + "\x00" + f.Params + "\x00" + f.Body }

// numberOf returns the number of a formula that was read from the session. Such a
// one has the Resolve of Formula; a formula of the cell's own may have its name.
func (c *Client) numberOf(f kernels.Formula) (uint64, bool) {
	ours := Formula(kernels.Formula{}, 0, kernelSource{})
	if f.Resolve == nil || reflect.ValueOf(f.Resolve).Pointer() != reflect.ValueOf(ours.Resolve).Pointer() {
		return 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	number, known := c.known[identity(f)]
	return number, known
}

// Put binds a name to a value. In the process of a function it does nothing, except
// at the Put that made it: there it serves and does not return.
func (c *Client) Put(name string, v any) error {
	v, err := wrap(name, v)
	if err != nil {
		return err
	}
	own := false
	value, err := Encode(v, Functions{Number: func(f kernels.Formula) (uint64, error) {
		number, known := c.numberOf(f)
		own = own || !known
		return number, nil
	}})
	if err != nil {
		return err
	}
	_, isReward := v.(sim.RewardFunc)
	if _, isAlgorithm := v.(algorithms.Entry); own || isReward || isAlgorithm {
		return c.putFunctions(name, v)
	}
	if c.serves > 0 {
		return nil
	}
	_, err = c.call(OpPut, Named{name, value})
	return err
}

func (c *Client) putFunctions(name string, v any) error {
	var found []kernels.Formula
	value, err := Encode(v, Functions{Number: func(f kernels.Formula) (uint64, error) {
		if f.Pair == nil && f.Resolve == nil {
			return 0, f.Validate(0)
		}
		found = append(found, f)
		return uint64(len(found) - 1), nil
	}})
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.puts++
	put := FunctionPut{Named: Named{name, value}, Number: c.puts, Args: os.Args, Env: os.Environ(), Elapsed: time.Since(started)}
	c.mu.Unlock()
	if c.serves > 0 && put.Number != c.serves {
		return nil
	}
	if put.Program, err = os.Executable(); err != nil {
		return fmt.Errorf("the program of this cell cannot be found: %w", err)
	}
	if put.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if _, err = c.call(OpFunction, put); err != nil || c.serves == 0 {
		return err
	}
	conn, err := inherited(FunctionFile)
	if err != nil {
		return err
	}
	exit := func() { os.Exit(0) }
	e := Evaluator{Lookup: func(number uint64) (kernels.Formula, bool) {
		if number >= uint64(len(found)) {
			return kernels.Formula{}, false
		}
		return found[number], true
	}}
	switch v := v.(type) {
	case sim.RewardFunc:
		e.Reward = v
	case algorithms.Entry:
		e.runs = runs{entry: &v, decode: c.problem}
	}
	Serve(conn, &e, exit)
	exit()
	return nil
}

// problem returns a problem that the kernel sent. The kernel evaluates its formulas.
func (c *Client) problem(v Value) (*problem.Problem, error) {
	got, err := Decode(v, Functions{Formula: c.formula})
	if err != nil {
		return nil, err
	}
	p, ok := got.(*problem.Problem)
	if !ok {
		return nil, fmt.Errorf("the problem cannot be decoded")
	}
	return p, nil
}

// Act calls a function that records something in a campaign, with arguments by the names of parameters. It
// returns the value of the call, and sentences for people. In the process of a function it gets the
// answer of the first time, and nothing is recorded.
func (c *Client) Act(function string, args map[string]any) (any, []string, error) {
	content, err := json.Marshal(Act{function, args})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: an argument is a text, a finite number, a truth value or a list of texts", function)
	}
	answer, err := c.sent(OpAct, content)
	if err != nil {
		return nil, nil, err
	}
	var done Acted
	if err := Unpack(answer, &done); err != nil {
		return nil, nil, err
	}
	v, err := Decode(done.Value, Functions{Formula: c.formula})
	return v, done.Notices, err
}

// Show displays a bundle, a JSON object of representations by media type, below the
// cell. It returns when the kernel has published it.
func (c *Client) Show(bundle []byte) error {
	if c.serves > 0 {
		return nil
	}
	_, err := c.conn.Call(OpShow, bundle)
	return err
}

// FunctionPut binds a value that has functions of the cell in it: a Go func as a
// kernel, a kernel or problem that uses one, or a reward function. The functions in
// Value are numbered from 0. The rest states how to start the program again so that it
// gets to the same place.
type FunctionPut struct {
	Named
	Number  int // which Put with functions this is in the program, from 1
	Program string
	Args    []string // os.Args
	Dir     string
	Env     []string
	Elapsed time.Duration // since the program started
}

// What the process of a function finds open, besides its standard streams.
const (
	FunctionFile = 3 // the kernel asks, Serve answers
	SessionFile  = 4 // the program asks, as a cell asks the kernel
)

// Serve answers for the functions of e until the other end is closed, and returns then. Frames
// are read while a function runs, so that closed is called at once when the other end
// closes, whatever the function does.
func Serve(rw io.ReadWriter, e *Evaluator, closed func()) {
	type request struct {
		op      Op
		content []byte
	}
	requests := make(chan request)
	in := bufio.NewReader(rw)
	go func() {
		for {
			op, content, err := ReadFrame(in, MaxFrame)
			if err != nil {
				closed()
				close(requests)
				return
			}
			requests <- request{op, content}
		}
	}()
	for r := range requests {
		if op, answer := e.Answer(r.op, r.content); WriteFrame(rw, op, answer) != nil {
			return
		}
	}
}

var errNilFunction = errors.New("the function is nil")

// wrap makes a kernel or reward function of the plain Go functions that may be put;
// other values stay unchanged.
func wrap(name string, v any) (any, error) {
	switch f := v.(type) {
	case func(x, y []float64) float64:
		if f == nil {
			return nil, errNilFunction
		}
		return kernels.Func(name, f), nil
	case func(rng *rand.Rand, task, arm string) float64:
		if f == nil {
			return nil, errNilFunction
		}
		return sim.RewardFunc(func(rng *rand.Rand, task, arm string, n int) (float64, error) {
			sum := 0.0
			for range n {
				sum += f(rng, task, arm)
			}
			return sum / float64(n), nil
		}), nil
	case *algorithms.Entry:
		if f == nil {
			return nil, errors.New("the algorithm is nil")
		}
		return wrap(name, *f)
	case algorithms.Entry:
		f.Name = cmp.Or(f.Name, name)
		return f, nil
	case kernels.Formula:
		if f.Body == "" {
			f.Name = name // prints as what it is bound to
		}
		return f, nil
	}
	return v, nil
}
