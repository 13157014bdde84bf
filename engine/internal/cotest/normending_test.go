//go:build unix

package cotest

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/ending"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// someRounds makes rounds of the test under a norm until the context ends.
func someRounds(ctx context.Context, t testing.TB, arms, rounds int) error {
	p, err := manyarms.Problem(arms)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.NewContext(ctx, p, 1)
	if err != nil {
		return err
	}
	a, err := newNormed(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Unit: 1, Epsilon: 0.1, Norm: manyarms.Norm}), Bound{Bound: model.Bound{Norm: manyarms.Norm}})
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		plan, err := a.Plan(ctx)
		if err != nil {
			return err
		}
		if err := a.Learn(ctx, enginetest.Pull(rng, p, plan)); err != nil {
			return err
		}
	}
	return nil
}

// A run under a norm ends when its context does, wherever it is.
func TestNormedEnds(t *testing.T) {
	const slack = 64 // blocks of arms that had begun
	rounds, arms := 3, 600
	if testing.Short() {
		rounds, arms = 2, 100
	}
	ending.Check(t, "rounds under a norm", slack, func(ctx context.Context) error { return someRounds(ctx, t, arms, rounds) })
}

// questions is a context that notes the longest processor time of the process between two questions.
type questions struct {
	context.Context
	mu            sync.Mutex
	last, longest time.Duration
}

func (q *questions) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := processorTime()
	if q.last > 0 {
		q.longest = max(q.longest, now-q.last)
	}
	q.last = now
	return nil
}

func processorTime() time.Duration {
	var u syscall.Rusage
	try.To(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkNormedEnds measures how long a run under a norm goes on at most before it looks at its context:
// ARMS (10,000) arms, three rounds, processor time of the whole process.
func BenchmarkNormedEnds(b *testing.B) {
	arms := 10_000
	if n, err := strconv.Atoi(os.Getenv("ARMS")); err == nil {
		arms = n
	}
	for range b.N {
		q := &questions{Context: context.Background()}
		try.To(someRounds(q, b, arms, 3))
		b.ReportMetric(q.longest.Seconds(), "s-unasked")
	}
}
