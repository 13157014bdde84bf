package folder

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// Keeper implements campaign.Keeper: each campaign is a folder. Convert the Maker of the script language to this type.
type Keeper Maker

// Start implements campaign.Keeper.
func (k Keeper) Start(ctx context.Context, dir string, r question.Recipe, p campaign.Protocol, notice func(string)) (campaign.Kept, error) {
	return kept(Start(ctx, dir, r, p, Maker(k), Options{Notice: notice}))
}

// Open implements campaign.Keeper.
func (k Keeper) Open(ctx context.Context, dir string, notice func(string)) (campaign.Kept, error) {
	return kept(Open(ctx, dir, Maker(k), Options{Notice: notice}))
}

// kept returns a nil interface if c is nil.
func kept(c *Campaign, err error) (campaign.Kept, error) {
	if c == nil {
		return nil, err
	}
	return c, err
}
