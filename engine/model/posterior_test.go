package model

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// krigingOf returns universal kriging in textbook form [RW06, eq. 2.41 and 2.42] with a constant as the only regressor, on the Gram
// matrix: means and covariance of all arms, and -2 times the restricted log-likelihood with the penalty log √scale, reward units. With a
// known prior mean it is simple kriging.
func krigingOf(t *testing.T, p *problem.Problem, level engine.Level, scale, own float64, counts []int, means []float64) (mean []float64, covariance *mat.Dense, likelihood float64) {
	t.Helper()
	gram := try.Of(p.Kernel.On(context.Background(), p.Tasks, p.Arms, p.TaskOf))
	n := p.N()
	k := mat.NewDense(n, n, nil)
	var seen []int
	for i := range n {
		gram.Row(k.RawRowView(i), i)
		if counts[i] > 0 {
			seen = append(seen, i)
		}
	}
	k.Scale(scale, k)
	for i := range n {
		k.Set(i, i, k.At(i, i)+own)
	}
	o := len(seen)
	cross, inner := mat.NewDense(n, o, nil), mat.NewSymDense(o, nil)
	y, ones := mat.NewVecDense(o, nil), mat.NewVecDense(o, nil)
	for a, i := range seen {
		for j := range n {
			cross.Set(j, a, k.At(j, i))
		}
		for b, j := range seen {
			inner.SetSym(a, b, k.At(i, j))
		}
		inner.SetSym(a, a, inner.At(a, a)+p.Noise.Scales[i]*p.Noise.Scales[i]/float64(counts[i]))
		y.SetVec(a, means[i]-level.Value)
		ones.SetVec(a, 1)
	}
	var chol mat.Cholesky
	if !chol.Factorize(inner) {
		t.Fatal("not positive definite")
	}
	var weight, solved mat.VecDense // Σ⁻¹1, Σ⁻¹(y - β)
	_ = chol.SolveVecTo(&weight, ones)
	total := mat.Dot(ones, &weight)
	beta := level.Value
	likelihood = chol.LogDet() - math.Log(scale)
	if !level.Known {
		beta = mat.Dot(&weight, y) / total
		for a := range o {
			y.SetVec(a, y.AtVec(a)-beta)
		}
		likelihood += math.Log(total)
	}
	_ = chol.SolveVecTo(&solved, y)
	likelihood += mat.Dot(y, &solved)
	var m mat.VecDense
	m.MulVec(cross, &solved)
	var gain, half mat.Dense
	_ = chol.SolveTo(&half, cross.T())
	gain.Mul(cross, &half)
	covariance = mat.NewDense(n, n, nil)
	covariance.Sub(k, &gain)
	mean = make([]float64, n)
	for i := range n {
		mean[i] = beta + m.AtVec(i)
	}
	if !level.Known {
		var explained mat.VecDense
		explained.MulVec(half.T(), ones)
		for i := range n {
			for j := range n {
				covariance.Set(i, j, covariance.At(i, j)+(1-explained.AtVec(i))*(1-explained.AtVec(j))/total)
			}
		}
	}
	return mean, covariance, likelihood
}

// pulled returns counts, with arms that were not pulled, and noisy means around a level.
func pulled(p *problem.Problem, level float64) (counts []int, means []float64) {
	rng := rand.New(rand.NewPCG(3, 4))
	counts, means = make([]int, p.N()), make([]float64, p.N())
	for i := range counts {
		if counts[i] = (i * 7) % 4; counts[i] > 0 {
			means[i] = level + p.Mean[i] + p.Noise.Scales[i]/math.Sqrt(float64(counts[i]))*rng.NormFloat64()
		}
	}
	return counts, means
}

