package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
)

// chain is SHA-256 over all that a run was told, each link over the one before: replicas that were
// told different rewards differ from the next plan on, however alike their counts are.
type chain []byte

// The kinds of links.
const (
	linkLearn byte = iota + 1
	linkInform
	linkChange
)

// digest returns the first 64 bits of SHA-256 over what was told, the round, its counts and its sides, in
// hexadecimal.
func (c chain) digest(p Plan) string {
	b := binary.AppendUvarint([]byte(c), uint64(p.Round))
	for _, n := range p.Counts {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, s := range p.Sides {
		b = binary.AppendUvarint(b, uint64(s.Blocks))
		for _, i := range s.Arms {
			b = binary.AppendUvarint(b, uint64(i))
		}
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// learn adds rewards as they were told; what stands at arms without pulls does not count.
func (c *chain) learn(kind byte, round int, told Batch) {
	b := c.begin(kind, round)
	for i, n := range told.Counts {
		b = binary.AppendUvarint(b, uint64(n))
		if n > 0 {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(told.Means[i]))
			if told.Squares != nil {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(told.Squares[i]))
			}
			if told.Ranges != nil {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(told.Ranges[i][0]))
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(told.Ranges[i][1]))
			}
		}
	}
	for _, w := range told.Within {
		for _, x := range slices.Concat(w.Means, w.Products) {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	c.close(b)
}

func (c *chain) begin(kind byte, round int) []byte {
	return binary.AppendUvarint(append([]byte(*c), kind), uint64(round))
}

func (c *chain) close(b []byte) {
	sum := sha256.Sum256(b)
	*c = sum[:]
}
