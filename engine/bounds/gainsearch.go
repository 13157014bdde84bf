package bounds

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// gained is an allocation on few arms with nearly the largest information gain, and bounds on the largest.
type gained struct {
	arms    []int     // nil means all
	weights []float64 // weights of arms; their sum is 1
	value   float64   // information gain of this allocation, a lower bound of Υ
	upper   float64   // upper bound of Υ
}

// gap returns the relative distance between the two bounds.
func (g gained) gap() float64 {
	if g.upper == 0 { // features of zero
		return 0
	}
	return g.upper/g.value - 1
}

// Parameters of gainSearch.
const (
	gainTolerance = 1e-4 // relative gap of the bounds at which the search ends
	gainPasses    = 12   // largest number of passes over all arms, each followed by designs on candidates
	mostGainArms  = 1024 // largest number of candidates: the time of a design step is cubic in it
	gainNewcomers = 32   // number of candidates added per design; a quarter of the present ones if that is more
	gainLeast     = 0.01 // fraction of the mean weight: candidates below are dropped, unless their gradient is large
	// smallest excess of a gradient over the mean for an arm to be added, as a fraction of the largest excess
	gainExcess = 0.2
	// of two arms whose squared correlation, given the allocation, is above it, only one is added
	gainAlike = 0.5
	// multiple of ξ: if the pivots leave more variance of some arm, few arms cannot represent the kernel, and the search
	// is skipped
	gainRough = 100
	// fraction of the largest gradient: arms above it are in the pool until the next pass over all arms
	gainPool = 0.8
)

// gainSearch finds the allocation of many arms with the largest information gain,
//
//	Υ = max_λ F(λ),  F(λ) = log det(I + ξ⁻¹ D^½ K D^½),  D = diag(λ_i/σ_i²),
//
// by column generation. Equal weights are optimal if the kernel treats all arms alike. Otherwise it computes designs on few
// candidates, which are first the pivots of the kernel's factor. Then it adds arms with the largest gradient
// g_i = ∂F/∂λ_i. By concavity
//
//	F(λ) ≤ Υ ≤ F(λ) + max_i g_i - Σ λ_i g_i   [Kiefer and Wolfowitz 1960].
//
// Both bounds are exact up to rounding, since they are computed from exact kernel values.
type gainSearch struct {
	ctx        context.Context
	m          *model.Model
	ridge      float64 // ξ, normalised
	rounding   float64 // bound on the rounding error of a gradient
	candidates []int
	best       gained
}

// gainOf returns an allocation of nearly the largest information gain for ξ = ridge > 0 (kernel units), with both bounds.
func gainOf(ctx context.Context, m *model.Model, ridge float64) (_ gained, err error) {
	defer try.Caught(&err)
	s := &gainSearch{ctx: ctx, m: m, ridge: m.Normalised(ridge)}
	precise := slices.Max(m.Precision)
	const unit = 0x1p-52
	s.rounding = mostGainArms * unit * m.Diagonal / m.Scale * precise / s.ridge
	s.best.upper = independent(m, s.ridge)
	if n := m.Problem.N(); n <= mostGainArms {
		uniform := &located{gainSearch: s, arms: indices.All(n), weights: slices.Repeat([]float64{1 / float64(n)}, n)}
		try.To(uniform.factor())
		if try.Of(s.evaluate(uniform)); s.close() {
			return s.best, nil
		}
	}
	s.candidates = try.Of(m.Pivots(mostGainArms/2, s.ridge/precise))
	passes := gainPasses
	if try.Of(m.Residual(len(s.candidates))) > gainRough*s.ridge/precise {
		passes = 0 // more candidates would not close the gap
	}
	for range passes {
		pool := try.Of(s.price())
		if pool == nil {
			return s.best, nil
		}
		try.To(s.refine(pool))
	}
	_, err = s.price()
	return s.best, err
}

// independent returns an upper bound on the information gain, which is that of independent arms: log det(I + ξ⁻¹ D^½ K
// D^½) ≤ Σ log(1 + λ_i k_ii/(ξ σ_i²)) ≤ N log(1 + max_i k_ii/(N ξ σ_i²)). The inequalities are Hadamard's and Jensen's.
func independent(m *model.Model, ridge float64) float64 {
	most, n := 0.0, float64(m.Problem.N())
	for i, v := range m.Variances() {
		most = max(most, v*m.Precision[i])
	}
	return n * math.Log1p(most/(n*ridge))
}

