package reference

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// IndUniformFB-LS estimates by least squares on the task's own pulls, and judges them at δ/V.
func TestIndUniformLS(t *testing.T) {
	for _, p := range enginetest.Instances(t) {
		m := plain.ModelOf(t, p)
		alg := try.Of(plain.On(engine.ModeFB, NewIndUniformLS)(m, engine.Options{Budget: 601}))
		plan := try.Of(alg.Plan(t.Context()))
		b := enginetest.Pull(rand.New(rand.NewPCG(8, 8)), p, plan)
		try.To(alg.Learn(t.Context(), b))
		for v, a := range alg.State().Answers {
			lo, hi := p.ArmsOf(v)
			logTerm := math.Log(2 * plain.Sq(float64(hi-lo)) * float64(p.V()) / engine.DefaultDelta)
			if got := alg.(*individual.Set).Parts[v].(*uniformFB).LogTerm; math.Abs(got-logTerm) > 1e-12 {
				t.Errorf("%s, task %d: judged with the logarithm %g, want %g", p.Name, v, got, logTerm)
			}
			own := plain.NewReference(p.Only(v), plain.LeastSquares)
			part := engine.Batch{Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]}
			theta, _ := own.Estimate(part)
			rewards := own.Rewards(theta)
			first := rounds.Leader(own.Sets[0], rewards)
			if want := rewards[first] * own.P.LargestNoise(); a.Leader != p.Arms.Names[lo+first] || math.Abs(a.Estimate-want) > 1e-6 {
				t.Errorf("%s, task %d: %s with %g, by least squares %s with %g", p.Name, v, a.Leader, a.Estimate, p.Arms.Names[lo+first], want)
			}
		}
	}
}

// Below one pull an arm, every arm is pulled in as many tasks as any other, up to one, and not in the order of the table.
func TestUniformTakesDifferentArms(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.2) // 5 tasks of 6 arms
	for name, create := range map[string]func(*model.Model, engine.Options) (engine.Algorithm, error){
		"CoUniformFB": plain.On(engine.ModeFB, NewCoUniformFB), "IndUniformFB": plain.On(engine.ModeFB, NewIndUniformFB), "BestElsewhere": plain.On(engine.ModeFB, NewBestElsewhere),
	} {
		alg := try.Of(create(plain.ModelOf(t, p), engine.Options{Budget: 3}))
		plan := try.Of(alg.Plan(t.Context()))
		byName := make([]int, 6)
		for i, c := range plan.Counts {
			byName[i%6] += c
		}
		if least, most := slices.Min(byName), slices.Max(byName); plan.Pulls() != 15 || most > least+1 {
			t.Errorf("%s: %d pulls, by arm %v; want 15, two or three each", name, plan.Pulls(), byName)
		}
		if first := plan.Counts[:6]; first[0] == 1 && first[1] == 1 && first[2] == 1 {
			t.Errorf("%s: task 1 pulls the first arms of the table", name)
		}
	}
}

// With more than one pull an arm, the arms with one more differ among tasks: the first ones of all tasks would be all that anybody
// knows of, which flatters them where the table begins with good arms.
func TestUniformStartsElsewhere(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.2) // 5 tasks of 6 arms
	for name, create := range map[string]func(*model.Model, engine.Options) (engine.Algorithm, error){
		"CoUniformFB": plain.On(engine.ModeFB, NewCoUniformFB), "IndUniformFB": plain.On(engine.ModeFB, NewIndUniformFB), "BestElsewhere": plain.On(engine.ModeFB, NewBestElsewhere),
	} {
		alg := try.Of(create(plain.ModelOf(t, p), engine.Options{Budget: 8}))
		plan := try.Of(alg.Plan(t.Context()))
		twice := map[string]int{} // tasks that pull an arm twice, by its name
		for v := range p.V() {
			lo, hi := p.ArmsOf(v)
			sum := 0
			for i := lo; i < hi; i++ {
				if sum += plan.Counts[i]; plan.Counts[i] == 2 {
					twice[p.Arms.Names[i]]++
				}
			}
			if sum != 8 {
				t.Errorf("%s: %d pulls of task %d, want 8", name, sum, v)
			}
		}
		for arm, n := range twice {
			if n > 2 {
				t.Errorf("%s: %d of 5 tasks pull arm %s twice, want at most 2", name, n, arm)
			}
		}
		if len(twice) < 5 {
			t.Errorf("%s: pulled twice: %v, want different arms in different tasks", name, twice)
		}
	}
}
