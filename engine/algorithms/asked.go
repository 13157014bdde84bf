package algorithms

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Asked returns a result before any run: what was asked. Its kernel, noise and options tell it from
// results of the same algorithm on a problem of the same name.
func Asked(e Entry, p *problem.Problem, opt engine.Options, runs int) engine.Result {
	r := engine.Result{
		Mode: e.Mode, Algorithm: e.Name, Problem: p.Name, Status: engine.StatusInterrupted, Asked: runs,
		Tasks: p.V(), Arms: p.N(), Goal: p.Goal, Words: p.Words(), Delta: opt.Delta, Epsilon: opt.Epsilon, Budget: opt.Budget,
	}
	Describe(&r, p, opt)
	if r.Delta == 0 {
		r.Delta = engine.DefaultDelta
	}
	if e.Scheduled {
		r.Schedule = opt.Schedule
		if r.Schedule == "" {
			r.Schedule = engine.ScheduleTuned
		}
	}
	return r
}

// Describe says of a result which kernel, noise and options it was asked with.
func Describe(r *engine.Result, p *problem.Problem, opt engine.Options) {
	r.Kernel, r.Noise, r.Stated = abridged(p.Kernel.String()), p.Noise.Text(), opt.Stated()
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
