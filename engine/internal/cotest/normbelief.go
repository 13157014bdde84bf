package cotest

import (
	"context"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// guess holds the posterior of a Gaussian process on all data. It chooses leaders and the
// sizes of rounds, and proves nothing.
type guess struct {
	decisions
	norm   float64 // S, normalised, in units of the kernel
	misfit float64 // η, normalised

	section   *bounded.Section   // arms not out, arms pulled and leaders; nil before any data
	posterior *bounded.Posterior // at the scale of largest likelihood
	widest    *bounded.Posterior // at the prior variance S²
	pulled    []int              // arms of the section with data,
	means     []float64          // their means, normalised,
	noise     []float64          // and the variances of these
	spread    []float64          // N: variance of the gap of an open arm to the leader that rounds are planned for
}

// believe forms the posterior of all data on the arms that are not out, and on some others.
func (g *guess) believe(means []float64, others []int) {
	p := g.Model.Problem
	if g.estimates == nil {
		g.estimates = make([]float64, p.N())
	}
	section := try.Of(bounded.NewSection(g.ctx(), p, g.involved(nil, others)))
	g.section = section
	g.pulled, g.means, g.noise = nil, nil, nil
	for k, i := range section.Arms {
		if n := g.Counts[i]; n > 0 {
			g.pulled, g.means = append(g.pulled, k), append(g.means, means[i]/g.Model.Unit)
			g.noise = append(g.noise, 1/(float64(n)*g.scales.Model.Precision[i]))
		}
	}
	rows := try.Of(section.Rows(g.ctx(), g.pulled))
	near := 0.0
	if g.posterior != nil {
		near = g.posterior.Variance
	}
	var err error
	g.posterior, g.widest, err = bounded.Fit(g.ctx(), g.pulled, rows, g.means, g.noise, g.norm*g.norm, near)
	try.To(err)
	found := try.Of(g.posterior.Means(g.ctx()))
	for k, i := range section.Arms {
		g.estimates[i] = found[k]
	}
}

// involved returns the arms that are not out, that were pulled, that lead or that have pulls in these counts, and
// the others, rising.
func (g *guess) involved(counts, others []int) []int {
	needed := lists.Make(g.Model.Problem.N(), func(i int) bool { return g.Counts[i] > 0 })
	for i, n := range counts {
		needed[i] = needed[i] || n > 0
	}
	for _, c := range g.contests {
		for k, i := range c.arms {
			if !c.closed && !c.walks[k].Out || k == c.leader {
				needed[i] = true
			}
		}
	}
	for _, i := range others {
		needed[i] = true
	}
	var arms []int
	for i, yes := range needed {
		if yes {
			arms = append(arms, i)
		}
	}
	return arms
}

// judge computes how well the data separate the open arms of a claim from its leader.
func (g *guess) judge(c *claim) {
	first, leader := g.section.Find(c.arms[c.leader]), slices.Repeat([]int{-1}, len(g.section.Arms))
	c.spread, c.certain = make([]float64, len(c.arms)), make([]float64, len(c.arms))
	for k, i := range c.arms {
		if k != c.leader && !c.walks[k].Out {
			leader[g.section.Find(i)] = first
		}
	}
	rows := try.Of(g.section.Rows(g.ctx(), []int{first}))
	of := map[int][]float64{first: rows[0]}
	for _, way := range []struct {
		*bounded.Posterior
		to []float64
	}{{g.posterior, c.spread}, {g.widest, c.certain}} {
		variances := try.Of(way.Variances(g.ctx(), leader, of, g.section.Diagonal))
		for k, i := range c.arms {
			if k != c.leader && !c.walks[k].Out { // gaps that the data fix to all digits still have a variance
				at := g.section.Find(i)
				way.to[k] = max(variances[at], roundedGap*way.Variance*(g.section.Diagonal[at]+g.section.Diagonal[first]))
			}
		}
	}
}

// roundedGap is the variance of a gap, relative to that before any data, that is rounding.
const roundedGap = 1e-12

// variance returns the posterior variance of the gap of arm j to the leader that rounds are planned for.
func (g *guess) variance(_, j int) float64 { return g.spread[j] }

// optimistic returns the gap of the arm at position k of a claim to its leader as large as estimates allow.
func (g *guess) optimistic(c *claim, k int) float64 {
	return g.optimisticGap(g.estimates, c.arms[c.leader], c.arms[k], c.spread[k])
}

func (g *guess) ctx() context.Context { return g.Model.Context() }

// ArmEstimates returns the posterior of all data at the scale of largest likelihood.
func (g *guess) ArmEstimates() engine.ArmEstimates {
	later, _ := g.DeferEstimates()
	if later == nil {
		return engine.ArmEstimates{}
	}
	return later(indices.All(g.Model.Problem.N()))
}

// DeferEstimates returns the posterior as ArmEstimates has it, and the estimates by which leaders are chosen.
func (g *guess) DeferEstimates() (later func(arms []int) engine.ArmEstimates, latest []float64) {
	if g.section == nil {
		return nil, nil
	}
	pulled := indices.Of(g.section.Arms, g.pulled)
	freedom := lists.Make(len(g.estimates), func(i int) float64 { return g.scales.FreedomOf([]int{i}) })
	r := recalled{m: g.Model, pulled: pulled, means: g.means, noise: g.noise, variance: g.posterior.Variance, freedom: freedom}
	return r.of, g.estimates
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
func (r recalled) of(arms []int) (out engine.ArmEstimates) {
	n := len(r.freedom)
	means, variances := slices.Repeat([]float64{math.NaN()}, n), slices.Repeat([]float64{math.NaN()}, n)
	defer try.Caught(new(error))
	for block := range slices.Chunk(arms, recalledAtOnce) {
		r.fill(block, means, variances)
	}
	return rounds.Intervals(r.m, means, variances, func(i int) float64 { return r.freedom[i] })
}

// recalledAtOnce is the number of arms whose posterior is recomputed at once.
const recalledAtOnce = 8192

// fill sets the posterior means and variances of some arms, normalised.
func (r recalled) fill(arms []int, means, variances []float64) {
	ctx := r.m.Context()
	together := append(slices.Clone(arms), r.pulled...)
	slices.Sort(together)
	section := try.Of(bounded.NewSection(ctx, r.m.Problem, slices.Compact(together)))
	pulled := lists.Map(r.pulled, section.Find)
	rows := try.Of(section.Rows(ctx, pulled))
	posterior := try.Of(bounded.Given(ctx, pulled, rows, r.means, r.noise, r.variance))
	found := try.Of(posterior.Means(ctx))
	spread := try.Of(posterior.ArmVariances(ctx, section.Diagonal))
	for _, i := range arms {
		k := section.Find(i)
		means[i], variances[i] = found[k], spread[k]
	}
}
