package belief

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestRemembered: one memory computes a belief once for the same measurements, also under the kernel that was found and
// with the logarithms that it has; other measurements, blocks or noise are another belief.
func TestRemembered(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	p := tableOf(t, 2, 5, func(int, int) (mean, sd, count float64) { return 10 + rng.NormFloat64(), 0.5, 3 })
	dose := slices.Clone(p.Arms.X[0])
	for i, x := range dose { // at geometric spacing, with a reward that falls with the logarithm
		dose[i] = math.Pow(10, x)
		p.Partial[i] = 10 - x + 0.01*rng.NormFloat64()
	}
	arms := *p.Arms
	arms.X = slices.Clone(arms.X)
	arms.X[0], p.Arms = dose, &arms
	memory := new(canon.Memory)
	told := 0
	of := func(memory *canon.Memory) *Belief {
		return try.Of(Of(context.Background(), p, Options{Memory: memory, Progress: func(float64) { told++ }}))
	}
	first := of(memory)
	if len(first.Log) == 0 {
		t.Fatal("the logarithm of no column is compared")
	}
	told = 0
	second := of(memory)
	p = first.Usable
	found := of(memory)
	if told > 0 || second != first || found.Draws != first.Draws || found.Problem != p {
		t.Errorf("the same measurements were computed again: %d steps", told)
	}
	if !slices.Equal(found.Usable.Arms.X[0], p.Arms.X[0]) || found.Usable.Kernel.String() != p.Kernel.String() {
		t.Errorf("the kernel found is %s, and another time %s", p.Kernel, found.Usable.Kernel)
	}
	for what, change := range map[string]func(){
		"a mean":  func() { p.Partial = slices.Clone(p.Partial); p.Partial[3]++ },
		"a scale": func() { p.Noise.SD = slices.Clone(p.Noise.SD); p.Noise.SD[2] = 3 },
		"a random column": func() {
			long := problem.Long{Random: []string{"year"}}
			if p.Long != nil {
				long = *p.Long
				long.Random = []string{"year"}
			}
			p.Long, p.Levels = &long, [][]string{{"2024"}, {"2025"}}
		},
		"a bound": func() { p.Noise.Bounds = &[2]float64{0, 100} },
	} {
		before := *p
		q := before
		p = &q
		change()
		told = 0
		if of(memory); told == 0 {
			t.Errorf("%s is another and the belief is not", what)
		}
		p = &before
	}
}
