package farm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// Limits on data that a worker keeps for chunks to come. A worker may serve many sweeps at a time; what goes is made again when
// it is needed.
const (
	mostCaches = 4  // recipes; by job and recipe
	mostTrials = 32 // experiments of each
)

// recipeCache is a recipe that was evaluated, with the experiments that were made from it. The first who needs the recipe
// evaluates it, and others wait for the lock.
type recipeCache struct {
	mu     sync.Mutex             // guards source and ready
	source Source                 // nil before it was evaluated
	ready  recent[place, readied] // by combination and key; recent ones stay
}

// recent keeps the values that were used last, by their keys. It is not safe for concurrent use. A caller may go on using a value that it
// drops.
type recent[K comparable, V any] struct {
	values map[K]*V
	order  []K // the last used last
}

// of returns the value of a key, a new one if none is kept, and then keeps at most so many. A new value is zero, and the caller fills it.
func (r *recent[K, V]) of(key K, most int) (v *V, fresh bool) {
	if v = r.values[key]; v == nil {
		v, fresh = new(V), true
		if r.values == nil {
			r.values = map[K]*V{}
		}
		r.values[key] = v
	}
	r.order = append(slices.DeleteFunc(r.order, func(k K) bool { return k == key }), key)
	if len(r.order) > most {
		delete(r.values, r.order[0])
		r.order = r.order[1:]
	}
	return v, fresh
}

// place says which experiment of a recipe.
type place struct {
	cell int    // the combination, or Single
	key  string // key of the experiment
}

// readied is an experiment that one goroutine prepares and others wait for.
type readied struct {
	once   sync.Once   // trials and err are set by it
	trials *sim.Trials // ready to be run; nil with an error
	err    error       // why it is not
}

// otherError states that the recipe makes another experiment here than on the machine that handed it in. No worker can make it then, so its
// task ends; after other errors the worker that takes the chunk next tries again.
type otherError struct{ why error }

func (e *otherError) Error() string { return e.why.Error() }
func (e *otherError) Unwrap() error { return e.why }

// trials returns the experiment of an item, ready to be run; fresh states that it was made for this one.
func (w *Worker) trials(ctx context.Context, job string, c Chunk, i Item) (trials *sim.Trials, fresh bool, err error) {
	// two locks, so that work on one recipe does not hold up another
	w.mu.Lock()
	b, _ := w.caches.of(job+"/"+c.Recipe, mostCaches)
	w.mu.Unlock()
	b.mu.Lock()
	// the time of the evaluation counts as preparing, see Worker.item
	evaluated := b.source == nil
	if evaluated {
		if b.source, err = w.evaluate(ctx, job, c.Recipe); err != nil {
			b.mu.Unlock()
			return nil, false, err
		}
	}
	at := place{i.Cell, i.Key}
	r, fresh := b.ready.of(at, mostTrials)
	b.mu.Unlock()
	// without the lock of the recipe, so that its experiments can be prepared beside each other
	r.once.Do(func() { r.trials, r.err = w.make(ctx, b, c.Build, i) })
	if r.err != nil && !errors.As(r.err, new(*otherError)) { // the next attempt makes it from the start
		b.mu.Lock()
		delete(b.ready.values, at)
		b.mu.Unlock()
	}
	return r.trials, evaluated || fresh, r.err
}

// evaluate fetches a recipe and the files that it reads, and evaluates it. Errors of the exchange and the context are returned unchanged;
// all others are wrapped in *otherError, since scripts do the same everywhere.
func (w *Worker) evaluate(ctx context.Context, job, hash string) (Source, error) {
	text, err := w.fetch(ctx, job, hash)
	if err != nil {
		return nil, fmt.Errorf("the script of job %s: %w", job, err)
	}
	var r Recipe
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("the script of job %s cannot be read: %w", job, err)
	}
	// the script may hide an error of read in one of its own
	var missing error
	read := func(path string) ([]byte, error) {
		// the runner kept what its own evaluation read
		hash, known := r.Files[path]
		if !known {
			return nil, fmt.Errorf("the script reads %s on a worker, but did not when it was started", path)
		}
		content, err := w.fetch(ctx, job, hash)
		if err != nil {
			missing = fmt.Errorf("%s of job %s: %w", path, job, err)
			return nil, missing
		}
		return content, nil
	}
	source, err := w.Make(ctx, r, read)
	// whatever the script made of it, a file that was not there is the reason
	switch {
	case ctx.Err() != nil || missing != nil:
		return nil, errors.Join(ctx.Err(), missing)
	case err != nil: // it is the same for every worker
		return nil, &otherError{err}
	}
	return source, nil
}

