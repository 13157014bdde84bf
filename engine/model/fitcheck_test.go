package model

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// line returns the model of enginetest.Line.
func line(t *testing.T) *Model {
	t.Helper()
	return model(t, enginetest.Line(t))
}

// By hand: through (0, 0), (1, 1), (3, 0), with 4, 4 and 16 pulls, the weighted line has the
// residual that a contrast orthogonal to 1 and x leaves: c = (2, -3, 1), cᵀȳ = -3, and its variance
// is σ²(4/4 + 9/4 + 1/16) = 4·53/16, so χ²_1 = 9·16/(4·53).
func TestLackOfFitByHand(t *testing.T) {
	f := &fitCheck{model: line(t), data: NewReplicates(4)}
	b := engine.Batch{Counts: []int{4, 4, 0, 16}, Means: []float64{0, 1, 0, 0}, Squares: []float64{18, 6, 0, 60}}
	chi := 9. * 16 / (4 * 53)
	if got, want := *pOf(f.Learn(1, b)), (distuv.ChiSquared{K: 1}).Survival(chi); math.Abs(got-want) > 1e-12 {
		t.Errorf("known scales: p = %v, want %v", got, want)
	}
	// Unknown up to a factor: squares 84 on 3+3+15 degrees, so the factor on σ² = 4 is 1.
	f = &fitCheck{model: line(t), data: NewReplicates(4)}
	f.model.Problem.Noise.UnknownBy = problem.UnknownProblem
	if got, want := *pOf(f.Learn(1, b)), (distuv.F{D1: 1, D2: 21}).Survival(chi); math.Abs(got-want) > 1e-12 {
		t.Errorf("unknown scale: p = %v, want %v", got, want)
	}
	// The same rewards in two rounds leave the same squares and means.
	f.data = NewReplicates(4)
	f.Learn(1, engine.Batch{Counts: []int{2, 4, 0, 16}, Means: []float64{-1, 1, 0, 0}, Squares: []float64{8, 6, 0, 60}})
	got := *pOf(f.Learn(2, engine.Batch{Counts: []int{2, 0, 0, 0}, Means: []float64{1, 0, 0, 0}, Squares: []float64{6, 0, 0, 0}}))
	if want := (distuv.F{D1: 1, D2: 21}).Survival(chi); math.Abs(got-want) > 1e-12 {
		t.Errorf("two rounds: p = %v, want %v", got, want)
	}
}

// Two arms never contradict a line, and an arm without an estimated scale is not tested.
func TestLackOfFitNothingToTest(t *testing.T) {
	f := &fitCheck{model: line(t), data: NewReplicates(4)}
	if p := pOf(f.Learn(1, engine.Batch{Counts: []int{4, 4, 0, 0}, Means: []float64{0, 9, 0, 0}})); p != nil {
		t.Errorf("two arms: p = %v", *p)
	}
	f = &fitCheck{model: line(t), data: NewReplicates(4)}
	f.model.Problem.Noise.UnknownBy = problem.UnknownArm
	if p := pOf(f.Learn(1, engine.Batch{Counts: []int{4, 4, 4, 4}, Means: []float64{0, 9, 0, 0}})); p != nil {
		t.Errorf("no pure error: p = %v", *p)
	}
}

// A deviation within the stated misspecification does not reject the kernel, a larger one does; the arm and the nugget are named.
func TestLackOfFitNames(t *testing.T) {
	b := engine.Batch{Counts: []int{1e6, 1e6, 1e6, 1e6}, Means: []float64{0, 3, 2, 3}}
	f := &fitCheck{model: line(t), data: NewReplicates(4)}
	f.Learn(1, b)
	if f.found == nil || !strings.Contains(engine.Warning{Kind: engine.WarnLackOfFit, LackOfFit: f.found}.String(), `task "one", arm "b" by 1.4 (`) {
		t.Fatalf("found %+v", f.found)
	}
	// Residuals of the unweighted line are -.8, 1.4, -.4, -.2, their squares 2.8, less two degrees
	// of freedom of noise 4e-6, over Σ(1 - leverage) = 2.
	if want := 2.8/2 - 4e-6; math.Abs(f.found.Nugget-want) > 1e-9 {
		t.Errorf("nugget %v, want %v", f.found.Nugget, want)
	}
	for misfit, rejects := range map[float64]bool{1.5: false, 0.5: true} {
		f := &fitCheck{model: line(t), data: NewReplicates(4), misfit: misfit / 2} // the unit is 2
		f.Learn(1, b)
		if (f.found != nil) != rejects {
			t.Errorf("misfit %v: found %+v", misfit, f.found)
		}
	}
}

// pOf returns the p-value that a check of the fit found.
func pOf(p *float64, _ *engine.LackOfFit) *float64 { return p }
