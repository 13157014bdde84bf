package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// people hands pulls out to people: they are the lists of a campaign, whose folder is made where there
// is none, and what is told there is told to the other agents once the round is whole. A result can
// be corrected until then.
type people struct {
	options *agentOptions
}

// lookEvery is how often an agent looks whether people have told what is left.
const lookEvery = 500 * time.Millisecond

// people returns the way to measure by people, and makes the folder of their campaign.
func (o *agentOptions) people(ctx context.Context) (cluster.Puller, error) {
	k, err := o.openLed(ctx)
	if err != nil {
		return nil, err
	}
	return people{o}, k.Close()
}

// led names the run that leads the campaign.
func (o *agentOptions) led() string { return fmt.Sprintf("run %s for task %q", o.run, o.task) }

// openLed opens the campaign of the agent.
func (o *agentOptions) openLed(ctx context.Context) (*folder.Campaign, error) {
	var common campaignOptions
	opt := common.folder()
	opt.Led = o.led()
	k, err := folder.Open(ctx, o.campaign, dsl.MakeProtocol, opt)
	if err == nil {
		if k.Led() != opt.Led {
			k.Close()
			return nil, fmt.Errorf("%s holds a campaign that is not led by %s: an agent needs a folder of its own", o.campaign, opt.Led)
		}
		return k, nil
	}
	if _, missing := os.Stat(o.campaign); missing == nil && !empty(o.campaign) {
		return nil, err
	}
	r := o.recipe
	p, err := dsl.MakeProtocol(ctx, r)
	if err != nil {
		return nil, err
	}
	return folder.Start(ctx, o.campaign, r, p, dsl.MakeProtocol, opt)
}

// empty reports whether a folder has nothing in it.
func empty(dir string) bool {
	list, err := os.ReadDir(dir)
	return err == nil && len(list) == 0
}

// Pull implements cluster.Puller. It waits for people.
func (w people) Pull(ctx context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) error {
	k, err := w.options.openLed(ctx)
	if err != nil {
		return err
	}
	defer k.Close()
	plan, left := p.Plan, make([]int, len(p.Plan.Counts))
	for _, a := range p.Arms {
		left[a.Arm] = a.Count
	}
	plan.Counts = share(p)
	if err := k.Lead(ctx, plan); err != nil {
		return err
	}
	for {
		results, whole, err := k.ToldOf(ctx, plan.Digest)
		if err != nil {
			return err
		}
		if whole {
			var all []cluster.Reward
			for _, r := range results {
				all = append(all, cluster.Reward{Arm: r.Arm, Count: max(1, r.Count), Mean: r.Reward, Squares: r.Squares})
			}
			rest, arm, missing := fitting(all, plan.Counts, left)
			if missing > 0 {
				return fmt.Errorf("arm %q: the results in %s make no %d of the %d pulls of round %d: correct one of them or its count",
					p.Problem.Arms.Names[arm], w.options.campaign, missing, plan.Counts[arm], plan.Round)
			}
			return tell(rest...)
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx))
		case <-time.After(lookEvery):
		}
	}
}

// share returns the pulls of the agent's own task in a plan, told or not; 0 of other arms.
func share(p cluster.Pulls) []int {
	out := make([]int, len(p.Plan.Counts))
	lo, hi := p.Problem.ArmsOf(slices.Index(p.Problem.Tasks.Names, p.Task))
	copy(out[lo:hi], p.Plan.Counts[lo:hi])
	return out
}

// fitting returns the first results of each arm that make its count, without those that were told
// before, of which some are left: further measurements of people are no pulls of the plan. The
// same results give the same choice however often it is made. Where they do not make the pulls that are
// left of an arm, it returns the first such arm and how many pulls are missing.
func fitting(all []cluster.Reward, counts, left []int) (out []cluster.Reward, arm, missing int) {
	taken, rest := make([]int, len(counts)), slices.Clone(left)
	for _, r := range all {
		if counts[r.Arm]-taken[r.Arm] < r.Count {
			continue
		}
		if taken[r.Arm] >= counts[r.Arm]-left[r.Arm] {
			out = append(out, r)
			rest[r.Arm] -= r.Count
		}
		taken[r.Arm] += r.Count
	}
	for i, n := range rest {
		if n > 0 {
			return nil, i, n
		}
	}
	return out, 0, 0
}
