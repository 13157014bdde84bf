package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Asked is a question for rewards: the mean of Count rewards of an arm of a task.
type Asked struct {
	Task, Arm string
	Count     int
}

// RoundFunc draws the rewards of many arms at once, where a call is dear: it returns a mean for each.
type RoundFunc = func(asked []Asked) ([]float64, error)

// askedAtOnce limits what a RoundFunc is asked for in one call.
const askedAtOnce = 1 << 14

// Rounds returns a Drawer and the function of an Experiment that draw all rewards by f. Where squares
// are wanted, f is asked for single rewards.
func Rounds(p *problem.Problem, f RoundFunc) (Drawer, RoundFunc) {
	one := func(_ *rand.Rand, task, arm string, n int) (float64, error) {
		means, err := f([]Asked{{task, arm, n}})
		if err != nil {
			return 0, err
		}
		return means[0], checkAnswers(1, means)
	}
	return Func(p, one), f
}

// rounds is an environment whose rewards a RoundFunc draws.
type rounds struct {
	p    *problem.Problem
	draw RoundFunc
}

// Pull asks for all arms of the plan.
func (r *rounds) Pull(ctx context.Context, plan engine.Plan) (engine.Batch, error) {
	b := engine.Batch{Counts: plan.Counts, Means: make([]float64, len(plan.Counts))}
	if plan.WantSquares {
		b.Squares = make([]float64, len(plan.Counts))
	}
	seen := make([]int, len(plan.Counts)) // rewards of each arm
	var asked []Asked
	var arms []int
	flush := func() error {
		if err := ctx.Err(); err != nil || len(asked) == 0 {
			return err
		}
		means, err := r.draw(asked)
		if err == nil {
			err = checkAnswers(len(asked), means)
		}
		if err != nil {
			return err
		}
		for k, i := range arms {
			// The recurrences of Welford, Technometrics 4 (1962), p. 420.
			reward := r.p.Turned(means[k])
			seen[i] += asked[k].Count
			off := reward - b.Means[i]
			b.Means[i] += off * float64(asked[k].Count) / float64(seen[i])
			if plan.WantSquares {
				b.Squares[i] += off * (reward - b.Means[i])
			}
		}
		asked, arms = asked[:0], arms[:0]
		return nil
	}
	for i, n := range plan.Counts {
		each := n
		if plan.WantSquares {
			each = 1
		}
		for remaining := n; remaining > 0; remaining -= each {
			asked, arms = append(asked, Asked{r.p.Tasks.Names[r.p.TaskOf[i]], r.p.Arms.Names[i], each}), append(arms, i)
			if len(asked) == askedAtOnce {
				if err := flush(); err != nil {
					return b, err
				}
			}
		}
	}
	return b, flush()
}

// checkAnswers reports answers that are too few or many.
func checkAnswers(want int, means []float64) error {
	if len(means) != want {
		return fmt.Errorf("%d rewards were asked for, and %d came", want, len(means))
	}
	return nil
}

// The theory beside a result is computed up to a size, in products of two numbers that one step of
// a solver takes. A size instead of a time keeps results the same on every machine.
const (
	// predictedArms limits what sweeps compare with: the speedup that the hardness predicts,
	// and the paper's theorems.
	predictedArms = 400
	// tellingRatio is the largest ratio to the lower bound with a norm that is shown: a larger one
	// says more of how few functions the bound was made of than of the samples.
	tellingRatio = 20
	// boundWork limits the design of a lower bound: all arms of 464 that are independent, or
	// 1,111 arms of a rank up to 100.
	boundWork = 1e8
)

// bound sets the lower bound beside a result of fixed confidence, or says why it is missing.
func (x Experiment) bound(ctx context.Context, r *engine.Result, entry algorithms.Entry, m *model.Model, terms model.Terms) {
	if x.Problem.Mean == nil || x.believed != nil { // each run has its own
		return
	}
	n := x.Problem.N()
	work := design.StepWork(n, 1, n)
	if work <= boundWork { // or else it is too much at any rank
		rank, exact := m.LeastRank()
		if !exact && m.Many() { // the bound of so many directions is too loose to be beside a result
			rank = n
		}
		work = design.StepWork(n, rank, n)
	}
	if work > boundWork {
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnBoundSize, Numbers: []float64{float64(n), work, boundWork}})
		return
	}
	norm := terms.Norm
	if b, bounded := entry.BoundOf(m, terms); bounded {
		norm = b.Norm
	}
	if _, small := m.Truth().NormTooSmall(terms); small { // nothing is promised of these rewards
		return
	}
	// the bound is for rewards of the kernel; the one with a norm holds near them, too
	if f := m.Truth().Fidelity(terms.Epsilon); f == model.Foreign || norm == 0 && f == model.Rounded {
		return
	}
	bound, err := x.lowerBound(ctx, m, r.Delta, terms.Epsilon, norm)
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

// lowerBound uses the noise which rewards have, where the model has guesses of it. With a norm it is
// the bound for algorithms that use it.
func (x Experiment) lowerBound(ctx context.Context, m *model.Model, delta, epsilon, norm float64) (float64, error) {
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
		return m.Truth().NormLowerBound(norm, delta, epsilon)
	}
	return m.Truth().LowerBound(delta, epsilon)
}
