package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// offer offers a piece of work whose body follows from its id.
func offer(t *testing.T, x cluster.Exchange, run, id string) {
	t.Helper()
	if err := x.Offer(soon(t), run, cluster.Work{ID: id, Body: []byte("do " + id)}); err != nil {
		t.Fatalf("offering %s/%s: %v", run, id, err)
	}
}

// take takes a piece of work, which must be there or come.
func take(t *testing.T, x cluster.Exchange, runs ...string) cluster.Taken {
	t.Helper()
	w, err := x.Take(soon(t), runs...)
	if err != nil {
		t.Fatalf("taking work of %q: %v", runs, err)
	}
	return w
}

// finish ends a piece of work, which must succeed.
func finish(t *testing.T, w cluster.Taken) {
	t.Helper()
	if err := w.Done(soon(t)); err != nil {
		t.Fatalf("finishing %s: %v", w.Work().ID, err)
	}
}

// idle fails if there is work. It waits a moment for some.
func idle(t *testing.T, x cluster.Exchange, runs ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer stop()
	if w, err := x.Take(ctx, runs...); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("there should be no work, got %v, %v", w, err)
	}
}

// A piece is handed out once, however often it is offered and by whom, also after it is done. The same id in another run is another piece.
// Invalid work is refused.
func offeredOnce(t *testing.T, join func() cluster.Exchange) {
	x, y := join(), join()
	offer(t, x, "r", "c-1")
	offer(t, x, "r", "c-1")
	offer(t, y, "r", "c-1")
	w := take(t, y)
	if got := w.Work(); got.Run != "r" || got.ID != "c-1" || string(got.Body) != "do c-1" || w.Attempt() != 1 {
		t.Errorf("took %s/%s %q, attempt %d", got.Run, got.ID, got.Body, w.Attempt())
	}
	idle(t, x)
	finish(t, w)
	offer(t, x, "r", "c-1")
	offer(t, y, "r", "c-1")
	idle(t, y)
	offer(t, y, "s", "c-1") // of another run
	finish(t, take(t, x))
	for _, bad := range []cluster.Work{{ID: ""}, {ID: "a.b"}, {ID: "*"}, {ID: "c", Body: make([]byte, cluster.MaxBody+1)}} {
		if err := x.Offer(soon(t), "r", bad); err == nil {
			t.Errorf("%q with %d bytes was offered", bad.ID, len(bad.Body))
		}
	}
}

// A Take that names runs returns work of these alone; one that names none returns any, also of runs that come later.
func namedRuns(t *testing.T, join func() cluster.Exchange) {
	x, y := join(), join()
	for _, run := range []string{"a", "b", "c"} {
		offer(t, x, run, "c-1")
	}
	w := take(t, y, "b")
	if w.Work().Run != "b" {
		t.Errorf("asked for run b, got %s", w.Work().Run)
	}
	idle(t, y, "b", "d") // run b has been handed out, and run d does not exist
	w = take(t, y, "b", "c")
	if w.Work().Run != "c" {
		t.Errorf("asked for run b or c, got %s", w.Work().Run)
	}
	if w = take(t, y); w.Work().Run != "a" {
		t.Errorf("only run a has work left, got %s", w.Work().Run)
	}
	// Whoever waits for any run hears of one that is offered later.
	later := make(chan cluster.Taken, 1)
	go func() {
		w, _ := y.Take(soon(t))
		later <- w
	}()
	time.Sleep(200 * time.Millisecond)
	offer(t, x, "e", "c-1")
	if w := <-later; w == nil || w.Work().Run != "e" {
		t.Errorf("waited for work of run e, got %v", w)
	}
}

// Work that is done is never handed out again, also where its end is said twice.
func done(t *testing.T, join func() cluster.Exchange) {
	x := join()
	offer(t, x, "r", "c-1")
	w := take(t, x)
	finish(t, w)
	finish(t, w) // said twice
	// longer than the patience, after which it would come again
	time.Sleep(patience + 500*time.Millisecond)
	idle(t, x)
}

// Work whose holder is silent goes to another after the patience, as its second attempt. The first holder may still end it, and
// then the other's words change nothing.
func patient(t *testing.T, join func() cluster.Exchange) {
	x, y := join(), join()
	offer(t, x, "r", "c-1")
	begin := time.Now()
	silent := take(t, x)
	w := take(t, y)
	if d := time.Since(begin); d < patience*9/10 || d > patience+20*time.Second {
		t.Errorf("handed out again after %v", d)
	}
	if w.Attempt() != 2 || w.Work().ID != "c-1" {
		t.Errorf("%s, attempt %d", w.Work().ID, w.Attempt())
	}
	finish(t, silent) // late, but finished is finished
	_ = w.Back(soon(t))
	time.Sleep(patience + 500*time.Millisecond)
	idle(t, y)
}

