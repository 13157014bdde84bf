package farm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// task is one experiment of a job. The goroutine that drives the job makes it ready, before its first
// chunk; the lock of the job guards what changes after that. Whoever finds ready closed may read
// result and err without the lock.
type task struct {
	order  Order
	number int
	what   string      // for messages
	trials *sim.Trials // from its first chunk to its result
	key    string
	name   string

	next    int // the first run that was not offered
	parts   []*sim.Part
	done    int     // runs
	seconds float64 // of a run, as far as it is known; 0 when not
	builds  map[Build]bool

	merging bool           // whether a summary of all runs is under way
	merged  chan struct{}  // closed when it is not any more
	cut     *engine.Result // the summary where it was interrupted

	ready  chan struct{} // closed when one of these is there
	result engine.Result
	err    error
}

func newTask(number int, o Order) *task {
	return &task{order: o, number: number, what: o.Experiment.Algorithm + " on " + o.Experiment.Problem.Name, builds: map[Build]bool{},
		merged: make(chan struct{}), ready: make(chan struct{})}
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

// settle sets the result or the error, once.
func (t *task) settle(r engine.Result, err error) {
	if !t.settled() {
		t.result, t.err = r, err
		t.trials, t.parts, t.order.Experiment.Problem = nil, nil, nil // a sweep has many
		close(t.ready)
	}
}

// prepare makes the experiment ready and finds its key.
func (t *task) prepare(ctx context.Context) error {
	if t.trials != nil {
		return nil
	}
	x := t.order.Experiment
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

// mixed returns the warning that names the builds which made runs, beside that of the one who asked;
// none where there are no others.
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
