package farm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math"
	"os"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// Build says which program makes runs. Programs of the same Build make the same bits.
type Build struct {
	cluster.Build
	// Program is the checksum of the program's file, where the revision does not tell what it was built from
	Program string `json:"program,omitempty"`
	// Numbers is a checksum of what its arithmetic gives. Builds for other processors fuse products and
	// sums, and math.Exp of one program does so where the processor can.
	Numbers string `json:"numbers"`
}

// BuildHere returns the build of this program. Revision is given to cluster.BuildHere.
func BuildHere(revision string) Build {
	b := Build{Build: cluster.BuildHere(revision), Numbers: arithmetic()}
	if b.Revision == "" || strings.HasSuffix(b.Revision, "+changes") {
		b.Program = programHere()
	}
	return b
}

// String returns the build in words.
func (b Build) String() string {
	text := b.Build.String() + ", arithmetic " + b.Numbers
	if b.Program != "" {
		text += ", program " + b.Program
	}
	return text
}

// digits is the number of hexadecimal digits of the checksums.
const digits = 12

// programHere returns the checksum of the file of this program; "unknown" where it cannot be read.
var programHere = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown"
	}
	return hex.EncodeToString(h.Sum(nil))[:digits]
})

// arithmetic returns a checksum of numbers that depend on how products and sums are rounded.
func arithmetic() string {
	h := sha256.New()
	x, sum := 0.5, 0.0
	for range 500 {
		x = 3.9 * x * (1 - x) // chaotic: what differs once differs more and more
		sum += x*x + math.Exp(-3*x)*math.Log1p(x) + math.Sin(9*x)*math.Sqrt(x) + math.Pow(x, 1.7) + math.Erf(x)
		_ = binary.Write(h, binary.LittleEndian, []float64{x, sum}) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))[:digits]
}
