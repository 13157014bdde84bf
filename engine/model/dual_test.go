package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// wavy returns a problem of two tasks whose arms have two random features under an RBF kernel, with one duplicate arm and unequal noise.
func wavy(t testing.TB, n int) *problem.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 4))
	names, x, taskOf := make([]string, n), make([][]float64, n), make([]int, n)
	mean, noise := make([]float64, n), make([]float64, n)
	for i := range n {
		names[i], taskOf[i] = fmt.Sprint("arm ", i), i*2/n
		if x[i] = []float64{rng.Float64() * 2, rng.Float64() * 2}; i == n/4 {
			x[i] = slices.Clone(x[0])
		}
		mean[i], noise[i] = math.Sin(2*x[i][0])+x[i][1]*float64(taskOf[i]), 0.2+0.2*rng.Float64()
	}
	arms := try.Of(kernels.NewPoints([]string{"x_1", "x_2"}, names, x))
	tasks := try.Of(kernels.NewPoints([]string{"z_1"}, []string{"a", "b"}, [][]float64{{0}, {0.7}}))
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 2.5, Task: kernels.RBF{}, Arm: kernels.RBF{}}}}
	return try.Of(problem.New("wavy", tasks, arms, taskOf, k, noise, mean))
}

// apartWavy returns the same of tasks that have nothing in common.
func apartWavy(t testing.TB, n int) *problem.Problem {
	return wavy(t, n).WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 2.5, Task: kernels.Identity{}, Arm: kernels.Matern{Nu: 0.5}}}})
}

// some returns counts on about every third arm, on the first quarter, or on two arms, with noisy means around a level.
func some(p *problem.Problem, few bool) (counts []int, means []float64) {
	rng := rand.New(rand.NewPCG(3, 4))
	counts, means = make([]int, p.N()), make([]float64, p.N())
	for i := range counts {
		if counts[i] = max(0, (i*7)%5-2); few && i > 3 {
			counts[i] = 0
		}
		if counts[i] > 0 {
			means[i] = 45 + p.Mean[i] + p.Noise.Scales[i]/math.Sqrt(float64(counts[i]))*rng.NormFloat64()
		}
	}
	return counts, means
}

// exactly returns the means of arms in a basis without residuals.
func exactly(t *testing.T, m *Model, level engine.Level, counts []int, means []float64) *pulledMeans {
	t.Helper()
	d := newPulledMeans(m, level, counts, means)
	b := try.Of(newBasis(m.Gram(), m.Variances()).extended(t.Context(), d.arms, everything(len(d.arms))))
	d.basis = b.knowing(d.arms)
	return d
}

// everything returns weights of arms whose least rest counts.
func everything(n int) []float64 { return slices.Repeat([]float64{1e12}, n) }

// The posterior on the basis of the pulled arms is universal kriging on the whole Gram matrix: means, and covariances by each way of
// computing them.
func TestDualPosteriorIsUniversalKriging(t *testing.T) {
	for _, p := range append(enginetest.Instances(t), wavy(t, 70), apartWavy(t, 70)) {
		m := try.Of(New(p, 0))
		for _, few := range []bool{false, true} {
			counts, means := some(p, few)
			for _, prior := range []Prior{
				{Scale: 1}, {Scale: 0.2}, {Level: engine.Level{Known: true, Value: 44}, Scale: 1},
				{}, {Level: engine.Level{Known: true, Value: 44}},
			} {
				d := exactly(t, m, prior.Level, counts, means)
				c := try.Of(d.fit(prior.Scale*d.natural, prior.FitsOwn()))
				post, _ := try.Two(c.posterior(c.scale))
				checkKriging(t, m, prior, post, counts, means)
			}
			// a part of arms by themselves, as large as the noise
			d := exactly(t, m, engine.Level{}, counts, means)
			c := try.Of(d.around(0.4, 0))
			post, _ := try.Two(c.posterior(c.scale))
			checkKriging(t, m, Prior{}, post, counts, means)
		}
	}
}

