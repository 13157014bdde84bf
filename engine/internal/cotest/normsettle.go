package cotest

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// sums holds the error functional of the bets so far, for every walk that continues.
type sums struct {
	arms  []int       // the functionals combine the kernels of these arms, of leaders and of the walk's own arm; only ever appended to
	at    map[int]int // position of each arm in arms
	walks map[*sequential.Walk]*bounded.Combined
}

// position returns the position of an arm in s.arms, and appends the arm if it is new.
func (s *sums) position(arm int) int {
	k, known := s.at[arm]
	if !known {
		k = len(s.arms)
		s.at[arm], s.arms = k, append(s.arms, arm)
	}
	return k
}

// involved returns all arms whose kernels the functionals combine, except the walks' own arms.
func (s *sums) involved() []int {
	out := slices.Clone(s.arms)
	for _, sum := range s.walks {
		for _, l := range sum.Leaders {
			out = append(out, l.Arm)
		}
	}
	return out
}

// settle settles the bets with the round's data, and updates the functionals of walks that continue.
func (a *normBets) settle(b engine.Batch) {
	f := &a.fixed
	rows := try.Of(f.section.Rows(a.ctx(), f.system.Support))
	view := a.view(rows)
	means := make([]float64, len(rows))
	for j, k := range f.system.Support {
		means[j] = b.Means[f.section.Arms[k]] / a.Model.Unit
	}
	// An estimate pᵀȳ is a times the gap in a ridge fit of the means, minus the fit's value of the earlier bias G: p =
	// A⁻¹(a(k_b - k_x) - G)(s).
	fits := make([][]float64, len(shrinkage))
	for kind := range shrinkage {
		fits[kind] = try.Of(bounded.Fitted(a.ctx(), rows, f.system.Solve(means, a.prior(kind))))
	}
	if a.scales.Groups != nil {
		a.settleUnknown(b, view, fits)
		return
	}
	for k, bet := range a.bets {
		how := f.choices[k]
		gap := a.estimated(bet, how, b, fits)
		if s := a.sums.walks[bet.Walk]; s != nil && how.kind != direct {
			bias := s.Own * fits[how.kind][f.section.Find(bet.Arm)]
			for u, v := range s.Coefficients {
				bias += v * fits[how.kind][view.pastAt[u]]
			}
			for _, l := range s.Leaders {
				bias -= l.Scale * fits[how.kind][f.section.Find(l.Arm)]
			}
			gap -= bias / how.scale
		}
		bet.Settle(a.clock, sequential.Score{Gap: gap, Sd: math.Sqrt(bet.Variance), Freedom: math.Inf(1)})
	}
	a.remember(view)
}

// estimated returns the estimate of a bet's gap from the round's fits or, for the kind direct, from the two arms' own
// means.
func (a *normBets) estimated(bet sequential.Bet, how choice, b engine.Batch, fits [][]float64) float64 {
	if how.kind == direct {
		return (b.Means[bet.Opponent] - b.Means[bet.Arm]) / a.Model.Unit
	}
	fit := fits[how.kind]
	return fit[a.fixed.section.Find(bet.Opponent)] - fit[a.fixed.section.Find(bet.Arm)]
}

// settleUnknown settles bets if noise scales are unknown. A score is then not a linear function of the rewards, so each
// round subtracts the bound on its own bias.
func (a *normBets) settleUnknown(b engine.Batch, v *view, fits [][]float64) {
	f := &a.fixed
	a.scales.Replicated(b)
	arms := indices.Of(f.section.Arms, f.system.Support)
	byWalk := make(map[*sequential.Walk]int, len(a.bets))
	for k, bet := range a.bets {
		byWalk[bet.Walk] = k
	}
	for c := range a.allClaims() {
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
			weights := f.system.Weights(f.system.Coordinates(v.gaps(a, c, a.bets[byWalk[c.walks[part[0]]]].Opponent, part)), prior)
			for t, k := range part {
				at := byWalk[c.walks[k]]
				bet, how, row := a.bets[at], f.choices[at], weights.RawRowView(t)
				if how.kind == direct {
					clear(row)
					first, _ := a.supportOf(bet.Opponent)
					x, _ := a.supportOf(bet.Arm)
					row[first], row[x] = 1, -1
				}
				if s := a.scales.ScoreOf(a.estimated(bet, how, b, fits)-bet.Bias, bet.Variance, arms, row, b); s.Sd > 0 {
					bet.Settle(a.clock, s)
				}
			}
			try.To(a.ctx().Err())
		}
	}
}

// remember adds the errors of the round's estimates to the functionals of walks that continue, and deletes those of walks
// that are out.
func (a *normBets) remember(v *view) {
	f := &a.fixed
	positions := lists.Make(len(v.rows), func(j int) int { return a.sums.position(f.section.Arms[f.system.Support[j]]) })
	byWalk := make(map[*sequential.Walk]int, len(a.bets)) // index in bets, for walks that continue
	for k, bet := range a.bets {
		if bet.Walk.Out {
			delete(a.sums.walks, bet.Walk)
			continue
		}
		byWalk[bet.Walk] = k
	}
	for c := range a.allClaims() {
		var fresh, known []int
		for k, w := range c.walks {
			if _, bets := byWalk[w]; !bets {
				continue
			}
			if a.sums.walks[w] == nil {
				fresh = append(fresh, k)
			} else {
				known = append(known, k)
			}
		}
		for _, some := range [][]int{fresh, known} {
			for part := range slices.Chunk(some, together) {
				a.add(c, part, byWalk, v, positions)
				try.To(a.ctx().Err())
			}
		}
	}
}

// add updates the error functional of each walk in part with this round's estimation error. Either all of these
// walks already have a functional, or none has.
func (a *normBets) add(c *claim, part []int, byWalk map[*sequential.Walk]int, v *view, positions []int) {
	f := &a.fixed
	leader := a.bets[byWalk[c.walks[part[0]]]].Opponent // the leader when the bets were fixed
	values, prior := v.gaps(a, c, leader, part), make([]float64, len(part))
	known := a.sums.walks[c.walks[part[0]]] != nil
	for t, k := range part {
		how := f.choices[byWalk[c.walks[k]]]
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
		w, how, row := c.walks[k], f.choices[byWalk[c.walks[k]]], weights.RawRowView(t)
		if how.kind == direct {
			clear(row)
			first, _ := a.supportOf(leader)
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
		s.Lead(leader, how.scale)
		s.Own += how.scale
		s.Square = how.norm * how.norm
	}
}
