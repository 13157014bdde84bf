package bridge

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The content of OpRow is, little endian,
//
//	number of the bound formula, number of the list of points: uint64 each
//	index of the first point in the list, number of points: uint32 each
//	the point x, see appendPoint
//
// The content of OpPair is the number of the bound formula and two points. The encoding is written by hand, because each row
// of a Gram matrix is a request.

// Binding requests a formula for points with the given columns. The answer is the number of the bound formula, 8 bytes.
type Binding struct {
	Formula uint64
	Columns []string
	Bare    bool // the formula without binding, for points with unknown columns
}

// Pull requests the mean of N rewards. A and B seed the random numbers.
type Pull struct {
	Task, Arm string
	N         int
	A, B      uint64
}

func appendPoint(b []byte, p kernels.Point) []byte {
	b = appendValues(binary.LittleEndian.AppendUint32(b, uint32(len(p.X))), p.X...)
	b = binary.LittleEndian.AppendUint64(b, uint64(p.ID))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.Name)))
	return append(b, p.Name...)
}

// cursor reads numbers from the front of b. It sets short if bytes are missing.
type cursor struct {
	b     []byte
	short bool
}

func (c *cursor) take(n int) []byte {
	if c.short || n > len(c.b) {
		c.short = true
		return make([]byte, min(n, 8))
	}
	taken := c.b[:n]
	c.b = c.b[n:]
	return taken
}

func (c *cursor) uint32() int    { return int(binary.LittleEndian.Uint32(c.take(4))) }
func (c *cursor) uint64() uint64 { return binary.LittleEndian.Uint64(c.take(8)) }

func (c *cursor) point() kernels.Point {
	var p kernels.Point
	dim := c.uint32()
	if c.short = c.short || dim > len(c.b)/8; c.short {
		return p
	}
	p.X = lists.Make(dim, func(int) float64 { return math.Float64frombits(c.uint64()) })
	p.ID = int(c.uint64())
	p.Name = string(c.take(c.uint32()))
	return p
}

func appendValues(b []byte, values ...float64) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, values) // never returns an error
	return b
}

// Evaluator answers requests on one connection with the formulas, the reward function and the algorithm of this process.
// It must not be used by several goroutines at once.
type Evaluator struct {
	Lookup func(number uint64) (kernels.Formula, bool)
	Reward sim.RewardFunc // reward function of this process, or nil
	runs   runs           // runs of the algorithm of this process

	numbers map[string]uint64 // formula and columns → number of the bound formula
	bound   []kernels.Formula
	lists   map[uint64]*kernels.Points
}

// Answer answers one request. It returns an OpError for each error and for a panic of the user's function.
func (e *Evaluator) Answer(op Op, content []byte) (Op, []byte) {
	var reply []byte
	var err error
	kind := OpValues
	switch op {
	case OpBind:
		kind = OpDone
		reply, err = e.bind(content)
	case OpPoints:
		kind = OpDone
		err = e.keep(content)
	case OpRow:
		reply, err = e.row(content)
	case OpPair:
		reply, err = e.pair(content)
	case OpReward:
		reply, err = e.pull(content)
	case OpProblem:
		err = e.runs.pose(content)
	case OpBegin:
		reply, err = e.runs.begin(content)
	case OpPlan:
		reply, err = e.runs.plan(content)
	case OpLearn:
		reply, err = e.runs.learn(content)
	case OpState:
		reply, err = e.runs.state(content)
	default:
		err = fmt.Errorf("unknown request %q", byte(op))
	}
	if err != nil {
		return OpError, []byte(err.Error())
	}
	return kind, reply
}

