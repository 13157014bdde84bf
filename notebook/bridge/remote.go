package bridge

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Conn is the requesting end of a connection. It is safe for concurrent use, and sends one request at a time.
type Conn struct {
	mu sync.Mutex
	w  io.Writer
	r  io.Reader
}

// NewConn returns a Conn over rw.
func NewConn(rw io.ReadWriter) *Conn { return &Conn{w: rw, r: bufio.NewReader(rw)} }

// Call sends a request and returns the content of the answer. If the answer is an error message, Call returns it as an
// error. IsBroken distinguishes such an error from an error of the connection.
func (c *Conn) Call(op Op, content []byte) (_ []byte, err error) {
	defer try.Caught(&err)
	c.mu.Lock()
	defer c.mu.Unlock()
	try.To(WriteFrame(c.w, op, content))
	kind, answer := try.Two(ReadFrame(c.r, MaxFrame))
	if kind == OpError {
		return nil, remoteError(answer)
	}
	return answer, nil
}

// Busy reports whether a request is waiting for its answer.
func (c *Conn) Busy() bool {
	if c.mu.TryLock() {
		c.mu.Unlock()
		return false
	}
	return true
}

// IsBroken reports whether an error of Call is an error of the connection, and not an answer.
func IsBroken(err error) bool {
	_, ok := err.(remoteError)
	return err != nil && !ok
}

// maxLists is the number of point lists that a Remote lets the other process keep.
const maxLists = 8

// Remote evaluates the formulas, rewards and algorithms of another process. It is safe for concurrent use.
type Remote struct {
	conn *Conn

	mu    sync.Mutex
	bound map[string]uint64 // formula and columns → number of the bound formula
	lists []sent            // oldest first
	next  uint64            // next number of a list or problem

	problems []sentProblem // oldest first
}

// sent is a list of points that the other process has. The pointer identifies the list, so the points must not be changed.
// Keeping the pointer prevents a new list at the same address.
type sent struct {
	points *kernels.Points
	number uint64
}

// NewRemote returns a Remote that sends its requests over c.
func NewRemote(c *Conn) *Remote { return &Remote{conn: c, bound: map[string]uint64{}} }

// Source is the process in which a formula is evaluated. The process may end and be started again.
type Source interface {
	// Bind returns the process at the beginning of a use of the formula.
	Bind() (*Remote, error)
	// Live returns the process for the evaluation of values.
	Live() (*Remote, error)
	// Fault receives the error of a failed evaluation. The values are NaN, because a kernel returns no errors.
	Fault(error)
}

// Formula returns a copy of f that is evaluated in another process. number is the formula's number there.
func Formula(f kernels.Formula, number uint64, source Source) kernels.Formula {
	evaluate := func(b Binding) kernels.Formula {
		g := f
		fill := func(dst []float64, ask func(*Remote) error) {
			r, err := source.Live()
			if err == nil {
				err = ask(r)
			}
			if err != nil {
				for j := range dst {
					dst[j] = math.NaN()
				}
				source.Fault(err)
			}
		}
		g.Pair = func(x, y kernels.Point) float64 {
			var value [1]float64
			fill(value[:], func(r *Remote) error { return r.pair(value[:], b, x, y) })
			return value[0]
		}
		g.Rows = func(dst []float64, x kernels.Point, ys *kernels.Points, from int) {
			fill(dst, func(r *Remote) error { return r.row(dst, b, x, ys, from) })
		}
		return g
	}
	f.Resolve = func(columns []string) (kernels.Formula, error) {
		b := Binding{Formula: number, Columns: columns}
		r, err := source.Bind()
		if err == nil {
			_, err = r.bind(b)
		}
		return evaluate(b), err
	}
	bare := evaluate(Binding{Formula: number, Bare: true})
	f.Pair = bare.Pair
	return f
}

// Draw requests the mean of n rewards of an arm. rng provides the seed.
func (r *Remote) Draw(rng *rand.Rand, task, arm string, n int) (float64, error) {
	content, err := Pack(Pull{task, arm, n, rng.Uint64(), rng.Uint64()})
	if err != nil {
		return 0, err
	}
	var mean [1]float64
	return mean[0], r.ask(mean[:], OpReward, content)
}

func (r *Remote) bind(b Binding) (uint64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bindLocked(b)
}

func (r *Remote) bindLocked(b Binding) (_ uint64, err error) {
	defer try.Caught(&err)
	key := strconv.FormatUint(b.Formula, 10)
	if !b.Bare {
		key = fmt.Sprintf("%d%q", b.Formula, b.Columns)
	}
	number, known := r.bound[key]
	if known {
		return number, nil
	}
	content := try.Of(Pack(b))
	answer := try.Of(r.conn.Call(OpBind, content))
	if len(answer) != 8 {
		return 0, fmt.Errorf("%w: a number has %d bytes", errFrame, len(answer))
	}
	number = binary.LittleEndian.Uint64(answer)
	r.bound[key] = number
	return number, nil
}

func (r *Remote) row(dst []float64, b Binding, x kernels.Point, ys *kernels.Points, from int) (err error) {
	defer try.Caught(&err)
	r.mu.Lock()
	defer r.mu.Unlock()
	formula := try.Of(r.bindLocked(b))
	list := try.Of(r.send(ys))
	content := binary.LittleEndian.AppendUint64(make([]byte, 0, 64+8*len(x.X)+len(x.Name)), formula)
	content = binary.LittleEndian.AppendUint64(content, list)
	content = binary.LittleEndian.AppendUint32(content, uint32(from))
	content = binary.LittleEndian.AppendUint32(content, uint32(len(dst)))
	return r.ask(dst, OpRow, appendPoint(content, x))
}

func (r *Remote) pair(dst []float64, b Binding, x, y kernels.Point) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	formula, err := r.bindLocked(b)
	if err != nil {
		return err
	}
	content := binary.LittleEndian.AppendUint64(nil, formula)
	return r.ask(dst, OpPair, appendPoint(appendPoint(content, x), y))
}

// send sends the points to the other process unless it has them, and returns their number.
func (r *Remote) send(ys *kernels.Points) (_ uint64, err error) {
	defer try.Caught(&err)
	for _, s := range r.lists {
		if s.points == ys {
			return s.number, nil
		}
	}
	l := packPoints(ys)
	l.Number = r.next
	if len(r.lists) == maxLists {
		l.Drop = []uint64{r.lists[0].number}
	}
	content := try.Of(Pack(l))
	try.Of(r.conn.Call(OpPoints, content))
	r.next++
	r.lists = append(r.lists[len(l.Drop):], sent{ys, l.Number})
	return l.Number, nil
}

// ask sends a request and stores the values of the answer in dst.
func (r *Remote) ask(dst []float64, op Op, content []byte) error {
	answer, err := r.conn.Call(op, content)
	if err != nil {
		return err
	}
	if len(answer) != 8*len(dst) {
		return fmt.Errorf("%w: %d bytes arrived for %d values", errFrame, len(answer), len(dst))
	}
	_, err = binary.Decode(answer, binary.LittleEndian, dst)
	return err
}
