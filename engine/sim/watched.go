package sim

import (
	"context"
	"math"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Step shows how far an experiment is: its runs, and where there is one run in all and that takes
// longer, the run itself after each round. Round is 0 where only runs are told.
type Step struct {
	Done, Total int // runs
	// before the runs, while it is computed what the measurements of the problem say: how much of that is done, above 0
	Believing float64

	Round          int
	Samples        int // so far, all agents together
	Tasks, Decided int // in all, and those with an answer
	// engine.Explainer: further samples, -1 when it cannot be decided, NaN when not known
	Remaining float64
}

const (
	patience     = 500 * time.Millisecond // what is over sooner tells nothing of its rounds
	interval     = 200 * time.Millisecond // between two rounds that are told
	worthTelling = 20                     // predicting may take 1/20 of the time of a run
)

// watched is an environment that reports the rounds of a run once it has taken a while: before each
// pull what was learned up to then.
type watched struct {
	engine.Environment
	alg  engine.Algorithm
	tell func(Step)

	began, told, pulled time.Time
	spent               time.Duration // on predicting
	rounds, samples     int           // pulled and learned
}

func watch(env engine.Environment, alg engine.Algorithm, tell func(Step)) *watched {
	now := time.Now()
	return &watched{Environment: env, alg: alg, tell: tell, began: now, pulled: now}
}

// Pull reports the rounds before and passes the plan on.
func (w *watched) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	now := time.Now()
	if w.rounds > 0 && now.Sub(w.began) >= patience && now.Sub(w.told) >= interval {
		w.told = now
		w.tell(w.step(now))
	}
	b, err := w.Environment.Pull(ctx, p)
	w.pulled = time.Now()
	w.rounds++
	w.samples += p.Pulls()
	return b, err
}

// step returns the state of the run. Predicting takes about as long as learning and planning did.
func (w *watched) step(now time.Time) Step {
	s := Step{Total: 1, Round: w.rounds, Samples: w.samples, Remaining: math.NaN()}
	for _, a := range w.alg.Answers() {
		s.Tasks++
		s.Decided += count(a.Decided)
	}
	cost := now.Sub(w.pulled)
	if x, ok := w.alg.(engine.Explainer); ok && (w.spent+cost)*worthTelling <= now.Sub(w.began) {
		s.Remaining = engine.Remaining(x)
		w.spent += time.Since(now)
	}
	return s
}
