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

// Asked is a request for rewards: the mean of Count rewards of an arm of a task.
type Asked struct {
	Task, Arm string
	Count     int
}

// RoundFunc draws the rewards of many arms at once, for functions whose calls are expensive. It returns one mean for each
// request, with the sign of the data.
type RoundFunc = func(asked []Asked) ([]float64, error)

// askedAtOnce is the largest number of requests in one call of a RoundFunc.
const askedAtOnce = 1 << 14

// Rounds returns the fields Draw and Rounds of an Experiment whose rewards all come from f: a Drawer, which calls f for
// one arm, and f itself, which the experiment calls for all arms of a round at once. If squares are requested, f gets a
// request for each single reward.
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

// rounds is an environment whose rewards come from a RoundFunc.
type rounds struct {
	p    *problem.Problem
	draw RoundFunc
}

// Pull requests rewards for all arms of the plan.
func (r *rounds) Pull(ctx context.Context, plan engine.Plan) (engine.Batch, error) {
	b := engine.Batch{Counts: plan.Counts, Means: make([]float64, len(plan.Counts))}
	if plan.WantSquares {
		b.Squares = make([]float64, len(plan.Counts))
	}
	seen := make([]int, len(plan.Counts)) // number of rewards of each arm so far
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
			// recurrences of Welford, Technometrics 4 (1962), p. 420
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

// checkAnswers returns an error if the number of means is wrong.
func checkAnswers(want int, means []float64) error {
	if len(means) != want {
		return fmt.Errorf("%d rewards were requested, but %d were returned", want, len(means))
	}
	return nil
}

// The theory in a result is computed up to a size, in products of two numbers per solver step. A limit on size, unlike one on time, keeps
// results equal on every machine.
const (
	// predictedArms is the largest number of arms for which theory is computed for sweeps: the speedup predicted by the
	// hardness, and the paper's theorems.
	predictedArms = 400
	// forecastArms is the largest number of arms for which a result forecasts what a norm would save.
	forecastArms = 2000
	// tellingRatio is the largest displayed ratio to a lower bound with a norm. Larger ratios show a loose bound rather
	// than many samples.
	tellingRatio = 20
	// boundWork is the largest work for the design of a lower bound. It allows 464 independent arms, 1,111 arms of rank 100, or
	// 11,000 arms of rank 31.
	boundWork = 1e8
)

// bound sets the lower bound of a fixed-confidence result, or adds a warning with the reason why it is missing.
func (x Experiment) bound(ctx context.Context, r *engine.Result, entry algorithms.Entry, m *model.Model, terms model.Terms) {
	if x.Problem.Mean == nil || x.believed != nil { // no truth, or each run has its own
		return
	}
	n := x.Problem.N()
	work := design.StepWork(n, 1, n)
	if work <= boundWork { // otherwise too large at any rank
		rank, exact := m.LeastRank()
		if !exact && m.Many() { // with so many directions the bound is too loose to display
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
	if _, small := m.Truth().NormTooSmall(terms); small { // the norm excludes these rewards, so no guarantee applies
		return
	}
	// The bound is for rewards in the kernel's space. A bound with a norm also holds for rewards near that space.
	if f := m.Truth().Fidelity(terms.Epsilon); f == model.Foreign || norm == 0 && f == model.Rounded {
		return
	}
	bound, limit, err := x.lowerBound(ctx, m, r.Delta, terms.Epsilon, norm)
	switch {
	case err == nil && bound > 0:
		r.LowerBoundSamples, r.LowerBoundSamplesLimit = bound/float64(x.Problem.V()), limit/float64(x.Problem.V())
		r.RatioToLowerBound = r.SamplesPerAgent.Mean / r.LowerBoundSamples
		// A loose bound is not informative. Undecided runs stop early, so many of them make the ratio look too good.
		if norm > 0 && r.RatioToLowerBound > tellingRatio || r.Undecided.Rate > r.Delta {
			r.RatioToLowerBound = 0
		}
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnBoundStopped})
	case err != nil:
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnBound, Names: []string{err.Error()}})
	}
}

// lowerBound returns a lower bound on the samples of all agents together. If the noise scales are guesses, it uses the
// actual noise of the rewards. With a norm it is the bound for algorithms that use the norm. limit is the bound for δ → 0
// over all answers within epsilon; 0 if there is none.
func (x Experiment) lowerBound(ctx context.Context, m *model.Model, delta, epsilon, norm float64) (bound, limit float64, err error) {
	if p := x.Problem; p.Noise.UnknownBy != "" && p.Noise.SD != nil && !slices.Equal(p.Noise.SD, p.Noise.Scales) {
		known := *p
		known.Noise.Scales, known.Noise.UnknownBy = p.Noise.SD, ""
		exact, err := model.NewContext(ctx, &known, m.Unit)
		if err != nil {
			return 0, 0, err
		}
		m = exact.Share(x.Memory)
	}
	if norm > 0 {
		bound, err = m.Truth().NormLowerBound(norm, delta, epsilon)
		return bound, 0, err
	}
	if bound, err = m.Truth().LowerBound(delta, epsilon); err != nil {
		return 0, 0, err
	}
	limit, err = m.Truth().LimitTime(epsilon)
	return bound, limit * model.Nats(delta), err
}
