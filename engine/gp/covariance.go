package gp

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/upper"
)

// ErrSingular is returned if a covariance cannot be factored.
var ErrSingular = errors.New("the covariance of the measurements is not positive definite. The noise is too small for this kernel")

// Covariance is the covariance Σ of n observations, after factorization.
type Covariance interface {
	Solve(x mat.Matrix) *mat.Dense // Σ⁻¹x
	LogDet() float64               // log |Σ|
	Cond() float64                 // the condition number of Σ, or a bound on it
	InverseDiagonal() []float64    // the diagonal of Σ⁻¹
}

// Dense is a covariance factored as a whole, Σ = UᵀU, in O(n³) operations [RW06, sec. A.4].
type Dense struct {
	Upper   blas64.Triangular // U
	norm    float64           // the largest sum of a row of Σ
	inverse *mat.SymDense
}

// rowByRow is the number of observations up to which the factor is computed row by row, which is then faster on one core.
const rowByRow = 320

// NewDense factors a covariance in place. It returns ErrSingular if sigma is not positive definite.
func NewDense(sigma *mat.SymDense) (*Dense, error) {
	raw := sigma.RawSymmetric()
	d := &Dense{norm: lapack64.Lansy(mat.CondNorm, raw, make([]float64, raw.N))}
	factor := lapack64.Potrf
	if raw.N <= rowByRow {
		factor = upper.Cholesky
	}
	var ok bool
	if d.Upper, ok = factor(raw); !ok {
		return nil, ErrSingular
	}
	return d, nil
}

// Solve returns Σ⁻¹x = U⁻¹U⁻ᵀx.
func (d *Dense) Solve(x mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(x)
	if raw := out.RawMatrix(); raw.Cols == 1 { // faster than Trsm on one column
		blas64.Trsv(blas.Trans, d.Upper, vector(raw.Data))
		blas64.Trsv(blas.NoTrans, d.Upper, vector(raw.Data))
		return out
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, d.Upper, out.RawMatrix())
	blas64.Trsm(blas.Left, blas.NoTrans, 1, d.Upper, out.RawMatrix())
	return out
}

// LogDet returns log |Σ| = 2 Σ_i log U_ii [RW06, eq. A.18].
func (d *Dense) LogDet() (sum float64) {
	for i := range d.Upper.N {
		sum += 2 * math.Log(d.Upper.Data[i*d.Upper.Stride+i])
	}
	return sum
}

// Cond returns an estimate of the condition number of Σ.
func (d *Dense) Cond() float64 {
	n := d.Upper.N
	factor := blas64.Symmetric{N: n, Stride: d.Upper.Stride, Data: d.Upper.Data, Uplo: blas.Upper}
	return 1 / lapack64.Pocon(factor, d.norm, make([]float64, 3*n), make([]int, n))
}

// Inverse returns Σ⁻¹, which is computed once.
func (d *Dense) Inverse() *mat.SymDense {
	if d.inverse == nil {
		u := d.Upper
		u.Data = slices.Clone(u.Data)
		raw, _ := lapack64.Potri(u) // Potri fails only for a zero on the diagonal of U
		d.inverse = mat.NewSymDense(u.N, nil)
		d.inverse.SetRawSymmetric(raw)
	}
	return d.inverse
}

// InverseDiagonal returns the diagonal of Σ⁻¹.
func (d *Dense) InverseDiagonal() []float64 {
	return lists.Make(d.Upper.N, func(i int) float64 { return d.Inverse().At(i, i) })
}

// LowRank is the covariance Σ = ΦᵀΦ + D with m features and a diagonal D. It is factored by A = I + ΦD⁻¹Φᵀ, in O(n m²)
// operations.
type LowRank struct {
	Features *mat.Dense   // Φ, m × n
	Noise    []float64    // D
	Inner    mat.Cholesky // of A
}

// NewLowRank factors the covariance ΦᵀΦ + D. features is Φ, m × n, and noise has the diagonal of D.
func NewLowRank(features *mat.Dense, noise []float64) (*LowRank, error) {
	c := &LowRank{Features: features, Noise: noise}
	inner := mat.NewSymDense(features.RawMatrix().Rows, nil)
	inner.SymOuterK(1, OverRoot(features, noise))
	if !c.Inner.Factorize(symmetric.Add(inner, func(int) float64 { return 1 })) {
		return nil, ErrSingular
	}
	return c, nil
}

// OverRoot returns x with column i divided by the root of variance[i].
func OverRoot(x mat.Matrix, variance []float64) *mat.Dense {
	out := mat.DenseCopyOf(x)
	roots := lists.Map(variance, func(v float64) float64 { return 1 / math.Sqrt(v) })
	for a := range out.RawMatrix().Rows {
		floats.Mul(out.RawRowView(a), roots)
	}
	return out
}

// Solve returns Σ⁻¹x = D⁻¹x - D⁻¹Φᵀ A⁻¹ ΦD⁻¹x [RW06, eq. A.9].
func (c *LowRank) Solve(x mat.Matrix) *mat.Dense {
	over := mat.DenseCopyOf(x)
	for i, v := range c.Noise {
		floats.Scale(1/v, over.RawRowView(i))
	}
	var along, back mat.Dense
	along.Mul(c.Features, over)
	_ = c.Inner.SolveTo(&along, &along) // A is at least I, so the error is only a warning about the condition number
	back.Mul(c.Features.T(), &along)
	for i, v := range c.Noise {
		floats.AddScaled(over.RawRowView(i), -1/v, back.RawRowView(i))
	}
	return over
}

// LogDet returns log |Σ| = log |A| + log |D| [RW06, eq. A.10].
func (c *LowRank) LogDet() float64 { return c.Inner.LogDet() + lists.Sum(c.Noise, math.Log) }

// Cond returns an upper bound on the condition number: Σ is at most tr A times the largest D_i, and at least the smallest
// D_i.
func (c *LowRank) Cond() float64 {
	var inner mat.SymDense
	c.Inner.ToSym(&inner)
	return mat.Trace(&inner) * slices.Max(c.Noise) / slices.Min(c.Noise)
}

// InverseDiagonal returns the diagonal of Σ⁻¹, 1/D_i - ‖L⁻¹φ_i‖²/D_i² with A = LLᵀ.
func (c *LowRank) InverseDiagonal() []float64 {
	white, out := mat.DenseCopyOf(c.Features), lists.Map(c.Noise, func(v float64) float64 { return 1 / v })
	SolveLower(&c.Inner, white)
	for a := range white.RawMatrix().Rows {
		for i, v := range white.RawRowView(a) {
			out[i] -= v * v / (c.Noise[i] * c.Noise[i])
		}
	}
	return out
}

// SolveLower replaces x by L⁻¹x, where LLᵀ is the factored matrix.
func SolveLower(c *mat.Cholesky, x *mat.Dense) {
	var lower mat.TriDense
	c.LTo(&lower)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, lower.RawTriangular(), x.RawMatrix())
}
