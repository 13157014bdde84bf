package dsl

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
)

// ReadRun is ReadProtocol without a forecast: a run of agents asks what a protocol fixes.
func ReadRun(ctx context.Context, name, text string, opt Options) (campaign.Protocol, folder.Recipe, error) {
	opt.noForecast = true
	return ReadProtocol(ctx, name, text, opt)
}
