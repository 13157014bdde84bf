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

// An Algorithm chooses pulls and answers. It never samples, measures time or prints, so simulations, campaigns and remote agents all
// drive the same code. It is a deterministic function of its inputs: agents on different machines stay replicas by exchanging only
// (count, mean) per arm.
//
// The order of calls is Plan, Learn, Plan, Learn, … until Done.
type Algorithm interface {
	// Plan returns the pulls of the next round. If ctx ends, Plan returns the context's error.
	Plan(ctx context.Context) (Plan, error)
	// Learn records the counts and means of the last planned round. It panics if no round is planned. If ctx ends, Learn returns the
	// context's error.
	Learn(ctx context.Context, b Batch) error
	// Done reports whether nothing is left to decide (fixed confidence) or to spend (fixed budget).
	Done() bool
	// State returns what the algorithm has found so far.
	State() State
}

// Plan holds the pulls of one communication round of all agents.
type Plan struct {
	Round       int     // from 1; Steps counts the rounds of algorithms that are not Detailed
	Counts      []int   // N whole pulls; agent v takes the pulls of its own arms
	Rho         float64 // value of the allocation's objective, normalised; 0 without one
	RhoLower    float64 // certified lower bound of Rho
	Rounding    float64 // achieved ratio of ROUND; 0 without one
	WantSquares bool    // whether the batch must contain squared deviations besides means, and ranges if rewards have bounds
	// blocks of arms that are compared within a block; the batch must then contain Batch.Within. nil without blocks
	Sides []Side
	// hash of the counts, the round and all earlier data, rewards included. Replicas that diverged have different digests. Steps sets it
	Digest string
}

// Pulls returns the number of samples of the plan, all agents together.
func (p Plan) Pulls() int { return PullsOf(p.Counts) }

// PullsOf returns the number of samples of counts, one count per arm.
func PullsOf(counts []int) int { return lists.Total(counts) }

// An Environment pulls arms: simulated, resampled or real.
type Environment interface {
	// Pull makes the pulls of the plan and returns the mean reward of each arm, reward units, with the sign of the data.
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
	Noise        *Warning   // evidence against the noise model, see NoiseCheck; nil without any
	Samples      int        // all agents together
	Independent  bool       // whether the agents exchanged no data although the algorithm can, see State.Independent
	Unspent      string     // why part of a fixed budget was not spent; "" if all of it was
	SamplesAdded int        // rewards from Steps.AddData, which Samples does not count
}

// Run drives an algorithm to its end. It stops at Options.MaxRounds and before a round that would exceed Options.MaxSamples; the outcome
// then lists undecided tasks. If ctx is cancelled, it returns the partial outcome and the context's error.
func Run(ctx context.Context, alg Algorithm, env Environment, opt Options) (Outcome, error) {
	s, err := Begin(alg, opt)
	if err != nil {
		return Outcome{}, err
	}
	return s.Run(ctx, env)
}

// Run drives the remaining rounds with rewards of env. Its errors and limits are those of the function Run.
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

// close copies the algorithm's answers and sets the status. An empty status is derived from the answers.
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

// Errors that callers distinguish. Errors for readers only, such as options out of range, are created where the rule is checked.
var (
	// ErrUnsuited is wrapped by errors of algorithms that work only on certain kinds of problems.
	ErrUnsuited = errors.New("the algorithm is not for this problem")

	// ErrUnknownMeans is wrapped by errors of quantities that need the expected rewards, which are known only in simulation.
	ErrUnknownMeans = errors.New("the expected rewards are unknown")

	// ErrNoMisfit is returned by algorithms that have no misspecification bound.
	ErrNoMisfit = errors.New("misfit is for CoTestFC and IndTestFC; other algorithms assume that the kernel is exact")

	// ErrFixedPlans is wrapped by errors of algorithms that cannot use a round whose pulls differ from its plan.
	ErrFixedPlans = errors.New("the algorithm accepts a round only with exactly its planned pulls")

	// ErrAddedDataUnused is returned by Steps.AddData for algorithms that use only the rewards of their own rounds.
	ErrAddedDataUnused = errors.New("the algorithm uses only the rewards of its own rounds")

	// ErrFixedQuestion is wrapped by errors of algorithms that cannot change accuracy, error probability or arms during a run.
	ErrFixedQuestion = errors.New("the algorithm cannot change its question while it runs")
)

// LimitError reports a round that needs more samples than any limit allows.
type LimitError struct{ Samples float64 }

// Error returns the message with the number of samples.
func (e LimitError) Error() string {
	return fmt.Sprintf("the next round needs %.3g samples, more than max_samples", e.Samples)
}
