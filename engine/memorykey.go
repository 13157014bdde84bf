package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// key holds all that a value in a Memory follows from. Fields that do not concern a kind stay zero.
type key struct {
	kind  kind
	of    string  // identity of the model, or of the canonical form of the design problem
	from  kind    // of the design that a stage rounds
	ridge float64 // ξ
	level float64 // a threshold, epsilon or error probability
	pulls int
	sets  [][]int // candidate sets, and what else is a list of whole numbers
}

// kind is a kind of value in a Memory.
type kind byte

// The kinds.
const (
	kindDesign         kind = iota + 1 // minimax design of candidate sets [Du23, Alg. 1, l. 4]
	kindCanonical                      // the same, in canonical form
	kindOmega                          // principle dimension of a set
	kindLocal                          // designs of single tasks, joined
	kindArms                           // G-optimal design
	kindWidth                          // design of the smallest Gaussian width
	kindCanonicalWidth                 // the same, in canonical form
	kindHardness                       // design of T*
	kindEqual                          // equal pulls of all arms left

	kindStage          // a design rounded to some pulls
	kindEqualStage     // the same for equal pulls
	kindOracleStage    // a round of the oracle
	kindOracleRounding // its one round in fixed budget

	kindUniformEstimate // estimators of one uniform round,
	kindOracleEstimate  // of the oracle's round in fixed budget,
	kindPooledEstimate  // and of the counts in sets

	kindExplore       // round 1 of CoTestFC
	kindExploreMisfit // the same, where rewards may be off the kernel
	kindBudgetRound   // a round of CoTestFB on its own
	kindBudgetFurther // the same, on top of the rounds before

	kindNormalHeights      // of the clock of CoTestFC, by the law of the noise
	kindSubGaussianHeights //
)

// encode returns the bytes of a key. Different keys have different ones.
func (k key) encode() string {
	const enough = 80 // bytes, for the keys of small problems
	b := make([]byte, 0, enough+len(k.of))
	b = append(b, byte(k.kind), byte(k.from))
	b = binary.AppendUvarint(b, uint64(len(k.of)))
	b = append(b, k.of...)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(k.ridge))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(k.level))
	b = binary.AppendUvarint(b, uint64(k.pulls))
	return string(appendSets(b, k.sets))
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

// fingerprint is the identity of numbers: 128 bits of SHA-256 over them and the
// lengths of the lists.
func fingerprint(lists ...[]float64) string {
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
