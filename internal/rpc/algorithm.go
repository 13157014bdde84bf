package rpc

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// ownParams is the request to a class of the program for the next plan of a run. If Terms is set, the request begins a new
// run, and the class gets the arms of its problem. The arms are sent once per problem. Otherwise Counts, Means and Squares
// are the rewards of the last round. The sign of rewards is such that higher is better.
type ownParams struct {
	Run     int       `json:"run"`
	Ended   []int     `json:"ended,omitempty"` // runs that have ended and can be dropped
	Arms    int       `json:"arms"`            // number of the problem
	About   *armsOf   `json:"about,omitempty"` // set if the problem was not sent before; its Gram matrix is sent as a block
	Terms   *ownTerms `json:"terms,omitempty"` // set if a run begins
	Counts  []int     `json:"counts,omitempty"`
	Means   []float64 `json:"means,omitempty"`
	Squares []float64 `json:"squares,omitempty"`
}

// armsOf describes a problem to a class of the program.
type armsOf struct {
	Names     []string  `json:"names"`
	TaskNames []string  `json:"task_names"`
	Task      []int     `json:"task"`
	Noise     []float64 `json:"noise"`
}

// ownTerms are the options of a run for a class of the program.
type ownTerms struct {
	Delta   float64 `json:"delta"`
	Epsilon float64 `json:"epsilon"`
	Budget  int     `json:"budget"`
}

// mostArms is the largest number of arms for which the Gram matrix is sent. At this number it has 200 MB.
const mostArms = 5000

// algorithm returns a class of the program as an algorithm. function is the number of the class.
func (a *asker) algorithm(name string, function int, digest string) algorithms.Entry {
	s := &ownSide{asker: a, function: function, sent: map[*problem.Problem]int{}}
	return algorithms.Entry{Name: name, Digest: digest, Shares: true, New: s.begin}
}

// ownSide sends the requests for one class of the program.
type ownSide struct {
	asker    *asker
	function int

	mu    sync.Mutex
	runs  int // number of runs so far
	ended []int
	sent  map[*problem.Problem]int // problem → its number in this request
	of    context.Context          // context of the current request
}

// begin begins a run: the program creates an object of the class and returns its first plan.
func (s *ownSide) begin(m *model.Model, opt engine.Options) (_ engine.Algorithm, err error) {
	defer try.Caught(&err)
	p := m.Problem
	if p.N() > mostArms {
		return nil, fmt.Errorf("the problem has %d arms; an algorithm of Python gets the Gram matrix of at most %d", p.N(), mostArms)
	}
	opt = try.Of(opt.Checked(""))
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.asker.context(); now != s.of { // between requests the program drops all problems
		s.of = now
		clear(s.sent)
	}
	s.runs++
	ask := ownParams{Run: s.runs, Ended: s.ended, Terms: &ownTerms{opt.Delta, opt.Epsilon, opt.Budget}}
	var blocks [][]byte
	number, there := s.sent[p]
	if !there {
		number = len(s.sent)
		ask.About = &armsOf{p.Arms.Names, p.Tasks.Names, p.TaskOf, p.Noise.Scales}
		n := p.N()
		values := make([]float64, n*n)
		for i := range n {
			m.Row(values[i*n:(i+1)*n], i)
		}
		for i := range values {
			values[i] *= m.Scale
		}
		blocks = [][]byte{bytesOf(values)}
	}
	ask.Arms = number
	r := &ownRun{side: s, problem: p, number: s.runs, counts: make([]int, p.N()), means: make([]float64, p.N())}
	try.To(r.ask(ask, blocks...))
	s.sent[p], s.ended = number, nil
	runtime.AddCleanup(r, s.end, r.number)
	return r, nil
}

func (s *ownSide) end(run int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = append(s.ended, run)
}

// ownRun is a run of an algorithm in the program. Each answer of the program contains the next plan.
type ownRun struct {
	side    *ownSide
	problem *problem.Problem
	number  int
	plan    []int // pulls per arm; empty if the run is done
	answers []int

	counts []int     // number of pulls so far, per arm
	means  []float64 // mean reward so far, per arm
}

func (r *ownRun) ask(p ownParams, blocks ...[]byte) error {
	out, err := r.side.asker.ask(evaluateParams{Function: r.side.function, Kind: "algorithm", Algorithm: &p}, blocks...)
	if err != nil {
		return err
	}
	if out.Answers != nil && len(out.Answers) != r.problem.V() { // nil before the first data
		return fmt.Errorf("answers returned %d numbers of arms for %d tasks", len(out.Answers), r.problem.V())
	}
	for v, i := range out.Answers {
		if lo, hi := r.problem.ArmsOf(v); i != -1 && (i < lo || i >= hi) {
			return fmt.Errorf("answers returned arm %d for task %d, whose arms are %d to %d; -1 means no answer", i, v, lo, hi-1)
		}
	}
	r.plan, r.answers = out.Plan, out.Answers
	return nil
}

// Plan implements engine.Algorithm.
func (r *ownRun) Plan(context.Context) (engine.Plan, error) {
	return engine.Plan{Counts: slices.Clone(r.plan), WantSquares: true}, nil
}

// Learn implements engine.Algorithm.
func (r *ownRun) Learn(_ context.Context, b engine.Batch) error {
	for i, n := range b.Counts {
		if n > 0 {
			r.counts[i] += n
			r.means[i] += (b.Means[i] - r.means[i]) * float64(n) / float64(r.counts[i])
		}
	}
	return r.ask(ownParams{Run: r.number, Counts: b.Counts, Means: b.Means, Squares: b.Squares})
}

// Done implements engine.Algorithm.
func (r *ownRun) Done() bool { return len(r.plan) == 0 }

// State implements engine.Algorithm. The answers of a finished run are decided. The class states no estimates, so the
// estimate of an arm is the mean of its rewards.
func (r *ownRun) State() engine.State {
	var s engine.State
	for v := range r.problem.V() {
		i, _ := r.problem.ArmsOf(v)
		decided := r.answers != nil && r.answers[v] >= 0
		if decided {
			i = r.answers[v]
		}
		s.Answers = append(s.Answers, engine.Answer{Leader: r.problem.Arms.Names[i], Estimate: r.means[i], Decided: decided && r.Done()})
	}
	return s
}
