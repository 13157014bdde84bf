package design

import "slices"

// finish assembles the result.
func (m *minimax) finish(status Status) Design {
	b := m.best
	d := Design{Value: b.value, Lower: min(b.lower, b.value), Weights: b.lambda, Iterations: m.iterations, Status: status}
	d.Certificate.Weights = b.dual.Weights
	total := sum(b.dual.Dual)
	for k, u := range b.dual.Dual {
		if u > 0 {
			d.Certificate.Pairs = append(d.Certificate.Pairs, b.dual.Pairs[k])
			d.Certificate.Dual = append(d.Certificate.Dual, u/total)
		}
	}
	return d
}

// trimBelow is the part of a uniform weight under which a weight is given up.
const trimBelow = 1e-3

// trimmed returns d without the small weights that the interior-point method
// leaves on every arm, if it is still certified to the tolerance: rounding would
// give each of these arms a pull.
func trimmed(stop stopper, d Design, s Space, c Contrasts, tolerance float64) Design {
	lambda := slices.Clone(d.Weights)
	dropped := false
	for i, l := range lambda {
		if l > 0 && l < trimBelow/float64(len(lambda)) {
			lambda[i], dropped = 0, true
		}
	}
	if !dropped {
		return d
	}
	scale(1/sum(lambda), lambda)
	value, _, err := maxVariance(stop, s, c, lambda)
	if err == nil && value <= max(d.Value, d.Lower*(1+tolerance)) {
		d.Value, d.Weights, d.Lower = value, lambda, min(d.Lower, value)
	}
	return d
}

func trivial(n int) Design {
	return Design{Weights: uniform(n), Status: Trivial}
}

func uniform(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 / float64(n)
	}
	return w
}
