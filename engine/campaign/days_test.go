package campaign

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// couplingDays returns the protocol of notebooks/coupling-days.ipynb, without means, with the true mean
// yields and the measured ones.
func couplingDays(t testing.TB, algorithm string, epsilon float64) (Protocol, []float64, [][]float64) {
	t.Helper()
	effects := kernels.Func("effects", func(x, y []float64) float64 {
		sum := 0.0
		for k := range x {
			sum += x[k] * y[k]
		}
		return 1000 + 50*sum
	})
	p := try.Of(problem.Load("../../notebooks/data/cn_coupling.csv", kernels.Joint{Terms: []kernels.Term{
		{Scale: 1, Task: kernels.RBF{Lengthscale: []float64{3}}, Arm: effects},
		{Scale: 10, Task: kernels.Identity{}, Arm: kernels.Identity{}},
	}}, problem.LoadOptions{Rewards: "../../notebooks/data/cn_coupling_raw.csv", Noise: problem.NoiseModel{Scales: []float64{20}}}))
	mean, rewards := p.Mean, p.Rewards
	q := *p
	q.Mean, q.Rewards, q.Reps, q.Noise.SD, q.Noise.Environment = nil, nil, nil, nil, problem.EnvironmentGaussian
	return Protocol{Name: "days", Problem: &q, Mode: engine.ModeFC, Algorithm: algorithm, Options: engine.Options{Delta: 0.05, Epsilon: epsilon}, Plate: 24, Capacity: 24, Seed: 1}, mean, rewards
}

// inMemory is a campaign without a disk. It replays as it goes on, where the folder replays from the beginning for each plan.
type inMemory struct {
	t        testing.TB
	p        Protocol      // with all arms
	s        *State        // grows in place
	now      time.Time     // of the day
	memory   *model.Memory // keeps what was solved; campaigns may share it
	run      *Run          // of the last plan
	replayed *replayer     // after the last plan; nil before the first
}

// add records events with their numbers and without hashes, which a fold does not look at.
func (c *inMemory) add(list []Event, err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	for i := range list {
		list[i].Seq = c.s.Seq + 1
		try.To(c.s.Add(list[i:i+1], c.p.Problem.TaskOf))
	}
}

// advance plans the next round if it is due.
func (c *inMemory) advance() {
	if !c.s.Needed() {
		return
	}
	if c.replayed == nil {
		c.replayed = try.Of(c.s.Under(c.p, c.now).replayer(context.Background(), c.memory))
	}
	run := try.Of(c.replayed.catchUp(context.Background()))
	c.run = run
	c.add([]Event{c.s.Under(c.p, c.now).Plan(run, "", Revision)}, nil)
}

// measureDays runs a campaign day by day: of each list 10 % of the pulls fail, and 15 % of the results
// come one to five days late. It returns the days and samples it took, and the answers.
func measureDays(t testing.TB, p Protocol, memory *model.Memory, rewards [][]float64, seed uint64) (days, samples int, answers []engine.Answer) {
	return watchDays(t, p, memory, rewards, seed, func(int, *inMemory) bool { return true })
}

// watchDays works like measureDays, and looks at the campaign on the morning of each day, the days over being given. It
// stops when look returns false.
func watchDays(t testing.TB, p Protocol, memory *model.Memory, rewards [][]float64, seed uint64, look func(over int, c *inMemory) bool) (days, samples int, answers []engine.Answer) {
	rng := rand.New(rand.NewPCG(seed, 77))
	p.Seed = seed
	c := &inMemory{t: t, p: p, s: NewState(), now: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), memory: memory}
	c.add([]Event{NewEvent(KindStart, c.now, "", StartBody{Name: "days", Seed: seed, Revision: Revision})}, nil)
	type result struct {
		id     string
		reward float64
	}
	// results by the day on which they are recorded
	due := map[int][]result{}
	for day := 1; day < 5000; day++ {
		sheet := "id,reward\n"
		for _, r := range due[day] {
			sheet += fmt.Sprintf("%s,%v\n", r.id, r.reward)
		}
		results, err := ReadResults(t.Context(), p, []byte(sheet), "", KindTell)
		if err != nil {
			t.Fatal(err)
		}
		// in the morning the results come that are due, as one sheet
		told, err := (&Tell{results: results, TellOptions: TellOptions{Sure: true}}).Do(t.Context(), Doing{Moment: c.s.Under(p, c.now)})
		c.add(told.Events, err)
		if told.Receipt.Refused() {
			t.Fatalf("%+v", told.Receipt)
		}
		delete(due, day)
		c.advance()
		if c.s.done != nil {
			return day - 1, c.run.Outcome.Samples, c.run.Outcome.Answers
		}
		// as folder.Ask does: a round whose rest is late ends, and the next one is planned
		if made := c.s.Under(p, c.now).CloseEarly(Request{By: strconv.Itoa(day)}); len(made) > 0 {
			c.add(made, nil)
			c.advance()
			if c.s.done != nil {
				return day - 1, c.run.Outcome.Samples, c.run.Outcome.Answers
			}
		}
		if !look(day-1, c) {
			return day - 1, 0, nil
		}
		list, made, err := c.s.Under(p, c.now).Ask(Request{By: strconv.Itoa(day)})
		c.add(made, err)
		for _, row := range list.Rows {
			r := result{row.ID, rewards[row.arm][rng.IntN(len(rewards[row.arm]))]}
			// a tenth fails, and of all pulls 15 % are one to five days late
			switch x := rng.Float64(); {
			case x < 0.10:
				lost, err := (&Fail{IDs: []string{row.ID}, Reason: "the vial broke"}).Do(t.Context(), Doing{Moment: c.s.Under(p, c.now)})
				c.add(lost.Events, err)
			case x < 0.25:
				late := day + 2 + rng.IntN(5)
				due[late] = append(due[late], r)
			default:
				due[day+1] = append(due[day+1], r)
			}
		}
		c.now = c.now.AddDate(0, 0, 1)
	}
	t.Fatal("5,000 days were not enough")
	return 0, 0, nil
}

