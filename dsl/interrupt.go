package dsl

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/await"
)

// grace limits the time that a computation may go on after an interrupt. Then it is left behind,
// and what it would have given is lost: some parts, such as a factorisation, cannot be stopped.
const grace = 300 * time.Millisecond

// computed returns what compute does, which reads its arguments and changes nothing.
func computed[T any](c *call, compute func() (T, error)) (T, error) {
	return await.Result(c.e.ctx, await.Patience{Grace: grace}, compute)
}

// simulated computes runs. Once worth says that there is something to keep, they are waited for:
// they stop by themselves, and what is finished is kept.
func simulated[T any](c *call, worth *atomic.Bool, compute func() (T, error)) (T, error) {
	return await.Result(c.e.ctx, await.Patience{Grace: grace, Keeps: worth.Load}, compute)
}

// noting returns a progress that passes steps on and notes the first that leaves something to keep.
func noting(tell func(sim.Step), worth *atomic.Bool, is func(sim.Step) bool) func(sim.Step) {
	return func(s sim.Step) {
		if is(s) {
			worth.Store(true)
		}
		if tell != nil {
			tell(s)
		}
	}
}

// teller reports progress until it is closed: nobody listens to a computation that was left behind.
type teller struct {
	mu     sync.Mutex
	closed bool
	tell   Progress
}

func (t *teller) update(a Activity) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.tell(a)
	}
}

func (t *teller) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}
