package cotest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// With tasks that nearly have the same features, few arms and few gaps represent all, and all gaps are reached. With tasks of
// unrelated features, each leader may be pulled.
func TestTasksShareDesign(t *testing.T) {
	const tasks, options, m = 40, 5, 6
	for _, alike := range []bool{true, false} {
		rng := rand.New(rand.NewPCG(2, 9))
		l := &localDesign{ctx: t.Context(), most: 1e6, white: mat.NewDense(tasks*options, m, nil)}
		for v := range tasks {
			for x := range options {
				row := l.white.RawRowView(v*options + x)
				for j := range row {
					if row[j] = rng.NormFloat64(); alike && v > 0 {
						row[j] = l.white.At(x, j) + 1e-3*row[j]
					}
				}
				if x > 0 {
					l.targets = append(l.targets, target{arm: v*options + x, leader: v * options, info: 5, need: 5})
				}
			}
		}
		precision := func(k int) float64 {
			if k/options == 7 { // measured more precisely than its likes
				return 2
			}
			return 1
		}
		l.sample([]int{0, 1, 2, 3, 4}, precision)
		if want := map[bool]int{true: 6, false: 4 + tasks}[alike]; len(l.sampled) != want || alike && !slices.Contains(l.sampled, 7*options) {
			t.Errorf("alike %v: %d arms, want %d", alike, len(l.sampled), want)
		}
		if first := l.first(); alike && len(first) != options-1 {
			t.Errorf("%d of %d gaps represent all, want %d", len(first), len(l.targets), options-1)
		}
		counts, worst, _ := l.pulls(100)
		if worst > roundSlack*1.2 {
			t.Errorf("alike %v: the largest lack is %g", alike, worst)
		}
		pulls := make([]float64, len(counts))
		for k, n := range counts {
			pulls[k] = float64(n)
		}
		if got := floats.Max(l.lacks(pulls)); got > worst*(1+1e-9) {
			t.Errorf("alike %v: a lack of %g, above %g", alike, got, worst)
		}
	}
}