// Campaigns on the coupling data at 24 wells a day, with failed and late results, end within the range
// that start states, and err no more often than stated. CAMPAIGNS=100 makes a hundred of
// each, which takes an hour and a half of one core.
func TestCouplingInDays(t *testing.T) {
	type which struct {
		algorithm string
		epsilon   float64
	}
	// One campaign judges no range, so that one run of a forecast and an accuracy that takes few days do.
	runs, forecast, all := 1, 1, []which{{"CoBayesFC", 20}, {"CoTestFC", 10}}
	if n, err := strconv.Atoi(os.Getenv("CAMPAIGNS")); err == nil {
		runs, forecast, all = n, plan.DefaultRuns, []which{{"CoBayesFC", 10}, {"CoTestFC", 10}, {"CoBayesFC", 5}, {"CoTestFC", 5}}
	} else if testing.Short() {
		t.Skip("takes long")
	}
	for _, c := range all {
		t.Run(fmt.Sprintf("%s epsilon %g", c.algorithm, c.epsilon), func(t *testing.T) {
			campaignsInDays(t, c.algorithm, c.epsilon, runs, forecast)
		})
	}
}

// campaignsInDays makes some campaigns of an algorithm, and compares them with what start states by
// so many runs of a forecast.
func campaignsInDays(t *testing.T, algorithm string, epsilon float64, runs, forecast int) {
	p, mean, rewards := couplingDays(t, algorithm, epsilon)
	memory := new(model.Memory)
	stated := try.Of(statedAtStart(t, p, forecast))
	truth := *p.Problem
	truth.Mean = mean
	var days, samples []float64
	// campaigns that took as many days as the start stated, and campaigns with a wrong answer
	within, wrong := 0, 0
	for seed := range uint64(runs) {
		taken, used, answers := measureDays(t, p, memory, rewards, seed+1)
		undecided, mistaken := judged(p, &truth, answers)
		if undecided {
			t.Error("a campaign ended undecided")
		}
		days, samples = append(days, float64(taken)), append(samples, float64(used))
		within += indices.Indicator(float64(taken) >= stated.Low && float64(taken) <= stated.High)
		wrong += indices.Indicator(mistaken)
		if runs > 1 {
			t.Logf("campaign %d: %d days, %d samples, wrong: %v", seed+1, taken, used, mistaken)
		}
	}
	slices.Sort(days)
	slices.Sort(samples)
	t.Logf("%s, epsilon %g: %d campaigns, days median %.0f (%.0f to %.0f), samples median %.0f, wrong %d; start stated %.0f (%.0f to %.0f) days, %d within",
		algorithm, epsilon, runs, days[len(days)/2], days[0], days[len(days)-1], samples[len(samples)/2], wrong, stated.Median, stated.Low, stated.High, within)
	// with few campaigns the shares are too uncertain
	if runs >= 20 && float64(within) < 0.85*float64(runs) {
		t.Errorf("%d of %d within the range of the start", within, runs)
	}
	if m := days[len(days)/2]; runs >= 20 && math.Abs(stated.Median/m-1) > 0.3 {
		t.Errorf("start states a median of %g days, they took %g", stated.Median, m)
	}
	// three standard errors above delta
	if e, _ := p.Entry(); e.Proven() && float64(wrong) > 0.05*float64(runs)+3*math.Sqrt(0.05*0.95*float64(runs)) {
		t.Errorf("%d of %d wrong", wrong, runs)
	}
}

// statedAtStart returns the days that start states of the protocol alone.
func statedAtStart(t *testing.T, p Protocol, runs int) (Range, error) {
	truths, _, err := truths(t.Context(), p, nil, 0, runs)
	if err != nil {
		return Range{}, err
	}
	row, err := p.row(t.Context(), truths, engine.Batch{}, new(model.Memory), false, func(done int) {})
	return row.Time, err
}
