package jetstream

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

var _ cluster.NamedReader = (*Exchange)(nil)

// ReadNamed implements cluster.NamedReader: each name has a reader of its own, and so has what is said
// beside addresses, so that the server sends nothing else. The facts of one name come in order.
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
		subjects := []string{asideSubjects(run)}
		for _, name := range names {
			subjects = append(subjects, namedSubjects(run, name))
		}
		for _, subjects := range subjects {
			readers.Go(func() {
				for f, err := range x.read(ctx, run, subjects) {
					if err == nil && !slices.Contains(names, f.Name) {
						continue
					}
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

// namedSubjects returns the subjects of a run's facts with a name, which is no result of work.
func namedSubjects(run, name string) string { return "cope." + run + ".*." + name }

// asideSubjects returns the subjects of what is said beside the addresses of a run, and of results of work.
func asideSubjects(run string) string { return "cope." + run + ".*.*.*" }
