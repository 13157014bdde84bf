package design

import (
	"math"
	"slices"
)

// Width returns the allocation with the smallest Gaussian width of the differences within a set of
// arms, squared,
//
//	γ(S) = min_{λ ∈ simplex} ( E max_{i,j ∈ S} (φ_i - φ_j)ᵀ A(ξ,λ)^{-1/2} η )²,  η ~ N(0, I)
//
// [KJKJ20]. For two arms it is 2/π times the value of Minimax.
//
// The expectation is the mean over a fixed set of directions (see directions), so the result is
// deterministic, and right to 1 % for up to ten arms, to 2 % for twenty (measured in the tests).
// Lower ≤ Value is the dual bound with its expectations over the same directions: it shows how far
// the weights are from the best within that accuracy, but proves nothing, unlike Minimax's bound;
// the Certificate is empty. Options.Tolerance is the relative gap asked for; 0 means 5e-3.
// Options.Threshold ends the search as soon as γ(S) lies on one side of it. Stalled means that the
// directions are too few to tell better weights.
//
// A step takes K(|S| + q)q flops for K directions in the q dimensions of the
// differences: half a millisecond in all for the paper's arms, 40 ms for 30 and a
// second for 100 arms in as many dimensions.
//
// A set of fewer than two arms, or of arms with equal features, is Trivial with Value 0. Errors and
// panics are as for Minimax.
//
// # Method
//
// The width F is convex in λ: for λ between two points, A⁻¹ is at most the covariance of the
// mixture of the two Gaussian vectors under their optimal coupling, and by the inequality of
// Sudakov and Fernique so are the widths. With g ~ N(0, A⁻¹) and y the difference that is largest
// along g,
//
//	d_i = -∂F/∂λ_i = ½ E[(yᵀA⁻¹φ_i)(φ_iᵀg)]/σ_i²,  Σ λ_i d_i ≤ F/2, equal at ξ = 0,
//
// whatever root of A⁻¹ makes g, so that none has to be differentiated. The step is λ_i ← λ_i
// (d_i/λ·d)^p. For F = Σ c_i λ_i^{-1/2}, p = 2/3 leads to the optimum at once; p is halved when F
// grows. F is homogeneous of degree -1/2 in (ξ, λ), so convexity bounds its minimum by F √(F/(F +
// 2(max d - λ·d))).
func Width(s Space, set []int, opt Options) (d Design, err error) {
	defer caught(&err)
	p, err := newProblem(stopper{opt.Context}, s, Contrasts{Groups: [][]int{set}}, nil)
	if err != nil {
		return Design{}, err
	}
	w := newWidth(p, set)
	if w == nil {
		return trivial(p.phi.Rows), nil
	}
	if opt.Tolerance == 0 {
		opt.Tolerance = widthTolerance
	}
	d, err = w.minimise(opt)
	if err != nil || d.Status == Separated {
		return d, err
	}
	return w.trimmed(d), nil
}

const (
	widthTolerance = 5e-3   // about what the directions resolve
	separable      = 2. / 3 // the power p to begin with
	smallestPower  = 1e-2   // below it a step changes less than the directions resolve
	smallestWeight = 1e-9   // keeps A invertible along what the set does not need
)

// minimise steps until the bounds meet.
func (w *width) minimise(opt Options) (Design, error) {
	if !w.evaluate() {
		return Design{}, errSingular
	}
	d := Design{Status: IterationLimit, Weights: slices.Clone(w.lambda), Value: w.value * w.value, Lower: w.lower()}
	power := separable
	best, drop, mean := w.value, slices.Clone(w.drop), w.mean
	for ; d.Iterations < opt.limit(); d.Iterations++ {
		if err := opt.ended(); err != nil {
			return Design{}, err
		}
		if status, done := w.finished(d, power, opt); done {
			d.Status = status
			break
		}
		for i, v := range drop {
			w.lambda[i] = max(d.Weights[i]*math.Pow(v/mean, power), smallestWeight)
		}
		scale(1/sum(w.lambda), w.lambda)
		if !w.evaluate() {
			return Design{}, errSingular
		}
		d.Lower = max(d.Lower, w.lower())
		if w.value >= best {
			power /= 2
			continue
		}
		best, mean, d.Value = w.value, w.mean, w.value*w.value
		copy(drop, w.drop)
		copy(d.Weights, w.lambda)
	}
	d.Lower = min(d.Lower, d.Value)
	return d, nil
}

// finished reports whether the bounds, the threshold or the directions end the search.
func (w *width) finished(d Design, power float64, opt Options) (Status, bool) {
	t := opt.Threshold
	switch {
	case t > 0 && (d.Lower > t || d.Value <= t):
		return Separated, true
	case d.Value <= d.Lower*(1+opt.Tolerance):
		return Optimal, true
	case power < smallestPower:
		return Stalled, true
	}
	return 0, false
}

// trimmed returns d without its small weights if its value allows: rounding would
// give each of these arms a pull.
func (w *width) trimmed(d Design) Design {
	lambda := slices.Clone(d.Weights)
	for i, l := range lambda {
		if l < trimBelow/float64(len(lambda)) {
			lambda[i] = 0
		}
	}
	scale(1/sum(lambda), lambda)
	for i, l := range lambda { // a floor to evaluate with: what only it measures has a huge width
		w.lambda[i] = max(l, smallestWeight)
	}
	if w.evaluate() && w.value*w.value <= d.Value*(1+trimBelow) {
		d.Value, d.Weights = max(d.Lower, w.value*w.value), lambda
	}
	return d
}

// lower returns the dual bound of the smallest width, squared.
func (w *width) lower() float64 {
	return w.value * w.value * w.value / (w.value + 2*max(w.top-w.mean, 0))
}
