package model

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

const (
	alternativeRounds = 8 // rounds of solve; each adds alternatives against the current allocation
	alternativesEach  = 8 // largest number of rival arms per task and round
	// alternativesAll is roughly the largest number of alternatives added per round. The time of balance is cubic in this
	// number.
	alternativesAll = 200
	// mostAlternatives is the largest number of arms for which NormLowerBound searches alternatives.
	mostAlternatives = 400
)

// alternatives computes the weights w and the functions g of NormLowerBound. They solve a game: one player chooses an
// allocation λ of pulls that distinguishes every g from the means. The other player chooses w to make this hard.
type alternatives struct {
	m        *Model
	t        *truth
	features *mat.Dense
	radius   float64 // largest allowed ‖θ‖, normalised
	epsilon  float64 // normalised
	// N: 1/σ_i², normalised, for distances between functions; two-valued rewards have σ_i² from their means
	precision []float64

	divergences [][]float64 // row g: the divergence of alternative g from the means at each of the N arms
	of          []alternative
	best        []weighted // the alternatives of the smallest value so far, with their weights
}

// alternative is a function with parameter vector θ under which a right answer of the task is wrong.
type alternative struct {
	task  int
	theta []float64
}

// weighted is an alternative with its weight w_g.
type weighted struct {
	alternative
	weight float64
}

func newAlternatives(m *Model, t *truth, features *mat.Dense, norm, epsilon float64) *alternatives {
	s := &alternatives{m: m, t: t, features: features, radius: norm * math.Sqrt(m.Scale), epsilon: epsilon, precision: m.Precision}
	if p := m.Problem; p.Noise.Environment == problem.EnvironmentBernoulli {
		lo, hi := p.TwoRewards()
		s.precision = make([]float64, p.N())
		for i, mean := range p.Mean {
			s.precision[i] = m.Unit * m.Unit / max((mean-lo)*(hi-mean), (hi-lo)*(hi-lo)/400)
		}
	} else if diverges(p) {
		s.precision = make([]float64, p.N())
		for i, rewards := range p.Rewards {
			span := p.Noise.Bounds[1] - p.Noise.Bounds[0]
			s.precision[i] = m.Unit * m.Unit / max(stat.PopVariance(rewards, nil), span*span/1e4)
		}
	}
	return s
}

// solve computes alternatives g and weights w with a small max_i Σ_g w_g d_g,i, where d_g,i is the divergence of g from
// the means at arm i. It returns the smallest value found, and 0 if there is no alternative. It returns an error if the
// context ends.
func (s *alternatives) solve() (_ float64, err error) {
	defer try.Caught(&err)
	n := s.m.Problem.N()
	lambda := slices.Repeat([]float64{1 / float64(n)}, n)
	best := math.Inf(1)
	for round, stale := 0, 0; round < alternativeRounds && stale < 2; round++ {
		try.To(s.m.Context().Err())
		before := len(s.divergences)
		for _, shrink := range []float64{1e-8, 1e-6, 1e-4, 1e-2, 1} {
			if shrink > 1e-8 && math.IsInf(s.radius, 1) {
				break
			}
			try.To(s.against(lambda, shrink))
		}
		if len(s.divergences) == before {
			break
		}
		s.choose(before, lambda)
		value, next, proof, err := s.balance()
		if err != nil {
			return 0, err
		}
		for i := range lambda { // take the average: an allocation on few arms gives no information on the others
			lambda[i] = (lambda[i] + next[i]) / 2
		}
		if value > 0.99*best {
			stale++
		}
		if value < best {
			best, s.best = value, proof
		}
	}
	if math.IsInf(best, 1) {
		return 0, nil
	}
	return best, nil
}

// choose drops some of the alternatives with index `from` or higher. In each task it keeps those with the smallest
// divergence under the allocation lambda, because these determine the value.
func (s *alternatives) choose(from int, lambda []float64) {
	each := max(2, alternativesAll/s.m.Problem.V())
	gains := make([]float64, len(s.divergences))
	of := make([][]int, s.m.Problem.V())
	for g := from; g < len(s.divergences); g++ {
		gains[g] = Dot(lambda, s.divergences[g])
		of[s.of[g].task] = append(of[s.of[g].task], g)
	}
	var selected []int
	for _, own := range of {
		if len(own) > each {
			slices.SortStableFunc(own, func(g, h int) int { return cmp.Compare(gains[g], gains[h]) })
			own = own[:each]
		}
		selected = append(selected, own...)
	}
	slices.Sort(selected)
	for k, g := range selected {
		s.divergences[from+k], s.of[from+k] = s.divergences[g], s.of[g]
	}
	s.divergences, s.of = s.divergences[:from+len(selected)], s.of[:from+len(selected)]
}

