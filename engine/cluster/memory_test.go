package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Memory is an Exchange within a process, for agents that are goroutines. It is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex           // guards all fields below
	facts []Fact               // facts of all runs in the order of publication; Seq is the index plus 1
	at    map[address]int      // index into facts
	runs  []string             // runs that have facts, in the order of their first fact
	files map[[2]string][]byte // contents by run and hash
	news  chan struct{}        // closed and replaced when a fact is added
}

// address identifies a fact in the exchange.
type address struct {
	run   string // as Fact.Run
	round int    // as Fact.Round
	name  string // as Fact.Name
}

var _ Exchange = (*Memory)(nil)

// NewMemory returns an empty exchange.
func NewMemory() *Memory {
	return &Memory{at: map[address]int{}, files: map[[2]string][]byte{}, news: make(chan struct{})}
}

// wake ends all waits for news. The caller holds mu. A reader takes the channel before it looks for facts, and so misses
// none.
func (m *Memory) wake() {
	close(m.news)
	m.news = make(chan struct{})
}

// alone runs do with the lock held, even if ctx has ended, and returns ctx.Err().
func (m *Memory) alone(ctx context.Context, do func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	do()
	return ctx.Err()
}

// Publish implements Facts. It compares and adds with the lock held: of two simultaneous calls, one is first.
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
	// like a server, it accepts the same body from the same sender as a repetition
	if i, ok := m.at[a]; ok {
		stands := m.facts[i]
		if bytes.Equal(stands.Body, f.Body) && stands.Sender == f.Sender {
			return nil
		}
		return &ConflictError{Said: f, Stands: stands.clone()}
	}
	// Seq counts from 1, as streams of a server do
	f.Seq = uint64(len(m.facts) + 1)
	m.at[a] = len(m.facts)
	m.facts = append(m.facts, f.clone())
	m.runs = lists.Add(m.runs, f.Run)
	m.wake()
	return nil
}

// clone returns the fact with its own copy of the body, so that callers cannot change the stored one.
func (f Fact) clone() Fact {
	f.Body = bytes.Clone(f.Body)
	return f
}

// Read implements Facts. It yields copies, without holding the lock: the loop may publish.
func (m *Memory) Read(ctx context.Context, run string, names ...string) iter.Seq2[Fact, error] {
	return func(yield func(Fact, error) bool) {
		if err := CheckRun(run); err != nil {
			yield(Fact{}, err)
			return
		}
		for next := 0; ; {
			m.mu.Lock()
			// stored facts never change, and so are read without the lock
			facts, news := m.facts[next:len(m.facts):len(m.facts)], m.news
			m.mu.Unlock()
			next += len(facts)
			for _, f := range facts {
				if f.Run != run || len(names) > 0 && !slices.Contains(names, f.Name) {
					continue
				}
				if ctx.Err() != nil || !yield(f.clone(), nil) {
					return
				}
			}
			// news was taken together with the facts, and is already closed if a fact came meanwhile
			select {
			case <-news:
			case <-ctx.Done():
				return
			}
		}
	}
}

// Find implements Facts. It returns an error for an invalid address.
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

// Keep implements Facts. The same content has the same hash, and is stored once.
func (m *Memory) Keep(ctx context.Context, run string, content []byte) (hash string, err error) {
	if err := CheckRun(run); err != nil {
		return "", err
	}
	hash = fmt.Sprintf("%x", sha256.Sum256(content))
	return hash, m.alone(ctx, func() { m.files[[2]string{run, hash}] = bytes.Clone(content) })
}

// Fetch implements Facts. It returns a copy, so that the stored content keeps its hash.
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
func (m *Memory) Runs(ctx context.Context) (runs []string, err error) {
	err = m.alone(ctx, func() { runs = slices.Clone(m.runs) })
	return runs, err
}

// Close implements Exchange. It does nothing, because others may use the exchange.
func (m *Memory) Close() error { return nil }
