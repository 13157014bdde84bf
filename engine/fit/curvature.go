package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// limits returns, for each free number, "min" or "max" if its value is at that limit, and "" otherwise.
func (s *surface) limits(values []float64) []string {
	return lists.Make(len(values), func(i int) string {
		switch least, most := s.free[i].Limits(); values[i] {
		case least:
			return "min"
		case most:
			return "max"
		}
		return ""
	})
}

// scaled returns the derivative of the log likelihood by each free number, measured on the number's scale. That is its
// logarithm if the number is logarithmic, and the number itself otherwise.
func (s *surface) scaled(g *process, values []float64) ([]float64, error) {
	slope, err := s.gradient(g, values)
	if err != nil {
		return nil, err
	}
	for i, f := range s.free {
		if share := 1 / (1 + math.Exp(-f.To(values[i]))); share > 0 && share < 1 {
			slope[i] /= share * (1 - share) * width(f.Free)
		}
	}
	return slope, nil
}

// width returns the distance between the limits of f on its scale.
func width(f kernels.Free) float64 {
	least, most := f.Limits()
	return distance(f, least, most)
}

// moved returns value moved by a distance on the scale of f, but within the limits.
func moved(f kernels.Free, value, by float64) float64 {
	least, most := f.Limits()
	if f.Logarithmic() {
		return min(max(value*math.Exp(by), least), most)
	}
	return min(max(value+by, least), most)
}

// distance returns the distance from a to b on the scale of f; it is negative if b < a.
func distance(f kernels.Free, a, b float64) float64 {
	if f.Logarithmic() {
		return math.Log(b / a)
	}
	return b - a
}

// curve is the step of the differences of the gradient: on the logarithm, or as a fraction of the distance between the
// limits.
const curve = 1e-3

// standardErrors returns the standard errors of the free numbers, on their scales: roots of the diagonal of the inverse of
// the observed information. It returns 0 for numbers at a limit and for numbers that the data do not determine.
func (s *surface) standardErrors(values []float64, limits []string) ([]float64, error) {
	out := make([]float64, len(values))
	information, inner, err := s.information(values, limits)
	if err != nil || information == nil {
		return out, err
	}
	for r, v := range variances(information) {
		out[inner[r]] = math.Sqrt(v)
	}
	return out, nil
}

// information returns the observed information, which is minus the Hessian of the log likelihood, for the numbers that are
// not at a limit. inner has the indices of these numbers. It returns nil if there are none, or if the likelihood cannot be
// computed near the values.
func (s *surface) information(values []float64, limits []string) (information *mat.SymDense, inner []int, err error) {
	inner = indices.Where(len(limits), func(i int) bool { return limits[i] == "" })
	if len(inner) == 0 {
		return nil, nil, nil
	}
	if !s.dense {
		if err := s.fix(values); err != nil {
			return nil, nil, err
		}
		defer func() { s.inducing = nil }()
	}
	rows := mat.NewDense(len(inner), len(inner), nil)
	for r, i := range inner {
		row, err := s.hessianRow(values, i)
		if err != nil {
			if stopped(err) {
				return nil, nil, err
			}
			return nil, nil, nil
		}
		rows.SetRow(r, indices.Of(row, inner))
	}
	return symmetric.Make(len(inner), func(r, c int) float64 { return -(rows.At(r, c) + rows.At(c, r)) / 2 }), inner, nil
}

// flat is an eigenvalue of the information relative to the largest: directions with a smaller one have no information. An
// example is two scales of one term, where only their product matters. `part` is the component of a number in such a
// direction above which the number is not determined.
const (
	flat = 1e-7
	part = 0.05
)