// The posterior in features equals the textbook's on the Gram matrix, with an unknown or stated prior mean, a stated scale, and
// independent effects; and the fitted numbers have the largest likelihood.
func TestPosteriorIsUniversalKriging(t *testing.T) {
	for _, p := range append(enginetest.Instances(t), fine(t)) {
		m := try.Of(New(p, 0))
		counts, means := pulled(p, 45)
		for _, prior := range []Prior{
			{Scale: 1}, {Scale: 0.2}, {Level: engine.Level{Known: true, Value: 44}, Scale: 1},
			{}, {Level: engine.Level{Known: true, Value: 44}},
		} {
			post := try.Of(NewPosterior(m, prior, counts, means))
			if prior.Scale > 0 && math.Abs(post.Scale-prior.Scale) > 1e-12 {
				t.Errorf("%s: scale %g, stated %g", p.Name, post.Scale, prior.Scale)
			}
			if prior.Scale > 0 && post.Own != 0 {
				t.Errorf("%s: a part by itself of %g beside a scale that is stated", p.Name, post.Own)
			}
			if prior.Scale == 0 && hasCopies(m) {
				continue // arms with equal features share one effect, which the oracle does not model
			}
			mean, covariance, least := krigingOf(t, p, prior.Level, post.Scale, post.Own, counts, means)
			got := post.Estimates(means)
			for i := range mean {
				if math.Abs(got[i]*m.Unit-mean[i]) > 1e-7 {
					t.Fatalf("%s, %+v: mean %g of arm %d, want %g", p.Name, prior, got[i]*m.Unit, i, mean[i])
				}
				for j := range mean {
					want := covariance.At(i, i) + covariance.At(j, j) - 2*covariance.At(i, j)
					if v := post.Variance(i, j) * m.Unit * m.Unit; math.Abs(v-want) > 1e-7*(1+want) {
						t.Fatalf("%s, %+v: variance %g of arms %d and %d, want %g", p.Name, prior, v, i, j, want)
					}
				}
			}
			if prior.Scale > 0 {
				continue
			}
			for _, factor := range []float64{0.01, 0.1, 0.5, 0.9, 1.1, 2, 10, 100} {
				if _, _, other := krigingOf(t, p, prior.Level, factor*post.Scale, post.Own, counts, means); other < least-1e-7 {
					t.Errorf("%s, %+v: scale %g has a deviance of %g, and %g times that has %g", p.Name, prior, post.Scale, least, factor, other)
				}
			}
		}
	}
}

// fine returns a problem whose kernel has more features than are decomposed.
func fine(t *testing.T) *problem.Problem {
	t.Helper()
	p := wavy(t, 80)
	p.Kernel = kernels.Joint{Terms: append(p.Kernel.Terms, kernels.Term{Scale: 0.5, Task: kernels.Identity{}, Arm: kernels.Identity{}})}
	m := try.Of(New(p, 0))
	if _, dim := m.Features.Dims(); dim <= mostDecomposed {
		t.Fatalf("%d features, want more than %d", dim, mostDecomposed)
	}
	return p
}

// hasCopies reports whether some arms have equal features.
func hasCopies(m *Model) bool {
	for i, first := range m.Layout.First {
		if i != first {
			return true
		}
	}
	return false
}

