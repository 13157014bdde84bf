package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// smooth is a problem of three tasks with many arms under RBF kernels; with copies the last arm of each task is a copy of its first.
func smooth(t testing.TB, n int, copies bool) *problem.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 3))
	var rows [][]float64
	var names []string
	var taskOf []int
	var mean []float64
	for v := range 3 {
		for i := range n / 3 {
			row := []float64{rng.Float64(), rng.Float64(), rng.Float64()}
			if copies && i == n/3-1 {
				row = rows[v*(n/3)]
			}
			rows, names, taskOf = append(rows, row), append(names, fmt.Sprintf("%d.%d", v, i)), append(taskOf, v)
			mean = append(mean, math.Sin(3*row[0])+row[1]*row[2])
		}
	}
	arms := try.Of(kernels.NewPoints([]string{"x_1", "x_2", "x_3"}, names, rows))
	tasks := try.Of(kernels.NewPoints([]string{"z_1"}, []string{"a", "b", "c"}, [][]float64{{0}, {0.4}, {1}}))
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 3, Task: kernels.RBF{}, Arm: kernels.RBF{}}}}
	return try.Of(problem.New("smooth", tasks, arms, taskOf, k, []float64{0.3}, mean))
}

// A model of many arms starts without features; computed later they equal those that a small model computes at once.
func TestFeaturesAreComputedWhenAsked(t *testing.T) {
	p := smooth(t, 300, true)
	m := try.Of(New(p, 0))
	if m.Features != nil || m.Layout != nil {
		t.Fatal("a model of 300 arms has features at once")
	}
	at := try.Of(newModel(context.Background(), p, 0, MaxRank))
	try.To(at.fill())
	if _, err := m.Stopped(7, 0); err != nil { // a factor that has begun changes nothing
		t.Fatal(err)
	}
	exact := try.Of(m.Exact())
	if !mat.Equal(exact.Features, at.Features) || exact.identity() != at.identity() || exact.Truncation != at.Truncation {
		t.Error("the features depend on when they were asked for")
	}
	if again, _ := m.Exact(); again.Features != exact.Features || again.Layout != exact.Layout {
		t.Error("the features were computed twice")
	}
	shared := new(Memory)
	if again, _ := m.Share(shared).Exact(); again.Memory != shared {
		t.Error("exact features remember elsewhere than their model")
	}
	if i, j := m.Relations().Merged(); i != 0 || j != 99 || !m.Relations().Same(0, 99) || m.Relations().Same(0, 98) {
		t.Errorf("without features arms %d and %d are the same", i, j)
	}
	if i, j := exact.Relations().Merged(); i != 0 || j != 99 {
		t.Errorf("with features arms %d and %d are the same", i, j)
	}
	without := try.Of(New(smooth(t, 300, false), 0))
	if i, j := without.Relations().Merged(); i != -1 || j != -1 {
		t.Errorf("arms %d and %d are the same, and no arm has a copy", i, j)
	}
}

// A model of many arms gives the same answers about its kernel with and without features.
func TestManyArmsAdmitNotAll(t *testing.T) {
	p := smooth(t, 1200, false)
	m := try.Of(New(p, 0))
	if !m.Relations().manyDifferent() || m.Relations().AdmitsAll() {
		t.Error("1,200 different arms are not seen to be more than any rank")
	}
	if m.exact.done {
		t.Error("that took the exact features")
	}
	if least, exact := m.LeastRank(); least != countedRank || exact {
		t.Errorf("a rank of %d or more", least)
	}
	low := p.WithKernel(kernels.Joint{Terms: []kernels.Term{{Scale: 1, Arm: kernels.Linear{}}}})
	m = try.Of(New(low, 0))
	if least, exact := m.LeastRank(); least != 3 || !exact || m.Rank() != 3 || m.Relations().AdmitsAll() {
		t.Errorf("linear in three columns: rank %d, at least %d", m.Rank(), least)
	}
}

// Rows, entries and parts of the Gram matrix are kernel values, and a stopped factor has the residual it reports.
func TestStoppedFeatures(t *testing.T) {
	p := smooth(t, 300, false)
	m := try.Of(New(p, 0))
	n := p.N()
	want := mat.NewSymDense(n, nil) // k(z, z') k(x, x') by the plain formula, over Scale
	square := func(points *kernels.Points, i, j int) (sum float64) {
		for _, column := range points.X {
			sum += (column[i] - column[j]) * (column[i] - column[j])
		}
		return sum
	}
	for i := range n {
		for j := i; j < n; j++ {
			want.SetSym(i, j, 3*math.Exp(-(square(p.Arms, i, j)+square(p.Tasks, p.TaskOf[i], p.TaskOf[j]))/2)/m.Scale)
		}
	}
	close := func(what string, got, want, tolerance float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tolerance) {
			t.Fatalf("%s = %v, want %v", what, got, want)
		}
	}
	row, arms := make([]float64, n), []int{250, 3, 120}
	m.Row(row, 7)
	among := try.Of(m.Among(arms))
	few := make([]float64, 3)
	for j := range n {
		close("row", row[j], want.At(7, j), 1e-15)
		close("variance", m.Variances()[j], want.At(j, j), 1e-15)
	}
	for k, i := range arms {
		among.Row(few, k)
		for l, j := range arms {
			close("among", few[l], want.At(i, j), 1e-15)
			close("entry", m.Entry(i, j), want.At(i, j), 1e-15)
		}
	}
	s := try.Of(m.Stopped(0, 1e-3))
	if s.Residual > 1e-3 || s.Residual != slices.Max(s.Rest) || len(s.Pivots) != s.Features.RawMatrix().Cols {
		t.Errorf("residual %g of %d pivots", s.Residual, len(s.Pivots))
	}
	trace := 0.0
	for i := range n {
		for j := range n {
			left := want.At(i, j) - Dot(s.Features.RawRowView(i), s.Features.RawRowView(j))
			if i == j {
				close("rest", s.Rest[i], left, 1e-13)
				trace += s.Rest[i]
			} else if math.Abs(left) > math.Sqrt(max(0, s.Rest[i])*max(0, s.Rest[j]))+1e-13 {
				t.Fatalf("entry %d, %d leaves %g", i, j, left)
			}
		}
	}
	close("trace", s.Trace, trace, 1e-12)
	if pivots, err := m.Pivots(0, 1e-3); err != nil || !slices.Equal(pivots, s.Pivots) {
		t.Errorf("pivots %v, error %v", pivots, err)
	}
}

// The bits do not depend on the number of cores.
func TestModelsOnCores(t *testing.T) {
	p := smooth(t, 3000, false)
	var first Stopped
	for _, n := range []int{1, 2, 3} {
		m := try.Of(NewContext(cores.Within(context.Background(), n), p, 0))
		s := try.Of(m.Stopped(0, 1e-2))
		if n == 1 {
			first = s
		} else if !mat.Equal(first.Features, s.Features) || !slices.Equal(first.Rest, s.Rest) || !slices.Equal(first.Pivots, s.Pivots) {
			t.Errorf("%d cores: other features", n)
		}
	}
}
