package answer_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// trial is a field trial as text: 4 sites, 12 varieties, 2 years with 2 blocks, and a cost and an impurity for each row. V03 is the best
// variety everywhere, by 0.6 before V07. Its impurity, and no other, is above 1.
func trial() string {
	rng := rand.New(rand.NewPCG(1, 1))
	effects := []float64{0, .2, 1.6, .3, .1, .5, 1, .4, .2, .6, .1, .3}
	var b strings.Builder
	b.WriteString("site,variety,year,block,yield,weight,hours,impurity\n")
	for s := range 4 {
		for year := range 2 {
			for block := range 2 {
				shift := rng.NormFloat64()
				for v, effect := range effects {
					impurity := 0.3 + 0.02*rng.NormFloat64()
					if v == 2 {
						impurity++
					}
					fmt.Fprintf(&b, "S%d,V%02d,%d,%d,%.2f,%d,%d,%.3f\n", s, v+1, 2023+year, block+1, 5+float64(s)+shift+effect+0.2*rng.NormFloat64(),
						s%2, 1+3*(v%2), impurity)
				}
			}
		}
	}
	return b.String()
}

// planted reads the trial with some columns.
func planted(t *testing.T, l problem.Long) *problem.Problem {
	t.Helper()
	l.Task, l.Arm, l.Reward = []string{"site"}, []string{"variety"}, "yield"
	return loaded(t, trial(), problem.LoadOptions{Long: &l})
}

// One option is chosen for all tasks, with its difference to the runner-up, its loss at each task, and the options that may be dropped.
func TestOverall(t *testing.T) {
	p := planted(t, problem.Long{Blocks: []string{"year", "block"}, Weights: "weight"})
	a := bestOf(t, p, answer.Options{Overall: true, Epsilon: 0.1})
	o := a.Overall
	if o.Arm != "V03" || o.RunnerUp != "V07" || o.Within < 0.95 {
		t.Fatalf("overall %s with %g, runner-up %s", o.Arm, o.Within, o.RunnerUp)
	}
	if d := o.Difference; d.CI95[0] > 0.6 || d.CI95[1] < 0.6 || math.Abs(d.Estimate-0.6) > 0.2 {
		t.Errorf("the difference to the runner-up is %v, and 0.6 in truth", *d)
	}
	if len(o.PerTask) != 2 || o.PerTask[0].Task != "S1" || o.PerTask[0].Weight != 0.5 || o.PerTask[0].Loss > 0.1 {
		t.Errorf("per task %+v; S0 and S2 have the weight 0", o.PerTask)
	}
	if !slices.Contains(o.Drop, "V01") || slices.Contains(o.Drop, "V03") || len(o.Options) != 12 || o.Options[0].Arm != "V03" {
		t.Errorf("drop %q of %d options, the first %s", o.Drop, len(o.Options), o.Options[0].Arm)
	}
	even := bestOf(t, planted(t, problem.Long{Blocks: []string{"year", "block"}}), answer.Options{Overall: true})
	if s := even.Overall.Options[0].Slope; len(even.Overall.PerTask) != 4 || s == nil || math.Abs(*s-1) > 0.3 {
		t.Errorf("the slope of the pick is %v with %d tasks", s, len(even.Overall.PerTask))
	}
}

// A plan puts a block at one task, an option at most once in it, checks in every block, and no more different options than asked for.
func TestFieldBlocks(t *testing.T) {
	p := planted(t, problem.Long{Blocks: []string{"year", "block"}})
	if len(p.Blocks) != 16 {
		t.Fatalf("%d blocks of 4 sites, 2 years and 2 blocks", len(p.Blocks))
	}
	for _, opt := range []answer.Options{
		{Next: 60}, {Next: 60, PerBlock: 1, Distinct: 4, Checks: []string{"V01"}}, {Next: 60, Overall: true, Checks: []string{"V01", "V02"}},
	} {
		a := bestOf(t, p, opt)
		total, names := 0, map[string]bool{}
		task, of := map[int]string{}, map[int]map[string]int{}
		for _, x := range a.Next {
			if task[x.Block] == "" {
				task[x.Block], of[x.Block] = x.Task, map[string]int{}
			}
			if task[x.Block] != x.Task {
				t.Errorf("%+v: block %d is at %s and at %s", opt, x.Block, task[x.Block], x.Task)
			}
			of[x.Block][x.Arm] += x.Count
			total += x.Count
			names[x.Arm] = !slices.Contains(opt.Checks, x.Arm)
		}
		for block, counts := range of {
			for arm, n := range counts {
				if n > 1 {
					t.Errorf("%+v: %s is %d times in block %d", opt, arm, n, block)
				}
			}
			for _, check := range opt.Checks {
				if counts[check] != 1 {
					t.Errorf("%+v: the check %s is %d times in block %d", opt, check, counts[check], block)
				}
			}
		}
		if total > opt.Next || total < opt.Next-len(opt.Checks) {
			t.Errorf("%+v: %d measurements", opt, total)
		}
		tested := 0
		for _, is := range names {
			if is {
				tested++
			}
		}
		if opt.Distinct > 0 && tested > opt.Distinct {
			t.Errorf("%+v: %d different options", opt, tested)
		}
	}
	plain := bestOf(t, planted(t, problem.Long{}), answer.Options{Next: 12, Checks: []string{"V01"}})
	if checks := lists.Count(plain.Next, func(x answer.Pull) bool { return x.Arm == "V01" && x.Count == 1 }); checks != 4 {
		t.Errorf("without blocks, the check is %d times in the plan of 4 sites", checks)
	}
	var unknown *answer.CheckError
	if _, err := answer.Best(t.Context(), p, answer.Options{Next: 4, Checks: []string{"V99"}}); !errors.As(err, &unknown) {
		t.Errorf("an unknown check is %v", err)
	}
}

