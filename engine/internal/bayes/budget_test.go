package bayes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// many returns five tasks with a smooth function of so many arms.
func many(t *testing.T, arms int) *problem.Problem {
	t.Helper()
	p, err := manyarms.Problem(arms)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// modelOf returns a model without exact features.
func modelOf(t *testing.T, p *problem.Problem) *model.Model {
	t.Helper()
	m, err := model.New(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	if m.Features != nil || !m.Many() {
		t.Fatalf("a model of %d arms has its features", p.N())
	}
	return m
}

// A run spends its budget to the last pull, whatever that is, answers every task, and never asks for
// exact features; where the budget is smaller than the number of arms that all follow from, the arms of
// round 1 are the first pivots.
func TestBudgetFBSpendsItsBudget(t *testing.T) {
	p := many(t, 300)
	budgets := []int{1, 2, 7, 40, 403}
	if testing.Short() {
		budgets = budgets[1:4]
	}
	for _, budget := range budgets {
		for _, scales := range []string{"", problem.UnknownTask} {
			p.Noise.UnknownBy = scales
			m := modelOf(t, p)
			for name, form := range map[string]func(*model.Model, engine.Options) (engine.Algorithm, error){"adaptive": NewBudgetFB, "uniform": NewUniformFB} {
				alg, err := form(m, engine.Options{Budget: budget})
				if err != nil {
					t.Fatal(err)
				}
				rng, first := rand.New(rand.NewPCG(uint64(budget), 1)), []int(nil)
				out, err := engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch {
					if first == nil {
						first = plan.Counts
					}
					return enginetest.SquaresPull(rng, p, p.Noise.Scales, plan)
				}), engine.Options{})
				if err != nil || out.Status != engine.StatusBudget || out.Samples != 5*budget {
					t.Errorf("%s, budget %d: %s after %d pulls, %v", name, budget, out.Status, out.Samples, err)
				}
				for _, a := range out.Answers {
					if a.Leader == "" || a.Decided || len(a.Candidates) != 60 {
						t.Errorf("%s, budget %d: %+v", name, budget, a)
					}
				}
				if name == "uniform" {
					checkUniform(t, p, first, budget)
				} else if pivots, err := m.Pivots(budget, 0); err != nil || scales == "" && budget < 40 && !slices.Equal(pulledOf(first), sorted(pivots)) {
					t.Errorf("budget %d: round 1 pulls %v, the first pivots are %v, %v", budget, pulledOf(first), pivots, err)
				}
			}
			if m.Features != nil {
				t.Error("the model has exact features now")
			}
		}
	}
}

func sorted(x []int) []int { x = slices.Clone(x); slices.Sort(x); return x }

func pulledOf(counts []int) (out []int) {
	for i, c := range counts {
		if c > 0 {
			out = append(out, i)
		}
	}
	return out
}

// checkUniform reports a task whose budget is not shared equally.
func checkUniform(t *testing.T, p *problem.Problem, counts []int, budget int) {
	t.Helper()
	for _, set := range p.Groups() {
		sum, least, most := 0, math.MaxInt, 0
		for _, i := range set {
			sum, least, most = sum+counts[i], min(least, counts[i]), max(most, counts[i])
		}
		if sum != budget || most > least+1 {
			t.Errorf("a task has %d pulls of %d, between %d and %d an arm", sum, budget, least, most)
		}
	}
}

// The pulls of a round follow the rule written plainly on dense covariances: again and again, of
// the contrast with the largest weighted variance, the arm of its task that takes most from it.
func TestBudgetFBPulls(t *testing.T) {
	p := many(t, 260)
	m := modelOf(t, p)
	alg, err := NewBudgetFB(m, engine.Options{Budget: 24, Level: engine.Level{Known: true}, Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	a, rng := alg.(*budgetFB), rand.New(rand.NewPCG(1, 2))
	for r := range 3 {
		before := slices.Clone(a.Counts)
		plan, err := a.Plan()
		if err != nil {
			t.Fatal(err)
		}
		if r > 0 {
			want := plainPulls(t, p, before, a.estimates, m.Unit, plan.Pulls())
			if !slices.Equal(plan.Counts, want) {
				t.Errorf("round %d: pulls %v, plainly %v", r+1, plan.Counts, want)
			}
		}
		if err := a.Learn(enginetest.Pull(rng, p, plan)); err != nil {
			t.Fatal(err)
		}
	}
}

// plainPulls returns the n pulls of a round, chosen one by one; estimates are normalised by unit.
func plainPulls(t *testing.T, p *problem.Problem, counts []int, estimates []float64, unit float64, n int) []int {
	t.Helper()
	zero, out := make([]float64, p.N()), make([]int, p.N())
	_, start := posteriorOf(t, p, counts, zero)
	apart := func(c *mat.Dense, i, j int) float64 { return c.At(i, i) + c.At(j, j) - 2*c.At(i, j) }
	counts = slices.Clone(counts)
	for range n {
		_, now := posteriorOf(t, p, counts, zero)
		worst, first, rival := -1.0, 0, 0
		for _, set := range p.Groups() {
			leader := rounds.Leader(set, estimates)
			for _, i := range set {
				gap := (estimates[leader] - estimates[i]) * unit
				if i == leader {
					continue
				}
				if x := apart(now, i, leader) / (gap*gap + 2*apart(start, i, leader)); x > worst {
					worst, first, rival = x, leader, i
				}
			}
		}
		best, most := 0, -1.0
		for _, i := range p.Groups()[p.TaskOf[first]] {
			cov := now.At(i, first) - now.At(i, rival)
			if gain := cov * cov / (now.At(i, i) + p.Noise.Scales[i]*p.Noise.Scales[i]); gain > most {
				best, most = i, gain
			}
		}
		counts[best]++
		out[best]++
	}
	return out
}

// Answers are far better than chance would have them: over ten runs with 20 pulls a task their rewards
// are on average within a twentieth of the best arm's lead over the average arm.
func TestBudgetFBFindsGoodArms(t *testing.T) {
	p := many(t, 400)
	m := modelOf(t, p)
	best, _ := m.Best()
	sum, lead, runs := 0.0, 0.0, 10
	for run := range runs {
		alg, err := NewBudgetFB(m, engine.Options{Budget: 20})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(uint64(run), 3))
		out, err := engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) }), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for v, set := range p.Groups() {
			for _, i := range set {
				lead += (p.Mean[best[v]] - p.Mean[i]) / float64(len(set))
				if p.Arms.Names[i] == out.Answers[v].Leader {
					sum += p.Mean[best[v]] - p.Mean[i]
				}
			}
		}
	}
	t.Logf("regret %.3g of %.3g", sum/float64(5*runs), lead/float64(5*runs))
	if sum > lead/20 {
		t.Errorf("regret %g, an arm at random has %g", sum, lead)
	}
}
