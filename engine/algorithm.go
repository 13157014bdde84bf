package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// The two objectives of [Du23, Section 3].
const (
	ModeFC = "fc" // fixed confidence: error at most δ, few samples
	ModeFB = "fb" // fixed budget: at most TV samples, small error
)

// An Algorithm decides; it never samples, times or prints. Simulation,
// campaigns and remote agents all drive the same one. It is a deterministic
// function of what it was told, so agents on different machines stay replicas
// by exchanging only (count, mean) per arm.
//
// The order of calls is Plan, Learn, Plan, Learn, … until Done.
type Algorithm interface {
	// Plan returns the pulls of the next round.
	Plan() (Plan, error)
	// Learn takes the counts and means of the round planned last. It panics without one.
	Learn(Batch) error
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
}

// Plan is the pulls of one communication round: one count per arm, all agents.
type Plan struct {
	Round       int
	Counts      []int   // N whole pulls; agent v takes those of its own arms
	Rho         float64 // value of the allocation's objective, normalised; 0 without one
	RhoLower    float64 // its certified lower bound
	Rounding    float64 // achieved ratio of ROUND; 0 without one
	WantSquares bool    // whether the squared deviations are wanted besides the means
	Digest      string  // of round and counts: replicas that drifted apart differ here
}

// Batch holds what the agents broadcast after a round [Du23, Alg. 1, l. 10].
type Batch struct {
	Counts []int     // N pulls made, in arm order
	Means  []float64 // N mean rewards, reward units; ignored where the count is 0
	// Squares are N sums Σ (reward - mean)² over the round's rewards of an arm, reward
	// units², where the plan asked for them (Plan.WantSquares); nil otherwise.
	Squares []float64
}

// Pulls returns the number of samples of the plan, all agents together.
func (p Plan) Pulls() int {
	sum := 0
	for _, c := range p.Counts {
		sum += c
	}
	return sum
}

// Digest returns the first 64 bits of SHA-256 over round and counts, in hexadecimal.
func Digest(round int, counts []int) string {
	b := binary.AppendUvarint(nil, uint64(round))
	for _, c := range counts {
		b = binary.AppendUvarint(b, uint64(c))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