// against adds alternatives for an allocation lambda: for each task and a few rival arms, the function of smallest
// divergence that ranks the rival above all right answers. It starts from a regularised fit of the means and makes the
// smallest change, in the metric of A = ξI + Σ λ_i φ_iφ_iᵀ/σ_i². ξ is shrink times the largest diagonal entry of the sum;
// a larger ξ gives functions of smaller norm. Functions with ‖θ‖ above the radius are dropped.
func (s *alternatives) against(lambda []float64, shrink float64) (err error) {
	defer try.Caught(&err)
	n, dim := s.features.Dims()
	scaled, target := mat.NewDense(n, dim, nil), mat.NewVecDense(n, nil)
	for i := range n {
		f := math.Sqrt(lambda[i] * s.precision[i])
		addTo(scaled.RawRowView(i), f, s.features.RawRowView(i))
		target.SetVec(i, f*s.m.Problem.Mean[i]/s.m.Unit)
	}
	a := mat.NewSymDense(dim, nil)
	a.SymOuterK(1, scaled.T())
	top := 0.0
	for k := range dim {
		top = max(top, a.At(k, k))
	}
	var factor mat.Cholesky
	if !factor.Factorize(symmetric.Add(a, func(int) float64 { return shrink * top })) {
		return nil
	}
	solved := func(x *mat.VecDense) *mat.VecDense { // returns A⁻¹Φᵀx
		var moment, out mat.VecDense
		moment.MulVec(scaled.T(), x)
		try.To(symmetric.Solved(factor.SolveVecTo(&out, &moment)))
		return &out
	}
	fit := solved(target)
	if math.IsInf(s.radius, 1) { // without a bound on the norm, remove the bias of ξ, which grows with the level of the means
		for range 3 {
			var residual mat.VecDense
			residual.MulVec(scaled, fit)
			residual.SubVec(target, &residual)
			fit.AddVec(fit, solved(&residual))
		}
	}
	for v, group := range s.m.Problem.Groups() {
		s.rivals(v, group, &factor, fit)
	}
	return nil
}

// rivals adds the alternatives of task v; group has its arms, and fit is the regularised fit of the means.
func (s *alternatives) rivals(v int, group []int, factor *mat.Cholesky, fit *mat.VecDense) {
	best := s.t.best[v]
	var right, wrong []int
	for _, i := range group {
		if i == best || s.t.right(i, s.epsilon) {
			right = append(right, i)
		} else {
			wrong = append(wrong, i)
		}
	}
	// try the rivals with the smallest gaps, and a few others spread over the larger gaps
	slices.SortStableFunc(wrong, func(i, j int) int { return cmp.Compare(s.t.gap[i], s.t.gap[j]) })
	var tried []int
	for k := range min(len(wrong), alternativesEach) {
		at := k
		if k >= alternativesEach/2 && len(wrong) > alternativesEach {
			at = k * (len(wrong) - 1) / (alternativesEach - 1)
		}
		tried = append(tried, wrong[at])
	}
	for _, x := range slices.Compact(tried) {
		if g := s.above(x, right, factor, fit); g != nil && mat.Norm(g, 2) <= s.radius && s.wrongUnder(g, x, right) {
			s.add(v, g)
		}
	}
}

// above returns the function with the smallest distance from fit, in the metric of A, that puts arm x above all right
// answers a by ε. It returns nil if no function does so. With y_a = φ_x - φ_a and c_a the missing difference, the function
// is fit + A⁻¹ Σ u_a y_a, where u ≥ 0 maximises Σ u_a c_a - ‖Σ u_a y_a‖²_{A⁻¹}/2. Hildreth's method updates one u_a at a
// time. The change is then scaled until x is above all right answers.
//
// C. Hildreth, A quadratic programming procedure, Naval Research Logistics Quarterly 4, 1957.
func (s *alternatives) above(x int, right []int, factor *mat.Cholesky, fit *mat.VecDense) *mat.VecDense {
	y, solved := make([]*mat.VecDense, len(right)), make([]*mat.VecDense, len(right))
	missing, u := make([]float64, len(right)), make([]float64, len(right))
	for k, a := range right {
		y[k], solved[k] = &mat.VecDense{}, &mat.VecDense{}
		y[k].SubVec(s.row(x), s.row(a))
		if symmetric.Solved(factor.SolveVecTo(solved[k], y[k])) != nil {
			return nil
		}
		missing[k] = s.epsilon - mat.Dot(y[k], fit)
	}
	change := mat.NewVecDense(fit.Len(), nil)
	for range 50 {
		for k, c := range missing {
			if square := mat.Dot(y[k], solved[k]); square > 0 {
				step := max(-u[k], (c-mat.Dot(y[k], change))/square)
				u[k] += step
				change.AddScaledVec(change, step, solved[k])
			}
		}
	}
	scale := 1.0
	for k, c := range missing {
		if c <= 0 {
			continue
		}
		reached := mat.Dot(y[k], change)
		if reached <= 0 {
			return nil
		}
		scale = max(scale, c/reached)
	}
	change.AddScaledVec(fit, scale, change)
	return change
}

