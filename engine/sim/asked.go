package sim

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/gonb-cope/gonb-cope/engine"
)

// describe says of a result which kernel, noise and options it was asked with: what tells it from
// results of the same algorithm on a problem of the same name.
func (x Experiment) describe(r *engine.Result) {
	r.Kernel, r.Noise, r.Stated = abridged(x.Problem.Kernel.String()), x.Problem.Noise.Text(), x.Options.Stated()
}

// longestKernel is the number of bytes up to which the text of a kernel is kept whole: a table of
// a hundred tasks has ten thousand numbers, and a sweep thousands of results.
const longestKernel = 500

// abridged cuts a long text, and ends it in a checksum of the whole: texts that differ stay different.
func abridged(s string) string {
	if len(s) <= longestKernel {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	cut := longestKernel
	for s[cut]&0xc0 == 0x80 { // not inside a letter
		cut--
	}
	return s[:cut] + "… #" + hex.EncodeToString(sum[:4])
}
