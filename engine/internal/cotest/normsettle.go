package cotest

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
)

// sums holds for every walk that goes on the error functional of its bets so far.
type sums struct {
	arms  []int       // whose kernels the functionals consist of, beside the walks' own; grows at its end
	at    map[int]int // position in arms
	walks map[*sequential.Walk]*bounded.Combined
}

func newSums() sums {
	return sums{at: map[int]int{}, walks: map[*sequential.Walk]*bounded.Combined{}}
}

// position returns the position of an arm in the list, to which it is added.
func (s *sums) position(arm int) int {
	k, known := s.at[arm]
	if !known {
		k = len(s.arms)
		s.at[arm], s.arms = k, append(s.arms, arm)
	}
	return k
}

// settle takes the round's data to the bets on it, and keeps the functionals of walks that go on.
func (a *normed) settle(b engine.Batch) error {
	f := &a.fixed
	rows, err := f.section.Rows(a.ctx(), f.system.Support)
	if err != nil {
		return err
	}
	view, err := a.view(rows)
	if err != nil {
		return err
	}
	means := make([]float64, len(rows))
	for j, k := range f.system.Support {
		means[j] = b.Means[f.section.Arms[k]] / a.Model.Unit
	}
	// An estimate pᵀȳ is a times the gap in a ridge fit of the means, less what the fit says of the
	// bias G so far: p = A⁻¹(a(k_b - k_x) - G)(s).
	fits := make([][]float64, len(shrinkage))
	for kind := range shrinkage {
		if fits[kind], err = bounded.Fitted(a.ctx(), rows, f.system.Solve(means, a.prior(kind))); err != nil {
			return err
		}
	}
	if a.scales.Groups != nil {
		return a.settleUnknown(b, view, fits)
	}
	for k, bet := range a.bets {
		how := f.choices[k]
		gap := a.estimated(bet, how, b, fits)
		if s := a.sums.walks[bet.Walk]; s != nil && how.kind != direct {
			bias := s.Own * fits[how.kind][f.section.Find(bet.Arm)]
			for u, v := range s.Coefficients {
				bias += v * fits[how.kind][view.pastAt[u]]
			}
			gap -= bias / how.scale
		}
		bet.Settle(a.clock, sequential.Score{Gap: gap, Sd: math.Sqrt(bet.Variance), Freedom: math.Inf(1)})
	}
	return a.remember(view)
}

// estimated returns the estimate of a gap by the round's fits, or by the two arms' own means.
func (a *normed) estimated(bet sequential.Bet, how choice, b engine.Batch, fits [][]float64) float64 {
	if how.kind == direct {
		return (b.Means[bet.Leader] - b.Means[bet.Arm]) / a.Model.Unit
	}
	fit := fits[how.kind]
	return fit[a.fixed.section.Find(bet.Leader)] - fit[a.fixed.section.Find(bet.Arm)]
}

// settleUnknown settles bets where noise scales are unknown. A score is then no linear function of the
// rewards, so that every round allows for its own bias.
func (a *normed) settleUnknown(b engine.Batch, v *view, fits [][]float64) error {
	f := &a.fixed
	arms := make([]int, len(f.system.Support))
	for j, k := range f.system.Support {
		arms[j] = f.section.Arms[k]
	}
	byWalk := make(map[*sequential.Walk]int, len(a.bets))
	for k, bet := range a.bets {
		byWalk[bet.Walk] = k
	}
	for _, c := range a.contests {
		var positions []int
		for k, w := range c.walks {
			if _, bets := byWalk[w]; bets {
				positions = append(positions, k)
			}
		}
		for part := range slices.Chunk(positions, together) {
			prior := make([]float64, len(part))
			for t, k := range part {
				prior[t] = a.prior(max(f.choices[byWalk[c.walks[k]]].kind, 0))
			}
			weights := f.system.Weights(f.system.Coordinates(v.gaps(a, c, part)), prior)
			for t, k := range part {
				at := byWalk[c.walks[k]]
				bet, how, row := a.bets[at], f.choices[at], weights.RawRowView(t)
				if how.kind == direct {
					clear(row)
					first, _ := a.supportOf(bet.Leader)
					x, _ := a.supportOf(bet.Arm)
					row[first], row[x] = 1, -1
				}
				if s := a.scales.ScoreOf(a.estimated(bet, how, b, fits)-bet.Bias, bet.Variance, arms, row, b); s.Sd > 0 {
					bet.Settle(a.clock, s)
				}
			}
			if err := a.ctx().Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// remember adds the errors of the round's estimates to the functionals of walks that go on.
func (a *normed) remember(v *view) error {
	f := &a.fixed
	positions := make([]int, len(v.rows))
	for j, k := range f.system.Support {
		positions[j] = a.sums.position(f.section.Arms[k])
	}
	byArm := make(map[int]int, len(a.bets)) // of the bets of walks that go on
	for k, bet := range a.bets {
		if bet.Walk.Out {
			delete(a.sums.walks, bet.Walk)
			continue
		}
		a.sums.position(bet.Leader)
		byArm[bet.Arm] = k
	}
	for _, c := range a.contests {
		var fresh, known []int
		for k, i := range c.arms {
			if _, bets := byArm[i]; !bets {
				continue
			}
			if a.sums.walks[c.walks[k]] == nil {
				fresh = append(fresh, k)
			} else {
				known = append(known, k)
			}
		}
		for _, some := range [][]int{fresh, known} {
			for part := range slices.Chunk(some, together) {
				a.add(c, part, byArm, v, positions)
				if err := a.ctx().Err(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// add adds the errors to the functionals of some walks, which all have one or none of them has.
func (a *normed) add(c *contest, part []int, byArm map[int]int, v *view, positions []int) {
	f := &a.fixed
	values, prior := v.gaps(a, c, part), make([]float64, len(part))
	known := a.sums.walks[c.walks[part[0]]] != nil
	for t, k := range part {
		how := f.choices[byArm[c.arms[k]]]
		prior[t] = a.prior(max(how.kind, 0))
		row := values.RawRowView(t)
		for j := range row {
			row[j] *= how.scale
		}
	}
	if known {
		values.Sub(values, v.errors(a, c, part))
	}
	weights := f.system.Weights(f.system.Coordinates(values), prior)
	for t, k := range part {
		w, how, row := c.walks[k], f.choices[byArm[c.arms[k]]], weights.RawRowView(t)
		if how.kind == direct {
			clear(row)
			first, _ := a.supportOf(c.arms[c.leader])
			x, _ := a.supportOf(c.arms[k])
			row[first], row[x] = how.scale, -how.scale
		}
		s := a.sums.walks[w]
		if s == nil {
			s = new(bounded.Combined)
			a.sums.walks[w] = s
		}
		s.Grow(len(a.sums.arms))
		for j, p := range row {
			s.Coefficients[positions[j]] += p
		}
		s.Coefficients[a.sums.at[a.bets[byArm[c.arms[k]]].Leader]] -= how.scale
		s.Own += how.scale
		s.Square = how.norm * how.norm
	}
}

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

// Samples returns how many pulls in the proportions of the pulls so far would bring all open walks of the
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
