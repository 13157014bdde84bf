package fit

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/eigen"
)

// silentMany returns what silent does, from the features of the inducing arms: the kernel has their
// eigenvalues, and 0 in all other directions. What arms have by themselves adds the same to all, which
// is exact where all means have one variance, and the mean over arms otherwise.
func (l *inducing) silentMany(ctx context.Context, d *data, variance []float64) (sum float64, count int, err error) {
	n, m := len(d.y), len(l.arms)
	scaled := func(v float64, i int) float64 { return v / math.Sqrt(variance[i]) }
	var levels []*mat.VecDense
	if d.levels != nil {
		_, q := d.levels.Dims()
		for j := range q {
			x := mat.NewVecDense(n, nil)
			for i := range n {
				x.SetVec(i, scaled(d.levels.At(i, j), i))
			}
			takeOut(levels, x) // columns of one task each are orthogonal already
			if norm := mat.Norm(x, 2); norm > 0 {
				x.ScaleVec(1/norm, x)
				levels = append(levels, x)
			}
		}
	}
	rows := mat.NewDense(m, n, nil)
	for a := range m {
		row := rows.RawRowView(a)
		for i, v := range l.features.RawRowView(a) {
			row[i] = scaled(v, i)
		}
		takeOut(levels, mat.NewVecDense(n, row))
	}
	y := mat.NewVecDense(n, nil)
	for i, v := range d.y {
		y.SetVec(i, scaled(v, i))
	}
	takeOut(levels, y)
	inner := mat.NewSymDense(m, nil)
	inner.SymOuterK(1, rows)
	values, vectors, err := eigen.Decompose(ctx, inner)
	if err != nil {
		return 0, 0, err
	}
	var along, z mat.VecDense
	along.MulVec(rows, y)
	z.MulVec(vectors.T(), &along)
	own := 0.0
	for _, v := range variance {
		own += l.own / v / float64(n)
	}
	take := func(square, mu float64, directions int) {
		if mu <= 1 {
			sum, count = sum+square/(1+mu), count+directions
		}
	}
	left, outside := mat.Dot(y, y), n-len(levels)
	for j, mu := range values { // the coordinate of y along eigenvector j is z_j/√μ_j
		if mu > 1e-12*values[m-1] {
			square := z.AtVec(j) * z.AtVec(j) / mu
			left, outside = left-square, outside-1
			take(square, mu+own, 1)
		}
	}
	take(max(left, 0), own, outside)
	return sum, count, nil
}

// takeOut takes off x its parts along orthonormal vectors.
func takeOut(basis []*mat.VecDense, x *mat.VecDense) {
	for _, b := range basis {
		x.AddScaledVec(x, -mat.Dot(b, x), b)
	}
}

// alikeMany returns what alike does, from the features of the inducing arms and the variance of arms by
// themselves.
func (l *inducing) alikeMany(d *data) (correlation [][]float64, signal float64) {
	p, m := d.p, len(l.arms)
	groups := p.Groups()
	centred := mat.DenseCopyOf(l.features.T()) // n × m
	named := make([]map[int][]int, len(groups))
	for v, g := range groups {
		mean := make([]float64, m)
		named[v] = map[int][]int{}
		for _, i := range g {
			named[v][p.Arms.ID[i]] = append(named[v][p.Arms.ID[i]], i)
			for a, x := range centred.RawRowView(i) {
				mean[a] += x / float64(len(g))
			}
		}
		for _, i := range g {
			row := centred.RawRowView(i)
			for a := range row {
				row[a] -= mean[a]
			}
		}
	}
	return correlated(len(groups), func(a, b int) float64 {
		sum, count := 0.0, 0
		for _, i := range groups[a] {
			for _, j := range named[b][p.Arms.ID[i]] {
				x := 0.0
				for k, v := range centred.RawRowView(i) {
					x += v * centred.At(j, k)
				}
				if a == b { // of the arms by themselves, centred
					x -= l.own / float64(len(groups[a]))
					if i == j {
						x += l.own
					}
				}
				sum, count = sum+x, count+1
			}
		}
		if count == 0 {
			return 0
		}
		return sum / float64(count)
	})
}
