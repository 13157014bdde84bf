package sim

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A function that draws a whole round gives the same rewards as one that is called per arm, with and without squares, and with the sign
// of the data.
func TestRounds(t *testing.T) {
	p := try.Of(problem.PaperCase(2, 0.4))
	for _, goal := range []*problem.Problem{p, p.Minimised()} {
		for _, squares := range []bool{false, true} {
			draws := func() RewardFunc { // other rewards at every call
				k := 0
				return func(_ *rand.Rand, task, arm string, n int) (float64, error) {
					k++
					return float64(k*k%17) + float64(len(task)), nil
				}
			}
			one, calls := draws(), 0
			draw, all := Rounds(goal, func(asked []Asked) (means []float64, err error) {
				calls++
				for _, q := range asked {
					mean, _ := one(nil, q.Task, q.Arm, q.Count)
					means = append(means, mean)
				}
				return means, nil
			})
			plan := engine.Plan{Round: 1, Counts: make([]int, goal.N()), WantSquares: squares}
			for i := range plan.Counts {
				plan.Counts[i] = i % 4
			}
			pull := func(x Experiment) (engine.Batch, error) {
				env, err := x.environment(0)
				if err != nil {
					return engine.Batch{}, err
				}
				return env.Pull(t.Context(), plan)
			}
			want, err := pull(Experiment{Problem: goal, Draw: Func(goal, draws())})
			if err != nil {
				t.Fatal(err)
			}
			got, err := pull(Experiment{Problem: goal, Draw: draw, Rounds: all})
			if err != nil || !cmp.Equal(got, want) || calls != 1 {
				t.Errorf("squares %v: %d calls, %v: %s", squares, calls, err, cmp.Diff(want, got))
			}
		}
	}
	wrong := errors.New("no rig")
	for want, f := range map[string]RoundFunc{
		"no rig": func([]Asked) ([]float64, error) { return nil, wrong }, "but 0 were returned": func([]Asked) ([]float64, error) { return nil, nil },
	} {
		draw, all := Rounds(p, f)
		x := Experiment{Problem: p, Mode: engine.ModeFB, Algorithm: "IndUniformFB", Options: engine.Options{Budget: 10}, Runs: 1, Draw: draw, Rounds: all}
		if _, err := Run(t.Context(), x); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
