package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
)

// errOther stops a write whose plan was made of a state that is no longer the last one. Nothing was recorded then, and
// the caller makes the plan again or reports it.
var errOther = errors.New("another event was recorded in the meantime")

// after returns the events of f if the last event still has this number: it joins work done without the lock to a write.
// The number is enough, because the log only grows.
func after(seq int64, f func(campaign.Moment) []campaign.Event) func(campaign.Moment) ([]campaign.Event, error) {
	return func(m campaign.Moment) ([]campaign.Event, error) {
		if m.Seq != seq {
			return nil, errOther
		}
		return f(m), nil
	}
}

// revision returns the decision revision of this program: campaign.Revision, but in tests.
func (c *Campaign) revision() int { return cmp.Or(c.opt.Revision, campaign.Revision) }

// checkRevision reports a campaign that was begun by a program which decides otherwise. Results can still be recorded;
// no round is planned.
func (c *Campaign) checkRevision(s *campaign.State) error {
	if s.Revision == c.revision() {
		return nil
	}
	return fmt.Errorf("the campaign uses revision %d of the decisions, but this program has revision %d. gonb-cope campaign "+
		"upgrade %s shows and records the changes", s.Revision, c.revision(), c.dir)
}

// Advance makes the next plan if one is due. The lock is not held while the algorithm plans: if another event is
// recorded meanwhile, the algorithm plans again. If two programs plan at once, one records its plan, and the other finds
// it. It returns at once if nothing is due.
func (c *Campaign) Advance(ctx context.Context) error {
	for {
		m, err := c.fresh(ctx)
		if err != nil || !m.Needed() {
			return err
		}
		if err := c.checkRevision(m.State); err != nil {
			return err
		}
		// without the lock: it may take seconds where the cache does not have it
		run, err := c.cache.replay(ctx, m)
		if err != nil {
			return err
		}
		// the run is of a state with this number, and so the plan is right in the moment of the write
		err = c.write(ctx, after(m.Seq, func(m campaign.Moment) []campaign.Event {
			return []campaign.Event{m.Plan(run, c.opt.build(), c.revision())}
		}))
		if u := (*unrecorded)(nil); errors.As(err, &u) {
			return fmt.Errorf("the next round could not be planned: %w", u.err) // what was recorded before is recorded
		}
		if !errors.Is(err, errOther) {
			return err
		}
	}
}

// fresh returns the campaign with all that was recorded so far. Nobody changes that state: shared makes the next writer replace it, so that
// readers need no lock.
func (c *Campaign) fresh(ctx context.Context) (campaign.Moment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.catchUp(ctx, c.db.db); err != nil {
		return campaign.Moment{}, err
	}
	c.shared = true
	return c.moment(ctx, c.state)
}

// moment returns the campaign now, in a state, under the protocol with the arms that were added by then.
func (c *Campaign) moment(ctx context.Context, s *campaign.State) (campaign.Moment, error) {
	p, err := c.current.of(ctx, c, s)
	return s.Under(p, c.opt.now()), err
}

// own is fresh with a private copy of the state, which the caller may change. It reads, checks and folds all events.
func (c *Campaign) own(ctx context.Context) (campaign.Moment, error) {
	// the chain is checked from its beginning, since nothing of it was taken in before
	list, err := events(ctx, c.db.db, 0)
	if err != nil {
		return campaign.Moment{}, err
	}
	if err := campaign.CheckChain(list); err != nil {
		return campaign.Moment{}, fmt.Errorf("%s: %w (gonb-cope campaign verify says more)", c.dir, err)
	}
	s, err := campaign.Fold(list, c.current.tasks())
	if err != nil {
		return campaign.Moment{}, fmt.Errorf("%s: %w", c.dir, err)
	}
	return c.moment(ctx, s)
}

