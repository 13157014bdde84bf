package plan_test

import (
	"context"
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// With many arms, a method whose first run ends undecided is run once only, unless the number of runs is stated. A method that decides
// makes all runs, the same ones as with a stated number.
func TestUndecidedOnManyArms(t *testing.T) {
	if testing.Short() {
		t.Skip("makes two forecasts of all methods")
	}
	means := make([]float64, 201) // just enough arms for a sparing forecast
	for i := range means {
		means[i] = float64(i) / 20
	}
	p, memory := try.Of(problem.Classic(means, 1)), &model.Memory{}
	ask := func(runs, rounds int) map[string]plan.Row {
		f := try.Of(plan.Of(context.Background(), p, plan.Question{Runs: runs, Seed: 3, Memory: memory, Options: engine.Options{MaxRounds: rounds, Epsilon: 1}}))
		out := map[string]plan.Row{}
		for _, r := range f.Rows {
			out[r.Algorithm+r.Schedule] = r
		}
		return out
	}
	if r := ask(0, 1)["CoTestFC"]; r.Runs != 1 || r.Undecided != 1 || !math.IsInf(r.SamplesTotal, 1) {
		t.Errorf("%d runs, %d undecided, %g samples", r.Runs, r.Undecided, r.SamplesTotal)
	}
	if r := ask(2, 1)["CoTestFC"]; r.Runs != 2 || r.Undecided != 2 {
		t.Errorf("two stated: %d runs, %d undecided", r.Runs, r.Undecided)
	}
	decided, stated := ask(0, 0), ask(plan.RunsFor(p), 0)
	for name, r := range decided {
		if r.Undecided == 0 && (r.Runs != plan.RunsFor(p) || r != stated[name]) {
			t.Errorf("%s: %+v, stated %+v", name, r, stated[name])
		}
	}
	if decided["CoTestFC"].Undecided > 0 {
		t.Error("CoTestFC does not decide")
	}
}
