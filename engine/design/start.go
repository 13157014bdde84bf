package design

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// smallArms is the size up to which all arms are in the working set.
	smallArms = 400
	// startArms is the least number of arms that a larger problem starts with; about five times the
	// rank for the largest rank in the budget.
	startArms = 300
	// startSweeps of the multiplicative algorithm choose them.
	startSweeps = 25
)

// start chooses the first working arms and their weights: all of them and uniform, or the largest
// of an approximate D-optimal design. That design alone is within about 15 % of the minimax optimum
// on smooth kernels and needs no scan of pairs, where uniform weights are several times above it.
func (p *problem) start() (arms []int, lambda []float64) {
	n := p.phi.Rows
	if n <= smallArms {
		for i := range n {
			arms = append(arms, i)
			lambda = append(lambda, 1/float64(n))
		}
		return arms, lambda
	}
	arms, lambda = p.multiplicative(startSweeps)
	order := make([]ranked, len(arms))
	for a, i := range arms {
		order[a] = ranked{i, lambda[a]}
	}
	slices.SortFunc(order, byRank)
	size := min(len(order), startSize(n, p.phi.Cols))
	keep := make(map[int]float64, size)
	for _, a := range order[:size] {
		keep[a.arm] = a.key
	}
	for _, i := range p.pivots { // so that the working arms span everything
		keep[i] += 0
	}
	arms, lambda = arms[:0], lambda[:0]
	total := 0.0
	for i := range n {
		if l, ok := keep[i]; ok {
			arms, lambda = append(arms, i), append(lambda, l)
			total += l
		}
	}
	for a := range lambda {
		lambda[a] = 0.9*lambda[a]/total + 0.1/float64(len(arms))
	}
	return arms, lambda
}

// startSize returns the number of arms, of n with rank r, that a problem starts with.
func startSize(n, r int) int {
	if n <= smallArms {
		return n
	}
	return min(n, max(startArms, 3*r))
}

// StepWork returns about how many products of two numbers a step of Minimax takes, for n arms of
// rank r and the given number of contrasts listed as pairs: its Newton matrix costs most.
func StepWork(n, r, pairs int) float64 {
	size := float64(startSize(n, r))
	return size * size * float64(pairs)
}

// multiplicative runs sweeps of λ_i ← λ_i (ρ_i φ_iᵀA⁻¹φ_i / r)², renormalised: the multiplicative
// algorithm for D-optimality, whose exponent 1 is monotone, with an exponent of 2 that is about
// twice as fast. Arms whose weight becomes negligible leave.
func (p *problem) multiplicative(sweeps int) (arms []int, lambda []float64) {
	n, r := p.phi.Rows, p.phi.Cols
	phi, v, l := reshape(blas64.General{}, n, r), reshape(blas64.General{}, n, r), reshape(blas64.General{}, r, r)
	copy(phi.Data, compact(p.phi).Data)
	root := slices.Clone(p.root)
	for i := range n {
		arms, lambda = append(arms, i), append(lambda, 1/float64(n))
	}
	for range sweeps {
		phi, v = reshape(phi, len(arms), r), reshape(v, len(arms), r)
		if !information(p.stop, phi, root, lambda, p.ridge, v, l) {
			break
		}
		whiten(p.stop, phi, l, v)
		total := 0.0
		for a := range arms {
			g := dot(row(v, a), row(v, a))
			if root != nil {
				g *= root[a] * root[a]
			}
			lambda[a] *= g * g
			total += lambda[a]
		}
		k := 0
		for a, i := range arms {
			if lambda[a] < 1e-7*total/float64(n) {
				continue
			}
			arms[k], lambda[k] = i, lambda[a]/total
			copy(row(phi, k), row(phi, a))
			if root != nil {
				root[k] = root[a]
			}
			k++
		}
		arms, lambda = arms[:k], lambda[:k]
		if root != nil {
			root = root[:k]
		}
	}
	return arms, lambda
}

// compact returns g without padding between its rows.
func compact(g blas64.General) blas64.General {
	if g.Stride == g.Cols {
		return g
	}
	c := reshape(blas64.General{}, g.Rows, g.Cols)
	for i := range g.Rows {
		copy(row(c, i), row(g, i))
	}
	return c
}
