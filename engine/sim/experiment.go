package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Experiment is one algorithm, run many times on one problem.
type Experiment struct {
	Problem   *problem.Problem
	Mode      string            // engine.ModeFC or engine.ModeFB
	Algorithm string            // a name in algorithms.All
	Own       *algorithms.Entry // your own algorithm, used if set instead of Algorithm, as in question.Question
	Options   engine.Options
	Runs      int // at least 1
	Seed      uint64
	// number of concurrent runs; 0 means one for each core that the context allows. If there are fewer runs than cores,
	// each run uses several cores
	Workers int
	// called before the first run, after each run, and during a single slow run after rounds; never concurrently; may be
	// nil
	Progress func(Step)
	Draw     Drawer // nil means the problem's drawer
	// draws the rewards of all arms of a round, and replaces Draw, which must also be set; see the function Rounds. May be
	// nil
	Rounds RoundFunc
	Detail bool // whether to set Result.Detail
	// whether to warn if a bound on the norm would save many samples, which takes a forecast
	ForecastNorm bool
	// cache of designs, shared by experiments; nil means a new one
	Memory *model.Memory

	// Each is called for every finished run with the pulls of each agent in each round (rounds × V), from which costs and
	// times are computed. It is never called concurrently. Runs come in the order in which they finish. The outcome has no
	// audit trail. Each is not called for results from a Store.
	Each func(run int, o *engine.Outcome, pulls [][]int)

	natural bool // whether Draw is the drawer of the problem
	// distribution from which each run draws its expected rewards; Problem then has none. nil if expected rewards are
	// fixed
	believed *believed
}

// Run makes the runs and returns their summary. If ctx is cancelled or a run fails, it returns the summary of the finished runs and the
// error; Result.Runs is their number. If no run finished, answers, trace, samples and rounds are those of the first started run. It
// returns an error for invalid experiments.
//
// Only a score of about 100 bytes is kept of each run, and of the first also its answers and trace.
func Run(ctx context.Context, x Experiment) (engine.Result, error) {
	t, err := Prepare(ctx, x)
	if err != nil {
		return engine.Result{}, err
	}
	totals, err := t.repeat(ctx, 0, x.Runs)
	ctx, cancel := t.late(ctx)
	defer cancel()
	totals.explain()
	return t.summary(ctx, totals), err
}

// atOnce returns the number of concurrent runs.
func (x Experiment) atOnce(ctx context.Context) int {
	if x.Workers > 0 {
		return min(x.Workers, x.Runs)
	}
	return min(cores.Of(ctx), x.Runs)
}

// made is a run, finished or not: its outcome, the messages and pulls of its agents, and the final state of the algorithm.
// A run that did not start has no rounds.
type made struct {
	outcome engine.Outcome
	sent    wire.Traffic
	pulls   [][]int // rounds × V, if Experiment.Each is set
	alg     engine.Detailed
}

// one makes a run. It turns a panic into an error with the stack, because each run has its own goroutine. Otherwise the
// panic would end the whole process, including a notebook with all its variables.
func (x Experiment) one(ctx context.Context, entry algorithms.Entry, model *model.Model, run int) (m *made, err error) {
	m = new(made)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("defect in gonb-cope or in a function that it was given (please report it): %v\n%s", r, debug.Stack())
		}
	}()
	asked, err := x.question().On(model)
	if err != nil {
		return m, err
	}
	m.alg = asked.Algorithm()
	from, err := x.environment(run)
	if err != nil {
		return m, err
	}
	measured := &meter{
		Environment: from, taskOf: x.Problem.TaskOf, features: coefficients(entry, model),
		broadcast: entry.Shares && !m.alg.Independent(), itemise: x.Each != nil,
	}
	var env engine.Environment = measured
	if x.Progress != nil && x.Runs == 1 {
		env = watch(env, m.alg, x.Progress)
	}
	m.outcome, err = asked.WithoutTrail().Run(ctx, asMeasured(x.Problem, env))
	m.sent, m.pulls = measured.sent, measured.pulls
	return m, err
}

