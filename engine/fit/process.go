package fit

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// process is a Gaussian process with its data: one covariance, factored.
type process struct {
	d        *data
	variance []float64 // of the noise of each mean
	chol     mat.Cholesky
	inverse  *mat.SymDense // Σ⁻¹, Σ = K + N
	contrast *mat.SymDense // P, see projected
	alpha    *mat.VecDense // Σ⁻¹ (y - H β̂)
	beta     []float64     // β̂, generalised least squares
	half     *mat.Dense    // Σ⁻¹ H
	normal   mat.Cholesky  // of Hᵀ Σ⁻¹ H
	low      *inducing     // in place of chol, inverse and contrast; nil where Σ is factored as it is

	likelihood float64 // log marginal likelihood of the means alone
}

var errSingular = errors.New("the covariance of the data is not positive definite; the noise is too small for this kernel")

// newProcess factors K + N and computes the likelihood,
//
//	log p = -½ rᵀ Σ⁻¹ r - ½ log det Σ - ½ log det Hᵀ Σ⁻¹ H - (n-q)/2 log 2π,  r = y - H β̂,
//
// in which the q levels β are integrated out under a flat prior [RW06, eq. 2.45]: it is the
// density of all that does not depend on them, whatever the kernel says of levels.
func newProcess(d *data, gram mat.Symmetric, variance []float64) (*process, error) {
	n := len(d.y)
	sigma := mat.NewSymDense(n, nil)
	sigma.CopySym(gram)
	for i, v := range variance {
		sigma.SetSym(i, i, sigma.At(i, i)+v)
	}
	g := &process{d: d, variance: variance}
	if !g.chol.Factorize(sigma) {
		return nil, errSingular
	}
	residual := mat.NewVecDense(n, append([]float64(nil), d.y...))
	if d.levels != nil {
		if err := g.level(residual); err != nil {
			return nil, err
		}
	}
	g.alpha = mat.NewVecDense(n, nil)
	if g.chol.SolveVecTo(g.alpha, residual) != nil && math.IsInf(g.chol.Cond(), 1) {
		return nil, errSingular
	}
	g.likelihood = -0.5*mat.Dot(residual, g.alpha) - 0.5*g.chol.LogDet() - 0.5*float64(n-len(g.beta))*math.Log(2*math.Pi)
	if g.half != nil {
		g.likelihood -= 0.5 * g.normal.LogDet()
	}
	if math.IsNaN(g.likelihood) || math.IsInf(g.likelihood, 0) {
		return nil, errSingular
	}
	return g, nil
}

// level estimates β and takes H β̂ off the residual.
func (g *process) level(residual *mat.VecDense) error {
	_, q := g.d.levels.Dims()
	if g.low != nil {
		var err error
		if g.half, err = g.low.solve(g.d.levels); err != nil {
			return err
		}
	} else {
		g.half = new(mat.Dense)
		if err := g.chol.SolveTo(g.half, g.d.levels); err != nil && g.chol.Cond() > 1e15 {
			return errSingular
		}
	}
	normal := mat.NewSymDense(q, nil)
	right := mat.NewVecDense(q, nil)
	right.MulVec(g.half.T(), residual)
	var product mat.Dense
	product.Mul(g.d.levels.T(), g.half)
	for i := range q {
		for j := i; j < q; j++ {
			normal.SetSym(i, j, product.At(i, j))
		}
	}
	if !g.normal.Factorize(normal) {
		return errSingular
	}
	beta := mat.NewVecDense(q, nil)
	if err := g.normal.SolveVecTo(beta, right); err != nil && g.normal.Cond() > 1e15 {
		return errSingular
	}
	var fitted mat.VecDense
	fitted.MulVec(g.d.levels, beta)
	residual.SubVec(residual, &fitted)
	g.beta = beta.RawVector().Data
	return nil
}

// invert computes Σ⁻¹ once.
func (g *process) invert() *mat.SymDense {
	if g.inverse == nil {
		g.inverse = mat.NewSymDense(len(g.d.y), nil)
		_ = g.chol.InverseTo(g.inverse) // it only ever warns of a condition, which is reported
	}
	return g.inverse
}

// slope returns the derivative of the likelihood along a change of the covariance,
//
//	½ αᵀ dΣ α - ½ tr(P dΣ)  [RW06, eq. 5.9, with P for Σ⁻¹].
func (g *process) slope(change *mat.SymDense) float64 {
	inverse := g.projected().RawSymmetric()
	raw := change.RawSymmetric()
	a := g.alpha.RawVector().Data
	sum := 0.0
	for i := range raw.N {
		row, own := raw.Data[i*raw.Stride:i*raw.Stride+raw.N], inverse.Data[i*inverse.Stride:i*inverse.Stride+raw.N]
		sum += 0.5 * row[i] * (a[i]*a[i] - own[i])
		for j := i + 1; j < raw.N; j++ {
			sum += row[j] * (a[i]*a[j] - own[j])
		}
	}
	return sum
}

// projected returns P = Σ⁻¹ - Σ⁻¹ H (Hᵀ Σ⁻¹ H)⁻¹ Hᵀ Σ⁻¹, for which P y = α.
func (g *process) projected() *mat.SymDense {
	switch {
	case g.half == nil:
		return g.invert()
	case g.contrast != nil:
		return g.contrast
	}
	p := mat.NewSymDense(len(g.d.y), nil)
	p.CopySym(g.invert())
	g.contrast = p
	var solved, outer mat.Dense
	_ = g.normal.SolveTo(&solved, g.half.T())
	outer.Mul(g.half, &solved)
	for i := range p.SymmetricDim() {
		for j := i; j < p.SymmetricDim(); j++ {
			p.SetSym(i, j, p.At(i, j)-outer.At(i, j))
		}
	}
	return p
}

// precisions returns the diagonal of P.
func (g *process) precisions() []float64 {
	if g.low == nil {
		return diagonalOf(g.projected())
	}
	out := g.low.inverseDiagonal()
	if g.half == nil {
		return out
	}
	var solved mat.Dense
	_ = g.normal.SolveTo(&solved, g.half.T())
	for i := range out {
		for j, v := range g.half.RawRowView(i) {
			out[i] -= v * solved.At(j, i)
		}
	}
	return out
}

// inverseDiagonal returns the diagonal of Σ⁻¹.
func (g *process) inverseDiagonal() []float64 {
	if g.low == nil {
		return diagonalOf(g.invert())
	}
	return g.low.inverseDiagonal()
}

func diagonalOf(m *mat.SymDense) []float64 {
	out := make([]float64, m.SymmetricDim())
	for i := range out {
		out[i] = m.At(i, i)
	}
	return out
}

// condition returns the condition number of the covariance, or along inducing arms a bound: the largest eigenvalue of
// Q + N is at most A's times the largest noise, and the smallest at least the least noise.
func (g *process) condition() float64 {
	if g.low == nil {
		return g.chol.Cond()
	}
	least, most := math.Inf(1), 0.0
	for _, v := range g.low.noise {
		least, most = min(least, v), max(most, v)
	}
	return mat.Trace(innerOf(g.low)) * most / least
}

func innerOf(l *inducing) *mat.SymDense {
	var out mat.SymDense
	l.inner.ToSym(&out)
	return &out
}
