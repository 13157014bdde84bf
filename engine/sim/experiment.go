package sim

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Experiment is one algorithm run many times on one problem.
type Experiment struct {
	Problem   *engine.Problem
	Mode      string // engine.ModeFC or engine.ModeFB
	Algorithm string // a name in engine.Algorithms
	Options   engine.Options
	Runs      int // at least 1
	Seed      uint64
	Workers   int                   // 0 means one per processor
	Progress  func(done, total int) // called after each run, never concurrently; may be nil
	Draw      Drawer                // nil means that of the problem
	Detail    bool                  // keep Result.Detail
	Memory    *engine.Memory        // shared by experiments that have designs in common; nil means one of its own
}

// Run makes the runs and returns their summary. When the context is cancelled,
// or a run fails, it returns the summary of the runs that finished together with
// the error; Result.Runs then says how many there were.
func Run(ctx context.Context, x Experiment) (engine.Result, error) {
	if x.Runs < 1 {
		return engine.Result{}, fmt.Errorf("runs must be at least 1, got %d", x.Runs)
	}
	entry, err := engine.AlgorithmNamed(x.Mode, x.Algorithm)
	if err != nil {
		return engine.Result{}, err
	}
	if x.Draw == nil {
		if x.Draw, err = DrawerOf(x.Problem); err != nil {
			return engine.Result{}, err
		}
	}
	model, err := engine.NewModel(x.Problem, x.Options.Unit)
	if err != nil {
		return engine.Result{}, err
	}
	model.Share(x.Memory).Until(ctx)
	if _, err := entry.New(model, x.Options); err != nil { // before any run: wrong options fail once
		return engine.Result{}, fmt.Errorf("%s: %w", x.Algorithm, err)
	}
	outcomes, err := x.repeat(ctx, entry, model)
	// After an interrupt, the comparison with the theory gets a little time of its own.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), summaryTime)
	defer cancel()
	if ctx.Err() != nil {
		model.Until(late)
	}
	result := x.summary(entry, model, outcomes)
	return result, err
}

// summaryTime is how long the summary of an interrupted experiment may take.
const summaryTime = 2 * time.Second

// repeat makes the runs on the workers. Outcomes are indexed by run; nil marks
// one that did not finish.
func (x Experiment) repeat(ctx context.Context, entry engine.AlgorithmEntry, model *engine.Model) ([]*engine.Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := x.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	outcomes := make([]*engine.Outcome, x.Runs)
	var next atomic.Int64
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range min(workers, x.Runs) {
		wg.Go(func() {
			for {
				run := int(next.Add(1)) - 1
				if run >= x.Runs || ctx.Err() != nil {
					return
				}
				outcome, err := x.one(ctx, entry, model, run)
				if err != nil {
					cancel(fmt.Errorf("%s, run %d: %w", x.Algorithm, run+1, err))
					return
				}
				mu.Lock()
				outcomes[run] = &outcome
				done++
				if x.Progress != nil {
					x.Progress(done, x.Runs)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && done < x.Runs {
		return outcomes, err
	}
	return outcomes, nil
}

// one makes a run. A panic becomes an error that names where: it would end the whole
// process, since runs have goroutines of their own, and with it a notebook's values.
func (x Experiment) one(ctx context.Context, entry engine.AlgorithmEntry, model *engine.Model, run int) (outcome engine.Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("defect in gonb-cope or in a function that it was given (please report it): %v\n%s", r, debug.Stack())
		}
	}()
	alg, err := entry.New(model, x.Options)
	if err != nil {
		return engine.Outcome{}, err
	}
	return engine.Run(ctx, alg, NewEnvironment(x.Draw, x.Seed, run), x.Options)
}