// price computes a design on the candidates and the gradients of all arms, and updates the bounds. It adds candidates and
// returns the pool, which has the arms with large gradients. It returns nil if the bounds are close enough or there are
// mostGainArms candidates.
func (s *gainSearch) price() (pool []int, err error) {
	defer try.Caught(&err)
	l := try.Of(s.allocate())
	gradient := try.Of(s.evaluate(l))
	if s.close() || len(s.candidates) >= mostGainArms {
		return nil, nil
	}
	most := slices.Max(gradient)
	pool = indices.Where(len(gradient), func(i int) bool { return gradient[i] >= gainPool*most })
	return pool, s.extend(l, pool, indices.Of(gradient, pool))
}

// evaluate updates the bounds by an allocation. It returns the gradients of all arms.
func (s *gainSearch) evaluate(l *located) (gradient []float64, err error) {
	defer try.Caught(&err)
	gradient = try.Of(l.gradients(view{s.m.Gram(), s.m.Precision, l.arms}))
	if l.value > s.best.value {
		s.best.arms, s.best.weights, s.best.value = l.arms, l.weights, l.value
	}
	s.best.upper = min(s.best.upper, l.value+max(slices.Max(gradient)-l.level, 0)+s.rounding)
	return gradient, nil
}

// close reports whether the gap of the bounds is at most gainTolerance.
func (s *gainSearch) close() bool { return s.best.upper <= s.best.value*(1+gainTolerance) }

// refine alternates designs and new candidates from the pool, until no arm of the pool has a relevant gradient.
func (s *gainSearch) refine(pool []int) (err error) {
	defer try.Caught(&err)
	for range gainPasses {
		l := try.Of(s.allocate())
		both := try.Of(s.m.Among(slices.Concat(pool, l.arms)))
		own := indices.All(len(pool) + len(l.arms))[len(pool):]
		gradient := try.Of(l.gradients(view{both, indices.Of(s.m.Precision, pool), own}))
		if slices.Max(gradient)-l.level <= gainTolerance/2*l.value || len(s.candidates) >= mostGainArms {
			return nil
		}
		try.To(s.extend(l, pool, gradient))
	}
	return nil
}

// allocate computes the design on the candidates, and then drops candidates with negligible weight.
func (s *gainSearch) allocate() (_ *located, err error) {
	defer try.Caught(&err)
	slices.Sort(s.candidates)
	among := try.Of(s.m.Among(s.candidates))
	factor := try.Of(kernels.PivotedCholesky(s.ctx, among, 0, 0))
	space := design.Space{Features: factor.L, Precision: indices.Of(s.m.Precision, s.candidates), Ridge: s.ridge}
	d := try.Of(design.InformationGain(space, design.Options{Tolerance: gainTolerance / 10, Context: s.ctx}))
	l := &located{gainSearch: s}
	for k, w := range d.Certificate.Weights { // the certificate has the weights of the best upper bound
		if w > 0 {
			l.arms, l.weights = append(l.arms, s.candidates[k]), append(l.weights, w)
		}
	}
	try.To(l.factor())
	low := l.level - gainTolerance*l.value
	s.candidates = nil
	for k, i := range l.arms {
		if l.weights[k]*float64(len(l.arms)) > gainLeast || l.own[k] > low {
			s.candidates = append(s.candidates, i)
		}
	}
	return l, nil
}

// extend adds arms of the pool as candidates, those with the largest gradients first. Among arms that are highly
// correlated given the allocation, it adds only the first. gradient has a value per arm of the pool.
func (s *gainSearch) extend(l *located, pool []int, gradient []float64) error {
	newcomers := min(max(gainNewcomers, len(s.candidates)/4), mostGainArms-len(s.candidates))
	threshold := l.level + gainExcess*(slices.Max(gradient)-l.level)
	order := indices.Where(len(gradient), func(k int) bool { // positions in pool
		_, known := slices.BinarySearch(s.candidates, pool[k])
		return gradient[k] > threshold && !known
	})
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(gradient[b], gradient[a]), cmp.Compare(a, b)) })
	arms := lists.Make(min(8*newcomers, len(order)), func(k int) int { return pool[order[k]] })
	if len(arms) == 0 {
		return nil
	}
	alike, err := l.correlations(arms)
	if err != nil {
		return err
	}
	var taken []int // positions in arms
	for k, i := range arms {
		if len(taken) == newcomers {
			break
		}
		if !slices.ContainsFunc(taken, func(t int) bool { return alike(t, k) > gainAlike }) {
			taken, s.candidates = append(taken, k), append(s.candidates, i)
		}
	}
	return nil
}
