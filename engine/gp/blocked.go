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
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

// Block is a part of latent values that some points have to themselves.
type Block struct {
	Points []int
	Cov    *mat.SymDense // B
}

// Blocked is the prior f_i = g_iᵀw + b_i, w ~ N(0, I), whose parts b are independent from block to block: K = GGᵀ + diag(B_1, B_2, …).
// Its cost is linear in the number of blocks.
type Blocked struct {
	Features *mat.Dense // G, N × m
	Blocks   []Block    // each point is in one of them
	Observed *mat.Dense // features of the observations, a row for each; nil if they have those of their points
}

// BlockedPosterior is the law of the latent values f of N points given the observations: normal with the covariance RRᵀ, and beside it
// TTᵀ within each block.
type BlockedPosterior struct {
	Mean   []float64
	Root   *mat.Dense // R, N × m
	Points [][]int    // of each block
	Roots  []*mat.Dense
}

// Posterior returns the law of f given y_k = f_i + noise, i = at[k], and log p(y). In each block, with S = B + N = LLᵀ at the observed
// points, C the covariances of all its points with these, X = L⁻¹G, z = L⁻¹y and T = CL⁻ᵀ,
//
//	w | y ~ N(A⁻¹ΣXᵀz, A⁻¹),  A = I + ΣXᵀX,  b | w, y ~ N(T(z - Xw), B - TTᵀ),
//	log p = -½ (Σzᵀz - (ΣXᵀz)ᵀA⁻¹ΣXᵀz + Σ log |S| + log |A| + n log 2π) [RW06, eq. 2.8, A.9 and A.10].
//
// It overwrites Features.
func (b *Blocked) Posterior(ctx context.Context, at []int, y, noise []float64) (_ *BlockedPosterior, evidence float64, err error) {
	n, m := b.Features.Dims()
	p := &BlockedPosterior{Mean: make([]float64, n), Root: b.Features}
	place := make([]int, n) // of points among the observations, from 1
	for k, i := range at {
		place[i] = k + 1
	}
	inner, right := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	evidence = -0.5 * float64(len(at)) * math.Log(2*math.Pi)
	for _, block := range b.Blocks {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		var seen []int // positions within the block
		for k, i := range block.Points {
			if place[i] > 0 {
				seen = append(seen, k)
			}
		}
		size, count := len(block.Points), len(seen)
		rest := mat.NewSymDense(size, nil)
		rest.CopySym(block.Cov)
		if count > 0 {
			s := symmetric.Make(count, func(k, l int) float64 { return block.Cov.At(seen[k], seen[l]) })
			symmetric.Add(s, func(k int) float64 { return noise[place[block.Points[seen[k]]]-1] })
			of, err := NewDense(s)
			if err != nil {
				return nil, 0, err
			}
			x, z, t := mat.NewDense(count, m, nil), mat.NewVecDense(count, nil), mat.NewDense(size, count, nil)
			for k, a := range seen {
				i := block.Points[a]
				row := b.Features.RawRowView(i)
				if b.Observed != nil {
					row = b.Observed.RawRowView(place[i] - 1)
				}
				copy(x.RawRowView(k), row)
				z.SetVec(k, y[place[i]-1])
				for l := range size {
					t.Set(l, k, block.Cov.At(l, a))
				}
			}
			blas64.Trsm(blas.Left, blas.Trans, 1, of.Upper, x.RawMatrix())
			blas64.Trsv(blas.Trans, of.Upper, z.RawVector())
			blas64.Trsm(blas.Right, blas.NoTrans, 1, of.Upper, t.RawMatrix())
			blas64.Syrk(blas.Trans, 1, x.RawMatrix(), 1, inner.RawSymmetric())
			blas64.Gemv(blas.Trans, 1, x.RawMatrix(), z.RawVector(), 1, right.RawVector())
			blas64.Syrk(blas.NoTrans, -1, t.RawMatrix(), 1, rest.RawSymmetric())
			var along mat.Dense
			along.Mul(t, x)
			for k, i := range block.Points {
				p.Mean[i] = floats.Dot(t.RawRowView(k), z.RawVector().Data)
				floats.Sub(b.Features.RawRowView(i), along.RawRowView(k))
			}
			evidence -= 0.5 * (mat.Dot(z, z) + of.LogDet())
		}
		p.Points, p.Roots = append(p.Points, block.Points), append(p.Roots, rootOf(rest))
	}
	var chol mat.Cholesky
	if !chol.Factorize(symmetric.Add(inner, func(int) float64 { return 1 })) {
		return nil, 0, ErrSingular
	}
	w := mat.NewVecDense(m, nil)
	_ = chol.SolveVecTo(w, right) // A is at least I: it only warns of a condition
	evidence += 0.5 * (mat.Dot(w, right) - chol.LogDet())
	var shift mat.VecDense
	shift.MulVec(b.Features, w)
	floats.Add(p.Mean, shift.RawVector().Data)
	var lower mat.TriDense
	chol.LTo(&lower)
	return p, evidence, cores.Do(ctx, n, 256, func(from, to int) { // R = G L⁻ᵀ
		blas64.Trsm(blas.Right, blas.Trans, 1, lower.RawTriangular(), b.Features.Slice(from, to, 0, m).(*mat.Dense).RawMatrix())
	})
}

// AddVariances adds the variances of all points to a list.
func (p *BlockedPosterior) AddVariances(to []float64) {
	for b, points := range p.Points {
		for k, i := range points {
			common, own := p.Root.RawRowView(i), p.Roots[b].RawRowView(k)
			to[i] += floats.Dot(common, common) + floats.Dot(own, own)
		}
	}
}

// Draw fills a matrix with joint draws of all points, a row for each.
func (p *BlockedPosterior) Draw(rng *rand.Rand, into *mat.Dense) {
	count, _ := into.Dims()
	_, rank := p.Root.Dims()
	z := mat.NewDense(count, rank, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
	into.Mul(z, p.Root.T())
	for row := range count {
		floats.Add(into.RawRowView(row), p.Mean)
	}
	for b, points := range p.Points {
		own := make([]float64, len(points))
		for row := range count {
			to := into.RawRowView(row)
			for k, i := range points {
				own[k] = rng.NormFloat64()
				to[i] += floats.Dot(p.Roots[b].RawRowView(k)[:k+1], own[:k+1])
			}
		}
	}
}

// rootOf returns a lower triangular T with TTᵀ = C. Rounding may make eigenvalues of C negative: a pivot that is next to nothing beside its
// variance counts as 0.
func rootOf(c *mat.SymDense) *mat.Dense {
	const nothing = 1e-14
	n := c.SymmetricDim()
	t := mat.NewDense(n, n, nil)
	for i := range n {
		row := t.RawRowView(i)
		for j := range i {
			if d := t.At(j, j); d > 0 {
				row[j] = (c.At(i, j) - floats.Dot(row[:j], t.RawRowView(j)[:j])) / d
			}
		}
		if square := c.At(i, i) - floats.Dot(row[:i], row[:i]); square > nothing*c.At(i, i) {
			row[i] = math.Sqrt(square)
		}
	}
	return t
}
