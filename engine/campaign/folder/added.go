package folder

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// keptProtocol is the protocol with the arms that were added so far, and what it is made from.
type keptProtocol struct {
	mu       sync.Mutex
	recipe   Recipe
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
func grown(ctx context.Context, maker Maker, r Recipe, p campaign.Protocol, file campaign.File) (Recipe, campaign.Protocol, campaign.Growth, error) {
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

// Amend changes the protocol, where its algorithm can change. The arms that it adds are rows of a file
// that has columns of the table of the problem; its content is recorded.
func (c *Campaign) Amend(ctx context.Context, b campaign.AmendBody, by string) (campaign.AmendBody, error) {
	var files []campaign.File
	if b.Add != nil {
		if len(b.Add.Content) == 0 {
			return b, fmt.Errorf("%s is empty", b.Add.Path)
		}
		files = append(files, *b.Add)
	}
	err := c.tried(ctx, func(p campaign.Protocol, s *campaign.State) ([]campaign.Event, campaign.Protocol, error) {
		q := p
		b.Growth, b.Problem = nil, ""
		if b.Add != nil {
			file := campaign.File{Path: filepath.Base(b.Add.Path), SHA256: fileHash(b.Add.Content), Content: b.Add.Content}
			var g campaign.Growth
			var err error
			if _, q, g, err = grown(ctx, c.maker, c.recipeNow(), p, file); err != nil {
				return nil, p, err
			}
			b.Add, b.Growth, b.Problem = &file, &g, q.Fingerprint()
		}
		made, err := s.Amend(p, b, by, c.opt.now())
		return made, q, err
	}, files...)
	if err == nil && b.Add != nil {
		if err := c.open(ctx); err != nil {
			return b, err
		}
		if err := copies(c.dir, c.recipeNow()); err != nil {
			c.notice(fmt.Sprintf("the copy of %s beside the database could not be written (%v); the recorded one counts", b.Add.Path, err))
		}
	}
	return b, err
}

// recipeNow returns the recipe with the arms that were added so far.
func (c *Campaign) recipeNow() Recipe {
	c.kept.mu.Lock()
	defer c.kept.mu.Unlock()
	return c.kept.recipe
}

// tried records the event that f makes of the state once the algorithm was tried with it, under the
// protocol that f returns: an algorithm may refuse.
func (c *Campaign) tried(ctx context.Context, f func(campaign.Protocol, *campaign.State) ([]campaign.Event, campaign.Protocol, error), files ...campaign.File) error {
	for {
		p, s, err := c.own(ctx)
		if err != nil {
			return err
		}
		if s.Start.Led != "" {
			return fmt.Errorf("%s is led by %s: all pulls of its rounds are awaited there, and nothing of them can be changed here", c.dir, s.Start.Led)
		}
		made, q, err := f(p, s)
		if err != nil || len(made) == 0 {
			return err
		}
		seq := s.Seq
		first := made[0]
		first.Seq = seq + 1
		if err := s.Add([]campaign.Event{first}, c.tasksAtStart()); err != nil {
			return err
		}
		if err := s.Try(ctx, q, &c.memory); err != nil {
			return err
		}
		err = c.write(ctx, func(_ campaign.Protocol, s *campaign.State) ([]campaign.Event, error) {
			if s.Seq != seq {
				return nil, errOther
			}
			return made, nil
		}, files...)
		if !errors.Is(err, errOther) {
			return err
		}
	}
}
