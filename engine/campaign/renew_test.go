package campaign

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// renewed is a forecast of the rest, with the days that were over.
type renewed struct {
	over int
	*Renewal
	simple float64 // what the status says without simulation
}

// closesIn renews the forecast of a campaign every so many days, and reports those whose range misses the true rest. It
// returns all and the days that it took.
func closesIn(t *testing.T, algorithm string, epsilon float64, seed uint64, every int) (all []renewed, took, outside int) {
	p, _, rewards := couplingDays(t, algorithm, epsilon)
	memory := new(model.Memory)
	took, _, _ = watchDays(t, p, memory, rewards, seed, func(over int, c *inMemory) bool {
		if over == 0 || over%every > 0 {
			return true
		}
		r := try.Of(Renew(t.Context(), c.s.Under(c.p, c.now), memory, plan.DefaultRuns, nil))
		all = append(all, renewed{over, r, c.run.Status(c.s.Under(c.p, c.now)).TimeLeft})
		return true
	})
	for _, r := range all {
		left := float64(took - r.over)
		outside += indices.Indicator(left < r.Time.Low || left > r.Time.High)
		t.Logf("%s, epsilon %g: after %d days %g (%g to %g) days more, %.0f by the status, took %g", algorithm, epsilon, r.over, r.Time.Median, r.Time.Low, r.Time.High, r.simple, left)
	}
	return all, took, outside
}

// The forecast of the rest of a test has what was left, whenever it is made, and comes nearer to it, where the
// samples that the hardest rivals need unchanged are a fifth of the samples taken.
func TestRenewClosesIn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	all, took, outside := closesIn(t, "CoTestFC", 10, 1, 80)
	if len(all) < 4 || outside > 0 {
		t.Errorf("%d of %d outside", outside, len(all))
	}
	off := func(r renewed) float64 { return math.Abs(float64(took-r.over) - r.Time.Median) }
	if first, last := all[0], all[len(all)-1]; !(off(last) < off(first)) || !(off(first) < math.Abs(float64(took-first.over)-first.simple)) {
		t.Errorf("off by %g at first and %g at last", off(first), off(last))
	}
}

// Rewards of the open round must not show in a forecast: they must not decide its end. Rewards of rounds that are over
// do. It changes nothing, and is the same each time.
func TestRenewHidesTheOpenRound(t *testing.T) {
	for _, algorithm := range []string{"CoTestFC", "CoBayesFC"} {
		p, _, rewards := couplingDays(t, algorithm, 30)
		if testing.Short() {
			p.Problem = p.Problem.Only(0, 1, 2, 3) // whose arms come first
		}
		memory, looked := new(model.Memory), false
		watchDays(t, p, memory, rewards, 1, func(over int, c *inMemory) bool {
			r := c.s.open()
			if r == nil || len(c.s.rounds) < 2 || r.measured() == 0 && algorithm == "CoTestFC" {
				return true
			}
			looked = true
			renew := func() *Renewal {
				return try.Of(Renew(t.Context(), c.s.Under(c.p, c.now), memory, 2, nil))
			}
			// other rewards than those recorded, arm by arm, as if the measurements had been different
			add := func(r *round, by float64) {
				for i, all := range r.results {
					for _, m := range all {
						m.Reward += by * float64(i%5)
					}
				}
			}
			before := renew()
			add(r, 20)
			if after := renew(); !reflect.DeepEqual(before, after) {
				t.Errorf("%s: %+v, and with other rewards of the open round %+v", algorithm, before, after)
			}
			// the rewards before; and then the same change in a round that is over
			add(r, -20)
			add(c.s.rounds[0], 20)
			if after := renew(); reflect.DeepEqual(before, after) {
				t.Errorf("%s: rewards of a round that is over do not count: %+v", algorithm, after)
			}
			return false
		})
		if !looked {
			t.Errorf("%s: no round was open", algorithm)
		}
	}
}

// All results at once are to a posterior what they are round by round: the same leaders and, up to the
// scale that is fitted again when pulls have grown by a tenth, the same estimates. Losses instead of yields change their signs alone.
func TestRenewTellsAPosteriorAll(t *testing.T) {
	for _, goal := range []string{problem.GoalMax, problem.GoalMin} {
		t.Run(goal, func(t *testing.T) { renewTellsAll(t, goal) })
	}
}

