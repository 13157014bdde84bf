package farm_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/report"
)

// cutOff is the exchange of a runner from which, after some moment, nothing arrives: as after it was
// killed, or while its machine sleeps.
type cutOff struct {
	cluster.Exchange
	off     atomic.Bool  // nothing that the runner says arrives while it is set
	offered atomic.Int64 // chunks that arrived
}

// Publish waits while the runner is cut off, as an exchange does whose server cannot be reached.
func (c *cutOff) Publish(ctx context.Context, f cluster.Fact) error {
	for c.off.Load() { // a server that cannot be reached is tried again
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return c.Exchange.Publish(ctx, f)
}

func (c *cutOff) Offer(ctx context.Context, run string, w cluster.Work) error {
	err := c.Exchange.Offer(ctx, run, w)
	if err == nil {
		c.offered.Add(1)
	}
	return err
}

// Withdraw fails at once: a runner that was killed takes nothing back.
func (c *cutOff) Withdraw(ctx context.Context, run string) error {
	if c.off.Load() {
		return errKilled
	}
	return c.Exchange.Withdraw(ctx, run)
}

// slow is a source whose rewards take a tenth of a second each, while they are slow.
type slow struct {
	farm.Source
	is func() bool // whether they are slow now
}

func (s slow) Experiment(ctx context.Context, cell int) (sim.Experiment, error) {
	x, err := s.Source.Experiment(ctx, cell)
	if err != nil {
		return x, err
	}
	draw, err := sim.DrawerOf(x.Problem)
	x.Draw = func(rng *rand.Rand, i, n int, squares bool) (sim.Draw, error) {
		if s.is() {
			time.Sleep(100 * time.Millisecond)
		}
		return draw(rng, i, n, squares)
	}
	return x, err
}

// slowWorker counts as another build, since the key of an experiment with rewards of its own is none.
func slowWorker(x cluster.Exchange, name string, is func() bool) *farm.Worker {
	w := &farm.Worker{Exchange: x, Name: name, Slots: 2, Build: other(), Mixed: true}
	w.Make = func(ctx context.Context, r farm.Recipe, read func(string) ([]byte, error)) (farm.Source, error) {
		s, err := dsl.Remake(ctx, r, read)
		return slow{s, is}, err
	}
	w.SilentAfter(200 * time.Millisecond)
	return w
}

// limit is far above what anything takes, also on a busy machine.
const limit = 3 * time.Minute

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// dropped returns how many chunks workers have given up.
func dropped(t *testing.T, x *cluster.Memory) (n int) {
	t.Helper()
	runs, err := x.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		// reading goes on for ever, so that each run is read for a moment
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		for f, err := range x.Read(ctx, run) {
			if err == nil && strings.HasPrefix(f.Name, "result-dropped-") {
				n++
			}
		}
		cancel()
	}
	return n
}

// Chunks of a killed runner are not made: a worker finishes the chunk that it has, gives up all others, and ends if it is there for that
// runner alone.
func TestKilledCaller(t *testing.T) {
	x := cluster.NewMemory()
	caller := &cutOff{Exchange: x}
	r := runner(caller)
	r.BeatEach(20 * time.Millisecond)
	ctx, kill := context.WithCancel(t.Context())
	ended := make(chan bool)
	go func() {
		defer close(ended)
		evaluate(t, ctx, script, dsl.Options{Folder: folder(t), Runner: r})
	}()
	eventually(t, "nothing was offered", func() bool { return caller.offered.Load() >= 6 })
	// the runner has offered work, and is not heard of from here on
	caller.off.Store(true)
	kill()
	<-ended
	always := func() bool { return true }
	w := slowWorker(x, "w", always)
	w.Once = true
	began := time.Now()
	select {
	case err := <-work(t.Context(), w):
		if err != nil {
			t.Error(err)
		}
	case <-time.After(limit):
		t.Fatal("the worker does not end")
	}
	if d := time.Since(began); d < 200*time.Millisecond {
		t.Errorf("the worker ended after %v", d)
	}
	if w.Made() != 0 {
		t.Errorf("%d runs were made for nobody", w.Made())
	}
	eventually(t, "no chunk was given up", func() bool { return dropped(t, x) > 0 })
	// so does one that has made all that was left
	quick := slowWorker(x, "quick", func() bool { return false })
	quick.SilentAfter(10 * time.Second) // so that a busy machine has made a run before
	quick.Once = true
	select {
	case err := <-work(t.Context(), quick):
		if err != nil || quick.Made() == 0 {
			t.Errorf("%d runs, error %v", quick.Made(), err)
		}
	case <-time.After(limit):
		t.Fatal("the worker that has made all does not end")
	}
	// one that stays takes what is left out of the queue
	stays := slowWorker(x, "stays", always)
	over, end := context.WithCancel(t.Context())
	serving := work(over, stays)
	eventually(t, "the queue does not become empty", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		// a chunk that comes out of the queue has not been given up
		piece, err := x.Take(ctx)
		if err == nil {
			piece.Back(t.Context())
		}
		return err != nil
	})
	end()
	if err := <-serving; err != nil {
		t.Error(err)
	}
}

