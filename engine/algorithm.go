package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// The two objectives of [Du23, Section 3].
const (
	ModeFC = "fc" // fixed confidence: error at most δ, few samples
	ModeFB = "fb" // fixed budget: at most TV samples, small error
)

// An Algorithm chooses pulls and recommends arms. It never samples, measures time or prints, so that simulations, campaigns and
// remote agents run the same code. It is a deterministic function of its inputs. Therefore agents on different machines compute
// the same plans from the Batch of each round, and exchange nothing else.
//
// The order of calls is Plan, Learn, Plan, Learn, … until Done.
type Algorithm interface {
	// Plan returns the pulls of the next round. If ctx ends, Plan returns the context's error.
	Plan(ctx context.Context) (Plan, error)
	// Learn records the counts and means of the last planned round. It panics if no round is planned. If ctx ends, Learn returns the
	// context's error.
	Learn(ctx context.Context, b Batch) error
	// Done reports whether the run is finished: all tasks are decided (fixed confidence), or the budget is spent (fixed budget).
	Done() bool
	// State returns the present answers and estimates.
	State() State
}

// Plan holds the pulls of one communication round of all agents.
type Plan struct {
	Round       int     // number of the round, from 1; Steps sets it for algorithms that are not Detailed
	Counts      []int   // N numbers of pulls; agent v makes the pulls of its own arms
	Rho         float64 // value of the objective that the allocation minimises, normalised; 0 if there is none
	RhoLower    float64 // proven lower bound on Rho
	Rounding    float64 // achieved ratio of ROUND; 0 if the plan was not rounded by it
	WantSquares bool    // whether the batch must contain squared deviations, and ranges if rewards have bounds
	// blocks of arms to measure together; the batch must then contain Batch.Within. nil without blocks
	Sides []Side
	// hash of the counts, the round and all earlier data including rewards; set by Steps. Replicas with different data have
	// different digests
	Digest string
}

// Pulls returns the number of samples of the plan, summed over all agents.
func (p Plan) Pulls() int { return PullsOf(p.Counts) }

// PullsOf returns the sum of the counts.
func PullsOf(counts []int) int { return lists.Total(counts) }

// An Environment returns rewards of arms: simulated, resampled or measured.
type Environment interface {
	// Pull makes the pulls of the plan and returns the mean reward of each arm, in reward units, with the sign of the data.
	Pull(ctx context.Context, p Plan) (Batch, error)
}

// Outcome is one finished or stopped run.
type Outcome struct {
	Status       Status
	Rounds       []RoundRecord
	Answers      []Answer
	Eliminations []Elimination
	Warnings     []Warning
	LackOfFit    *LackOfFit // evidence against the kernel; nil without any
	Noise        *Warning   // evidence against the noise model, see NoiseCheck; nil if there is none
	Samples      int        // summed over all agents
	Independent  bool       // whether the agents exchanged no data although the algorithm can, see State.Independent
	Unspent      string     // reason why part of a fixed budget was not spent; "" if all of it was
	SamplesAdded int        // rewards added by Steps.AddData, which Samples does not count
}

// Run drives an algorithm until it is done. It stops at Options.MaxRounds, and before a round that would exceed
// Options.MaxSamples; the outcome then contains undecided tasks. If ctx ends, Run returns the partial outcome and the context's
// error.
func Run(ctx context.Context, alg Algorithm, env Environment, opt Options) (Outcome, error) {
	s, err := Begin(alg, opt)
	if err != nil {
		return Outcome{}, err
	}
	return s.Run(ctx, env)
}

// Run makes the remaining rounds with rewards from env. Limits and errors are the same as in the function Run.
func (s *Steps) Run(ctx context.Context, env Environment) (Outcome, error) {
	for !s.over() {
		if err := ctx.Err(); err != nil {
			return s.Outcome(), err
		}
		plan, more, err := s.Next(ctx)
		if err != nil || !more {
			return s.Outcome(), err
		}
		batch, err := env.Pull(ctx, plan)
		if err != nil {
			return s.Outcome(), fmt.Errorf("round %d: pulling: %w", plan.Round, err)
		}
		if err := s.Learn(ctx, batch); err != nil {
			return s.Outcome(), err
		}
	}
	return s.Outcome(), nil
}

func (o *Outcome) record(p Plan, alive int, amended bool) {
	o.Samples += p.Pulls()
	o.Rounds = append(o.Rounds, RoundRecord{
		Round: p.Round, Pulls: p.Pulls(), Rho: p.Rho, RhoLower: p.RhoLower, Rounding: p.Rounding, Alive: alive, Digest: p.Digest,
		Amended: amended,
	})
}

// close copies the algorithm's answers to the outcome and sets its status. An empty status is replaced by the one that follows
// from the answers.
func (o *Outcome) close(alg Detailed, status Status, trail bool) {
	o.Answers, o.Warnings = slices.Clone(alg.Answers()), alg.Warnings()
	if trail {
		o.Eliminations = alg.Eliminations()
	}
	for v := range o.Answers {
		o.Answers[v].Estimate = problem.Turned(alg.Goal(), o.Answers[v].Estimate)
	}
	if status == "" {
		status = StatusDecided
		for _, a := range o.Answers {
			if !a.Decided {
				status = StatusBudget
			}
		}
		if o.Unspent = alg.Unspent(); o.Unspent != "" && status == StatusBudget {
			status = StatusLeft
		}
		if status == StatusDecided && alg.UsedRule(RuleEpsilon) {
			status = StatusEpsilon
		}
	}
	o.Status, o.Independent = status, alg.Independent()
}

// Errors that callers can distinguish by errors.Is. Other errors are created where they occur.
var (
	// ErrUnsuited is wrapped by errors of algorithms that do not apply to the given problem.
	ErrUnsuited = errors.New("the algorithm is not for this problem")

	// ErrUnknownMeans is wrapped by errors of quantities that need the expected rewards, which are known only in simulation.
	ErrUnknownMeans = errors.New("the expected rewards are unknown")

	// ErrNoMisfit is returned by algorithms that have no misspecification bound.
	ErrNoMisfit = errors.New("misfit is for CoTestFC and IndTestFC; other algorithms assume that the kernel is exact")

	// ErrFixedPlans is wrapped by errors of algorithms that cannot use a round whose pulls differ from their plan.
	ErrFixedPlans = errors.New("the algorithm accepts a round only with exactly its planned pulls")

	// ErrAddedDataUnused is returned by Steps.AddData for algorithms that use only the rewards of their own rounds.
	ErrAddedDataUnused = errors.New("the algorithm uses only the rewards of its own rounds")

	// ErrFixedQuestion is wrapped by errors of algorithms that cannot change epsilon, delta or arms during a run.
	ErrFixedQuestion = errors.New("the algorithm cannot change its question while it runs")
)

// LimitError is the error for a round that needs more samples than any limit allows.
type LimitError struct{ Samples float64 }

// Error returns the message with the number of samples.
func (e LimitError) Error() string {
	return fmt.Sprintf("the next round needs %.3g samples, more than max_samples", e.Samples)
}