// With costs the budget is a cost, and a cheap measurement is preferred to an equally useful one.
func TestCosts(t *testing.T) {
	text := "arm,y,hours\n"
	rng := rand.New(rand.NewPCG(2, 2))
	for k := range 24 {
		text += fmt.Sprintf("a%d,%.2f,%d\n", k%6, 10+0.1*float64(k%6)+rng.NormFloat64(), 1+9*(k%2))
	}
	p := loaded(t, text, problem.LoadOptions{Long: &problem.Long{Arm: []string{"arm"}, Reward: "y", Cost: "hours"}})
	a := bestOf(t, p, answer.Options{Next: 40})
	spent, cheap, dear := 0.0, 0, 0
	for _, x := range a.Next {
		spent += x.Cost
		if x.Cost == float64(x.Count) {
			cheap += x.Count
		} else {
			dear += x.Count
		}
	}
	if spent > 40 || spent < 31 || cheap <= dear {
		t.Errorf("%g hours are spent on %d cheap and %d dear measurements", spent, cheap, dear)
	}
}

// quantities reads the trial's other columns.
func quantities(t *testing.T, p *problem.Problem, also ...problem.Also) []answer.Quantity {
	t.Helper()
	for k, x := range also {
		also[k].Problem = loaded(t, trial(), problem.LoadOptions{Goal: problem.GoalMin,
			Long: &problem.Long{Task: []string{"site"}, Arm: []string{"variety"}, Reward: x.Column}})
	}
	p.Also = also
	return try.Of(answer.Quantities(p, func(p *problem.Problem) (*belief.Belief, error) {
		return belief.Of(t.Context(), p, belief.Options{})
	}))
}

// An option that does not meet a requirement is not chosen, whatever its reward.
func TestRequired(t *testing.T) {
	p := planted(t, problem.Long{Blocks: []string{"year", "block"}})
	r := try.Of(problem.ReadRequirement("impurity <= 0.8"))
	a := bestOf(t, p, answer.Options{Quantities: quantities(t, p, problem.Also{Column: "impurity", Require: &r})})
	for _, pick := range a.Picks {
		if pick.Arm != "V07" || pick.Feasible == nil || *pick.Feasible < 0.95 {
			t.Errorf("%s: pick %s, feasible with %v", pick.Task, pick.Arm, pick.Feasible)
		}
	}
	for _, x := range a.Arms {
		if x.Arm == "V03" && (*x.Feasible > 0.05 || x.Estimate < 6) {
			t.Errorf("V03 at %s is feasible with %g, its estimate is %g", x.Task, *x.Feasible, x.Estimate)
		}
	}
}

// Requirements are comparisons of a column with a number.
func TestReadRequirement(t *testing.T) {
	for text, want := range map[string]string{
		"impurity < 0.5": "impurity false 0.5", "col('Yield %') >= 80": "Yield % true 80", "Yield % > 8,5": "Yield % true 8.5",
	} {
		if r, err := problem.ReadRequirement(text); err != nil || fmt.Sprint(r.Column, " ", r.Above, " ", r.Limit) != want {
			t.Errorf("%q is %+v, %v", text, r, err)
		}
	}
	for _, text := range []string{"impurity", "impurity < much", "< 3"} {
		if r, err := problem.ReadRequirement(text); err == nil {
			t.Errorf("%q is read as %+v", text, r)
		}
	}
}

// Two rewards give the options that no other one beats in both.
func TestPareto(t *testing.T) {
	p := planted(t, problem.Long{Blocks: []string{"year", "block"}})
	a := bestOf(t, p, answer.Options{Quantities: quantities(t, p, problem.Also{Column: "impurity"})})
	probability := map[string]float64{}
	for _, x := range a.Pareto {
		if x.Task == "S0" {
			probability[x.Arm] = x.Probability
		}
	}
	if probability["V03"] < 0.95 || probability["V07"] < 0.9 || probability["V01"] > 0.7 {
		t.Errorf("Pareto optimal with %v", probability)
	}
}
