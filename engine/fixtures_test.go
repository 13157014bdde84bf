package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// instances are problems with linear task and arm kernels, so that φ = z ⊗ x.
func instances(t *testing.T) []*Problem {
	t.Helper()
	var out []*Problem
	for number := 1; number <= 3; number++ {
		p, err := PaperCase(number, 0.3)
		if err != nil {
			t.Fatal(err)
		}
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
