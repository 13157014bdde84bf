package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"
)

// Memory is an Exchange within a process: for tests, for trials, and for agents and workers that are
// goroutines. What is in it ends with the process.
type Memory struct {
	// Patience replaces the constant of that name where it is not 0; set it before first use.
	Patience time.Duration

	mu    sync.Mutex
	facts []Fact
	at    map[address]int // index into facts
	runs  []string
	files map[[2]string][]byte // by run and hash
	queue queue
	news  chan struct{} // closed and replaced when a fact arrives
}

type address struct {
	run   string
	round int
	name  string
}

var _ Exchange = (*Memory)(nil)

// NewMemory returns an empty exchange.
func NewMemory() *Memory {
	return &Memory{at: map[address]int{}, files: map[[2]string][]byte{}, queue: newQueue(), news: make(chan struct{})}
}

// Publish implements Facts.
func (m *Memory) Publish(ctx context.Context, f Fact) error {
	if err := CheckFact(f); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	a := address{f.Run, f.Round, f.Name}
	if i, ok := m.at[a]; ok {
		stands := m.facts[i]
		if bytes.Equal(stands.Body, f.Body) && stands.Sender == f.Sender {
			return nil
		}
		return &ConflictError{Said: f, Stands: stands.clone()}
	}
	f.Seq = uint64(len(m.facts) + 1)
	m.at[a] = len(m.facts)
	m.facts = append(m.facts, f.clone())
	if !slices.Contains(m.runs, f.Run) {
		m.runs = append(m.runs, f.Run)
	}
	close(m.news)
	m.news = make(chan struct{})
	return nil
}

// clone returns the fact with a body of its own.
func (f Fact) clone() Fact {
	f.Body = bytes.Clone(f.Body)
	return f
}

// Read implements Facts.
func (m *Memory) Read(ctx context.Context, run string) iter.Seq2[Fact, error] {
	return func(yield func(Fact, error) bool) {
		if err := CheckRun(run); err != nil {
			yield(Fact{}, err)
			return
		}
		for next := 0; ; {
			m.mu.Lock()
			facts, news := m.facts[next:len(m.facts):len(m.facts)], m.news
			m.mu.Unlock()
			next += len(facts)
			for _, f := range facts {
				if f.Run == run && (ctx.Err() != nil || !yield(f.clone(), nil)) {
					return
				}
			}
			select {
			case <-news:
			case <-ctx.Done():
				return
			}
		}
	}
}

// Find implements Facts.
func (m *Memory) Find(ctx context.Context, run string, round int, name string) (f Fact, ok bool, err error) {
	if err := CheckFact(Fact{Run: run, Round: round, Name: name}); err != nil {
		return Fact{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i, ok := m.at[address{run, round, name}]
	if !ok {
		return Fact{}, false, ctx.Err()
	}
	return m.facts[i].clone(), true, nil
}

// Keep implements Facts.
func (m *Memory) Keep(ctx context.Context, run string, content []byte) (hash string, err error) {
	if err := CheckRun(run); err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	hash = hex.EncodeToString(sum[:])
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[[2]string{run, hash}] = bytes.Clone(content)
	return hash, ctx.Err()
}

// Fetch implements Facts.
func (m *Memory) Fetch(ctx context.Context, run, hash string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	content, ok := m.files[[2]string{run, hash}]
	if !ok {
		return nil, fmt.Errorf("run %s: file %s: %w", run, hash, ErrNoFile)
	}
	return bytes.Clone(content), ctx.Err()
}

// Runs implements Facts.
func (m *Memory) Runs(ctx context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.runs), ctx.Err()
}

// Close implements Exchange. It does nothing: the exchange may be used by others.
func (m *Memory) Close() error { return nil }
