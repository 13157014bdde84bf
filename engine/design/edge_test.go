package design

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestTrivial(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 2, 1, 2, 1, 2})
	for name, c := range map[string]Contrasts{
		"no contrasts":   {},
		"groups of one":  {Groups: [][]int{{0}, {1}, {}}},
		"duplicate arms": {Groups: [][]int{{0, 1, 2}}, Pairs: []Pair{{I: 0, J: 1, Weight: 9}}},
		"same arm":       {Groups: [][]int{{0, 0}}, Pairs: []Pair{{I: 2, J: 2, Weight: 1}}},
	} {
		for _, ridge := range []float64{0, 1e-9, 1} {
			d, err := Minimax(Space{Features: x, Ridge: ridge}, c, Options{})
			if err != nil || d.Status != Trivial || d.Value != 0 || d.DualityGap() != 0 || sum(d.Weights) != 1 {
				t.Errorf("%s, ξ=%v: %+v, %v", name, ridge, d, err)
			}
		}
	}
	d, err := Minimax(Space{Features: mat.NewDense(1, 1, nil)}, Contrasts{Groups: [][]int{{0}}}, Options{})
	if err != nil || d.Status != Trivial {
		t.Error("one arm of zero features:", d.Status, err)
	}
}

// An arm of precision 0 is never measured. At ξ = 0 its contrasts are estimable only through the
// others; the value is as for the others alone.
func TestUnmeasurableArms(t *testing.T) {
	x := mat.NewDense(4, 3, []float64{1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1})
	s := Space{Features: x, Precision: []float64{1, 1, 0, 0}}
	if _, err := Minimax(s, Contrasts{Groups: [][]int{{0, 1, 3}}}, Options{}); !errors.Is(err, ErrUnestimable) {
		t.Errorf("contrast with an unmeasurable direction: error %v", err)
	}
	// y = e_1 - (e_1+e_2) = -e_2 and e_2's mirror image: λ = (½, ½) gives 1/½ = 2.
	d, err := Minimax(s, Contrasts{Groups: [][]int{{0, 2}, {1, 2}}}, Options{Tolerance: 1e-9})
	if err != nil || math.Abs(d.Value-2) > 1e-8 || d.Weights[2] > 1e-6 || d.Weights[3] > 1e-6 {
		t.Errorf("value %v, weights %v (%v), want 2", d.Value, d.Weights, err)
	}
	s.Ridge = 0.5 // now the ridge measures: value is finite for the third direction too
	if _, err := Minimax(s, Contrasts{Groups: [][]int{{0, 1, 3}}}, Options{}); err != nil {
		t.Error("with a ridge:", err)
	}
}

