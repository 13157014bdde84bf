package campaign

import (
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// TestForecastOfABudget says what a budget buys after each round: as many samples as are planned, and
// answers that get better.
func TestForecastOfABudget(t *testing.T) {
	p, mean, _ := strokeDays(t, "CoBayesFB")
	q := *p.Problem
	q.Mean = mean
	p.Problem, p.Mode, p.Options = &q, engine.ModeFB, engine.Options{Delta: 0.05, Budget: 400, Rounds: 4}
	p.Plate, p.Capacity = 0, 0
	f := try.Of(MakeForecast(t.Context(), p, 0, 8, nil))
	b := f.Rows[0].Buys
	// the budget is of each task
	if len(b) != 4 || b[3].Samples != float64(400*q.V()) || b[3].Loss >= b[0].Loss || b[3].Right < 0 || b[3].Right > 1 {
		t.Errorf("%+v", b)
	}
}

// TestForecastWithTheTable: simulated runs begin with the measurements of the table, as the campaign does, unless the protocol begins
// without them.
func TestForecastWithTheTable(t *testing.T) {
	// two measurements of each arm, so that there is a scatter to believe in
	const text = "site,arm,y\nX,a,5\nX,a,7\nX,b,7\nX,b,6\nX,c,1\nX,c,3\nY,a,4\nY,a,6\nY,b,6\nY,b,5\nY,c,2\nY,c,0\n"
	alone := kernels.Joint{Terms: []kernels.Term{{Scale: 4, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}
	q := try.Of(problem.Load("t.csv", alone, problem.LoadOptions{
		Read: func(string) ([]byte, error) { return []byte(text), nil },
		Long: &problem.Long{Task: []string{"site"}, Arm: []string{"arm"}, Reward: "y"},
	}))
	p := Protocol{Problem: q, Mode: engine.ModeFB, Algorithm: "CoBayesFB", Options: engine.Options{Delta: 0.05, Budget: 6}}
	f := try.Of(MakeForecast(t.Context(), p, 0, 40, nil))
	without := p
	without.Fresh = true
	g := try.Of(MakeForecast(t.Context(), without, 0, 40, nil))
	if !f.WithTable() || g.WithTable() || f.Assumes[0].Kind != NoteRewardsAttached || g.Assumes[0].Kind != NoteRewardsBelieved {
		t.Errorf("%v and %v", f.Assumes, g.Assumes)
	}
	// results known from the start lower the loss
	if with, fresh := f.Rows[0].Buys, g.Rows[0].Buys; len(with) == 0 || with[0].Loss >= fresh[0].Loss {
		t.Errorf("%+v with the table, %+v without", with, fresh)
	}
}

// TestForecastNoiseIsPooled: simulated runs draw rewards with the noise of the posterior, which pools arms. The deviation of an arm with
// two rows is nearly chance: here from 0.2 to 2, although the noise is the same for all.
func TestForecastNoiseIsPooled(t *testing.T) {
	const text = "site,arm,y\nX,a,38.2\nX,a,42.1\nX,b,39.1\nX,b,38\nX,c,40\nX,c,42.3\nX,d,40.4\nX,d,40\n" +
		"Y,a,30.6\nY,a,33.9\nY,b,28.6\nY,b,29.1\nY,c,33.8\nY,c,31.3\nY,d,33.1\nY,d,33.6\n"
	alone := kernels.Joint{Terms: []kernels.Term{{Scale: 4, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}
	q := try.Of(problem.Load("t.csv", alone, problem.LoadOptions{
		Read: func(string) ([]byte, error) { return []byte(text), nil },
		Long: &problem.Long{Task: []string{"site"}, Arm: []string{"arm"}, Reward: "y"},
	}))
	p := Protocol{Problem: q, Mode: engine.ModeFC, Algorithm: "CoBayesFC", Options: engine.Options{Delta: 0.05, Epsilon: 1}}
	all, _, err := truths(t.Context(), p, new(model.Memory), 0, 3)
	try.To(err)
	const pooled = 1.57 // √(mean over arms of d²/2), d the difference of the two rows
	for _, truth := range all {
		sd := truth.Noise.Deviations()
		if least, most := slices.Min(sd), slices.Max(sd); least < pooled/1.3 || most > 1.3*pooled {
			t.Errorf("deviations from %.3g to %.3g, want about %g", least, most, pooled)
		}
	}
}

// TestBudgetOfEachTask measures a campaign whose budget is stated for each task, with failed pulls and late results.
// No task gets more than its budget. Each round is a whole number of plates. A total budget is spent on the tasks that
// need it.
func TestBudgetOfEachTask(t *testing.T) {
	p, mean, _ := strokeDays(t, "CoBayesFB")
	tasks := p.Problem.V()
	rewards := make([][]float64, len(mean))
	for i, x := range mean {
		// measured values around each mean, drawn from by watchDays
		rewards[i] = []float64{x - 1, x, x + 1}
	}
	p.Mode, p.Options = engine.ModeFB, engine.Options{Delta: 0.05}
	p.Plate, p.Capacity = 12, 12
	for _, c := range []struct {
		budget, total int
	}{{budget: 6}, {total: 60}} {
		p.Options.Budget, p.Options.Total = c.budget, c.total
		try.To(p.Check(t.Context()))
		var planned []int
		var made *inMemory
		watchDays(t, p, new(model.Memory), rewards, 3, func(_ int, c *inMemory) bool { made = c; return true })
		for _, r := range made.s.rounds {
			planned = append(planned, engine.PullsOf(r.plan.Counts))
		}
		all := p.Options.Pulls(tasks)
		for k, n := range planned {
			// the last round has the rest
			if n%p.Plate != 0 && k < len(planned)-1 {
				t.Errorf("%+v: rounds of %v on plates of %d", c, planned, p.Plate)
			}
		}
		// six rounds at most, as docs/how-to/campaigns.md has it
		if most := (all + p.Plate - 1) / p.Plate; len(planned) > min(6, most) {
			t.Errorf("%+v: %d rounds, %d would do", c, len(planned), most)
		}
		spent := made.s.spent(p)
		if n := engine.PullsOf(spent); n != all {
			t.Errorf("%+v: %d pulls of %d, in rounds of %v", c, n, all, planned)
		}
		if c.total > 0 {
			continue
		}
		for v := range tasks {
			lo, hi := p.Problem.ArmsOf(v)
			if n := engine.PullsOf(spent[lo:hi]); n > c.budget {
				t.Errorf("task %d has %d pulls, budget %d", v, n, c.budget)
			}
		}
	}
}
