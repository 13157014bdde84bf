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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// started is approximately the start time of the program.
var started = time.Now()

// Client is a Go cell's connection to the kernel. It is safe for concurrent use.
type Client struct {
	conn   *Conn
	remote *Remote

	mu     sync.Mutex
	known  map[string]uint64 // number of each formula that was read, by its name, parameters and text
	puts   int               // number of Put calls with functions so far
	serves int               // number of the Put, from 1, at which this process serves a function; 0 in a cell
}

// Open connects to the kernel that the environment variables name. It returns ErrNoKernel if they name none.
func Open() (_ *Client, err error) {
	defer try.Caught(&err)
	if number := os.Getenv(EnvServe); number != "" {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s is %q; it must be a number from 1", EnvServe, number)
		}
		conn := try.Of(inherited(SessionFile))
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
	try.Of(c.call(OpHello, Hello{Version, os.Getenv(EnvKey)}))
	return c, nil
}

// Connect opens the program's connection once. Later calls return the same connection or error.
var Connect = sync.OnceValues(Open)

// inherited returns the socket with the given file descriptor, which the kernel left open for the process of a function.
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

// sent sends a frame and returns the content of the answer.
func (c *Client) sent(op Op, content []byte) ([]byte, error) {
	answer, err := c.conn.Call(op, content)
	if IsBroken(err) {
		err = fmt.Errorf("the kernel does not answer: %w", err)
	}
	return answer, err
}

// Names lists the names defined in the session, oldest first.
func (c *Client) Names() ([]Entry, error) {
	answer, err := c.call(OpNames, "")
	if err != nil {
		return nil, err
	}
	var names []Entry
	return names, Unpack(answer, &names)
}

// Get returns the value of a name. Encode lists the possible types.
func (c *Client) Get(name string) (_ any, err error) {
	defer try.Caught(&err)
	answer := try.Of(c.call(OpGet, name))
	var v Value
	try.To(Unpack(answer, &v))
	got, err := Decode(v, Functions{Formula: c.formula})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return got, nil
}

// formula returns a formula of the session as a kernel whose values the notebook kernel computes. It records the formula's
// number.
func (c *Client) formula(f kernels.Formula, number uint64) (kernels.Formula, error) {
	c.mu.Lock()
	c.known[identity(f)] = number
	c.mu.Unlock()
	return Formula(f, number, kernelSource{c}), nil
}

// kernelSource is a Source that evaluates formulas in the notebook kernel. It panics on failure, because kernels.Formula
// returns no errors.
type kernelSource struct{ *Client }

// Bind implements Source. It returns the connection to the notebook kernel.
func (c kernelSource) Bind() (*Remote, error) { return c.remote, nil }

// Live implements Source. It returns the connection to the notebook kernel.
func (c kernelSource) Live() (*Remote, error) { return c.remote, nil }

// Fault implements Source. It panics with err.
func (c kernelSource) Fault(err error) {
	if IsBroken(err) {
		err = fmt.Errorf("the kernel does not answer: %w", err)
	}
	panic(fmt.Errorf("session: %w", err))
}

func identity(f kernels.Formula) string { return f.Name + "\x00" + f.Params + "\x00" + f.Body }

// numberOf returns the number of a formula that was read from the session. It returns false for the cell's own formula,
// even if that has the same name. It recognises the session's formulas by their Resolve function.
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

// Put defines a name in the session. In the process of a function, Put normally does nothing. At the call that defined the
// function, it serves requests instead and does not return.
func (c *Client) Put(name string, v any) (err error) {
	defer try.Caught(&err)
	v = try.Of(wrap(name, v))
	own := false
	value := try.Of(Encode(v, Functions{Number: func(f kernels.Formula) (uint64, error) {
		number, known := c.numberOf(f)
		own = own || !known
		return number, nil
	}}))
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

func (c *Client) putFunctions(name string, v any) (err error) {
	defer try.Caught(&err)
	var found []kernels.Formula
	value := try.Of(Encode(v, Functions{Number: func(f kernels.Formula) (uint64, error) {
		if f.Pair == nil && f.Resolve == nil {
			return 0, f.Validate(0)
		}
		found = append(found, f)
		return uint64(len(found) - 1), nil
	}}))
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
	put.Dir = try.Of(os.Getwd())
	if _, err = c.call(OpFunction, put); err != nil || c.serves == 0 {
		return err
	}
	conn := try.Of(inherited(FunctionFile))
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

// problem decodes a problem that the kernel sent. The notebook kernel evaluates the problem's formulas.
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

// Act calls a function that records something in a campaign; args maps parameters to arguments. It returns the value of
// the call and messages for the user. In the process of a function, Act records nothing and returns the answer that the
// cell got.
func (c *Client) Act(function string, args map[string]any) (_ any, _ []string, err error) {
	defer try.Caught(&err)
	content, err := json.Marshal(Act{function, args})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: an argument is a text, a finite number, a truth value or a list of texts", function)
	}
	answer := try.Of(c.sent(OpAct, content))
	var done Acted
	try.To(Unpack(answer, &done))
	v, err := Decode(done.Value, Functions{Formula: c.formula})
	return v, done.Notices, err
}

// Show displays bundle below the cell and waits until the kernel has published it. bundle is a JSON object that maps media
// types to representations.
func (c *Client) Show(bundle []byte) error {
	if c.serves > 0 {
		return nil
	}
	_, err := c.conn.Call(OpShow, bundle)
	return err
}

// FunctionPut defines a name as a value that contains Go functions of the cell: a kernel, a problem with such a kernel, a
// reward function or an algorithm. The functions in Value are numbered from 0. The other fields state how to start the
// program again so that it reaches the same Put.
type FunctionPut struct {
	Named
	Number  int // number of this Put among those with functions, from 1
	Program string
	Args    []string // os.Args
	Dir     string
	Env     []string
	Elapsed time.Duration // time from the start of the program to this Put
}

// These are the file descriptors of sockets that the process of a function inherits.
const (
	FunctionFile = 3 // requests of the kernel, which Serve answers
	SessionFile  = 4 // requests of the program, as from a cell
)

// Serve answers requests for the functions of e until the other end closes the connection. It also reads while a function
// runs, so that it calls closed immediately when the other end closes.
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

// wrap converts plain Go functions to a kernel or a reward function. It gives a name to algorithms and formulas without
// one. Other values are returned unchanged.
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
			f.Name = name // the kernel is printed under this name
		}
		return f, nil
	}
	return v, nil
}
