package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// errOther is returned by a write if another event was recorded after the state on which its events are based. Nothing was
// recorded; the caller tries again or reports it.
var errOther = errors.New("another event was recorded in the meantime")

// after returns a function for Campaign.write that returns the events of f. If the last event no longer has the number
// seq, it returns errOther instead. It connects slow work without the lock to a write. Comparing the number is enough,
// because the log only grows.
func after(seq int64, f func(campaign.Moment) []campaign.Event) func(campaign.Moment) ([]campaign.Event, error) {
	return func(m campaign.Moment) ([]campaign.Event, error) {
		if m.Seq != seq {
			return nil, errOther
		}
		return f(m), nil
	}
}

// revision returns the revision of this program: campaign.Revision, except in tests.
func (c *Campaign) revision() int { return cmp.Or(c.opt.Revision, campaign.Revision) }

// checkRevision returns an error if the campaign uses another revision than this program. Results can still be recorded,
// but no round is planned.
func (c *Campaign) checkRevision(s *campaign.State) error {
	if s.Revision == c.revision() {
		return nil
	}
	return fmt.Errorf("the campaign uses revision %d of the decisions, but this program has revision %d. gonb-cope campaign "+
		"upgrade %s shows and records the changes", s.Revision, c.revision(), c.dir)
}

// Advance makes the next plan if one is due. The algorithm plans without the lock: if another event is recorded meanwhile,
// it plans again. If two programs plan at once, one records its plan, and the other uses it.
func (c *Campaign) Advance(ctx context.Context) (err error) {
	defer try.Caught(&err)
	for {
		m, err := c.fresh(ctx)
		if err != nil || !m.Needed() {
			return err
		}
		try.To(c.checkRevision(m.State))
		// without the lock, because it may take seconds if the cache does not have the run
		run := try.Of(c.cache.replay(ctx, m))
		// after ensures that the plan is recorded only on the state that was replayed
		err = c.write(ctx, after(m.Seq, func(m campaign.Moment) []campaign.Event {
			return []campaign.Event{m.Plan(run, c.opt.build(), c.revision())}
		}))
		if u := (*unrecorded)(nil); errors.As(err, &u) {
			return fmt.Errorf("the next round could not be planned: %w", u.err) // the events recorded earlier remain
		}
		if !errors.Is(err, errOther) {
			return err
		}
	}
}

// fresh returns the campaign with all events recorded so far. The state in it never changes, and so readers need no lock:
// shared makes the next writer use a new state.
func (c *Campaign) fresh(ctx context.Context) (campaign.Moment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.catchUp(ctx, c.db.db); err != nil {
		return campaign.Moment{}, err
	}
	c.shared = true
	return c.moment(ctx, c.state)
}

// moment returns the campaign in the given state at the present time, with the protocol that includes added arms.
func (c *Campaign) moment(ctx context.Context, s *campaign.State) (campaign.Moment, error) {
	p, err := c.current.of(ctx, c, s)
	return s.Under(p, c.opt.now()), err
}

