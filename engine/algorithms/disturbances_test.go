package algorithms

import (
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
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
		if err := r.s.AddData(r.batch(late, plan.WantSquares)); err != nil {
			r.t.Fatal(err)
		}
	}},
	// withdraw the best arm as soon as the second best looks worse
	{"best arm withdrawn when the next looks bad (k = 1)", false, func(r *trial, plan engine.Plan) {
		r.learn(r.batch(plan.Counts, plan.WantSquares))
		if plan.Round >= 2 && r.ahead(0, 1) > 1.5 {
			r.withdraw(0)
		}
	}},
	{"arm that seems best withdrawn after round 4 (k = 1)", false, func(r *trial, plan engine.Plan) {
		r.learn(r.batch(plan.Counts, plan.WantSquares))
		if plan.Round == 4 {
			lo, hi := r.p.ArmsOf(0)
			best := lo
			for i := lo; i < hi; i++ {
				if r.ahead(i, best) > 0 {
					best = i
				}
			}
			r.withdraw(best)
		}
	}},
	{"two arms withdrawn, best first, each when the next looks bad (k = 2)", false, func(r *trial, plan engine.Plan) {
		r.learn(r.batch(plan.Counts, plan.WantSquares))
		switch {
		case !r.gone[0] && plan.Round >= 2 && r.ahead(0, 1) > 1:
			r.withdraw(0)
		case r.gone[0] && !r.gone[1] && r.ahead(1, 2) > 1:
			r.withdraw(1)
		}
	}},
	// the second best arm was eliminated by the best one; its evidence must not count any more
	{"best arm withdrawn once the next is out (k = 1)", false, func(r *trial, plan engine.Plan) {
		r.learn(r.batch(plan.Counts, plan.WantSquares))
		if a := r.s.Outcome().Answers[0]; !slices.Contains(a.Candidates, r.p.Arms.Names[1]) {
			r.withdraw(0)
		}
	}},
	// the same, in the first of several tasks where it happens
	{"best arm withdrawn in the first task whose next is out (k = 1)", false, func(r *trial, plan engine.Plan) {
		r.learn(r.batch(plan.Counts, plan.WantSquares))
		for v, a := range r.s.Outcome().Answers {
			if lo, _ := r.p.ArmsOf(v); r.state == 0 && !slices.Contains(a.Candidates, r.p.Arms.Names[lo+1]) {
				r.state = 1
				r.withdraw(lo)
			}
		}
	}},
	// add a better arm when the best one looks bad and may be eliminated soon
	{"arm added when the best looks bad (k = 1)", false, func(r *trial, plan engine.Plan) {
		r.learn(r.batch(plan.Counts, plan.WantSquares))
		if r.state == 0 && plan.Round >= 2 && r.ahead(1, 0) > 1 {
			r.state = 1
			r.add()
		}
	}},
	{"delta 0.02, 0.1, 0.01 by round", false, func(r *trial, plan engine.Plan) {
		if err := r.s.SetDelta([]float64{0.02, 0.1, 0.01}[plan.Round%3]); err != nil {
			r.t.Fatal(err)
		}
		r.learn(r.batch(plan.Counts, plan.WantSquares))
	}},
	{"the smallest epsilon that decides, up to less than the gap", false, func(r *trial, plan engine.Plan) {
		r.learn(r.batch(plan.Counts, plan.WantSquares))
		for _, r.epsilon = range []float64{0, 0.1, 0.2, 0.29} {
			if err := r.s.SetEpsilon(r.epsilon); err != nil {
				r.t.Fatal(err)
			}
			if !slices.ContainsFunc(r.s.Outcome().Answers, func(a engine.Answer) bool { return !a.Decided }) {
				return
			}
		}
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
