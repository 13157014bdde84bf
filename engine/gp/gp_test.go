package gp_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// instance is a regression of n observations along m features with a diagonal, computed by inverses alone.
type instance struct {
	features *mat.Dense // m × n
	noise    []float64
	basis    *mat.Dense
	y        []float64
	sigma    *mat.SymDense
}

func newInstance(n, m int, seed uint64) instance {
	rng := rand.New(rand.NewPCG(seed, 1))
	in := instance{features: mat.NewDense(m, n, nil), basis: mat.NewDense(n, 2, nil), sigma: mat.NewSymDense(n, nil)}
	in.features.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, in.features)
	in.sigma.SymOuterK(1, in.features.T())
	for i := range n {
		in.noise, in.y = append(in.noise, 0.1+rng.Float64()), append(in.y, 3+rng.NormFloat64())
		in.basis.Set(i, i%2, 1)
		in.sigma.SetSym(i, i, in.sigma.At(i, i)+in.noise[i])
	}
	return in
}

func (in instance) covariances(t *testing.T) map[string]gp.Covariance {
	t.Helper()
	copied := mat.NewSymDense(len(in.y), nil)
	copied.CopySym(in.sigma)
	dense := try.Of(gp.NewDense(copied))
	low := try.Of(gp.NewLowRank(in.features, in.noise))
	return map[string]gp.Covariance{"dense": dense, "low rank": low}
}

// logDensity returns log N(y | 0, sigma) by an inverse and a determinant.
func logDensity(y []float64, sigma mat.Matrix) float64 {
	var inverse mat.Dense
	if err := inverse.Inverse(sigma); err != nil {
		return math.NaN()
	}
	v := mat.NewVecDense(len(y), y)
	logDet, _ := mat.LogDet(sigma)
	return -0.5 * (mat.Inner(v, &inverse, v) + logDet + float64(len(y))*math.Log(2*math.Pi))
}

// with returns Σ + v HHᵀ.
func (in instance) with(v float64) *mat.Dense {
	var out mat.Dense
	out.Mul(in.basis, in.basis.T())
	out.Scale(v, &out)
	out.Add(&out, in.sigma)
	return &out
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Errorf("%s: %.12g, want %.12g", what, got, want)
	}
}

// The evidence is the density of the observations, a prior of the coefficients included; a flat prior is the limit of wide ones.
func TestEvidence(t *testing.T) {
	for _, n := range []int{7, 330} { // both ways to factor
		in := newInstance(n, 5, 2)
		for kind, sigma := range in.covariances(t) {
			data := []gp.Data{{Targets: in.y}, {Targets: in.y, Basis: in.basis, Precision: 0.25}, {Targets: in.y, Basis: in.basis}}
			const wide = 1e8 // N(0, wide) has the density (2π wide)^-½ where the flat prior has 1
			for k, want := range []float64{
				logDensity(in.y, in.sigma), logDensity(in.y, in.with(4)), logDensity(in.y, in.with(wide)) + math.Log(2*math.Pi*wide),
			} {
				r := try.Of(gp.New(data[k], sigma))
				near(t, kind, r.Evidence, want, 1e-6)
				var weights, inverse mat.Dense
				_ = inverse.Inverse(in.with([]float64{0, 4, wide}[k])) // it only warns of a condition
				weights.Mul(&inverse, mat.NewVecDense(n, in.y))
				near(t, kind+" weight", r.Weights[3], weights.At(3, 0), 1e-6)
				for i, p := range r.Precisions() {
					near(t, kind+" precision", p, inverse.At(i, i), 1e-5)
				}
				near(t, kind+" log determinant", r.LogDet(), logDet(in.sigma), 1e-9)
			}
		}
		condition := mat.Cond(in.sigma, 1)
		for kind, sigma := range in.covariances(t) {
			if c := sigma.Cond(); c < condition/3 {
				t.Errorf("%s: condition %g, want about %g or more", kind, c, condition)
			}
		}
	}
}

func logDet(m mat.Matrix) float64 {
	out, _ := mat.LogDet(m)
	return out
}

// Leaving an observation out in closed form is what leaving it out is, by conditioning on the others.
func TestLeaveOneOut(t *testing.T) {
	in := newInstance(9, 4, 3)
	const v = 4
	all := in.with(v)
	for kind, sigma := range in.covariances(t) {
		r := try.Of(gp.New(gp.Data{Targets: in.y, Basis: in.basis, Precision: 1. / v}, sigma))
		mean, variance := r.LeaveOneOut()
		for i := range in.y {
			var others []int
			for j := range in.y {
				if j != i {
					others = append(others, j)
				}
			}
			m, s := conditional(all, in.y, []int{i}, others)
			near(t, kind+" mean", mean[i], m[0], 1e-9)
			near(t, kind+" variance", variance[i], s.At(0, 0), 1e-9)
		}
	}
}

