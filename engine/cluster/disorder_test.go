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

// disturbed gives facts twice, late and out of order.
type disturbed struct {
	*cluster.Memory
	rng *rand.Rand
	mu  *sync.Mutex
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