// With an unknown prior mean, the posterior is invariant under constants added to the rewards or the kernel, however large; with a fitted
// scale, under factors on the kernel.
func TestPosteriorIsEquivariant(t *testing.T) {
	p := enginetest.Instances(t)[3]
	counts, means := pulled(p, 0)
	posterior := func(k kernels.Joint, prior Prior, level float64) (estimates []float64, variance float64, scale float64) {
		m := try.Of(New(p.WithKernel(k), 0))
		shifted := make([]float64, len(means))
		for i := range means {
			shifted[i] = means[i] + level
		}
		post := try.Of(NewPosterior(m, prior, counts, shifted))
		estimates = post.Estimates(shifted)
		for i := range estimates {
			estimates[i] = estimates[i]*m.Unit - level
		}
		return estimates, post.Variance(0, 5), post.Scale
	}
	constant := func(c float64) kernels.Joint {
		return kernels.Joint{Terms: append(append([]kernels.Term{}, p.Kernel.Terms...), kernels.Term{Scale: c})}
	}
	scaled := func(c float64) kernels.Joint {
		k := kernels.Joint{Terms: append([]kernels.Term{}, p.Kernel.Terms...)}
		k.Terms[0].Scale *= c
		return k
	}
	want, variance, scale := posterior(p.Kernel, Prior{}, 0)
	wantStated, _, _ := posterior(p.Kernel, Prior{Scale: 1}, 0)
	for _, row := range []struct {
		name   string
		kernel kernels.Joint
		prior  Prior
		level  float64
		factor float64 // of the scale
	}{
		{"rewards + 1e6", p.Kernel, Prior{}, 1e6, 1},
		{"a constant of 1", constant(1), Prior{}, 0, 1},
		{"a constant of 1e6", constant(1e6), Prior{}, 45, 1},
		{"a constant of 1e6, scale stated", constant(1e6), Prior{Scale: 1}, 45, 1},
		{"kernel × 1e-4", scaled(1e-4), Prior{}, 0, 1e4},
		{"kernel × 1e4", scaled(1e4), Prior{}, 45, 1e-4},
	} {
		got, v, s := posterior(row.kernel, row.prior, row.level)
		against := want
		if row.prior.Scale > 0 {
			against = wantStated
		} else if math.Abs(s/(scale*row.factor)-1) > 1e-3 || math.Abs(v/variance-1) > 1e-4 {
			t.Errorf("%s: scale %g and variance %g, want %g and %g", row.name, s, v, scale*row.factor, variance)
		}
		for i := range got {
			if math.Abs(got[i]-against[i]) > 1e-4 {
				t.Errorf("%s: mean %g of arm %d, want %g", row.name, got[i], i, against[i])
			}
		}
	}
}

// With at most one measured contrast nothing is fitted to it: means are unchanged.
func TestPosteriorOfFewData(t *testing.T) {
	p := enginetest.Line(t)
	m := try.Of(New(p, 0))
	post := try.Of(NewPosterior(m, Prior{}, []int{0, 2, 0, 0}, []float64{0, 45, 0, 0}))
	if got := post.Estimates([]float64{0, 45, 0, 0})[1] * m.Unit; post.Scale != 1 || math.Abs(got-45) > 1e-9 || post.PValue(math.Inf(1)) != 1 {
		t.Errorf("one arm: mean %g at scale %g, want 45 at 1", got, post.Scale)
	}
	two := []float64{40, 0, 0, 46}
	post = try.Of(NewPosterior(m, Prior{}, []int{2, 0, 0, 2}, two))
	if got := post.Estimates(two); math.Abs(got[1]*m.Unit-42) > 1e-4 || math.Abs(got[3]*m.Unit-46) > 1e-4 {
		t.Errorf("two arms: means %v times %g, want the line through 40 and 46", got, m.Unit)
	}
	if _, err := NewPosterior(m, Prior{}, make([]int, 4), make([]float64, 4)); err == nil {
		t.Error("a posterior of no data must be an error")
	}
}

// With a constant feature a kernel can represent any level, and without it not; unrepresentable arms stay so.
func TestLevelled(t *testing.T) {
	p := enginetest.Line(t)
	p.Kernel = kernels.Joint{Terms: []kernels.Term{{Scale: 1, Arm: kernels.Linear{}}}}
	for _, row := range []struct {
		mean        []float64
		plain, with Fidelity
	}{
		{[]float64{0, 1, 2, 3}, Faithful, Faithful},
		{[]float64{45, 46, 47, 48}, Foreign, Faithful},
		{[]float64{45, 46, 48, 47}, Foreign, Foreign},
	} {
		p.Mean = row.mean
		m := try.Of(New(p, 0))
		if plain, with := m.Truth().Fidelity(0), m.Levelled().Truth().Fidelity(0); plain != row.plain || with != row.with {
			t.Errorf("%v: fidelity %d and %d with a constant, want %d and %d", row.mean, plain, with, row.plain, row.with)
		}
	}
}
