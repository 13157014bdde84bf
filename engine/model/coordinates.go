package model

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/internal/memlimit"
)

// Decoupled returns the model in coordinates for ξ = 0. Without a ridge, variances, designs and
// estimates are the same under every invertible change of coordinates, and a norm of θ* has no
// meaning. In these as many arms as there are dimensions have unit vectors, so that dependence is
// seen: with as many dimensions as arms there is none, each arm is its own block, and 180
// dimensions are 180 times one.
//
// Features that were cut at MaxRank stay as they are: what is left out of them is bounded by
// a norm. The model must not be one of reweighted, but may become one.
func (m *Model) Decoupled() (*Model, error) {
	m, err := m.Exact()
	if err != nil {
		return nil, err
	}
	if m.cut || m.apartOnly {
		return m, nil
	}
	plain, err := m.plain()
	if err != nil {
		return nil, err
	}
	out := *m
	out.derived = true
	out.Features, out.Layout, out.numbers, out.identity = plain.Features, plain.Layout, plain.numbers, plain.identity
	return &out, nil
}

// plainly computes the model in coordinates for least squares from its features L:
// L L_B⁻¹ with L_B the lower triangle of the pivots' rows. Pivoting keeps the entries of the
// order of one. Arms with equal features get equal coordinates, bit for bit.
func (m *Model) plainly() (*Model, error) {
	ctx := m.Context()
	m, err := m.Exact()
	if err != nil {
		return nil, err
	}
	factor, err := m.source.exact(ctx)
	if err != nil {
		return nil, err
	}
	n, dim := factor.matrix.Dims()
	if err := memlimit.Matrices(ctx, "the coordinates", 1, n, dim); err != nil {
		return nil, err
	}
	features := mat.NewDense(n, dim, nil)
	firsts, err := canon.FirstEqual(ctx, factor.matrix)
	if err != nil {
		return nil, err
	}
	triangle, unit := mat.NewDense(dim, dim, nil), make([]int, n)
	for k, i := range factor.pivots {
		triangle.SetRow(k, factor.matrix.RawRowView(i))
		unit[firsts[i]] = k + 1
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := features.RawRowView(i)
		switch first := firsts[i]; {
		case first < i:
			copy(to, features.RawRowView(first))
		case unit[i] > 0:
			to[unit[i]-1] = 1
		default:
			copy(to, factor.matrix.RawRowView(i))
			backward(triangle, to)
		}
	}
	// What is left of a coordinate below the rounding of features would link arms
	// that have nothing to do with each other.
	raw, quantum := features.RawMatrix().Data, canon.SameFeature*canon.LargestEntry(features)
	for k, v := range raw {
		if math.Abs(v) <= quantum {
			raw[k] = 0
		}
	}
	return m.withFeatures(features)
}

// backward overwrites the row x by xL⁻¹ for a lower triangular L.
func backward(l *mat.Dense, x []float64) {
	for k := len(x) - 1; k >= 0; k-- {
		row := l.RawRowView(k)
		x[k] /= row[k]
		for j, v := range row[:k] {
			x[j] -= x[k] * v
		}
	}
}
