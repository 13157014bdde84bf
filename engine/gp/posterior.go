package gp

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
)

// Posterior is the law of the latent values f of N points given the observations: normal with the covariance RRᵀ + diag(Own²).
type Posterior struct {
	Mean []float64
	Root *mat.Dense // R, N × m
	Own  []float64
}

// Posterior returns the law of f_i = g_iᵀw + e_i, w ~ N(0, I), e_i ~ N(0, own_i), where g_i are the rows of features. Observation k is of
// the point at[k], y_k = φ_kᵀw + e_i + noise: own is part of the covariance's Noise D. With A = LLᵀ and c_k = own_i/D_k,
//
//	w | y ~ N(A⁻¹ΦD⁻¹y, A⁻¹) [RW06, eq. 2.8],  e_i | w, y ~ N(c_k (y_k - φ_kᵀw), own_i (1 - c_k)).
//
// It overwrites features and own.
func (c *LowRank) Posterior(ctx context.Context, features *mat.Dense, own []float64, at []int, y []float64) (*Posterior, error) {
	n, m := features.Dims()
	p := &Posterior{Mean: make([]float64, n), Root: features, Own: own}
	w, over := mat.NewVecDense(m, nil), mat.NewVecDense(len(y), nil)
	for k, i := range at {
		share := own[i] / c.Noise[k]
		p.Mean[i] = share * y[k]
		own[i] *= 1 - share
		row := features.RawRowView(i)
		for j := range row {
			row[j] -= share * c.Features.At(j, k)
		}
		over.SetVec(k, y[k]/c.Noise[k])
	}
	for i, v := range own {
		own[i] = math.Sqrt(v)
	}
	w.MulVec(c.Features, over)
	_ = c.Inner.SolveVecTo(w, w) // A is at least I: it only warns of a condition
	var shift mat.VecDense
	shift.MulVec(features, w)
	floats.Add(p.Mean, shift.RawVector().Data)
	var lower mat.TriDense
	c.Inner.LTo(&lower)
	return p, cores.Do(ctx, n, 256, func(from, to int) { // R = G L⁻ᵀ
		blas64.Trsm(blas.Right, blas.Trans, 1, lower.RawTriangular(), features.Slice(from, to, 0, m).(*mat.Dense).RawMatrix())
	})
}

// AddVariances adds the variances of all points to a list.
func (p *Posterior) AddVariances(to []float64) {
	for i, own := range p.Own {
		to[i] += own*own + floats.Dot(p.Root.RawRowView(i), p.Root.RawRowView(i))
	}
}

// AddCovariances adds the covariances of some points to a matrix.
func (p *Posterior) AddCovariances(to *mat.SymDense, points []int) {
	_, rank := p.Root.Dims()
	part := mat.NewDense(len(points), rank, nil)
	for k, i := range points {
		copy(part.RawRowView(k), p.Root.RawRowView(i))
		to.SetSym(k, k, to.At(k, k)+p.Own[i]*p.Own[i])
	}
	blas64.Syrk(blas.NoTrans, 1, part.RawMatrix(), 1, to.RawSymmetric())
}

// AddDifferences adds the variances of the values of points less another's to a list.
func (p *Posterior) AddDifferences(to []float64, points []int, from int) {
	other := p.Root.RawRowView(from)
	for k, i := range points {
		if i != from {
			square := floats.Distance(p.Root.RawRowView(i), other, 2)
			to[k] += p.Own[i]*p.Own[i] + p.Own[from]*p.Own[from] + square*square
		}
	}
}

// Draw fills a matrix with joint draws of all points, a row for each [RW06, sec. A.2].
func (p *Posterior) Draw(rng *rand.Rand, into *mat.Dense) {
	count, n := into.Dims()
	_, rank := p.Root.Dims()
	z := mat.NewDense(count, rank, nil)
	for i := range count {
		for j, row := 0, z.RawRowView(i); j < len(row); j++ {
			row[j] = rng.NormFloat64()
		}
	}
	into.Mul(z, p.Root.T())
	for i := range count {
		row := into.RawRowView(i)
		for j := range n {
			row[j] += p.Mean[j] + p.Own[j]*rng.NormFloat64()
		}
	}
}

// Cavity returns the law of a latent value without one of its observations, from the posterior N(mean, variance) that includes the
// observation y of variance noise [RW06, eq. 3.56],
//
//	σ₋² = (1/σ² - 1/s²)⁻¹,  μ₋ = σ₋² (μ/σ² - y/s²).
func Cavity(mean, variance, y, noise float64) (mean1, variance1 float64) {
	return (noise*mean - variance*y) / (noise - variance), noise * variance / (noise - variance)
}