// own is like fresh, but returns a private copy of the state, which the caller may change. It reads, checks and folds all
// events.
func (c *Campaign) own(ctx context.Context) (campaign.Moment, error) {
	// the chain is checked from the first event
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

// Ask returns the pulls to measure: the asker's present list if its results are not recorded yet, otherwise further pulls
// of the open round. The list is recorded before Ask returns it. If a cut round only waits for late results, the next
// round begins (see Moment.CloseEarly).
//
// Each step is recorded separately. If the program is killed between two steps, the next request of any person continues
// with the next step.
func (c *Campaign) Ask(ctx context.Context, q campaign.Request) (_ campaign.List, err error) {
	defer try.Caught(&err)
	if q.By != "" {
		try.To(campaign.CheckName(q.By))
	}
	try.To(c.Advance(ctx))
	// if CloseEarly ends the round, the next one is planned before the asker gets pulls
	err = c.write(ctx, func(m campaign.Moment) ([]campaign.Event, error) {
		if c.checkRevision(m.State) != nil {
			return nil, nil // planned pulls can still be handed out
		}
		return m.CloseEarly(q), nil
	})
	if err != nil {
		return campaign.List{}, err
	}
	try.To(c.Advance(ctx))
	var list campaign.List
	err = c.write(ctx, func(m campaign.Moment) (made []campaign.Event, err error) {
		// the caller sees the list only if its event was committed
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

// Do executes an act, and returns its result after it is on disk. If a row of a sheet has a fault, nothing is recorded,
// and the receipt names the fault. Do plans no round: a caller that wants the next round calls Advance (see Entry.Next).
func (c *Campaign) Do(ctx context.Context, act campaign.Act) (campaign.Done, error) {
	if err := campaign.PrepareAct(ctx, act, c.Protocol()); err != nil {
		return campaign.Done{}, err
	}
	// do may run several times: the events of the last run are recorded
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
	// arms were added (acts with files have no receipt); the protocol is made now, so that the next reader does not have
	// to
	case len(done.Files) > 0:
		if err := c.open(ctx); err != nil {
			return done, err
		}
		c.writeCopies()
	case done.Receipt != nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		// the state with these results; others may have recorded more since
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

// receipt executes an act with a sheet, and returns its receipt.
func (c *Campaign) receipt(ctx context.Context, act campaign.Act) (campaign.Receipt, error) {
	done, err := c.Do(ctx, act)
	if err != nil || done.Receipt == nil {
		return campaign.Receipt{}, err
	}
	return *done.Receipt, nil
}

// Upgrade lets this program continue a campaign of another revision. It returns the changes of decisions, or nil if the
// revision is the same. With dryRun it records nothing. It replays the campaign without the lock. If another event is
// recorded meanwhile, Upgrade returns an error, because the changes are valid for one state only.
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

// Status returns the progress of the campaign. It records nothing and waits for no lock. It writes the cache if possible.
func (c *Campaign) Status(ctx context.Context) (campaign.Status, error) {
	m, st, err := c.progress(ctx)
	if err == nil {
		err = st.Believe(ctx, m)
	}
	return st, err
}

// progress returns the status without Best, and its state. Best takes long if there are many arms.
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

// Mine returns a person's pulls in the open round with their results, and the number of pulls of all people without a
// result. It needs no replay, and so is fast.
func (c *Campaign) Mine(ctx context.Context, by string) (campaign.List, int, error) {
	m, err := c.fresh(ctx)
	if err != nil {
		return campaign.List{}, 0, err
	}
	_, remaining, _ := m.Remaining()
	return m.Mine(by), remaining, nil
}

// Preview returns the receipt that Tell would give for a sheet, and records nothing. If other people record results before
// Tell, rows may become known or late.
func (c *Campaign) Preview(ctx context.Context, sheet []byte, opt campaign.TellOptions) (_ campaign.Receipt, err error) {
	defer try.Caught(&err)
	m := try.Of(c.fresh(ctx))
	act := &campaign.Tell{File: campaign.File{Content: sheet}, TellOptions: opt}
	try.To(act.Prepare(ctx, m.Protocol))
	done := try.Of(act.Do(ctx, campaign.Doing{Moment: m}))
	// nothing was recorded
	done.Receipt.Taken = false
	return *done.Receipt, nil
}

// grow returns the protocol with the arms of a file, for an act that adds them. The current protocol changes only after
// the event is recorded.
func (c *Campaign) grow(ctx context.Context, file campaign.File) (campaign.Protocol, campaign.Growth, error) {
	r, p := c.current.now()
	_, p, g, err := record.Grown(ctx, c.maker, r, p, file)
	return p, g, err
}

// tried records the event that f makes, if the algorithm accepts it. f must return at most one event. done is the result
// of the act, whose Protocol replaces the present one.
//
// tried works on a private state, because the event is folded before it is known whether the algorithm accepts it. It does
// not hold the lock meanwhile: if others record events, it starts again.
func (c *Campaign) tried(ctx context.Context, f func(campaign.Moment) ([]campaign.Event, error), done *campaign.Done) (err error) {
	defer try.Caught(&err)
	for {
		m := try.Of(c.own(ctx))
		// the agent waits for whole rounds, and its algorithm runs elsewhere
		if m.Start.Led != "" {
			return fmt.Errorf("%s belongs to a run of agents (%s), which waits for all pulls of its rounds. So they cannot be changed here", c.dir,
				m.Start.Led)
		}
		// f sees the present state, without the lock
		made, err := f(m)
		if err != nil || len(made) == 0 {
			return err
		}
		// folding does not need its hash
		seq, first := m.Seq, made[0]
		first.Seq = seq + 1
		try.To(m.Add([]campaign.Event{first}, c.current.tasks()))
		if done.Protocol != nil {
			m.Protocol = *done.Protocol
		}
		try.To(m.Try(ctx, &c.cache.memory))
		err = c.write(ctx, after(seq, func(campaign.Moment) []campaign.Event { return made }), done.Files...)
		if !errors.Is(err, errOther) {
			return err
		}
	}
}
