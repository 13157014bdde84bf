package cotest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// grid returns three tasks with the arms of a 3 × 3 grid each, whose first column goes from 150 to 210.
func grid(t *testing.T, k kernels.Joint) *problem.Problem {
	t.Helper()
	var names []string
	var rows [][]float64
	var taskOf []int
	var mean []float64
	for v := range 3 {
		for i := range 9 {
			names = append(names, string(rune('a'+i)))
			rows = append(rows, []float64{150 + 30*float64(i/3), 10 + 10*float64(i%3)})
			taskOf = append(taskOf, v)
			mean = append(mean, 40-float64((i-4-v)*(i-4-v)))
		}
	}
	tasks := try.Of(kernels.NewPoints([]string{"z_age"}, []string{"A", "B", "C"}, [][]float64{{1}, {3}, {8}}))
	arms := try.Of(kernels.NewPoints([]string{"x_temp", "x_speed"}, names, rows))
	return try.Of(problem.New("grid", tasks, arms, taskOf, k, []float64{1.5}, mean))
}

func product(task, arm kernels.Kernel) kernels.Joint {
	return kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: task, Arm: arm}}}
}

// Under a kernel that admits every truth, CoTestFC makes the runs of IndTestFC to the last pull, and
// says so; wherever tasks say anything of each other it does not.
func TestTestsAlone(t *testing.T) {
	smooth := kernels.RBF{Lengthscale: []float64{30, 10}}
	short := kernels.RBF{} // 1, while the columns have steps of 10 and 30
	for _, c := range []struct {
		name    string
		k       kernels.Joint
		unknown string
		alone   bool
	}{
		{"smooth, of full rank", product(kernels.RBF{}, smooth), "", true},
		{"identity", enginetest.Identity, "", true},
		{"identity in numbers alone", product(kernels.RBF{}, short), "", true},
		{"with a nugget", kernels.AddJoint(product(nil, kernels.Linear{}), enginetest.Identity), "", true},
		{"two arms that are the same in every task", product(kernels.Identity{}, kernels.RBF{Dims: kernels.Dims{Index: []int{0}}, Lengthscale: []float64{30}}), "", true},
		{"a scale for each arm that is estimated", enginetest.Identity, problem.UnknownArm, true},
		{"a scale for each task that is estimated", enginetest.Identity, problem.UnknownTask, true},
		{"a scale that all estimate together", enginetest.Identity, problem.UnknownProblem, false},
		{"full rank in each task, the same in all", product(kernels.Constant{Value: 1}, smooth), "", false},
		{"full rank in each task, two kinds of tasks", product(kernels.Linear{}, smooth), "", false},
		{"low rank, of each task by itself", product(kernels.Identity{}, kernels.Linear{}), "", true},
		{"low rank, tasks on a line", product(kernels.Linear{}, kernels.Linear{}), "", false},
	} {
		p := grid(t, c.k)
		p.Noise.UnknownBy = c.unknown
		m := plain.ModelOf(t, p)
		opt := engine.Options{Epsilon: 0.5}
		run := func(create func(*model.Model, engine.Options) (engine.Algorithm, error)) engine.Outcome {
			alg := try.Of(create(m, opt))
			rng := rand.New(rand.NewPCG(3, 3))
			return try.Of(engine.Run(context.Background(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch {
				return enginetest.SquaresPull(rng, p, p.Noise.Scales, plan)
			}), opt))
		}
		shared, apart := run(plain.On(engine.ModeFC, NewCoTestFC)), run(plain.On(engine.ModeFC, NewIndTestFC))
		said := slices.ContainsFunc(shared.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnTestsAlone })
		if said != c.alone || shared.Independent != c.alone {
			t.Errorf("%s: said %v, alone %v; want %v", c.name, said, shared.Independent, c.alone)
		}
		if same := reflect.DeepEqual(shared.Rounds, apart.Rounds) && reflect.DeepEqual(shared.Answers, apart.Answers); c.alone && !same {
			t.Errorf("%s: %d samples in %d rounds, and %d in %d alone", c.name, shared.Samples, len(shared.Rounds), apart.Samples, len(apart.Rounds))
		}
	}
}

// If all tasks together have too many directions for least squares, and each task alone has not, every agent tests
// alone, with or without known expected rewards: neither an unstated norm nor an uninformative one is used.
func TestTestsAloneOfManyDirections(t *testing.T) {
	var names []string
	var taskOf []int
	for v := range 5 {
		for i := range 60 {
			names, taskOf = append(names, fmt.Sprintf("a%d", i)), append(taskOf, v)
		}
	}
	tasks := try.Of(kernels.NewPoints(nil, []string{"A", "B", "C", "D", "E"}, nil))
	arms := try.Of(kernels.NewPoints(nil, names, nil))
	k := kernels.AddJoint(product(nil, kernels.Identity{}), enginetest.Identity)
	p := try.Of(problem.New("many", tasks, arms, taskOf, k, []float64{1}, nil))
	m := try.Of(model.New(p, 1))
	alg := try.Of(plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{Epsilon: 0.5}))
	said := slices.ContainsFunc(alg.State().Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnTestsAloneMany })
	if loner, is := alg.(engine.Detailed); !is || !loner.Independent() || !said {
		t.Errorf("%T, said %v; want each agent alone", alg, said)
	}
	alg = try.Of(plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{Epsilon: 0.5, Norm: 3}))
	if loner, is := alg.(engine.Detailed); !is || !loner.Independent() {
		t.Errorf("with a norm that says little of 300 arms: %T", alg)
	}
}
