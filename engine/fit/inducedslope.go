package fit

import (
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

func trsm(lower blas64.Triangular, x blas64.General) {
	blas64.Trsm(blas.Left, blas.NoTrans, 1, lower, x)
}

// slopes holds the derivatives of F by the entries of K_Sn, of K_SS and of N, and with those of the
// diagonal of K, -1/(2N_i), by everything. With B = K_SS⁻¹K_Sn, α = P y and M = B P they are
//
//	∂F/∂K_Sn = Bα αᵀ - M + B N⁻¹,  ∂F/∂K_SS = ½(M Bᵀ - Bα(Bα)ᵀ - B N⁻¹ Bᵀ),
//	∂F/∂N_i = ½(α_i² - P_ii + R_ii/N_i²),
//
// from dQ = dK_nS B + Bᵀ dK_Sn - Bᵀ dK_SS B and [RW06, eq. 5.9].
type slopes struct {
	cross  *mat.Dense // m × n
	corner *mat.Dense // m × m
	noise  []float64  // n
}

// slopes computes them. With LLᵀ = K_SS and A = I + ΦᵀN⁻¹Φ there is one product of O(n m²):
//
//	B N⁻¹ - M = L⁻ᵀ(I - A⁻¹)Φᵀ N⁻¹,  M Bᵀ - B N⁻¹ Bᵀ = L⁻ᵀ(2I - A - A⁻¹)L⁻¹,
//
// both before the levels are taken off M. noise is whether the derivatives by N are wanted.
func (g *process) slopes(noise bool) (*slopes, error) {
	l, n := g.low, len(g.d.y)
	m := len(l.arms)
	var lower, invertedLower mat.TriDense
	l.corner.LTo(&lower)
	if err := invertedLower.InverseTri(&lower); err != nil && !isCondition(err) {
		return nil, errSingular
	}
	upward := mat.DenseCopyOf(invertedLower.T()) // L⁻ᵀ
	var inner, inverse mat.SymDense
	l.inner.ToSym(&inner)
	if err := l.inner.InverseTo(&inverse); err != nil && !isCondition(err) {
		return nil, errSingular
	}
	left, middle := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil) // I - A⁻¹, 2I - A - A⁻¹
	for a := range m {
		for b := range m {
			left.Set(a, b, -inverse.At(a, b))
			middle.Set(a, b, -inner.At(a, b)-inverse.At(a, b))
		}
		left.Set(a, a, left.At(a, a)+1)
		middle.Set(a, a, middle.At(a, a)+2)
	}
	s := &slopes{cross: mat.NewDense(m, n, nil), corner: mat.NewDense(m, m, nil), noise: make([]float64, n)}
	var factor, half mat.Dense
	factor.Mul(upward, left)
	s.cross.Mul(&factor, l.features)
	half.Mul(upward, middle)
	s.corner.Mul(&half, upward.T())
	var projected, along mat.VecDense // Bα
	projected.MulVec(l.features, g.alpha)
	along.MulVec(upward, &projected)
	levels := mat.NewDense(m, n, nil)
	if g.half != nil {
		var seen, moved, solved, back mat.Dense
		seen.Mul(l.features, g.half)
		moved.Mul(upward, &seen) // B Σ⁻¹H
		_ = g.normal.SolveTo(&solved, g.half.T())
		levels.Mul(&moved, &solved)
		_ = g.normal.SolveTo(&back, moved.T())
		seen.Reset()
		seen.Mul(&moved, &back)
		s.corner.Sub(s.corner, &seen)
	}
	for a := range m {
		to, level := s.cross.RawRowView(a), levels.RawRowView(a)
		for i := range to {
			to[i] = to[i]/l.noise[i] + level[i] + along.AtVec(a)*g.alpha.AtVec(i)
		}
		row := s.corner.RawRowView(a)
		for b := range row {
			row[b] = 0.5 * (row[b] - along.AtVec(a)*along.AtVec(b))
		}
	}
	if noise {
		for i, v := range g.precisions() {
			al := g.alpha.AtVec(i)
			s.noise[i] = 0.5 * (al*al - v + l.rest[i]/(l.noise[i]*l.noise[i]))
		}
	}
	return s, nil
}

func isCondition(err error) bool {
	var c mat.Condition
	return errors.As(err, &c)
}

// inducedGradient returns what surface.gradient does.
func (s *surface) inducedGradient(g *process, values []float64) ([]float64, error) {
	at, err := g.slopes(s.noise || g.low.own > 0)
	if err != nil {
		return nil, err
	}
	noise := func(sigma float64) float64 {
		sum := 0.0
		for k, n := range s.d.count {
			sum += at.noise[k] * 2 * sigma / n
		}
		return sum
	}
	return s.eachSlope(values, noise, func(i int, up, down float64) (float64, error) {
		high, err := s.along(at, g, values, i, up)
		if err != nil {
			return 0, err
		}
		low, err := s.along(at, g, values, i, down)
		return (high - low) / (2 * difference), err
	})
}

// along returns the slopes times the kernel with number i at another value.
func (s *surface) along(at *slopes, g *process, values []float64, i int, value float64) (float64, error) {
	moved := append([]float64(nil), values...)
	moved[i] = value
	smooth, own, err := s.parts(moved, s.touches[i])
	if err != nil {
		return 0, err
	}
	cross, diagonal, err := s.cross(smooth, g.low.arms)
	if err != nil {
		return 0, err
	}
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
		sum += -0.5*v/g.low.noise[k] + at.noise[k]*own
	}
	return sum, nil
}
