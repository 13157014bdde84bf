package dsl

import (
	"fmt"
	"strings"
	"time"
)

// Progress is told how far an activity is.
type Progress func(Activity)

// Activity is something that takes time. While it goes on, its label and its total stay
// and Done does not go back.
type Activity struct {
	Label       string
	Done, Total int // steps
	Stored      int // of Done, those that took no time: they were read from a store
}

// Left estimates from the time passed how long the activity still takes; false while
// nothing says how long a step is.
func (a Activity) Left(passed time.Duration) (time.Duration, bool) {
	made := a.Done - a.Stored
	if made <= 0 {
		return 0, false
	}
	return time.Duration(float64(passed) / float64(made) * float64(a.Total-a.Done)), true
}

// progress returns what so many runs of an algorithm report to, or nil. In a sweep
// they tell of the whole sweep, under one label. All its combinations count as many steps as the first,
// even where the number of runs is swept, so what is done never goes back and the
// total stays.
func (e *evaluator) progress(function, algorithm string, steps int) func(done, total int) {
	tell := e.session.opt.Progress
	if tell == nil {
		return nil
	}
	s := e.swept
	if s == nil {
		return func(done, total int) {
			tell(Activity{Label: function + " " + algorithm, Done: done, Total: total})
		}
	}
	if s.steps == 0 {
		s.steps = steps
	}
	label := fmt.Sprintf("sweep of %s over %s", function, strings.Join(s.names(), " and "))
	return func(done, _ int) {
		stored := s.stored
		if s.hit {
			stored++
		}
		tell(Activity{label, s.cell*s.steps + done*s.steps/steps, s.cells * s.steps, stored * s.steps})
	}
}
