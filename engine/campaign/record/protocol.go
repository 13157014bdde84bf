package record

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// Maker makes the protocol of a recipe, without a forecast. It reads no other files. In every program that opens the
// campaign, the same recipe must give a protocol with the same Fingerprint. A Maker may take seconds. It is not called
// while the lock is held, except for arms that another program has just added.
type Maker func(ctx context.Context, r question.Recipe) (campaign.Protocol, error)

// Check returns an error if the protocol is inconsistent, or if its recipe does not make it again: such a campaign could
// not be continued.
func Check(ctx context.Context, maker Maker, r question.Recipe, p campaign.Protocol) error {
	if err := p.Check(ctx); err != nil {
		return err
	}
	again, err := maker(ctx, r)
	if err != nil {
		return fmt.Errorf("the script alone does not make the protocol, so the campaign could not be continued later: %w", err)
	}
	if again.Fingerprint() != p.Fingerprint() {
		return errors.New("the script makes a different protocol when it is evaluated again, so the campaign could not be continued " +
			"later. Remove random or changing parts")
	}
	return nil
}

// Remake makes the protocol of a start from its recipe. Arms that were added later are not included. It returns an error
// if the problem differs from the recorded one.
func Remake(ctx context.Context, maker Maker, start campaign.StartBody, r question.Recipe) (campaign.Protocol, error) {
	p, err := maker(ctx, r)
	if err != nil {
		return p, fmt.Errorf("the recorded script no longer makes the protocol: %w", err)
	}
	if p.Fingerprint() != start.Problem {
		return p, errors.New("with this program the recorded script makes a different problem than at the start. Use the program that began " +
			"the campaign")
	}
	p.Seed, p.Name = start.Seed, start.Name // the script may not state the seed or the name
	return p, nil
}

// Follow adds to the protocol and the recipe all arms that were added during the campaign. It returns an error if an
// addition gives another problem now than when it was recorded.
func Follow(ctx context.Context, maker Maker, r question.Recipe, p campaign.Protocol, s *campaign.State, store Store) (question.Recipe,
	campaign.Protocol, error) {
	all := s.Additions()
	for n := len(p.Earlier); n < len(all); n++ { // one after the other: each keeps the scale of the features before it
		rows := *all[n].Add
		var err error
		if rows.Content, err = store.File(ctx, rows.SHA256); err != nil {
			return r, p, fmt.Errorf("the recorded copy of %s cannot be read: %w", rows.Path, err)
		}
		if r, p, _, err = Grown(ctx, maker, r, p, rows); err != nil {
			return r, p, fmt.Errorf("the recorded script no longer makes the protocol with the arms that were added: %w", err)
		}
		if p.Fingerprint() != all[n].Problem {
			return r, p, fmt.Errorf("with this program, the recorded script and the arms of %s give another problem than when the arms were "+
				"added. Use the program that added them", rows.Path)
		}
	}
	return r, p, nil
}

// Grown returns the recipe and the protocol with the arms of a file. It evaluates the script on the table with all rows.
// It returns an error if an arm of p changes. r is not changed.
func Grown(ctx context.Context, maker Maker, r question.Recipe, p campaign.Protocol, file campaign.File) (question.Recipe,
	campaign.Protocol, campaign.Growth, error) {
	// the capacity is limited, so that two simultaneous additions do not write into the same array
	r.Added = append(r.Added[:len(r.Added):len(r.Added)], file)
	made, err := maker(ctx, r)
	if err != nil {
		return r, p, campaign.Growth{}, err
	}
	out, g, err := p.Grown(made.Problem)
	if err == nil {
		err = out.Check(ctx)
	}
	return r, out, g, err
}

// currentProtocol is the protocol with the arms added so far, and its recipe. It only grows. A state that was read just
// before an addition may therefore be used with the protocol after the addition.
type currentProtocol struct {
	mu       sync.Mutex // guards both fields below, which change together
	recipe   question.Recipe
	protocol campaign.Protocol
}

// now returns the current recipe and protocol.
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
	r, p, err := Follow(ctx, c.maker, k.recipe, k.protocol, s, c.store)
	if err != nil {
		return campaign.Protocol{}, fmt.Errorf("%s: %w", c.store, err)
	}
	k.recipe, k.protocol = r, p
	return p, nil
}