// conditional returns mean and covariance of some entries of N(0, sigma) given others [RW06, eq. A.6].
func conditional(sigma mat.Matrix, y []float64, of, given []int) ([]float64, *mat.Dense) {
	part := func(rows, columns []int) *mat.Dense {
		out := mat.NewDense(len(rows), len(columns), nil)
		for a, i := range rows {
			for b, j := range columns {
				out.Set(a, b, sigma.At(i, j))
			}
		}
		return out
	}
	var inverse, gain, mean, taken mat.Dense
	_ = inverse.Inverse(part(given, given)) // it only warns of a condition
	gain.Mul(part(of, given), &inverse)
	values := mat.NewDense(len(given), 1, nil)
	for k, i := range given {
		values.Set(k, 0, y[i])
	}
	mean.Mul(&gain, values)
	taken.Mul(&gain, part(given, of))
	out := part(of, of)
	out.Sub(out, &taken)
	return mat.Col(nil, 0, &mean), out
}

// The gradient is the slope of the evidence by each entry of the covariance, as differences show.
func TestGradient(t *testing.T) {
	in := newInstance(6, 3, 4)
	for _, d := range []gp.Data{{Targets: in.y}, {Targets: in.y, Basis: in.basis}, {Targets: in.y, Basis: in.basis, Precision: 0.5}} {
		at := func(i, j int, by float64) float64 {
			moved := mat.NewSymDense(6, nil)
			moved.CopySym(in.sigma)
			moved.SetSym(i, j, moved.At(i, j)+by)
			c := try.Of(gp.NewDense(moved))
			r := try.Of(gp.New(d, c))
			return r.Evidence
		}
		for kind, sigma := range in.covariances(t) {
			r := try.Of(gp.New(d, sigma))
			noise := r.NoiseGradient()
			for i := range 6 {
				near(t, kind+" slope by noise", noise[i], (at(i, i, 1e-4)-at(i, i, -1e-4))/2e-4, 1e-6)
				for j := i + 1; j < 6 && kind == "dense"; j++ {
					near(t, "slope", 2*r.Gradient().At(i, j), (at(i, j, 1e-4)-at(i, j, -1e-4))/2e-4, 1e-6)
				}
			}
		}
	}
}

// Means, variances, covariances and draws of all points are those of the conditional law.
func TestPosterior(t *testing.T) {
	const n, m = 8, 3
	rng := rand.New(rand.NewPCG(5, 5))
	features, joint := mat.NewDense(n, m, nil), mat.NewDense(2*n, 2*n, nil) // f, then y
	features.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, features)
	var smooth mat.Dense
	smooth.Mul(features, features.T())
	own, y, given, at := make([]float64, n), make([]float64, 2*n), []int(nil), []int{1, 2, 4, 5, 7}
	noise := make([]float64, len(at))
	for i := range n {
		own[i] = 0.3 * rng.Float64()
		y[n+i] = rng.NormFloat64()
		for j := range n {
			for _, a := range []int{i, n + i} {
				for _, b := range []int{j, n + j} {
					joint.Set(a, b, smooth.At(i, j))
					if i == j {
						joint.Set(a, b, smooth.At(i, j)+own[i])
					}
				}
			}
		}
		joint.Set(n+i, n+i, joint.At(n+i, n+i)+0.4)
	}
	targets := make([]float64, len(at))
	for k, i := range at {
		targets[k], noise[k], given = y[n+i], 0.4, append(given, n+i)
	}
	points := []int{0, 1, 2, 3, 4, 5, 6, 7}
	mean, covariance := conditional(joint, y, points, given)
	p := try.Of(gp.NewBlocked(features, gp.Alone(own)).Posterior(t.Context(), gp.Observations{At: at, Y: targets, Noise: noise}))
	variances, differences, matrix := make([]float64, n), make([]float64, n), mat.NewSymDense(n, nil)
	p.AddVariances(variances)
	p.AddDifferences(differences, points, 3)
	p.AddCovariances(matrix, points)
	draws := mat.NewDense(20000, n, nil)
	p.Draw(rng, draws)
	var drawn mat.SymDense
	stat.CovarianceMatrix(&drawn, draws, nil)
	for i := range n {
		near(t, "mean", p.Mean[i], mean[i], 1e-9)
		near(t, "variance", variances[i], covariance.At(i, i), 1e-9)
		want := covariance.At(i, i) + covariance.At(3, 3) - 2*covariance.At(i, 3)
		near(t, "variance of a difference", differences[i], want, 1e-9)
		for j := range n {
			near(t, "covariance", matrix.At(i, j), covariance.At(i, j), 1e-9)
			near(t, "covariance of draws", drawn.At(i, j), covariance.At(i, j), 0.03)
		}
	}
	without := slices.DeleteFunc(slices.Clone(given), func(i int) bool { return i == n+4 })
	m4, s4 := conditional(joint, y, []int{4}, without)
	cavity, variance := gp.Cavity(p.Mean[4], variances[4], y[n+4], 0.4)
	near(t, "mean without an observation", cavity, m4[0], 1e-9)
	near(t, "variance without an observation", variance, s4.At(0, 0), 1e-9)
}

