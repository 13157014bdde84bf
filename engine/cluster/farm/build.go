package farm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// Build says which program makes runs. Programs of the same Build make the same bits.
type Build struct {
	cluster.Build
	// Numbers is a checksum of what its arithmetic gives. Builds for other processors fuse products and
	// sums, and math.Exp of one program does so where the processor can.
	Numbers string `json:"numbers"`
}

// BuildHere returns the build of this program.
func BuildHere() Build { return Build{cluster.BuildHere(), arithmetic()} }

// String returns the build in words.
func (b Build) String() string { return b.Build.String() + ", arithmetic " + b.Numbers }

// arithmetic returns a checksum of numbers that depend on how products and sums are rounded.
func arithmetic() string {
	h := sha256.New()
	x, sum := 0.5, 0.0
	for range 500 {
		x = 3.9 * x * (1 - x) // chaotic: what differs once differs more and more
		sum += x*x + math.Exp(-3*x)*math.Log1p(x) + math.Sin(9*x)*math.Sqrt(x) + math.Pow(x, 1.7) + math.Erf(x)
		_ = binary.Write(h, binary.LittleEndian, []float64{x, sum}) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
