package folder

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Renew simulates the rest of the campaign by so many runs; see campaign.State.Renew. It writes nothing. progress may be nil.
func (c *Campaign) Renew(ctx context.Context, runs int, progress func(done, total int)) (*campaign.Renewal, error) {
	p, s, err := c.fresh(ctx)
	if err != nil {
		return nil, err
	}
	return s.Renew(ctx, p, &c.memory, runs, progress)
}
