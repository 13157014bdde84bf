package jetstream

import (
	"context"
	"iter"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

var _ cluster.NamedReader = (*Exchange)(nil)

// ReadNamed implements cluster.NamedReader: each name has a reader of its own, so that
// the server sends nothing else. The facts of one name come in order.
func (x *Exchange) ReadNamed(ctx context.Context, run string, names ...string) iter.Seq2[cluster.Fact, error] {
	type read struct {
		fact cluster.Fact
		err  error
	}
	return func(yield func(cluster.Fact, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		out := make(chan read)
		var readers sync.WaitGroup
		defer readers.Wait()
		defer stop()
		for _, name := range names {
			readers.Go(func() {
				for f, err := range x.read(ctx, run, name) {
					select {
					case out <- read{f, err}:
					case <-ctx.Done():
						return
					}
				}
			})
		}
		for {
			select {
			case <-ctx.Done():
				return
			case r := <-out:
				if !yield(r.fact, r.err) {
					return
				}
			}
		}
	}
}
