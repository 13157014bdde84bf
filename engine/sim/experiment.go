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
)

// Experiment is one algorithm run many times on one problem.
type Experiment struct {
	Problem   *problem.Problem
	Mode      string            // engine.ModeFC or engine.ModeFB
	Algorithm string            // a name in algorithms.All
	Own       *algorithms.Entry // instead of a name, as in question.Question
	Options   engine.Options
	Runs      int // at least 1
	Seed      uint64
	// runs at a time; 0 means one for each core that the context allows. They share the cores: fewer
	// runs than cores leave several to each.
	Workers int
	// called before the first run, after each, and after rounds of a single long one, never
	// concurrently; may be nil
	Progress func(Step)
	Draw     Drawer // nil means the problem's
	// draws the rewards of all arms of a round instead of Draw, which must be there; see Rounds. May be nil
	Rounds RoundFunc
	Detail bool // keep Result.Detail
	// keep Result.Estimates, up to 8 MB; not in results from a Store
	Estimates bool
	// shared by experiments that have designs in common; nil means a new one
	Memory *model.Memory

	// Each is called for every run that finished, with the pulls that each agent made in each round
	// (rounds × V), by which costs and times are counted. It is never called concurrently, in the
	// order in which runs finish, and not for results from a Store. The outcome has no audit trail.
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
	totals, err := t.repeat(ctx, 0, x.Runs)
	ctx, cancel := t.late(ctx)
	defer cancel()
	totals.explain()
	return t.summary(ctx, totals), err
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
		broadcast: entry.Shares && !engine.Independent(m.alg), itemise: x.Each != nil,
	}
	var env engine.Environment = measured
	if x.Progress != nil && x.Runs == 1 {
		env = watch(env, m.alg, x.Progress)
	}
	var recorder *keeper
	if a, ok := m.alg.(engine.ArmEstimator); ok && x.Estimates && run == 0 {
		recorder = keepEstimates(env, a, x.truth(run))
		env = recorder
	}
	m.outcome, err = asked.WithoutTrail().Run(ctx, asMeasured(x.Problem, env))
	if recorder != nil {
		m.estimates = recorder.finish()
	}
	m.sent, m.pulls = measured.sent, measured.pulls
	return m, err
}

// coefficients returns the dimension of θ̂: the number of features, or a number for each arm where the
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

var errOwn = errors.New("a result of an algorithm that is not in the catalogue is not remembered: a store knows algorithms " +
	"by their names, behind which there can be another program")

// question returns what each run is asked.
func (x Experiment) question() question.Question {
	return question.Question{Problem: x.Problem, Mode: x.Mode, Algorithm: x.Algorithm, Own: x.Own, Options: x.Options, Simulated: true}
}

// Expected returns about how many samples an agent takes whose algorithm follows a schedule (Entry.Scheduled), where the
// expected rewards are known: the pulls of its first round, fourfold in each round until gaps of the smallest gap, or
// of epsilon, are told apart. It is 0 for others, and of the order of magnitude only: later designs are of fewer arms.
func (x Experiment) Expected(ctx context.Context) (float64, error) {
	entry, err := x.question().Entry()
	if err != nil || !entry.Scheduled || x.Problem.Mean == nil {
		return 0, err
	}
	m, terms, err := x.model(ctx)
	if err != nil {
		return 0, err
	}
	gap, err := m.Truth().DeltaMin()
	if err != nil {
		return 0, err
	}
	if gap = math.Max(gap, terms.Epsilon); !(gap > 0) {
		return math.Inf(1), nil
	}
	run, err := x.question().On(m)
	if err != nil {
		return 0, err
	}
	plan, err := run.Algorithm().Plan(ctx)
	if err != nil {
		return 0, err
	}
	rounds := math.Max(1, math.Ceil(-math.Log2(gap)))
	return float64(plan.Pulls()) * (math.Pow(4, rounds) - 1) / 3 / float64(x.Problem.V()), nil
}

// model returns the problem bound to its kernel, and the options on it.
func (x Experiment) model(ctx context.Context) (*model.Model, model.Terms, error) {
	m, err := x.question().Model(ctx, x.Memory)
	if err != nil {
		return nil, model.Terms{}, err
	}
	terms, err := m.Terms(x.Mode, x.Options)
	return m, terms, err
}

// detail lays the scores out run by run, with what theory predicts of the speedup.
func (x Experiment) detail(ctx context.Context, entry algorithms.Entry, model *model.Model, known bool, ridge float64, scores []score,
	runs []int) *engine.Detail {
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
	if entry.Theorem != "" && literal && x.Problem.N() <= predictedArms {
		if b, err := bounds.Of(ctx, model, x.Options); err == nil { // 0 if it cannot be evaluated
			d.Theorem = b.Theorem.FC
			if x.Mode == engine.ModeFB {
				d.Theorem = b.Theorem.FB
			}
		}
	}
	return d
}

// hardnessSpeedup returns Σ_v ρ*_v(ξ) / ρ*(ξ): how much harder the tasks are one by one than
// together, at the same ridge. 0 when the expected rewards are unknown, two arms tie for best, or a
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

// EstimateRecorder collects what the algorithm of a run that is made elsewhere makes of every arm after each round,
// as Experiment.Estimates does for runs that are made here.
type EstimateRecorder struct {
	problem *problem.Problem
	alg     engine.Algorithm
	keeper  *keeper
}

// RecordEstimates returns an EstimateRecorder of no rounds. The problem is the one of the user, with the expected
// rewards that it may have.
func RecordEstimates(p *problem.Problem) *EstimateRecorder { return &EstimateRecorder{problem: p} }

// Learned takes in a round; it is called after each, with the same steps.
func (k *EstimateRecorder) Learned(s *engine.Steps) {
	if k.alg == nil {
		k.alg = s.Algorithm()
		if a, able := k.alg.(engine.ArmEstimator); able {
			k.keeper = keepEstimates(nil, a, k.problem)
		}
	}
	if k.keeper == nil {
		return
	}
	k.keeper.rounds++
	if k.keeper.rounds%k.keeper.stride == 0 {
		k.keeper.keep()
	}
}

// Estimates returns what was kept; nil where there were no rounds or the algorithm estimates nothing.
func (k *EstimateRecorder) Estimates() *engine.Estimates {
	if k.keeper == nil {
		return nil
	}
	return k.keeper.finish()
}

// Complete adds to the result of one run of the experiment whose rewards were measured elsewhere
// (algorithms.Measured) what Run says beside a result: where the problem has expected rewards, whether
// the answers are right and what the lower bound is, and in any case what is to be said of the
// kernel. What backs the answers stays as it is: expected rewards of a table are not what was
// measured.
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
	// means of measurements are no truth by which others could be judged
	if x.Problem.Mean != nil && x.Problem.Noise.Environment != problem.EnvironmentPosterior {
		x.judged(&r, newJudge(x, x.Problem, entry))
	}
	if r.Runs == 1 {
		r.Undecided = Proportion(r.Undecided.Count, 1)
	}
	x.bounded(ctx, &r, entry, m, terms)
	if r.Runs == 0 {
		r.RatioToLowerBound = 0 // of a run that is not over it would flatter
	}
	r.Warnings = append(r.Warnings, ofProblem(x.Problem, entry)...)
	r.Warnings = append(r.Warnings, x.inert(r, entry, m, terms)...)
	return r, nil
}

// judged compares the answers with the best arms of the tasks.
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
