package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Campaign is a campaign in memory; its Record is always complete. It implements campaign.Kept. It is not safe for
// concurrent use.
type Campaign struct {
	Record   Record
	maker    Maker
	build    string // build of the program, for the report
	recipe   question.Recipe
	protocol campaign.Protocol
	state    *campaign.State
	memory   model.Memory
	run      *campaign.Run // replay up to event ranAt; nil before the first replay
	ranAt    int64
}

// Start begins a campaign. It calls notice with a sentence if the measurements of the table were not attached.
func Start(ctx context.Context, r question.Recipe, p campaign.Protocol, maker Maker, build string, notice func(string)) (*Campaign, error) {
	if err := Check(ctx, maker, r, p); err != nil {
		return nil, err
	}
	p.Seed = cmp.Or(p.Seed, rand.Uint64()>>11) // 53 bits, as in package folder
	start := campaign.StartBody{Revision: campaign.Revision, Build: build}
	events, files, err := Begin(ctx, p, r, start, time.Now())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		notice(err.Error())
	}
	c := &Campaign{maker: maker, build: build, recipe: r, protocol: p, Record: Record{Files: map[string][]byte{}}}
	return c, c.add(ctx, events, files, nil)
}

// Open continues the campaign of a record.
func Open(ctx context.Context, r Record, maker Maker, build string) (_ *Campaign, err error) {
	defer try.Caught(&err)
	start, recipe := try.Two(Recipe(r.Events[0], r.File))
	p := try.Of(Remake(ctx, maker, start, recipe))
	c := &Campaign{maker: maker, build: build, recipe: recipe, protocol: p, Record: r}
	c.state = try.Of(campaign.Fold(r.Events, p.Problem.TaskOf))
	c.recipe, c.protocol, err = Follow(ctx, maker, recipe, p, c.state, r.File)
	return c, err
}

// add records events and files. It records nothing if the events cannot be folded, or if check, which may be nil, returns an
// error for the state with them.
func (c *Campaign) add(ctx context.Context, events []campaign.Event, files []campaign.File, check func(campaign.Moment) error) (err error) {
	defer try.Caught(&err)
	if len(events) == 0 {
		return nil
	}
	all, hash := c.Record.Events, ""
	if n := len(all); n > 0 {
		hash = all[n-1].Hash
	}
	for _, e := range events {
		e.Seq = int64(len(all)) + 1
		e = e.Sealed(hash)
		all, hash = append(all, e), e.Hash
	}
	s := try.Of(campaign.Fold(all, c.protocol.AtStart().Problem.TaskOf))
	if check != nil {
		try.To(check(s.Under(c.protocol, time.Now())))
	}
	for _, f := range files {
		c.Record.Files[f.SHA256] = f.Content
	}
	c.recipe, c.protocol = try.Two(Follow(ctx, c.maker, c.recipe, c.protocol, s, c.Record.File))
	c.Record.Events, c.state = all, s
	return nil
}

func (c *Campaign) now() campaign.Moment { return c.state.Under(c.protocol, time.Now()) }

// replay returns the run of the algorithm on all events. It keeps the run until the next event.
func (c *Campaign) replay(ctx context.Context) (run *campaign.Run, err error) {
	if c.run == nil || c.ranAt != c.state.Seq {
		if run, err = c.now().Replay(ctx, &c.memory); err != nil {
			return nil, err
		}
		c.run, c.ranAt = run, c.state.Seq
	}
	return c.run, nil
}

// Protocol implements campaign.Kept.
func (c *Campaign) Protocol() campaign.Protocol { return c.protocol }

// Recipe returns the script, its data, and added rows.
func (c *Campaign) Recipe() question.Recipe { return c.recipe }

// Close implements campaign.Kept. It does nothing.
func (c *Campaign) Close() error { return nil }

// Status implements campaign.Kept.
func (c *Campaign) Status(ctx context.Context) (campaign.Status, error) {
	run, err := c.replay(ctx)
	if err != nil {
		return campaign.Status{}, err
	}
	st := run.Status(c.now())
	return st, st.Believe(ctx, c.now())
}

// Advance implements campaign.Kept.
func (c *Campaign) Advance(ctx context.Context) error {
	if !c.state.Needed() {
		return nil
	}
	if c.state.Revision != campaign.Revision {
		return fmt.Errorf("the campaign uses revision %d of the decisions, but this program has revision %d. Import it into a folder; "+
			"gonb-cope campaign upgrade shows and records the changes", c.state.Revision, campaign.Revision)
	}
	run, err := c.replay(ctx)
	if err != nil {
		return err
	}
	return c.add(ctx, []campaign.Event{c.now().Plan(run, c.build, campaign.Revision)}, nil, nil)
}

// Ask implements campaign.Kept.
func (c *Campaign) Ask(ctx context.Context, q campaign.Request) (list campaign.List, err error) {
	defer try.Caught(&err)
	if q.By != "" {
		try.To(campaign.CheckName(q.By))
	}
	try.To(c.Advance(ctx))
	if c.state.Revision == campaign.Revision { // if the round ends here, the next plan follows
		try.To(errors.Join(c.add(ctx, c.now().CloseEarly(q), nil, nil), c.Advance(ctx)))
	}
	list, made, err := c.now().Ask(q)
	if err == nil {
		err = c.add(ctx, made, nil, nil)
	}
	list.Chain = c.state.Chain()
	return list, err
}

// Do implements campaign.Kept.
func (c *Campaign) Do(ctx context.Context, act campaign.Act) (campaign.Done, error) {
	if err := campaign.PrepareAct(ctx, act, c.protocol); err != nil {
		return campaign.Done{}, err
	}
	done, err := act.Do(ctx, campaign.Doing{Moment: c.now(), Grow: func(ctx context.Context, f campaign.File) (campaign.Protocol,
		campaign.Growth, error) {
		_, p, g, err := Grown(ctx, c.maker, c.recipe, c.protocol, f)
		return p, g, err
	}})
	if err != nil {
		return done, err
	}
	try := (func(campaign.Moment) error)(nil)
	if _, refusable := act.(campaign.Refusable); refusable {
		try = func(m campaign.Moment) error {
			if m.Start.Led != "" {
				return fmt.Errorf("the campaign belongs to a run of agents (%s), which waits for all pulls of its rounds. So they cannot be changed "+
					"here", m.Start.Led)
			}
			if done.Protocol != nil {
				m.Protocol = *done.Protocol
			}
			return m.Try(ctx, &c.memory)
		}
	}
	if err := c.add(ctx, done.Events, done.Files, try); err != nil {
		return done, err
	}
	if r := done.Receipt; r != nil {
		r.Round, r.Remaining, r.Over = c.state.Remaining()
		r.Hash, r.Chain = c.state.Hash, c.state.Chain()
	}
	return done, nil
}
