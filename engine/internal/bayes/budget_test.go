package bayes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// many returns five tasks with a smooth function of so many arms.
func many(t *testing.T, arms int) *problem.Problem {
	t.Helper()
	return try.Of(manyarms.Problem(arms))
}

// modelOf returns a model without exact features.
func modelOf(t *testing.T, p *problem.Problem) *model.Model {
	t.Helper()
	m := try.Of(model.New(p, 0))
	if m.Features != nil || !m.Many() {
		t.Fatalf("a model of %d arms has its features", p.N())
	}
	return m
}

// A run spends its budget to the last pull, no agent more than its own, answers every task, and never asks for
// exact features.
func TestBudgetFBSpendsItsBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	p := many(t, 300)
	for _, budget := range []int{1, 2, 7, 40, 403} {
		for _, scales := range []string{"", problem.UnknownTask} {
			p.Noise.UnknownBy = scales
			m := modelOf(t, p)
			for name, form := range map[string]func(*model.Model, engine.Options) (engine.Algorithm, error){"adaptive": plain.On(engine.ModeFB, NewBudgetFB), "uniform": plain.On(engine.ModeFB, NewUniformFB)} {
				alg, err := form(m, engine.Options{Budget: budget})
				if err != nil {
					t.Fatal(err)
				}
				rng, first, sums := rand.New(rand.NewPCG(uint64(budget), 1)), []int(nil), make([]int, p.V())
				out, err := engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch {
					if first == nil {
						first = plan.Counts
					}
					for i, c := range plan.Counts {
						sums[p.TaskOf[i]] += c
					}
					return enginetest.SquaresPull(rng, p, p.Noise.Scales, plan)
				}), engine.Options{})
				if err != nil || out.Status != engine.StatusBudget || out.Samples != 5*budget || slices.Max(sums) > budget {
					t.Errorf("%s, budget %d: %s after %d pulls, of tasks %v, %v", name, budget, out.Status, out.Samples, sums, err)
				}
				for _, a := range out.Answers {
					if a.Leader == "" || a.Decided || len(a.Candidates) != 60 {
						t.Errorf("%s, budget %d: %+v", name, budget, a)
					}
				}
				if name == "uniform" {
					checkUniform(t, p, first, budget)
				}
			}
			if m.Features != nil {
				t.Error("the model has exact features now")
			}
		}
	}
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

// The pulls of a round follow the rule written plainly on dense covariances, of a budget for each agent and of a sum.
func TestBudgetFBPulls(t *testing.T) {
	p := many(t, 60)
	m := try.Of(model.New(p, 0))
	for _, opt := range []engine.Options{{Budget: 12}, {Total: 60}} {
		opt.Level, opt.Scale = engine.Level{Known: true}, 1
		alg := try.Of(plain.On(engine.ModeFB, NewBudgetFB)(m, opt))
		a, rng := alg.(*budgetFB), rand.New(rand.NewPCG(1, 2))
		for r := range 6 {
			before := slices.Clone(a.Counts)
			plan := try.Of(a.Plan(t.Context()))
			if r > 0 {
				if want := plainPulls(t, p, before, a.estimates, m.Unit, plan.Counts, opt.Total > 0); !slices.Equal(plan.Counts, want) {
					t.Errorf("round %d of %+v: pulls %v, plainly %v", r+1, opt, plan.Counts, want)
				}
			}
			try.To(a.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
		}
	}
}

// plainPulls works the pulls of a round out from posteriors that are formed again after each pull. With a sum for all tasks each pull is
// of the task that is least certain, else tasks take turns.
func plainPulls(t *testing.T, p *problem.Problem, counts []int, estimates []float64, unit float64, plan []int, sum bool) []int {
	t.Helper()
	zero, out := make([]float64, p.N()), make([]int, p.N())
	variance := func(c *mat.Dense, i, j int) float64 { return c.At(i, i) + c.At(j, j) - 2*c.At(i, j) }
	left, sets := make([]int, p.V()), p.Groups()
	for i, c := range plan {
		left[p.TaskOf[i]] += c
	}
	if sum {
		left = slices.Repeat([]int{engine.PullsOf(plan)}, p.V())
	}
	counts = slices.Clone(counts)
	_, start := posteriorOf(t, p, counts, zero)
	for turn, n := 0, engine.PullsOf(plan); n > 0; turn++ {
		_, now := posteriorOf(t, p, counts, zero)
		first, rival, most := -1, -1, -1.0
		for v, set := range sets {
			if left[v] == 0 || !sum && v != turn%len(sets) {
				continue
			}
			leader := rounds.Leader(set, estimates)
			for _, i := range set {
				d := (estimates[leader] - estimates[i]) * unit
				if unsure := variance(now, leader, i) / (d*d + 2*variance(start, leader, i)); i != leader && unsure > most*(1+1e-9) {
					first, rival, most = leader, i, unsure
				}
			}
		}
		if first < 0 {
			continue
		}
		best, off := -1, math.Inf(-1)
		for _, j := range sets[p.TaskOf[first]] {
			c := now.At(first, j) - now.At(rival, j)
			if taken := c * c / (now.At(j, j) + p.Noise.Scales[j]*p.Noise.Scales[j]); taken > off*(1+1e-9) {
				best, off = j, taken
			}
		}
		counts[best]++
		out[best]++
		left[p.TaskOf[best]]--
		n--
	}
	return out
}

// Answers are far better than chance would have them: over ten runs with 20 pulls a task their rewards
// are on average within a twentieth of the best arm's lead over the average arm.
func TestBudgetFBFindsGoodArms(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	p := many(t, 400)
	m := modelOf(t, p)
	best, _ := m.Truth().Best()
	sum, lead, runs := 0.0, 0.0, 10
	for run := range runs {
		alg := try.Of(plain.On(engine.ModeFB, NewBudgetFB)(m, engine.Options{Budget: 20}))
		rng := rand.New(rand.NewPCG(uint64(run), 3))
		out := try.Of(engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) }), engine.Options{}))
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
