package canon

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

// Memory caches results of models that do not depend on data: designs, roundings and estimators. The key contains all
// numbers on which a result depends, so models with different rewards, budgets or confidence may share a Memory. Results
// are the same with and without the cache. A sweep over such models solves each design once, even with concurrent workers.
//
// The zero value is ready to use. A Memory is safe for concurrent use and limited to 256 MiB.
type Memory struct {
	mu sync.Mutex
	// two generations: if the young one is full, it replaces the old one, so unused entries are dropped
	young, old map[string]entry
	floats     int                     // size of young, in floating-point numbers
	pending    map[string]*computation // values that are being computed
}

// memoryLimit is the largest number of float64 in each of the two cache generations (128 MiB).
const memoryLimit = 1 << 24

// sizeOf returns the approximate size of a value in floating-point numbers. Types of other packages must have a method
// Floats; sizeOf panics for other types.
func sizeOf(value any) int {
	switch v := value.(type) {
	case float64:
		return 1
	case []float64:
		return len(v)
	case design.Design:
		return len(v.Weights) + len(v.Certificate.Weights) + 4*len(v.Certificate.Pairs)
	case design.Rounding:
		return len(v.Counts)
	case interface{ Floats() int }:
		return v.Floats()
	}
	panic(fmt.Sprintf("a Memory does not know the size of a %T", value))
}

// entry is a cached value.
type entry struct {
	value  any
	floats int
}

// computation is a value being computed. Its fields are set before done is closed.
type computation struct {
	done  chan struct{}
	value any
	err   error
	ended bool // the computation was cancelled or panicked: waiting callers then compute the value themselves
}

// Remember returns the cached value of a key, and calls compute if there is none. If several goroutines request a key, one
// computes it and the others wait until it ends or their own context ends. Errors are not cached.
//
// compute must be a pure function of the key. It may call Remember for other keys, but not in a cycle.
func Remember[T any](ctx context.Context, m *Memory, k Key, compute func() (T, error)) (value T, err error) {
	const enough = 192 // bytes, for the keys of small problems
	at := k.encode(make([]byte, 0, enough))
	for {
		stored, c, first := m.find(at)
		switch {
		case stored != nil:
			return stored.(T), nil
		case first:
			return finish(m, string(at), c, compute)
		}
		select {
		case <-ctx.Done():
			return value, ctx.Err()
		case <-c.done:
		}
		switch {
		case c.ended: // the computing caller was cancelled: try again
			continue
		case c.err != nil:
			return value, c.err
		}
		return c.value.(T), nil
	}
}

// find returns the value of a key, or else its computation in progress. first reports that the caller must compute the
// value.
func (m *Memory) find(at []byte) (stored any, c *computation, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.young[string(at)]; ok {
		return e.value, nil, false
	}
	if e, ok := m.old[string(at)]; ok {
		m.keep(string(at), e)
		return e.value, nil, false
	}
	if c, ok := m.pending[string(at)]; ok {
		return nil, c, false
	}
	c = &computation{done: make(chan struct{}), ended: true}
	if m.pending == nil {
		m.pending = map[string]*computation{}
	}
	m.pending[string(at)] = c
	return nil, c, true
}

// finish calls compute, stores the value, and wakes waiting callers, even after a panic.
func finish[T any](m *Memory, at string, c *computation, compute func() (T, error)) (value T, err error) {
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.pending, at)
		if !c.ended && c.err == nil {
			m.keep(at, entry{value, sizeOf(value)})
		}
		close(c.done)
	}()
	computed, err := compute()
	c.ended = errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if c.err = err; err == nil {
		value, c.value = computed, computed
	}
	return value, err
}

// keep stores a value in the young generation. If it is full, it first becomes the old generation.
func (m *Memory) keep(at string, e entry) {
	size := len(at)/8 + e.floats + 40 // 40 for the structures themselves
	if size > memoryLimit {
		return
	}
	if m.young == nil || m.floats+size > memoryLimit {
		m.old, m.young, m.floats = m.young, map[string]entry{}, 0
	}
	m.floats += size
	m.young[at] = e
}
