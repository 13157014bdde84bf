package sim

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/wire"
	"github.com/gonb-cope/gonb-cope/internal/cores"
)

// Experiment is one algorithm run many times on one problem.
type Experiment struct {
	Problem   *problem.Problem
	Mode      string // engine.ModeFC or engine.ModeFB
	Algorithm string // a name in algorithms.All
	// an algorithm that is not in the catalogue, such as the caller's own, in place of a name; it needs
	// Name and New. What it says of its Backing is told as its author's claim
	Own     *algorithms.Entry
	Options engine.Options
	Runs    int // at least 1
	Seed    uint64
	// runs at a time; 0 means one for each core that the context allows. They share the cores: fewer
	// runs than cores leave several to each.
	Workers int
	// called before the first run, after each, and after rounds of a single long one, never
	// concurrently; may be nil
	Progress func(Step)
	Draw     Drawer // nil means that of the problem
	// draws the rewards of all arms of a round in place of Draw, which must be there; see Rounds. May be nil
	Rounds RoundFunc
	Detail bool // keep Result.Detail
	// keep Result.Estimates, up to 8 MB; not in results from a Store
	Estimates bool
	// shared by experiments that have designs in common; nil means a new one
	Memory *model.Memory

	// Each is called for every run that finished, with the pulls that each agent made in each round
	// (rounds × V), by which costs and times are counted. It is never called concurrently, in the
	// order in which runs finish, and not for results from a Store.
	Each func(run int, o *engine.Outcome, pulls [][]int)

	natural bool // Draw is the problem's
	// what the measurements of the problem say, where each run draws its expected rewards from that; Problem does
	// not know them then
	believed *believed
}

// Run makes the runs and returns their summary. When the context is cancelled, or a run fails, it
// returns the summary of the runs that finished together with the error; Result.Runs then says how
// many there were. Where none finished, answers, trace, samples and rounds come from the first run
// that had begun, as far as it got.
//
// Of each run only its score is kept, about 100 bytes, and of the first also its
// answers and trace.
func Run(ctx context.Context, x Experiment) (engine.Result, error) {
	t, err := Prepare(ctx, x)
	if err != nil {
		return engine.Result{}, err
	}
	kept, err := t.repeat(ctx, 0, x.Runs)
	ctx, cancel := t.late(ctx)
	defer cancel()
	kept.explain()
	return t.summary(ctx, kept), err
}

// atOnce returns the number of runs at a time.
func (x Experiment) atOnce(ctx context.Context) int {
	if x.Workers > 0 {
		return min(x.Workers, x.Runs)
	}
	return min(cores.Of(ctx), x.Runs)
}

// made is a run, finished or not: how it went, what its agents did, and the algorithm as
// it was left. It has no rounds when it came to none.
type made struct {
	outcome engine.Outcome
	sent    wire.Traffic
	pulls   [][]int // rounds × V, where Experiment.Each wants them
	alg     engine.Algorithm
	// what it made of every arm, of the first run where that is wanted; nil otherwise
	estimates *engine.Estimates
}

// one makes a run and measures what its agents do. A panic becomes an error that names where: it
// would end the whole process, since each run has its own goroutine, and with it a notebook's
// values.
func (x Experiment) one(ctx context.Context, entry algorithms.Entry, model *model.Model, run int) (m *made, err error) {
	m = new(made)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("defect in gonb-cope or in a function that it was given (please report it): %v\n%s", r, debug.Stack())
		}
	}()
	if m.alg, err = entry.New(model, x.Options); err != nil {
		return m, err
	}
	from, err := x.environment(run)
	if err != nil {
		return m, err
	}
	measured := &meter{
		Environment: from, taskOf: x.Problem.TaskOf, features: coefficients(entry, model),
		broadcast: entry.Shares && !engine.Alone(m.alg), itemise: x.Each != nil,
	}
	var env engine.Environment = measured
	if x.Progress != nil && x.Runs == 1 {
		env = watch(env, m.alg, x.Progress)
	}
	var kept *keeper
	if a, ok := m.alg.(engine.Estimating); ok && x.Estimates && run == 0 {
		kept = keepEstimates(env, a, x.truth(run))
		env = kept
	}
	m.outcome, err = engine.Run(ctx, m.alg, asMeasured(x.Problem, env), x.Options)
	if kept != nil {
		m.estimates = kept.finish()
	}
	m.sent, m.pulls = measured.sent, measured.pulls
	return m, err
}

// coefficients returns the dimension of θ̂: that of the features, or a number for each arm where the
// algorithm works by values of the kernel and not by features.
func coefficients(entry algorithms.Entry, m *model.Model) int {
	if entry.ByValues && m.Features == nil {
		return m.Problem.N()
	}
	return m.Rank()
}

// environment returns the environment from which a run pulls, with the sign of the problem.
func (x Experiment) environment(run int) (engine.Environment, error) {
	if x.Rounds != nil {
		return &rounds{x.Problem, x.Rounds}, nil
	}
	draw := x.Draw
	if x.believed != nil {
		var err error
		if draw, err = DrawerOf(x.truth(run)); err != nil {
			return nil, err
		}
	}
	if x.natural {
		return environmentOf(x.Problem, draw, x.Seed, run), nil
	}
	return &environment{draw, x.Seed, uint64(run), x.Problem.Noise.Bounds}, nil
}

// truth returns the problem with the expected rewards of a run, where they are known.
func (x Experiment) truth(run int) *problem.Problem {
	if x.believed != nil {
		return x.believed.of(x.Problem, run)
	}
	return x.Problem
}