// coefficients returns the number of coefficients in a message: the number of features or, for algorithms that use kernel
// values, of arms.
func coefficients(entry algorithms.Entry, m *model.Model) int {
	if entry.ByValues && m.Features == nil {
		return m.Problem.N()
	}
	return m.Rank()
}

// environment returns the environment of a run, with the sign of Problem.Mean.
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

// truth returns the problem with the expected rewards of the run, if they are known.
func (x Experiment) truth(run int) *problem.Problem {
	if x.believed != nil {
		return x.believed.of(x.Problem, run)
	}
	return x.Problem
}

var errOwn = errors.New("results of your own algorithm are not stored without Digest, because another program can have the same name. " +
	"Set Entry.Digest to a text that changes with the program")

// question returns the question of each run.
func (x Experiment) question() question.Question {
	return question.Question{Problem: x.Problem, Mode: x.Mode, Algorithm: x.Algorithm, Own: x.Own, Options: x.Options, Simulated: true}
}

// Expected estimates the samples per agent of a scheduled algorithm (Entry.Scheduled) with known expected rewards. It
// takes the pulls of the first round and four times as many in each further round, until the smallest gap or epsilon is
// resolved. This is an order of magnitude, since later designs have fewer arms. It returns 0 for other algorithms, and an
// error for invalid experiments and if ctx ends.
func (x Experiment) Expected(ctx context.Context) (_ float64, err error) {
	defer try.Caught(&err)
	entry, err := x.question().Entry()
	if err != nil || !entry.Scheduled || x.Problem.Mean == nil {
		return 0, err
	}
	m, terms := try.Two(x.model(ctx))
	gap := try.Of(m.Truth().DeltaMin())
	if gap = math.Max(gap, terms.Epsilon); !(gap > 0) {
		return math.Inf(1), nil
	}
	run := try.Of(x.question().On(m))
	plan := try.Of(run.Algorithm().Plan(ctx))
	rounds := math.Max(1, math.Ceil(-math.Log2(gap)))
	return float64(plan.Pulls()) * (math.Pow(4, rounds) - 1) / 3 / float64(x.Problem.V()), nil
}

// model returns the model of the problem, and the options converted to its terms.
func (x Experiment) model(ctx context.Context) (*model.Model, model.Terms, error) {
	m, err := x.question().Model(ctx, x.Memory)
	if err != nil {
		return nil, model.Terms{}, err
	}
	terms, err := m.Terms(x.Mode, x.Options)
	return m, terms, err
}

// detail returns the numbers of each run from the scores, with the predicted speedup. known reports whether expected
// rewards are known.
func (x Experiment) detail(ctx context.Context, entry algorithms.Entry, model *model.Model, known bool, ridge float64, scores []score,
	runs []int, theory *engine.Theory) *engine.Detail {
	d := &engine.Detail{Run: runs, Samples: lists.Map(scores, func(s score) float64 { return s.Samples })}
	for _, s := range scores {
		d.Rounds = append(d.Rounds, s.Rounds)
		d.Undecided = append(d.Undecided, s.Undecided)
		if known {
			d.Wrong = append(d.Wrong, s.Wrong)
			d.WrongTasks = append(d.WrongTasks, s.WrongTasks)
			d.Regret = append(d.Regret, s.Regret)
		}
	}
	if rank, err := bounds.RankTask(ctx, x.Problem); err == nil {
		d.TaskRank = rank
	}
	if x.Mode == engine.ModeFC && x.Problem.N() <= predictedArms {
		d.Speedup = x.hardnessSpeedup(ctx, model, ridge)
	}
	literal := x.Mode == engine.ModeFB || x.Options.Schedule == engine.SchedulePaper
	if entry.Theorem != "" && literal && theory != nil {
		d.Theorem = theory.Theorem
	}
	return d
}

