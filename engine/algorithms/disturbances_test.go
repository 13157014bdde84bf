package algorithms

import (
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A disturbance makes a round of its own kind.
type disturbance struct {
	name   string
	breaks bool // whether it breaks the guarantee, as expected
	round  func(r *trial, plan engine.Plan)
}

var disturbances = []disturbance{
	{"none", false, func(r *trial, plan engine.Plan) { r.learn(r.batch(plan.Counts, plan.WantSquares)) }},
	{"20 % of pulls lost", false, func(r *trial, plan engine.Plan) {
		plan = r.amend(r.thinned(plan.Counts, 0.8))
		r.learn(r.batch(plan.Counts, plan.WantSquares))
	}},
	{"30 % more pulls", false, func(r *trial, plan engine.Plan) {
		for i, n := range plan.Counts {
			if n > 0 {
				plan.Counts[i] = 2*n - r.thinned([]int{n}, 0.7)[0]
			}
		}
		plan = r.amend(plan.Counts)
		r.learn(r.batch(plan.Counts, plan.WantSquares))
	}},
	{"a tenth comes late", false, func(r *trial, plan engine.Plan) {
		all := slices.Clone(plan.Counts)
		plan = r.amend(r.thinned(all, 0.9))
		late := make([]int, len(all))
		for i, n := range all {
			late[i] = n - plan.Counts[i]
		}
		r.learn(r.batch(plan.Counts, plan.WantSquares))
		try.To(r.s.AddData(r.batch(late, plan.WantSquares)))
	}},
	{"the best arm loses its best fifth", true, func(r *trial, plan engine.Plan) {
		n := plan.Counts[0] / 5
		plan.Counts[0] -= n
		plan = r.amend(plan.Counts)
		b := r.batch(plan.Counts, plan.WantSquares)
		if m := plan.Counts[0]; m > 0 && n > 0 { // hide the n best of m+n rewards
			all := make([]float64, m+n)
			for k := range all {
				all[k] = r.p.Mean[0] + r.rng.NormFloat64()
			}
			slices.Sort(all)
			mean, squares := 0.0, 0.0
			for _, x := range all[:m] {
				mean += x / float64(m)
			}
			for _, x := range all[:m] {
				squares += (x - mean) * (x - mean)
			}
			if b.Means[0] = mean; b.Squares != nil {
				b.Squares[0] = squares
			}
		}
		r.learn(b)
	}},
}
