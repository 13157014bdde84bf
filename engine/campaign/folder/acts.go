package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// errOther stops a write whose plan was made of a state that is no longer the last one.
var errOther = errors.New("something was recorded meanwhile")

// revision returns the decision revision of this program.
func (c *Campaign) revision() int { return cmp.Or(c.opt.Revision, campaign.Revision) }

// checkRevision reports a campaign that was begun by a program which decides otherwise.
func (c *Campaign) checkRevision(s *campaign.State) error {
	if s.Revision == c.revision() {
		return nil
	}
	return fmt.Errorf("the campaign goes by revision %d of the decisions, and this program has revision %d: gonb-cope campaign upgrade %s shows what would change, and records it", s.Revision, c.revision(), c.dir)
}

// Advance makes the next plan where one is due. The lock is not held while the algorithm plans: what
// is recorded meanwhile makes it plan again.
func (c *Campaign) Advance(ctx context.Context) error {
	for {
		p, s, err := c.fresh(ctx)
		if err != nil || !s.Needed() {
			return err
		}
		if err := c.checkRevision(s); err != nil {
			return err
		}
		run, err := c.replay(ctx, p, s)
		if err != nil {
			return err
		}
		seq := s.Seq
		err = c.write(ctx, func(p campaign.Protocol, s *campaign.State) ([]campaign.Event, error) {
			if s.Seq != seq {
				return nil, errOther
			}
			return []campaign.Event{s.Plan(p, run, c.opt.now(), c.opt.build(), c.revision())}, nil
		})
		if u := (*unrecorded)(nil); errors.As(err, &u) {
			return fmt.Errorf("the next round could not be planned: %w", u.err) // what was told before is recorded
		}
		if !errors.Is(err, errOther) {
			return err
		}
	}
}

// fresh returns the protocol and the state with all that was recorded so far. Nobody changes that state.
func (c *Campaign) fresh(ctx context.Context) (campaign.Protocol, *campaign.State, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.catchUp(ctx, c.db.db); err != nil {
		return campaign.Protocol{}, nil, err
	}
	c.shared = true
	p, err := c.protocolOf(ctx, c.state)
	return p, c.state, err
}

// own returns the same with a state that the caller may change.
func (c *Campaign) own(ctx context.Context) (campaign.Protocol, *campaign.State, error) {
	list, err := events(ctx, c.db.db, 0)
	if err != nil {
		return campaign.Protocol{}, nil, err
	}
	if err := campaign.CheckChain(list); err != nil {
		return campaign.Protocol{}, nil, fmt.Errorf("%s: %w (gonb-cope campaign verify says more)", c.dir, err)
	}
	s, err := campaign.Fold(list, c.tasksAtStart())
	if err != nil {
		return campaign.Protocol{}, nil, unfit(c.dir, err)
	}
	p, err := c.protocolOf(ctx, s)
	return p, s, err
}

// Ask returns what to measure: the list that the asker has and has not told, else further pulls of
// the open round. It is recorded before it is returned. Where a cut round waits for late results
// alone, the next one begins; see State.CloseEarly.
func (c *Campaign) Ask(ctx context.Context, q campaign.Request) (campaign.List, error) {
	if err := c.Advance(ctx); err != nil {
		return campaign.List{}, err
	}
	err := c.write(ctx, func(p campaign.Protocol, s *campaign.State) ([]campaign.Event, error) {
		if c.checkRevision(s) != nil {
			return nil, nil // what was planned can still be handed out
		}
		return s.CloseEarly(p, q, c.opt.now()), nil
	})
	if err != nil {
		return campaign.List{}, err
	}
	if err := c.Advance(ctx); err != nil {
		return campaign.List{}, err
	}
	var list campaign.List
	err = c.write(ctx, func(p campaign.Protocol, s *campaign.State) (made []campaign.Event, err error) {
		list, made, err = s.Ask(p, q, c.opt.now())
		return made, err
	})
	if err == nil {
		c.mu.Lock()
		list.Chain = c.state.Chain()
		c.mu.Unlock()
	}
	return list, err
}

// Tell records the results of a sheet. The receipt is returned once they are on the disk; where
// something is wrong with a row nothing is recorded, and the receipt says what.
func (c *Campaign) Tell(ctx context.Context, sheet []byte, opt campaign.TellOptions) (campaign.Receipt, error) {
	results, err := campaign.ReadResults(c.Protocol(), sheet, opt.Sheet, campaign.KindTell)
	if err != nil {
		return campaign.Receipt{}, err
	}
	return c.tell(ctx, func(p campaign.Protocol, s *campaign.State) (campaign.Receipt, []campaign.Event, error) {
		return s.Tell(ctx, p, results, opt, c.opt.now())
	})
}

// TellOne records the result of one id.
func (c *Campaign) TellOne(ctx context.Context, id string, reward float64, opt campaign.TellOptions) (campaign.Receipt, error) {
	return c.tell(ctx, func(p campaign.Protocol, s *campaign.State) (campaign.Receipt, []campaign.Event, error) {
		r, made := s.TellOne(p, id, reward, opt, c.opt.now())
		return r, made, nil
	})
}

