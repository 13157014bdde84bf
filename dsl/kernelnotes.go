package dsl

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// notedArms is the number of arms up to which problem looks at the rank of its kernel: that takes the
// cube of it in operations, here some tens of milliseconds. Runs look at any number.
const notedArms = 400

// kernelNotes says when the kernel of a problem admits every truth on its arms. Of a kernel that is
// identity() as written it says nothing, since that is what was asked for, and nothing of one with
// free numbers, which are still to be found.
//
// Of more arms it says when the kernel tells very many directions apart at a tenth of the scatter of
// the rewards: what that costs is better known before anything is sampled.
func kernelNotes(ctx context.Context, p *problem.Problem) []problem.Note {
	if free, err := p.Kernel.Free(); err != nil || len(free) > 0 || isIdentity(p) {
		return nil
	}
	if p.N() > notedArms {
		return roughNotes(ctx, p, model.Scatter(p)/10)
	}
	m, err := model.NewContext(ctx, p, 0)
	if err != nil {
		return nil // what is wrong is said by whatever needs the model
	}
	return notesOf(m.KernelWarnings())
}

// isIdentity reports whether the kernel of a problem is written as a multiple of identity().
func isIdentity(p *problem.Problem) bool {
	for _, t := range p.Kernel.Terms {
		_, task := t.Task.(kernels.Identity)
		_, arm := t.Arm.(kernels.Identity)
		if !arm || !task && p.V() > 1 {
			return false
		}
	}
	return true
}

// roughNotes says when the kernel of a problem tells very many directions apart at an accuracy.
func roughNotes(ctx context.Context, p *problem.Problem, epsilon float64) []problem.Note {
	r, err := model.Resolve(ctx, p, epsilon)
	if err != nil {
		return nil // what is wrong is said by whatever needs the model
	}
	return notesOf(r.Warnings())
}

// notesOf returns warnings as notes of a problem.
func notesOf(warnings []engine.Warning) []problem.Note {
	var out []problem.Note
	for _, w := range warnings {
		out = append(out, w.Note())
	}
	return out
}