// Dropping residuals from the basis of a smooth kernel is harmless for any fitted scale: it changes means by at most a twentieth of their
// standard deviations and variances by a hundredth.
func TestNegligibleRest(t *testing.T) {
	p := wavy(t, 400).WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 2e-3, Task: kernels.RBF{Lengthscale: []float64{2}}, Arm: kernels.RBF{Lengthscale: []float64{3}}}}})
	m := try.Of(New(p, 0))
	counts, means := some(p, false)
	for _, prior := range []Prior{{Scale: 1}, {Scale: 1e4}, {}} {
		post := try.Of(newDualPosterior(m, prior, nil, counts, means))
		d := exactly(t, m, prior.Level, counts, means)
		c := try.Of(d.around(post.Own/(m.Unit*m.Unit), post.Scale*d.natural))
		want, _ := try.Two(c.posterior(c.scale))
		if few, all := post.dual.(*dual).basis.dim, d.basis.dim; few >= all {
			t.Errorf("%+v: %d columns, exactly %d", prior, few, all)
		}
		got, exact := post.Estimates(means), want.Estimates(means)
		for i := range got {
			v, w := post.ArmVariance(i), want.ArmVariance(i)
			if math.Abs(v/w-1) > 1e-2 || math.Abs(got[i]-exact[i]) > 5e-2*m.Unit*math.Sqrt(w) {
				t.Fatalf("%+v: mean %.9g and variance %.9g of arm %d, exactly %.9g and %.9g", prior, got[i], v, i, exact[i], w)
			}
		}
	}
}

// Members of a mixture over tasks that have nothing in common are universal kriging, too, in groups.
func TestDividedMixture(t *testing.T) {
	rough := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Matern{Nu: 1.5, Lengthscale: []float64{0.5}}}}}
	p := enginetest.Unrelated(t, 6, []float64{0, 1, 3, 2, 0, 1, 1, 2, 0, 1, 4, 2}).WithKernel(rough)
	m := try.Of(New(p, 0))
	counts, means := some(p, false)
	for i := range 12 { // a task without any pull
		counts[i] = 0
	}
	x := try.Of(ContinuedMixture(m, Prior{}, nil, counts, means, nil, 1e-3))
	for _, of := range x.Members {
		if of.Groups() == nil {
			t.Fatal("the posterior is not in groups")
		}
		checkKriging(t, m, Prior{}, of.Posterior, counts, means)
	}
}

// So is a posterior in groups, for tasks with a common part, a part of each task, and one of each arm; some tasks have no pulls.
func TestGroupedPosteriorIsUniversalKriging(t *testing.T) {
	one, rbf := kernels.Identity{}, kernels.RBF{Lengthscale: []float64{1}}
	for _, terms := range [][]kernels.Term{
		{{Scale: 1, Arm: one}, {Scale: 2, Task: one}, {Scale: 0.3, Task: one, Arm: one}, {Scale: 40}},
		{{Scale: 1, Arm: kernels.RBF{Lengthscale: []float64{2}}}, {Scale: 0.4, Task: one, Arm: kernels.RBF{Lengthscale: []float64{2}}}, {Scale: 1, Arm: kernels.Linear{}}},
		{{Scale: 0.5, Arm: one}, {Scale: 1, Task: one, Arm: one}},
		{{Scale: 1, Arm: kernels.Linear{}}},
		{{Scale: 1, Task: kernels.Linear{}}, {Scale: 1, Task: kernels.Linear{}, Arm: kernels.Linear{}}, {Scale: 0.01, Task: one, Arm: rbf}},
		{{Scale: 1, Task: one, Arm: one}},
	} {
		kernel := kernels.Joint{Terms: terms}
		p := repeated(t, 24, 5).WithKernel(kernel)
		m := try.Of(New(p, 0))
		counts, means := some(p, false)
		for i := range 20 {
			counts[i] = 0
		}
		on, err := m.grouped()
		if err != nil || on == nil {
			t.Fatalf("%s: no groups, error %v", kernel, err)
		}
		for _, level := range []engine.Level{{}, {Known: true, Value: 44}} {
			for _, scale := range []float64{0, 0.2, 3} {
				post := try.Of(newGroupedPosterior(m, on, Prior{Level: level, Scale: scale}, counts, means))
				if scale > 0 { // the textbook's form loses digits at the scale that fits best
					checkKriging(t, m, Prior{Level: level, Scale: scale}, post, counts, means)
				}
				pulls := exactly(t, m, level, counts, means)
				of := try.Of(pulls.around(0.3, post.Scale*pulls.natural))
				want, likelihood := try.Two(of.posterior(of.scale))
				d := newGroupedMeans(m, on, level, counts, means)
				in := try.Of(d.around(0.3, of.scale))
				got, other := try.Two(in.posterior(of.scale))
				if scale > 0 {
					checkKriging(t, m, Prior{Level: level, Scale: scale}, got, counts, means)
				}
				if math.Abs(other-likelihood) > 1e-7*(1+math.Abs(likelihood)) || math.Abs(got.Surprise-want.Surprise) > 1e-7*(1+want.Surprise) ||
					math.Abs(got.Level-want.Level) > 1e-9*(1+math.Abs(want.Level)) || got.Freedom != want.Freedom {
					t.Errorf("%s: likelihood %.12g, surprise %.12g, level %.12g, freedom %d; on the pulled arms %.12g, %.12g, %.12g, %d",
						kernel, other, got.Surprise, got.Level, got.Freedom, likelihood, want.Surprise, want.Level, want.Freedom)
				}
			}
		}
	}
}

