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
	// startTime limits the time that a program needs to reach its Put, in addition to three times the time that the cell
	// needed.
	startTime = time.Minute
	// maxRunning limits the number of running processes of functions. Starting another one stops the least recently used
	// process, which starts again when it is needed.
	maxRunning = 16
)

// function is a Go function that a cell has defined. Kernels and problems with the function hold a reference to it. When
// the last reference is gone, its process and the copy of its program are removed (see newFunction).
type function struct{ process *process }

// process is the program of a function, whether or not it is running. It must not refer to the function, which would then
// never be garbage collected.
type process struct {
	host    *Host
	put     bridge.FunctionPut // without Value
	ledger  ledger
	program string // path of the copied program

	mu      sync.Mutex
	running *running // nil if not running
	used    time.Time
	failed  error    // error since the last Bind
	ended   []uint64 // runs of an algorithm that the process can drop

	runs  atomic.Int32 // number of open runs of an algorithm
	twins twins
}

// twins are further processes of the same program, for simultaneous runs of an algorithm.
type twins struct {
	mu     sync.Mutex
	all    []*process
	failed bool // one process could not start
}

// newFunction copies the program of a cell for a function. The copy is removed when the function is garbage collected.
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

// Bind implements bridge.Source. It clears earlier errors and returns the connection to the function's process.
func (f *function) Bind() (*bridge.Remote, error) {
	f.process.setFailed(nil)
	return f.live()
}

// Live implements bridge.Source. After a fault it returns the error until the next Bind, so that the other values of a
// matrix fail without waiting.
func (f *function) Live() (*bridge.Remote, error) {
	f.process.mu.Lock()
	failed := f.process.failed
	f.process.mu.Unlock()
	if failed != nil {
		return nil, failed
	}
	return f.live()
}

// Fault implements bridge.Source. It records why a value is NaN.
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

// live returns the connection to the function's process, and starts the process if necessary.
func (f *function) live() (*bridge.Remote, error) {
	r, err := f.process.live()
	if err != nil {
		return nil, err
	}
	return r.remote, nil
}

// live returns the running process, and starts it if necessary.
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

// explain replaces an error of the connection by the reason why the process ended. Other errors are returned unchanged.
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

// stop kills the process. It starts again when the function is needed.
func (p *process) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != nil {
		p.running.kill(errors.New("the process of the function was ended"))
	}
	p.running = nil
}

// interrupt kills the process if it is evaluating.
func (p *process) interrupt() {
	if !p.mu.TryLock() {
		return // it is starting, and the start ends at an interrupt
	}
	defer p.mu.Unlock()
	if p.running != nil && p.running.conn.Busy() {
		p.running.kill(errors.New("interrupted in the Go function"))
	}
}

// busy reports whether the process is starting or evaluating.
func (p *process) busy() bool {
	if !p.mu.TryLock() {
		return true // it is starting
	}
	defer p.mu.Unlock()
	return p.running != nil && p.running.conn.Busy()
}

// discard kills the process and its twins and removes the copy of the program.
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

// keep adds a process to h.processes if inUse is set, and otherwise removes it.
func (h *Host) keep(p *process, inUse bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if inUse {
		h.processes[p] = true
	} else {
		delete(h.processes, p)
	}
}

// makeRoom kills the least recently used idle process if at least maxRunning others are idle.
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
