package campaign

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// manySettings is a protocol of two tasks with so many arms each, at random settings that are not measured. The kernel
// has a part of each arm by itself, so that features of rank 256 leave some of it.
func manySettings(t *testing.T, each int) Protocol {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 0))
	var taskOf []int
	var names []string
	var x [][]float64
	for v := range 2 {
		for k := range each {
			taskOf, names, x = append(taskOf, v), append(names, fmt.Sprint(k)), append(x, []float64{rng.Float64(), rng.Float64()})
		}
	}
	tasks := try.Of(kernels.NewPoints([]string{"z"}, []string{"u", "v"}, [][]float64{{0}, {1}}))
	arms := try.Of(kernels.NewPoints([]string{"x", "y"}, names, x))
	p := try.Of(problem.New("settings", tasks, arms, taskOf, kernels.Joint{Terms: []kernels.Term{
		{Scale: 3, Task: kernels.RBF{Lengthscale: []float64{1}}, Arm: kernels.RBF{Lengthscale: []float64{0.3}}},
		{Scale: 0.5, Task: kernels.Identity{}, Arm: kernels.Identity{}},
	}}, []float64{1}, nil))
	return Protocol{Name: "days", Problem: p, Mode: engine.ModeFC, Algorithm: "CoBayesFC", Options: engine.Options{Delta: 0.1, Epsilon: 5}, Plate: 24, Capacity: 24, Seed: 1}
}

// Differences of arms have the mean square that the kernel says, also where features leave a part of it.
// Mean squares of 100 pairs in 2,000 draws of rank 200 or so have a standard error near 1 %.
func TestDrawnFromManyArms(t *testing.T) {
	p := manySettings(t, 150)
	m := try.Of(p.question().Model(t.Context(), nil))
	from := try.Of(priorOf(m))
	if from.rest == nil {
		t.Fatal("these features are exact, so that the test shows nothing")
	}
	// the kernel itself, from which the expected squares follow
	gram := make([][]float64, m.Problem.N())
	for i := range gram {
		gram[i] = make([]float64, len(gram))
		m.Gram().Row(gram[i], i)
	}
	between := func(i, j int) float64 { return m.Scale * (gram[i][i] + gram[j][j] - 2*gram[i][j]) }
	var drawn, kernel float64
	for run := range enginetest.Number(2000, 600) {
		mean := from.draw(rand.New(rand.NewPCG(1, uint64(run))), 2)
		for i := range 100 {
			// pairs of one arm of each task, so that the kernel between tasks counts too
			d := mean[i] - mean[299-i]
			drawn, kernel = drawn+d*d, kernel+2*between(i, 299-i)
		}
	}
	if r := drawn / kernel; math.Abs(r-1) > 0.04 {
		t.Errorf("mean squares of differences are %.3f of the kernel's", r)
	}
	// half the mean square over all pairs of a task, which contrast works out from the distance to the centre
	plain := 0.0
	for i := range 150 {
		for j := range i {
			plain += between(i, j) / 2 / (150 * 149 / 2)
		}
	}
	if got := from.contrast(0, 150); math.Abs(got-plain) > 1e-3*plain {
		t.Errorf("contrast %g, of all pairs %g", got, plain)
	}
}

// A forecast of more arms than have exact features once ended in a crash.
func TestForecastOfManyArms(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates hundreds of arms")
	}
	for gap, runs := range map[float64]int{0: 1, 4: 2} {
		f, err := MakeForecast(t.Context(), manySettings(t, 150), gap, runs, nil)
		if err != nil || f.Runs != runs || f.Rows[0].Samples.Median < 2 {
			t.Errorf("gap %g: %+v, %v", gap, f, err)
		}
	}
}

// Of many arms one run that comes to no end is enough.
func TestForecastSparesRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates hundreds of arms")
	}
	p := manySettings(t, 150)
	p.Options.Epsilon, p.Capacity, p.Problem.Noise.Scales = 0, 1, slices.Repeat([]float64{100}, 300)
	f := try.Of(MakeForecast(t.Context(), p, 0, 0, nil))
	// CoTestFC tests each task alone with so many arms that have a part by themselves, and needs no norm.
	if len(f.Rows) != 2 || len(f.Notes) != 0 {
		t.Errorf("%d rows, notes: %v", len(f.Rows), f.Notes)
	}
	if r := f.Rows[0]; r.Runs != 1 || r.Undecided != 1 || !math.IsInf(r.Time.Median, 1) {
		t.Errorf("%+v", r)
	}
}
