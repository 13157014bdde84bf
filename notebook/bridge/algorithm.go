package bridge

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// This file is about algorithms that a Go cell passes to session.Put. Such an algorithm runs in a process of that cell.
// The kernel requests plans from it and sends it rewards. The kernel sends a problem once for all runs on it.

// kindAlgorithm is the Value.Kind of an algorithms.Entry.
const kindAlgorithm = "algorithm"

// packedEntry is the encoded form of an algorithms.Entry. It lacks the function New, which stays in the process of the cell.
type packedEntry struct {
	Name, Mode, Doc, Source, Digest         string
	Role, Backing, Regression               int
	Shares, Scheduled, ByValues, DividedByV bool
}

func packEntry(e algorithms.Entry) packedEntry {
	return packedEntry{Name: e.Name, Mode: e.Mode, Doc: e.Doc, Source: e.Source, Digest: e.Digest, Role: int(e.Role), Backing: int(e.Backing),
		Regression: int(e.Regression), Shares: e.Shares, Scheduled: e.Scheduled, ByValues: e.ByValues, DividedByV: e.DividedByV}
}

func (w packedEntry) unpack() algorithms.Entry {
	return algorithms.Entry{Name: w.Name, Mode: w.Mode, Doc: w.Doc, Source: w.Source, Digest: w.Digest, Role: algorithms.Role(w.Role),
		Backing: algorithms.Backing(w.Backing), Regression: algorithms.Regression(w.Regression), Shares: w.Shares, Scheduled: w.Scheduled,
		ByValues: w.ByValues, DividedByV: w.DividedByV}
}

// Begin requests a new run of the algorithm on a problem that was sent earlier.
type Begin struct {
	Problem uint64
	Options engine.Options
	Ended   []uint64 // runs that have ended and can be dropped
}

// Began is the answer to Begin.
type Began struct {
	Run  uint64
	Done bool
}

// Posed sends a problem with a number for later requests.
type Posed struct {
	Number uint64
	Value  Value
	Drop   []uint64 // numbers of problems that can be dropped
}

// maxProblems is the number of problems that a Remote lets the other process keep. maxOwnRuns is the largest number of
// open runs in a process.
const (
	maxProblems = 4
	maxOwnRuns  = 1 << 16
)

// runs holds the open runs of this process's algorithm, and their problems.
type runs struct {
	entry    *algorithms.Entry // the process's algorithm, or nil
	decode   func(Value) (*problem.Problem, error)
	problems map[uint64]*posed
	begun    map[uint64]*begun
	next     uint64
}

// posed is a received problem with its models, by the unit of rewards.
type posed struct {
	problem *problem.Problem
	models  map[float64]*model.Model
}

// begun is an open run.
type begun struct {
	alg   engine.Algorithm
	round int // number of the last plan
}

func (r *runs) pose(content []byte) (err error) {
	defer try.Caught(&err)
	var p Posed
	try.To(Unpack(content, &p))
	for _, number := range p.Drop {
		delete(r.problems, number)
	}
	if len(r.problems) > 2*maxProblems {
		return errors.New("too many problems")
	}
	if r.decode == nil {
		return errNoAlgorithm
	}
	got := try.Of(r.decode(p.Value))
	if r.problems == nil {
		r.problems = map[uint64]*posed{}
	}
	r.problems[p.Number] = &posed{got, map[float64]*model.Model{}}
	return nil
}

var errNoAlgorithm = errors.New("the process does not have this algorithm")

func (r *runs) begin(content []byte) (_ []byte, err error) {
	defer try.Caught(&err)
	var b Begin
	try.To(Unpack(content, &b))
	for _, run := range b.Ended {
		delete(r.begun, run)
	}
	p := r.problems[b.Problem]
	if r.entry == nil || p == nil || len(r.begun) >= maxOwnRuns {
		return nil, errNoAlgorithm
	}
	m := p.models[b.Options.Unit]
	if m == nil {
		m = try.Of(model.NewContext(context.Background(), p.problem, b.Options.Unit))
		p.models[b.Options.Unit] = m
	}
	var alg engine.Algorithm
	var done bool
	if p := caught(func() {
		if alg, err = r.entry.New(m, b.Options); err == nil && alg != nil {
			done = alg.Done()
		}
	}); p != nil {
		return nil, fmt.Errorf("a panic in New: %v", p)
	}
	if err == nil && alg == nil {
		err = errors.New("New returned no algorithm")
	}
	if err != nil {
		return nil, err
	}
	if r.begun == nil {
		r.begun = map[uint64]*begun{}
	}
	r.next++
	r.begun[r.next] = &begun{alg: alg}
	return Pack(Began{r.next, done})
}

// run returns the run whose number is next in the content of a request.
func (r *runs) run(c *cursor) (*begun, error) {
	b := r.begun[c.uint64()]
	if c.short || b == nil {
		return nil, errors.New("the run is over")
	}
	return b, nil
}

func (r *runs) plan(content []byte) ([]byte, error) {
	b, err := r.run(&cursor{b: content})
	if err != nil {
		return nil, err
	}
	b.round++
	var plan engine.Plan
	if p := caught(func() { plan, err = b.alg.Plan(context.Background()) }); p != nil {
		err = fmt.Errorf("a panic in Plan: %v", p)
	}
	if err != nil {
		return nil, err
	}
	return appendPlan(nil, plan)
}

func (r *runs) learn(content []byte) (_ []byte, err error) {
	defer try.Caught(&err)
	c := &cursor{b: content}
	b := try.Of(r.run(c))
	batch := try.Of(c.batch())
	done := []byte{0}
	if p := caught(func() {
		if err = b.alg.Learn(context.Background(), batch); err == nil && b.alg.Done() {
			done[0] = 1
		}
	}); p != nil {
		err = fmt.Errorf("a panic in Learn: %v", p)
	}
	return done, err
}

