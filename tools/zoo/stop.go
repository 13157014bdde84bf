//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// The goal of methods that stop by themselves: all picks within epsilon of the best with a probability of 1 - stopDelta.
// Epsilon is a share of a random arm's loss in a task.
const (
	stopDelta   = 0.1
	stopEpsilon = 0.2
	stopMost    = 300.0 // pulls of each arm, after which a run ends undecided
	// how many times as many runs they make as others: an error rate needs 300
	stopRuns = 10
)

// epsilon returns by how much a pick may be worse than the best of its task.
func (w *world) epsilon() float64 {
	sum := 0.0
	for v := range w.problem.V() {
		_, random := w.best(v)
		sum += random
	}
	return stopEpsilon * sum / float64(w.problem.V())
}

// wrong reports whether some pick is worse than its best by more than epsilon.
func (w *world) wrong(picks []int) bool {
	epsilon := w.epsilon()
	for v, pick := range picks {
		if best, _ := w.best(v); best-w.truth[pick] > epsilon*(1+1e-9) {
			return true
		}
	}
	return false
}

// stoppers are the methods that stop by themselves; their one budget is where runs end undecided.
func stoppers(own string) []method {
	return []method{
		{
			Name: "CoBayesFC", Ours: true, stops: true, revision: own, run: bayesStop,
			About: "stops by the posterior under the documented kernel, told the scatter of each task; no guarantee",
		}, {
			Name: "top-two GLR", stops: true, revision: "1", run: likelihoodStop,
			About: "top-two Thompson sampling, each task by itself, told the scatter of each task, until every generalised likelihood " +
				"ratio is above log((1 + log t) V/delta) [Garivier and Kaufmann 2016]; no proof for this threshold",
		},
	}
}

func bayesStop(ctx context.Context, w *world, _ int, _ string, budgets []int) (result, error) {
	return stopped(ctx, w, w.documented(), "CoBayesFC", budgets, false)
}

// stopped runs an algorithm with fixed confidence on the problem as q documents it.
func stopped(ctx context.Context, w *world, q *problem.Problem, name string, budgets []int, together bool) (out result, err error) {
	p := newPlay(w)
	opt := engine.Options{Delta: stopDelta, Epsilon: w.epsilon(), MaxSamples: budgets[0] * w.problem.V(), MaxRounds: 1000, Together: together}
	o, decisions, err := runAlgorithm(ctx, p, q, engine.ModeFC, name, opt)
	if err != nil {
		return out, err
	}
	out.decided = o.Status == engine.StatusDecided || o.Status == engine.StatusEpsilon
	out.add(p, leaders(q, o.Answers), decisions)
	return out, nil
}

func likelihoodStop(_ context.Context, w *world, run int, name string, budgets []int) (result, error) {
	out, p, noise, eps := result{decided: true}, newPlay(w), w.noise(), w.epsilon()
	picks := make([]int, w.problem.V())
	for v := range picks {
		rng := source(seedOf(name, run, v))
		lo, hi := w.problem.ArmsOf(v)
		for n := hi - lo; ; n++ {
			picks[v] = topTwo(p, v, n, noise[v], rng)
			if p.parted(v, picks[v], eps, noise[v]) >= math.Log((1+math.Log(float64(n)))*float64(len(picks))/stopDelta) {
				break
			}
			if n >= budgets[0] {
				out.decided = false
				break
			}
		}
	}
	out.add(p, picks, p.total)
	return out, nil
}

// parted returns the smallest generalised likelihood ratio of the leader being within eps of each other arm.
func (p *play) parted(v, leader int, eps, sd float64) float64 {
	lo, hi := p.problem.ArmsOf(v)
	least := math.Inf(1)
	for i := lo; i < hi; i++ {
		if i != leader {
			gap := p.mean[leader] - p.mean[i] + eps
			least = min(least, gap*gap/(2*sd*sd*(1/float64(p.count[i])+1/float64(p.count[leader]))))
		}
	}
	return least
}