// repeated returns a problem of tasks with the same arms.
func repeated(t *testing.T, tasks, arms int) *problem.Problem {
	t.Helper()
	p := wavy(t, tasks*arms)
	names, x, at := make([]string, p.N()), make([][]float64, p.N()), make([]int, p.N())
	var tasksAt [][]float64
	for i := range names {
		names[i], at[i] = fmt.Sprint(i%arms), i/arms
		x[i] = []float64{p.Arms.X[0][i%arms+1], p.Arms.X[1][i%arms+1]}
	}
	for v := range tasks {
		tasksAt = append(tasksAt, []float64{math.Sin(float64(v))})
	}
	points := try.Of(kernels.NewPoints(p.Arms.Columns, names, x))
	of := try.Of(kernels.NewPoints([]string{"z"}, lists.Make(tasks, strconv.Itoa), tasksAt))
	return try.Of(problem.New("repeated", of, points, at, p.Kernel, p.Noise.Scales, p.Mean))
}

// So is the one in features of as many arms, which designs are made in.
func TestPosteriorInFeaturesOfManyArms(t *testing.T) {
	p := wavy(t, mostOwn+20).WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 1.5, Task: kernels.RBF{}, Arm: kernels.Linear{}}}})
	m := try.Of(New(p, 0))
	m = try.Of(m.Exact())
	counts, means := some(p, false)
	for _, prior := range []Prior{{Scale: 0.2, InFeatures: true}, {InFeatures: true}} {
		post := try.Of(NewPosterior(m, prior, counts, means))
		if post.Own != 0 || post.White == nil {
			t.Errorf("a part of %v by each arm itself, features: %t", post.Own, post.White != nil)
		}
		checkKriging(t, m, prior, post, counts, means)
	}
}

// checkKriging compares a posterior with krigingOf at its own numbers.
func checkKriging(t *testing.T, m *Model, prior Prior, post *Posterior, counts []int, means []float64) {
	t.Helper()
	p, square := m.Problem, m.Unit*m.Unit
	mean, covariance, _ := krigingOf(t, p, prior.Level, post.Scale, post.Own, counts, means)
	got := post.Estimates(means)
	all := make([]int, p.N())
	for i := range all {
		all[i] = i
	}
	alone := try.Of(post.ArmVariances(all))
	from, with := make([]float64, p.N()), make([]float64, p.N())
	const tolerance = 1e-9
	// the oracle's variances are differences of numbers of the size of the prior's
	before := post.Scale*m.Diagonal + post.Own
	near := func(what string, got, want, size float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance*(1+size) {
			t.Fatalf("%s, %+v, own %g: %s is %.12g, want %.12g", p.Name, prior, post.Own, what, got, want)
		}
	}
	for i := range all {
		near(fmt.Sprint("the mean of arm ", i), got[i]*m.Unit, mean[i], 45)
		near(fmt.Sprint("the variance of arm ", i), alone[i]*square, covariance.At(i, i), before)
		near(fmt.Sprint("the variance of arm ", i), post.ArmVariance(i)*square, covariance.At(i, i), before)
		try.To(post.VariancesFrom(from, all, i))
		post.Covariances(with, all, i)
		for j := range all {
			size := covariance.At(i, i) + covariance.At(j, j)
			want := size - 2*covariance.At(i, j)
			near(fmt.Sprint("the variance between ", i, " and ", j), post.Variance(i, j)*square, want, before)
			near(fmt.Sprint("the variance of ", j, " from ", i), from[j]*square, want, before)
			near(fmt.Sprint("the covariance of ", j, " with ", i), with[j]*square, covariance.At(i, j), before)
		}
	}
}