// 300 copies of e_1 outweigh each of 3000 copies of e_2; the working set must not
// lose the second direction. Half the weight on each: 2 + 2.
func TestWorkingSetSpans(t *testing.T) {
	x := mat.NewDense(3300, 2, nil)
	for i := range 3300 {
		x.Set(i, min(i/300, 1), 1)
	}
	d, err := Minimax(Space{Features: x}, Contrasts{Pairs: []Pair{{I: 0, J: 300, Weight: 1}}}, Options{Tolerance: 1e-9})
	if err != nil || math.Abs(d.Value-4) > 1e-8 {
		t.Errorf("value %v (%v, %v), want 4", d.Value, d.Status, err)
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{1, 2})
	group := Contrasts{Groups: [][]int{{0, 1}}}
	for want, run := range map[string]func() error{
		"arm 1: feature 0 must be finite, but is NaN": func() error {
			_, err := Minimax(Space{Features: mat.NewDense(2, 1, []float64{1, math.NaN()})}, group, Options{})
			return err
		},
		"arm 0: feature 0 must be finite, but is -Inf": func() error {
			_, err := InformationGain(Space{Features: mat.NewDense(1, 1, []float64{math.Inf(-1)}), Ridge: 1}, Options{})
			return err
		},
		"ridge must be a finite number that is not negative, but is -1": func() error {
			_, err := Minimax(Space{Features: x, Ridge: -1}, group, Options{})
			return err
		},
		"arm 1: the precision must be finite and not negative, but is -2": func() error {
			_, err := Minimax(Space{Features: x, Precision: []float64{1, -2}}, group, Options{})
			return err
		},
		"arms 0 and 1: the weight of a contrast must be positive and finite, but is +Inf": func() error {
			_, err := Minimax(Space{Features: x}, Contrasts{Pairs: []Pair{{I: 0, J: 1, Weight: math.Inf(1)}}}, Options{})
			return err
		},
		"needs a ridge above zero": func() error {
			_, err := InformationGain(Space{Features: x}, Options{})
			return err
		},
		"arm 0: the weight must be finite and not negative, but is -1": func() error {
			_, _, err := MaxVariance(context.Background(), Space{Features: x}, group, []float64{-1, 2})
			return err
		},
		"number of pulls must be at least 1, but is 0": func() error {
			_, err := Round(context.Background(), Space{Features: x}, group, []float64{0.5, 0.5}, 0, 0.1)
			return err
		},
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestMistakesPanic(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{1, 2})
	for name, run := range map[string]func(){
		"no features":       func() { Minimax(Space{}, Contrasts{}, Options{}) },
		"precision length":  func() { Minimax(Space{Features: x, Precision: []float64{1}}, Contrasts{}, Options{}) },
		"group arm":         func() { Minimax(Space{Features: x}, Contrasts{Groups: [][]int{{0, 2}}}, Options{}) },
		"pair arm":          func() { Minimax(Space{Features: x}, Contrasts{Pairs: []Pair{{I: -1, Weight: 1}}}, Options{}) },
		"number of weights": func() { MaxVariance(context.Background(), Space{Features: x}, Contrasts{}, []float64{1}) },
	} {
		func() {
			defer func() {
				if m, ok := recover().(string); !ok || !strings.HasPrefix(m, "design: ") {
					t.Errorf("%s: recovered %v, want a message of this package", name, m)
				}
			}()
			run()
		}()
	}
}

func TestIterationLimit(t *testing.T) {
	s, c := Space{Features: gaussianArms(50, 5, 1)}, Contrasts{Groups: [][]int{all(50)}}
	d, err := Minimax(s, c, Options{Tolerance: 1e-9, MaxIterations: 3})
	if err != nil || d.Status != IterationLimit || d.Iterations != 3 {
		t.Fatal(d.Status, d.Iterations, err)
	}
	recheck(t, s, c, d, 1e-9) // the bounds hold all the same
}

// The same input gives the same bits: no map order, no goroutines.
func TestDeterministic(t *testing.T) {
	s, c := rbfArms(2, 250, 3, 16, 0.5, 4)
	a, _ := Minimax(s, c, Options{Tolerance: 1e-5})
	b, _ := Minimax(s, c, Options{Tolerance: 1e-5})
	if a.Value != b.Value || a.Lower != b.Lower || !slices.Equal(a.Weights, b.Weights) {
		t.Errorf("two solves differ: %v and %v", a.Value, b.Value)
	}
}

// Iterations after the working sets have settled allocate nothing: a solve cut
// off after 4 iterations allocates as often as one of 9.
func TestLoopAllocatesNothing(t *testing.T) {
	s, _ := paperCase(paperKinds[2], 1e-6)
	c := Contrasts{Pairs: paperRivals(s, 0.1).Pairs[:3]} // few, so that all are in the working set
	allocations := func(limit int) float64 {
		return testing.AllocsPerRun(10, func() {
			newMinimax(s, c, nil, nil, Options{Tolerance: 1e-8, MaxIterations: limit}).solve()
		})
	}
	if short, long := allocations(4), allocations(9); long > short {
		t.Errorf("%v allocations in 4 iterations, %v in 9", short, long)
	}
}

// A context that ends stops a solver, which returns its error and no design.
func TestContextEndsSolvers(t *testing.T) {
	s, _ := paperCase(paperKinds[2], 1e-6)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Minimax(s, paperRivals(s, 0.1), Options{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("minimax: %v", err)
	}
	if _, err := InformationGain(s, Options{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("information gain: %v", err)
	}
}