// stops are the runs of methods that stop by themselves, with their heading.
func (z *zoo) stops() [][]string {
	out := [][]string{{"table", "held_out", "method", "stopped", "runs", "samples_per_task", "half_interval", "wrong",
		"error_low_percent", "error_high_percent"}}
	for _, r := range z.Shown {
		for m, of := range r.stops {
			var samples []float64
			wrong, stopped := 0, 0
			for _, l := range of {
				samples = append(samples, float64(l.Pulls[0])/float64(r.Tasks))
				stopped += indices.Indicator(l.Decided)
				wrong += indices.Indicator(l.Decided && l.Wrong)
			}
			if len(of) < leastRuns {
				continue
			}
			i := meanOf(samples)
			share := sim.Exact(engine.Rate{Count: wrong, Runs: len(of)})
			out = append(out, []string{r.Table.Name, fmt.Sprint(r.Table.Held()), z.stoppers[m].Name, fmt.Sprint(stopped), fmt.Sprint(len(of)),
				digits(i.mean), digits(i.half), fmt.Sprint(wrong), percent(share[0]), percent(share[1])})
		}
	}
	return out
}

// The tests whose samples `-never` compares: CoTestFC by default, all tasks together by the kernel at any cost, and each
// agent alone.
const (
	testDefault  = "CoTestFC"
	testTogether = "CoTestFC together"
	testAlone    = "IndTestFC"
)

// testers are these tests as methods that stop by themselves. They do not know the noise SD.
func testers() []method {
	tester := func(name, algorithm, about string, together bool) method {
		return method{
			Name: name, Ours: true, stops: true, revision: ownResults() + ", tests 1", most: 100, run: testStop(algorithm, together),
			About: about + ", under the documented kernel; the scatter of each task is unknown",
		}
	}
	return []method{
		tester(testDefault, testDefault, "a test of every arm with a proof", false),
		tester(testTogether, testDefault, "the same by least squares of all tasks", true),
		tester(testAlone, testAlone, "the same by each agent alone", false),
	}
}

// testStop runs a test under the documented kernel with one unknown scale for the arms of each task.
func testStop(name string, together bool) runner {
	return func(ctx context.Context, w *world, _ int, _ string, budgets []int) (result, error) {
		q := w.documented()
		q.Noise.UnknownBy, q.Noise.Known = problem.UnknownTask, problem.NoiseStated
		return stopped(ctx, w, q, name, budgets, together)
	}
}

// never prints a row for each table on which the three tests have runs in common: samples of a task by each, the ratio of the
// default's to the better other's, with the 95 % interval of the paired difference, and wrong runs.
func (z *zoo) never(out io.Writer) {
	fmt.Fprint(out, "| table | for tuning | runs | default | together | alone | times the better | decided and wrong |\n"+
		"|---|---|---|---|---|---|---|---|\n")
	at := func(name string) int {
		return slices.IndexFunc(z.stoppers, func(m method) bool { return m.Name == name })
	}
	columns := []int{at(testDefault), at(testTogether), at(testAlone)}
	if slices.Contains(columns, -1) {
		return
	}
	for _, r := range z.Shown {
		if row := neverRow([3]runs{r.stops[columns[0]], r.stops[columns[1]], r.stops[columns[2]]}, r.Tasks); row != "" {
			fmt.Fprintf(out, "| %s | %s | %s |\n", r.Table.Name, r.Table.Use(), row)
		}
	}
}

// neverRow compares the runs that all three tests made; "" where these are fewer than three.
func neverRow(by [3]runs, tasks int) string {
	var samples [3][]float64
	var wrong [3]int
	for run := range by[0].and(by[1]).and(by[2]) {
		for k := range by {
			l := by[k][run]
			samples[k] = append(samples[k], float64(l.Pulls[0])/float64(tasks))
			wrong[k] += indices.Indicator(l.Decided && l.Wrong)
		}
	}
	n := len(samples[0])
	if n < 3 {
		return ""
	}
	better := 1
	mean := func(k int) float64 { return stat.Mean(samples[k], nil) }
	if mean(2) < mean(1) {
		better = 2
	}
	off := lists.Make(n, func(i int) float64 { return samples[0][i] - samples[better][i] })
	half, ratio := meanOf(off).half/mean(better), mean(0)/mean(better)
	return fmt.Sprintf("%d | %s | %s | %s | %.2f [%.2f, %.2f] | %d, %d, %d",
		n, digits(mean(0)), digits(mean(1)), digits(mean(2)), ratio, ratio-half, ratio+half, wrong[0], wrong[1], wrong[2])
}
