package model

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
)

const (
	// manyTolerance is the relative gap asked of designs inside algorithms, over the
	// contrasts that are met: it costs samples, as little as that, and never the guarantee.
	manyTolerance = 0.1
	// manyScan is the most products of a look at all pairs there: the tests that follow do not rest on it.
	manyScan = 1e10
	// certifiedTolerance is the one asked of both ends of a value that is shown.
	certifiedTolerance = 0.02
)

// rough returns a design for all pairs of the candidate sets, which may be a tenth above the optimum, or with a
// threshold above 0 ends where the optimum is certified to lie above it. It begins with pivots of these arms.
func (m *Model) rough(ridge float64, alive [][]int, threshold float64) (design.Design, error) {
	xi := m.Normalised(ridge)
	pivots, err := m.pivots(m.contrasted(alive), roughPart*xi, MostPivots)
	if err != nil {
		return design.Design{}, err
	}
	opt := m.Solver(manyTolerance)
	opt.Scan, opt.Threshold = manyScan, threshold
	x, err := m.exchange(xi, pivots, opt)
	if err != nil {
		return design.Design{}, err
	}
	return x.Minimax(design.Contrasts{Groups: Contrasting(alive)})
}

// manyDesign solves line 4 of Alg. 1 among very many arms. Remembered.
func (m *Model) manyDesign(ridge float64, alive [][]int) (design.Design, error) {
	return Remembered(m, canon.Key{Kind: canon.KindDesign, Ridge: ridge, Sets: Contrasting(alive)}, func() (design.Design, error) {
		return m.rough(ridge, alive, 0)
	})
}

// manyOmega returns ω(ξ, S) of a set, or with a threshold above 0 a number on the same side of it, as far as
// that was certified. Remembered.
func (m *Model) manyOmega(ridge float64, set []int, threshold float64) (float64, error) {
	return Remembered(m, canon.Key{Kind: canon.KindOmega, Ridge: ridge, Level: threshold, Sets: [][]int{set}}, func() (float64, error) {
		if len(set) < 2 {
			return 0, nil
		}
		d, err := m.rough(ridge, [][]int{set}, threshold)
		if d.Status == design.Separated && d.Lower > threshold {
			return d.Lower, err
		}
		return d.Reached, err
	})
}

// manyHardness solves for ρ*(ξ) among very many arms; ξ = 0 as Hardness says. Remembered.
func (m *Model) manyHardness(ridge float64, g gaps, t *truth) (design.Design, error) {
	return Remembered(m, g.key(ridge), func() (design.Design, error) {
		at := ridge
		if ridge == 0 {
			var err error
			if at, err = m.AffordableRidge(); err != nil {
				return design.Design{}, err
			}
		}
		d, err := m.Certified(at, m.rivals(t, g))
		if ridge == 0 && err == nil {
			d.Value = m.unsharedHardness(t, g)
			d.Lower, d.Reached = min(d.Lower, d.Value), 0
		}
		return d, err
	})
}

// UnsharedHardness returns ρ*(0) of the same rewards, with gaps that are larger by epsilon (reward units),
// where arms share nothing. No kernel has it above that.
func (m *Model) UnsharedHardness(epsilon float64) (float64, error) {
	t, err := m.known()
	if err != nil {
		return 0, err
	}
	return m.unsharedHardness(t, gaps{added: epsilon}), nil
}

// unsharedHardness returns ρ*(0) of the same rewards where arms share nothing: the sum over tasks of
//
//	min x_b + Σ_i x_i  such that  σ_b²/x_b + σ_i²/x_i ≤ Δ_i²  for all rivals i of the best arm b,
//
// where x_i follows from x_b, of which the sum is convex. Estimates that use only an arm's own pulls
// are unbiased for every kernel, and least squares is the best of those.
func (m *Model) unsharedHardness(t *truth, g gaps) float64 {
	sum := 0.0
	for v, group := range m.Problem.Groups() {
		b, least := t.best[v], math.Inf(1)
		for _, i := range group {
			if i != b {
				least = min(least, g.of(m, t.gap[i]))
			}
		}
		if math.IsInf(least, 1) {
			continue
		}
		own := 1 / m.Precision[b]
		total := func(excess float64) float64 { // of x_b over its least value
			x := own / (least * least) * (1 + excess)
			all := x
			for _, i := range group {
				if i != b {
					gap := g.of(m, t.gap[i])
					all += 1 / m.Precision[i] / (gap*gap - own/x)
				}
			}
			return all
		}
		// The minimum is where excess is of the order of the root of the number of rivals.
		lo, hi := -20.0, 20.0 // logarithms
		for range 200 {
			a, c := lo+(hi-lo)/3, hi-(hi-lo)/3
			if total(math.Exp(a)) < total(math.Exp(c)) {
				hi = c
			} else {
				lo = a
			}
		}
		sum += total(math.Exp((lo + hi) / 2))
	}
	return sum
}

// Certified returns the design of all pairs within groups, or of listed contrasts, with both ends as
// near to each other as they can be had. Not remembered.
func (m *Model) Certified(ridge float64, c design.Contrasts) (design.Design, error) {
	x, err := m.Certifier(ridge)
	if err != nil {
		return design.Design{}, err
	}
	return x.Design(c)
}
