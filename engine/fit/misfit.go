package fit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// misfitLevel is the level at which the remedy is proposed.
const misfitLevel = 0.05

// misfit tests for lack of fit. In coordinates in which noise has unit variance and the
// level is taken off, the kernel has eigenvalues μ_j, and the data have independent
// coordinates of variance 1 + μ_j. Those with μ_j ≤ 1, where the kernel says less than
// noise does, are divided by their standard deviation: the mean of their squares is
// χ²_m/m. Divided by the pure error of the replicates, the variance within arms over
// the one assumed, it is F with m and Σ (n_i - 1) degrees of freedom, whatever the scale
// of the noise [Draper and Smith 1998, sec. 2.1, with the kernel in place of a line].
func (f *Fit) misfit(s *surface, best optimum) error {
	g, d := best.process, s.d
	residuals := f.Misfit.Residuals
	f.Misfit = Misfit{Residuals: residuals}
	m := &f.Misfit
	if err := f.nugget(s, best); err != nil {
		return err
	}
	if s.noise && d.freedom == 0 {
		m.Reason = "the noise was fitted to the same means, and there are no replicates to tell it from misfit"
		return nil
	}
	variance, widened := g.variance, false
	if !s.noise && perArm(d.p) {
		variance, widened = d.widened(variance), true
	}
	k, err := s.at(best.values)
	if err != nil {
		return err
	}
	gram, err := s.gram(k, nil)
	if err != nil {
		return err
	}
	sum, count, ok := d.silent(gram, variance)
	switch {
	case !ok:
		m.Reason = "the eigenvalues of the kernel could not be computed"
		return nil
	case count == 0:
		m.Reason = "the kernel can follow any means: it says more than noise does about all of them"
		return nil
	}
	m.Statistic = sum / float64(count)
	m.Freedom[0] = float64(count)
	m.Exact = !widened
	if d.freedom > 0 && !widened {
		m.Test, m.Freedom[1] = "F", d.freedom
		m.Statistic /= d.pureError(g.variance)
		m.PValue = distuv.F{D1: m.Freedom[0], D2: d.freedom}.Survival(m.Statistic)
	} else {
		m.Test = "chi-square"
		m.PValue = distuv.ChiSquared{K: m.Freedom[0]}.Survival(sum)
	}
	if m.PValue < misfitLevel && m.Nugget > 0 {
		m.Remedy = fmt.Sprintf("+ %s*identity()", short(m.Nugget))
	}
	return nil
}

// widened are variances of means for standard deviations of single arms: Student's t
// with ν degrees of freedom has variance ν/(ν-2).
func (d *data) widened(variance []float64) []float64 {
	out := make([]float64, len(variance))
	for i, v := range variance {
		freedom := max(d.count[i]-1, 3)
		out[i] = v * freedom / (freedom - 2)
	}
	return out
}

// pureError is the variance within arms over the one assumed for them.
func (d *data) pureError(variance []float64) float64 {
	sum := 0.0
	for i, s := range d.squares {
		sum += s / (variance[i] * d.count[i])
	}
	return sum / d.freedom
}

// silent returns the sum of squares of the coordinates about which the kernel says less
// than noise does, each over its standard deviation, and how many there are.
func (d *data) silent(gram *mat.SymDense, variance []float64) (sum float64, count int, ok bool) {
	n := len(d.y)
	basis := d.complement(variance) // n × (n-q), orthonormal
	_, m := basis.Dims()
	white := mat.NewSymDense(n, nil)
	y := mat.NewVecDense(n, nil)
	for i, v := range variance {
		y.SetVec(i, d.y[i]/math.Sqrt(v))
		for j := i; j < n; j++ {
			white.SetSym(i, j, gram.At(i, j)/math.Sqrt(v*variance[j]))
		}
	}
	var left, inner mat.Dense
	left.Mul(basis.T(), white)
	inner.Mul(&left, basis)
	seen := mat.NewSymDense(m, nil)
	for i := range m {
		for j := i; j < m; j++ {
			seen.SetSym(i, j, (inner.At(i, j)+inner.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(seen, true) {
		return 0, 0, false
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	var inBasis, z mat.VecDense
	inBasis.MulVec(basis.T(), y)
	z.MulVec(vectors.T(), &inBasis)
	for j, mu := range eigen.Values(nil) {
		if mu <= 1 {
			sum += z.AtVec(j) * z.AtVec(j) / (1 + max(mu, 0))
			count++
		}
	}
	return sum, count, true
}

// complement is an orthonormal basis of what is orthogonal to the levels, in
// coordinates in which noise has unit variance.
func (d *data) complement(variance []float64) *mat.Dense {
	n := len(d.y)
	if d.levels == nil {
		all := mat.NewDense(n, n, nil)
		for i := range n {
			all.Set(i, i, 1)
		}
		return all
	}
	_, q := d.levels.Dims()
	white := mat.NewDense(n, q, nil)
	for i, v := range variance {
		for j := range q {
			white.Set(i, j, d.levels.At(i, j)/math.Sqrt(v))
		}
	}
	var qr mat.QR
	qr.Factorize(white)
	var full mat.Dense
	qr.QTo(&full)
	return mat.DenseCopyOf(full.Slice(0, n, q, n))
}

// nugget finds the g of + g*identity() with the largest likelihood, everything else
// staying as it is: on a grid of its logarithm, and then by golden section.
func (f *Fit) nugget(s *surface, best optimum) error {
	k, err := s.at(best.values)
	if err != nil {
		return err
	}
	gram, err := s.gram(k, nil)
	if err != nil {
		return err
	}
	var last error
	gain := func(log float64) float64 {
		v := append([]float64(nil), best.process.variance...)
		for i := range v {
			v[i] += math.Exp(log)
		}
		if last = s.ctx.Err(); last != nil {
			return math.Inf(-1)
		}
		g, err := newProcess(s.d, gram, v)
		if err != nil {
			return math.Inf(-1)
		}
		return g.likelihood - best.process.likelihood
	}
	scale := 0.0
	for _, v := range best.process.variance {
		scale += v / float64(len(best.process.variance))
	}
	centre, most := 0.0, 0.0
	for step := -4.0; step <= 10; step++ {
		if at := math.Log(scale) + step; gain(at) > most {
			centre, most = at, gain(at)
		}
	}
	if last != nil {
		return last
	}
	if most <= 1e-9 {
		return nil
	}
	at := golden(gain, centre-1, centre+1, 1e-4)
	f.Misfit.Nugget, f.Misfit.Gain = round(math.Exp(at)), gain(at)
	return last
}

// golden maximises a function of one peak by golden section.
func golden(f func(float64) float64, a, b, tolerance float64) float64 {
	const ratio = 0.6180339887498949
	x, y := b-ratio*(b-a), a+ratio*(b-a)
	fx, fy := f(x), f(y)
	for b-a > tolerance {
		if fx > fy {
			b, y, fy = y, x, fx
			x = b - ratio*(b-a)
			fx = f(x)
		} else {
			a, x, fx = x, y, fy
			y = a + ratio*(b-a)
			fy = f(y)
		}
	}
	return (a + b) / 2
}