// Ask returns the pulls to measure: the asker's list if its results are not recorded yet, else further pulls of the open
// round. It is recorded before it is returned. If a cut round waits only for late results, the next one begins; see
// Moment.CloseEarly.
//
// Each of its steps is recorded alone. If a program is killed between two steps, the next request of any person
// continues with the next step.
func (c *Campaign) Ask(ctx context.Context, q campaign.Request) (campaign.List, error) {
	if q.By != "" {
		if err := campaign.CheckName(q.By); err != nil {
			return campaign.List{}, err
		}
	}
	if err := c.Advance(ctx); err != nil {
		return campaign.List{}, err
	}
	// a round that ends here is followed by a plan, before this asker is handed something
	err := c.write(ctx, func(m campaign.Moment) ([]campaign.Event, error) {
		if c.checkRevision(m.State) != nil {
			return nil, nil // what was planned can still be handed out
		}
		return m.CloseEarly(q), nil
	})
	if err != nil {
		return campaign.List{}, err
	}
	if err := c.Advance(ctx); err != nil {
		return campaign.List{}, err
	}
	var list campaign.List
	err = c.write(ctx, func(m campaign.Moment) (made []campaign.Event, err error) {
		// the list is shown only if its event was committed
		list, made, err = m.Ask(q)
		return made, err
	})
	if err == nil {
		c.mu.Lock()
		list.Chain = c.state.Chain()
		c.mu.Unlock()
	}
	return list, err
}

// Do does an act, and returns its outcome once that is on the disk. If a row of a sheet has a fault nothing is recorded,
// and the receipt names it. Nothing is planned here: a caller that wants the next round at once calls Advance
// (Entry.Next).
func (c *Campaign) Do(ctx context.Context, act campaign.Act) (campaign.Done, error) {
	if err := campaign.PrepareAct(ctx, act, c.Protocol()); err != nil {
		return campaign.Done{}, err
	}
	// do may run several times: the events of the last run are the recorded ones
	var done campaign.Done
	do := func(m campaign.Moment) (_ []campaign.Event, err error) {
		done, err = act.Do(ctx, campaign.Doing{Moment: m, Grow: c.grow})
		return done.Events, err
	}
	err := error(nil)
	if _, ok := act.(campaign.Refusable); ok {
		err = c.tried(ctx, do, &done)
	} else {
		err = c.write(ctx, do)
	}
	switch {
	case err != nil:
		return done, err
	// arms were added, and no act with files has a receipt: the protocol is made with them now, so that the next reader need not
	case len(done.Files) > 0:
		if err := c.open(ctx); err != nil {
			return done, err
		}
		c.writeCopies()
	case done.Receipt != nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		// of the state with the results, which may have others' by now
		r := done.Receipt
		r.Round, r.Remaining, r.Over = c.state.Remaining()
		r.Hash, r.Chain = c.state.Hash, c.state.Chain()
	}
	return done, nil
}

// Tell records the results of a sheet; see campaign.Tell.
func (c *Campaign) Tell(ctx context.Context, sheet []byte, opt campaign.TellOptions) (campaign.Receipt, error) {
	return c.receipt(ctx, &campaign.Tell{File: campaign.File{Content: sheet}, TellOptions: opt})
}

// TellOne records the result of one id.
func (c *Campaign) TellOne(ctx context.Context, id string, reward float64, opt campaign.TellOptions) (campaign.Receipt, error) {
	return c.receipt(ctx, &campaign.TellOne{ID: id, Reward: reward, TellOptions: opt})
}

// receipt does an act with a sheet.
func (c *Campaign) receipt(ctx context.Context, act campaign.Act) (campaign.Receipt, error) {
	done, err := c.Do(ctx, act)
	if err != nil || done.Receipt == nil {
		return campaign.Receipt{}, err
	}
	return *done.Receipt, nil
}

// Upgrade lets this program continue with a campaign of one that decides otherwise, and returns the changes; nil if nothing
// was to be done. A dry run records nothing. It replays the campaign without the lock. Its differences of decisions
// belong to one state, so that they are not recorded if the state moved on.
func (c *Campaign) Upgrade(ctx context.Context, by string, dryRun bool) (*campaign.UpgradeBody, error) {
	m, err := c.fresh(ctx)
	if err != nil {
		return nil, err
	}
	changes, made, err := m.Upgrade(ctx, c.revision(), by)
	if err != nil || dryRun || len(made) == 0 {
		return changes, err
	}
	err = c.write(ctx, after(m.Seq, func(campaign.Moment) []campaign.Event { return made }))
	if errors.Is(err, errOther) {
		err = fmt.Errorf("%w: upgrade again", err)
	}
	return changes, err
}

