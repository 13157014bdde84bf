package farm_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
)

// few is an exchange that hands out some chunks and then none.
type few struct {
	cluster.Exchange
	left atomic.Int32 // chunks that it still hands out
}

// Take waits for ever once its chunks are used up, as for a worker that has vanished.
func (f *few) Take(ctx context.Context, runs ...string) (cluster.Taken, error) {
	if f.left.Add(-1) < 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return f.Exchange.Take(ctx, runs...)
}

// Workers that vanish in the middle of a sweep are mentioned once, and that others answer.
func TestWorkersVanish(t *testing.T) {
	ex := cluster.NewMemory()
	asks := runner(ex)
	asks.QuietAfter(300 * time.Millisecond)
	said := make(chan string, 100)
	asks.Notice = func(text string) { said <- text }
	// next waits for the next sentence, which must have these words
	next := func(want string) {
		t.Helper()
		select {
		case text := <-said:
			if !strings.Contains(text, want) {
				t.Errorf("%q, want %q", text, want)
			}
		case <-time.After(limit):
			t.Fatalf("nobody says %q", want)
		}
	}
	done := make(chan error, 1)
	dir := folder(t)
	go func() {
		_, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: asks})
		done <- err
	}()
	// at first no worker is there
	next("no worker has answered in 300ms")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// then a worker makes two chunks and takes no more
	vanishes := &few{Exchange: ex}
	vanishes.left.Store(2)
	work(ctx, &farm.Worker{Exchange: vanishes, Name: "vanishes"})
	next("no worker has answered for ")
	// on a busy machine the second chunk may come after that, and the silence that follows is reported, too
	for late, over := false, false; !over; {
		select {
		case text := <-said:
			if late || !strings.Contains(text, "workers answer again") {
				t.Errorf("it also says %q", text)
			}
			late = true
			next("no worker has answered for ")
		case <-time.After(time.Second):
			over = true
		}
	}
	work(ctx, &farm.Worker{Exchange: ex, Name: "comes"})
	next("workers answer again")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A worker that is there for one script makes nothing of another that asks just after its end.
func TestOnceIsOnce(t *testing.T) {
	dir := folder(t)
	ex := cluster.NewMemory()
	ex.Patience = 2 * limit
	w := &farm.Worker{Exchange: ex, Name: "once", Once: true}
	once := work(t.Context(), w)
	asks := runner(ex)
	if _, _, err := evaluate(t, t.Context(), "fc(paper(case=1, gap=0.6), runs=3)", dsl.Options{Folder: dir, Runner: asks}); err != nil {
		t.Fatal(err)
	}
	if err := asks.Close(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: runner(ex)})
		done <- err
	}()
	// the worker meets the chunks of another runner, and leaves them
	select {
	case err := <-once:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(limit):
		t.Error("the worker goes on after its script")
	}
	if n := w.Made(); n != 3 {
		t.Errorf("it made %d runs, and its script has 3", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	work(ctx, &farm.Worker{Exchange: ex, Name: "other"})
	select {
	case err := <-done: // chunks that were not given back would come after the patience of the exchange
		if err != nil {
			t.Error(err)
		}
	case <-time.After(limit):
		t.Error("the chunk was not given back")
	}
}
