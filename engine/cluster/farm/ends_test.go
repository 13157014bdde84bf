package farm_test

import (
	"context"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
)

// A worker that is there for one script ends with it, and an interrupted one gives its chunk back at once.
func TestWorkersEnd(t *testing.T) {
	dir := folder(t)
	ex := cluster.NewMemory()
	ex.Patience = 2 * limit
	// it ends with the runner, and not with one of its jobs
	once := work(t.Context(), &farm.Worker{Exchange: ex, Name: "once", Once: true})
	asks := runner(ex)
	for range 2 { // it is there for both
		if _, _, err := evaluate(t, t.Context(), "r = fc(paper(case=1, gap=0.6), runs=3)\nsweep(r, seed=1..9)", dsl.Options{Folder: dir, Runner: asks}); err != nil {
			t.Fatal(err)
		}
	}
	if err := asks.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-once:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(limit):
		t.Error("the worker goes on after its script")
	}

	// this one is interrupted while it evaluates a recipe
	began := make(chan struct{}, 100)
	slow := func(ctx context.Context, r farm.Recipe, read func(string) ([]byte, error)) (farm.Source, error) {
		began <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := work(ctx, &farm.Worker{Exchange: ex, Name: "stopped", Make: slow})
	done := make(chan error, 1)
	go func() {
		_, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: runner(ex)})
		done <- err
	}()
	<-began
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("an interrupted worker says %v", err)
	}
	// chunks that were not given back would come after the patience of the exchange
	next, stop := context.WithCancel(t.Context())
	other := work(next, &farm.Worker{Exchange: ex, Name: "next"})
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(limit):
		t.Error("the chunk was not given back")
	}
	stop()
	<-other
}
