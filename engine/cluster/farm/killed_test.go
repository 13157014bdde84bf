package farm_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
)

// errKilled is whatever a worker hears after its end.
var errKilled = errors.New("killed")

// fated is an exchange over which a worker is killed: from a moment on nothing that it says
// arrives, and what it took is lost to it.
type fated struct {
	cluster.Exchange
	mu     sync.Mutex             // of killed
	killed bool                   // from the moment of its end on
	die    func(what string) bool // whether it is killed before this
	kill   context.CancelFunc     // ends what the worker is doing
}

// dead reports whether the worker is dead, and has it die now where its time has come.
func (f *fated) dead(what string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.killed && f.die(what) {
		f.killed = true
		f.kill()
	}
	return f.killed
}

// Publish may be the end of the worker before the fact is there, and after.
func (f *fated) Publish(ctx context.Context, fact cluster.Fact) error {
	if f.dead("publish") {
		return errKilled
	}
	if err := f.Exchange.Publish(ctx, fact); err != nil {
		return err
	}
	if f.dead("published") {
		return errKilled
	}
	return nil
}

// Take may be its end with a chunk in its hands, which comes back after the patience.
func (f *fated) Take(ctx context.Context, runs ...string) (cluster.Taken, error) {
	t, err := f.Exchange.Take(ctx, runs...)
	if err == nil && f.dead("taken") {
		return nil, errKilled
	}
	return &fatedWork{t, f}, err
}

// fatedWork is work in the hands of a worker that may die.
type fatedWork struct {
	cluster.Taken
	f *fated
}

func (t *fatedWork) Done(ctx context.Context) error {
	if t.f.dead("done") {
		return errKilled
	}
	return t.Taken.Done(ctx)
}

func (t *fatedWork) Back(ctx context.Context) error {
	if t.f.dead("back") {
		return errKilled
	}
	return t.Taken.Back(ctx)
}

func (t *fatedWork) Alive(ctx context.Context) error {
	if t.f.dead("alive") {
		return errKilled
	}
	return t.Taken.Alive(ctx)
}

// 25 workers are killed at random moments, before and after they publish and acknowledge, and
// others take over: the displays are the same bytes.
func TestKilledWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("kills are for the full run")
	}
	dir := folder(t)
	want, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	ex := cluster.NewMemory()
	// short, so that chunks of the dead come back soon
	ex.Patience = 200 * time.Millisecond
	rng := rand.New(rand.NewPCG(5, 6))
	kills := map[string]int{}
	var mu sync.Mutex
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	killed := 0
	// three at a time, each followed by the next one when it has died
	for slot := range 3 {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				life, kill := context.WithCancel(ctx)
				f := &fated{Exchange: ex, kill: kill}
				// a process dies in a quarter of all moments, until 25 have died
				f.die = func(what string) bool {
					mu.Lock()
					defer mu.Unlock()
					if killed == 25 || rng.IntN(4) > 0 {
						return false
					}
					killed++
					kills[what]++
					return true
				}
				err := <-work(life, &farm.Worker{Exchange: f, Name: fmt.Sprintf("w-%d-%d", slot, n)})
				kill()
				if err != nil && !errors.Is(err, errKilled) {
					t.Error(err)
				}
			}
		})
	}
	got, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: runner(ex)})
	cancel()
	all.Wait()
	if err != nil || got != want {
		t.Errorf("other displays than without kills, error %v\n%.600s\n%.600s", err, want, got)
	}
	mu.Lock()
	defer mu.Unlock()
	if killed != 25 || kills["taken"] == 0 || kills["publish"] == 0 || kills["published"]+kills["done"] == 0 {
		t.Errorf("killed %d workers at %v, want 25 at all kinds of moments", killed, kills)
	}
}

// doubling hands every chunk out twice, to any worker: the second one is made, too.
type doubling struct {
	cluster.Exchange
	mu    sync.Mutex      // of the fields below
	again []cluster.Taken // chunks that are to be handed out once more
	twice int             // how often that was done
}

// Take hands out the last chunk once more, before anything new.
func (d *doubling) Take(ctx context.Context, runs ...string) (cluster.Taken, error) {
	d.mu.Lock()
	if n := len(d.again); n > 0 {
		t := d.again[n-1]
		d.again = d.again[:n-1]
		d.twice++
		d.mu.Unlock()
		return t, nil
	}
	d.mu.Unlock()
	t, err := d.Exchange.Take(ctx, runs...)
	if err == nil {
		d.mu.Lock()
		d.again = append(d.again, t)
		d.mu.Unlock()
	}
	return t, err
}

// Chunks that are made twice count once.
func TestDoubledChunks(t *testing.T) {
	if testing.Short() {
		t.Skip("doubled chunks are for the full run")
	}
	dir := folder(t)
	want, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	ex := &doubling{Exchange: cluster.NewMemory()}
	ctx, cancel := context.WithCancel(t.Context())
	a, b := work(ctx, &farm.Worker{Exchange: ex, Name: "a"}), work(ctx, &farm.Worker{Exchange: ex, Name: "b"})
	got, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: runner(ex)})
	cancel()
	if err := errors.Join(<-a, <-b); err != nil {
		t.Error(err)
	}
	if err != nil || got != want {
		t.Errorf("other displays than here, error %v\n%.600s\n%.600s", err, want, got)
	}
	if ex.twice < 6 {
		t.Errorf("%d chunks were doubled", ex.twice)
	}
}
