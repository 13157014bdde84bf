package answer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// A table whose options failed each time gives them no difference to the recommended one.
func TestNoDifferenceOfFailed(t *testing.T) {
	a := bestOf(t, loaded(t, "task,s,y\nA,x,50\nA,y,n.d.\nA,x,48\nA,z,40\nA,z,41\n", problem.LoadOptions{Long: &problem.Long{
		Task: []string{"task"}, Arm: []string{"s"}, Reward: "y"}}), answer.Options{})
	for _, arm := range a.Arms {
		if (arm.Difference != nil) != (arm.Label == "z") {
			t.Errorf("%s has the difference %+v", arm.Label, arm.Difference)
		}
	}
}

// The column that rewards depend on is the most important, and one that they do not depend on is not. Each option but the recommended
// one has its difference to that.
func TestImportance(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var b strings.Builder
	b.WriteString("task,rate,batch,seed,reward\n")
	for _, task := range []string{"a", "b"} {
		for rate := range 6 {
			for batch := range 3 {
				for seed := range 2 {
					fmt.Fprintf(&b, "%s,%d,%d,%d,%.3f\n", task, rate, batch, seed, -float64((rate-3)*(rate-3))+0.05*rng.NormFloat64())
				}
			}
		}
	}
	a := bestOf(t, loaded(t, b.String(), problem.LoadOptions{Long: &problem.Long{Task: []string{"task"}, Arm: []string{"rate", "batch"},
		Reward: "reward"}}), answer.Options{})
	if len(a.Importance) != 2 || a.Importance[0].Column != "rate" || a.Importance[0].Share < 0.9 || a.Importance[1].Share > 0.05 {
		t.Errorf("importance is %+v", a.Importance)
	}
	missing := 0
	for _, arm := range a.Arms {
		if arm.Difference == nil {
			missing++
		} else if d := *arm.Difference; d.CI95[0] > d.Estimate || d.CI95[1] < d.Estimate || d.Estimate > 0.5 {
			t.Errorf("the difference of %s at %s is %+v", arm.Label, arm.Task, d)
		}
	}
	if missing != 2 {
		t.Errorf("%d options have no difference, want the 2 recommended ones", missing)
	}
}
