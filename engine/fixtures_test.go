package engine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// paper returns a case of the paper.
func paper(t testing.TB, number int, gap float64) *Problem {
	t.Helper()
	p, err := PaperCase(number, gap)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// model returns the model of p.
func model(t testing.TB, p *Problem) *Model {
	t.Helper()
	m, err := NewModel(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// run returns the outcome of alg on rewards that pull returns.
func run(t testing.TB, alg Algorithm, opt Options, pull func(Plan) Batch) Outcome {
	t.Helper()
	out, err := Run(context.Background(), alg, environmentFunc(pull), opt)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

type environmentFunc func(Plan) Batch

func (f environmentFunc) Pull(_ context.Context, p Plan) (Batch, error) { return f(p), nil }

// replicas checks that two algorithms which are told the same make the same plans, as the digests
// show, and returns their outcome.
func replicas(t *testing.T, p *Problem, opt Options, seed uint64, create func() (Algorithm, error)) Outcome {
	t.Helper()
	var digests [2][]string
	var out Outcome
	for k := range digests {
		alg, err := create()
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 9))
		out = run(t, alg, opt, func(plan Plan) Batch {
			digests[k] = append(digests[k], plan.Digest)
			return pull(rng, p, plan)
		})
	}
	if len(digests[0]) == 0 || !slices.Equal(digests[0], digests[1]) {
		t.Errorf("digests differ: %v and %v", digests[0], digests[1])
	}
	return out
}

// instances are problems with linear task and arm kernels, so that φ = z ⊗ x.
func instances(t *testing.T) []*Problem {
	t.Helper()
	var out []*Problem
	for number := 1; number <= 3; number++ {
		p := paper(t, number, 0.3)
		out = append(out, p)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	taskOf := []int{0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2}
	z, x := make([][]float64, 3), make([][]float64, len(taskOf))
	theta := []float64{1, -1, .5, .3, .8, -.6}
	var mean, noise []float64
	for v := range z {
		z[v] = []float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	for i, v := range taskOf {
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		m := 0.0
		for a := range z[v] {
			for b := range x[i] {
				m += z[v][a] * x[i][b] * theta[a*3+b]
			}
		}
		mean, noise = append(mean, m), append(noise, 0.5+rng.Float64())
	}
	tasks, err := kernels.NewPoints(columns("z_", 2), []string{"a", "b", "c"}, z)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(taskOf))
	for i := range names {
		names[i] = fmt.Sprintf("arm %d", i)
	}
	arms, err := kernels.NewPoints(columns("x_", 3), names, x)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New("random, unequal n and noise", tasks, arms, taskOf, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Linear{}, Arm: kernels.Linear{}}}}, noise, mean)
	if err != nil {
		t.Fatal(err)
	}
	return append(out, p)
}

// pull draws Gaussian mean rewards.
func pull(rng *rand.Rand, p *Problem, plan Plan) Batch {
	b := Batch{Counts: plan.Counts, Means: make([]float64, len(plan.Counts))}
	for i, c := range plan.Counts {
		if c > 0 {
			b.Means[i] = p.Mean[i] + p.Noise.Scales[i]*rng.NormFloat64()/math.Sqrt(float64(c))
		}
	}
	return b
}
