//go:build unix

package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
)

// What methods that stop by themselves are asked: all picks within epsilon of the best with a probability of 1 - stopDelta.
// Epsilon is a share of what a random arm loses in a task.
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
		lo, hi := w.problem.ArmsOf(v)
		best := math.Inf(-1)
		for _, m := range w.truth[lo:hi] {
			best = max(best, m)
		}
		sum += best - stat.Mean(w.truth[lo:hi], nil)
	}
	return stopEpsilon * sum / float64(w.problem.V())
}

// wrong reports whether some pick is worse than its best by more than epsilon.
func (w *world) wrong(picks []int) bool {
	for v, pick := range picks {
		lo, hi := w.problem.ArmsOf(v)
		for _, m := range w.truth[lo:hi] {
			if m-w.truth[pick] > w.epsilon()*(1+1e-9) {
				return true
			}
		}
	}
	return false
}

// stoppers are the methods that stop by themselves; their one budget is where runs end undecided.
func stoppers(own string) []method {
	return []method{
		{
			name: "CoBayesFC", ours: true, stops: true, revision: own, run: bayesStop,
			about: "stops by the posterior under the documented kernel, told the scatter of each task; no guarantee",
		}, {
			name: "top-two GLR", stops: true, revision: "1", run: likelihoodStop,
			about: "top-two Thompson sampling, each task by itself, told the scatter of each task, until every generalised likelihood " +
				"ratio is above log((1 + log t) V/delta) [Garivier and Kaufmann 2016]; no proof for this threshold",
		},
	}
}

func bayesStop(ctx context.Context, w *world, _ int, _ string, budgets []int) (result, error) {
	var out result
	p, q := newPlay(w), w.documented()
	opt := engine.Options{Delta: stopDelta, Epsilon: w.epsilon(), MaxSamples: budgets[0] * w.problem.V(), MaxRounds: 1000}
	o, decisions, err := runAlgorithm(ctx, p, q, engine.ModeFC, "CoBayesFC", opt)
	if err != nil {
		return out, err
	}
	out.decided = o.Status == engine.StatusDecided || o.Status == engine.StatusEpsilon
	out.add(p, leaders(q, o.Answers), decisions)
	return out, nil
}

func likelihoodStop(_ context.Context, w *world, run int, name string, budgets []int) (result, error) {
	out, p, told, eps := result{decided: true}, newPlay(w), w.told(), w.epsilon()
	picks := make([]int, w.problem.V())
	for v := range picks {
		rng := source(seedOf(name, run, v))
		lo, hi := w.problem.ArmsOf(v)
		for n := hi - lo; ; n++ {
			picks[v] = topTwo(p, v, n, told[v], rng)
			if p.parted(v, picks[v], eps, told[v]) >= math.Log((1+math.Log(float64(n)))*float64(len(picks))/stopDelta) {
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

// Stops are the rows of the table of methods that stop by themselves; none where there are no runs.
func (p page) Stops() string {
	var b strings.Builder
	for _, r := range p.stopping {
		for m, of := range r.by {
			var samples []float64
			wrong, stopped := 0, 0
			for _, l := range of {
				samples = append(samples, float64(l.Pulls[0])/float64(r.tasks))
				if l.Decided {
					if stopped++; l.Wrong {
						wrong++
					}
				}
			}
			if len(of) < leastRuns {
				continue
			}
			i := meanOf(samples)
			lo, hi := exact(wrong, len(of))
			use := "yes"
			if r.table.held() {
				use = "**no**"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %d of %d | %s ± %s | %d | %s to %s |\n",
				r.table.name, use, p.stoppers[m].name, stopped, len(of), digits(i.mean), digits(i.half), wrong, percent(lo), percent(hi))
		}
	}
	return b.String()
}

// exact returns the 95 % interval of Clopper and Pearson for a share.
func exact(k, n int) (lo, hi float64) {
	hi = 1
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(0.025)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(0.975)
	}
	return lo, hi
}
