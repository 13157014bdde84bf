package cotest

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
)

// guess holds the posterior of a Gaussian process on all data. It chooses leaders and the
// sizes of rounds, and proves nothing.
type guess struct {
	section   *bounded.Section   // arms not out, arms pulled and leaders; nil before any data
	posterior *bounded.Posterior // at the scale of largest likelihood
	widest    *bounded.Posterior // at the prior variance S²
	pulled    []int              // arms of the section with data,
	means     []float64          // their means, normalised,
	noise     []float64          // and the variances of these
	spread    []float64          // N: variance of the gap of an open arm to its leader,
	certain   []float64          // and under the prior variance S²
}

func newGuess(n int) guess {
	return guess{spread: make([]float64, n), certain: make([]float64, n)}
}

// believe forms the posterior of all data on the arms that are not out.
func (a *normed) believe(means []float64) error {
	g, p := &a.belief, a.Model.Problem
	if a.estimates == nil {
		a.estimates = make([]float64, p.N())
	}
	section, err := bounded.NewSection(a.ctx(), p, a.involved(nil))
	if err != nil {
		return err
	}
	g.section = section
	g.pulled, g.means, g.noise = nil, nil, nil
	for k, i := range section.Arms {
		if n := a.Counts[i]; n > 0 {
			g.pulled, g.means = append(g.pulled, k), append(g.means, means[i]/a.Model.Unit)
			g.noise = append(g.noise, 1/(float64(n)*a.scales.Model.Precision[i]))
		}
	}
	rows, err := section.Rows(a.ctx(), g.pulled)
	if err != nil {
		return err
	}
	near := 0.0
	if g.posterior != nil {
		near = g.posterior.Variance
	}
	if g.posterior, g.widest, err = bounded.Fit(a.ctx(), g.pulled, rows, g.means, g.noise, a.norm*a.norm, near); err != nil {
		return err
	}
	found, err := g.posterior.Means(a.ctx())
	if err != nil {
		return err
	}
	for k, i := range section.Arms {
		a.estimates[i] = found[k]
	}
	return nil
}

// involved returns the arms that are not out, that were pulled, that lead, that walks' sums are made
// of, or that have pulls in these counts, rising.
func (a *normed) involved(counts []int) []int {
	needed := make([]bool, a.Model.Problem.N())
	for i, n := range a.Counts {
		needed[i] = n > 0
	}
	for i, n := range counts {
		needed[i] = needed[i] || n > 0
	}
	for _, c := range a.contests {
		for k, i := range c.arms {
			if !c.closed && !c.walks[k].Out || k == c.leader {
				needed[i] = true
			}
		}
	}
	for _, i := range a.sums.arms {
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

// judgeGaps computes how well the data tell open arms from their leaders.
func (a *normed) judgeGaps() error {
	g := &a.belief
	leader := slices.Repeat([]int{-1}, len(g.section.Arms))
	var leaders []int
	for _, c := range a.contests {
		if c.closed {
			continue
		}
		first := g.section.Find(c.arms[c.leader])
		leaders = append(leaders, first)
		for k, i := range c.arms {
			if k != c.leader && !c.walks[k].Out {
				leader[g.section.Find(i)] = first
			}
		}
	}
	rows, err := g.section.Rows(a.ctx(), leaders)
	if err != nil {
		return err
	}
	of := map[int][]float64{}
	for k, b := range leaders {
		of[b] = rows[k]
	}
	for _, way := range []struct {
		*bounded.Posterior
		to []float64
	}{{g.posterior, g.spread}, {g.widest, g.certain}} {
		variances, err := way.Variances(a.ctx(), leader, of, g.section.Diagonal)
		if err != nil {
			return err
		}
		for k, i := range g.section.Arms {
			if leader[k] >= 0 { // gaps that the data fix to all digits still have a variance
				way.to[i] = max(variances[k], roundedGap*way.Variance*(g.section.Diagonal[k]+g.section.Diagonal[leader[k]]))
			}
		}
	}
	return nil
}

// roundedGap is the variance of a gap, relative to that before any data, that is rounding.
const roundedGap = 1e-12

// Hardest returns the arm whose walk lacks most in samples, with how far that walk is.
func (a *normed) Hardest(v int) engine.Rival {
	c := a.contestOf(v)
	if a.estimates == nil {
		return a.NoData(v, a.in(v, c, c.arms[c.leader]))
	}
	return a.rival(v, c, c.ahead(a.clock, a.epsilon, a.gap, a.variance))
}

// Samples returns how many pulls in the proportions of those so far would bring all open walks of the
// tasks to their boundary.
func (a *normed) Samples(tasks []int) float64 {
	if a.estimates == nil {
		return math.NaN()
	}
	times := 0.0
	for _, c := range a.contests {
		if c.closed || !slices.ContainsFunc(c.tasks, func(v int) bool { return slices.Contains(tasks, v) }) {
			continue
		}
		g := c.ahead(a.clock, a.epsilon, a.gap, a.variance)
		if !g.possible {
			return -1
		}
		for _, q := range g.needs {
			times = max(times, q.Weight*a.variance(q.I, q.J))
		}
	}
	return math.Ceil(times * float64(engine.PullsOf(a.Counts)))
}
