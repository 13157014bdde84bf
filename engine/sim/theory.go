package sim

import (
	"context"
	"errors"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// The theory beside a result is computed up to a size, in products of two numbers that one step of
// a solver takes. A size in place of a time keeps results the same on every machine.
const (
	// boundWork limits the design of a lower bound: all arms of 464 that are independent, or
	// 1,111 arms of a rank up to 100.
	boundWork = 1e8
	// predictedArms limits what sweeps compare with: the speedup that the hardness predicts,
	// and the paper's theorems.
	predictedArms = 400
	// tellingRatio is the largest ratio to the lower bound with a norm that is shown: a larger one
	// says more of how few functions the bound was made of than of the samples.
	tellingRatio = 20
)

// bound sets the lower bound beside a result of fixed confidence, or says why it is missing.
func (x Experiment) bound(ctx context.Context, r *engine.Result, entry algorithms.Entry, m *model.Model) {
	if x.Problem.Mean == nil || x.believed != nil { // each run has its own
		return
	}
	n := x.Problem.N()
	work := design.StepWork(n, 1, n)
	if work <= boundWork { // or else it is too much at any rank
		rank, exact := m.LeastRank()
		if !exact && m.Many() { // the bound of so many directions is too loose to stand beside a result
			rank = n
		}
		work = design.StepWork(n, rank, n)
	}
	if work > boundWork {
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnBoundSize, Numbers: []float64{float64(n), work, boundWork}})
		return
	}
	norm := x.Options.Norm
	if b, bounded := entry.BoundOf(m, x.Options); bounded {
		norm = b.Norm
	}
	if _, small := m.NormTooSmall(x.Options); small { // nothing is promised of these rewards
		return
	}
	// the bound is for rewards of the kernel; the one with a norm holds near them, too
	if f := m.Fidelity(r.Epsilon); f == model.Foreign || norm == 0 && f == model.Rounded {
		return
	}
	bound, err := x.lowerBound(ctx, m, r.Delta, norm)
	switch {
	case err == nil && bound > 0:
		r.LowerBoundSamples = bound / float64(x.Problem.V())
		r.RatioToLowerBound = r.SamplesPerAgent.Mean / r.LowerBoundSamples
		// a loose bound tells nothing; of runs that end undecided, oftener than they may err, it would flatter
		if norm > 0 && r.RatioToLowerBound > tellingRatio || r.Undecided.Rate > r.Delta {
			r.RatioToLowerBound = 0
		}
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnBoundStopped})
	case err != nil:
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnBound, Names: []string{err.Error()}})
	}
}

// lowerBound goes by the noise which rewards have, where the model has guesses of it. With a norm it is
// the bound for algorithms that use it.
func (x Experiment) lowerBound(ctx context.Context, m *model.Model, delta, norm float64) (float64, error) {
	if p := x.Problem; p.Noise.UnknownBy != "" && p.Noise.SD != nil && !slices.Equal(p.Noise.SD, p.Noise.Scales) {
		known := *p
		known.Noise.Scales, known.Noise.UnknownBy = p.Noise.SD, ""
		exact, err := model.NewContext(ctx, &known, m.Unit)
		if err != nil {
			return 0, err
		}
		m = exact.Share(x.Memory)
	}
	if norm > 0 {
		return m.NormLowerBound(norm, delta, x.Options.Epsilon)
	}
	return m.LowerBound(delta, x.Options.Epsilon)
}