// Signs of life keep work with its holder for longer than the patience.
func alive(t *testing.T, join func() cluster.Exchange) {
	x, y := join(), join()
	offer(t, x, "r", "c-1")
	w := take(t, x)
	// twice the patience without a sign would be too long
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	defer stop()
	var silent atomic.Int64 // the longest time between two signs of life, as a busy machine has it
	go func() {
		for last := time.Now(); ctx.Err() == nil; time.Sleep(patience / 8) {
			if err := w.Alive(soon(t)); err != nil {
				t.Error(err)
			}
			silent.Store(max(silent.Load(), int64(time.Since(last))))
			last = time.Now()
		}
	}()
	// a machine that was too busy to give signs in time proves nothing
	if w, err := y.Take(ctx); err == nil && time.Duration(silent.Load()) < patience/2 {
		t.Errorf("%s was handed out again, attempt %d", w.Work().ID, w.Attempt())
	}
	finish(t, w)
}

// Work that is given back is handed out sooner than work of a silent holder. On a busy machine this need not show in each try, only in one
// of them.
func back(t *testing.T, join func() cluster.Exchange) {
	x, y := join(), join()
	for try := range 10 {
		offer(t, x, "r", fmt.Sprintf("c-%d", try))
		begin := time.Now()
		if err := take(t, x).Back(soon(t)); err != nil {
			t.Fatal(err)
		}
		w := take(t, y)
		if w.Attempt() != 2 {
			t.Errorf("attempt %d", w.Attempt())
		}
		took := time.Since(begin)
		finish(t, w)
		if took < patience*3/4 {
			return
		}
	}
	t.Error("work that was given back never came before the patience was over")
}

// Withdrawing takes work out of the queue, whether or not a worker holds it, and frees its ids. Other runs keep theirs. A run without work
// can be withdrawn, too.
func withdrawn(t *testing.T, join func() cluster.Exchange) {
	x, y := join(), join()
	for i := range 4 {
		offer(t, x, "r", fmt.Sprintf("c-%d", i))
	}
	offer(t, x, "s", "c-0")
	held := take(t, y, "r")
	finish(t, take(t, y, "r"))
	if err := x.Withdraw(soon(t), "r"); err != nil {
		t.Fatal(err)
	}
	if err := x.Withdraw(soon(t), "never-offered"); err != nil {
		t.Errorf("a run without work: %v", err)
	}
	idle(t, y, "r")
	_ = held.Done(soon(t)) // whatever it says, it breaks nothing
	w := take(t, y)
	if w.Work().Run != "s" {
		t.Errorf("run %s has work", w.Work().Run)
	}
	finish(t, w) // else it comes again on a slow machine
	offer(t, x, "r", "c-3")
	if w := take(t, y); w.Work().ID != "c-3" {
		t.Errorf("after the withdrawal %s", w.Work().ID)
	}
}

// Many who take at once get each piece once, of several runs together.
func manyTakers(t *testing.T, join func() cluster.Exchange) {
	const takers, pieces = 6, 120
	x := join()
	for i := range pieces {
		offer(t, x, fmt.Sprintf("r-%d", i%3), fmt.Sprintf("c-%d", i))
	}
	var mu sync.Mutex
	count := map[string]int{}
	ctx, stop := context.WithCancel(soon(t))
	defer stop()
	var wg sync.WaitGroup
	for range takers {
		y := join()
		wg.Go(func() {
			for {
				w, err := y.Take(ctx)
				if err != nil {
					return
				}
				if err := w.Done(soon(t)); err != nil {
					t.Error(err)
				}
				// the last piece ends the waiting of all
				mu.Lock()
				count[w.Work().ID]++
				if len(count) == pieces {
					stop()
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for id, n := range count {
		if n != 1 {
			t.Errorf("%s was handed out %d times", id, n)
		}
	}
	if len(count) != pieces {
		t.Errorf("%d of %d pieces were handed out", len(count), pieces)
	}
}

// Several who ask over one connection get a piece each, and none waits for the patience of another.
func oneConnection(t *testing.T, join func() cluster.Exchange) {
	x := join()
	const takers, pieces = 4, 40
	for i := range pieces {
		offer(t, x, "r", fmt.Sprintf("c-%d", i))
	}
	begin := time.Now()
	var wg sync.WaitGroup
	for range takers {
		wg.Go(func() {
			for range pieces / takers {
				w, err := x.Take(soon(t), "r")
				if err != nil || w.Attempt() != 1 {
					t.Errorf("took %v, %v", w, err)
					return
				}
				if err := w.Done(soon(t)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
	idle(t, x, "r")
}
