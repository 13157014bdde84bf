package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The posterior of unrelated arms is the one on a basis without a part by itself, to rounding and, where the scale is fitted, the
// tolerance of its search.
func TestUnrelatedPosterior(t *testing.T) {
	p := wavy(t, 40).WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 2.5, Task: kernels.Identity{}, Arm: kernels.Identity{}}}})
	m := model(t, p)
	if !m.Relations().Unrelated() {
		t.Fatal("the arms are related")
	}
	counts := make([]int, 40)
	for i := range 25 {
		counts[i] = 1 + i%4
	}
	for _, prior := range []Prior{{Scale: 0.7}, {}, {Scale: 0.7, Level: engine.Level{Known: true, Value: 0.4}}, {Level: engine.Level{Known: true, Value: 0.4}}} {
		got, err := NewPosterior(m, prior.OnPulled(), counts, p.Mean)
		if err != nil {
			t.Fatal(err)
		}
		if _, special := got.dual.(*onTrees); !special {
			t.Fatalf("%+v: the posterior is a %T", prior, got.dual)
		}
		d := exactly(t, m, prior.Level, counts, p.Mean)
		c, err := d.fit(prior.Scale*d.natural, false)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := c.posterior(c.scale)
		if err != nil {
			t.Fatal(err)
		}
		tol := 1e-10
		if prior.Scale == 0 {
			tol = 4 * scaleTolerance
		}
		near := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
				t.Errorf("%+v: %s %.12g, want %.12g", prior, what, got, want)
			}
		}
		near("scale", got.Scale, want.Scale)
		near("surprise", got.Surprise, want.Surprise)
		near("level", got.Level, want.Level)
		if got.Freedom != want.Freedom {
			t.Errorf("%d degrees of freedom, want %d", got.Freedom, want.Freedom)
		}
		ours, theirs := got.Estimates(p.Mean), want.Estimates(p.Mean)
		all := []int{0, 3, 24, 25, 39}
		matrix, other := got.CovarianceMatrix(all), want.CovarianceMatrix(all)
		for k, i := range all {
			near("estimate", ours[i], theirs[i])
			near("variance", got.ArmVariance(i), want.ArmVariance(i))
			for l, j := range all {
				near("variance of a difference", got.Variance(i, j), want.Variance(i, j))
				near("covariance", matrix.At(k, l), other.At(k, l))
			}
		}
	}
}

// branches returns a problem under matern(0.5) along a line of each of two tasks, n arms in random order, or with a star of
// categories, under which all arms of a category have one value.
func branches(t *testing.T, n int, star bool) *problem.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 9))
	names, x, taskOf := make([]string, n), make([][]float64, n), make([]int, n)
	mean, noise := make([]float64, n), make([]float64, n)
	for i := range n {
		names[i], taskOf[i] = fmt.Sprint("arm ", i), i*2/n
		x[i] = []float64{30 * rng.Float64()}
		if star {
			x[i][0] = float64(i % 5)
		}
		mean[i], noise[i] = math.Sin(x[i][0])+float64(taskOf[i]), 0.2+0.2*rng.Float64()
	}
	arms, err := kernels.NewPoints([]string{"x"}, names, x)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := kernels.NewPoints([]string{"z"}, []string{"a", "b"}, [][]float64{{0}, {1}})
	if err != nil {
		t.Fatal(err)
	}
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 2.5, Task: kernels.Identity{}, Arm: kernels.Matern{Nu: 0.5, Lengthscale: []float64{0.7}}}}}
	if star {
		k = kernels.Joint{Terms: []kernels.Term{{Scale: 2.5, Task: kernels.Identity{}, Arm: kernels.Category{}}}}
	}
	p, err := problem.New("branches", tasks, arms, taskOf, k, noise, mean)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The posterior along trees is universal kriging on the whole Gram matrix, with and without a part of arms by themselves.
func TestTreePosteriorIsUniversalKriging(t *testing.T) {
	for _, star := range []bool{false, true} {
		p := branches(t, 80, star)
		m := model(t, p)
		trees, err := treesOf(m)
		if err != nil || trees == nil || trees.alone {
			t.Fatalf("no trees (%v)", err)
		}
		for _, few := range []bool{false, true} {
			counts, means := some(p, few)
			for _, prior := range []Prior{
				{Scale: 1}, {Scale: 0.2}, {Level: engine.Level{Known: true, Value: 44}, Scale: 1}, {}, {Level: engine.Level{Known: true, Value: 44}},
			} {
				post, err := NewPosterior(m, prior.OnPulled(), counts, means)
				if err != nil {
					t.Fatal(err)
				}
				checkKriging(t, m, prior, post, counts, means)
				c, err := newTreeMeans(m, trees, prior.Level, counts, means).around(0.4, 0)
				if err != nil {
					t.Fatal(err)
				}
				p, likelihood, err := c.posterior(c.scale)
				if err != nil {
					t.Fatal(err)
				}
				checkKriging(t, m, prior, p, counts, means)
				if want := c.likelihood(); likelihood != want {
					t.Errorf("%s: likelihood %v with the posterior, %v alone", m.Problem.Name, likelihood, want)
				}
			}
		}
	}
}

// Where arms depend on others beside the next one there are no trees.
func TestNoTrees(t *testing.T) {
	for _, p := range []*problem.Problem{wavy(t, 40), apartWavy(t, 40)} {
		if trees, err := treesOf(model(t, p)); err != nil || trees != nil {
			t.Errorf("%s: %+v, %v", p.Name, trees, err)
		}
	}
}