// Status reports the progress of the campaign. It records nothing and waits for no lock; the cache is written if it can
// be.
func (c *Campaign) Status(ctx context.Context) (campaign.Status, error) {
	m, st, err := c.progress(ctx)
	if err == nil {
		err = st.Believe(ctx, m)
	}
	return st, err
}

// progress returns the status without Best, and the state that it is of. Best takes time if there are many arms.
func (c *Campaign) progress(ctx context.Context) (campaign.Moment, campaign.Status, error) {
	m, err := c.fresh(ctx)
	run := (*campaign.Run)(nil)
	if err == nil {
		run, err = c.cache.replay(ctx, m)
	}
	if err != nil {
		return m, campaign.Status{}, err
	}
	st := run.Status(m)
	st.Folder = c.dir
	return m, st, nil
}

// Mine returns the pulls of a person in the open round, with their results, and how many pulls of all people have none.
// It replays nothing, and so is quick.
func (c *Campaign) Mine(ctx context.Context, by string) (campaign.List, int, error) {
	m, err := c.fresh(ctx)
	if err != nil {
		return campaign.List{}, 0, err
	}
	_, remaining, _ := m.Remaining()
	return m.Mine(by), remaining, nil
}

// Preview returns the receipt that Tell would give for a sheet, and records nothing. Other people may record results
// before Tell, and then rows become known or late.
func (c *Campaign) Preview(ctx context.Context, sheet []byte, opt campaign.TellOptions) (campaign.Receipt, error) {
	m, err := c.fresh(ctx)
	if err != nil {
		return campaign.Receipt{}, err
	}
	act := &campaign.Tell{File: campaign.File{Content: sheet}, TellOptions: opt}
	if err := act.Prepare(ctx, m.Protocol); err != nil {
		return campaign.Receipt{}, err
	}
	done, err := act.Do(ctx, campaign.Doing{Moment: m})
	if err != nil {
		return campaign.Receipt{}, err
	}
	// what would be recorded was not
	done.Receipt.Taken = false
	return *done.Receipt, nil
}

// grow makes the protocol with the arms of a file, for an act that adds them. The protocol in use changes only once the
// event is recorded.
func (c *Campaign) grow(ctx context.Context, file campaign.File) (campaign.Protocol, campaign.Growth, error) {
	r, p := c.current.now()
	_, p, g, err := record.Grown(ctx, c.maker, r, p, file)
	return p, g, err
}

// tried records the event that f makes once the algorithm was tried with it, under the protocol that done names: an
// algorithm may refuse.
//
// It works on a state of its own, since the event is folded into it before anybody knows whether it will be recorded. The lock is not held
// meanwhile; what others record in that time makes it begin again. f must return one event at most.
func (c *Campaign) tried(ctx context.Context, f func(campaign.Moment) ([]campaign.Event, error), done *campaign.Done) error {
	for {
		m, err := c.own(ctx)
		if err != nil {
			return err
		}
		// the agent waits for whole rounds, and its algorithm is not here to be changed
		if m.Start.Led != "" {
			return fmt.Errorf("%s belongs to a run of agents (%s), which waits for all pulls of its rounds. So they cannot be changed here", c.dir,
				m.Start.Led)
		}
		// on the state of the moment, and without the lock
		made, err := f(m)
		if err != nil || len(made) == 0 {
			return err
		}
		// its hash is not needed to fold it
		seq, first := m.Seq, made[0]
		first.Seq = seq + 1
		if err := m.Add([]campaign.Event{first}, c.current.tasks()); err != nil {
			return err
		}
		if done.Protocol != nil {
			m.Protocol = *done.Protocol
		}
		if err := m.Try(ctx, &c.cache.memory); err != nil {
			return err
		}
		err = c.write(ctx, after(seq, func(campaign.Moment) []campaign.Event { return made }), done.Files...)
		if !errors.Is(err, errOther) {
			return err
		}
	}
}
