package model

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// balance solves the game, as the largest Σ u_g under Σ_g u_g told_g,i ≤ 1 for every arm and u ≥ 0, by
// Newton's method on a barrier: 1/Σ u is max_i Σ w_g told_g,i for w = u/Σu. It returns that, and the
// allocation that belongs to it, and forgets the alternatives of no weight.
func (s *alternatives) balance() (value float64, lambda []float64, proof []weighted, err error) {
	n, k := s.m.Problem.N(), len(s.told)
	worth, d := make([]float64, k), make([][]float64, k) // in units in which each alternative is told by 1 at most
	for g, told := range s.told {
		top := slices.Max(told)
		worth[g], d[g] = 1/top, make([]float64, n)
		addTo(d[g], 1/top, told)
	}
	best := slices.Max(worth)
	for g := range worth {
		worth[g] /= best
	}
	u, slack := slices.Repeat([]float64{0.5 / float64(k)}, k), make([]float64, n)
	feasible := func(x []float64) bool {
		for i := range slack {
			slack[i] = 1
		}
		for g, v := range x {
			if v <= 0 {
				return false
			}
			addTo(slack, -v, d[g])
		}
		return slices.Min(slack) > 0
	}
	feasible(u)
	total := func() float64 { return Dot(worth, u) }
	for mu := 1.0; mu > 1e-3*total()/float64(k+n); mu /= 5 {
		for range 3 {
			if err := s.m.Context().Err(); err != nil {
				return 0, nil, nil, err
			}
			s.newton(u, slack, worth, d, mu, feasible)
		}
	}
	value = (1 - slices.Min(slack)) / (total() * best)
	lambda = make([]float64, n)
	sum := 0.0
	for i, v := range slack {
		lambda[i] = 1 / v
		sum += lambda[i]
	}
	for i := range lambda {
		lambda[i] /= sum
	}
	told, of := s.told[:0], s.of[:0]
	for g := range u {
		w := worth[g] * u[g] / total()
		proof = append(proof, weighted{s.of[g], w})
		if w > 1e-2/float64(k) {
			told, of = append(told, s.told[g]), append(of, s.of[g])
		}
	}
	s.told, s.of = told, of
	return value, lambda, proof, nil
}

// newton takes a step towards the largest Σ c_g u_g + μ(Σ log slack_i + Σ log u_g), as long as it stays
// inside.
func (s *alternatives) newton(u, slack, worth []float64, d [][]float64, mu float64, feasible func([]float64) bool) {
	k := len(u)
	slope, scaled := mat.NewVecDense(k, nil), mat.NewDense(k, len(slack), nil)
	for g := range u {
		sum, row := 0.0, scaled.RawRowView(g)
		for i, v := range d[g] {
			row[i] = v / slack[i]
			sum += row[i]
		}
		slope.SetVec(g, worth[g]+mu*(1/u[g]-sum))
	}
	curvature := mat.NewSymDense(k, nil)
	curvature.SymOuterK(mu, scaled)
	for g, v := range u {
		curvature.SetSym(g, g, curvature.At(g, g)+mu/(v*v))
	}
	var factor mat.Cholesky
	if !factor.Factorize(curvature) {
		return
	}
	var step mat.VecDense
	if err := factor.SolveVecTo(&step, slope); err != nil && !isCondition(err) {
		return
	}
	next := make([]float64, k)
	for length := 1.0; length > 1e-6; length /= 2 {
		for g := range next {
			next[g] = u[g] + length*step.AtVec(g)
		}
		if feasible(next) {
			copy(u, next)
			return
		}
	}
	feasible(u)
}
