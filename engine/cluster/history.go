package cluster

import (
	"context"
	"iter"
	"sync"
	"time"
)

// history holds the facts of a run that were read so far, by their addresses. The order in which they
// came does not count, nor how often.
type history struct {
	mu      sync.Mutex
	facts   map[inRun]Fact
	changed chan struct{} // closed when something is added
	err     error         // of the reader; final
}

// inRun is the address of a fact within its run.
type inRun struct {
	round int
	name  string
}

func newHistory() *history {
	return &history{facts: map[inRun]Fact{}, changed: make(chan struct{})}
}

// add takes a fact in; the first of an address stands.
func (h *history) add(f Fact) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.facts[inRun{f.Round, f.Name}]; !known {
		h.facts[inRun{f.Round, f.Name}] = f
		h.wake()
	}
}

func (h *history) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.err = err
		h.wake()
	}
}

func (h *history) wake() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// get returns the fact of an address.
func (h *history) get(round int, name string) (Fact, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.facts[inRun{round, name}]
	return f, ok
}

// wait returns true once ready, which is asked after every change, does; and false when the time is
// over first. No time is no end.
func (h *history) wait(ctx context.Context, limit time.Duration, ready func() bool) (bool, error) {
	var over <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		over = t.C
	}
	for {
		h.mu.Lock()
		changed, err := h.changed, h.err
		h.mu.Unlock()
		if ready() {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-over:
			return false, nil
		case <-changed:
		}
	}
}

// read takes in the facts of a run until the context ends.
func (h *history) read(ctx context.Context, x Facts, run string) { h.take(ctx, x.Read(ctx, run)) }

// take takes in facts until there are no more.
func (h *history) take(ctx context.Context, facts iter.Seq2[Fact, error]) {
	for f, err := range facts {
		if err != nil {
			if ctx.Err() == nil {
				h.fail(err)
			}
			return
		}
		h.add(f)
	}
}
