package folder

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// keptProtocol is the protocol with the arms that were added so far, and what it is made from.
type keptProtocol struct {
	mu       sync.Mutex
	recipe   question.Recipe
	protocol campaign.Protocol
}

// tasksAtStart returns the tasks of the arms of the start.
func (c *Campaign) tasksAtStart() []int { return c.Protocol().AtStart().Problem.TaskOf }

// protocolOf returns the protocol of a state: with the arms that were added by then, from the recorded
// files alone.
func (c *Campaign) protocolOf(ctx context.Context, s *campaign.State) (campaign.Protocol, error) {
	c.kept.mu.Lock()
	defer c.kept.mu.Unlock()
	all := s.Additions()
	for k := len(c.kept.protocol.Earlier); k < len(all); k++ {
		file := *all[k].Add
		var err error
		if file.Content, err = getFile(ctx, c.db.db, file.SHA256); err != nil {
			return campaign.Protocol{}, fmt.Errorf("%s: the recorded copy of %s: %w", c.dir, file.Path, err)
		}
		r, p, _, err := grown(ctx, c.maker, c.kept.recipe, c.kept.protocol, file)
		if err != nil {
			return campaign.Protocol{}, fmt.Errorf("the recorded script no longer makes the protocol with the arms that were added: %w", err)
		}
		if p.Fingerprint() != all[k].Problem {
			return campaign.Protocol{}, fmt.Errorf("the recorded script makes another problem of the arms of %s with this program than it made when they were added; use the program that added them", file.Path)
		}
		c.kept.recipe, c.kept.protocol = r, p
	}
	return c.kept.protocol, nil
}

// grown makes the protocol with the arms of a file.
func grown(ctx context.Context, maker Maker, r question.Recipe, p campaign.Protocol, file campaign.File) (question.Recipe, campaign.Protocol, campaign.Growth, error) {
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

// grow makes the protocol with the arms of a file.
func (c *Campaign) grow(ctx context.Context, file campaign.File) (campaign.Protocol, campaign.Growth, error) {
	_, p, g, err := grown(ctx, c.maker, c.recipeNow(), c.Protocol(), file)
	return p, g, err
}

// recipeNow returns the recipe with the arms that were added so far.
func (c *Campaign) recipeNow() question.Recipe {
	c.kept.mu.Lock()
	defer c.kept.mu.Unlock()
	return c.kept.recipe
}

// tried records the event that f makes once the algorithm was tried with it, under the protocol that done names: an
// algorithm may refuse.
func (c *Campaign) tried(ctx context.Context, f func(campaign.Moment) ([]campaign.Event, error), done *campaign.Done) error {
	for {
		m, err := c.own(ctx)
		if err != nil {
			return err
		}
		if m.Start.Led != "" {
			return fmt.Errorf("%s is led by %s: all pulls of its rounds are awaited there, and nothing of them can be changed here", c.dir, m.Start.Led)
		}
		made, err := f(m)
		if err != nil || len(made) == 0 {
			return err
		}
		seq := m.Seq
		first := made[0]
		first.Seq = seq + 1
		if err := m.Add([]campaign.Event{first}, c.tasksAtStart()); err != nil {
			return err
		}
		if done.Protocol != nil {
			m.Protocol = *done.Protocol
		}
		if err := m.Try(ctx, &c.memory); err != nil {
			return err
		}
		err = c.write(ctx, func(now campaign.Moment) ([]campaign.Event, error) {
			if now.Seq != seq {
				return nil, errOther
			}
			return made, nil
		}, done.Files...)
		if !errors.Is(err, errOther) {
			return err
		}
	}
}
