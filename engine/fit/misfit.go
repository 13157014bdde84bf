package fit

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/eigen"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// misfitLevel is the level of the tests: below this p-value, Remedy is set.
const misfitLevel = 0.05

// misfit tests for lack of fit. It uses coordinates in which the noise has unit variance and the levels are removed. There
// the kernel has eigenvalues μ_j, and the data have independent coordinates of variance 1 + μ_j. The test uses those with
// μ_j ≤ 1, where the kernel's variance is at most that of the noise. Divided by their standard deviations, their mean
// square is χ²_m/m. It is divided by the pure error of the replicates, which is the variance within arms over the assumed
// variance. The result has an F distribution with m and Σ (n_i - 1) degrees of freedom, for any scale of the noise [Draper
// and Smith 1998, sec. 2.1, with the kernel instead of a line].
func (f *Fit) misfit(s *surface, best optimum, opt Options) error {
	g, d := best.process, s.d
	residuals := f.Misfit.Residuals
	f.Misfit = Misfit{Residuals: residuals}
	m := &f.Misfit
	m.GainP = 1
	if err := f.nugget(s, best, opt); err != nil {
		return err
	}
	if s.noise && d.freedom == 0 {
		m.Reason = "the noise was fitted to the same means, and there are no replicates to separate it from misfit"
		return nil
	}
	variance, widened := g.variance, false
	if !s.noise && perArm(d.p) {
		variance, widened = d.widened(variance), true
	}
	var sum float64
	var count int
	features, err := s.features(best)
	if err == nil {
		sum, count, err = d.silent(s.ctx, features, variance)
	}
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case err != nil:
		m.Reason = "the eigenvalues of the kernel could not be computed"
		return nil
	case count == 0:
		m.Reason = "the kernel can follow any means, because it is less certain than the noise at each of them"
		m.propose()
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
	m.propose()
	return nil
}

// propose sets Remedy if one of the two tests rejects. The likelihood-ratio test can reject where the first test cannot: a
// kernel may follow rough means everywhere.
func (m *Misfit) propose() {
	if m.Nugget > 0 && m.rejects() < misfitLevel {
		m.Remedy = fmt.Sprintf("+ %.3g*identity()", m.Nugget)
	}
}

// rejects returns the smaller p-value of the two tests.
func (m Misfit) rejects() float64 {
	if m.Test == "" {
		return m.GainP
	}
	return min(m.PValue, m.GainP)
}

// widened returns larger variances of means, for standard deviations estimated from single arms. Student's t with ν
// degrees of freedom has variance ν/(ν-2).
func (d *data) widened(variance []float64) []float64 {
	out := make([]float64, len(variance))
	for i, v := range variance {
		freedom := max(d.count[i]-1, 3)
		out[i] = v * freedom / (freedom - 2)
	}
	return out
}

// pureError returns the pooled variance within arms divided by the assumed noise variance. variance has the variances of
// means.
func (d *data) pureError(variance []float64) float64 {
	sum := 0.0
	for i, s := range d.squares {
		sum += s / (variance[i] * d.count[i])
	}
	return sum / d.freedom
}

// silent returns the sum of squares of the coordinates in which the kernel's variance is at most that of the noise, each
// divided by its standard deviation. count is their number. The kernel has the eigenvalues of its features, and 0 in all
// other directions.
func (d *data) silent(ctx context.Context, features *mat.Dense, variance []float64) (sum float64, count int, err error) {
	m, n := features.Dims()
	rows := mat.NewDense(m+1, n, nil) // Φ and y
	rows.Copy(features)
	rows.SetRow(m, d.y)
	rows, outside := gp.OverRoot(rows, variance), n
	if d.levels != nil { // the columns are orthogonal, because each level has its own arms
		levels := gp.OverRoot(d.levels.T(), variance)
		q, _ := levels.Dims()
		for j := range q {
			row := levels.RawRowView(j)
			floats.Scale(1/floats.Norm(row, 2), row)
		}
		var along, fitted mat.Dense
		along.Mul(rows, levels.T())
		fitted.Mul(&along, levels)
		rows.Sub(rows, &fitted)
		outside -= q
	}
	var products mat.SymDense
	products.SymOuterK(1, rows)
	values, vectors, err := eigen.Decompose(ctx, products.SliceSym(0, m).(*mat.SymDense))
	if err != nil {
		return 0, 0, err
	}
	var z mat.VecDense
	z.MulVec(vectors.T(), mat.NewVecDense(m, mat.Col(nil, m, &products)[:m]))
	take := func(square, mu float64, directions int) {
		if mu <= 1 {
			sum, count = sum+square/(1+mu), count+directions
		}
	}
	residual := products.At(m, m)
	for j, mu := range values { // the coordinate of y along eigenvector j is z_j/√μ_j
		if mu > 1e-12*values[m-1] {
			square := z.AtVec(j) * z.AtVec(j) / mu
			residual, outside = residual-square, outside-1
			take(square, mu, 1)
		}
	}
	take(max(residual, 0), 0, outside)
	return sum, count, nil
}

// nugget fits the kernel with a further term g*identity(), and tests its absence. All other numbers are fitted again,
// because a kernel without the term may follow rough means by short length scales. The test is a likelihood-ratio test
// with g = 0 at the boundary [Self and Liang 1987, case 5]. If the kernel already has such a term, nothing is computed.
func (f *Fit) nugget(s *surface, best optimum, opt Options) (err error) {
	defer try.Caught(&err)
	variance := best.process.variance
	scale := lists.Sum(variance, func(v float64) float64 { return v / float64(len(variance)) })
	const span = 1e4
	scale = round(scale)
	if slices.ContainsFunc(s.kernel.Terms, ownOfArms) {
		return nil
	}
	g := kernels.Free{Value: scale, Min: scale / span, Max: scale * span}
	added := try.Of(kernels.LiftBoth(kernels.Mul(g, kernels.Identity{})))
	other := try.Of(s.beside(s.d, kernels.AddJoint(s.kernel, added), opt.Noise))
	at := len(other.free) - 1 // of g
	if other.noise {
		at--
	}
	found := try.Of(other.search(opt.Starts, slices.Insert(slices.Clone(best.values), at, scale)))
	m := &f.Misfit
	if m.Gain = found.likelihood - best.likelihood; m.Gain <= 0 {
		m.Gain = 0
		return nil
	}
	m.Nugget = found.values[at]
	m.GainP = 0.5 * distuv.ChiSquared{K: 1}.Survival(2*m.Gain)
	k, err := other.settled(found.values)
	m.Mended = k.String()
	return err
}

// ownOfArms reports whether term t is a number times identity().
func ownOfArms(t kernels.Term) bool {
	_, arm := t.Arm.(kernels.Identity)
	if p, ok := t.Task.(kernels.Product); ok {
		t.Task = p.Factors[len(p.Factors)-1]
	}
	_, task := t.Task.(kernels.Identity)
	return arm && task
}
