package design

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// interior is a primal-dual interior-point method (Mehrotra's predictor and corrector). With n arms and K contrasts, it
// solves
//
//	minimise t  subject to  h_p(λ) + s_p = t, s ≥ 0, λ ≥ 0, Σ λ_i = 1
//
// Here h_p(λ) = ‖y_p‖²_{A(λ)⁻¹} is convex, and ∂h_p/∂λ_i = -E_ip with E_ip = ρ_i(φ_iᵀA⁻¹y_p)². The multipliers are u_p
// ≥ 0 of the contrasts (Σ u_p = 1 at the optimum), z ≥ 0 of λ ≥ 0, and ν of the simplex. On the central path, s_p u_p =
// μ and λ_i z_i = μ.
//
// Iterations reuse the memory; more is allocated only if the working sets have grown.
type interior struct {
	ridge float64
	stop  stopper

	// The restricted problem.
	phi   blas64.General // features of the arms: n × r
	root  []float64      // n: their 1/σ
	delta blas64.General // contrasts y_p: K × r
	fixed []float64      // K: constant part of each variance, independent of the weights; nil means 0

	// The iterate.
	lambda, z []float64 // n
	s, u      []float64 // K
	t, nu     float64

	// Quantities at the iterate, set by evaluate.
	chol    blas64.General // L, A = L Lᵀ
	v       blas64.General // φ_i L^{-T}
	y       blas64.General // y_p L^{-T}
	m       blas64.General // Σ u_p y_p y_pᵀ, whitened
	h       []float64      // K: variance of each contrast, ‖y_p‖²_{A⁻¹} + fixed_p
	g       []float64      // n: gradients Σ_p u_p E_ip
	lambdaG float64        // λ·g
	f       float64        // Σ u_p h_p

	centred bool // whether the last step was a nearly full step to the central path
	large   large

	newton
}

// size allocates the matrices and vectors for n arms, K = k contrasts and r coordinates.
func (s *interior) size(n, k, r int) {
	if n*k > cap(s.e.Data) || n*n > cap(s.matrix.Data) {
		s.stop.claim(n, 2*n*k, n*n, 2*n*r, 2*k*r)
	}
	s.chol, s.m = reshape(s.chol, r, r), reshape(s.m, r, r)
	s.v, s.y = reshape(s.v, n, r), reshape(s.y, k, r)
	for _, x := range []*[]float64{&s.h, &s.rs, &s.ds, &s.du, &s.w} {
		*x = resize(*x, k)
	}
	for _, x := range []*[]float64{&s.g, &s.rz, &s.dl, &s.dz, &s.x0, &s.z0, &s.z1, &s.a} {
		*x = resize(*x, n)
	}
	s.vm, s.ym = reshape(s.vm, n, r), reshape(s.ym, k, r)
	s.e, s.scaled, s.matrix = reshape(s.e, n, k), reshape(s.scaled, n, k), reshape(s.matrix, n, n)
	s.tile, s.tile2 = tile(s.tile, n), tile(s.tile2, n)
}

// resize returns x with length n. It keeps the values of x.
func resize(x []float64, n int) []float64 {
	if cap(x) < n {
		return append(make([]float64, 0, n+n/4), x...)[:n]
	}
	return x[:n]
}

// evaluate computes h, g and the other quantities at (λ, u). It reports whether A is positive definite.
func (s *interior) evaluate() bool {
	if s.large.on {
		if !s.large.information(s.stop, s.phi, s.root, s.lambda, s.ridge, s.chol) {
			return false
		}
	} else if !information(s.stop, s.phi, s.root, s.lambda, s.ridge, s.v, s.chol) {
		return false
	}
	s.whiten(s.phi, s.v)
	s.whiten(s.delta, s.y)
	for p := range s.h {
		s.h[p] = dot(row(s.y, p), row(s.y, p))
		if s.fixed != nil {
			s.h[p] += s.fixed[p]
		}
	}
	s.weigh()
	return !math.IsNaN(s.f)
}

// whiten sets v = x L⁻ᵀ, where L is the factor of A.
func (s *interior) whiten(x, v blas64.General) {
	if s.large.on {
		s.stop.check()
		timesTriangle(x, s.large.inverse, v)
		return
	}
	whiten(s.stop, x, s.chol, v)
}

// weigh computes the quantities that depend on the dual weights u: the matrix m, g, lambdaG and f.
func (s *interior) weigh() {
	if s.large.on {
		s.large.moment(s.stop, s.y, s.u, s.m)
		pull(s.stop, blas.Trans, s.v, s.m, s.root, s.vm, s.g) // m is symmetric
	} else {
		moment(s.stop, s.y, s.u, s.ym, s.m)
		pull(s.stop, blas.NoTrans, s.v, s.m, s.root, s.vm, s.g)
	}
	s.lambdaG, s.f = dot(s.lambda, s.g), dot(s.u, s.h)
}

// gap returns the relative duality gap of the restricted problem at the iterate.
func (s *interior) gap() float64 {
	return largest(s.h)/lowerBound(s.f, s.lambdaG, largest(s.g), sum(s.u)) - 1
}

