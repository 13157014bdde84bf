package bounded

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/eigen"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// System holds the information about f in n means ȳ of one round. Let D = diag(σ_i²/n_i) be the variances of the means
// and v > 0 a prior variance. Ridge estimates use the inverse of A = K_ss + D/v. One decomposition gives this inverse
// for all v:
//
//	D^{-1/2} K_ss D^{-1/2} = Q Λ Qᵀ  gives  A⁻¹ = C (Λ + I/v)⁻¹ Cᵀ,  C = D^{-1/2} Q.
type System struct {
	Support []int     // n arms of the section
	Noise   []float64 // n: D, normalised

	lambda []float64  // n: Λ ≥ 0
	basis  *mat.Dense // n×n: C
}

// NewSystem returns the system of pulled arms. support holds their positions in the section, rows their kernel rows, and
// noise the variances of their means. It returns an error if ctx ends or memory does not suffice.
func NewSystem(ctx context.Context, support []int, rows [][]float64, noise []float64) (_ *System, err error) {
	defer try.Caught(&err)
	n := len(support)
	try.To(memlimit.Matrices(ctx, "the estimates of a round", 4, n, n))
	white := mat.NewSymDense(n, nil)
	for a := range n {
		for b := a; b < n; b++ {
			white.SetSym(a, b, rows[a][support[b]]/math.Sqrt(noise[a]*noise[b]))
		}
	}
	lambda, basis := try.Two(eigen.Decompose(ctx, white))
	for j, v := range lambda {
		lambda[j] = max(v, 0) // below 0 by rounding
	}
	for a := range n {
		floats.Scale(1/math.Sqrt(noise[a]), basis.RawRowView(a))
	}
	return &System{Support: support, Noise: noise, lambda: lambda, basis: basis}, nil
}

// Coordinates returns Cᵀx for each row x of values, which are functions on the support: t×n.
func (s *System) Coordinates(values *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Mul(values, s.basis)
	return &out
}

// Solve returns A⁻¹x for values x on the support and prior variance v.
func (s *System) Solve(x []float64, v float64) []float64 {
	var c mat.VecDense
	c.MulVec(s.basis.T(), mat.NewVecDense(len(x), x))
	for j, l := range s.lambda {
		c.SetVec(j, c.AtVec(j)/(l+1/v))
	}
	var out mat.VecDense
	out.MulVec(s.basis, &c)
	return out.RawVector().Data
}

// Weights returns A⁻¹x for each row Cᵀx of coordinates: t×n. v has the prior variance of each row.
func (s *System) Weights(coordinates *mat.Dense, v []float64) *mat.Dense {
	var scaled, out mat.Dense
	scaled.CloneFrom(coordinates)
	t, _ := scaled.Dims()
	for k := range t {
		row := scaled.RawRowView(k)
		for j, l := range s.lambda {
			row[j] /= l + 1/v[k]
		}
	}
	out.Mul(&scaled, s.basis.T())
	return &out
}

// Contrast is a gap f_b - f_x in the coordinates of a system, with the error of earlier estimates of the gap.
type Contrast struct {
	Values []float64 // n: Cᵀ(k_b - k_x)(s)
	Square float64   // ‖k_b - k_x‖²

	Before *Before // nil without earlier estimates
}

// Before is the error functional G of the earlier estimates, see Combined.
type Before struct {
	Values []float64 // n: CᵀG(s)
	Square float64   // ‖G‖²
	Cross  float64   // ⟨G, k_b - k_x⟩
}

// Family holds, for one prior variance v, the estimates pᵀȳ of a·(f_b - f_x) for all scales a. p minimises
//
//	v‖G + Σ p_i k_i - a(k_b - k_x)‖² + pᵀDp.
//
// The estimate thus corrects the bias G of earlier rounds as far as the correction is worth its variance. The variance
// pᵀDp and the squared norm of the new functional are quadratic in a.
type Family struct {
	variance, norm [3]float64 // coefficients of a², -2a and 1
	rounding       [3]float64 // bounds on the rounding error of norm, as coefficients of a², -2a and 1
}

// At returns the family of a contrast's estimates with prior variance v.
func (s *System) At(c Contrast, v float64) (f Family) {
	g := c.Before
	f.norm = [3]float64{c.Square, 0, 0}
	f.rounding = [3]float64{c.Square, 0, 0}
	if g != nil {
		f.norm[1], f.norm[2] = g.Cross, g.Square
		f.rounding[2] = g.Square
	}
	for j, l := range s.lambda {
		shrunk := 1 / (l + 1/v)
		square, seen := shrunk*shrunk, (l+2/v)*shrunk*shrunk
		y := c.Values[j]
		f.variance[0] += square * y * y
		f.norm[0] -= seen * y * y
		if g == nil {
			continue
		}
		b := g.Values[j]
		f.variance[1] += square * y * b
		f.variance[2] += square * b * b
		f.norm[1] -= seen * y * b
		f.norm[2] -= seen * b * b
	}
	top := lists.Max(s.lambda, func(l float64) float64 { return l })
	for k := range f.rounding {
		f.rounding[k] += top * math.Abs(f.variance[k])
	}
	return f
}

// digits bounds the rounding error of a squared norm, relative to the terms whose difference it is. A decomposition has an
// error of some units in the last place of its largest eigenvalue.
const digits = 1e-13

// Variance returns the variance of the estimate for scale a.
func (f Family) Variance(a float64) float64 { return max(quadratic(f.variance, a), 0) }

// Norm returns ‖G‖ after the estimate for scale a, rounded up.
func (f Family) Norm(a float64) float64 {
	slack := digits * (f.rounding[0]*a*a + 2*math.Abs(f.rounding[1]*a) + f.rounding[2])
	return math.Sqrt(max(quadratic(f.norm, a), 0) + slack)
}

// Scale returns the largest a at which the estimate has this variance. ok is false if there is no such a > 0.
func (f Family) Scale(variance float64) (a float64, ok bool) {
	q := f.variance
	if !(q[0] > 0) {
		return 0, false
	}
	root := q[1]*q[1] - q[0]*(q[2]-variance)
	if root < 0 {
		return 0, false
	}
	a = (q[1] + math.Sqrt(root)) / q[0]
	return a, a > 0 && !math.IsInf(a, 1)
}

func quadratic(c [3]float64, a float64) float64 { return c[0]*a*a - 2*c[1]*a + c[2] }

// Means returns the family of a times the difference of two arms' own means. variance is the sum of the variances of the
// two means. These estimates have no bias and correct no earlier one.
func Means(variance float64, c Contrast) (f Family) {
	f.variance[0] = variance
	if c.Before != nil {
		f.norm[2] = c.Before.Square
	}
	return f
}
