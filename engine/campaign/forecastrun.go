package campaign

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// truths returns the rewards that runs are simulated with, one problem a run, and what they are.
func truths(ctx context.Context, p Protocol, gap float64, runs int) ([]*problem.Problem, Note, error) {
	if gap > 0 {
		all, err := plan.LeastFavourable(ctx, p.Problem, gap, p.Options.Unit, min(5, runs))
		out := make([]*problem.Problem, runs)
		for i := range out {
			if err == nil {
				out[i] = all[i%len(all)]
			}
		}
		return out, Note{Kind: NoteRewardsLed, Numbers: []float64{gap}}, err
	}
	if p.Problem.Long != nil && p.Problem.Means() != nil { // measurements, whose means are not the truth
		if b, err := belief.Of(ctx, p.Problem, belief.Options{}); err == nil {
			count, _ := b.Draws.Dims()
			out := make([]*problem.Problem, runs)
			for i := range out {
				out[i] = plan.Supposed(p.Problem, slices.Clone(b.Draws.RawRowView(i*count/runs)))
			}
			return out, Note{Kind: NoteRewardsBelieved}, nil
		} else if ctx.Err() != nil {
			return nil, Note{}, err
		}
	}
	if p.Problem.Mean != nil {
		return slices.Repeat([]*problem.Problem{plan.Supposed(p.Problem, p.Problem.Mean)}, runs), Note{Kind: NoteRewardsKnown}, nil
	}
	m, err := p.question().Model(ctx, nil)
	if err != nil {
		return nil, Note{}, err
	}
	from, err := priorOf(m)
	if err != nil {
		return nil, Note{}, err
	}
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

// simulate makes one run as a campaign would: its rounds are cut where the campaign cuts them, and pulls
// are lost on the way.
func (p Protocol) simulate(ctx context.Context, truth *problem.Problem, memory *model.Memory, run int) (need, error) {
	draw, err := sim.DrawerOf(truth)
	if err != nil {
		return need{}, err
	}
	env := sim.NewEnvironment(truth, draw, 1, run)
	asked, err := p.question().Begin(ctx, memory)
	if err != nil {
		return need{}, err
	}
	alg, opt := asked.Algorithm(), asked.Options()
	opt.MaxRounds = min(opt.MaxRounds, forecastRounds)
	if p.Cuts() {
		opt.MaxRounds = forecastLooks
	}
	steps, err := engine.Begin(alg, opt)
	if err != nil {
		return need{}, err
	}
	l := p.lossesOf(run)
	if _, amends := alg.(engine.Amender); p.Cuts() && amends {
		n, err := p.calendar(ctx, steps, env, l, p.step())
		if err != nil {
			return n, err
		}
		n.undecided, n.wrong = judged(p, truth, steps.Outcome().Answers)
		return n, nil
	}
	var n need
	var before []int
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		next, more, err := steps.Next()
		if err != nil {
			return n, err
		}
		if !more {
			break
		}
		if p.Cuts() {
			switch err := steps.Amend(cut(next.Counts, p.Capacity, uint64(next.Round))); {
			case errors.Is(err, engine.ErrFixedPlans):
			case err != nil:
				return n, err
			}
			next, _, _ = steps.Next()
		}
		if next, err = p.cap(steps, next, before, uint64(next.Round)); err != nil {
			return n, err
		}
		before = plus(before, next.Counts)
		batch, err := env.Pull(ctx, next)
		if err != nil {
			return n, err
		}
		if err := steps.Learn(batch); err != nil {
			return n, err
		}
		n.samples += float64(next.Pulls())
		n.rounds++
		if p.Mode == engine.ModeFB {
			n.buys = append(n.buys, bought(p, truth, steps.Outcome().Answers, n.samples))
		}
		n.time += l.wholeRound(next.Pulls(), p.Capacity)
	}
	out := steps.Outcome()
	n.undecided, n.wrong = judged(p, truth, out.Answers)
	return n, nil
}

// duration returns the units of time that a round takes.
func (p Protocol) duration(pulls, capacity int) float64 {
	if capacity <= 0 {
		return 1
	}
	return math.Ceil(float64(pulls) / float64(capacity))
}
