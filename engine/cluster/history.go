package cluster

import (
	"context"
	"iter"
	"sync"
	"time"
)

// history holds the facts of a run that were read so far, by address. Their order and repetitions do not matter. Readers
// add facts, and so do callers that published or found a fact. Facts are permanent, and so nothing is changed or removed.
// It is safe for concurrent use.
type history struct {
	mu      sync.Mutex     // guards all fields
	facts   map[inRun]Fact // by round and name
	changed chan struct{}  // closed and replaced when a fact or an error is added
	err     error          // final error of the reader; nil while readers continue
}

// inRun is the address of a fact within its run.
type inRun struct {
	round int    // 0 for facts of the whole run
	name  string // as Fact.Name
}

func newHistory() *history { return &history{facts: map[inRun]Fact{}, changed: make(chan struct{})} }

// add stores a fact, unless its address is already known: a second fact at an address is the same fact from another
// reader.
func (h *history) add(f Fact) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.facts[inRun{f.Round, f.Name}]; !known {
		h.facts[inRun{f.Round, f.Name}] = f
		h.wake()
	}
}

// wake ends all waits for a change. The caller holds mu.
func (h *history) wake() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// get returns the fact at an address, and whether it was read.
func (h *history) get(round int, name string) (Fact, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.facts[inRun{round, name}]
	return f, ok
}

// wait calls ready after every change, and returns true as soon as ready returns true. It returns false when limit is
// over; 0 means no limit. The error comes from the context or the readers; a true ready has priority over both. wait calls
// ready without the lock, so that ready may call get.
func (h *history) wait(ctx context.Context, limit time.Duration, ready func() bool) (bool, error) {
	// a nil channel never fires, and so means no limit
	var over <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		over = t.C
	}
	for {
		// the channel is read before ready is called: a change in between closes it, and is not missed
		h.mu.Lock()
		changed, err := h.changed, h.err
		h.mu.Unlock()
		if ready() {
			return true, nil
		}
		// no reader adds facts any more
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

// take adds facts from a reader until its context ends or it fails. Its error then ends all waits. It runs in its own
// goroutine.
func (h *history) take(ctx context.Context, facts iter.Seq2[Fact, error]) {
	for f, err := range facts {
		if err != nil {
			h.mu.Lock()
			defer h.mu.Unlock()
			// an error after the end of the context is only its consequence
			if h.err == nil && ctx.Err() == nil {
				h.err = err
				h.wake()
			}
			return
		}
		h.add(f)
	}
}