// complementarity returns s·u + λ·z, which is the duality gap of a feasible iterate.
func (s *interior) complementarity() float64 { return dot(s.s, s.u) + dot(s.lambda, s.z) }

// mu returns the average complementarity μ.
func (s *interior) mu() float64 { return s.complementarity() / float64(len(s.u)+len(s.lambda)) }

// center sets t, s and ν to the central path at μ, for the present λ and h: t solves Σ_p μ/(t - h_p) = 1. It moves the
// multipliers u and z to within a factor of 20 of the path; with fresh, it sets them to the path.
func (s *interior) center(mu float64, fresh bool) {
	high := largest(s.h)
	lo, hi := high+mu, high+mu*float64(len(s.h))
	for range 100 {
		s.t = lo + (hi-lo)/2
		total := 0.0
		for _, h := range s.h {
			total += mu / (s.t - h)
		}
		if total > 1 {
			lo = s.t
		} else {
			hi = s.t
		}
		if hi-lo <= 1e-12*hi {
			break
		}
	}
	s.t = hi
	pullTo := func(x *float64, target float64) {
		if fresh {
			*x = target
		}
		*x = min(max(*x, target/20), target*20)
	}
	for p, h := range s.h {
		s.s[p] = s.t - h
		pullTo(&s.u[p], mu/s.s[p])
	}
	for i, l := range s.lambda {
		pullTo(&s.z[i], mu/l)
	}
	s.weigh()
	s.nu = s.lambdaG + float64(len(s.lambda))*mu
}

// step makes one predictor-corrector step. It reports false if rounding prevents the step.
//
// Mehrotra's centring σ = (μ_aff/μ)² is raised if the certified gap is far larger than μ suggests. The iterate is then far
// from the central path, and a smaller μ would only push it against the boundary. If it is so far that Newton's linear
// model fails, the step only recentres, and no weight more than doubles. This happens if A is nearly singular at the
// optimum. After a full recentring step, a large gap only means a weak certificate at this μ, and the method continues.
func (s *interior) step() bool {
	count := float64(len(s.u) + len(s.lambda))
	mu := s.mu()
	astray := 0.03 * s.gap() * s.t / (count * mu)
	if !s.assemble() {
		return false
	}
	if astray > 1 && !s.centred {
		primal, dual := s.recentring(mu)
		for i, d := range s.dl {
			primal = min(primal, s.lambda[i]/math.Abs(d))
		}
		s.centred = min(primal, dual) > 0.9
		return s.move(primal, dual)
	}
	s.centred = false
	s.target(0, false)
	s.direction()
	primal, dual := s.lengths(1)
	affine := s.along(primal, dual) / (count * mu)
	sigma := max(min(max(affine*affine, 1e-3), 0.8), min(0.5, astray))

	s.target(sigma*mu, true)
	s.direction()
	fraction := 0.9
	if sigma < 2e-3 {
		fraction = 0.99
	}
	primal, dual = s.lengths(fraction)
	if min(primal, dual) < 0.2 { // the second-order term was wrong by too much
		primal, dual = s.recentring(0.5 * mu)
	}
	return s.move(primal, dual)
}

// recentring computes the direction towards complementarity μ and returns the step lengths.
func (s *interior) recentring(mu float64) (primal, dual float64) {
	s.target(mu, false)
	s.direction()
	return s.lengths(0.9)
}

// target sets the right-hand sides rs and rz for complementarity μ. With corrected, they include the second-order term of
// the present direction.
func (s *interior) target(mu float64, corrected bool) {
	aim(s.rs, mu, s.s, s.u, s.ds, s.du, corrected)
	aim(s.rz, mu, s.lambda, s.z, s.dl, s.dz, corrected)
}

// aim sets r to the right-hand side for x z = μ, where dx and dz are the present direction, used if corrected is set.
func aim(r []float64, mu float64, x, z, dx, dz []float64, corrected bool) {
	for i := range r {
		r[i] = mu - x[i]*z[i]
		if corrected {
			r[i] -= dx[i] * dz[i]
		}
	}
}

// along returns the complementarity that remains after a step of the given lengths.
func (s *interior) along(primal, dual float64) float64 {
	total := 0.0
	for p := range s.s {
		total += (s.s[p] + primal*s.ds[p]) * (s.u[p] + dual*s.du[p])
	}
	for i := range s.lambda {
		total += (s.lambda[i] + primal*s.dl[i]) * (s.z[i] + dual*s.dz[i])
	}
	return total
}

// move makes the step and rescales λ to sum 1, since rounding changes the sum. It reports false if a number is not finite.
func (s *interior) move(primal, dual float64) bool {
	axpy(primal, s.dl, s.lambda)
	axpy(primal, s.ds, s.s)
	s.t += primal * s.dt
	axpy(dual, s.du, s.u)
	axpy(dual, s.dz, s.z)
	s.nu += dual * s.dnu
	total := sum(s.lambda)
	if !(total > 0) || math.IsInf(total, 1) || math.IsNaN(s.t) {
		return false
	}
	scale(1/total, s.lambda)
	return true
}
