package cotest

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// guess holds the posterior of a Gaussian process on all data. It determines leaders and the sizes of rounds; no guarantee
// depends on it.
type guess struct {
	decisions
	norm   float64 // S, normalised, in units of the kernel
	misfit float64 // η, normalised

	section   *bounded.Section   // kernel on the arms that are not out, the pulled arms and the leaders; nil before any data
	posterior *bounded.Posterior // with the scale of largest likelihood
	widest    *bounded.Posterior // with the prior variance S²
	pulled    []int              // positions in section of the arms with data
	means     []float64          // means of these arms, normalised
	noise     []float64          // variances of these means
	spread    []float64          // N: variance of the gap between an arm and the leader for which rounds are planned
}

// believe computes the posterior of all data on the involved arms and on others. means has the mean of each arm over all
// data, in reward units.
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

// involved returns, in ascending order, all arms that are not out, pulled or leaders, that have counts, or that are in
// others.
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

// judge sets spread and certain: the variances of the gaps between the leader of a claim and its open arms.
func (g *guess) judge(c *claim) {
	c.spread, c.certain = make([]float64, len(c.arms)), make([]float64, len(c.arms))
	open := indices.Where(len(c.arms), func(k int) bool { return k != c.leader && !c.walks[k].Out })
	if len(open) == 0 {
		return
	}
	first, arms := g.section.Find(c.arms[c.leader]), lists.Map(open, func(k int) int { return g.section.Find(c.arms[k]) })
	squares := g.section.Near(first, arms)
	for k, i := range arms {
		squares[k] = g.section.Diagonal[i] + g.section.Diagonal[first] - 2*squares[k]
	}
	for _, way := range []struct {
		*bounded.Posterior
		to []float64
	}{{g.posterior, c.spread}, {g.widest, c.certain}} {
		variances := try.Of(way.GapVariances(g.ctx(), first, arms, squares))
		for k, i := range arms { // rounding must not make a variance 0
			way.to[open[k]] = max(variances[k], roundedGap*way.Variance*(g.section.Diagonal[i]+g.section.Diagonal[first]))
		}
	}
}

// roundedGap is the smallest variance of a gap, relative to its prior variance. Smaller values are rounding errors.
const roundedGap = 1e-12

// variance returns the posterior variance of the gap between arm j and the leader for which rounds are planned. The first
// argument is ignored.
func (g *guess) variance(_, j int) float64 { return g.spread[j] }

// optimistic returns an optimistic estimate of the gap between a claim's leader and its arm at position k.
func (g *guess) optimistic(c *claim, k int) float64 {
	return g.optimisticGap(g.estimates, c.arms[c.leader], c.arms[k], c.spread[k])
}

func (g *guess) ctx() context.Context { return g.Model.Context() }
