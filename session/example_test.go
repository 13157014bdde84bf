package session_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/session"
	"github.com/gonb-cope/gonb-cope/session/display"
)

// A Go cell reads what %%cope cells have bound, and binds its own result.
func Example() {
	p, r := session.Problem("p"), session.Result("r")
	fmt.Println(p.Name, session.Kernel("joint"), r.SamplesPerAgent.Mean)
	session.Put("cost", 12.5*r.SamplesTotal)
	display.Show(r)
}

// A Go func becomes a kernel of the session: %%cope cells use it as arm(wave).
func ExamplePut() {
	session.Put("wave", func(x, y []float64) float64 {
		return math.Exp(-math.Abs(x[0]-y[0])) * math.Cos(2*(x[0]-y[0]))
	})
}

// Inside one cell, kernels.Func does the same without a session.
func ExampleProblem() {
	wave := kernels.Func("wave", func(x, y []float64) float64 { return math.Exp(-math.Abs(x[0] - y[0])) })
	p := session.Problem("p")
	q := p.WithKernel(kernels.AddJoint(p.Kernel, kernels.LiftArm(wave)))
	if _, err := q.Kernel.Check(q.Tasks, q.Arms); err != nil {
		fmt.Println(err) // not symmetric, or not positive semi-definite, and where
	}
}

func TestNoSession(t *testing.T) {
	t.Setenv("GONB_COPE_SOCK", "")
	if _, err := session.Get("p"); !errors.Is(err, session.ErrNoSession) {
		t.Errorf("Get says %v", err)
	}
	if err := session.Bind("p", 1); !errors.Is(err, session.ErrNoSession) {
		t.Errorf("Bind says %v", err)
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, session.ErrNoSession) {
			t.Errorf("Number panics with %v", err)
		}
	}()
	session.Number("x")
}

// A Go cell records a robot's measurements in a campaign, and marks the failed ones.
func ExampleTell() {
	list := session.Ask("wells", campaign.Request{By: "robot", Count: 24})
	sheet, lost := "id,reward\n", []string(nil)
	for _, row := range list.Rows {
		if yield, ok := measured(row.X); ok {
			sheet += fmt.Sprintf("%s,%g\n", row.ID, yield)
		} else {
			lost = append(lost, row.ID)
		}
	}
	if err := os.WriteFile("results.csv", []byte(sheet), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	if r := session.Tell("wells", "results.csv", campaign.TellOptions{By: "robot"}); r.Refused() {
		display.Show(r) // which rows were not taken, and why
	}
	if len(lost) > 0 {
		session.Fail("wells", lost, "the robot dropped the vial", "robot")
	}
	display.Show(session.Resume("wells"))
}

// measured represents a machine; it reports whether it could measure.
func measured(x []float64) (float64, bool) { return x[0], x[0] > 0 }

// Inside one cell, sim.Func makes a Go func the source of rewards: it returns the mean
// of n rewards of an arm.
func ExampleProblem_rewards() {
	p := session.Problem("p")
	measured := map[string]float64{"a": 1, "b": 0.4}
	result, err := sim.Run(context.Background(), sim.Experiment{
		Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Options: engine.Options{Delta: 0.05}, Runs: 20, Seed: 1,
		Draw: sim.Func(p, func(rng *rand.Rand, task, arm string, n int) (float64, error) {
			return measured[arm] + 0.1*rng.NormFloat64()/math.Sqrt(float64(n)), nil
		}),
	})
	if err != nil {
		fmt.Println(err)
	}
	session.Put("r", result)
}
