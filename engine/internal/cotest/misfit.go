package cotest

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// misfit bounds the deviations u_i of rewards from what the kernel can represent, μ_i = φ_iᵀθ + u_i. An estimate Σ_k
// w_k ȳ_k of the gap of arms i and j then has the bias
//
//	Σ_k c_k u_k,  c = w - e_i + e_j.
//
// All numbers are normalised.
type misfit struct {
	most float64 // |u_i| ≤ most: the stated bound plus a bound for features that were cut at MaxRank
	// standard deviation of u if it is uniform within the stated bound: used only for leaders and sizes of rounds, on
	// which the guarantee does not depend
	typical float64
	fitted  []float64 // N: the kernel's estimates from all data
}

// misfitOf returns the bounds from the options, and from the norm if features were cut at MaxRank.
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

// any reports whether rewards may deviate from the kernel.
func (u *misfit) any() bool { return u.most > 0 }

// stated reports whether Options.Misfit states that rewards may deviate from the kernel.
func (u *misfit) stated() bool { return u.typical > 0 }

// bias returns the bound most·‖c‖₁ on |Σ c_k u_k|. weights is w, with one element per arm.
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