// Attach records measurements that were made before the campaign, or elsewhere.
func (c *Campaign) Attach(ctx context.Context, sheet []byte, opt campaign.TellOptions) (campaign.Receipt, error) {
	results, err := campaign.ReadResults(c.Protocol(), sheet, opt.Sheet, campaign.KindAttach)
	if err != nil {
		return campaign.Receipt{}, err
	}
	return c.tell(ctx, func(p campaign.Protocol, s *campaign.State) (campaign.Receipt, []campaign.Event, error) {
		return s.Attach(ctx, p, results, opt, c.opt.now())
	})
}

func (c *Campaign) tell(ctx context.Context, f func(campaign.Protocol, *campaign.State) (campaign.Receipt, []campaign.Event, error)) (campaign.Receipt, error) {
	var r campaign.Receipt
	err := c.write(ctx, func(p campaign.Protocol, s *campaign.State) (made []campaign.Event, err error) {
		r, made, err = f(p, s)
		return made, err
	})
	if err != nil {
		return campaign.Receipt{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r.Round, r.Left, r.Over = c.state.Left()
	r.Hash, r.Chain = c.state.Hash, c.state.Chain()
	return r, nil
}

// Fail gives pulls back that were not measured; they are handed out again.
func (c *Campaign) Fail(ctx context.Context, ids []string, reason, by string) error {
	return c.write(ctx, func(p campaign.Protocol, s *campaign.State) ([]campaign.Event, error) {
		return s.Fail(p, ids, reason, by, c.opt.now())
	})
}

// Correct replaces the result of an id.
func (c *Campaign) Correct(ctx context.Context, id string, reward float64, reason, by string) error {
	return c.write(ctx, func(p campaign.Protocol, s *campaign.State) ([]campaign.Event, error) {
		return s.Correct(id, reward, reason, by, c.opt.now())
	})
}

// CloseRound ends the open round with what came. Without a reason it only says what that would do. It
// is an error where the algorithm takes rounds only as it planned them, and where nobody was handed a
// pull of the round: whoever closes twice means the round before. CloseOnce takes the number of a round.
func (c *Campaign) CloseRound(ctx context.Context, reason, by string) (campaign.Closing, error) {
	var out campaign.Closing
	err := c.tried(ctx, func(p campaign.Protocol, s *campaign.State) (made []campaign.Event, _ campaign.Protocol, err error) {
		if out, made, err = s.Close(p, reason, by, c.opt.now()); err == nil && s.Untouched() {
			made, err = nil, fmt.Errorf("nobody was handed a pull of round %d yet, so that there is nothing to close (--round %[1]d closes it all the same)", out.Round)
		}
		return made, p, err
	})
	return out, err
}

// Note records words for the report.
func (c *Campaign) Note(ctx context.Context, text, by string) error {
	return c.write(ctx, func(p campaign.Protocol, s *campaign.State) ([]campaign.Event, error) {
		return s.Note(text, by, c.opt.now())
	})
}

// Upgrade lets this program go on with a campaign of one that decides otherwise, and returns what
// changes; nil where nothing was to be done. With look it records nothing.
func (c *Campaign) Upgrade(ctx context.Context, by string, look bool) (*campaign.Upgrading, error) {
	p, s, err := c.fresh(ctx)
	if err != nil {
		return nil, err
	}
	changes, made, err := s.Upgrade(ctx, p, c.revision(), by, c.opt.now())
	if err != nil || look || len(made) == 0 {
		return changes, err
	}
	return changes, c.write(ctx, func(_ campaign.Protocol, now *campaign.State) ([]campaign.Event, error) {
		if now.Seq != s.Seq {
			return nil, errors.New("something was recorded meanwhile: upgrade again")
		}
		return made, nil
	})
}

// Status says how far the campaign is. It writes nothing and waits for nobody.
func (c *Campaign) Status(ctx context.Context) (campaign.Status, error) {
	p, s, st, err := c.progress(ctx)
	if err != nil {
		return campaign.Status{}, err
	}
	return st, st.Believe(ctx, s, p)
}

// Progress returns the Status without Best, which takes time where there are many arms.
func (c *Campaign) Progress(ctx context.Context) (campaign.Status, error) {
	_, _, st, err := c.progress(ctx)
	return st, err
}

func (c *Campaign) progress(ctx context.Context) (campaign.Protocol, *campaign.State, campaign.Status, error) {
	p, s, err := c.fresh(ctx)
	if err != nil {
		return p, s, campaign.Status{}, err
	}
	run, err := c.replay(ctx, p, s)
	if err != nil {
		return p, s, campaign.Status{}, err
	}
	st := s.Status(p, run, c.opt.now())
	st.Folder = c.dir
	return p, s, st, nil
}

// Mine returns what somebody was handed in the open round, with his results, and how many pulls of all
// people have none.
func (c *Campaign) Mine(ctx context.Context, by string) (campaign.List, int, error) {
	p, s, err := c.fresh(ctx)
	if err != nil {
		return campaign.List{}, 0, err
	}
	_, left, _ := s.Left()
	return s.Mine(p, by), left, nil
}

// Preview says what Tell would do with a sheet, and records nothing.
func (c *Campaign) Preview(ctx context.Context, sheet []byte, opt campaign.TellOptions) (campaign.Receipt, error) {
	p, s, err := c.fresh(ctx)
	if err != nil {
		return campaign.Receipt{}, err
	}
	results, err := campaign.ReadResults(p, sheet, opt.Sheet, campaign.KindTell)
	if err != nil {
		return campaign.Receipt{}, err
	}
	r, _, err := s.Tell(ctx, p, results, opt, c.opt.now())
	r.Taken = false
	return r, err
}
