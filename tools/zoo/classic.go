//go:build unix

package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// alone is a method that treats each task separately: it pulls until a task had so many pulls, and returns its pick.
type alone func(p *play, v, pulls int, sd float64, rng *rand.Rand) int

// run makes a method of it. Anytime ones go on from one budget to the next; others begin again, with the same rewards.
func (a alone) run(anytime bool) runner {
	return func(_ context.Context, w *world, run int, name string, budgets []int) (result, error) {
		var out result
		var p *play
		var sources []*rand.Rand
		for _, budget := range budgets {
			if p == nil || !anytime {
				p = newPlay(w)
				sources = lists.Make(w.problem.V(), func(v int) *rand.Rand { return source(seedOf(name, run, v)) })
			}
			noise, before := w.noise(), p.total
			picks := lists.Make(w.problem.V(), func(v int) int { return a(p, v, budget, noise[v], sources[v]) })
			out.add(p, picks, p.total-before)
		}
		return out, nil
	}
}

// pulled returns the pulls of a task so far.
func (p *play) pulled(v int) int {
	lo, hi := p.problem.ArmsOf(v)
	return lists.Total(p.count[lo:hi])
}

// spread pulls arms that have fewest pulls, in random order, so that below one pull an arm tasks pull different ones.
func spread(p *play, v, pulls int, _ float64, rng *rand.Rand) int {
	lo, hi := p.problem.ArmsOf(v)
	for n := p.pulled(v); n < pulls; n++ {
		fewest := slices.Min(p.count[lo:hi])
		at, ties := lo, 0
		for i := lo; i < hi; i++ {
			if p.count[i] == fewest {
				if ties++; rng.IntN(ties) == 0 {
					at = i
				}
			}
		}
		p.pull(at)
	}
	return p.leader(v, rng)
}

// begin pulls every arm once, in random order, as far as the pulls go, and reports whether they went so far.
func begin(p *play, v, pulls int, rng *rand.Rand) bool {
	lo, hi := p.problem.ArmsOf(v)
	spread(p, v, min(pulls, hi-lo), 0, rng)
	return pulls > hi-lo
}

// rejects is successive rejects [Audibert, Bubeck and Munos 2010]; spread below two pulls an arm.
func rejects(p *play, v, pulls int, sd float64, rng *rand.Rand) int {
	lo, hi := p.problem.ArmsOf(v)
	size := hi - lo
	if pulls < 2*size {
		return spread(p, v, pulls, sd, rng)
	}
	scale := 0.5
	for i := 2; i <= size; i++ {
		scale += 1 / float64(i)
	}
	remaining := rng.Perm(size)
	had := 0
	for k := 1; k < size; k++ {
		n := int(math.Ceil(float64(pulls-size) / scale / float64(size+1-k)))
		worst := 0
		for at, i := range remaining {
			for range n - had {
				if p.pulled(v) < pulls {
					p.pull(lo + i)
				}
			}
			if p.mean[lo+i] < p.mean[lo+remaining[worst]] {
				worst = at
			}
		}
		had = n
		remaining = slices.Delete(remaining, worst, worst+1)
	}
	for p.pulled(v) < pulls { // what rounding left over
		p.pull(lo + remaining[0])
	}
	return lo + remaining[0]
}

// topTwo is top-two Thompson sampling with β = 1/2 under a flat prior [Russo 2020]; it receives the noise SD of the
// task.
func topTwo(p *play, v, pulls int, sd float64, rng *rand.Rand) int {
	lo, hi := p.problem.ArmsOf(v)
	if !begin(p, v, pulls, rng) {
		return p.leader(v, rng)
	}
	drawn := func() int {
		best, at := math.Inf(-1), lo
		for i := lo; i < hi; i++ {
			if x := p.mean[i] + sd/math.Sqrt(float64(p.count[i]))*rng.NormFloat64(); x > best {
				best, at = x, i
			}
		}
		return at
	}
	for n := p.pulled(v); n < pulls; n++ {
		i := drawn()
		if rng.IntN(2) == 0 {
			for range 50 {
				if j := drawn(); j != i {
					i = j
					break
				}
			}
		}
		p.pull(i)
	}
	return p.leader(v, rng)
}

// ocba is the sequential optimal computing budget allocation with equal scatter [Chen and Lee 2010, sec. 3.4].
func ocba(p *play, v, pulls int, sd float64, rng *rand.Rand) int {
	lo, hi := p.problem.ArmsOf(v)
	if !begin(p, v, pulls, rng) {
		return p.leader(v, rng)
	}
	weights := make([]float64, hi-lo)
	for n := p.pulled(v); n < pulls; n++ {
		best := p.leader(v, rng)
		sum, squares := 0.0, 0.0
		for i := lo; i < hi; i++ {
			gap := max(p.mean[best]-p.mean[i], 1e-3*sd+1e-12)
			if weights[i-lo] = 1 / (gap * gap); i != best {
				sum += weights[i-lo]
				squares += weights[i-lo] * weights[i-lo]
			}
		}
		weights[best-lo] = math.Sqrt(squares)
		sum += weights[best-lo]
		at, most := lo, math.Inf(-1)
		for i := lo; i < hi; i++ {
			if lack := weights[i-lo]/sum*float64(n+1) - float64(p.count[i]); lack > most {
				at, most = i, lack
			}
		}
		p.pull(at)
	}
	return p.leader(v, rng)
}
