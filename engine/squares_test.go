package engine

import (
	"math"
	"strings"
	"testing"
)

// A batch that lacks the squares it was asked for, or has impossible ones, is an error
// that names the round and the arm.
func TestLearnedSquares(t *testing.T) {
	plan := Plan{Round: 3, Counts: []int{2, 0}, Spread: true}
	for want, squares := range map[string][]float64{
		"": {1.5, math.NaN()}, // of an arm without pulls nothing is asked
		"round 3: the plan asks for the squared deviations of 2 arms, the batch has 0":                 nil,
		"round 3: arm 0: the sum of squared deviations must be a finite number of 0 or more, got -1":   {-1, 0},
		"round 3: arm 0: the sum of squared deviations must be a finite number of 0 or more, got NaN":  {math.NaN(), 0},
		"round 3: arm 0: the sum of squared deviations must be a finite number of 0 or more, got +Inf": {math.Inf(1), 0},
	} {
		err := checkBatch(plan, Batch{Counts: plan.Counts, Means: []float64{1, 0}, Squares: squares})
		if (err == nil) != (want == "") || (err != nil && err.Error() != want) {
			t.Errorf("squares %v: error %v, want %q", squares, err, want)
		}
	}
}

// asking wants squares in its plans, and keeps those that it was told.
type asking struct {
	Algorithm
	told []float64
}

func (a *asking) Plan() (Plan, error) {
	p, err := a.Algorithm.Plan()
	p.Spread = true
	return p, err
}

func (a *asking) Learn(b Batch) error {
	a.told = b.Squares
	return a.Algorithm.Learn(b)
}

// When the part of one agent wants squares, all are asked, and it alone is told, of its
// own arms.
func TestIndividualSquares(t *testing.T) {
	p := paper(t, 1, 0.5)
	m := model(t, p)
	var parts []*asking
	alg, err := newIndividual(m, Options{Delta: 0.1}, func(m *Model, o Options) (Algorithm, error) {
		part, err := NewCoKernelFC(m, o)
		parts = append(parts, &asking{Algorithm: part})
		if len(parts) == 2 {
			return parts[1], err
		}
		return part, err
	})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := alg.Plan()
	if err != nil || !plan.Spread {
		t.Fatalf("the joint plan asks for squares: %v, error %v", plan.Spread, err)
	}
	b := Batch{Counts: plan.Counts, Means: p.Mean, Squares: make([]float64, p.N())}
	for i := range b.Squares {
		b.Squares[i] = float64(i)
	}
	if err := alg.Learn(b); err != nil {
		t.Fatal(err)
	}
	lo, hi := p.ArmsOf(1)
	if got := parts[1].told; len(got) != hi-lo || got[0] != float64(lo) {
		t.Errorf("task 1 was told the squares %v, want those of arms %d to %d", got, lo, hi-1)
	}
	if err := newAgain(t, m, p).Learn(Batch{Counts: plan.Counts, Means: p.Mean}); err == nil || !strings.Contains(err.Error(), "the plan asks for the squared deviations") {
		t.Errorf("a batch without squares: error %v", err)
	}
}

// newAgain is an algorithm that has planned a round with squares.
func newAgain(t *testing.T, m *Model, p *Problem) Algorithm {
	t.Helper()
	alg, err := newIndividual(m, Options{Delta: 0.1}, func(m *Model, o Options) (Algorithm, error) {
		part, err := NewCoKernelFC(m, o)
		return &checking{asking: asking{Algorithm: part}}, err
	})
	if err == nil {
		_, err = alg.Plan()
	}
	if err != nil {
		t.Fatal(err)
	}
	return alg
}

// checking checks its batches as algorithms do.
type checking struct {
	asking
	plan Plan
}

func (c *checking) Plan() (Plan, error) {
	p, err := c.asking.Plan()
	c.plan = p
	return p, err
}

func (c *checking) Learn(b Batch) error {
	if err := checkBatch(c.plan, b); err != nil {
		return err
	}
	return c.asking.Learn(b)
}