// fetch returns a file by its hash, which it checks. The exchange has checked it, and this check does not rely on that.
func (w *Worker) fetch(ctx context.Context, job, hash string) ([]byte, error) {
	content, err := w.Exchange.Fetch(ctx, job, hash)
	if err != nil {
		return nil, err
	}
	if got := HashOf(content); got != hash {
		return nil, fmt.Errorf("its content has the hash %s, but %s was requested", got, hash)
	}
	return content, nil
}

// make makes the experiment of an item and compares it with the one that is meant by who asks. The comparison is by key where
// the builds are the same, and else by all that does not depend on rounding.
func (w *Worker) make(ctx context.Context, b *recipeCache, asks Build, i Item) (*sim.Trials, error) {
	// a source is for one goroutine at a time
	b.mu.Lock()
	x, err := b.source.Experiment(ctx, i.Cell)
	b.mu.Unlock()
	if err != nil {
		return nil, &otherError{err}
	}
	x.Workers, x.Progress, x.Each = 1, nil, nil // a slot has one core, and no display follows the runs
	if name := nameOf(x); name != i.Name {
		return nil, &otherError{errors.New("on this worker the script makes another experiment. " +
			"A script must not depend on the machine or on files that change")}
	}
	if i.To > x.Runs {
		return nil, &otherError{fmt.Errorf("on this worker the script makes %d runs, but the job asks for run %d. A script must not depend on "+
			"the machine or on files that change", x.Runs, i.To-1)}
	}
	t, err := sim.Prepare(ctx, x)
	if err != nil || asks != w.Build { // other builds may round the numbers of the key differently
		return t, err
	}
	key, err := t.Key(ctx)
	if err == nil && key != i.Key {
		err = &otherError{errors.New("the script makes an experiment with other numbers on a worker")}
	}
	return t, err
}

// task is one experiment of a job. The goroutine that drives the job makes it ready, before its first
// chunk; the lock of the job guards what changes after that. Whoever finds ready closed may read
// result and err without the lock. Its fields change in this order: trials, key and name by prepare; next as chunks are cut;
// parts and done as results come; then result or err.
type task struct {
	order  Order       // the order that was handed in, without its problem once it is settled
	number int         // number of the order, from 0
	what   string      // for messages
	trials *sim.Trials // from its first chunk to its result; nil before and after
	key    string      // key of the experiment, set by prepare
	name   string      // what other builds must agree on, see nameOf

	next    int            // the first run that was not offered
	parts   []*sim.Part    // in the order in which they came
	done    int            // runs; in parts
	seconds float64        // of a run; 0 while unknown
	builds  map[Build]bool // who made parts

	merging bool           // whether a summary of all runs is under way
	merged  chan struct{}  // closed when it is not any more
	cut     *engine.Result // the summary if it was interrupted; nil else

	ready  chan struct{} // closed when one of these is there
	result engine.Result // with err nil
	err    error         // why there is no result; nil with one
}

func (t *task) runs() int { return t.order.Experiment.Runs }

// settled reports whether there is a result or an error.
func (t *task) settled() bool {
	select {
	case <-t.ready:
		return true
	default:
		return false
	}
}

// settle sets the result or the error, once. It needs the lock of the job, and is called with a result or with an error.
func (t *task) settle(r engine.Result, err error) {
	if !t.settled() {
		t.result, t.err = r, err
		// what no reader of the result needs
		t.trials, t.parts, t.order.Experiment.Problem = nil, nil, nil // a sweep has many
		close(t.ready)
	}
}

// prepare makes the experiment ready and finds its key. Only the goroutine that drives the job calls it, without the lock: it
// may take long. An error without ErrElsewhere is of the experiment itself.
func (t *task) prepare(ctx context.Context) error {
	if t.trials != nil {
		return nil
	}
	x := t.order.Experiment
	// runs that are made elsewhere are not displayed here
	x.Progress, x.Each = nil, nil
	trials, err := sim.Prepare(ctx, x)
	if err != nil {
		return err
	}
	if t.key, err = trials.Key(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrElsewhere, err)
	}
	t.name = nameOf(x)
	t.trials = trials
	return nil
}

// measure notes how long a run took. The first one pays for the designs of all, so the shortest time
// counts.
func (t *task) measure(seconds float64) {
	seconds = max(seconds, 1e-9)
	if t.seconds == 0 || seconds < t.seconds {
		t.seconds = seconds
	}
}

// mixed returns the warning that names the builds which made runs, except the runner's own build; none if there are no others. The text has
// the builds in alphabetical order.
func (t *task) mixed(own Build) []engine.Warning {
	others := maps.Clone(t.builds)
	delete(others, own)
	if len(others) == 0 {
		return nil
	}
	var names []string
	for b := range others {
		names = append(names, b.String())
	}
	slices.Sort(names)
	return []engine.Warning{{Kind: engine.WarnMixedBuilds, Names: []string{strings.Join(names, "; ")}}}
}