func (r *runs) state(content []byte) ([]byte, error) {
	b, err := r.run(&cursor{b: content})
	if err != nil {
		return nil, err
	}
	var s engine.State
	if p := caught(func() { s = b.alg.State() }); p != nil {
		return nil, fmt.Errorf("a panic in State: %v", p)
	}
	return Pack(s)
}

// The encoding of plans and batches is written by hand, because each run sends them in every round.

func appendInts(b []byte, values []int) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(values)))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(int64(v)))
	}
	return b
}

func appendList(b []byte, values []float64) []byte {
	return appendValues(binary.LittleEndian.AppendUint32(b, uint32(len(values))), values...)
}

func (c *cursor) ints() []int {
	return cursorList(c, func(x uint64) int { return int(int64(x)) })
}

func (c *cursor) list() []float64 { return cursorList(c, math.Float64frombits) }

// cursorList reads a list that is preceded by its length. It returns nil for an empty list, and sets c.short if bytes are
// missing.
func cursorList[T any](c *cursor, of func(uint64) T) []T {
	n := c.uint32()
	if c.short = c.short || n > len(c.b)/8; c.short || n == 0 {
		return nil
	}
	out := make([]T, n)
	for i := range out {
		out[i] = of(c.uint64())
	}
	return out
}

func appendPlan(b []byte, p engine.Plan) ([]byte, error) {
	if len(p.Sides) > 0 {
		return nil, errors.New("its plan has blocks (Plan.Sides), which algorithms of Go cells cannot have")
	}
	wants := 0
	if p.WantSquares {
		wants = 1
	}
	b = appendInts(b, append([]int{p.Round, wants}, p.Counts...))
	return appendList(b, []float64{p.Rho, p.RhoLower, p.Rounding}), nil
}

func (c *cursor) plan() (engine.Plan, error) {
	whole, rest := c.ints(), c.list()
	if c.short || len(whole) < 2 || len(rest) != 3 {
		return engine.Plan{}, errors.New("the plan cannot be decoded")
	}
	return engine.Plan{Round: whole[0], WantSquares: whole[1] == 1, Counts: whole[2:], Rho: rest[0], RhoLower: rest[1], Rounding: rest[2]}, nil
}

func appendBatch(b []byte, batch engine.Batch) []byte {
	b = appendList(appendList(appendInts(b, batch.Counts), batch.Means), batch.Squares)
	ends := make([]float64, 0, 2*len(batch.Ranges))
	for _, r := range batch.Ranges {
		ends = append(ends, r[0], r[1])
	}
	return appendList(b, ends)
}

func (c *cursor) batch() (engine.Batch, error) {
	b := engine.Batch{Counts: c.ints(), Means: c.list(), Squares: c.list()}
	for ends := range slices.Chunk(c.list(), 2) {
		b.Ranges = append(b.Ranges, [2]float64{ends[0], ends[len(ends)-1]})
	}
	if c.short {
		return b, errors.New("the rewards cannot be decoded")
	}
	return b, nil
}

// Begin begins a run of the other process's algorithm on problem p. ended are numbers of runs that the other process can
// drop.
func (r *Remote) Begin(p *problem.Problem, opt engine.Options, number Functions, ended []uint64) (_ Began, err error) {
	defer try.Caught(&err)
	var began Began
	r.mu.Lock()
	defer r.mu.Unlock()
	at := try.Of(r.pose(p, number))
	content := try.Of(Pack(Begin{at, opt, ended}))
	answer := try.Of(r.conn.Call(OpBegin, content))
	return began, Unpack(answer, &began)
}

// pose sends the problem to the other process unless it has the problem, and returns the problem's number.
func (r *Remote) pose(p *problem.Problem, number Functions) (_ uint64, err error) {
	defer try.Caught(&err)
	if i := slices.IndexFunc(r.problems, func(s sentProblem) bool { return s.problem == p }); i >= 0 {
		return r.problems[i].number, nil
	}
	value := try.Of(Encode(p, number))
	posed := Posed{Number: r.next, Value: value}
	if len(r.problems) == maxProblems {
		posed.Drop = []uint64{r.problems[0].number}
	}
	content := try.Of(Pack(posed))
	try.Of(r.conn.Call(OpProblem, content))
	r.next++
	r.problems = append(r.problems[len(posed.Drop):], sentProblem{p, posed.Number})
	return posed.Number, nil
}

// sentProblem is a problem that the other process has.
type sentProblem struct {
	problem *problem.Problem
	number  uint64
}

// Plan requests the next plan of a run.
func (r *Remote) Plan(run uint64) (engine.Plan, error) {
	answer, err := r.conn.Call(OpPlan, binary.LittleEndian.AppendUint64(nil, run))
	if err != nil {
		return engine.Plan{}, err
	}
	return (&cursor{b: answer}).plan()
}

// Learn sends the rewards of a round and reports whether the run is done.
func (r *Remote) Learn(run uint64, b engine.Batch) (done bool, err error) {
	answer, err := r.conn.Call(OpLearn, appendBatch(binary.LittleEndian.AppendUint64(nil, run), b))
	return len(answer) == 1 && answer[0] == 1, err
}

// State requests the state of a run.
func (r *Remote) State(run uint64) (engine.State, error) {
	var s engine.State
	answer, err := r.conn.Call(OpState, binary.LittleEndian.AppendUint64(nil, run))
	if err != nil {
		return s, err
	}
	return s, Unpack(answer, &s)
}
