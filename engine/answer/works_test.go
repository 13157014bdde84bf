package answer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// runs is a table of four models, four learning rates and four batch sizes. A third of the runs is missing. Higher batches are
// better. A run fails where fails says so.
func runs(fails func(model, batch int) bool) string {
	rng := rand.New(rand.NewPCG(3, 3))
	var b strings.Builder
	b.WriteString("model,lr,batch,acc\n")
	for m := range 4 {
		for lr := range 4 {
			for k, batch := range []int{64, 128, 256, 512} {
				value := fmt.Sprintf("%.2f", 70+2*float64(k)-0.5*float64((lr-m%2)*(lr-m%2))+0.3*rng.NormFloat64())
				if fails(m, batch) {
					value = "oom"
				}
				if (m+lr+k)%3 > 0 {
					fmt.Fprintf(&b, "m%d,%d,%d,%s\n", m, lr, batch, value)
				}
			}
		}
	}
	return b.String()
}

func runsAnswer(t *testing.T, retry bool, fails func(model, batch int) bool) *answer.Answer {
	p := loaded(t, runs(fails), problem.LoadOptions{Long: &problem.Long{Task: []string{"model"}, Arm: []string{"lr", "batch"}, Reward: "acc",
		Candidates: []string{problem.CandidatesAll}}})
	return bestOf(t, p, answer.Options{Next: 16, Retry: retry})
}

// Options that were never tried are neither recommended nor proposed where failures say that they fail. Failures at random
// change nothing.
func TestFailuresAreLearned(t *testing.T) {
	memory := func(model, batch int) bool { return model > 1 && batch == 512 }
	a := runsAnswer(t, false, memory)
	for _, x := range a.Picks {
		if x.Task > "m1" && x.Features["batch"] == 512.0 {
			t.Errorf("%s: %s is recommended", x.Task, x.Label)
		}
	}
	for _, x := range a.Next {
		if x.Task > "m1" && x.Features["batch"] == 512.0 {
			t.Errorf("%s: %s is proposed", x.Task, x.Label)
		}
	}
	for _, x := range a.Arms {
		if fails := memory(int(x.Task[1]-'0'), int(x.Features["batch"].(float64))); fails != (*x.Works < 0.3) || !fails && *x.Works < 0.9 {
			t.Errorf("%s at %s works with probability %g", x.Label, x.Task, *x.Works)
		}
	}
	if *a.Picks[0].Works < 0.9 || *a.Next[0].Works < 0.9 {
		t.Errorf("pick and proposal work with probability %g and %g", *a.Picks[0].Works, *a.Next[0].Works)
	}
	const note = "Failures depend on"
	if !strings.Contains(a.Basis, note+" model and batch. ") && !strings.Contains(a.Basis, note+" batch and model. ") {
		t.Errorf("the answer says %q", a.Basis)
	}
	if a := runsAnswer(t, true, memory); strings.Contains(a.Basis, note) {
		t.Errorf("with retry the answer says %q", a.Basis)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	if a := runsAnswer(t, false, func(int, int) bool { return rng.Float64() < 0.15 }); strings.Contains(a.Basis, note) {
		t.Errorf("with failures at random the answer says %q", a.Basis)
	}
}

// If repeated runs show that options fail at random, the probability that an option works is the share of runs that worked.
// Without a failure there is none.
func TestFailuresAtRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	table := "option,y\n"
	for k := range 60 {
		value := fmt.Sprint(k%6, ".", k)
		if rng.Float64() < 0.3 {
			value = "crashed"
		}
		table += fmt.Sprintf("o%d,%s\n", k%6, value)
	}
	long := problem.LoadOptions{Long: &problem.Long{Arm: []string{"option"}, Reward: "y"}}
	share := float64(strings.Count(table, "crashed")) / 60
	for _, x := range bestOf(t, loaded(t, table, long), answer.Options{}).Arms {
		if math.Abs(*x.Works-(1-share)) > 0.1 {
			t.Errorf("%s (%d failed) works with probability %g, %g of all runs failed", x.Label, x.Failed, *x.Works, share)
		}
	}
	for _, x := range bestOf(t, loaded(t, "option,y\na,1\na,2\nb,3\nb,5\n", long), answer.Options{}).Arms {
		if x.Works != nil {
			t.Errorf("without failures %s works with probability %g", x.Label, *x.Works)
		}
	}
}
