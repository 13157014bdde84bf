package campaign

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Renewal is the expected remaining length of a campaign, from simulations.
type Renewal struct {
	Samples   Range  `json:"samples"`             // further samples, of all tasks together
	Time      Range  `json:"time"`                // further units of time; without a capacity, one unit per round
	Unit      string `json:"time_unit"`           // unit of Time
	Undecided int    `json:"undecided,omitempty"` // runs that did not finish within the limits of the simulation
	Runs      int    `json:"runs"`                // number of simulated runs
}

// Renew simulates the rest of a campaign. It returns nil if nothing is left to measure, and for a campaign that follows a
// run of agents. If runs is 0, plan.RunsFor gives their number. memory and progress may be nil.
//
// The true rewards of each run are drawn from the posterior given all results except results of the open round: the output
// must not influence when that round is closed. The posterior fits its scale and an independent part of each arm. The
// noise, also for the posterior, is estimated from repeated results of arms: a larger noise would make similar arms too
// different in the draws. If no share of failed pulls is stated, the observed share is used.
//
// Each run replays the past rounds, and so needs the computing time of past and future rounds. A posterior does not depend
// on how results are grouped into rounds. If the protocol was not changed, it receives all results at once. A task that
// was decided by a narrow margin may then be undecided again.
func Renew(ctx context.Context, at Moment, memory *model.Memory, runs int, progress func(done, total int)) (*Renewal, error) {
	if at.done != nil || at.Start.Led != "" {
		return nil, nil
	}
	memory = cmp.Or(memory, new(model.Memory))
	runs = cmp.Or(runs, plan.RunsFor(at.Problem))
	// the rest is simulated with the capacity in force; all runs share one memory of solved problems
	at.Protocol.Capacity = at.capacity(at.Protocol)
	s := rest{at, memory}
	// the posterior is the same for all runs; each run draws its own rewards from it
	known, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	out := &Renewal{Unit: at.Unit(), Runs: runs}
	var needs []need
	for run := range runs {
		n, err := s.run(ctx, known.all, known.draw(at.Protocol, run), run)
		if err != nil {
			return nil, fmt.Errorf("simulating the rest of the campaign: %w", err)
		}
		needs = append(needs, n)
		out.Undecided += indices.Indicator(n.undecided)
		if progress != nil {
			progress(run+1, runs)
		}
	}
	out.Samples = rangeOf(needs, func(n need) float64 { return n.samples })
	out.Time = rangeOf(needs, func(n need) float64 { return n.time })
	return out, nil
}

// rest simulates the rest of a campaign.
type rest struct {
	Moment
	memory *model.Memory // never nil
}

// known is the posterior of the rewards given the results.
type known struct {
	all  engine.Batch     // results with the sign of the data; Steps.Learn turns them
	mean []float64        // N posterior means, reward units, higher is better; nil without results
	root *model.Posterior // its field White is a root of the posterior covariance, normalised
	unit float64          // reward units in one unit of root
	sd   []float64        // N standard deviations of the noise, reward units
}

// known computes the posterior from all results except results of an incomplete open round.
func (s rest) known(ctx context.Context) (_ *known, err error) {
	defer try.Caught(&err)
	p := s.Protocol
	byArm := map[int][]*measured{}
	for m := range resultsOf(s.whole()) {
		byArm[m.Arm] = append(byArm[m.Arm], m)
	}
	for _, g := range s.guides {
		byArm[g.Arm] = append(byArm[g.Arm], g)
	}
	all := summed(p, byArm, true)
	b := all.Turned(p.Problem.Goal)
	k := &known{all: all, sd: scatter(p.Problem, b)}
	if b.Empty() {
		return k, nil
	}
	// the noise of the posterior is the scatter of the results, in which the stated noise has a small weight (see scatter)
	own := *p.Problem
	own.Noise.Scales, own.Noise.UnknownBy, own.Noise.Bounds = k.sd, "", nil
	own.Noise.Environment = problem.EnvironmentGaussian
	p.Problem = &own
	m := try.Of(p.question().Model(ctx, s.memory))
	prior := model.PriorOf(p.Options)
	// known.draw needs the root of the covariance in features (White)
	prior.InFeatures = true
	k.root = try.Of(model.NewPosterior(m, prior, b.Counts, b.Means))
	k.mean, k.unit = k.root.Estimates(b.Means), m.Unit
	for i := range k.mean {
		k.mean[i] *= m.Unit
	}
	return k, nil
}

