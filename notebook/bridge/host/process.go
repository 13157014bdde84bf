package host

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/child"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/notebook/bridge"
)

const (
	// startTime limits the time that a program takes to come to its Put, beyond three times what
	// the cell took, also on a busy machine.
	startTime = time.Minute
	// maxRunning bounds the processes of functions that run at once. The one not used
	// for longest ends when another is started, and starts again when it is needed.
	maxRunning = 16
)

// function is a Go function that a cell bound. Kernels and problems that use it hold
// it; when none does, its process and the copy of its program go (see newFunction).
type function struct{ process *process }

// process is the program of a function, whether it runs at the moment or not. It must
// not refer to the function.
type process struct {
	host    *Host
	put     bridge.FunctionPut // without the value
	ledger  ledger
	program string // the copy

	mu      sync.Mutex
	running *running // nil when it does not run
	used    time.Time
	failed  error    // since it was bound last
	ended   []uint64 // runs of an algorithm that the process can forget

	runs  atomic.Int32 // of an algorithm that are under way
	twins twins
}

// twins are further processes of the same program, for more runs of an algorithm at once.
type twins struct {
	mu     sync.Mutex
	all    []*process
	failed bool // one could not be started
}

// newFunction copies the program of a cell.
func (h *Host) newFunction(put bridge.FunctionPut, l ledger) (*function, error) {
	p := &process{host: h, put: put, ledger: l}
	p.put.Value = bridge.Value{}
	h.mu.Lock()
	h.copies++
	p.program = filepath.Join(h.folder, fmt.Sprintf("function-%d", h.copies))
	h.processes[p] = true
	h.mu.Unlock()
	if err := child.Copy(put.Program, p.program, 0o700); err != nil {
		p.discard()
		return nil, fmt.Errorf("the cell's program cannot be kept for the function: %w", err)
	}
	f := &function{p}
	runtime.AddCleanup(f, func(p *process) { p.discard() }, p)
	return f, nil
}

func (f *function) formula(g kernels.Formula, number uint64) (kernels.Formula, error) {
	return bridge.Formula(g, number, f), nil
}

// Bind returns where the function is evaluated, and forgets what went wrong before.
func (f *function) Bind() (*bridge.Remote, error) {
	f.process.setFailed(nil)
	return f.live()
}

// Live returns where the function is evaluated. After a fault it is an error until the
// next Bind: a matrix has many values, and none of the others is worth the wait.
func (f *function) Live() (*bridge.Remote, error) {
	f.process.mu.Lock()
	failed := f.process.failed
	f.process.mu.Unlock()
	if failed != nil {
		return nil, failed
	}
	return f.live()
}

// Fault keeps why a value is NaN.
func (f *function) Fault(err error) {
	p := f.process
	err = p.explain(err)
	p.setFailed(err)
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	p.host.fault = cmp.Or(p.host.fault, err)
}

func (f *function) reward() (sim.RewardFunc, error) {
	return func(rng *rand.Rand, task, arm string, n int) (float64, error) {
		r, err := f.live()
		if err != nil {
			return 0, err
		}
		mean, err := r.Draw(rng, task, arm, n)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", f.process.put.Name, f.process.explain(err))
		}
		return mean, nil
	}, nil
}

// live returns where the function is evaluated, and starts its process if need be.
func (f *function) live() (*bridge.Remote, error) {
	r, err := f.process.live()
	if err != nil {
		return nil, err
	}
	return r.remote, nil
}

// live returns the running process, and starts it if need be.
func (p *process) live() (*running, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used = time.Now()
	if p.running != nil && !p.running.over() {
		return p.running, nil
	}
	p.host.makeRoom(p)
	r, err := start(p.program, p.put, newReplay(p.ledger), p.host.interrupted())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.put.Name, err)
	}
	p.running, p.ended = r, nil
	return r, nil
}

// explain says of an error of the connection why the process ended.
func (p *process) explain(err error) error {
	if !bridge.IsBroken(err) {
		return err
	}
	p.mu.Lock()
	r := p.running
	p.mu.Unlock()
	if r == nil {
		return fmt.Errorf("%s: the process of the function was ended", p.put.Name)
	}
	if why := r.end(); why != nil {
		return fmt.Errorf("%s: %w", p.put.Name, why)
	}
	return err
}

func (p *process) setFailed(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = err
}

// stop ends the process; it starts again when the function is needed.
func (p *process) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != nil {
		p.running.kill(errors.New("the process of the function was ended"))
	}
	p.running = nil
}

// interrupt ends the process if it is evaluating.
func (p *process) interrupt() {
	if !p.mu.TryLock() {
		return // it is being started, which ends by itself at an interrupt
	}
	defer p.mu.Unlock()
	if p.running != nil && p.running.conn.Busy() {
		p.running.kill(errors.New("interrupted in the Go function"))
	}
}

// busy reports whether the process is evaluating.
func (p *process) busy() bool {
	if !p.mu.TryLock() {
		return true // it is being started
	}
	defer p.mu.Unlock()
	return p.running != nil && p.running.conn.Busy()
}

// discard ends the process for good.
func (p *process) discard() {
	p.twins.mu.Lock()
	all := append(slices.Clip(p.twins.all), p)
	p.twins.mu.Unlock()
	for _, t := range all {
		t.stop()
		t.host.keep(t, false)
	}
	_ = os.Remove(p.program)
}

// keep adds a process to those in use, or removes it.
func (h *Host) keep(p *process, inUse bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if inUse {
		h.processes[p] = true
	} else {
		delete(h.processes, p)
	}
}

// makeRoom ends the process that was not used for longest when there are many.
func (h *Host) makeRoom(now *process) {
	var oldest *process
	var since time.Time
	count := 0
	for _, p := range h.others(now) {
		if !p.mu.TryLock() {
			continue // in use
		}
		if p.running != nil && p.runs.Load() == 0 && !p.running.conn.Busy() {
			count++
			if oldest == nil || p.used.Before(since) {
				oldest, since = p, p.used
			}
		}
		p.mu.Unlock()
	}
	if count >= maxRunning {
		oldest.stop()
	}
}

func (h *Host) others(now *process) []*process {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(slices.Collect(maps.Keys(h.processes)), func(p *process) bool { return p == now })
}