// row returns the features of arm i.
func (s *alternatives) row(i int) *mat.VecDense {
	return mat.NewVecDense(s.features.RawMatrix().Cols, s.features.RawRowView(i))
}

// wrongUnder reports whether arm x exceeds all right answers by at least epsilon under g, up to rounding.
func (s *alternatives) wrongUnder(g *mat.VecDense, x int, right []int) bool {
	value := func(i int) float64 { return mat.Dot(s.row(i), g) }
	const rounding = 1e-9
	return !slices.ContainsFunc(right, func(a int) bool { return value(x) < value(a)+s.epsilon-rounding*(1+math.Abs(value(a))) })
}

// add appends function g as an alternative of task v, with its divergences from the means. It skips g if bounded or
// two-valued rewards cannot have its values as means.
func (s *alternatives) add(v int, g *mat.VecDense) {
	p := s.m.Problem
	divergences := make([]float64, p.N())
	lo, hi := p.TwoRewards()
	for i := range divergences {
		value := mat.Dot(s.row(i), g)
		d := value - p.Mean[i]/s.m.Unit
		divergences[i] = d * d * s.m.Precision[i] / 2
		if p.Noise.Environment == problem.EnvironmentBernoulli {
			divergences[i] = Divergence((p.Mean[i]-lo)/(hi-lo), (value*s.m.Unit-lo)/(hi-lo))
		} else if diverges(p) {
			divergences[i] = LeastDivergence(p.Rewards[i], p.Noise.Bounds[0], p.Noise.Bounds[1], value*s.m.Unit)
		}
		if math.IsInf(divergences[i], 1) {
			return
		}
	}
	s.divergences = append(s.divergences, divergences)
	s.of = append(s.of, alternative{v, slices.Clone(g.RawVector().Data)})
}

// balance solves the game for the present alternatives: it maximises Σ u_g subject to Σ_g u_g d_g,i ≤ 1 for every arm and
// u ≥ 0. The method is Newton's on a logarithmic barrier. With w = u/Σu, the value max_i Σ_g w_g d_g,i is 1/Σu. It returns
// this value, the allocation lambda and all weights, and then drops alternatives whose weight is nearly 0.
func (s *alternatives) balance() (value float64, lambda []float64, proof []weighted, err error) {
	n, k := s.m.Problem.N(), len(s.divergences)
	worth, d := make([]float64, k), make([][]float64, k) // scaled so that the largest divergence of each alternative is 1
	for g, divergences := range s.divergences {
		top := slices.Max(divergences)
		worth[g], d[g] = 1/top, make([]float64, n)
		addTo(d[g], 1/top, divergences)
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
	divergences, of := s.divergences[:0], s.of[:0]
	for g := range u {
		w := worth[g] * u[g] / total()
		proof = append(proof, weighted{s.of[g], w})
		if w > 1e-2/float64(k) {
			divergences, of = append(divergences, s.divergences[g]), append(of, s.of[g])
		}
	}
	s.divergences, s.of = divergences, of
	return value, lambda, proof, nil
}

// newton makes one Newton step on u towards the maximum of Σ c_g u_g + μ(Σ log slack_i + Σ log u_g), with c = worth. It
// halves the step until u is feasible; if no step is feasible, u does not change.
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
	var factor mat.Cholesky
	if !factor.Factorize(symmetric.Add(curvature, func(g int) float64 { return mu / (u[g] * u[g]) })) {
		return
	}
	var step mat.VecDense
	if symmetric.Solved(factor.SolveVecTo(&step, slope)) != nil {
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
