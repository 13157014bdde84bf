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

// An Algorithm decides; it never samples, times or prints. Simulation,
// campaigns and remote agents all drive the same one. It is a deterministic
// function of everything it was told, so agents on different machines stay replicas
// by exchanging only (count, mean) per arm.
//
// The order of calls is Plan, Learn, Plan, Learn, … until Done.
type Algorithm interface {
	// Plan returns the pulls of the next round. It ends early, with the context's error, when the context ends.
	Plan(ctx context.Context) (Plan, error)
	// Learn takes the counts and means of the round planned last. It panics without one, and ends as Plan does.
	Learn(ctx context.Context, b Batch) error
	// Done reports whether nothing is left to decide (FC) or to spend (FB).
	Done() bool
	// Answers returns one answer per task for what is known now, in task order.
	Answers() []Answer
	// Eliminations is the audit trail so far, in order.
	Eliminations() []Elimination
	// Alive is the number of arms not eliminated, all tasks together.
	Alive() int
	// Warnings returns the conditions of its guarantee that did not hold.
	Warnings() []Warning
	// Goal returns its problem's, problem.GoalMax or problem.GoalMin. An algorithm maximises:
	// Steps turns what it is told, and the estimates of its answers, where the goal is GoalMin.
	Goal() string
}

// Plan is the pulls of one communication round: one count per arm, all agents.
type Plan struct {
	Round       int
	Counts      []int   // N whole pulls; agent v takes the pulls of its own arms
	Rho         float64 // value of the allocation's objective, normalised; 0 without one
	RhoLower    float64 // its certified lower bound
	Rounding    float64 // achieved ratio of ROUND; 0 without one
	WantSquares bool    // whether the squared deviations are wanted besides the means, and ranges of bounded rewards
	// which arms are measured side by side, in blocks, for which Batch.Within is wanted; nil where none are
	Sides []Side
	// of counts, round and all that was told before, rewards included: replicas that drifted apart
	// differ here. Steps sets it
	Digest string
}

// Pulls returns the number of samples of the plan, all agents together.
func (p Plan) Pulls() int { return PullsOf(p.Counts) }

// PullsOf returns the number of samples of counts, one count per arm.
func PullsOf(counts []int) int { return lists.Total(counts) }

// An IndependentReporter is an Algorithm whose agents may exchange nothing on some problems, though they do on
// others.
type IndependentReporter interface {
	// Independent reports whether no agent is told what others measured.
	Independent() bool
}

// Independent reports whether the agents of an algorithm exchange nothing, as it says itself.
func Independent(alg Algorithm) bool {
	l, ok := alg.(IndependentReporter)
	return ok && l.Independent()
}

// A RuleReporter is an Algorithm that says by which rules arms left without its audit trail: some lines of it take time.
type RuleReporter interface {
	// UsedRule reports whether an arm has left by the rule.
	UsedRule(rule Rule) bool
}

// UsedRule reports whether an arm has left by the rule, of any algorithm.
func UsedRule(alg Algorithm, rule Rule) bool {
	if r, ok := alg.(RuleReporter); ok {
		return r.UsedRule(rule)
	}
	return slices.ContainsFunc(alg.Eliminations(), func(e Elimination) bool { return e.Rule == rule })
}

// Minimal is embedded in an algorithm of the caller's own, and answers for it what many have nothing to say of: no arm is
// eliminated, no condition of a guarantee failed, and the largest mean is the best.
type Minimal struct{}

// Eliminations implements Algorithm.
func (Minimal) Eliminations() []Elimination { return nil }

// Alive implements Algorithm.
func (Minimal) Alive() int { return 0 }

// Warnings implements Algorithm.
func (Minimal) Warnings() []Warning { return nil }

// Goal implements Algorithm.
func (Minimal) Goal() string { return problem.GoalMax }

// An Environment pulls arms: simulated, resampled, or real.
type Environment interface {
	// Pull makes the plan's pulls and returns the mean reward of each arm, as it was measured.
	Pull(ctx context.Context, p Plan) (Batch, error)
}

// Outcome is one finished or stopped run.
type Outcome struct {
	Status       Status
	Rounds       []RoundRecord
	Answers      []Answer
	Eliminations []Elimination
	Warnings     []Warning
	LackOfFit    *LackOfFit // what speaks against the kernel; nil when nothing does
	Noise        *Warning   // what speaks against the assumed noise, see NoiseCheck; nil when nothing does
	Samples      int        // all agents together
	Independent  bool       // whether the agents exchanged nothing, though the algorithm may, see IndependentReporter
	Unspent      string     // why pulls of a fixed budget are left; "" where none are
	SamplesAdded int        // rewards told by Steps.AddData, which are not among Samples
	// what the probability of a wrong answer is at most after changes of the question, see QuestionChanger; 0
	// where the algorithm states nothing
	Bound float64
}

// Run drives an algorithm to its end: the loop over Steps. It stops at Options.MaxRounds and before a
// round that would exceed Options.MaxSamples; the outcome then says which tasks are undecided. When
// the context is cancelled it returns what is finished together with the context's error.
func Run(ctx context.Context, alg Algorithm, env Environment, opt Options) (Outcome, error) {
	s, err := Begin(alg, opt)
	if err != nil {
		return Outcome{}, err
	}
	return s.Run(ctx, env)
}

// Run drives the steps to their end with the rewards of an environment.
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

// An UnspentReporter is an Algorithm that may end before its budget is spent.
type UnspentReporter interface {
	// Unspent says why pulls of the budget are left once it is done; "" where none are.
	Unspent() string
}

// close takes the algorithm's answers and names how the run ended; an empty
// status is worked out from the answers.
func (o *Outcome) close(alg Algorithm, status Status, trail bool) {
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
		if s, ok := alg.(UnspentReporter); ok {
			if o.Unspent = s.Unspent(); o.Unspent != "" && status == StatusBudget {
				status = StatusLeft
			}
		}
		if status == StatusDecided && UsedRule(alg, RuleEpsilon) {
			status = StatusEpsilon
		}
	}
	o.Status, o.Independent, o.Bound = status, Independent(alg), bound(alg)
}

// The errors that callers tell apart. Messages that only a reader takes in, as of options out of
// range, stand where the rule is checked.
var (
	// ErrUnsuited is wrapped by errors of algorithms that are only for problems of a certain kind.
	ErrUnsuited = errors.New("the algorithm is not for this problem")

	// ErrUnknownMeans is wrapped by errors of quantities that need the expected rewards, which
	// only a simulation knows.
	ErrUnknownMeans = errors.New("the expected rewards are unknown")

	// ErrNoMisfit is returned by algorithms that allow for no misfit.
	ErrNoMisfit = errors.New("misfit and robust are for CoTestFC and IndTestFC; other algorithms take the kernel as exact")

	// ErrFixedPlans is wrapped by errors of algorithms that take a round only as they planned it.
	ErrFixedPlans = errors.New("the algorithm takes a round only as it was planned")

	// ErrAddedDataUnused is wrapped by errors of algorithms that judge and plan every round by its own data
	// alone, so that no other rewards are of use to them.
	ErrAddedDataUnused = errors.New("the algorithm goes by the data of its own rounds alone")

	// ErrFixedQuestion is wrapped by errors of algorithms that cannot change what they ask.
	ErrFixedQuestion = errors.New("the algorithm cannot change its question while it runs")
)

// LimitError says that a round would need more samples than any limit allows.
type LimitError struct{ Samples float64 }

// Error returns the number of samples with the limit that it exceeds.
func (e LimitError) Error() string {
	return fmt.Sprintf("the next round needs %.3g samples, more than max_samples", e.Samples)
}
