package model

import "gonum.org/v1/gonum/mat"

// ArmVariance returns ‖φ_i‖²_{A⁻¹} with A as in Variance, normalised: the variance of the estimated
// reward of arm i by itself, in the directions that were measured; of a Gaussian process, where Nξ is
// that of GpRidge, its posterior variance.
func (e *Estimator) ArmVariance(i int) float64 {
	if e.dual != nil {
		return e.dual.armVariance(i)
	}
	return SquaredNorm(e.White.RawRowView(i)) + e.parts.between(i, i)
}

// ArmVariances returns the variances of all arms, N values, normalised. It is an error when the context of the
// model has ended.
func (e *Estimator) ArmVariances() ([]float64, error) {
	out := make([]float64, len(e.Total))
	if e.dual != nil {
		all := make([]int, len(out))
		for i := range all {
			all[i] = i
		}
		return out, e.dual.variances(out, all, -1)
	}
	for i := range out {
		out[i] = e.ArmVariance(i)
	}
	return out, nil
}

// VariancesFrom sets dst[k] to Variance(arms[k], from). It is an error when the context of the model has
// ended.
func (e *Estimator) VariancesFrom(dst []float64, arms []int, from int) error {
	if e.dual != nil {
		return e.dual.variances(dst, arms, from)
	}
	for k, i := range arms {
		dst[k] = e.Variance(i, from)
	}
	return nil
}

// Covariances sets dst[k] to the posterior covariance of the rewards of arms[k] and of another arm,
// normalised.
func (e *Estimator) Covariances(dst []float64, arms []int, with int) {
	if e.dual != nil {
		e.dual.covariances(dst, arms, with)
		return
	}
	w := e.White.RawRowView(with)
	for k, i := range arms {
		dst[k] = Dot(e.White.RawRowView(i), w) + e.parts.between(i, with)
	}
}

// CovarianceMatrix returns the posterior covariances of the rewards of arms, normalised.
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

// OwnVariances sets dst[k] to ArmVariance(arms[k]), from the covariances of arms with one of them, their
// variances from it, and its own: of many arms it is the sum of those.
func (e *Estimator) OwnVariances(dst []float64, arms []int, with, from []float64, own float64) {
	for k, i := range arms {
		if e.dual != nil {
			dst[k] = from[k] + 2*with[k] - own
		} else {
			dst[k] = e.ArmVariance(i)
		}
	}
}
