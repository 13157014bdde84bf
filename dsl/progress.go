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

// Progress is a function that receives the state of an activity. It is called from any goroutine, but never twice at a
// time, and never after Eval has returned.
type Progress func(Activity)

// Activity describes an operation that takes time. During the operation, Label and Total stay the same and Done does not
// decrease.
type Activity struct {
	Label       string  // name of the operation, for example "fc CoTestFC"
	Done, Total int     // number of finished steps, and of all steps
	Stored      int     // number of finished steps that came from a store and took no time
	Share       float64 // estimated finished fraction of the current step, from 0 to 1; does not decrease
	Note        string  // state of the current step, if known
}

// Remaining estimates the remaining time. passed is the time since the operation began. It returns false while the
// duration of a step is unknown. Steps from a store do not count.
func (a Activity) Remaining(passed time.Duration) (time.Duration, bool) {
	made := a.Done - a.Stored
	if made <= 0 { // during the first step, Share is a poor estimate of time
		return 0, false
	}
	return time.Duration(float64(passed) / float64(made) * float64(a.Total-a.Done)), true
}

// progressOf returns the function that receives the progress of one experiment with the given number of steps. It returns
// nil if progress is not reported. In a sweep it is called for each combination, and the combinations form one activity.
// Each combination counts as many steps as the first one, so that Total stays the same even if the sweep varies runs.
func progressOf(e *evaluator, function, algorithm string, steps int) func(sim.Step) {
	if e.teller == nil {
		return nil
	}
	tell, s := e.teller.update, e.swept
	if s == nil {
		share := 0.0 // largest share so far; the estimate may decrease when more samples are expected
		return func(x sim.Step) {
			if share = max(share, shareOf(x)); x.Done > 0 {
				share = 0 // the next run begins
			}
			tell(Activity{Label: function + " " + algorithm, Done: x.Done, Total: x.Total, Share: share, Note: noteOf(x)})
		}
	}
	s.steps = cmp.Or(s.steps, steps) // number of steps of the first combination
	label := fmt.Sprintf("sweep of %s over %s", function, strings.Join(s.names(), " and "))
	// Steps of a combination that came from the store are counted separately.
	return func(x sim.Step) {
		stored := s.stored
		if s.hit {
			stored++
		}
		tell(Activity{Label: label, Done: s.cell*s.steps + x.Done*s.steps/steps, Total: s.cells * s.steps, Stored: stored * s.steps,
			Note: noteOf(x)})
	}
}

// countSteps returns a function that reports the progress of a forecast. The forecast calls it with its own numbers of
// finished and total steps.
func countSteps(c *call, of string) func(done, total int) {
	return func(done, total int) {
		if tell := progressOf(c.e, c.fn.Name, of, total); tell != nil {
			tell(sim.Step{Done: done, Total: total})
		}
	}
}

// shareOf returns the finished fraction of a run: its samples so far divided by their expected total. The run itself
// estimates the remaining samples; without an estimate, shareOf returns 0.
func shareOf(x sim.Step) float64 {
	if x.Round == 0 || !(x.Remaining > 0) {
		return 0
	}
	return float64(x.Samples) / (float64(x.Samples) + x.Remaining)
}

// noteOf describes the state of a run, for example "round 5, 1234 samples, 2/5 tasks decided, about 900 to go". It returns
// "" before the first round.
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

// grace is how long a computation may continue after an interrupt. Then its result is dropped, because some computations,
// such as a factorisation, cannot be stopped.
const grace = 300 * time.Millisecond

// awaitResult runs compute and returns its result. After the context ends, it waits for the grace period and then returns
// without a result. compute then continues in the background, so it must not have side effects.
func awaitResult[T any](c *call, compute func() (T, error)) (T, error) {
	return await.Result(c.e.ctx, await.Patience{Grace: grace}, compute)
}

// awaitRuns runs compute, which makes runs, and returns its result. If worth is true when the context ends, it waits for
// the result without a limit: runs stop by themselves and return what they have finished. Otherwise it waits like
// awaitResult. Any goroutine may set worth, see noteFirstStep.
func awaitRuns[T any](c *call, worth *atomic.Bool, compute func() (T, error)) (T, error) {
	return await.Result(c.e.ctx, await.Patience{Grace: grace, Keeps: worth.Load}, compute)
}

// noteFirstStep returns a function that passes each step on to the given function, which may be nil. It sets worth at
// the first step for which is returns true. The returned function may be called from any goroutine.
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

// teller forwards progress to the user until it is closed. After an interrupt it is closed, because the computation may
// continue in the background.
type teller struct {
	mu     sync.Mutex // guards closed, and admits one report at a time
	closed bool       // after close, reports are dropped
	tell   Progress   // Options.Progress
}

// update passes an activity on, unless the teller is closed.
func (t *teller) update(a Activity) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.tell(a)
	}
}

// close drops all later reports. It waits for a report that is being passed on.
func (t *teller) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}
