package model

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Estimator is the kernelised estimator of one round [Du23, eq. (2), (3)]. It is computed from the counts alone, and
// then applied to mean rewards ȳ:
//
//	θ̂ = (Nξ I + Σ N_i φ_iφ_iᵀ/σ_i²)⁻¹ Σ N_i φ_i ȳ_i/σ_i²
//
// In the exact feature space of a Model this equals the paper's form with the Gram matrix, k_r(x̃)ᵀ(K^(r) + Nξ
// I)⁻¹ȳ^(r). It takes O(N m²) operations (paper: O(N³)), where each block of the features is factored separately.
type Estimator struct {
	Total  []float64 // N: N_i/σ_i², normalised
	Pulls  int
	unit   float64    // reward units of one normalised unit
	shrink float64    // Nξ
	White  *mat.Dense // Φ L⁻ᵀ with LLᵀ = A: rows w_i, ‖w_i - w_j‖² = ‖φ_i - φ_j‖²_{A⁻¹}
	solved *mat.Dense // Φ A⁻¹, for the bias; nil if ξ = 0
	// each arm's features along unmeasured directions; nil if ξ is well above 0 or all directions are measured
	hidden     *mat.Dense
	sizes      []float64   // N: ‖φ_i‖²; nil if hidden is nil
	root       float64     // √Scale: converts a norm in kernel units to units of the features
	rest       []float64   // N: length of φ_i outside the span of the pulled arms; nil if they span all
	truncation float64     // squared length that truncated features omit; 0 if they are not truncated
	precision  float64     // sum of Total
	level      float64     // prior mean of all rewards, normalised
	parts      *gp.Blocks  // covariances within groups, added to those of White; nil if there are none
	groups     *gp.Blocked // White and parts of a posterior in groups; nil otherwise
	dual       conditioned // posterior on the pulled arms, used without White; nil otherwise
	within     *Within     // data within blocks, used without means; nil otherwise
}

// NewEstimator returns the estimator for counts, the number of pulls per arm. If Nξ is negligible compared with the
// largest eigenvalue, the estimator uses the measured directions only. It keeps each arm's part in the other directions
// for Bias, so no decision uses an unmeasured direction unless ‖θ*‖ is bounded. It returns an error if there are no pulls,
// if memory is short or if the context ends.
func NewEstimator(m *Model, ridge float64, counts []int) (_ *Estimator, err error) {
	defer try.Caught(&err)
	total := lists.Total(counts)
	if total == 0 {
		return nil, errNoPulls
	}
	if ridge == 0 && m.apartOnly {
		return onMeans(m, counts, total), nil
	}
	if ridge > 0 && m.Many() {
		return onPulled(m, ridge, counts)
	}
	m = try.Of(m.Exact())
	n, dim := m.Features.Dims()
	ctx, matrices := m.Context(), 2 // the whitened features and a copy
	if ridge > 0 {
		matrices = 3
	}
	try.To(memlimit.Matrices(ctx, "the estimator", matrices, n, dim))
	e := &Estimator{
		Total: make([]float64, n), Pulls: total, unit: m.Unit, shrink: float64(total) * m.Normalised(ridge),
		White: mat.NewDense(n, dim, nil), root: math.Sqrt(m.Scale),
	}
	if m.cut {
		e.truncation = m.Truncation / m.Scale
	}
	if e.shrink > 0 {
		e.solved = mat.NewDense(n, dim, nil)
	}
	for i, c := range counts {
		e.Total[i] = float64(c) * m.Precision[i]
		e.precision += e.Total[i]
	}
	parts := make([]information, len(m.Layout.Blocks))
	top := 0.0
	for k, b := range m.Layout.Blocks {
		parts[k] = try.Of(newInformation(ctx, m.Features, b, e.Total, e.shrink))
		top = max(top, parts[k].norm)
	}
	if top == 0 { // pulled arms without features measure no direction
		top = 1
	}
	var hidden []hiddenPart
	for k := range parts {
		part := &parts[k]
		if len(part.Columns) == 0 {
			continue
		}
		if e.shrink <= negligible*top && !part.measured(top) {
			more := try.Of(part.fill(ctx, top))
			hidden = append(hidden, more...)
		}
		if !part.factored && !part.chol.Factorize(part.matrix) {
			return nil, fmt.Errorf("the information matrix of %d pulls is not positive definite at xi = %g; give a larger xi", total, ridge)
		}
		if err := part.finish(ctx, e); err != nil {
			return nil, fmt.Errorf("inverting the information matrix of %d pulls: %w", total, err)
		}
	}
	e.hide(hidden, m)
	return e, nil
}

