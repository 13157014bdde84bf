package design

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// InformationGain returns the allocation with the largest information gain,
//
//	Υ = max_{λ ∈ simplex} log det(I + ξ⁻¹ Σ_i λ_i φ_i φ_iᵀ/σ_i²)   [Du23, Sec. 4.3]
//
// The bounds are Value ≤ Υ ≤ Upper. If the Status is Optimal, Upper/Value - 1 is at most the tolerance. If all features
// are zero, Υ = 0 and the Status is Trivial.
//
// This is D-optimal design with a ridge. The method is a primal-dual interior-point method with the exact Hessian,
// (φ_iᵀA⁻¹φ_j)²/(σ_i²σ_j²), on a working set of arms. Pricing computes the gradient g_i = φ_iᵀA⁻¹φ_i/σ_i² of all arms.
// Errors and panics are the same as in Minimax; ξ = 0 is also an error.
func InformationGain(s Space, opt Options) (d Design, err error) {
	defer try.Caught(&err)
	p := try.Of(newProblem(stopper{opt.Context}, s, Contrasts{}, nil))
	if s.Ridge == 0 {
		return Design{}, errNoRidge
	}
	if p.phi.Cols == 0 || slices.Max(p.root) == 0 {
		return trivial(p.phi.Rows), nil
	}
	g := newGain(p)
	g.best.Status = g.iterate(opt)
	g.best.Iterations = g.iterations
	if math.IsInf(g.best.Upper, 1) {
		return Design{}, errSingular
	}
	return g.best, nil
}

// gain is the state of one solve. It minimises -log det A(λ) over the simplex, with multipliers z ≥ 0 for λ ≥ 0 and ν for
// Σ λ_i = 1.
type gain struct {
	p    *problem
	arms []int
	in   []bool

	phi       blas64.General
	root      []float64
	lambda, z []float64
	nu        float64

	chol, w, matrix     blas64.General // W = diag(1/σ) Φ L^{-T}
	t1, t2              blas64.General
	g                   []float64 // gradient of each working arm
	rz, dl, dz, x0, one []float64

	all        blas64.General // whitened features of all arms
	allG       []float64
	best       Design
	iterations int
}

func newGain(p *problem) *gain {
	n := p.phi.Rows
	p.stop.claim(n, n*p.phi.Cols)
	g := &gain{p: p, in: make([]bool, n), allG: make([]float64, n), best: Design{Upper: math.Inf(1), Weights: make([]float64, n)}}
	g.best.Certificate.Weights = make([]float64, n)
	g.all = reshape(g.all, n, p.phi.Cols)
	g.arms, g.lambda = p.start()
	for _, i := range g.arms {
		g.in[i] = true
	}
	g.resize()
	return g
}

func (g *gain) resize() {
	n, r := len(g.arms), g.p.phi.Cols
	if n*n > cap(g.matrix.Data) {
		g.p.stop.claim(n, n*n, 2*n*r)
	}
	g.phi, g.root = g.p.restrict(g.arms, g.phi, g.root)
	g.w, g.matrix = reshape(g.w, n, r), reshape(g.matrix, n, n)
	g.chol = reshape(g.chol, r, r)
	g.t1, g.t2 = tile(g.t1, n), tile(g.t2, n)
	for _, x := range []*[]float64{&g.z, &g.g, &g.rz, &g.dl, &g.dz, &g.x0, &g.one} {
		*x = resize(*x, n)
	}
}

// iterate runs iterations until the certified gap is at most the tolerance, and returns the reason for its end.
func (g *gain) iterate(opt Options) Status {
	last, tolerance := math.Inf(1), opt.tolerance()
	for g.iterations = 1; ; g.iterations++ {
		g.p.stop.check()
		if !g.evaluate() {
			return Stalled
		}
		value := g.value()
		restricted := slices.Max(g.g) - dot(g.lambda, g.g)
		if g.iterations == 1 || len(g.arms) == g.p.phi.Rows || restricted < 0.3*max(last, tolerance*value) {
			last = g.price(value)
			if g.best.Upper <= g.best.Value*(1+tolerance) {
				return Optimal
			}
			if g.extend(last, restricted) && !g.evaluate() {
				return Stalled
			}
		}
		if g.iterations == 1 {
			g.center(max(restricted, 1e-3*value) / float64(len(g.arms)))
		} else if dot(g.lambda, g.z) < 0.01*tolerance*value {
			return Stalled
		}
		if g.iterations >= opt.limit() {
			return IterationLimit
		}
		if !g.step() {
			return Stalled
		}
	}
}

// evaluate computes the gradient at λ. It reports whether A is positive definite.
func (g *gain) evaluate() bool {
	if !information(g.p.stop, g.phi, g.root, g.lambda, g.p.ridge, g.w, g.chol) {
		return false
	}
	whiten(g.p.stop, g.phi, g.chol, g.w)
	for a := range g.g {
		scale(g.root[a], row(g.w, a))
		g.g[a] = dot(row(g.w, a), row(g.w, a))
	}
	return true
}

