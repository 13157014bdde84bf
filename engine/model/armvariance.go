package model

// ArmVariance returns ‖φ_i‖²_{A⁻¹} with A as in Variance, normalised: the variance of the estimated
// reward of arm i by itself, in the directions that were measured; of a Gaussian process, where Nξ is
// that of GpRidge, its posterior variance.
func (e *Estimator) ArmVariance(i int) float64 { return SquaredNorm(e.White.RawRowView(i)) }
