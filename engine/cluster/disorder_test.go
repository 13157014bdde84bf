package cluster_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// disturbed gives facts twice, late and out of order. A server never does so: it is more than an exchange may do.
type disturbed struct {
	*cluster.Memory
	rng *rand.Rand  // how long facts wait
	mu  *sync.Mutex // of rng
}

func (d disturbed) Read(ctx context.Context, run string, names ...string) iter.Seq2[cluster.Fact, error] {
	return func(yield func(cluster.Fact, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		out := make(chan cluster.Fact)
		go func() {
			for f, err := range d.Memory.Read(ctx, run, names...) {
				if err != nil {
					return
				}
				// each fact comes twice, each time after up to 20 ms
				for range 2 {
					d.mu.Lock()
					wait := time.Duration(d.rng.IntN(20)) * time.Millisecond
					d.mu.Unlock()
					go func() {
						time.Sleep(wait)
						select {
						case out <- f:
						case <-ctx.Done():
						}
					}()
				}
			}
		}()
		for {
			select {
			case <-ctx.Done():
				yield(cluster.Fact{}, ctx.Err())
				return
			case f := <-out:
				if !yield(f, nil) {
					return
				}
			}
		}
	}
}

// The order in which facts come does not count, nor how often: the run is the one of one process.
func TestFactsDoubledLateAndOutOfOrder(t *testing.T) {
	for _, q := range someQuestions(t)[1:] {
		x := disturbed{cluster.NewMemory(), rand.New(rand.NewPCG(1, 2)), &sync.Mutex{}}
		opened(t, x, q.Question, cluster.OpenOptions{})
		var all []cluster.Agent
		for v := range q.Problem.V() {
			all = append(all, agentOf(t, x, q.Question, v))
		}
		want := inProcess(t, q.Question)
		for v, got := range takeAll(t, all) {
			sameAs(t, fmt.Sprintf("%s, agent %d", q.name, v+1), got, want)
		}
	}
}
