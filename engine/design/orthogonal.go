package design

import "math"

// generalArms is the number of arms up to which the general method takes a fraction of a second for any problem.
const generalArms = 200

// orthogonal solves Minimax in closed form for many unrelated arms, as under the kernel identity(): each arm has at
// most one feature, and no two arms share a feature. Then A is diagonal, and with v_i = ‖φ_i‖²_{A⁻¹} a contrast has
// variance v_i + v_j. At the optimum all v_i equal
//
//	v = Σ 1/ρ_i / (1 + ξ Σ 1/(ρ_i‖φ_i‖²)),  λ_i = 1/(ρ_i v) - ξ/(ρ_i‖φ_i‖²),  ρ_i = 1/σ_i²,
//
// unless one arm of a group has a larger 1/ρ_i than the sum of its rivals. It returns false in that case and for other
// problems. The certificate is the proof. The general method would take seconds to minutes.
func orthogonal(s Space, c Contrasts) (Design, bool) {
	if checkSpace(s) != nil || len(c.Pairs) > 0 {
		return Design{}, false
	}
	n, _ := s.Features.Dims()
	if n <= generalArms || new(problem).setContrasts(c, n) != nil {
		return Design{}, false
	}
	size, ok := alone(s)
	if !ok {
		return Design{}, false
	}
	member, total, shrink := make([]bool, n), 0.0, 0.0
	noise := make([]float64, n) // by arm: 1/ρ
	for _, g := range c.Groups {
		if len(g) < 2 {
			continue
		}
		sum, most := 0.0, 0.0
		for _, i := range g {
			if size[i] == 0 { // its reward is known without pulls
				continue
			}
			noise[i] = 1 / s.precision(i)
			if member[i] || math.IsInf(noise[i], 1) {
				return Design{}, false
			}
			member[i] = true
			sum, most = sum+noise[i], max(most, noise[i])
			shrink += s.Ridge * noise[i] / size[i]
		}
		if sum == 0 || most > sum/2 {
			return Design{}, false
		}
		total += sum
	}
	if total == 0 {
		return Design{}, false
	}
	v := total / (1 + shrink)
	d := Design{Value: 2 * v, Lower: 2 * v, Weights: make([]float64, n), Status: Optimal}
	for i, in := range member {
		if !in {
			continue
		}
		if d.Weights[i] = noise[i]/v - s.Ridge*noise[i]/size[i]; d.Weights[i] < 0 {
			return Design{}, false
		}
	}
	d.Certificate.Weights = d.Weights
	for _, g := range c.Groups {
		if len(g) > 1 {
			d.Certificate.pairUp(g, noise, total)
		}
	}
	return d, true
}

// alone returns the squared norms of the arms. It returns false if two arms share a feature or an arm has two features.
func alone(s Space) ([]float64, bool) {
	n, m := s.Features.Dims()
	taken, size := make([]bool, m), make([]float64, n)
	for i := range n {
		for k, x := range s.Features.RawRowView(i) {
			if x == 0 {
				continue
			}
			if taken[k] || size[i] > 0 {
				return nil, false
			}
			taken[k], size[i] = true, x*x
		}
	}
	return size, true
}

// pairUp adds pairs of the group g to the certificate, with dual weights that sum to share[i]/total per arm. Think of the
// arms as adjacent arcs of a circle, with lengths equal to their shares: opposite points are paired. No arc covers more
// than half of the circle, so no arm is paired with itself.
func (c *Certificate) pairUp(g []int, share []float64, total float64) {
	half := 0.0
	for _, i := range g {
		half += share[i] / 2
	}
	end := func(a int, from float64) float64 { return from + share[g[a]] }
	a, b, fromA, fromB := 0, 0, 0.0, 0.0
	for ; b < len(g)-1 && end(b, fromB) <= half; b++ {
		fromB = end(b, fromB)
	}
	for at := 0.0; a < len(g) && b < len(g); {
		next := min(end(a, fromA), end(b, fromB)-half, half)
		if next > at && a != b {
			c.Pairs = append(c.Pairs, Pair{I: g[a], J: g[b], Weight: 1})
			c.Dual = append(c.Dual, (next-at)/(total/2))
		}
		at = max(at, next)
		switch {
		case at >= half:
			return
		case end(a, fromA) <= at:
			fromA = end(a, fromA)
			a++
		default:
			fromB = end(b, fromB)
			b++
		}
	}
}
