package main

import (
	"context"
	"errors"
	"fmt"
	"os"
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
func (o *agentOptions) people(cluster.Question) (cluster.Puller, error) {
	k, err := o.openLed(context.Background())
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
	r := ofCampaign(o.recipe)
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
	plan, own := p.Plan, make([]int, len(p.Plan.Counts))
	for _, a := range p.Arms {
		own[a.Arm] = a.Count
	}
	plan.Counts = own
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
			return tell(fitting(all, own)...)
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx))
		case <-time.After(lookEvery):
		}
	}
}

// fitting returns the first rewards of each arm that make its count: further measurements of people
// are no pulls of the plan.
func fitting(all []cluster.Reward, counts []int) []cluster.Reward {
	left, out := append([]int(nil), counts...), all[:0]
	for _, r := range all {
		if left[r.Arm] >= r.Count {
			left[r.Arm] -= r.Count
			out = append(out, r)
		}
	}
	return out
}
