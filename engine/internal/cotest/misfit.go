package cotest

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// misfit holds what CoTestFC allows for in rewards that the kernel cannot represent. With μ_i =
// φ_iᵀθ + u_i, an estimate Σ_k w_k ȳ_k of the gap of arms i and j is off on average by
//
//	Σ_k c_k u_k,  c = w - e_i + e_j.
//
// All numbers are normalised.
type misfit struct {
	most    float64 // |u_i| ≤ most: stated, or known of features that were cut at MaxRank
	allowed float64 // robust: subtracted for every unit of ‖c‖₂
	// estimated standard deviation of u: for leaders and sizes only, which touch no guarantee
	typical float64
	data    *model.Replicates // nil where neither was asked for
	fitted  []float64         // N: the kernel's estimates from all data
}

// misfitLevel is the level of the estimated misfit: the data reject every smaller one at 1 -
// misfitLevel, so that the estimate is too small half of the time if the model of it holds. On the
// paper's cases with perturbed rewards 0.7 takes a third fewer samples where the kernel fits, and
// errs in up to 4.7 % of the runs at δ = 5 % instead of 2.3 %; 0.9 errs in more than δ.
const misfitLevel = 0.5

// misfitOf reads the options.
func misfitOf(m *model.Model, opt model.Terms) (u misfit) {
	if m.Cut() {
		norm, err := m.Designs().NormOf(opt)
		if err != nil {
			try.To(fmt.Errorf("the kernel has a rank above %d on these %d arms, the limit for features. To bound the remainder, state norm, a "+
				"bound on the norm of the reward function: %w", m.Rank(), m.Problem.N(), err))
		}
		u.most = norm * math.Sqrt(m.Truncation)
	}
	u.most += opt.Misfit
	if opt.Misfit > 0 || opt.Robust {
		data := model.NewReplicates(m.Problem.N())
		u.data = &data
	}
	return u
}

// any reports whether rewards may be off the kernel.
func (u *misfit) any() bool { return u.most > 0 || u.data != nil }

// bias bounds |Σ c_k u_k|: most·‖c‖₁, and where u is estimated allowed·‖c‖₂.
func (u *misfit) bias(weights []float64, i, j int) float64 {
	var sum, square float64
	for k, w := range weights {
		switch k {
		case i:
			w--
		case j:
			w++
		}
		sum, square = sum+math.Abs(w), square+w*w
	}
	return u.most*sum + u.allowed*math.Sqrt(square)
}

// learn estimates the misfit from all data so far. Robust, a round allows for as many standard
// deviations of u as make Σ c_k u_k larger with probability alpha if u is normal.
func (u *misfit) learn(m *model.Model, b engine.Batch, robust bool, alpha float64) {
	if u.data == nil {
		return
	}
	u.data.Add(b)
	u.typical = u.sd(m, misfitLevel)
	if robust {
		u.allowed = distuv.UnitNormal.Quantile(1-alpha) * u.typical
	}
}

// sd returns the standard deviation of u at which a sum of squares as large as the data's has
// probability 1 - level; 0 if it has more without any. With u independent and normal the
// generalised sum of squares is χ² [Paule and Mandel 1982, Viechtbauer 2007].
func (u *misfit) sd(m *model.Model, level float64) float64 {
	scales, all := u.data.Scales(m)
	if !all {
		return 0
	}
	l := m.LeastSquares(*u.data, scales.Factor, 0)
	if l.Freedom == 0 {
		return 0
	}
	limit := distuv.ChiSquared{K: float64(l.Freedom)}.Quantile(level)
	if l.Sum <= limit {
		return 0
	}
	mean := lists.Sum(l.Weights, func(w float64) float64 { return 1 / w / float64(len(l.Weights)) })
	exceeds := func(g float64) bool { return m.LeastSquares(*u.data, scales.Factor, g).Sum > limit }
	lo, hi := 0.0, mean*l.Sum/limit
	for exceeds(hi) {
		lo, hi = hi, 4*hi
	}
	for hi-lo > 0.05*hi { // rounded up by 2.5 % at most
		if mid := (lo + hi) / 2; exceeds(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Sqrt(hi)
}
