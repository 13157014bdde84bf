package belief

import (
	"context"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Floats counts the numbers, for a Memory.
func (b *Belief) Floats() int {
	rows, columns := b.Draws.Dims()
	return (rows + 1) * columns
}

// remembered is Of where opt has a memory: the belief of the same measurements is computed once, also where the
// logarithm of columns was found before.
func remembered(ctx context.Context, p *problem.Problem, opt Options) (*Belief, error) {
	memory := opt.Memory
	opt.Memory = nil
	key := func(p *problem.Problem) canon.Key { return canon.Key{Kind: canon.KindBelief, Of: identity(p)} }
	asked := key(p)
	b, err := canon.Remember(ctx, memory, asked, func() (*Belief, error) { return Of(ctx, p, opt) })
	if err != nil {
		return nil, err
	}
	if found := key(b.Usable); found.Of != asked.Of {
		if _, err := canon.Remember(ctx, memory, found, func() (*Belief, error) { return b, nil }); err != nil {
			return nil, err
		}
	}
	if b.Problem == p {
		return b, nil
	}
	own := *b // of a problem with the same measurements and, maybe, other words
	own.Problem, own.Usable = p, p.Logarithmic(b.Log).WithKernel(b.Usable.Kernel)
	return &own, nil
}

// identity tells what the belief of a problem follows from: all but its kernel.
func identity(p *problem.Problem) string {
	var words []string
	numbers := [][]float64{p.Mean, p.Partial, p.Reps, p.Noise.Scales, p.Noise.SD}
	numbers = append(numbers, p.Rewards...)
	words = append(words, p.Digests()...)
	words = append(words, p.Noise.Known, p.Noise.UnknownBy, p.Goal)
	for _, points := range []*kernels.Points{p.Tasks, p.Arms} {
		numbers = append(numbers, points.Unscaled().X...)
		for c, column := range points.Columns {
			if words = append(words, column); p.Categories[column] != nil {
				words = append(words, "text")
			}
			if points.Units != nil && points.Units[c].Log {
				words = append(words, "logarithm")
			}
		}
	}
	if p.Noise.Bounds != nil {
		numbers = append(numbers, p.Noise.Bounds[:])
	}
	rows := make([]float64, 0, 4*len(p.Rows))
	for _, r := range p.Rows {
		rows = append(rows, float64(r.Arm), float64(r.Block), r.Reward, r.Count)
	}
	numbers = append(numbers, rows, []float64{float64(len(p.Blocks)), float64(len(p.Rewards))})
	return strings.Join(words, "\x00") + canon.Fingerprint(numbers...)
}
