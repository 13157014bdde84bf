package cluster_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// standIn keeps facts in memory.
type standIn struct {
	mu      sync.Mutex
	facts   []cluster.Fact
	files   map[string][]byte
	changed chan struct{}
}

func newStandIn() *standIn {
	return &standIn{files: map[string][]byte{}, changed: make(chan struct{})}
}

func (s *standIn) Publish(ctx context.Context, f cluster.Fact) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, old := range s.facts {
		if old.Address() == f.Address() {
			if bytes.Equal(old.Body, f.Body) {
				return nil
			}
			return &cluster.ConflictError{Said: f, Stands: old}
		}
	}
	f.Seq = uint64(len(s.facts) + 1)
	s.facts = append(s.facts, f)
	close(s.changed)
	s.changed = make(chan struct{})
	return nil
}

func (s *standIn) Read(ctx context.Context, run string) iter.Seq2[cluster.Fact, error] {
	return s.ReadNamed(ctx, run)
}

func (s *standIn) ReadNamed(ctx context.Context, run string, names ...string) iter.Seq2[cluster.Fact, error] {
	return func(yield func(cluster.Fact, error) bool) {
		for i := 0; ; {
			s.mu.Lock()
			rest, changed := s.facts[i:], s.changed
			s.mu.Unlock()
			for _, f := range rest {
				i++
				if f.Run == run && (len(names) == 0 || slices.Contains(names, f.Name)) && !yield(f, nil) {
					return
				}
			}
			select {
			case <-ctx.Done():
				yield(cluster.Fact{}, ctx.Err())
				return
			case <-changed:
			}
		}
	}
}

func (s *standIn) Find(ctx context.Context, run string, round int, name string) (cluster.Fact, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.facts {
		if f.Run == run && f.Round == round && f.Name == name {
			return f, true, nil
		}
	}
	return cluster.Fact{}, false, nil
}

func (s *standIn) Keep(ctx context.Context, run string, content []byte) (string, error) {
	sum := sha256.Sum256(content)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[hex.EncodeToString(sum[:])] = content
	return hex.EncodeToString(sum[:]), nil
}

func (s *standIn) Fetch(ctx context.Context, run, hash string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.files[hash]; ok {
		return b, nil
	}
	return nil, fmt.Errorf("%s: %w", hash, cluster.ErrNoFile)
}

func (s *standIn) Runs(ctx context.Context) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, f := range s.facts {
		if !slices.Contains(out, f.Run) {
			out = append(out, f.Run)
		}
	}
	return out, nil
}