func (e *Evaluator) bind(content []byte) (_ []byte, err error) {
	defer try.Caught(&err)
	var b Binding
	try.To(Unpack(content, &b))
	key := strconv.FormatUint(b.Formula, 10) + fmt.Sprintf("%t%q", b.Bare, b.Columns)
	number, known := e.numbers[key]
	if !known {
		f, ok := e.Lookup(b.Formula)
		if !ok {
			return nil, fmt.Errorf("the kernel has no formula %d", b.Formula)
		}
		if !b.Bare && f.Resolve != nil {
			f = try.Of(f.Resolve(b.Columns))
		}
		if f.Pair == nil {
			return nil, fmt.Errorf("%s: the formula must be bound to points first, see kernels.Bind", f.Name)
		}
		if e.numbers == nil {
			e.numbers = map[string]uint64{}
		}
		number = uint64(len(e.bound))
		e.numbers[key], e.bound = number, append(e.bound, f)
	}
	return binary.LittleEndian.AppendUint64(nil, number), nil
}

func (e *Evaluator) keep(content []byte) (err error) {
	defer try.Caught(&err)
	var l List
	try.To(Unpack(content, &l))
	p := try.Of(unpackPoints(l))
	for _, number := range l.Drop {
		delete(e.lists, number)
	}
	if e.lists == nil {
		e.lists = map[uint64]*kernels.Points{}
	}
	if len(e.lists) > 4*maxLists {
		return fmt.Errorf("too many lists of points")
	}
	e.lists[l.Number] = p
	return nil
}

func (e *Evaluator) row(content []byte) ([]byte, error) {
	c := cursor{b: content}
	formula, list := c.uint64(), c.uint64()
	from, n := c.uint32(), c.uint32()
	x := c.point()
	ys := e.lists[list]
	if c.short || formula >= uint64(len(e.bound)) || ys == nil || from+n > ys.Len() {
		return nil, fmt.Errorf("the request for a row cannot be decoded")
	}
	f, dst := e.bound[formula], make([]float64, n)
	if p := caught(func() { f.Row(dst, x, ys, from) }); p != nil {
		return nil, e.blame(f, p, x, ys, from, n)
	}
	return appendValues(make([]byte, 0, 8*n), dst...), nil
}

func (e *Evaluator) pair(content []byte) ([]byte, error) {
	c := cursor{b: content}
	formula := c.uint64()
	x, y := c.point(), c.point()
	if c.short || formula >= uint64(len(e.bound)) {
		return nil, fmt.Errorf("the request for a value cannot be decoded")
	}
	f := e.bound[formula]
	var value float64
	if p := caught(func() { value = f.Pair(x, y) }); p != nil {
		return nil, panicked(f, p, x, y)
	}
	return appendValues(nil, value), nil
}

func (e *Evaluator) pull(content []byte) ([]byte, error) {
	var pull Pull
	if err := Unpack(content, &pull); err != nil {
		return nil, err
	}
	if e.Reward == nil {
		return nil, fmt.Errorf("the kernel does not have this reward function")
	}
	var mean float64
	var err error
	p := caught(func() { mean, err = e.Reward(rand.New(rand.NewPCG(pull.A, pull.B)), pull.Task, pull.Arm, pull.N) })
	if p != nil {
		return nil, fmt.Errorf("a panic at task %q, arm %q: %v", pull.Task, pull.Arm, p)
	}
	return appendValues(nil, mean), err
}

// caught calls f and returns the value of a panic, or nil.
func caught(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// blame evaluates a row again, pair by pair, and returns an error that names the pair of points at which the formula
// panics. p is the value of the first panic.
func (e *Evaluator) blame(f kernels.Formula, p any, x kernels.Point, ys *kernels.Points, from, n int) error {
	for j := range n {
		y := ys.Point(from + j)
		if again := caught(func() { f.Pair(x, y) }); again != nil {
			return panicked(f, again, x, y)
		}
	}
	return fmt.Errorf("%s: a panic: %v", f.Name, p)
}

func panicked(f kernels.Formula, p any, x, y kernels.Point) error {
	return fmt.Errorf("%s: a panic at the points %s and %s: %v", f.Name, place(x), place(y), p)
}

// place describes a point for an error message: its name and its first features.
func place(p kernels.Point) string {
	const most = 6
	values := lists.Map(p.X[:min(most, len(p.X))], func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) })
	if len(p.X) > most {
		values = append(values, "…")
	}
	return strings.TrimSpace(p.Name + " (" + strings.Join(values, ", ") + ")")
}
