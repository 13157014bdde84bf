package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// truths returns one problem per run, whose means are the true rewards of its simulation, and a note that describes them.
// It uses the first available source: the stated gap, a belief from measurements, the means of the table, or the kernel as
// prior.
func truths(ctx context.Context, p Protocol, memory *model.Memory, gap float64, runs int) (_ []*problem.Problem, _ Note, err error) {
	defer try.Caught(&err)
	if gap > 0 {
		// at most five such problems are computed, and the runs use them cyclically
		all := try.Of(plan.LeastFavourable(ctx, p.Problem, gap, p.Options.Unit, min(5, runs)))
		out := lists.Make(runs, func(i int) *problem.Problem { return all[i%len(all)] })
		return out, Note{Kind: NoteRewardsLed, Numbers: []float64{gap}}, nil
	}
	known := p.Problem.Mean
	if p.Problem.Long != nil && p.Problem.Means() != nil { // the means of measurements are not the truth
		// if a belief cannot be computed, the next source is used
		if b, err := belief.Of(ctx, p.Problem, belief.Options{Memory: memory}); err == nil {
			count, _ := b.Draws.Dims()
			return lists.Make(runs, func(i int) *problem.Problem {
				truth := plan.Supposed(p.Problem, slices.Clone(b.Draws.RawRowView(i*count/runs)))
				if p.Problem.Block == nil { // the table's own deviations can come from two rows of an arm
					truth.Noise.SD = lists.Map(b.Noise, math.Sqrt)
				}
				return truth
			}), Note{Kind: NoteRewardsBelieved}, nil
		} else if ctx.Err() != nil {
			return nil, Note{}, err
		} else if errors.As(err, new(*belief.Undetermined)) {
			known = nil // truths with all arms equal would not show the cost of the campaign
		}
	}
	if known != nil {
		return slices.Repeat([]*problem.Problem{plan.Supposed(p.Problem, known)}, runs), Note{Kind: NoteRewardsKnown}, nil
	}
	m := try.Of(p.question().Model(ctx, nil))
	from := try.Of(priorOf(m))
	out := make([]*problem.Problem, runs)
	for i := range out {
		mean := from.draw(rand.New(rand.NewPCG(0x666f7265, uint64(i))), cmp.Or(p.Options.Scale, 1)) // "fore"
		if out[i] = plan.Supposed(p.Problem, mean); p.fitsOwn() {
			out[i] = from.loosened(p.Problem, mean, i)
		}
		if statesNoise(p.Problem) {
			out[i].Noise.SD = scattered(p.Problem, i)
		}
	}
	return out, Note{Kind: NoteRewardsDrawn}, nil
}

// simulate makes one run like a real campaign: rounds are cut if the campaign cuts them, and pulls are lost. The result
// depends only on the truth and the number of the run. The seed of rewards is 1 here, and 2 in Renew. The run begins with
// the known results, if the algorithm can use them.
func (p Protocol) simulate(ctx context.Context, truth *problem.Problem, known engine.Batch, memory *model.Memory,
	run int) (_ need, err error) {
	defer try.Caught(&err)
	draw := try.Of(sim.DrawerOf(truth))
	asked := try.Of(p.question().Begin(ctx, memory))
	// limited, because a run without an end would block the forecast
	opt := asked.Options()
	opt.MaxRounds = min(opt.MaxRounds, forecastRounds)
	if p.Cuts() {
		opt.MaxRounds = forecastLooks
	}
	steps := try.Of(engine.Begin(asked.Algorithm(), opt))
	steps.WithoutTrail()
	if !known.Empty() {
		if err := steps.AddData(known); err != nil && !errors.Is(err, engine.ErrAddedDataUnused) {
			return need{}, err
		}
	}
	x := trial{p, steps, sim.NewEnvironment(truth, draw, 1, run), p.lossesOf(run), truth}
	return x.run(ctx, nil, 0, func(round int) uint64 { return uint64(round) })
}

// trial is one simulated campaign.
type trial struct {
	Protocol
	steps  *engine.Steps
	env    engine.Environment
	losses losses
	truth  *problem.Problem
}

// run simulates until the end, and compares the answers with the truth. before holds the number of earlier pulls by arm;
// nil for none. awaited is the number of pulls that the first round still awaits; 0 means all. seed returns, for a round,
// the seed of its cut to a budget per task.
func (x trial) run(ctx context.Context, before []int, awaited int, seed func(round int) uint64) (n need, err error) {
	// a protocol that cuts rounds does not wait for all results, and so is simulated unit by unit of time
	if x.Cuts() {
		n, err = x.calendar(ctx, x.step())
	} else {
		n, err = x.rounds(ctx, before, awaited, seed)
	}
	if err != nil {
		return n, err
	}
	undecided, wrong := judged(x.Protocol, x.truth, x.steps.Outcome().Answers)
	n.undecided, n.wrong = n.undecided || undecided, wrong
	return n, nil
}

