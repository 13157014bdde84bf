package plan

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// forecaster computes the rows of one forecast.
type forecaster struct {
	Question
	done, total int // numbers of finished and of all runs, for Progress
	// whether to stop simulating a method whose first run ends undecided. Its means are then infinite, and with many arms
	// such runs take longest
	sparing bool
}

// method is an algorithm with a schedule.
type method struct{ algorithm, schedule string }

// need is what one run used: rounds, samples, samples of the busiest agent, cost and time.
type need struct {
	rounds, samples, busiest, cost, time float64
	undecided, done                      bool
}

// batch is the runs of a method on one problem of a scenario.
type batch struct {
	result engine.Result
	needs  []need // of the finished runs, in order
}

// tell reports progress. It is also called before the first run, because that run computes the designs and takes longer.
func (f *forecaster) tell() {
	if f.Progress != nil {
		f.Progress(sim.Step{Done: f.done, Total: f.total})
	}
}

// row simulates a method in a scenario. If ctx ends, it returns the row of the finished runs and the context's error.
func (f *forecaster) row(ctx context.Context, m method, s scenario, opt engine.Options) (Row, error) {
	opt.Schedule = m.schedule
	var all []batch
	var err error
	before := f.done
	for d := 0; d < len(s.problems) && err == nil; d++ {
		var b batch
		b, err = f.simulate(ctx, m, s.problems[d], opt, f.Runs/len(s.problems)+indices.Indicator(d < f.Runs%len(s.problems)), uint64(d))
		if len(b.needs) > 0 {
			all = append(all, b)
		}
	}
	if f.done = before + f.Runs; err != nil && ctx.Err() == nil { // a failed method has no further runs, so its runs count as done
		f.tell()
	}
	return f.fold(all, s.gap, opt), err
}

func (f *forecaster) simulate(ctx context.Context, m method, p *problem.Problem, opt engine.Options, runs int,
	offset uint64) (_ batch, err error) {
	defer try.Caught(&err)
	entry := try.Of(algorithms.Named(engine.ModeFC, m.algorithm))
	needs := make([]need, runs)
	trials := try.Of(sim.Prepare(ctx, sim.Experiment{
		Problem: p, Mode: engine.ModeFC, Algorithm: m.algorithm, Options: opt, Runs: runs, Seed: f.Seed + offset,
		Workers: f.Workers, Memory: f.Memory,
		Each: func(run int, o *engine.Outcome, pulls [][]int) {
			needs[run] = f.Prices.need(o, pulls, entry.Shares && !o.Independent)
			f.done++
			f.tell()
		},
	}))
	first := runs
	if f.sparing {
		first = 1
	}
	part, err := trials.RunPart(ctx, 0, first)
	parts := []*sim.Part{part}
	if err == nil && first < runs && !needs[0].undecided {
		part, err = trials.RunPart(ctx, first, runs)
		parts = append(parts, part)
	}
	return batch{trials.Result(ctx, parts...), lists.Where(needs, func(n need) bool { return n.done })}, err
}

// need returns what a run used at these prices. pulls has the pulls of each agent in each round. If agents share data
// (shares), they wait for the busiest one in every round; otherwise the slowest agent determines the time. An undecided
// run has infinite needs.
func (p Prices) need(o *engine.Outcome, pulls [][]int, shares bool) need {
	n := need{rounds: float64(len(o.Rounds)), done: true}
	n.undecided = slices.ContainsFunc(o.Answers, func(a engine.Answer) bool { return !a.Decided })
	var samples, time []float64 // by agent
	for _, round := range pulls {
		if samples == nil {
			samples, time = make([]float64, len(round)), make([]float64, len(round))
		}
		longest, all := 0.0, 0
		for v, own := range round {
			all += own
			if own == 0 {
				continue
			}
			took := p.duration(own)
			longest = max(longest, took)
			samples[v] += float64(own)
			time[v] += took
			n.cost += p.Sample*float64(own) + p.Round
		}
		if p.Capacity > 0 {
			longest = p.duration(all)
		}
		n.time += longest
	}
	n.samples, n.busiest = lists.Total(samples), lists.Max(samples, func(of float64) float64 { return of })
	if !shares && len(time) > 0 && p.Capacity == 0 {
		n.time = slices.Max(time)
	}
	if n.undecided {
		never := math.Inf(1)
		n.rounds, n.samples, n.busiest, n.cost, n.time = never, never, never, never, never
	}
	return n
}

// duration returns the time of a round with this number of samples, analysis included. Samples count one agent or,
// with Capacity, of all agents.
func (p Prices) duration(samples int) float64 {
	batches := 1
	if at := max(p.Parallel, p.Capacity); at > 0 {
		batches = (samples + at - 1) / at
	}
	return float64(batches)*p.SampleTime + p.RoundTime
}

// fold summarises runs as a row.
func (f *forecaster) fold(all []batch, gap float64, opt engine.Options) Row {
	row := Row{Gap: gap, Delta: opt.Delta, Epsilon: opt.Epsilon}
	var needs []need
	lower := 0.0
	for _, b := range all {
		n, r := float64(len(b.needs)), b.result
		needs = append(needs, b.needs...)
		row.Algorithm, row.Schedule, row.Tasks, row.Delta = r.Algorithm, r.Schedule, r.Tasks, r.Delta
		row.Messages += n * r.Messages
		row.Bytes += n * r.Bytes
		lower += n * r.LowerBoundSamples
		if len(r.Trace) > 0 {
			row.FirstRound += n * float64(r.Trace[0].Pulls)
		}
	}
	row.Runs = len(needs)
	if row.Runs == 0 {
		return row
	}
	n, agents := float64(row.Runs), float64(row.Tasks)
	row.Messages, row.Bytes, row.FirstRound, lower = row.Messages/n, row.Bytes/n, row.FirstRound/n, lower/n
	column := func(of func(need) float64) (values []float64, mean, q90 float64) {
		values = lists.Map(needs, of)
		return values, stat.Mean(values, nil), quantile90(values)
	}
	var samples []float64
	samples, row.SamplesTotal, row.SamplesTotalQ90 = column(func(n need) float64 { return n.samples })
	_, row.Rounds, row.RoundsQ90 = column(func(n need) float64 { return n.rounds })
	_, row.SamplesBusiest, _ = column(func(n need) float64 { return n.busiest })
	row.SamplesPerAgent = row.SamplesTotal / agents
	if f.Prices.costs() {
		_, row.Cost, row.CostQ90 = column(func(n need) float64 { return n.cost })
	}
	if f.Prices.takes() {
		_, row.Time, row.TimeQ90 = column(func(n need) float64 { return n.time })
	}
	row.Undecided = lists.Count(needs, func(n need) bool { return n.undecided })
	if row.Undecided == 0 {
		i := sim.Mean(samples)
		row.SamplesPerAgentCI95 = [2]float64{max(i.CI95[0], 0) / agents, i.CI95[1] / agents}
	} else {
		row.SamplesPerAgentCI95 = [2]float64{math.Inf(1), math.Inf(1)}
	}
	if lower > 0 {
		row.RatioToLower = row.SamplesPerAgent / lower
	}
	return row
}