// hide stores the arms' features along the unmeasured directions: one column per direction.
func (e *Estimator) hide(parts []hiddenPart, m *Model) {
	if len(parts) == 0 {
		return
	}
	n, _ := e.White.Dims()
	e.sizes = lists.Make(n, func(i int) float64 { return SquaredNorm(m.Features.RawRowView(i)) })
	e.hidden = mat.NewDense(n, len(parts), nil)
	for k, part := range parts {
		for a, i := range part.arms {
			e.hidden.Set(i, k, part.values[a])
		}
	}
}

// Floats returns how many numbers the estimator stores, for the size limit of a Memory.
func (e *Estimator) Floats() int {
	if e == nil {
		return 0
	}
	if e.dual != nil {
		return len(e.Total) + e.dual.floats()
	}
	n, dim := e.White.Dims()
	size := n + n*dim + len(e.rest)
	for _, x := range []*mat.Dense{e.solved, e.hidden} {
		if x != nil {
			_, columns := x.Dims()
			size += n * columns
		}
	}
	return size
}

// Estimates returns the estimated rewards of all arms, N values, normalised. means has N mean rewards in reward units; it
// is ignored for arms with count 0.
func (e *Estimator) Estimates(means []float64) []float64 {
	if e.dual != nil {
		return e.dual.estimates(e.level, e.normalised(means))
	}
	if e.within != nil {
		return e.within.estimates(e.White)
	}
	n, dim := e.White.Dims()
	weighted := mat.NewVecDense(n, nil)
	for i, c := range e.Total {
		if c > 0 {
			weighted.SetVec(i, c*(means[i]/e.unit-e.level))
		}
	}
	projected := mat.NewVecDense(dim, nil)
	projected.MulVec(e.White.T(), weighted)
	out := mat.NewVecDense(n, nil)
	out.MulVec(e.White, projected)
	if e.parts != nil {
		e.parts.AddTimes(out.RawVector().Data, weighted.RawVector().Data)
	}
	if e.level != 0 {
		for i := range n {
			out.SetVec(i, out.AtVec(i)+e.level)
		}
	}
	return out.RawVector().Data
}

// Variance returns the variance of the estimated difference of arms i and j in the measured directions, normalised: ‖φ_i -
// φ_j‖²_{A⁻¹} with A = Nξ I + Σ N φφᵀ/σ².
func (e *Estimator) Variance(i, j int) float64 {
	if e.dual != nil {
		return e.dual.variance(i, j)
	}
	return squaredDistance(e.White.RawRowView(i), e.White.RawRowView(j)) + differenceVariance(e.parts, i, j)
}

// Bias returns an upper bound on the absolute bias of the estimated difference of arms i and j, normalised, if ‖θ*‖ ≤
// b.Norm (kernel units). The bias from the ridge is at most
//
//	|Nξ yᵀA⁻¹θ*| ≤ Nξ ‖A⁻¹y‖ ‖θ*‖
//
// This is the sharp form of the last step in the proof of [Du23, Lemma 1]. The bounds for unmeasured directions, cut
// features and the misspecification are added. The result is +Inf if the difference has an unmeasured component and the
// norm is 0, which means unknown. Cut features change each reward by at most norm·√Truncation. The estimate Σ_k w_k ȳ_k
// has Σ|w_k| ≤ √(Σ w_k²/t_k · Σ t_k) with the pulls' precisions t_k, where the first sum is at most the variance.
func (e *Estimator) Bias(i, j int, b Bound) float64 {
	if e.missing(i) || e.missing(j) {
		return math.Inf(1)
	}
	norm := b.Norm * e.root
	var bias float64
	if e.shrink > 0 {
		bias = e.shrink * norm * math.Sqrt(squaredDistance(e.solved.RawRowView(i), e.solved.RawRowView(j)))
	}
	if e.rest != nil {
		bias = math.Hypot(bias, norm*(e.rest[i]+e.rest[j]))
	}
	if e.hidden != nil {
		part := squaredDistance(e.hidden.RawRowView(i), e.hidden.RawRowView(j))
		if norm == 0 && part > unseen*(e.sizes[i]+e.sizes[j]) {
			return math.Inf(1)
		}
		bias += norm * math.Sqrt(part)
	}
	if off := norm*math.Sqrt(e.truncation) + b.Misfit; off > 0 {
		bias += off * (2 + math.Sqrt(e.Variance(i, j)*e.precision))
	}
	return bias
}

