package engine

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine/problem"
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
func PullsOf(counts []int) int {
	sum := 0
	for _, c := range counts {
		sum += c
	}
	return sum
}

// A Loner is an Algorithm whose agents may exchange nothing on some problems, though they do on
// others.
type Loner interface {
	// Alone reports whether no agent is told what others measured.
	Alone() bool
}

// Alone reports whether the agents of an algorithm exchange nothing, as it says itself.
func Alone(alg Algorithm) bool {
	l, ok := alg.(Loner)
	return ok && l.Alone()
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
