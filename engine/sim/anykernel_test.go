package sim

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Every algorithm ends with a result on 260 arms whose rewards are unrelated to their features, under smooth and rough kernels, with
// related and unrelated tasks, of large and small rank. Models of more than 200 and 256 arms use other forms of computation. The runs are
// made as a part, without the lower bound, which takes longer than the runs and has tests of its own. Each algorithm has one of the kernels;
// GONB_COPE_WHOLE=1 gives it all.
func TestAnyKernelOnManyArms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	rng := rand.New(rand.NewPCG(3, 1))
	const tasks, each = 4, 65
	var names, taskNames []string
	var x, z [][]float64
	var taskOf []int
	var mean, noise []float64
	for v := range tasks {
		taskNames, z = append(taskNames, fmt.Sprint("t", v)), append(z, []float64{float64(v)})
		for i := range each {
			names, x = append(names, fmt.Sprintf("t%d a%d", v, i)), append(x, []float64{rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()})
			taskOf, mean, noise = append(taskOf, v), append(mean, rng.Float64()), append(noise, 0.3)
		}
	}
	arms := try.Of(kernels.NewPoints([]string{"x_1", "x_2", "x_3", "x_4"}, names, x))
	at := try.Of(kernels.NewPoints([]string{"z_1"}, taskNames, z))
	product := func(task, arm kernels.Kernel) kernels.Joint {
		return kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: task, Arm: arm}}}
	}
	for k, kernel := range []kernels.Joint{
		product(kernels.Identity{}, kernels.Linear{}),
		product(kernels.RBF{}, kernels.RBF{}),
		product(kernels.Identity{}, kernels.Identity{}),
	} {
		p := try.Of(problem.New("many", at, arms, taskOf, kernel, noise, mean))
		t.Run(kernel.String(), func(t *testing.T) {
			t.Parallel()
			memory := new(model.Memory)
			for a, e := range algorithms.All() {
				if a%3 != k && os.Getenv("GONB_COPE_WHOLE") != "1" { // each algorithm with one kernel
					continue
				}
				opt := engine.Options{Delta: 0.1, Epsilon: 0.3, MaxRounds: 2, MaxSamples: 20_000}
				if e.Mode == engine.ModeFB {
					opt = engine.Options{Budget: 300}
				}
				if e.OneByOne {
					opt.Batch = 250 // one pull at a time takes minutes
				}
				trials, err := Prepare(t.Context(), Experiment{Problem: p, Mode: e.Mode, Algorithm: e.Name, Options: opt, Runs: 1, Seed: 1, Memory: memory})
				var part *Part
				if err == nil {
					part, err = trials.RunPart(t.Context(), 0, 1)
				}
				switch {
				case err != nil && strings.Contains(err.Error(), "defect"):
					t.Errorf("%s (%s): %.600s", e.Name, e.Mode, err)
				case err != nil:
					t.Logf("%s (%s) refuses: %.200s", e.Name, e.Mode, err)
				case part.Done() != 1 || len(part.tally.first.Answers) != tasks:
					t.Errorf("%s (%s): %d runs, first %v", e.Name, e.Mode, part.Done(), part.tally.first)
				}
			}
		})
	}
}
