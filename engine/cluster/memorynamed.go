package cluster

import (
	"context"
	"iter"
	"slices"
)

var _ NamedReader = (*Memory)(nil)

// ReadNamed implements NamedReader.
func (m *Memory) ReadNamed(ctx context.Context, run string, names ...string) iter.Seq2[Fact, error] {
	return func(yield func(Fact, error) bool) {
		for f, err := range m.Read(ctx, run) {
			if (err != nil || slices.Contains(names, f.Name)) && !yield(f, err) {
				return
			}
		}
	}
}