// Spans reports whether the features of arm i lie in the measured directions.
func (e *Estimator) Spans(i int) bool {
	if e.hidden == nil {
		return !e.missing(i)
	}
	return SquaredNorm(e.hidden.RawRowView(i)) <= unseen*e.sizes[i]
}

// Weights returns N numbers w such that Σ_k w_k ȳ_k is the estimated difference of arms i and j.
func (e *Estimator) Weights(i, j int) []float64 {
	out := make([]float64, len(e.Total))
	if _, own := e.dual.(ownMeans); own {
		out[i], out[j] = 1, -1
		return out
	}
	difference := slices.Clone(e.White.RawRowView(i))
	addTo(difference, -1, e.White.RawRowView(j))
	for k, c := range e.Total {
		if c > 0 {
			out[k] = c * Dot(e.White.RawRowView(k), difference)
		}
	}
	return out
}

// unseen is a relative squared length. If the unmeasured part of a feature vector or difference is larger, it is not a
// rounding error of eigenvectors.
const unseen = 1e-12

// SquaredNorm returns ‖a‖².
func SquaredNorm(a []float64) float64 { return Dot(a, a) }

func squaredDistance(a, b []float64) float64 {
	var sum float64
	for k, v := range a {
		d := v - b[k]
		sum += d * d
	}
	return sum
}

// ArmVariance returns the variance of the estimated reward of arm i in the measured directions, ‖φ_i‖²_{A⁻¹} with A as in
// Variance, normalised. With the Nξ of GpRidge it is the posterior variance of a Gaussian process.
func (e *Estimator) ArmVariance(i int) float64 {
	if e.dual != nil {
		return e.dual.armVariance(i)
	}
	return SquaredNorm(e.White.RawRowView(i)) + e.parts.Entry(i, i)
}

// ArmVariances returns ArmVariance for each of the arms. It returns an error if the context of the model has ended.
func (e *Estimator) ArmVariances(arms []int) ([]float64, error) {
	if e.dual != nil {
		out := make([]float64, len(arms))
		return out, e.dual.variances(out, arms, -1)
	}
	return lists.Map(arms, e.ArmVariance), nil
}

// VariancesFrom sets dst[k] to Variance(arms[k], from), where from is an arm. It returns an error if the context of the
// model has ended.
func (e *Estimator) VariancesFrom(dst []float64, arms []int, from int) error {
	if e.dual != nil {
		return e.dual.variances(dst, arms, from)
	}
	for k, i := range arms {
		dst[k] = e.Variance(i, from)
	}
	return nil
}

// Covariances sets dst[k] to the posterior covariance of the rewards of arms[k] and of arm `with`,
// normalised.
func (e *Estimator) Covariances(dst []float64, arms []int, with int) {
	if e.dual != nil {
		e.dual.covariances(dst, arms, with)
		return
	}
	w := e.White.RawRowView(with)
	for k, i := range arms {
		dst[k] = Dot(e.White.RawRowView(i), w) + e.parts.Entry(i, with)
	}
}

// CovarianceMatrix returns the matrix of posterior covariances of the rewards of the given arms, normalised.
func (e *Estimator) CovarianceMatrix(arms []int) *mat.SymDense {
	if e.dual != nil {
		return e.dual.matrix(arms)
	}
	out := mat.NewSymDense(len(arms), nil)
	row := make([]float64, len(arms))
	for k, i := range arms {
		e.Covariances(row, arms, i)
		for l := k; l < len(arms); l++ {
			out.SetSym(k, l, row[l])
		}
	}
	return out
}

// OwnVariances sets dst[k] to ArmVariance(arms[k]). Its inputs refer to another arm: with[k] is the covariance of arms[k]
// with that arm, from[k] the variance of their difference, and own that arm's variance. For many arms this is faster than
// ArmVariance.
func (e *Estimator) OwnVariances(dst []float64, arms []int, with, from []float64, own float64) {
	for k, i := range arms {
		if e.dual != nil {
			dst[k] = from[k] + 2*with[k] - own
		} else {
			dst[k] = e.ArmVariance(i)
		}
	}
}

// normalised returns the means divided by the unit.
func (e *Estimator) normalised(means []float64) []float64 {
	return lists.Map(means, func(v float64) float64 { return v / e.unit })
}
