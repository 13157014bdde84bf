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

// The pulls of a round follow the rule written plainly on dense covariances: task after task, one pull of the arm by
// which the larger of two means grows most, summed over the arms beside the leader.
func TestBudgetFBPulls(t *testing.T) {
	p := many(t, 60)
	m, err := model.New(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	alg, err := plain.On(engine.ModeFB, NewBudgetFB)(m, engine.Options{Budget: 12, Level: engine.Level{Known: true}, Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	a, rng := alg.(*budgetFB), rand.New(rand.NewPCG(1, 2))
	for r := range 6 {
		before := slices.Clone(a.Counts)
		plan, err := a.Plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r > 0 {
			if want := plainPulls(t, p, before, a.estimates, m.Unit, plan.Counts); !slices.Equal(plan.Counts, want) {
				t.Errorf("round %d: pulls %v, plainly %v", r+1, plan.Counts, want)
			}
		}
		if err := a.Learn(t.Context(), enginetest.Pull(rng, p, plan)); err != nil {
			t.Fatal(err)
		}
	}
}

// plainPulls returns the pulls of a round, chosen one by one, with as many for each task as the plan has; estimates are
// normalised by unit.
func plainPulls(t *testing.T, p *problem.Problem, counts []int, estimates []float64, unit float64, plan []int) []int {
	t.Helper()
	zero, out := make([]float64, p.N()), make([]int, p.N())
	_, start := posteriorOf(t, p, counts, zero)
	lead := func(c *mat.Dense, j, i, k int) float64 { return c.At(j, k) - c.At(i, k) }
	left := make([]int, p.V())
	for i, c := range plan {
		left[p.TaskOf[i]] += c
	}
	counts = slices.Clone(counts)
	now := start
	for slices.Max(left) > 0 {
		for v, set := range p.Groups() {
			if left[v] == 0 {
				continue
			}
			first := rounds.Leader(set, estimates)
			best, most := -1, math.Inf(-1)
			for _, j := range set {
				noise := p.Noise.Scales[j] * p.Noise.Scales[j] / float64(left[v])
				value := 0.0
				for _, i := range set {
					if i == first {
						continue
					}
					taken := lead(start, first, i, first) - lead(start, first, i, i) - lead(now, first, i, first) + lead(now, first, i, i)
					c := lead(now, first, i, j)
					d, s2 := (estimates[first]-estimates[i])*unit, taken+c*c/(now.At(j, j)+noise)
					if s := math.Sqrt(s2); s2 > 0 {
						value += s*math.Exp(-d*d/s2/2)/math.Sqrt(2*math.Pi) - d*math.Erfc(d/s/math.Sqrt2)/2
					}
				}
				if value > most*(1+1e-9) {
					best, most = j, value
				}
			}
			counts[best]++
			out[best]++
			left[v]--
			_, now = posteriorOf(t, p, counts, zero)
		}
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
		alg, err := plain.On(engine.ModeFB, NewBudgetFB)(m, engine.Options{Budget: 20})
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
