package design

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// sub returns the problem over the pivots, in their order, and more arms, which cannot be sampled.
func (w *wide) sub(more []int) *problem {
	m := len(w.in.Arms)
	p := &problem{ridge: w.p.ridge, stop: w.stop, root: make([]float64, m+len(more))}
	p.phi = reshape(blas64.General{}, m+len(more), w.p.phi.Cols)
	for k, i := range w.in.Arms {
		copy(row(p.phi, k), row(w.p.phi, i))
		p.root[k] = 1
		if w.p.root != nil {
			p.root[k] = w.p.root[i]
		}
	}
	for k, i := range more {
		copy(row(p.phi, m+k), row(w.p.phi, i))
	}
	return p
}

// restrict solves for the pivots and the contrasts among the candidates, from the weights at hand,
// which the new ones replace. The design has positions in place of arms in its certificate's weights,
// and arms in its pairs.
func (w *wide) restrict(tolerance float64) (Design, Status, error) {
	m := len(w.in.Arms)
	var more []int
	at := map[int]int{}
	position := func(i int) int {
		if w.pivot[i] >= 0 {
			return w.pivot[i]
		}
		k, known := at[i]
		if !known {
			k = m + len(more)
			at[i] = k
			more = append(more, i)
		}
		return k
	}
	var groups [][]int
	for _, g := range w.p.groups {
		var own []int
		for _, i := range g {
			if w.chosen[i] {
				own = append(own, position(i))
			}
		}
		groups = append(groups, own)
	}
	var pairs []Pair
	for _, q := range w.pairs {
		pairs = append(pairs, Pair{position(q.I), position(q.J), q.Weight})
	}
	p := w.sub(more)
	p.groups, p.pairs = groups, pairs
	for k := range m {
		p.pivots = append(p.pivots, k)
	}
	near := make([]float64, m+len(more))
	for k := range m {
		if w.useful(k) {
			near[k] = 1
		}
	}
	s := &minimax{working: newWorking(p, near), opt: w.opt, tolerance: tolerance, best: newBound(p.phi.Rows), lastGap: 1, fixed: true,
		from: w.lambda}
	s.opt.Threshold, s.inner.large.on = 0, p.phi.Cols >= largeCols
	status, err := s.solve()
	if err != nil {
		return Design{}, status, err
	}
	d := s.finish(status)
	d.Certificate.Pairs = slices.Clone(d.Certificate.Pairs)
	arm := func(k int) int {
		if k < m {
			return w.in.Arms[k]
		}
		return more[k-m]
	}
	for k, q := range d.Certificate.Pairs {
		d.Certificate.Pairs[k].I, d.Certificate.Pairs[k].J = arm(q.I), arm(q.J)
	}
	d.Weights, d.Certificate.Weights = d.Weights[:m], d.Certificate.Weights[:m]
	w.lambda = w.trim(slices.Clone(d.Weights))
	return d, status, nil
}

// useful reports whether pivot k may be sampled in the next restricted problem: it was, or it helps
// nearly as much as those that were.
func (w *wide) useful(k int) bool {
	return w.level == 0 || w.lambda[k] > 0 || w.g[w.in.Arms[k]] > 0.9*w.top
}

// trim gives up weights so small that a rounding would turn them into single pulls of no use.
func (w *wide) trim(lambda []float64) []float64 {
	for k, l := range lambda {
		if l < trimBelow/float64(len(lambda)) {
			lambda[k] = 0
		}
	}
	scale(1/sum(lambda), lambda)
	return lambda
}