// rounds simulates whole rounds, and waits for all results of each. Lost pulls are measured again, and cost only time.
func (x trial) rounds(ctx context.Context, before []int, awaited int, seed func(round int) uint64) (n need, err error) {
	defer try.Caught(&err)
	for range forecastRounds {
		next, more, err := x.steps.Next(ctx)
		if err != nil || !more {
			return n, err
		}
		next = try.Of(x.cap(ctx, x.steps, next, before, seed(next.Round)))
		before = plus(before, next.Counts)
		try.To(x.learn(ctx, next))
		pulls := next.Pulls()
		// all rewards of the first round are drawn again, but only its awaited pulls count as samples and time
		if awaited > 0 { // the round that is being measured
			pulls, awaited = awaited, 0
		}
		n.samples += float64(pulls)
		n.rounds++
		n.time += x.losses.wholeRound(pulls, x.Capacity)
		if x.Mode == engine.ModeFB {
			n.buys = append(n.buys, bought(x.Protocol, x.truth, x.steps.Outcome().Answers, n.samples))
		}
	}
	// at the limit of rounds: the run is undecided if the algorithm would continue
	_, more, err := x.steps.Next(ctx)
	n.undecided = more
	return n, err
}

// learn draws the rewards of a round, and passes them to the algorithm.
func (x trial) learn(ctx context.Context, round engine.Plan) error {
	b, err := x.env.Pull(ctx, round)
	if err != nil {
		return err
	}
	return x.steps.Learn(ctx, b)
}

// Bounds of the shares of failed and of late results. If the protocol has a capacity but states no share, each simulated
// run draws its share uniformly between 0 and the bound.
const (
	mostFailed = 0.2
	mostLate   = 0.3
)

// DefaultDelay is the greatest delay of a late result in units of time, if the protocol does not state it.
const DefaultDelay = 5

// losses describes the failed and late pulls of a simulated run.
type losses struct {
	failed, late float64 // shares of pulls that give no result, and of pulls whose result is late
	delay        int     // greatest delay, units of time
	rng          *rand.Rand
}

// lossesOf returns the losses of a run. Without a capacity there is no calendar, and both shares are 0. Both shares are
// drawn even if stated, so that a stated share does not change the later random numbers.
func (p Protocol) lossesOf(run int) losses {
	l := losses{delay: p.Delay, rng: rand.New(rand.NewPCG(0x6c6f7373, uint64(run)))} // "loss"
	l.delay = cmp.Or(l.delay, DefaultDelay)
	if p.Capacity == 0 {
		return l
	}
	failed, late := p.shares()
	l.failed = failed[0] + (failed[1]-failed[0])*l.rng.Float64()
	l.late = late[0] + (late[1]-late[0])*l.rng.Float64()
	return l
}

// shares returns the lower and the upper bound of the share of failed pulls, and of the share of late pulls.
func (p Protocol) shares() (failed, late [2]float64) {
	failed, late = [2]float64{0, mostFailed}, [2]float64{0, mostLate}
	if p.Failed != nil {
		failed = [2]float64{*p.Failed, *p.Failed}
	}
	if p.Late != nil {
		late = [2]float64{*p.Late, *p.Late}
	}
	return failed, late
}

// wholeRound returns the units of time until a round has all its results. In each unit the laboratory receives as many
// pulls as the capacity allows: pulls not yet handed out, and failed ones. The result of a pull comes at the end of its
// unit, or 1 to delay units later. Without a capacity a round takes one unit.
func (l losses) wholeRound(pulls, capacity int) float64 {
	if capacity <= 0 {
		return 1
	}
	over := 0
	// failed pulls are handed out again on the next day
	for day, remaining := 0, pulls; remaining > 0; day++ {
		for range min(remaining, capacity) {
			switch x := l.rng.Float64(); {
			case x < l.failed:
			case x < l.failed+l.late:
				remaining, over = remaining-1, max(over, day+1+1+l.rng.IntN(l.delay))
			default:
				remaining, over = remaining-1, max(over, day+1)
			}
		}
	}
	return float64(over)
}

