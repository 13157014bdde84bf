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
)

// Renewal is the expected remaining cost of a campaign, by simulation.
type Renewal struct {
	Samples   Range  `json:"samples"`             // further ones, of all tasks together
	Time      Range  `json:"time"`                // further units; without a capacity one a round
	Unit      string `json:"time_unit"`           // unit of the time
	Undecided int    `json:"undecided,omitempty"` // runs without an end within the limit of the simulation
	Runs      int    `json:"runs"`                // simulated
}

// Renew simulates the rest of a campaign. Each run replays the rounds that are over unchanged, and continues with rewards
// drawn from the posterior of the kernel, its scale and a part of each arm by itself fitted, given all results except
// the open round's: its output must not decide when that round is closed. The noise is that of repeated results of an
// arm, for the posterior too: under a larger noise, arms that are alike would be drawn apart. The share of failed pulls
// is the one so far, if none is stated. runs of 0 means plan.RunsFor. It returns nil if nothing is left to measure, and
// for a campaign that follows a run of agents. memory and progress may be nil.
//
// Each run replays the rounds, so that it costs the computing time of the past and of the future rounds. A posterior
// does not distinguish rounds: if the protocol was not changed it gets them all at once, and tasks that closed by a
// hair's breadth are open again.
func Renew(ctx context.Context, at Moment, memory *model.Memory, runs int, progress func(done, total int)) (*Renewal, error) {
	if at.done != nil || at.Start.Led != "" {
		return nil, nil
	}
	memory = cmp.Or(memory, new(model.Memory))
	runs = cmp.Or(runs, plan.RunsFor(at.Problem))
	// what the rest is simulated with: the capacity in force, and one memory for what all runs solve alike
	at.Protocol.Capacity = at.capacity(at.Protocol)
	s := rest{at, memory}
	// the belief is the same for all runs; each draws its own rewards of it
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

// known holds the posterior of the rewards, given the results.
type known struct {
	all  engine.Batch     // with the sign of the data, as Steps.Learn takes them and turns them
	mean []float64        // N posterior means, reward units, higher is better; nil without results
	root *model.Posterior // whose White is a root of their covariance, normalised
	unit float64          // unit of root, reward units
	sd   []float64        // N standard deviations of the noise, reward units
}

// known works it out, of all results but the open round's. A complete open round is over (whole).
func (s rest) known(ctx context.Context) (*known, error) {
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
	// the posterior uses the scatter of results as its noise; the stated noise has a small weight in it, see scatter
	own := *p.Problem
	own.Noise.Scales, own.Noise.UnknownBy, own.Noise.Bounds = k.sd, "", nil
	own.Noise.Environment = problem.EnvironmentGaussian
	p.Problem = &own
	m, err := p.question().Model(ctx, s.memory)
	if err != nil {
		return nil, err
	}
	prior := model.PriorOf(p.Options)
	// draw needs a root of the covariance in features (White)
	prior.InFeatures = true
	if k.root, err = model.NewPosterior(m, prior, b.Counts, b.Means); err != nil {
		return nil, err
	}
	k.mean, k.unit = k.root.Estimates(b.Means), m.Unit
	for i := range k.mean {
		k.mean[i] *= m.Unit
	}
	return k, nil
}

// taskPulls is the number of results of an arm that the noise of its task is worth.
const taskPulls = 4

// scatter returns the standard deviations of the noise of the arms, reward units: those stated, times the factor from
// the scatter of repeated results. The square of a task's factor is
//
//	F = (1 + Σ S_i/σ_i²)/(1 + Σ (n_i - 1)),
//
// where the n_i results of an arm have the sum of squares S_i around their mean, and the stated noise counts as one
// result more. The square of an arm's factor is (4 F + S_i/σ_i²)/(4 + n_i - 1), as some of a task's arms scatter less
// than others.
func scatter(p *problem.Problem, b engine.Batch) []float64 {
	out := make([]float64, p.N())
	of := func(i int) (squares, freedom float64) {
		if b.Counts[i] < 2 {
			return 0, 0
		}
		return b.Squares[i] / (p.Noise.Scales[i] * p.Noise.Scales[i]), float64(b.Counts[i] - 1)
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
			out[i] = p.Noise.Scales[i] * math.Sqrt((taskPulls*squares/freedom+s)/(taskPulls+f))
		}
	}
	return out
}

// draw returns rewards that the results leave possible: another draw of the posterior for each run, with the sign of the problem, higher is
// better. Without results all means are 0.
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

// run simulates the rest once. All of it follows from the results and the number of the run.
func (s rest) run(ctx context.Context, results engine.Batch, truth *problem.Problem, run int) (need, error) {
	p := s.Protocol
	draw, err := sim.DrawerOf(truth)
	if err != nil {
		return need{}, err
	}
	steps, err := s.soFar(ctx, results)
	if err != nil {
		return need{}, err
	}
	l := p.lossesOf(run)
	if p.Capacity > 0 && p.Failed == nil {
		// the share of failed pulls so far, with lossPulls prior pulls at the share mostFailed/2
		failed := lists.Count(s.order, func(it *item) bool { return it.failed != "" })
		l.failed = (float64(failed) + mostFailed/2*lossPulls) / (float64(len(s.items)) + lossPulls)
	}
	_, remaining, _ := s.Remaining()
	x := trial{p, steps, sim.NewEnvironment(truth, draw, 2, run), l, truth}
	return x.run(ctx, s.spent(p), remaining, s.Start.orderSeed)
}

// soFar returns the run after the finished rounds. It replays these rounds, or, if rounds were cut (Cuts) and nothing was amended, learns
// all results as one round. results have the sign of the data.
func (s rest) soFar(ctx context.Context, results engine.Batch) (*engine.Steps, error) {
	x, err := s.replayer(ctx, s.memory)
	if err != nil {
		return nil, err
	}
	if !s.Cuts() || len(s.amends) > 0 || results.Empty() {
		return x.steps, x.all(ctx)
	}
	// the first round is planned, and its counts are replaced by those of all results
	if _, _, err := x.steps.Next(ctx); err != nil {
		return nil, err
	}
	if err := x.impose(results.Counts); err != nil {
		return nil, err
	}
	return x.steps, x.steps.Learn(ctx, results)
}

// lossPulls is the weight, in pulls, of the share of failed pulls that a forecast expects before any data.
const lossPulls = 24