// runsOf returns what the runs of a sweep gave.
func runsOf(displays []report.Display) string {
	text := ""
	for _, d := range displays {
		if s, is := d.Value.(sim.Sweep); is {
			for _, row := range s.Rows {
				r := row.Result
				// without times and names of workers, which differ
				text += fmt.Sprintln(row.Values, r.Runs, r.SamplesPerAgent, r.Rounds, r.Errors, r.Answers[0].Estimate, r.Trace)
			}
		}
	}
	return text
}

// A runner that was only cut off finds that its chunks were given up, and offers them again: the
// results equal runs without workers.
func TestCallerComesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("silence is for the full run")
	}
	dir := folder(t)
	_, here, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	x := cluster.NewMemory()
	caller := &cutOff{Exchange: x}
	r := runner(caller)
	r.BeatEach(20 * time.Millisecond)
	var told atomic.Int64
	r.Notice = func(text string) {
		if strings.Contains(text, "They are offered again") {
			told.Add(1)
		}
	}
	got := make(chan string, 1)
	go func() {
		_, displays, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: r})
		if err != nil {
			got <- err.Error()
			return
		}
		got <- runsOf(displays)
	}()
	eventually(t, "nothing was offered", func() bool { return caller.offered.Load() >= 6 })
	// it has given its last sign; the worker comes after it and waits for the next one
	caller.off.Store(true)
	time.Sleep(50 * time.Millisecond)
	w := slowWorker(x, "w", caller.off.Load)
	w.SilentAfter(10 * time.Second) // so that signs that a busy machine delays are not taken for silence
	over, end := context.WithCancel(t.Context())
	defer end()
	serving := work(over, w)
	eventually(t, "nothing was given up", func() bool { return dropped(t, x) > 0 })
	// it is back: its signs go on, and it reads that chunks were given up
	caller.off.Store(false)
	select {
	case text := <-got:
		if want := runsOf(here); want == "" || text != want {
			t.Errorf("other runs:\n%.500s\n%.500s", want, text)
		}
	case <-time.After(limit):
		t.Fatal("the sweep does not end")
	}
	if told.Load() != 1 {
		t.Errorf("told %d times that runs are handed in again", told.Load())
	}
	end()
	<-serving
}

// A sign of life that could not be given, since its job was ended while the server could not be reached, leaves no gap in the
// numbers: workers look for the next number, and would take a runner with a gap for gone.
func TestSignsHaveNoGap(t *testing.T) {
	x := cluster.NewMemory()
	caller := &cutOff{Exchange: x}
	r := runner(caller)
	hand := func(ctx context.Context) error {
		job, err := r.Hand(ctx, farm.Work{})
		if err == nil {
			err = job.Close()
		}
		return err
	}
	if err := hand(t.Context()); err != nil {
		t.Fatal(err)
	}
	caller.off.Store(true)
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := hand(short); err == nil {
		t.Fatal("a job was handed in while nothing arrives")
	}
	caller.off.Store(false)
	if err := hand(t.Context()); err != nil {
		t.Fatal(err)
	}
	runs, err := x.Runs(t.Context())
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %v, error %v; want the runner's signs alone", runs, err)
	}
	for round := 1; round <= 2; round++ {
		if _, there, err := x.Find(t.Context(), runs[0], round, "alive"); err != nil || !there {
			t.Errorf("sign %d: %t, error %v; want one", round, there, err)
		}
	}
}

// If another party has published at the address of a sign of life, that is an error, and leaves no gap either: the runner goes on with the
// next number, as workers do.
func TestSignOfSomebodyElse(t *testing.T) {
	x := cluster.NewMemory()
	r := runner(x)
	hand := func() error {
		job, err := r.Hand(t.Context(), farm.Work{})
		if err == nil {
			err = job.Close()
		}
		return err
	}
	if err := hand(); err != nil {
		t.Fatal(err)
	}
	runs, err := x.Runs(t.Context())
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %v, error %v; want the runner's signs alone", runs, err)
	}
	if err := x.Publish(t.Context(), cluster.Fact{Run: runs[0], Round: 2, Name: "alive", Body: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	if err := hand(); !errors.As(err, new(*cluster.ConflictError)) {
		t.Errorf("error %v, want that somebody else said something there", err)
	}
	if err := hand(); err != nil {
		t.Errorf("the sign after that: %v", err)
	}
	if _, there, err := x.Find(t.Context(), runs[0], 3, "alive"); err != nil || !there {
		t.Errorf("sign 3: %t, error %v; want one", there, err)
	}
}