// theory returns the bounds for the problem. It returns nil if they cannot be computed, if each run draws its own expected
// rewards, or for more than predictedArms arms.
func (x Experiment) theory(ctx context.Context, entry algorithms.Entry, model *model.Model) *engine.Theory {
	if x.Problem.Mean == nil || x.believed != nil || x.Problem.N() > predictedArms {
		return nil
	}
	b, err := bounds.Of(ctx, model, x.Options)
	if err != nil {
		return nil
	}
	theorem, corollary := b.Theorem.FC, b.Corollary.FC
	if x.Mode == engine.ModeFB {
		theorem, corollary = b.Theorem.FB, b.Corollary.FB
	}
	misfit := bounds.Misfit{}
	if entry.Takes("misfit") {
		misfit, _ = bounds.MisfitOf(model, x.Options) // 0 if it cannot be computed
	}
	return &engine.Theory{InformationGain: b.InformationGain, EffectiveDimension: b.EffectiveDimension, RankJoint: b.RankJoint,
		Theorem: theorem, CorollaryA: corollary.A, CorollaryB: corollary.B, CorollaryC: corollary.C,
		MisfitBound: misfit.Samples}
}

// hardnessSpeedup returns Σ_v ρ*_v(ξ) / ρ*(ξ): the sum of the hardness of each task alone, divided by the hardness of all
// tasks together, with the same ridge ξ. It returns 0 if the expected rewards are unknown, two arms tie for best, or a
// design fails.
func (x Experiment) hardnessSpeedup(ctx context.Context, m *model.Model, ridge float64) float64 {
	terms, err := m.Terms(x.Mode, x.Options)
	if err != nil {
		return 0
	}
	together, err := m.Truth().Hardness(ridge, terms.Epsilon)
	if err != nil || !(together.Value > 0) {
		return 0
	}
	sum := 0.0
	for v := range m.Problem.V() {
		alone, err := model.NewContext(ctx, m.Problem.Only(v), m.Unit)
		if err != nil {
			return 0
		}
		d, err := alone.Share(x.Memory).Truth().Hardness(ridge, terms.Epsilon)
		if err != nil {
			return 0
		}
		sum += d.Value
	}
	return sum / together.Value
}

// Complete adds to the result of one run on measured rewards (algorithms.Measured) what Run adds to simulated ones:
// warnings about the kernel and, if the problem has expected rewards, the lower bound and whether answers are right. The
// guarantee is unchanged, since the expected rewards of a table are not the measured truth. It returns an error for
// invalid experiments.
func (x Experiment) Complete(ctx context.Context, r engine.Result) (engine.Result, error) {
	entry, err := x.question().Entry()
	if err != nil {
		return r, err
	}
	x.Algorithm = entry.Name
	m, terms, err := x.model(ctx)
	if err != nil {
		return r, err
	}
	// the problem's means may be means of measurements, which are not a truth
	if x.Problem.Mean != nil && !problem.DrawsMeans(x.Problem.Noise.Environment) {
		x.judged(&r, newJudge(x, x.Problem, entry))
	}
	if r.Runs == 1 {
		r.Undecided = Proportion(r.Undecided.Count, 1)
	}
	x.bounded(ctx, &r, entry, m, terms)
	if r.Runs == 0 {
		r.RatioToLowerBound = 0 // the ratio of an unfinished run would look too good
	}
	r.Warnings = append(r.Warnings, ofProblem(x.Problem, entry)...)
	r.Warnings = append(r.Warnings, x.inert(r, entry, m, terms)...)
	return r, nil
}

// judged sets whether answers are right, and the errors and regrets of a finished run.
func (x Experiment) judged(r *engine.Result, j judge) {
	r.Answers = j.marked(r.Answers)
	if r.Runs == 0 {
		return
	}
	s := j.score(&engine.Outcome{Status: r.Status, Samples: int(r.SamplesTotal), Answers: r.Answers})
	r.DecidedErrors = Proportion(indices.Indicator(s.WrongDecided), 1)
	r.Errors, r.TaskErrors = Proportion(indices.Indicator(s.Wrong), 1), Shares([]int{s.WrongTasks}, x.Problem.V())
	r.Regret, r.RelativeRegret = Mean([]float64{s.Regret}), Mean([]float64{s.Relative})
}