// cutRound simulates the results of a round whose pulls are handed out on day `day` and the next days-1 days. It returns
// the results by arm that come in time, and the late results by the day on which they come. Failed pulls are in neither: a
// posterior plans them again if they are still useful.
func (l losses) cutRound(counts []int, day, days int) (inTime []int, late map[int][]int) {
	inTime, late = make([]int, len(counts)), map[int][]int{}
	for i, n := range counts {
		for range n {
			switch x := l.rng.Float64(); {
			case x < l.failed:
			case x < l.failed+l.late:
				// days count from 0; results of a day are recorded on the next day, and so day + 1 is in time
				due := day + 2 + l.rng.IntN(l.delay)
				if days > 1 {
					due += l.rng.IntN(days)
				}
				if late[due] == nil {
					late[due] = make([]int, len(counts))
				}
				late[due][i]++
			default:
				inTime[i]++
			}
		}
	}
	return inTime, late
}

// forecastStep is a fraction of the time so far. A simulated campaign combines the rounds of that much time into one.
const forecastStep = 1. / 32

// coarseStep replaces forecastStep if runs take long: it needs a third of the rounds.
const coarseStep = 1. / 8

// step returns coarseStep for problems with many arms, otherwise forecastStep.
func (p Protocol) step() float64 {
	if many(p.Problem) {
		return coarseStep
	}
	return forecastStep
}

// calendar simulates a campaign whose rounds are cut to its capacity, with one round per unit of time. A late result
// counts with the round whose results come at the same time, which makes no difference to a posterior. Failed pulls are
// planned again if they are still useful. After d units, the rounds of the next step·d units are simulated as one. This
// makes long campaigns cheap, and hardly changes a posterior. With a step of 0, each round is simulated by itself.
// calendar returns the length of the run.
func (x trial) calendar(ctx context.Context, step float64) (n need, err error) {
	defer try.Caught(&err)
	awaited := map[int][]int{} // late results by the day on which they come
	for day := 0; day < forecastLooks; {
		try.To(ctx.Err())
		next, more, err := x.steps.Next(ctx)
		if err != nil || !more {
			return n, err
		}
		// as many days as the step allows, and no more than the plan fills
		days := max(1, int(float64(day)*step))
		planned := cut(next.Counts, x.Capacity*days, uint64(next.Round))
		days = max(1, int(math.Ceil(float64(engine.PullsOf(planned))/float64(x.Capacity))))
		counts, late := x.losses.cutRound(planned, day, days)
		for due, more := range late {
			awaited[due] = plus(awaited[due], more)
		}
		// the days pass, and each adds the late results due on it
		for range days {
			day++
			counts = plus(counts, awaited[day])
			delete(awaited, day)
		}
		// the plan becomes the pulls with results, as in a campaign that ends a cut round early
		try.To(x.steps.Amend(counts))
		next.Counts = counts
		try.To(x.learn(ctx, next))
		n.samples += float64(next.Pulls())
		n.rounds += float64(days)
		n.time = float64(day)
	}
	return n, nil
}

// plus returns the sums of two lists of counts. Either may be nil, which means 0 for each arm. It changes neither list.
func plus(a, b []int) []int {
	if a == nil || b == nil {
		return slices.Concat(a, b)
	}
	out := slices.Clone(a)
	for i, n := range b {
		out[i] += n
	}
	return out
}

// checkLosses returns an error if a share or the delay is out of range. Not all pulls may fail or be late: a round would
// never end.
func (p Protocol) checkLosses() error {
	for name, x := range map[string]*float64{"failed": p.Failed, "late": p.Late} {
		if x != nil && !(*x >= 0 && *x < 1) {
			return fmt.Errorf("%s must be a share of pulls, at least 0 and below 1, got %g", name, *x)
		}
	}
	if p.Failed != nil && p.Late != nil && *p.Failed+*p.Late >= 1 {
		return fmt.Errorf("failed and late must be less than 1 together, got %g and %g", *p.Failed, *p.Late)
	}
	if p.Delay < 0 || p.Delay > math.MaxInt16 {
		return fmt.Errorf("delay must be at least 1 of the %s, got %d", p.Unit(), p.Delay)
	}
	return nil
}

// lossNote returns the forecast's assumption about failed and late results; ok is false if no results are lost or late.
func (p Protocol) lossNote() (n Note, ok bool) {
	failed, late := p.shares()
	if p.Capacity == 0 || failed[1] == 0 && late[1] == 0 {
		return Note{}, false
	}
	return Note{Kind: NoteLosses, Names: []string{p.Unit()},
		Numbers: []float64{failed[0], failed[1], late[0], late[1], float64(p.lossesOf(0).delay)}}, true
}
