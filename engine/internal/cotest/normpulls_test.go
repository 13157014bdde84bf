package cotest

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A target that is treated as its neighbour may need a direction that the neighbour's design does not pull. No
// number of pulls of that design gives it enough information; the round then pulls for each target.
func TestPullsForTargetsBesideOthers(t *testing.T) {
	// The leader, two arms side by side, and one that shows where these differ.
	l := &localDesign{
		ctx:       t.Context(),
		most:      1e6,
		white:     mat.NewDense(4, 2, []float64{0, 0, 2, 0, 1.9, 0.25, 0, 1}),
		sampled:   []int{1, 3},
		precision: []float64{1, 1},
		targets:   []target{{arm: 1, leader: 0, info: 23.8}, {arm: 2, leader: 0, info: 25}},
	}
	fractions, _ := l.solve(100)
	for _, times := range []float64{1, 10, 1e6} { // the variance left of the second target is 0.25² at least
		lacks := l.lacks([]float64{times * fractions[0], times * fractions[1]})
		if lacks[1] <= roundSlack {
			t.Fatalf("%g times the pulls of one design for both bring the second target to %g: the case is none", times, lacks[1])
		}
	}
	counts, worst, _ := l.pulls(100)
	lacks := l.lacks([]float64{float64(counts[0]), float64(counts[1])})
	if most := slices.Max(lacks); most != worst || most > roundSlack || counts[1] == 0 {
		t.Errorf("pulls %v miss targets by %v, said %g", counts, lacks, worst)
	}

	// Where not even pulls for each target help, the round goes as far as it can.
	l.sampled, l.precision = []int{1}, []float64{1}
	if counts, worst, _ = l.pulls(100); len(counts) != 1 || counts[0] < 20 || worst < 25*0.25*0.25 {
		t.Errorf("pulls %v, worst %g", counts, worst)
	}
}

// A design may leave out what a target beside another one needs, so that it takes hundreds of pulls instead of a few of
// another arm. Each target counts by itself then.
func TestPullsFarAboveADesign(t *testing.T) {
	l := &localDesign{
		ctx:       t.Context(),
		most:      1e6,
		white:     mat.NewDense(4, 2, []float64{0, 0, 2, 0.045, 1.9, 0.25, 0, 1}),
		sampled:   []int{1, 3},
		precision: []float64{1, 1},
		targets:   []target{{arm: 1, leader: 0, info: 23.8}, {arm: 2, leader: 0, info: 25}},
	}
	counts, worst, _ := l.pulls(100)
	if counts[0]+counts[1] > 40 || worst > roundSlack { // 347 of the first arm do as well
		t.Errorf("pulls %v, the hardest target at %g", counts, worst)
	}
}
