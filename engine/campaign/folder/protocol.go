package folder

import (
	"context"
	"fmt"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// currentProtocol is the protocol with the arms that were added so far, and what it is made from. It only grows: a state that was read just
// before an addition may meet the arms of after.
type currentProtocol struct {
	mu       sync.Mutex // guards both below, which change together
	recipe   question.Recipe
	protocol campaign.Protocol
}

// now returns both.
func (k *currentProtocol) now() (question.Recipe, campaign.Protocol) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.recipe, k.protocol
}

// tasks returns the tasks of the arms of the start, by arm: a fold begins with them.
func (k *currentProtocol) tasks() []int {
	_, p := k.now()
	return p.AtStart().Problem.TaskOf
}

// of returns the protocol of a state of a campaign: with the arms that were added by then, from the recorded
// files alone. Each addition must make the problem that it made when it was recorded.
func (k *currentProtocol) of(ctx context.Context, c *Campaign, s *campaign.State) (campaign.Protocol, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, p, err := record.Follow(ctx, c.maker, k.recipe, k.protocol, s, c.file(ctx))
	if err != nil {
		return campaign.Protocol{}, fmt.Errorf("%s: %w", c.dir, err)
	}
	k.recipe, k.protocol = r, p
	return p, nil
}