// variances returns the diagonal of the inverse of the information, computed from its eigenvectors. It returns 0 for
// numbers that are not determined.
func variances(information *mat.SymDense) []float64 {
	out := make([]float64, information.SymmetricDim())
	var eigen mat.EigenSym
	if !eigen.Factorize(information, true) {
		return out
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	eigenvalues := eigen.Values(nil)
	most := eigenvalues[len(eigenvalues)-1]
	for i := range out {
		for j, v := range eigenvalues {
			share := vectors.At(i, j)
			if v > flat*most {
				out[i] += share * share / v
			} else if math.Abs(share) > part {
				out[i] = 0
				break
			}
		}
	}
	return out
}

// hessianRow returns the row of the Hessian for number i, by a central difference of the scaled gradient.
func (s *surface) hessianRow(values []float64, i int) (_ []float64, err error) {
	defer try.Caught(&err)
	f := s.free[i].Free
	step := curve
	if !f.Logarithmic() {
		step *= width(f)
	}
	var slopes [2][]float64
	var at [2]float64
	for side, by := range []float64{-step, step} {
		there := slices.Clone(values)
		there[i] = moved(f, values[i], by)
		at[side] = there[i]
		g := try.Of(s.process(there))
		slopes[side] = try.Of(s.scaled(g, there))
	}
	return lists.Make(len(values), func(j int) float64 { return (slopes[1][j] - slopes[0][j]) / distance(f, at[0], at[1]) }), nil
}

// slopes has the derivatives of F by the entries of K_Sn, of K_SS and of N. The derivatives by the diagonal of K are
// -1/(2N_i). Let B = K_SS⁻¹K_Sn and α = P y, with P of gp.Regression.Correction. Then
//
//	C = ∂F/∂K_Sn = B (ααᵀ - P + N⁻¹),  ∂F/∂K_SS = -½ C Bᵀ,  ∂F/∂N_i = ½(α_i² - P_ii + R_ii/N_i²)
//
// This follows from dQ = dK_nS B + Bᵀ dK_Sn - Bᵀ dK_SS B and [RW06, eq. 5.9].
type slopes struct {
	cross  *mat.Dense // ∂F/∂K_Sn, m × n
	corner *mat.Dense // ∂F/∂K_SS, m × m
	noise  []float64  // ∂F/∂N_i, n values; nil if the caller does not need them
}

// slopes computes the derivatives. With LLᵀ = K_SS and A = I + ΦN⁻¹Φᵀ, the difference B(N⁻¹ - Σ⁻¹) is L⁻ᵀ(I - A⁻¹)ΦN⁻¹.
func (g *process) slopes() (*slopes, error) {
	l := g.low
	m := len(l.arms)
	var inverse mat.SymDense
	if err := symmetric.Solved(l.Inner.InverseTo(&inverse)); err != nil {
		return nil, gp.ErrSingular
	}
	inverse.ScaleSym(-1, &inverse)
	s := &slopes{cross: new(mat.Dense), corner: mat.NewDense(m, m, nil)}
	s.cross.Mul(symmetric.Add(&inverse, func(int) float64 { return 1 }), l.Features)
	var along mat.VecDense
	along.MulVec(l.Features, mat.NewVecDense(len(g.Weights), g.Weights))
	right := mat.NewDense(m, len(g.Weights), nil)
	if half, solved := g.Correction(); half != nil {
		var seen mat.Dense
		seen.Mul(l.Features, half)
		right.Mul(&seen, solved)
	}
	for a := range m {
		to, level := s.cross.RawRowView(a), right.RawRowView(a)
		for i := range to {
			to[i] = to[i]/l.Noise[i] + level[i] + along.AtVec(a)*g.Weights[i]
		}
	}
	var lower mat.TriDense
	l.corner.LTo(&lower)
	upward := func(x *mat.Dense) {
		blas64.Trsm(blas.Left, blas.Trans, 1, lower.RawTriangular(), x.RawMatrix())
	}
	upward(s.cross)
	var products mat.Dense // ΦCᵀ
	products.Mul(l.Features, s.cross.T())
	upward(&products)
	s.corner.Scale(-0.5, products.T())
	return s, nil
}

// along returns the inner product of the derivatives `at` with the kernel at the given values. It uses only the terms
// marked in some.
func (s *surface) along(at *slopes, g *process, values []float64, some []bool) (_ float64, err error) {
	defer try.Caught(&err)
	smooth, own := try.Two(s.parts(values, some))
	cross, diagonal := try.Two(s.cross(smooth, g.low.arms))
	sum := 0.0
	for a := range g.low.arms {
		row, corner := cross.RawRowView(a), at.corner.RawRowView(a)
		for k, v := range at.cross.RawRowView(a) {
			sum += v * row[k]
		}
		for b, j := range g.low.arms {
			sum += corner[b] * row[j]
		}
	}
	for k, v := range diagonal {
		change := -0.5 * v / g.low.Noise[k]
		if at.noise != nil {
			change += at.noise[k] * own
		}
		sum += change
	}
	return sum, nil
}