func renewTellsAll(t *testing.T, goal string) {
	p, _, rewards := couplingDays(t, "CoBayesFC", 10)
	if testing.Short() {
		p.Problem = p.Problem.Only(0, 1, 2, 3, 4, 5, 6) // the arms of the first tasks come first
	}
	turned := *p.Problem
	turned.Goal, p.Problem = goal, &turned
	for i, all := range rewards {
		rewards[i] = lists.Map(all, func(x float64) float64 { return problem.Turned(goal, x) })
	}
	memory, looked := new(model.Memory), false
	watchDays(t, p, memory, rewards, 1, func(over int, c *inMemory) bool {
		if over != 15 {
			return true
		}
		looked = true
		at := rest{c.s.Under(c.p, c.now), memory}
		// the batch that soFar passes to a posterior instead of the rounds
		known := try.Of(at.known(t.Context()))
		steps := try.Of(at.soFar(t.Context(), known.all))
		for v, a := range steps.Outcome().Answers {
			b := c.run.Outcome.Answers[v]
			if a.Leader != b.Leader || math.Abs(a.Estimate-b.Estimate) > 1 {
				t.Errorf("%s: %s with %.2f, round by round %s with %.2f", a.Task, a.Leader, a.Estimate, b.Leader, b.Estimate)
			}
		}
		return false
	})
	if !looked {
		t.Error("it ended before the fifteenth day")
	}
}

// Noise of arms by hand. With the stated 2 and 4, arms have squares of 8 from 3 results, 32 from 5, and one result: the
// factors 8/4 = 2 and 32/16 = 2 make (1 + 4)/(1 + 6) for the task, and (4·5/7 + 2)/(4 + 2), (4·5/7 + 2)/(4 + 4) and 5/7
// for the arms.
func TestScatter(t *testing.T) {
	p := &problem.Problem{
		Tasks: &kernels.Points{Names: []string{"a"}}, TaskOf: []int{0, 0, 0}, Noise: problem.NoiseModel{Scales: []float64{2, 4, 4}},
	}
	got := scatter(p, engine.Batch{Counts: []int{3, 5, 1}, Squares: []float64{8, 32, 0}})
	for i, want := range []float64{4 * (20./7 + 2) / 6, 16 * (20./7 + 2) / 8, 16 * 5. / 7} {
		if math.Abs(got[i]*got[i]-want) > 1e-12 {
			t.Errorf("arm %d: variance %g, want %g", i, got[i]*got[i], want)
		}
	}
}

// A campaign without results has the forecast of the start's kind; one that is over has none.
func TestRenewAtTheEnds(t *testing.T) {
	p, _, rewards := couplingDays(t, "CoTestFC", 40)
	if testing.Short() {
		p.Problem = p.Problem.Only(0, 1, 2, 3) // whose arms come first
	}
	var last *inMemory
	watchDays(t, p, new(model.Memory), rewards, 1, func(over int, c *inMemory) bool {
		if last = c; over > 0 {
			return true
		}
		if r, err := Renew(t.Context(), c.s.Under(c.p, c.now), nil, 3, nil); err != nil || !(r.Time.Median > 0) {
			t.Errorf("before any result: %+v, %v", r, err)
		}
		return true
	})
	if r, err := Renew(t.Context(), last.s.Under(last.p, last.now), nil, 3, nil); r != nil || err != nil {
		t.Errorf("at the end: %+v, %v", r, err)
	}
}

// The forecast of the rest estimates the noise from the results, so rewards with bounds have another scale than half their range.
func TestRenewWithBounds(t *testing.T) {
	p, _, rewards := couplingDays(t, "CoBayesFC", 10)
	p.Problem = p.Problem.Only(0, 1, 2)
	p.Problem.Noise.Bounds = &[2]float64{-100, 300}
	p.Problem.Noise.Scales = slices.Repeat([]float64{200}, p.Problem.N())
	watchDays(t, p, new(model.Memory), rewards, 1, func(over int, c *inMemory) bool {
		if over < 2 {
			return true
		}
		if r, err := Renew(t.Context(), c.s.Under(c.p, c.now), nil, 2, nil); err != nil || !(r.Time.Median > 0) {
			t.Errorf("%+v, %v", r, err)
		}
		return false
	})
}