// taskPulls is the number of results of an arm that has the same weight as the noise estimate of its task.
const taskPulls = 4

// scatter returns the noise standard deviation of each arm, reward units: the stated one times a factor, estimated from
// repeated results. The squared factor of a task is
//
//	F = (1 + Σ S_i/σ_i²)/(1 + Σ (n_i - 1)),
//
// where the n_i results of an arm have the sum of squares S_i around their mean. The stated noise counts like one more
// result. The squared factor of an arm is (4 F + S_i/σ_i²)/(4 + n_i - 1), because arms of a task may differ in noise.
func scatter(p *problem.Problem, b engine.Batch) []float64 {
	out, scales := make([]float64, p.N()), p.Noise.Likely()
	of := func(i int) (squares, freedom float64) {
		if b.Counts[i] < 2 {
			return 0, 0
		}
		return b.Squares[i] / (scales[i] * scales[i]), float64(b.Counts[i] - 1)
	}
	for v := range p.V() {
		lo, hi := p.ArmsOf(v)
		squares, freedom := 1.0, 1.0
		for i := lo; i < hi; i++ {
			s, f := of(i)
			squares, freedom = squares+s, freedom+f
		}
		for i := lo; i < hi; i++ {
			s, f := of(i)
			out[i] = scales[i] * math.Sqrt((taskPulls*squares/freedom+s)/(taskPulls+f))
		}
	}
	return out
}

// draw returns a problem whose means are one draw from the posterior for this run, higher is better. Without results all
// means are 0.
func (k *known) draw(p Protocol, run int) *problem.Problem {
	mean := make([]float64, p.Problem.N())
	if k.mean != nil {
		rng := rand.New(rand.NewPCG(0x72657374, uint64(run))) // "rest"
		_, dim := k.root.White.Dims()
		z := lists.Make(dim, func(int) float64 { return rng.NormFloat64() })
		for i := range mean {
			mean[i] = k.mean[i] + k.unit*model.Dot(k.root.White.RawRowView(i), z)
		}
	}
	out := plan.Supposed(p.Problem, mean)
	out.Noise.SD = k.sd
	return out
}

// run simulates the rest once. The result depends only on the recorded results and the number of the run.
func (s rest) run(ctx context.Context, results engine.Batch, truth *problem.Problem, run int) (_ need, err error) {
	defer try.Caught(&err)
	p := s.Protocol
	draw := try.Of(sim.DrawerOf(truth))
	steps := try.Of(s.soFar(ctx, results))
	l := p.lossesOf(run)
	if p.Capacity > 0 && p.Failed == nil {
		// the observed share of failed pulls, with a prior of lossPulls pulls at the share mostFailed/2
		failed := lists.Count(s.order, func(it *item) bool { return it.failed != "" })
		l.failed = (float64(failed) + mostFailed/2*lossPulls) / (float64(len(s.items)) + lossPulls)
	}
	_, remaining, _ := s.Remaining()
	x := trial{p, steps, sim.NewEnvironment(truth, draw, 2, run), l, truth}
	return x.run(ctx, s.spent(p), remaining, s.Start.orderSeed)
}

// soFar returns the algorithm's steps after the finished rounds. It replays these rounds. If rounds were cut (Cuts) and
// nothing was amended, it learns all results as one round instead, which is faster. results have the sign of the data.
func (s rest) soFar(ctx context.Context, results engine.Batch) (_ *engine.Steps, err error) {
	defer try.Caught(&err)
	x := try.Of(s.replayer(ctx, s.memory))
	if !s.Cuts() || len(s.amends) > 0 || results.Empty() {
		return x.steps, x.all(ctx)
	}
	// the plan of the first round is replaced by the counts of all results
	try.Two(x.steps.Next(ctx))
	try.To(x.impose(results.Counts))
	return x.steps, x.steps.Learn(ctx, results)
}

// lossPulls is the weight, in pulls, of the prior share of failed pulls.
const lossPulls = 24
