package dsl

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
)

// Progress receives the state of an activity.
// It is called from any goroutine, one call at a time, and not after Eval has returned.
type Progress func(Activity)

// Activity is something that takes time. While it goes on, its label and its total stay
// and Done does not go back.
type Activity struct {
	Label       string  // what is done and on what, such as "fc CoTestFC"
	Done, Total int     // steps
	Stored      int     // of Done, those that took no time: they were read from a store
	Share       float64 // of the step under way, an estimate from 0 to 1 that does not go back
	Note        string  // where the step under way is, where that can be said
}

// Left estimates from the time passed how long the activity still takes; false while
// nothing says how long a step is.
// Steps from a store took no time and do not count.
func (a Activity) Left(passed time.Duration) (time.Duration, bool) {
	made := a.Done - a.Stored
	if made <= 0 { // the share of a first step says little of its time
		return 0, false
	}
	return time.Duration(float64(passed) / float64(made) * float64(a.Total-a.Done)), true
}

// progressOf returns the function to which that many steps of an algorithm report, or nil. In a sweep
// they count for the whole sweep, under one label. All its combinations count as many steps as the
// first, even where the number of runs is swept, so what is done never goes back and the total
// stays.
// The function is for one experiment; a sweep asks for one in each combination.
func progressOf(e *evaluator, function, algorithm string, steps int) func(sim.Step) {
	if e.teller == nil {
		return nil
	}
	tell, s := e.teller.update, e.swept
	if s == nil {
		share := 0.0 // the largest so far: the estimate of the remaining samples may grow
		return func(x sim.Step) {
			if share = max(share, shareOf(x)); x.Done > 0 {
				share = 0 // one run in all: it is over
			}
			tell(Activity{Label: function + " " + algorithm, Done: x.Done, Total: x.Total, Share: share, Note: noteOf(x)})
		}
	}
	s.steps = cmp.Or(s.steps, steps) // of the first combination
	label := fmt.Sprintf("sweep of %s over %s", function, strings.Join(s.names(), " and "))
	// The current combination counts as stored as soon as it was found in the store.
	return func(x sim.Step) {
		stored := s.stored
		if s.hit {
			stored++
		}
		tell(Activity{Label: label, Done: s.cell*s.steps + x.Done*s.steps/steps, Total: s.cells * s.steps, Stored: stored * s.steps,
			Note: noteOf(x)})
	}
}

// counting returns the function to which so many of all steps report.
// It is for forecasts, which count their steps themselves.
func counting(c *call, of string) func(done, total int) {
	return func(done, total int) {
		if tell := progressOf(c.e, c.fn.Name, of, total); tell != nil {
			tell(sim.Step{Done: done, Total: total})
		}
	}
}

// shareOf returns the samples of a run as a fraction of all that it may take.
// Remaining is an estimate of the run itself, and 0 where it has none.
func shareOf(x sim.Step) float64 {
	if x.Round == 0 || !(x.Remaining > 0) {
		return 0
	}
	return float64(x.Samples) / (float64(x.Samples) + x.Remaining)
}

// noteOf says where a run is: "round 5, 1234 samples, 2/5 tasks decided, about 900 to go".
// It is "" before the first round.
func noteOf(x sim.Step) string {
	switch {
	case x.Believing > 0:
		return fmt.Sprintf("%s, %.0f %%", believing, 100*x.Believing)
	case x.Round == 0:
		return ""
	}
	s := fmt.Sprintf("round %d, %d samples, %d/%d tasks decided", x.Round, x.Samples, x.Decided, x.Tasks)
	if x.Remaining > 0 {
		s += fmt.Sprintf(", about %.0f to go", roughly(x.Remaining))
	}
	return s
}

// roughly rounds a number to two figures.
func roughly(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Round(x/unit) * unit
}

// grace limits the time that a computation may go on after an interrupt. Then it is left behind,
// and what it would have given is lost: some parts, such as a factorisation, cannot be stopped.
const grace = 300 * time.Millisecond

// computed returns what compute does, which reads its arguments and changes nothing.
// It waits for the result as long as the context lasts, and then for the grace alone.
func computed[T any](c *call, compute func() (T, error)) (T, error) {
	return await.Result(c.e.ctx, await.Patience{Grace: grace}, compute)
}

// simulated computes runs. Once worth says that there is something to keep, they are waited for:
// they stop by themselves, and what is finished is kept.
// Worth may be set from another goroutine, by noting.
func simulated[T any](c *call, worth *atomic.Bool, compute func() (T, error)) (T, error) {
	return await.Result(c.e.ctx, await.Patience{Grace: grace, Keeps: worth.Load}, compute)
}

// noting returns a progress that passes steps on and notes the first that leaves something to keep.
// The steps may come from any goroutine; tell may be nil.
func noting(tell func(sim.Step), worth *atomic.Bool, is func(sim.Step) bool) func(sim.Step) {
	return func(s sim.Step) {
		if is(s) {
			worth.Store(true)
		}
		if tell != nil {
			tell(s)
		}
	}
}

// teller reports progress until it is closed: nobody listens to a computation that was left behind.
type teller struct {
	mu     sync.Mutex // guards closed, and lets one step be told at a time
	closed bool       // nobody listens any more
	tell   Progress   // Options.Progress
}

// update tells a step, unless the teller is closed.
func (t *teller) update(a Activity) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.tell(a)
	}
}

// close waits for a step that is being told; after it nothing is told.
func (t *teller) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}