// At the mode the gradient of log p(y | f) - ½ fᵀK⁻¹f is 0, the evidence is Laplace's with determinants written out, and one count's
// nearly the integral.
func TestLaplace(t *testing.T) {
	in := newInstance(5, 3, 6)
	wins, trials := []float64{0, 3, 2, 5, 1}, []float64{4, 4, 9, 5, 2}
	l := try.Of(gp.NewLaplace(gp.DensePrior{SymDense: in.sigma}, wins, trials))
	low := try.Of(gp.NewLaplace(gp.LowRankPrior{Features: in.features, Own: in.noise}, wins, trials))
	near(t, "evidence along features", low.LogEvidence, l.LogEvidence, 1e-9)
	var inverse, pull mat.Dense
	_ = inverse.Inverse(in.sigma)
	f := mat.NewDense(5, 1, nil)
	f.Mul(in.sigma, mat.NewVecDense(5, l.Weights))
	pull.Mul(&inverse, f)
	want, b := 0.0, mat.DenseCopyOf(in.sigma)
	for i := range wins {
		p := gp.Logistic(f.At(i, 0))
		near(t, "slope at the mode", wins[i]-trials[i]*p, pull.At(i, 0), 1e-4)
		want += wins[i]*math.Log(p) + (trials[i]-wins[i])*math.Log(1-p) - 0.5*f.At(i, 0)*pull.At(i, 0)
		for j := range wins {
			q := gp.Logistic(f.At(j, 0))
			b.Set(i, j, b.At(i, j)*math.Sqrt(trials[i]*p*(1-p)*trials[j]*q*(1-q)))
		}
		b.Set(i, i, b.At(i, i)+1)
	}
	near(t, "evidence", l.LogEvidence, want-0.5*logDet(b), 1e-6)
	const variance, step = 11.0, 1e-3
	for _, x := range []struct{ wins, trials float64 }{{3, 10}, {0, 5}, {40, 40}, {55, 100}} {
		one := try.Of(gp.NewLaplace(gp.DensePrior{SymDense: mat.NewSymDense(1, []float64{variance})}, []float64{x.wins}, []float64{x.trials}))
		sum := 0.0
		for f := -30.0; f < 30; f += step {
			sum += step * math.Exp(x.wins*f-x.trials*math.Log1p(math.Exp(f))-f*f/(2*variance)) / math.Sqrt(2*math.Pi*variance)
		}
		if got, want := one.LogEvidence, math.Log(sum); math.Abs(got-want) > 0.25 {
			t.Errorf("%g of %g: log evidence %.4f, integral %.4f", x.wins, x.trials, got, want)
		}
	}
}

// A covariance that is not positive definite is reported.
func TestSingular(t *testing.T) {
	for _, n := range []int{2, 400} {
		if _, err := gp.NewDense(mat.NewSymDense(n, nil)); err != gp.ErrSingular {
			t.Errorf("%v", err)
		}
	}
}

// Planned observations change a blocked covariance like the whole matrix [RW06, eq. 2.24].
func TestPlanned(t *testing.T) {
	const n, m = 12, 3
	rng := rand.New(rand.NewPCG(5, 8))
	random := func(n, m int) *mat.Dense {
		return mat.NewDense(n, m, lists.Make(n*m, func(int) float64 { return rng.NormFloat64() }))
	}
	own := &gp.Blocks{}
	for i := range n {
		own.Block, own.At = append(own.Block, i%3), append(own.At, i/3)
	}
	for range 3 {
		within := mat.NewSymDense(n/3, nil)
		within.SymOuterK(1, random(n/3, n/3))
		own.Within = append(own.Within, within)
	}
	turned := gp.NewBlocked(random(n, m), own).Turn(0.2, gp.Observations{
		At: indices.All(n), Y: make([]float64, n), Noise: lists.Make(n, func(i int) float64 { return 1 + float64(i) }), Flat: true,
	})
	var scaled mat.Dense
	s := try.Of(turned.Posterior(t.Context(), 0.7, &scaled))
	all := indices.All(n)
	plan := s.Plan()
	want := mat.DenseCopyOf(plan.Covariance(all))
	try.Of(turned.Posterior(t.Context(), 2, &scaled)) // leaves the first one unchanged
	for _, i := range []int{4, 7, 4, 0, 11} {
		plan.Observe(i, 0.3)
		column := mat.VecDenseCopyOf(want.ColView(i))
		want.RankOne(want, -1/(column.AtVec(i)+0.3), column, column)
	}
	if got := plan.Covariance(all); !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("%v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
}
