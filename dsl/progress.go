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

// Progress receives the state of an activity. Calls come from any goroutine, one at a time, and never after Eval has returned.
type Progress func(Activity)

// Activity is something that takes time. During an activity, its label and total stay the same, and Done does not decrease.
type Activity struct {
	Label       string  // what is done, such as "fc CoTestFC"
	Done, Total int     // steps
	Stored      int     // of Done, those read from a store, which took no time
	Share       float64 // of the current step: an estimate from 0 to 1 that does not decrease
	Note        string  // state of the current step, if known
}

// Remaining estimates the remaining time of the activity from the time passed; false while the duration of a step is unknown. Steps
// from a store took no time and do not count.
func (a Activity) Remaining(passed time.Duration) (time.Duration, bool) {
	made := a.Done - a.Stored
	if made <= 0 { // the share of a first step is a poor estimate of its time
		return 0, false
	}
	return time.Duration(float64(passed) / float64(made) * float64(a.Total-a.Done)), true
}

// progressOf returns the function that receives the progress of one experiment with that many steps, or nil. In a sweep the steps
// count for the whole sweep, under one label. Every combination counts as many steps as the first, even if runs is swept, so that
// Done never decreases and the total stays. A sweep calls it for each combination.
func progressOf(e *evaluator, function, algorithm string, steps int) func(sim.Step) {
	if e.teller == nil {
		return nil
	}
	tell, s := e.teller.update, e.swept
	if s == nil {
		share := 0.0 // the largest so far, since the estimate of the remaining samples may grow
		return func(x sim.Step) {
			if share = max(share, shareOf(x)); x.Done > 0 {
				share = 0 // a single run, now over
			}
			tell(Activity{Label: function + " " + algorithm, Done: x.Done, Total: x.Total, Share: share, Note: noteOf(x)})
		}
	}
	s.steps = cmp.Or(s.steps, steps) // of the first combination
	label := fmt.Sprintf("sweep of %s over %s", function, strings.Join(s.names(), " and "))
	// A combination counts as stored once it is found in the store.
	return func(x sim.Step) {
		stored := s.stored
		if s.hit {
			stored++
		}
		tell(Activity{Label: label, Done: s.cell*s.steps + x.Done*s.steps/steps, Total: s.cells * s.steps, Stored: stored * s.steps,
			Note: noteOf(x)})
	}
}

// countSteps returns the function that receives the progress of a forecast, which counts its own steps.
func countSteps(c *call, of string) func(done, total int) {
	return func(done, total int) {
		if tell := progressOf(c.e, c.fn.Name, of, total); tell != nil {
			tell(sim.Step{Done: done, Total: total})
		}
	}
}

// shareOf returns the samples of a run as a fraction of its expected total. Remaining is the run's own estimate, or 0.
func shareOf(x sim.Step) float64 {
	if x.Round == 0 || !(x.Remaining > 0) {
		return 0
	}
	return float64(x.Samples) / (float64(x.Samples) + x.Remaining)
}

// noteOf describes the state of a run: "round 5, 1234 samples, 2/5 tasks decided, about 900 to go"; "" before the first round.
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

// roughly rounds a number to two significant digits.
func roughly(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Round(x/unit) * unit
}

// grace limits how long a computation may continue after an interrupt. Then its result is lost: some parts, such as a
// factorisation, cannot be stopped.
const grace = 300 * time.Millisecond

// awaitResult returns the result of compute, which must not have side effects. It waits until the context ends, and then for the grace
// period.
func awaitResult[T any](c *call, compute func() (T, error)) (T, error) {
	return await.Result(c.e.ctx, await.Patience{Grace: grace}, compute)
}

// awaitRuns returns the result of compute, which makes runs. Once worth is true, it waits for the result: the runs stop by
// themselves, and finished ones are kept. noteFirstStep sets worth, from any goroutine.
func awaitRuns[T any](c *call, worth *atomic.Bool, compute func() (T, error)) (T, error) {
	return await.Result(c.e.ctx, await.Patience{Grace: grace, Keeps: worth.Load}, compute)
}

// noteFirstStep returns a progress function that passes steps on, and sets worth at the first step with something to keep. Steps may come
// from any goroutine; tell may be nil.
func noteFirstStep(tell func(sim.Step), worth *atomic.Bool, is func(sim.Step) bool) func(sim.Step) {
	return func(s sim.Step) {
		if is(s) {
			worth.Store(true)
		}
		if tell != nil {
			tell(s)
		}
	}
}

// teller reports progress until it is closed, so that an abandoned computation reports nothing.
type teller struct {
	mu     sync.Mutex // guards closed, and serialises reports
	closed bool       // nothing is reported any more
	tell   Progress   // Options.Progress
}

// update reports a step, unless the teller is closed.
func (t *teller) update(a Activity) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.tell(a)
	}
}

// close waits for a report in progress; afterwards nothing is reported.
func (t *teller) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}
