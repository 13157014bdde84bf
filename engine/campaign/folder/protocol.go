package folder

import (
	"context"
	"fmt"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// currentProtocol is the protocol with the arms added so far, and its recipe. It only grows. A state that was read just
// before an addition may therefore be used with the protocol after the addition.
type currentProtocol struct {
	mu       sync.Mutex // guards both fields below, which change together
	recipe   question.Recipe
	protocol campaign.Protocol
}

// now returns the recipe and the protocol.
func (k *currentProtocol) now() (question.Recipe, campaign.Protocol) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.recipe, k.protocol
}

// tasks returns the task of each arm of the start, with which a fold begins.
func (k *currentProtocol) tasks() []int {
	_, p := k.now()
	return p.AtStart().Problem.TaskOf
}

// of returns the protocol with at least the arms that the state has, made from recorded files only. It returns an error if
// an addition gives another problem than when it was recorded.
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
