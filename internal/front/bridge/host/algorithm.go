package host

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/front/bridge"
)

// algorithm makes an algorithm of a cell usable: its runs are made in the process of its Put.
func (f *function) algorithm(e algorithms.Entry) (algorithms.Entry, error) {
	ended := &endedRuns{}
	e.New = func(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
		r, number, err := f.liveWith()
		if err != nil {
			return nil, err
		}
		began, err := r.Begin(m.Problem, opt, bridge.Functions{Number: number}, ended.take(r))
		if err != nil {
			return nil, f.process.explain(err)
		}
		own := &ownRun{function: f, remote: r, number: began.Run, done: began.Done}
		runtime.AddCleanup(own, func(run uint64) { ended.add(r, run) }, began.Run)
		return own, nil
	}
	return e, nil
}

// endedRuns lists the runs that a process can forget.
type endedRuns struct {
	mu     sync.Mutex
	remote *bridge.Remote // of the runs
	runs   []uint64
}

func (e *endedRuns) add(r *bridge.Remote, run uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.remote != r {
		e.remote, e.runs = r, nil
	}
	e.runs = append(e.runs, run)
}

// take returns the runs of a process that ended since the last call.
func (e *endedRuns) take(r *bridge.Remote) []uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.remote != r {
		return nil
	}
	out := e.runs
	e.runs = nil
	return out
}

// ownRun is a run of an algorithm in the process of a cell.
type ownRun struct {
	function *function
	remote   *bridge.Remote
	number   uint64
	done     bool
	state    *engine.State // after the last round; nil before the first
}

// interruptible calls a method in the process, and ends the process when ctx ends: an algorithm may never return.
func (a *ownRun) interruptible(ctx context.Context, call func() error) error {
	defer context.AfterFunc(ctx, a.function.process.interrupt)()
	err := call()
	if stopped := ctx.Err(); err != nil && stopped != nil {
		return stopped
	}
	if err != nil {
		err = a.function.process.explain(err)
	}
	return err
}

// Plan implements engine.Algorithm.
func (a *ownRun) Plan(ctx context.Context) (plan engine.Plan, err error) {
	err = a.interruptible(ctx, func() (err error) {
		plan, err = a.remote.Plan(a.number)
		return err
	})
	return plan, err
}

// Learn implements engine.Algorithm. It also reads the state, so that a panic in State is an error.
func (a *ownRun) Learn(ctx context.Context, b engine.Batch) error {
	return a.interruptible(ctx, func() error {
		done, err := a.remote.Learn(a.number, b)
		if err != nil {
			return err
		}
		state, err := a.remote.State(a.number)
		a.done, a.state = done, &state
		return err
	})
}

// Done implements engine.Algorithm.
func (a *ownRun) Done() bool { return a.done }

// State implements engine.Algorithm.
func (a *ownRun) State() engine.State {
	if a.state == nil {
		state, err := a.remote.State(a.number)
		if err != nil {
			return engine.State{}
		}
		a.state = &state
	}
	return *a.state
}

// noteRead notes a value that the cell reads, for digest.
func (l *ledger) noteRead(name string, v any) {
	text := fmt.Sprint(v)
	if p, is := v.(*problem.Problem); is {
		text = fmt.Sprint(p.Digests(), p.Kernel, p.Goal, p.Noise.Text())
	}
	l.read = append(l.read, name, text)
}

// digest returns the digest of an algorithm: of its program, the number of its Put, and what the cell read from the session before.
func (l *ledger) digest(program string, number int) string {
	return question.Fingerprint(append([]string{program, fmt.Sprint(number)}, l.read...)...)
}
