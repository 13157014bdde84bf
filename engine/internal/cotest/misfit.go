package cotest

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// misfit bounds how far rewards may be from what the kernel can represent. With μ_i =
// φ_iᵀθ + u_i, an estimate Σ_k w_k ȳ_k of the gap of arms i and j is off on average by
//
//	Σ_k c_k u_k,  c = w - e_i + e_j.
//
// All numbers are normalised.
type misfit struct {
	most float64 // |u_i| ≤ most: stated, or known of features that were cut at MaxRank
	// standard deviation of u if it is uniform within the stated bound: for leaders and sizes only, which touch no guarantee
	typical float64
	fitted  []float64 // N: the kernel's estimates from all data
}

// misfitOf reads the options.
func misfitOf(m *model.Model, opt model.Terms) (u misfit) {
	if m.Cut() {
		norm, err := m.Designs().NormOf(opt)
		if err != nil {
			try.To(fmt.Errorf("on these %d arms the rank of the kernel exceeds the limit of %d features. To bound the remainder, state norm, a "+
				"bound on the norm of the reward function: %w", m.Problem.N(), m.Rank(), err))
		}
		u.most = norm * math.Sqrt(m.Truncation)
	}
	u.most += opt.Misfit
	u.typical = opt.Misfit / math.Sqrt(3)
	return u
}

// any reports whether rewards may be off the kernel.
func (u *misfit) any() bool { return u.most > 0 }

// stated reports whether its user states that rewards may be off the kernel.
func (u *misfit) stated() bool { return u.typical > 0 }

// bias bounds |Σ c_k u_k| by most·‖c‖₁.
func (u *misfit) bias(weights []float64, i, j int) float64 {
	sum := 0.0
	for k, w := range weights {
		switch k {
		case i:
			w--
		case j:
			w++
		}
		sum += math.Abs(w)
	}
	return u.most * sum
}
