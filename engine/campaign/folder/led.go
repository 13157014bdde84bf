package folder

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Led returns the run of agents that plans the rounds, in words; "" where the campaign does.
func (c *Campaign) Led() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Start.Led
}

// Lead makes a plan of the run that leads the campaign its open round.
func (c *Campaign) Lead(ctx context.Context, plan engine.Plan) error {
	return c.write(ctx, func(m campaign.Moment) ([]campaign.Event, error) {
		return m.Lead(plan, "the run went on without this agent", c.opt.build()), nil
	})
}

// ToldOf returns the results of the round with a plan's digest once the round is whole.
func (c *Campaign) ToldOf(ctx context.Context, digest string) ([]campaign.ResultRecord, bool, error) {
	m, err := c.fresh(ctx)
	if err != nil {
		return nil, false, err
	}
	results, whole := m.ToldOf(digest)
	return results, whole, nil
}

// Renew simulates the rest of the campaign by so many runs; see campaign.Renew. It writes nothing. progress may be nil.
func (c *Campaign) Renew(ctx context.Context, runs int, progress func(done, total int)) (*campaign.Renewal, error) {
	m, err := c.fresh(ctx)
	if err != nil {
		return nil, err
	}
	return campaign.Renew(ctx, m, &c.memory, runs, progress)
}
