package algorithms

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/elimination"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A batch without the requested squares, or with impossible ones, gives an error with the round and the arm.
func TestLearnedSquares(t *testing.T) {
	plan := engine.Plan{Round: 3, Counts: []int{2, 0}, WantSquares: true}
	for want, squares := range map[string][]float64{
		"": {1.5, math.NaN()}, // of an arm without pulls nothing is asked
		"round 3: the plan asks for the squared deviations of 2 arms, the batch has 0":                 nil,
		"round 3: arm 0: the sum of squared deviations must be a finite number of 0 or more, got -1":   {-1, 0},
		"round 3: arm 0: the sum of squared deviations must be a finite number of 0 or more, got NaN":  {math.NaN(), 0},
		"round 3: arm 0: the sum of squared deviations must be a finite number of 0 or more, got +Inf": {math.Inf(1), 0},
	} {
		err := rounds.CheckBatch(plan, engine.Batch{Counts: plan.Counts, Means: []float64{1, 0}, Squares: squares})
		if (err == nil) != (want == "") || (err != nil && err.Error() != want) {
			t.Errorf("squares %v: error %v, want %q", squares, err, want)
		}
	}
}

// asking requests squares in its plans and stores those it receives.
type asking struct {
	engine.Algorithm
	told []float64
}

func (a *asking) Plan(ctx context.Context) (engine.Plan, error) {
	p, err := a.Algorithm.Plan(ctx)
	p.WantSquares = true
	return p, err
}

func (a *asking) Learn(ctx context.Context, b engine.Batch) error {
	a.told = b.Squares
	return a.Algorithm.Learn(ctx, b)
}

// If one agent's part requests squares, all arms are measured with squares, and only that part receives its own.
func TestIndividualSquares(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.5)
	m := plain.ModelOf(t, p)
	var parts []*asking
	alg, err := individual.New(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Delta: 0.1}), func(m *model.Model, o model.Terms) (engine.Algorithm, error) {
		part, err := elimination.NewCoKernelFC(m, o)
		parts = append(parts, &asking{Algorithm: part})
		if len(parts) == 2 {
			return parts[1], err
		}
		return part, err
	})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := alg.Plan(t.Context())
	if err != nil || !plan.WantSquares {
		t.Fatalf("the joint plan asks for squares: %v, error %v", plan.WantSquares, err)
	}
	b := engine.Batch{Counts: plan.Counts, Means: p.Mean, Squares: make([]float64, p.N())}
	for i := range b.Squares {
		b.Squares[i] = float64(i)
	}
	try.To(alg.Learn(t.Context(), b))
	lo, hi := p.ArmsOf(1)
	if got := parts[1].told; len(got) != hi-lo || got[0] != float64(lo) {
		t.Errorf("task 1 was told the squares %v, want arms %d to %d", got, lo, hi-1)
	}
	if err := newAgain(t, m, p).Learn(t.Context(), engine.Batch{Counts: plan.Counts, Means: p.Mean}); err == nil || !strings.Contains(err.Error(), "the plan asks for the squared deviations") {
		t.Errorf("a batch without squares: error %v", err)
	}
}

// newAgain returns an algorithm that has planned a round with squares.
func newAgain(t *testing.T, m *model.Model, p *problem.Problem) engine.Algorithm {
	t.Helper()
	alg, err := individual.New(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Delta: 0.1}), func(m *model.Model, o model.Terms) (engine.Algorithm, error) {
		part, err := elimination.NewCoKernelFC(m, o)
		return &checking{asking: asking{Algorithm: part}}, err
	})
	if err == nil {
		_, err = alg.Plan(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return alg
}

// checking checks its batches as algorithms do.
type checking struct {
	asking
	plan engine.Plan
}

func (c *checking) Plan(ctx context.Context) (engine.Plan, error) {
	p, err := c.asking.Plan(ctx)
	c.plan = p
	return p, err
}

func (c *checking) Learn(ctx context.Context, b engine.Batch) error {
	if err := rounds.CheckBatch(c.plan, b); err != nil {
		return err
	}
	return c.asking.Learn(ctx, b)
}
