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
	"github.com/gonb-cope/gonb-cope/notebook/bridge"
)

// mostProcesses limits the number of processes per algorithm.
const mostProcesses = maxRunning / 2

// algorithm returns the entry of a cell's algorithm with New set. New begins runs in the process of the cell's Put. For
// simultaneous runs it starts further processes of the same program. Runs share no state, and each run stays in its
// process.
func (f *function) algorithm(e algorithms.Entry) (algorithms.Entry, error) {
	e.New = func(m *model.Model, opt engine.Options) (engine.Algorithm, error) {
		p, live, err := f.process.join()
		if err != nil {
			return nil, err
		}
		began, err := live.remote.Begin(m.Problem, opt, bridge.Functions{Number: live.session.number}, p.takeEnded())
		if err != nil {
			p.runs.Add(-1)
			return nil, p.explain(err)
		}
		leave := sync.OnceFunc(func() { p.leave(live, began.Run) })
		own := &ownRun{function: f, process: p, remote: live.remote, number: began.Run, done: began.Done, leave: leave}
		runtime.AddCleanup(own, func(leave func()) { leave() }, leave) // ends a run that is no longer used
		return own, nil
	}
	return e, nil
}

// join chooses the process for a new run: the one with the fewest runs, or a new one if all have some. If a new process
// cannot start, for example because the cell opens a port, the first process takes all runs.
func (p *process) join() (*process, *running, error) {
	chosen := p.choose()
	live, err := chosen.live()
	if err != nil && chosen != p {
		p.twins.mu.Lock()
		p.twins.failed = true
		p.twins.mu.Unlock()
		chosen.runs.Add(-1)
		p.runs.Add(1)
		chosen = p
		live, err = p.live()
	}
	if err != nil {
		chosen.runs.Add(-1)
	}
	return chosen, live, err
}

// choose returns the process for a new run and increases that process's count of runs.
func (p *process) choose() *process {
	p.twins.mu.Lock()
	defer p.twins.mu.Unlock()
	least := p
	for _, t := range p.twins.all {
		if !p.twins.failed && t.runs.Load() < least.runs.Load() {
			least = t
		}
	}
	if least.runs.Load() > 0 && !p.twins.failed && 1+len(p.twins.all) < min(runtime.GOMAXPROCS(0), mostProcesses) {
		least = &process{host: p.host, put: p.put, ledger: p.ledger, program: p.program}
		p.host.keep(least, true)
		p.twins.all = append(p.twins.all, least)
	}
	least.runs.Add(1)
	return least
}

// leave records that a run has ended, so that its process can drop it.
func (p *process) leave(live *running, run uint64) {
	p.runs.Add(-1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == live {
		p.ended = append(p.ended, run)
	}
}

// takeEnded returns the runs that have ended since its last call.
func (p *process) takeEnded() []uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	ended := p.ended
	p.ended = nil
	return ended
}

// ownRun is a run of an algorithm in the process of a cell.
type ownRun struct {
	function *function // keeps the function from being garbage collected
	process  *process
	remote   *bridge.Remote
	number   uint64
	done     bool
	state    *engine.State // state after the last round; nil before
	leave    func()        // ends the run in its process
}

// interruptible calls call, which sends a request to the process. If ctx ends, it kills the process, because an algorithm
// may never return.
func (a *ownRun) interruptible(ctx context.Context, call func() error) error {
	defer context.AfterFunc(ctx, a.process.interrupt)()
	err := call()
	if stopped := ctx.Err(); err != nil && stopped != nil {
		return stopped
	}
	if err != nil {
		err = a.process.explain(err)
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

// Learn implements engine.Algorithm. It also requests the state, so that a panic in the cell's State becomes an error.
func (a *ownRun) Learn(ctx context.Context, b engine.Batch) error {
	return a.interruptible(ctx, func() error {
		done, err := a.remote.Learn(a.number, b)
		if err != nil {
			return err
		}
		state, err := a.remote.State(a.number)
		a.done, a.state = done, &state
		if done {
			a.leave()
		}
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

// noteRead records a value that the cell has read, for digest.
func (l *ledger) noteRead(name string, v any) {
	text := fmt.Sprint(v)
	if p, is := v.(*problem.Problem); is {
		text = fmt.Sprint(p.Digests(), p.Kernel, p.Goal, p.Noise.Text())
	}
	l.read = append(l.read, name, text)
}

// digest returns the digest of a cell's algorithm. It depends on the digest that the cell states (or else on the cell's
// source), the number of the Put, and the values that the cell has read.
func (l *ledger) digest(stated string, put bridge.FunctionPut) (string, error) {
	if stated == "" {
		var err error
		if stated, err = sourceDigest(put.Program); err != nil {
			return "", fmt.Errorf("the source of the cell cannot be read: %w", err)
		}
	}
	return question.Fingerprint(append([]string{stated, fmt.Sprint(put.Number)}, l.read...)...), nil
}
