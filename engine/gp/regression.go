package gp

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

// Data has n observations y with mean Hβ.
type Data struct {
	Targets   []float64  // y
	Basis     *mat.Dense // H, n × q, the basis functions of the mean [RW06, sec. 2.7]; nil for the mean 0
	Precision float64    // prior precision of each coefficient, N(0, 1/Precision); 0 for a flat prior
}

// Regression is a Gaussian process conditioned on observations.
type Regression struct {
	Covariance
	Data
	Evidence     float64   // log p(y), nats
	Weights      []float64 // α = Σ⁻¹(y - Hβ̂)
	Coefficients []float64 // β̂

	solved *mat.Dense   // Σ⁻¹H
	inner  mat.Cholesky // of HᵀΣ⁻¹H + Λ
}

// New returns the regression for data d with covariance sigma, with weights and evidence. The q coefficients β are
// integrated out under their prior of precision Λ [RW06, eq. 2.43 to 2.45],
//
//	log p = -½ (rᵀΣ⁻¹r + Λ‖β̂‖² + log |Σ| + log |HᵀΣ⁻¹H + Λ| - q log Λ + n log 2π),  r = y - Hβ̂
//
// For a flat prior, log Λ is replaced by log 2π: the evidence is then the density of the components of y that do not
// depend on β. It returns ErrSingular if a matrix cannot be factored.
func New(d Data, sigma Covariance) (*Regression, error) {
	n := len(d.Targets)
	r := &Regression{Covariance: sigma, Data: d}
	residual := mat.NewVecDense(n, slices.Clone(d.Targets))
	r.Evidence = -0.5 * (sigma.LogDet() + float64(n)*math.Log(2*math.Pi))
	if d.Basis != nil {
		r.solved = sigma.Solve(d.Basis)
		var normal mat.Dense
		var beta, fitted mat.VecDense
		normal.Mul(d.Basis.T(), r.solved)
		q := normal.RawMatrix().Rows
		beta.MulVec(r.solved.T(), residual)
		if !r.inner.Factorize(symmetric.Add(symmetric.Make(q, normal.At), func(int) float64 { return d.Precision })) {
			return nil, ErrSingular
		}
		if symmetric.Solved(r.inner.SolveVecTo(&beta, &beta)) != nil {
			return nil, ErrSingular
		}
		fitted.MulVec(d.Basis, &beta)
		residual.SubVec(residual, &fitted)
		r.Coefficients = beta.RawVector().Data
		flat := 2 * math.Pi
		if d.Precision > 0 {
			flat = d.Precision
		}
		r.Evidence -= 0.5 * (d.Precision*mat.Dot(&beta, &beta) + r.inner.LogDet() - float64(q)*math.Log(flat))
	}
	alpha := sigma.Solve(residual).ColView(0)
	r.Weights = mat.Col(nil, 0, alpha)
	if r.Evidence -= 0.5 * mat.Dot(residual, alpha); math.IsNaN(r.Evidence) || math.IsInf(r.Evidence, 0) {
		return nil, ErrSingular
	}
	return r, nil
}

// Correction returns the n × q and q × n matrices S and T that account for uncertain coefficients β. With them, the
// inverse covariance of y is P = Σ⁻¹ - S T, where S = Σ⁻¹H and T = (HᵀΣ⁻¹H + Λ)⁻¹Sᵀ, and Py = α. It returns nil without a
// basis.
func (r *Regression) Correction() (s, t *mat.Dense) {
	if r.solved == nil {
		return nil, nil
	}
	t = new(mat.Dense)
	_ = r.inner.SolveTo(t, r.solved.T()) // the error is only a warning about the condition number
	return r.solved, t
}

// Precisions returns the diagonal of P, see Correction.
func (r *Regression) Precisions() []float64 {
	out := r.InverseDiagonal()
	if s, t := r.Correction(); s != nil {
		for i := range out {
			for j, v := range s.RawRowView(i) {
				out[i] -= v * t.At(j, i)
			}
		}
	}
	return out
}

// LeaveOneOut returns, for each observation, the mean and the variance of its prediction from all others. The variance
// includes the noise [RW06, eq. 5.12],
//
//	μ_i = y_i - α_i/P_ii,  σ_i² = 1/P_ii.
func (r *Regression) LeaveOneOut() (mean, variance []float64) {
	variance, mean = r.Precisions(), slices.Clone(r.Targets)
	for i, p := range variance {
		variance[i] = 1 / p
		mean[i] -= r.Weights[i] * variance[i]
	}
	return mean, variance
}

// Gradient returns the derivative W = ½(ααᵀ - P) of the evidence by the entries of Σ, which must be Dense: the evidence
// changes by tr W dΣ [RW06, eq. 5.9].
func (r *Regression) Gradient() *mat.SymDense {
	n := len(r.Weights)
	out, s, t := mat.NewSymDense(n, nil), (*mat.Dense)(nil), (*mat.Dense)(nil)
	out.ScaleSym(-0.5, r.Covariance.(*Dense).Inverse())
	out.SymRankOne(out, 0.5, mat.NewVecDense(n, r.Weights))
	if s, t = r.Correction(); s == nil {
		return out
	}
	for i := range n {
		row := out.RawSymmetric().Data[i*n+i : (i+1)*n]
		for j, v := range s.RawRowView(i) {
			floats.AddScaled(row, 0.5*v, t.RawRowView(j)[i:])
		}
	}
	return out
}

// NoiseGradient returns the derivatives of the evidence by the diagonal of Σ, ½(α_i² - P_ii).
func (r *Regression) NoiseGradient() []float64 {
	out := r.Precisions()
	for i, a := range r.Weights {
		out[i] = 0.5 * (a*a - out[i])
	}
	return out
}