// The likelihood on the basis equals the one in features of all arms, for any part of arms by themselves,
// and so are the scale that it is largest at, and the surprise.
func TestDualLikelihood(t *testing.T) {
	for _, p := range append(enginetest.Instances(t), wavy(t, 70), apartWavy(t, 70)) {
		m := try.Of(New(p, 0))
		counts, means := some(p, false)
		for _, level := range []engine.Level{{}, {Known: true, Value: 44.5}} {
			features := newMeans(m, level, false, counts, means)
			pulls := exactly(t, m, level, counts, means)
			for _, own := range []float64{0, 0.1, 2} {
				for _, scale := range []float64{0, 0.3, 5} {
					want := try.Of(features.centred(own, scale))
					got := try.Of(pulls.around(own, scale))
					if math.Abs(math.Log(got.scale/want.scale)) > 1e-4 {
						t.Errorf("%s, own %g: scale %g, want %g", p.Name, own, got.scale, want.scale)
					}
					if math.Abs(got.likelihood()-want.likelihood()) > 1e-7*(1+math.Abs(want.likelihood())) {
						t.Errorf("%s, own %g, scale %g: likelihood %.12g, want %.12g", p.Name, own, scale, got.likelihood(), want.likelihood())
					}
					try.Of(want.formed(true))
					if s := want.surprise(); math.Abs(got.surprise()-s) > 1e-4*(1+s) {
						t.Errorf("%s, own %g, scale %g: surprise %.12g, want %.12g", p.Name, own, scale, got.surprise(), s)
					}
				}
			}
		}
	}
}

// A basis extended step by step, and one that shares its numbers with another, has the same span as the basis of all arms at once;
// residuals are never negative.
func TestBasis(t *testing.T) {
	p := wavy(t, 90)
	m := try.Of(New(p, 0))
	gram := mat.NewSymDense(p.N(), nil)
	for i := range p.N() {
		row := make([]float64, p.N())
		m.Gram().Row(row, i)
		for j := range i + 1 {
			gram.SetSym(i, j, row[j])
		}
	}
	empty := newBasis(m.Gram(), m.Variances())
	check := func(name string, b *basis, arms []int) {
		t.Helper()
		for i := range p.N() {
			for j := range p.N() {
				product := Dot(b.row(i), b.row(j))
				if left := gram.At(i, j) - product; math.Abs(left-b.outside(i, j)) > 1e-11 || i == j && left < -1e-11 {
					t.Fatalf("%s: %g is left of arms %d and %d, stated %g", name, left, i, j, b.outside(i, j))
				}
			}
		}
		for _, i := range arms {
			if !b.inside[i] || b.rest[i] != 0 {
				t.Errorf("%s: arm %d is not in the span", name, i)
			}
		}
	}
	ctx := t.Context()
	one := try.Of(empty.extended(ctx, []int{3, 40, 7}, everything(3)))
	check("three arms", one, []int{3, 40, 7})
	two := try.Of(one.extended(ctx, []int{0, 3, 22, 61, 62, 63}, everything(6))) // 22 has the features of 0
	other := try.Of(one.extended(ctx, []int{80, 81}, everything(2)))             // another way from the same basis
	check("five more", two, []int{3, 40, 7, 0, 22, 61, 62, 63})
	check("two others", other, []int{3, 40, 7, 80, 81})
	check("three arms", one, []int{3, 40, 7})
	if two.dim != 7 {
		t.Errorf("%d columns of eight arms, two being the same", two.dim)
	}
	all := make([]int, p.N())
	for i := range all {
		all[i] = i
	}
	whole := try.Of(two.extended(ctx, all, everything(p.N())))
	check("all arms", whole, all)
}

// A posterior that continues from one of other data equals a fresh one, and does not depend on the number of cores.
func TestFurtherPosterior(t *testing.T) {
	p := wavy(t, 1200) // several blocks of rows
	var first []float64
	for _, n := range []int{1, 2, 5} {
		m := try.Of(NewContext(cores.Within(t.Context(), n), p, 0))
		counts, means := some(p, true)
		before := try.Of(NewPosterior(m, Prior{}, counts, means))
		counts, means = some(p, false)
		for i := 200; i < p.N(); i++ {
			counts[i] = 0
		}
		further := try.Of(FurtherPosterior(m, Prior{}, before, counts, means))
		afresh := try.Of(NewPosterior(m, Prior{}, counts, means))
		if math.Abs(further.Scale/afresh.Scale-1) > 1e-3 {
			t.Errorf("scale %g, at once %g", further.Scale, afresh.Scale)
		}
		got, want := further.Estimates(means), afresh.Estimates(means)
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-2*m.Unit*math.Sqrt(further.ArmVariance(i)) {
				t.Fatalf("mean %g of arm %d, at once %g", got[i], i, want[i])
			}
		}
		if first == nil {
			first = got
		} else if !slices.Equal(first, got) {
			t.Errorf("the bits on %d cores differ from those on one", n)
		}
	}
}
