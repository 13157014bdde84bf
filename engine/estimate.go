package engine

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Estimator is the kernelised estimator of one round [Du23, eq. (2), (3)],
// built from the counts alone and applied to the means:
//
//	θ̂ = (Nξ I + Σ N_i φ_iφ_iᵀ/σ_i²)⁻¹ Σ N_i φ_i ȳ_i/σ_i²
//
// In the exact feature space of a Model this equals the paper's form with the
// Gram matrix, k_r(x̃)ᵀ(K^(r) + Nξ I)⁻¹ȳ^(r), at O(N m²) instead of O(N³).
type Estimator struct {
	total      []float64 // N: N_i/σ_i², normalised
	pulls      int
	unit       float64 // reward units of one normalised unit
	shrink     float64 // Nξ
	chol       mat.Cholesky
	white      *mat.Dense // Φ L⁻ᵀ with LLᵀ = A: rows w_i, ‖w_i - w_j‖² = ‖φ_i - φ_j‖²_{A⁻¹}
	solved     *mat.Dense // Φ A⁻¹, for the bias
	hidden     *mat.Dense // each arm's part along the directions that no pull measured; nil when ξ is well above 0 or there are none
	truncation float64    // Model.Truncation
}

// NewEstimator factors the information matrix of the counts. Where Nξ vanishes
// beside the largest eigenvalue it works in the directions that were measured
// and keeps each arm's part outside them, which Bias accounts for: nothing is
// decided along a direction that was not measured unless ‖θ*‖ bounds it.
func NewEstimator(m *Model, ridge float64, counts []int) (*Estimator, error) {
	total := 0
	for _, c := range counts {
		total += c
	}
	if total == 0 {
		return nil, errors.New("no pulls, nothing to estimate from")
	}
	n, dim := m.Features.Dims()
	weighted := make([]float64, n)
	e := &Estimator{total: weighted, pulls: total, unit: m.Unit, shrink: float64(total) * ridge, truncation: m.Truncation}
	for i, c := range counts {
		weighted[i] = float64(c) * m.Precision[i]
	}
	info := gramOf(m.Features, weighted)
	for j := 0; j < dim; j++ {
		info.SetSym(j, j, info.At(j, j)+e.shrink)
	}
	if e.shrink <= negligible*largestDiagonal(info) {
		e.fillUnmeasured(m.Features, info)
	}
	if !e.chol.Factorize(info) {
		return nil, fmt.Errorf("the information matrix of %d pulls is not positive definite at xi = %g; a larger xi mends it", total, ridge)
	}
	var lower mat.TriDense
	e.chol.LTo(&lower)
	e.white = mat.DenseCopyOf(m.Features)
	solveLowerTransposed(e.white, &lower)
	var inverse mat.SymDense
	if err := e.chol.InverseTo(&inverse); err != nil && !isCondition(err) {
		return nil, fmt.Errorf("inverting the information matrix of %d pulls: %w", total, err)
	}
	e.solved = mat.NewDense(n, dim, nil)
	e.solved.Mul(m.Features, &inverse)
	return e, nil
}

// negligible is the eigenvalue, relative to the largest, below which a
// direction counts as not measured: rounding errors of a Cholesky factor reach it.
const negligible = 1e-12

func largestDiagonal(a *mat.SymDense) float64 {
	var largest float64
	for j := 0; j < a.SymmetricDim(); j++ {
		largest = max(largest, a.At(j, j))
	}
	return largest
}

