package problem

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Values that make no instance are refused by name.
func TestFamilyErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(PaperFamily(-1, 0.1)), "lengthscale must be 0 or more, got -1"},
		{second(PaperFamily(math.NaN(), 0.1)), "lengthscale must be 0 or more, got NaN"},
		{second(PaperFamily(1, 0)), "gap must be positive, got 0"},
		{second(Family(FamilySize{3, 2, 4, 3}, 0.1, 1)), "rank must be from 1 to 2, the smaller of tasks and dimension, got 3"},
		{second(Family(FamilySize{3, 2, 1, 1}, 0.1, 1)), "arms must be at least 2, got 1"},
		{second(Family(FamilySize{0, 2, 4, 1}, 0.1, 1)), "tasks and dimension must be at least 1, got 0 and 2"},
		{second(Family(FamilySize{3, 2, 4, 1}, 0, 1)), "gap must be a positive number, got 0"},
		{second(Classic(nil, 2)), "at least one arm"},
		{second(Classic([]float64{1, math.NaN()}, 2)), "got NaN for arm 2"},
		{second(Classic([]float64{1}, 0)), "agents must be at least 1, got 0"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// The classic problem is the canonical basis with the same task: the Gram matrix
// is 1 for arms of the same name and 0 otherwise.
func TestClassic(t *testing.T) {
	p := try.Of(Classic([]float64{0.5, 1, 0}, 4))
	if p.V() != 4 || p.N() != 12 || p.Where(4) != `task "agent 2", arm "arm 2"` || p.Kernel.String() != "arm(identity())" {
		t.Errorf("%d tasks, %d arms, arm 4 is %s, kernel %s", p.V(), p.N(), p.Where(4), p.Kernel)
	}
	gram := try.Of(p.Kernel.On(context.Background(), p.Tasks, p.Arms, p.TaskOf))
	k := kernels.Dense(gram)
	for i := range p.N() {
		for j := range p.N() {
			want := 0.0
			if i%3 == j%3 {
				want = 1
			}
			if k.At(i, j) != want {
				t.Errorf("k(%d, %d) = %g, want %g", i, j, k.At(i, j), want)
			}
		}
	}
}

// A family has the sizes asked for: tasks of the given rank, arms on the sphere, rewards that are bilinear in the features, and the
// smallest gap. More tasks keep the first ones up to the common factor, and another gap keeps all features.
func TestFamily(t *testing.T) {
	for _, size := range []FamilySize{{1, 1, 2, 1}, {2, 2, 12, 2}, {5, 4, 6, 1}, {10, 8, 12, 3}, {3, 40, 5, 3}, {4, 1, 7, 1}} {
		p := try.Of(Family(size, 0.3, 7))
		if p.V() != size.Tasks || p.N() != size.Tasks*size.Arms || p.Kernel.String() != "task(linear()) * arm(linear())" {
			t.Errorf("%+v: %d tasks, %d arms, %s", size, p.V(), p.N(), p.Kernel)
		}
		tasks, arms := columnsOf(p.Tasks.X), columnsOf(p.Arms.X)
		if got := rankOf(tasks); got != size.Rank {
			t.Errorf("%+v: the tasks have rank %d", size, got)
		}
		smallest := math.Inf(1)
		var features [][]float64 // z ⊗ x
		for _, group := range p.Groups() {
			means := slices.Sorted(slices.Values(indices.Of(p.Mean, group)))
			smallest = min(smallest, means[len(means)-1]-means[len(means)-2])
			for _, i := range group {
				x, z := mat.Row(nil, i, arms), mat.Row(nil, p.TaskOf[i], tasks)
				if norm := floats.Norm(x, 2); math.Abs(norm-1) > 1e-12 {
					t.Errorf("%+v: an arm has norm %g", size, norm)
				}
				var row []float64
				for _, a := range z {
					for _, b := range x {
						row = append(row, a*b)
					}
				}
				features = append(features, row)
			}
		}
		if math.Abs(smallest-0.3) > 1e-12 {
			t.Errorf("%+v: the smallest gap is %g", size, smallest)
		}
		// The means are linear in z ⊗ x: appending them as a column does not raise the rank.
		phi := mat.NewDense(len(features), len(features[0]), slices.Concat(features...))
		var with mat.Dense
		with.Augment(phi, mat.NewVecDense(p.N(), slices.Clone(p.Mean)))
		if a, b := rankOf(phi), rankOf(&with); a != b {
			t.Errorf("%+v: rank %d of the features, %d with the means", size, a, b)
		}
	}
	few, _ := Family(FamilySize{3, 4, 6, 2}, 0.3, 1)
	many, _ := Family(FamilySize{9, 4, 6, 2}, 0.9, 1)
	other, _ := Family(FamilySize{3, 4, 6, 2}, 0.3, 2)
	if !reflect.DeepEqual(few.Arms.X[3], many.Arms.X[3][:18]) || !reflect.DeepEqual(few.Tasks.X[1], many.Tasks.X[1][:3]) {
		t.Error("more tasks change the first ones")
	}
	if reflect.DeepEqual(few.Arms.X, other.Arms.X) {
		t.Error("another seed gives the same arms")
	}
}

// columnsOf returns the features of points, a row per point.
func columnsOf(columns [][]float64) mat.Matrix {
	return mat.NewDense(len(columns), len(columns[0]), slices.Concat(columns...)).T()
}

func rankOf(m mat.Matrix) int {
	var svd mat.SVD
	svd.Factorize(m, mat.SVDNone)
	values := svd.Values(nil)
	return lists.Count(values, func(v float64) bool { return v > 1e-9*values[0] })
}

// Drawn rewards have the kernel as their covariance: over many draws, mean products are the entries of the Gram matrix.
func TestDrawn(t *testing.T) {
	p := try.Of(Family(FamilySize{Tasks: 2, Dimension: 2, Arms: 3, Rank: 2}, 0.5, 1))
	p = p.WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 2, Task: kernels.Identity{}, Arm: kernels.RBF{Lengthscale: []float64{0.8}}}}})
	m := try.Of(p.Kernel.On(t.Context(), p.Tasks, p.Arms, p.TaskOf))
	gram, sum := kernels.Dense(m), mat.NewSymDense(6, nil)
	const draws = 4000
	for seed := range draws {
		q := try.Of(p.Drawn(t.Context(), uint64(seed)))
		sum.SymRankOne(sum, 1./draws, mat.NewVecDense(6, q.Mean))
	}
	for i := range 6 {
		for j := range 6 {
			if math.Abs(sum.At(i, j)-gram.At(i, j)) > 0.25 { // five standard errors at variance 2
				t.Errorf("covariance %d, %d is %g, the kernel has %g", i, j, sum.At(i, j), gram.At(i, j))
			}
		}
	}
	p.Rewards = [][]float64{{1}}
	if _, err := p.Drawn(t.Context(), 1); err == nil {
		t.Error("measured rewards are replaced")
	}
}
