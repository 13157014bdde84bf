package sim

import (
	"math"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Step is how far an experiment is: its runs, and where there is one run in all and that takes
// longer, the run itself after each round. Round is 0 where only runs are told.
type Step struct {
	Done, Total int // runs

	Round          int
	Samples        int     // so far, all agents together
	Tasks, Decided int     // in all, and those with an answer
	Remaining      float64 // engine.Explainer: further samples, -1 when it cannot be decided, NaN when not known
}

const (
	patience     = 500 * time.Millisecond // what is over sooner tells nothing of its rounds
	interval     = 200 * time.Millisecond // between two rounds that are told
	worthTelling = 20                     // foretelling may take 1/20 of the time of a run
)

// watched is an algorithm whose rounds are told, from a while on.
type watched struct {
	engine.Algorithm
	tell    func(Step)
	began   time.Time
	told    time.Time
	spent   time.Duration // on foretelling
	rounds  int
	samples int
}

func watch(alg engine.Algorithm, tell func(Step)) *watched {
	return &watched{Algorithm: alg, tell: tell, began: time.Now()}
}

// Learn passes the round on and tells of it.
func (w *watched) Learn(b engine.Batch) error {
	if err := w.Algorithm.Learn(b); err != nil {
		return err
	}
	w.rounds++
	for _, c := range b.Counts {
		w.samples += c
	}
	now := time.Now()
	if passed := now.Sub(w.began); passed < patience || now.Sub(w.told) < interval {
		return nil
	}
	w.told = now
	s := Step{Total: 1, Round: w.rounds, Samples: w.samples, Remaining: math.NaN()}
	for _, a := range w.Algorithm.Answers() {
		s.Tasks++
		s.Decided += count(a.Decided)
	}
	if x, ok := w.Algorithm.(engine.Explainer); ok && w.spent*worthTelling <= now.Sub(w.began) {
		s.Remaining = x.Remaining()
		w.spent += time.Since(now)
	}
	w.tell(s)
	return nil
}
