package model

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// Within has the data of rewards with block effects that have a flat prior. It is used without the arms' means. Given
// the arms' expected rewards μ, -2 log of the density of the data is μᵀLμ - 2μᵀr up to a constant, with
//
//	L = Σ (I_A - 1_A 1_Aᵀ/|A|)/σ²,  r = Σ (y_A - ȳ 1_A)/σ²
//
// where the sums are over blocks with arms A. Both are independent of the tasks' levels.
type Within struct {
	Information *mat.SymDense // N×N: L, normalised
	Right       []float64     // N: r, normalised
	// N: the observed level of each arm's task, and the weight of each arm in that level, with sum 1 per task; normalised
	Levels, Weights []float64
}

// turn transforms the data to the eigenvectors u of L, where L u = t u. Along an eigenvector with t > 0, the data are y =
// uᵀr/t with variance 1/t, independent of the others. Its features are Σ u_i φ_i, independent effects keep variance g, and
// the common level is 0. It returns an error if no block has two arms.
func (d *meansOf) turn(w *Within) error {
	n := len(d.arms)
	info, right := mat.NewSymDense(n, nil), make([]float64, n)
	for i, a := range d.of {
		right[a] += w.Right[i]
		for j, b := range d.of {
			if a <= b {
				info.SetSym(a, b, info.At(a, b)+w.Information.At(i, j))
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(info, true) {
		return errors.New("the eigenvalues were not found")
	}
	d.turned = new(mat.Dense)
	eigen.VectorsTo(d.turned)
	eigen.Values(d.total)
	var along mat.VecDense
	along.MulVec(d.turned.T(), mat.NewVecDense(n, right))
	d.observed = 0
	for k, t := range d.total {
		if t <= roundedEigenvalue*d.total[n-1] {
			d.total[k], d.y[k] = 0, 0
			continue
		}
		d.y[k] = along.AtVec(k) / t
		d.observed++
	}
	if d.observed == 0 {
		return errors.New("no block has two arms")
	}
	_, dim := d.m.Features.Dims()
	features := mat.NewDense(n, dim, nil)
	for k, i := range d.arms {
		features.SetRow(k, d.m.Features.RawRowView(i))
	}
	d.rows = new(mat.Dense)
	d.rows.Mul(d.turned.T(), features)
	d.within, d.known, d.level = w, true, 0
	return nil
}

// back returns a factor of the covariances of all arms; white is the factor along the eigenvectors. From each row it
// subtracts the weighted mean over the arm's task.
func (d *meansOf) back(white *mat.Dense) *mat.Dense {
	var arms mat.Dense
	arms.Mul(d.turned, white)
	_, columns := white.Dims()
	out := mat.NewDense(len(d.of), columns, nil)
	for v := range d.m.Problem.V() {
		lo, hi := d.m.Problem.ArmsOf(v)
		mean := make([]float64, columns)
		for i := lo; i < hi; i++ {
			addTo(mean, d.within.Weights[i], arms.RawRowView(d.of[i]))
		}
		for i := lo; i < hi; i++ {
			row := out.RawRowView(i)
			copy(row, arms.RawRowView(d.of[i]))
			addTo(row, -1, mean)
		}
	}
	return out
}

// estimates returns the posterior means of all arms, N values, normalised. white is a factor of their posterior
// covariance.
func (w *Within) estimates(white *mat.Dense) []float64 {
	n, dim := white.Dims()
	projected, out := mat.NewVecDense(dim, nil), mat.NewVecDense(n, nil)
	projected.MulVec(white.T(), mat.NewVecDense(n, w.Right))
	out.MulVec(white, projected)
	for i, level := range w.Levels {
		out.SetVec(i, out.AtVec(i)+level)
	}
	return out.RawVector().Data
}