// value returns log det(A/ξ).
func (g *gain) value() float64 {
	total := 0.0
	for k := range g.chol.Rows {
		total += 2 * math.Log(g.chol.Data[k*g.chol.Stride+k])
	}
	return total - float64(g.chol.Rows)*math.Log(g.p.ridge)
}

// price computes the gradient of every arm and updates the best bounds. It returns the gap max g - λ·g: by concavity, the
// optimum is at most value plus this gap.
func (g *gain) price(value float64) float64 {
	whiten(g.p.stop, g.p.phi, g.chol, g.all)
	for i := range g.allG {
		g.allG[i] = dot(row(g.all, i), row(g.all, i)) * (g.p.root[i] * g.p.root[i])
	}
	gap := max(slices.Max(g.allG)-dot(g.lambda, g.g), 0)
	if value > g.best.Value {
		g.best.Value = value
		scatter(g.arms, g.lambda, g.best.Weights)
	}
	if value+gap < g.best.Upper {
		g.best.Upper = value + gap
		scatter(g.arms, g.lambda, g.best.Certificate.Weights)
	}
	return gap
}

// extend adds dissimilar arms whose gradient exceeds that of every working arm, the largest first, and moves the multipliers
// back towards the central path. It reports whether it added any.
func (g *gain) extend(gap, restricted float64) bool {
	top := slices.Max(g.g)
	order := ranking(len(g.allG), func(i int) (float64, bool) { return g.allG[i], !g.in[i] && g.allG[i] > top*(1+1e-12) })
	if len(order) == 0 {
		return false
	}
	joined := dissimilar(g.all, order, max(g.p.phi.Cols, len(g.arms)/8))
	mass := min(max(0.3*(gap-restricted)/top, 1e-4), 0.05)
	scale(1-mass, g.lambda)
	for _, k := range joined {
		i := order[k].arm
		g.in[i] = true
		g.arms = append(g.arms, i)
		g.lambda = append(g.lambda, mass/float64(len(joined)))
	}
	g.resize()
	for a := len(g.arms) - len(joined); a < len(g.arms); a++ {
		g.z[a] = 0
	}
	if g.iterations > 1 {
		g.center(max(0.3*gap, dot(g.lambda, g.z)) / float64(len(g.arms)))
	}
	return true
}

// center moves the multipliers to within a factor of 20 of the central path at mu.
func (g *gain) center(mu float64) {
	for a, l := range g.lambda {
		if g.iterations == 1 {
			g.z[a] = mu / l
		}
		g.z[a] = min(max(g.z[a], mu/l/20), 20*mu/l)
	}
	g.nu = dot(g.lambda, g.g) + float64(len(g.arms))*mu
}

// step makes one predictor-corrector step. It reports false if rounding prevents the step.
func (g *gain) step() bool {
	n := float64(len(g.arms))
	mu := dot(g.lambda, g.z) / n
	for i := range g.matrix.Rows {
		clear(row(g.matrix, i)[:i+1])
	}
	addProduct(g.p.stop, 1, g.w, g.w, g.t1, g.t2, g.matrix)
	for a := range g.matrix.Rows {
		d := &g.matrix.Data[a*g.matrix.Stride+a]
		*d += g.z[a]/g.lambda[a] + 1e-14**d
	}
	if !cholesky(g.p.stop, g.matrix) {
		return false
	}
	for a := range g.one {
		g.one[a] = 1
	}
	solve(g.matrix, g.one)

	aim(g.rz, 0, g.lambda, g.z, g.dl, g.dz, false)
	g.direction()
	primal, dual := min(1, boundary(g.lambda, g.dl)), min(1, boundary(g.z, g.dz))
	affine := 0.0
	for a := range g.dl {
		affine += (g.lambda[a] + primal*g.dl[a]) * (g.z[a] + dual*g.dz[a])
	}
	ratio := affine / (n * mu)
	sigma := min(max(ratio*ratio, 1e-3), 0.8)
	gap := slices.Max(g.g) - dot(g.lambda, g.g)
	sigma = max(sigma, min(0.5, 0.03*gap/(n*mu)))
	aim(g.rz, sigma*mu, g.lambda, g.z, g.dl, g.dz, true)
	g.direction()
	axpy(min(1, 0.95*boundary(g.lambda, g.dl)), g.dl, g.lambda)
	dual = min(1, 0.95*boundary(g.z, g.dz))
	axpy(dual, g.dz, g.z)
	g.nu += dual * (sum(g.x0) / sum(g.one))
	total := sum(g.lambda)
	if !(total > 0) || math.IsInf(total, 1) {
		return false
	}
	scale(1/total, g.lambda)
	return true
}

// direction solves the linearised optimality conditions -g - z + ν = 0, λ z = rz, Σ dλ = 0. It sets dl and dz.
func (g *gain) direction() {
	for a := range g.x0 {
		g.x0[a] = g.g[a] + g.z[a] - g.nu + g.rz[a]/g.lambda[a]
	}
	solve(g.matrix, g.x0)
	dnu := sum(g.x0) / sum(g.one)
	for a := range g.dl {
		g.dl[a] = g.x0[a] - dnu*g.one[a]
		g.dz[a] = (g.rz[a] - g.z[a]*g.dl[a]) / g.lambda[a]
	}
}
