package cotest

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// ArmEstimates returns the posterior of all data at the scale of largest likelihood.
func (a *normed) ArmEstimates() engine.ArmEstimates {
	later, _ := a.Recall()
	if later == nil {
		return engine.ArmEstimates{}
	}
	all := make([]int, a.Model.Problem.N())
	for i := range all {
		all[i] = i
	}
	return later(all)
}

// Recall returns the posterior as ArmEstimates has it, and the estimates by which leaders are chosen.
func (a *normed) Recall() (later func(arms []int) engine.ArmEstimates, latest []float64) {
	g := &a.belief
	if g.section == nil {
		return nil, nil
	}
	pulled := make([]int, len(g.pulled))
	for k, i := range g.pulled {
		pulled[k] = g.section.Arms[i]
	}
	freedom := make([]float64, len(a.estimates))
	for i := range freedom {
		freedom[i] = a.scales.FreedomOf([]int{i})
	}
	r := recalled{m: a.Model, pulled: pulled, means: g.means, noise: g.noise, variance: g.posterior.Variance, freedom: freedom}
	return r.of, a.estimates
}

// recalled is the posterior of a round by what it follows from.
type recalled struct {
	m            *model.Model
	pulled       []int // of the problem
	means, noise []float64
	variance     float64
	freedom      []float64 // N
}

// of returns the posterior of some arms, a block of them at a time; nothing when it cannot be had.
func (r recalled) of(arms []int) engine.ArmEstimates {
	n := len(r.freedom)
	means, variances := slices.Repeat([]float64{math.NaN()}, n), slices.Repeat([]float64{math.NaN()}, n)
	for block := range slices.Chunk(arms, recalledAtOnce) {
		if err := r.fill(block, means, variances); err != nil {
			return engine.ArmEstimates{}
		}
	}
	return rounds.Intervals(r.m, means, variances, func(i int) float64 { return r.freedom[i] })
}

// recalledAtOnce is how many arms the posterior is recalled of at once.
const recalledAtOnce = 8192

// fill sets the posterior means and variances of some arms, normalised.
func (r recalled) fill(arms []int, means, variances []float64) error {
	ctx := r.m.Context()
	together := append(slices.Clone(arms), r.pulled...)
	slices.Sort(together)
	section, err := bounded.NewSection(ctx, r.m.Problem, slices.Compact(together))
	if err != nil {
		return err
	}
	pulled := make([]int, len(r.pulled))
	for k, i := range r.pulled {
		pulled[k] = section.Find(i)
	}
	rows, err := section.Rows(ctx, pulled)
	if err != nil {
		return err
	}
	posterior, err := bounded.Given(ctx, pulled, rows, r.means, r.noise, r.variance)
	if err != nil {
		return err
	}
	found, err := posterior.Means(ctx)
	if err != nil {
		return err
	}
	spread, err := posterior.ArmVariances(ctx, section.Diagonal)
	if err != nil {
		return err
	}
	for _, i := range arms {
		k := section.Find(i)
		means[i], variances[i] = found[k], spread[k]
	}
	return nil
}
