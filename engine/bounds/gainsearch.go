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

// gained is an allocation of nearly the largest information gain, on few arms, with both bounds on what
// the largest can be.
type gained struct {
	arms    []int     // nil means all
	weights []float64 // of arms; their sum is 1
	value   float64   // the information gain of this allocation: Υ is not below it
	upper   float64   // Υ is not above it
}

// gap returns the relative distance of the ends.
func (g gained) gap() float64 {
	if g.upper == 0 { // features of zero
		return 0
	}
	return g.upper/g.value - 1
}

// The search for it.
const (
	gainTolerance = 1e-4 // of upper over value: where the search ends
	gainPasses    = 12   // at all arms, and designs between two of them, after which it ends without that
	mostGainArms  = 1024 // candidates: a step of a design on them takes the cube of their number
	gainNewcomers = 32   // candidates that one design more takes in, or a quarter of the present ones
	gainLeast     = 0.01 // of the mean weight: candidates below are let go, unless their gradient is large
	// of the excess of the largest gradient over the mean: arms below are not taken in
	gainExcess = 0.2
	// squared correlation, given the allocation, above which one of two arms represents both
	gainAlike = 0.5
	// of ξ: where the pivots leave more of an arm, the kernel is too rough for few arms
	gainRough = 100
	// of the largest gradient: arms above stay in the pool between two passes over all
	gainPool = 0.8
)

// gainSearch looks for the allocation of largest information gain of many arms,
//
//	Υ = max_λ F(λ),  F(λ) = log det(I + ξ⁻¹ D^½ K D^½),  D = diag(λ_i/σ_i²),
//
// by column generation: a design on few candidates, first the pivots of the kernel's factor, and
// then those arms that its gradient g_i = ∂F/∂λ_i finds most worth adding. By concavity
//
//	F(λ) ≤ Υ ≤ F(λ) + max_i g_i - Σ λ_i g_i   [Kiefer and Wolfowitz 1960],
//
// and both ends are exact except for rounding, since they are computed from values of the kernel.
type gainSearch struct {
	ctx        context.Context
	m          *model.Model
	ridge      float64 // ξ, normalised
	rounding   float64 // of a gradient, at most
	candidates []int
	best       gained
}

// gainOf returns the allocation for ξ > 0, in the kernel's units.
func gainOf(ctx context.Context, m *model.Model, ridge float64) (_ gained, err error) {
	defer try.Caught(&err)
	s := &gainSearch{ctx: ctx, m: m, ridge: m.Normalised(ridge)}
	precise := slices.Max(m.Precision)
	const unit = 0x1p-52
	s.rounding = mostGainArms * unit * m.Diagonal / m.Scale * precise / s.ridge
	s.best.upper = independent(m, s.ridge)
	s.candidates = try.Of(m.Pivots(mostGainArms/2, s.ridge/precise))
	passes := gainPasses
	if try.Of(m.Residual(len(s.candidates))) > gainRough*s.ridge/precise {
		passes = 0 // more candidates would not bring the ends together
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

// independent bounds the information gain by the gain of arms which have nothing to do with each other,
// log det(I + ξ⁻¹ D^½ K D^½) ≤ Σ log(1 + λ_i k_ii/(ξ σ_i²)) ≤ N log(1 + max_i k_ii/(N ξ σ_i²)), the first
// by Hadamard's inequality and the second by Jensen's.
func independent(m *model.Model, ridge float64) float64 {
	most, n := 0.0, float64(m.Problem.N())
	for i, v := range m.Variances() {
		most = max(most, v*m.Precision[i])
	}
	return n * math.Log1p(most/(n*ridge))
}

// price prices all arms under a design on the candidates and keeps what it certifies. It takes in
// candidates and returns the arms that stay in the pool, nil where the search has ended.
func (s *gainSearch) price() (pool []int, err error) {
	defer try.Caught(&err)
	l := try.Of(s.allocate())
	gradient := try.Of(l.gradients(view{s.m.Gram(), s.m.Precision, l.arms}))
	most := slices.Max(gradient)
	if l.value > s.best.value {
		s.best.arms, s.best.weights, s.best.value = l.arms, l.weights, l.value
	}
	s.best.upper = min(s.best.upper, l.value+max(most-l.level, 0)+s.rounding)
	if s.best.upper <= s.best.value*(1+gainTolerance) || len(s.candidates) >= mostGainArms {
		return nil, nil
	}
	pool = indices.Where(len(gradient), func(i int) bool { return gradient[i] >= gainPool*most })
	return pool, s.extend(l, pool, indices.Of(gradient, pool))
}

// refine designs on candidates and takes arms in until none in the pool is worth it.
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

// allocate designs on the candidates, and lets go of candidates that get next to no weight.
func (s *gainSearch) allocate() (_ *located, err error) {
	defer try.Caught(&err)
	slices.Sort(s.candidates)
	among := try.Of(s.m.Among(s.candidates))
	factor := try.Of(kernels.PivotedCholesky(s.ctx, among, 0, 0))
	space := design.Space{Features: factor.L, Precision: indices.Of(s.m.Precision, s.candidates), Ridge: s.ridge}
	d := try.Of(design.InformationGain(space, design.Options{Tolerance: gainTolerance / 10, Context: s.ctx}))
	l := &located{gainSearch: s}
	for k, w := range d.Certificate.Weights { // whose gradient is the flattest
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

// extend takes in the arms in the pool whose gradient is most above the mean, of several that are alike
// given the allocation the first.
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
