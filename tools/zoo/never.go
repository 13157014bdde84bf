//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// The tests whose samples `-never` compares: CoTestFC as it is, all tasks together by the kernel whatever that costs, and
// each agent alone.
const (
	testDefault  = "CoTestFC"
	testTogether = "CoTestFC together"
	testAlone    = "IndTestFC"
)

// testers are these tests as methods that stop by themselves. Nobody tells them how far rewards scatter.
func testers() []method {
	tester := func(name, algorithm, about string, together bool) method {
		return method{
			name: name, ours: true, stops: true, revision: ownResults() + ", tests 1", most: 100, run: testStop(algorithm, together),
			about: about + ", under the documented kernel; the scatter of each task is unknown",
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
		var out result
		p, q := newPlay(w), w.documented()
		q.Noise.UnknownBy, q.Noise.Known = problem.UnknownTask, problem.NoiseStated
		opt := engine.Options{Delta: stopDelta, Epsilon: w.epsilon(), MaxSamples: budgets[0] * w.problem.V(), MaxRounds: 1000}
		opt.Together = together
		o, decisions, err := runAlgorithm(ctx, p, q, engine.ModeFC, name, opt)
		if err != nil {
			return out, err
		}
		out.decided = o.Status == engine.StatusDecided || o.Status == engine.StatusEpsilon
		out.add(p, leaders(q, o.Answers), decisions)
		return out, nil
	}
}

// never prints a row for each table on which the three tests have runs in common: samples of a task by each, those of the
// default over those of the better of the others, with the 95 % interval of the paired difference, and wrong runs.
func (z *zoo) never(out io.Writer) {
	fmt.Fprint(out, "| table | for tuning | runs | default | together | alone | times the better | decided and wrong |\n"+
		"|---|---|---|---|---|---|---|---|\n")
	at := func(name string) int {
		return slices.IndexFunc(z.stoppers, func(m method) bool { return m.name == name })
	}
	columns := []int{at(testDefault), at(testTogether), at(testAlone)}
	if slices.Contains(columns, -1) {
		return
	}
	for _, r := range z.stopping {
		by := [3]map[int]line{}
		for k, c := range columns {
			by[k] = map[int]line{}
			for _, l := range r.by[c] {
				by[k][l.Run] = l
			}
		}
		if row := neverRow(by, r.tasks); row != "" {
			use := "yes"
			if r.table.held() {
				use = "**no**"
			}
			fmt.Fprintf(out, "| %s | %s | %s |\n", r.table.name, use, row)
		}
	}
}

// neverRow compares the runs that all three tests made; "" where these are fewer than three.
func neverRow(by [3]map[int]line, tasks int) string {
	var samples [3][]float64
	var wrong [3]int
	for run, l := range by[0] {
		_, together := by[1][run]
		_, alone := by[2][run]
		if !together || !alone {
			continue
		}
		for k, l := range [3]line{l, by[1][run], by[2][run]} {
			samples[k] = append(samples[k], float64(l.Pulls[0])/float64(tasks))
			if l.Decided && l.Wrong {
				wrong[k]++
			}
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
	off := make([]float64, n)
	for i := range off {
		off[i] = samples[0][i] - samples[better][i]
	}
	half, ratio := meanOf(off).half/mean(better), mean(0)/mean(better)
	return fmt.Sprintf("%d | %s | %s | %s | %.2f [%.2f, %.2f] | %d, %d, %d",
		n, digits(mean(0)), digits(mean(1)), digits(mean(2)), ratio, ratio-half, ratio+half, wrong[0], wrong[1], wrong[2])
}