// fillUnmeasured finds the directions of negligible information, keeps the arms'
// parts along them, and adds a multiple of the identity there so that the factor
// exists; the filling adds next to nothing to variances and estimates.
func (e *Estimator) fillUnmeasured(features *mat.Dense, info *mat.SymDense) {
	dim := info.SymmetricDim()
	var eig mat.EigenSym
	if !eig.Factorize(info, true) {
		return // not finite: the Cholesky factorisation that follows says so
	}
	values := eig.Values(nil) // ascending
	top := values[dim-1]
	null := 0
	for null < dim && values[null] <= negligible*top {
		null++
	}
	if null == 0 {
		return
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	for k := 0; k < null; k++ {
		info.SymRankOne(info, top-values[k], vectors.ColView(k))
	}
	e.hidden = new(mat.Dense)
	e.hidden.Mul(features, vectors.Slice(0, dim, 0, null))
}

// size is the number of floats held, for the memory bound of Model.
func (e *Estimator) size() int {
	if e == nil {
		return 0
	}
	n, dim := e.white.Dims()
	return n + 3*n*dim + 2*dim*dim // hidden, where there is one, is at most N × m
}

// Estimates returns the estimated reward of every arm, N values, normalised,
// from mean rewards in reward units. Means of arms with count 0 are ignored.
func (e *Estimator) Estimates(means []float64) []float64 {
	n, dim := e.white.Dims()
	weighted := mat.NewVecDense(n, nil)
	for i, c := range e.total {
		if c > 0 {
			weighted.SetVec(i, c*means[i]/e.unit)
		}
	}
	projected := mat.NewVecDense(dim, nil)
	projected.MulVec(e.white.T(), weighted)
	out := mat.NewVecDense(n, nil)
	out.MulVec(e.white, projected)
	return out.RawVector().Data
}

// Variance is ‖φ_i - φ_j‖²_{A⁻¹} with A = Nξ I + Σ N φφᵀ/σ², normalised, in the
// directions that were measured.
func (e *Estimator) Variance(i, j int) float64 {
	return squaredDistance(e.white.RawRowView(i), e.white.RawRowView(j))
}

// Bias bounds how far the estimated difference of arms i and j can be off on
// average, normalised, when ‖θ*‖ ≤ norm: by regularisation,
//
//	|Nξ yᵀA⁻¹θ*| ≤ Nξ ‖A⁻¹y‖ ‖θ*‖,
//
// the sharp form of the last step in the proof of [Du23, Lemma 1], by what was
// not measured (+Inf when norm is 0, that is unknown) and by truncated features.
func (e *Estimator) Bias(i, j int, norm float64) float64 {
	var bias float64
	if e.shrink > 0 {
		bias = e.shrink * norm * math.Sqrt(squaredDistance(e.solved.RawRowView(i), e.solved.RawRowView(j)))
	}
	if e.hidden != nil {
		part := squaredDistance(e.hidden.RawRowView(i), e.hidden.RawRowView(j))
		if norm == 0 && part > unseen {
			return math.Inf(1)
		}
		bias += norm * math.Sqrt(part)
	}
	if e.truncation > truncated {
		bias += 2 * norm * math.Sqrt(e.truncation)
	}
	return bias
}

// lever is Σ_k |w_k|, where the estimated difference of arms i and j is Σ_k w_k ȳ_k: how
// far rewards that are each off by one can move it.
func (e *Estimator) lever(i, j int) float64 {
	var sum float64
	for _, w := range e.weights(i, j) {
		sum += math.Abs(w)
	}
	return sum
}

// weights are N numbers w with Σ_k w_k ȳ_k the estimated difference of arms i and j.
func (e *Estimator) weights(i, j int) []float64 {
	a, b := e.white.RawRowView(i), e.white.RawRowView(j)
	out := make([]float64, len(e.total))
	for k, c := range e.total {
		if c == 0 {
			continue
		}
		var dot float64
		for l, v := range e.white.RawRowView(k) {
			dot += v * (a[l] - b[l])
		}
		out[k] = c * dot
	}
	return out
}

const (
	unseen    = 1e-12 // squared length of a difference, beyond the rounding of eigenvectors
	truncated = 1e-9  // residual that only a factor cut at MaxRank leaves
)

func squaredDistance(a, b []float64) float64 {
	var sum float64
	for k, v := range a {
		d := v - b[k]
		sum += d * d
	}
	return sum
}
