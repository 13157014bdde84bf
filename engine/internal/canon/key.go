package canon

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// Key holds all that a value in a Memory follows from. Fields that do not concern a kind stay zero.
type Key struct {
	Kind  Kind
	Of    string  // identity of the model, or of the canonical form of the design problem
	From  Kind    // of the design that a stage rounds
	Ridge float64 // ξ
	Level float64 // a threshold, epsilon or error probability
	Pulls int
	Sets  [][]int // candidate sets, and what else is a list of whole numbers
}

// Kind is a kind of value in a Memory.
type Kind byte

// The kinds.
const (
	KindDesign         Kind = iota + 1 // minimax design of candidate sets [Du23, Alg. 1, l. 4]
	KindCanonical                      // the same, in canonical form
	KindOmega                          // principle dimension of a set
	KindLocal                          // designs of single tasks, joined
	KindArms                           // G-optimal design
	KindWidth                          // design of the smallest Gaussian width
	KindCanonicalWidth                 // the same, in canonical form
	KindHardness                       // design of ρ*(ξ)
	KindEqual                          // equal pulls of all arms left

	KindStage          // a design rounded to some pulls
	KindEqualStage     // the same for equal pulls
	KindOracleStage    // a round of the oracle
	KindOracleRounding // its one round in fixed budget

	KindUniformEstimate // estimators of one uniform round,
	KindOracleEstimate  // of the oracle's round in fixed budget,
	KindPooledEstimate  // and of the counts in sets

	KindExplore       // round 1 of CoTestFC
	KindExploreMisfit // the same, where rewards may be off the kernel
	KindBudgetRound   // a round of CoTestFB on its own
	KindBudgetFurther // the same, on top of the rounds before

	KindRounding        // the counts of a stage,
	KindExploreRounding // and of round 1 of CoTestFC

	KindNormalHeights      // of the clock of CoTestFC, by the law of the noise
	KindSubGaussianHeights //

	KindFits      // ridge fits of the expected rewards
	KindNormBound // what the lower bound for algorithms that know a norm rests on

	KindConfirmation // KindHardness with gaps that are larger by epsilon

	KindBelief // what measurements say of the expected rewards
)

// encode returns the bytes of a key. Different keys have different ones.
func (k Key) encode() string {
	const enough = 80 // bytes, for the keys of small problems
	b := make([]byte, 0, enough+len(k.Of))
	b = append(b, byte(k.Kind), byte(k.From))
	b = binary.AppendUvarint(b, uint64(len(k.Of)))
	b = append(b, k.Of...)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(k.Ridge))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(k.Level))
	b = binary.AppendUvarint(b, uint64(k.Pulls))
	return string(appendSets(b, k.Sets))
}

func appendSets(b []byte, sets [][]int) []byte {
	for _, set := range sets {
		b = binary.AppendUvarint(b, uint64(len(set)))
		for _, i := range set {
			b = binary.AppendUvarint(b, uint64(i))
		}
	}
	return b
}

// Fingerprint returns the identity of numbers: 128 bits of SHA-256 over them and the lengths of the
// lists.
func Fingerprint(lists ...[]float64) string {
	h := sha256.New()
	const together = 512 // numbers
	b := make([]byte, 0, 8*together)
	for _, list := range lists {
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(len(list)))
		for k, v := range list {
			if k%together == together-1 {
				h.Write(b)
				b = b[:0]
			}
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		h.Write(b)
	}
	return string(h.Sum(b[:0])[:16])
}
