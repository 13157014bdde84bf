package model

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// dualForm evaluates designs from values of the kernel alone, without features, by Woodbury's identity: with
// S the arms of weight λ > 0, D = diag(λ_i/σ_i²) and v_i = L⁻¹k_S(x̃_i) for LLᵀ = K_SS + ξD⁻¹,
//
//	φ_iᵀA⁻¹φ_j = (k_ij - v_iᵀv_j)/ξ.
type dualForm struct {
	m     *Model
	gram  *mat.Dense
	ridge float64
	white *mat.Dense // v_i: N × |S|
}

func newDualForm(t *testing.T, m *Model, gram *mat.Dense, ridge float64, weights []float64) *dualForm {
	t.Helper()
	var support []int
	for i, w := range weights {
		if w > 0 {
			support = append(support, i)
		}
	}
	n, s := len(weights), len(support)
	k, cross := mat.NewSymDense(s, nil), mat.NewDense(s, n, nil)
	for a, i := range support {
		for b, j := range support[:a+1] {
			k.SetSym(a, b, gram.At(i, j))
		}
		k.SetSym(a, a, k.At(a, a)+ridge/(weights[i]*m.Precision[i]))
		cross.SetRow(a, gram.RawRowView(i))
	}
	var factor mat.Cholesky
	if !factor.Factorize(k) {
		t.Fatal("the kernel on the support is not positive definite")
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	var white mat.Dense
	try.To(white.Solve(&lower, cross))
	return &dualForm{m, gram, ridge, mat.DenseCopyOf(white.T())}
}

// product returns φ_iᵀA⁻¹φ_j.
func (d *dualForm) product(i, j int) float64 {
	return (d.gram.At(i, j) - Dot(d.white.RawRowView(i), d.white.RawRowView(j))) / d.ridge
}

// largest returns the largest variance over all contrasts.
func (d *dualForm) largest(c design.Contrasts) float64 {
	own := make([]float64, len(d.m.Precision))
	for i := range own {
		own[i] = d.product(i, i)
	}
	top := 0.0
	for _, q := range c.Pairs {
		top = max(top, q.Weight*(own[q.I]+own[q.J]-2*d.product(q.I, q.J)))
	}
	for _, g := range c.Groups {
		for a, i := range g {
			for _, j := range g[:a] {
				top = max(top, own[i]+own[j]-2*d.product(i, j))
			}
		}
	}
	return top
}

// lower returns the dual bound at the weights of the form and u on the pairs of a certificate: with
// f = Σ u_p‖y_p‖²_{A⁻¹} and g_i = Σ u_p(φ_iᵀA⁻¹y_p)²/σ_i², no allocation over any arms has a largest variance
// below f²/(Σu (f - λᵀg + max g)).
func (d *dualForm) lower(c design.Certificate) float64 {
	f, total := 0.0, 0.0
	g := make([]float64, len(c.Weights))
	for k, q := range c.Pairs {
		u := c.Dual[k] * q.Weight
		f += u * (d.product(q.I, q.I) + d.product(q.J, q.J) - 2*d.product(q.I, q.J))
		total += c.Dual[k]
		for i := range g {
			v := d.product(i, q.I) - d.product(i, q.J)
			g[i] += u * v * v * d.m.Precision[i]
		}
	}
	help, top := 0.0, 0.0
	for i, v := range g {
		help, top = help+c.Weights[i]*v, max(top, v)
	}
	return f / total * f / (f - help + top)
}

// ρ_1, ρ* and ω of 3,000 arms by values of the kernel alone: the largest variance of all pairs at the
// weights found, and the dual bound over all arms. Both ends shown have to hold for them.
func TestManyByValues(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	const n, xi = 3000, 1e-3
	m := many(t, n)
	gram := mat.NewDense(n, n, nil)
	for i := range n {
		m.Gram().Row(gram.RawRowView(i), i)
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	rivals := try.Of(m.Truth().Rivals(0.1))
	for name, c := range map[string]design.Contrasts{
		"rho_1": {Groups: m.Problem.Groups()}, "omega": {Groups: [][]int{all}}, "rho_star": rivals,
	} {
		got := try.Of(m.Designs().Certified(xi, c))
		ridge := m.Normalised(xi)
		value := newDualForm(t, m, gram, ridge, got.Weights).largest(c)
		lower := newDualForm(t, m, gram, ridge, got.Certificate.Weights).lower(got.Certificate)
		t.Logf("%s: by exchange %.6g to %.6g, by values %.6g to %.6g", name, got.Lower, got.Value, lower, value)
		const rounding = 1e-6
		if value > got.Value*(1+rounding) || lower < got.Lower*(1-rounding) || lower > value*(1+rounding) {
			t.Errorf("%s: an end does not hold", name)
		}
		if got.Value > 1.04*value || got.Value > 1.06*lower || math.IsNaN(value) {
			t.Errorf("%s: the ends are wide", name)
		}
	}
}
