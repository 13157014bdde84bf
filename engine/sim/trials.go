package sim

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/cores"
)

// Trials is an experiment that is ready to be run, in parts and in several places: its problem is bound
// to the kernel. Run makes all of it in one place.
type Trials struct {
	x     Experiment
	asked *problem.Problem // of the experiment, before x has what its runs know of it
	entry algorithms.Entry
	model *model.Model
	judge judge // of the first run; see judgeOf
}

// Prepare checks an experiment and makes it ready. The context also ends what the model computes in
// later runs.
func Prepare(ctx context.Context, x Experiment) (*Trials, error) {
	if x.Runs < 1 {
		return nil, fmt.Errorf("runs must be at least 1, got %d", x.Runs)
	}
	entry, err := x.entry()
	if err != nil {
		return nil, err
	}
	if err := entry.Suits(x.Problem); err != nil {
		return nil, err
	}
	if err := entry.TakesPrior(x.Options); err != nil {
		return nil, err
	}
	if x.Memory == nil {
		x.Memory = new(model.Memory)
	}
	asked := x.Problem
	switch x.natural = x.Draw == nil; {
	case x.natural && asked.Noise.Environment == problem.EnvironmentPosterior:
		tell := func(share float64) {
			if x.Progress != nil {
				x.Progress(Step{Total: x.Runs, Believing: share})
			}
		}
		if x.believed, err = believe(ctx, asked, x.Memory, tell); err != nil {
			return nil, err
		}
		x.Problem = x.believed.unknown(asked)
		if kind := x.Options.Ridge.Kind; entry.Regression == algorithms.RegressionRidge && (kind == engine.RidgeAuto || kind == "") {
			// norm, gaps and hardness, by which ξ is chosen where nobody states it
			x.Problem.Mean = x.believed.average()
		}
	case x.natural:
		if x.Draw, err = DrawerOf(asked); err != nil {
			return nil, err
		}
	}
	x.Workers = x.atOnce(ctx)
	ctx = cores.Share(ctx, x.Workers)
	m, err := model.NewContext(ctx, x.Problem, x.Options.Unit)
	if err != nil {
		return nil, err
	}
	m.Share(x.Memory)
	// before any run: wrong options fail once
	if _, err := entry.New(m, x.Options); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Algorithm, err)
	}
	return &Trials{x: x, asked: asked, entry: entry, model: m, judge: newJudge(x, x.truth(0), entry)}, nil
}

// Experiment returns what was prepared.
func (t *Trials) Experiment() Experiment {
	x := t.x
	x.Problem = t.asked
	return x
}

// judgeOf returns the judge of a run.
func (t *Trials) judgeOf(run int) judge {
	if t.x.believed == nil || run == 0 {
		return t.judge
	}
	return newJudge(t.x, t.x.truth(run), t.entry)
}

// Key returns the key by which a Store finds the result. It is an error where the experiment has a
// Draw of its own.
func (t *Trials) Key(ctx context.Context) (string, error) {
	x := t.Experiment()
	if x.natural {
		x.Draw = nil
	}
	return x.keyOf(ctx, t.model)
}

// RunPart makes the runs from one to another, from included and to not, counted from 0. When the
// context is cancelled, or a run fails, the part of what finished comes with the error. It may be
// called from several goroutines, unless the experiment reports its progress.
func (t *Trials) RunPart(ctx context.Context, from, to int) (*Part, error) {
	if from < 0 || to > t.x.Runs || from >= to {
		return nil, fmt.Errorf("an experiment of %d runs has no part from %d to %d", t.x.Runs, from, to)
	}
	kept, err := t.repeat(ctx, from, to)
	kept.explain()
	return &Part{kept}, err
}

// Result returns the summary of the runs of some parts, in whatever order they come: of all runs it is
// the result of Run, bit by bit. Parts that are missing leave the summary of those that are there, as
// after an interrupt. The same part twice counts once; it is an error where two parts share some of
// their runs only. After the end of the context the comparison with the theory gets a little extra
// time, and the trials are then used up.
func (t *Trials) Result(ctx context.Context, parts ...*Part) (engine.Result, error) {
	all, err := joined(t.x.Runs, parts)
	if err != nil {
		return engine.Result{}, err
	}
	ctx, cancel := t.late(ctx)
	defer cancel()
	return t.summary(ctx, all), nil
}

// summaryTime limits the summary of an interrupted experiment: half of what an interrupt may take.
const summaryTime = 100 * time.Millisecond

// late returns the context of the summary: after an interrupt one that has not ended yet, to which
// the model goes over.
func (t *Trials) late(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), summaryTime)
	t.model.Until(late)
	return late, cancel
}

// repeat makes the runs on the workers and tallies those that finish.
func (t *Trials) repeat(ctx context.Context, from, to int) (*tally, error) {
	x, kept := t.x, newTally(from, to)
	if x.Progress != nil {
		x.Progress(Step{Total: to - from})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := atomic.Int64{}
	next.Store(int64(from))
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range min(x.Workers, to-from) {
		wg.Go(func() {
			for {
				run := int(next.Add(1)) - 1
				if run >= to || ctx.Err() != nil {
					return
				}
				made, err := x.one(ctx, t.entry, t.model, run)
				s := t.judgeOf(run).score(&made.outcome)
				if err != nil {
					mu.Lock()
					kept.leave(run, s, made)
					mu.Unlock()
					cancel(fmt.Errorf("%s, run %d: %w", x.Algorithm, run+1, err))
					return
				}
				mu.Lock()
				kept.add(run, s, made)
				if x.Each != nil {
					x.Each(run, &made.outcome, made.pulls)
				}
				if x.Progress != nil {
					x.Progress(Step{Done: kept.done, Total: to - from})
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && kept.done < to-from {
		return kept, err
	}
	return kept, nil
}
