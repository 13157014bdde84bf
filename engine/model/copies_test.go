package model

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// copiesProblem has one task whose arms are points on a line, and the kernel does not see their second
// column.
func copiesProblem(t *testing.T, xs []float64) *problem.Problem {
	t.Helper()
	rows, names, mean := make([][]float64, len(xs)), make([]string, len(xs)), make([]float64, len(xs))
	for i, x := range xs {
		rows[i], names[i], mean[i] = []float64{x, float64(i)}, string(rune('a'+i)), x
	}
	arms := try.Of(kernels.NewPoints([]string{"x", "unseen"}, names, rows))
	tasks := try.Of(kernels.NewPoints(nil, []string{"one"}, [][]float64{{}}))
	seen := kernels.RBF{Dims: kernels.Dims{Names: []string{"x"}}}
	return try.Of(problem.New("copies", tasks, arms, make([]int, len(xs)), kernels.LiftArm(seen), []float64{1}, mean))
}

// Kernel values, features and a comparison of all pairs find the same copies.
func TestFirsts(t *testing.T) {
	xs := []float64{0, 1, 0, 2, 1, 1, 0.5, 2, 0, 3, 2.5, 0.5000001, 0.5}
	m := model(t, copiesProblem(t, xs))
	if m.Features == nil {
		t.Fatal("no features of few arms")
	}
	lazy := *m
	lazy.Features, lazy.Layout = nil, nil
	set := []int{8, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 0}
	for name, m := range map[string]*Model{"features": m, "values": &lazy} {
		got := try.Of(m.Relations().Firsts(set))
		want := make([]int, len(set))
		for k, i := range set {
			want[k] = set[slices.IndexFunc(set, func(j int) bool { return m.Relations().Same(i, j) })]
		}
		if !slices.Equal(got, want) || got[2] != 8 || got[12] != 8 || got[5] != 1 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if _, err := lazy.Relations().firsts(set, 1); !errors.Is(err, errManyAlike) {
		t.Errorf("two comparisons, and one is allowed: error %v", err)
	}
	for most, want := range map[int]bool{3: false, 7: true, 13: true} {
		if few, err := lazy.Relations().RankAtMost(most); err != nil || few != want {
			t.Errorf("rank at most %d: %v, %v", most, few, err)
		}
	}
}

// An interrupt does not change what is said of a kernel: it is said beside the results so far.
func TestRelationsAfterAnInterrupt(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	m := model(t, copiesProblem(t, []float64{0, 1, 0, 2})).Until(ended)
	if i, j := m.Relations().Merged(); i != 0 || j != 2 {
		t.Errorf("arms %d and %d are one, want 0 and 2", i, j)
	}
	if !m.Relations().AdmitsAll() {
		t.Error("a kernel whose rank is the number of different arms does not admit all rewards")
	}
}

// Many tasks look for copies one after the other. The coarse features are computed for the first of them only.
func TestCoarseFeaturesAreComputedOnce(t *testing.T) {
	m := model(t, copiesProblem(t, []float64{0, 1, 0, 2}))
	first, _ := try.Two(m.Relations().coarse())
	second, _ := try.Two(m.Relations().coarse())
	if &first[0] != &second[0] {
		t.Error("coarse features were computed twice")
	}
}
