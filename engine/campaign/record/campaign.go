package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Store stores the events and the files of one campaign. Record is a Store in memory; engine/campaign/folder has one on
// disk.
type Store interface {
	// String returns the place of the campaign, for messages.
	String() string
	// After returns the events with numbers above seq, in order. It does not check hashes.
	After(ctx context.Context, seq int64) ([]campaign.Event, error)
	// File returns the recorded file with a hash.
	File(ctx context.Context, hash string) ([]byte, error)
	// Lock excludes other writers until release is called.
	Lock(ctx context.Context) (release func(), err error)
	// Append records sealed events and files: all of them or none. The caller holds the lock. When it returns nil, they are
	// on disk, if the store has one. If the store fails, the error is an *UnrecordedError.
	Append(ctx context.Context, events []campaign.Event, files []campaign.File) error
	// Replay returns the algorithm's run on the state of m. The store may keep runs.
	Replay(ctx context.Context, m campaign.Moment, memory *model.Memory) (*campaign.Run, error)
	// Close closes the store. Recorded events remain.
	Close() error
}

// Options state how a campaign is opened. The zero value suits programs for people.
type Options struct {
	Now          func() time.Time // nil for the system clock
	Build        string           // build of the program, for the report
	Revision     int              // 0 means campaign.Revision; tests use others to simulate later programs
	Led          string           // description of the run of agents that plans the rounds; "" without one
	AllowNetwork bool             // permit a folder on a network file system
	Notice       func(string)     // receives sentences about harmless irregularities; may be nil
}

// Say calls Notice if it is not nil.
func (o Options) Say(text string) {
	if o.Notice != nil {
		o.Notice(text)
	}
}

// Time returns the present time.
func (o Options) Time() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

// Program returns the build and the system of the program. Floating-point rounding may differ between systems.
func (o Options) Program() string {
	return cmp.Or(o.Build, "unknown") + " " + runtime.GOOS + "/" + runtime.GOARCH
}

// Decides returns the revision of this program: campaign.Revision, except in tests.
func (o Options) Decides() int { return cmp.Or(o.Revision, campaign.Revision) }

// UnrecordedError wraps an error of the store that prevented recording. Acts that are refused return other errors, which
// state what to do.
type UnrecordedError struct{ Err error }

func (u *UnrecordedError) Error() string { return "nothing was recorded: " + u.Err.Error() }

func (u *UnrecordedError) Unwrap() error { return u.Err }

// Campaign is an open campaign in a Store. It implements campaign.Kept. It is safe for concurrent use by goroutines, and
// by processes, if its store is.
//
// Locks are acquired in this order: mu, the lock of the store, and the lock of current. Readers hold mu while events are
// read, and use the state after they release mu.
type Campaign struct {
	store   Store
	opt     Options
	maker   Maker           // for the script language
	current currentProtocol // has its own lock
	memory  model.Memory    // solutions shared by several replays

	// mu protects the three fields below.
	mu     sync.Mutex
	state  *campaign.State
	shared bool // a reader uses the state: it must be replaced, not changed
	stale  bool // the state may contain events that were not recorded: it must be replaced
}

// Start begins a campaign in the store that create makes with its first events. p is the protocol with its forecast, and r
// the recipe from which p was made. Start returns an error if maker makes another problem from r: the campaign could not
// be opened again. It calls Options.Notice if the measurements of the table were not attached.
func Start(ctx context.Context, r question.Recipe, p campaign.Protocol, maker Maker, opt Options,
	create func([]campaign.Event, []campaign.File) (Store, error)) (_ *Campaign, err error) {
	defer try.Caught(&err)
	try.To(Check(ctx, maker, r, p))
	// 53 bits, so that programs with float64 numbers read it exactly
	p.Seed = cmp.Or(p.Seed, rand.Uint64()>>11) // the script may state the seed
	events, files, err := Begin(ctx, p, r, campaign.StartBody{Revision: opt.Decides(), Build: opt.Program(), Led: opt.Led}, opt.Time())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		opt.Say(err.Error())
	}
	c := &Campaign{maker: maker, opt: opt, state: campaign.NewState(), current: currentProtocol{recipe: r, protocol: p}}
	c.store = try.Of(create(campaign.Seal(events, 0, ""), files))
	return c, c.open(ctx)
}

// Open opens the campaign of a store. It evaluates the recorded script and folds all events.
func Open(ctx context.Context, store Store, maker Maker, opt Options) (_ *Campaign, err error) {
	defer try.Caught(&err)
	c := &Campaign{store: store, maker: maker, opt: opt, state: campaign.NewState()}
	list := try.Of(store.After(ctx, 0))
	// checked first: a changed start would name other files
	start, r, err := Recipe(ctx, list, store)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", store, err)
	}
	// the protocol of the start; of adds later arms
	c.current.recipe, c.current.protocol = r, try.Of(Remake(ctx, maker, start, r))
	try.To(c.take(ctx, list))
	_, err = c.current.of(ctx, c, c.state)
	return c, err
}

// open folds the recorded events, and makes the protocol with all added arms. It may be called again.
func (c *Campaign) open(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.catchUp(ctx); err != nil {
		return err
	}
	_, err := c.current.of(ctx, c, c.state)
	return err
}

// catchUp folds the events that others recorded. The caller holds mu.
func (c *Campaign) catchUp(ctx context.Context) error {
	if c.stale {
		c.state, c.shared, c.stale = campaign.NewState(), false, false
	}
	// a new state has Seq 0, so that all events are read
	list, err := c.store.After(ctx, c.state.Seq)
	if err != nil {
		return err
	}
	return c.take(ctx, list)
}

// take folds events that follow the last folded one. The caller holds mu. A state with readers is never modified: a new
// state is built from all recorded events. Without readers, the state grows in place, because folding thousands of events
// for each act would take long.
func (c *Campaign) take(ctx context.Context, list []campaign.Event) (err error) {
	defer try.Caught(&err)
	if c.shared && len(list) > 0 {
		before := try.Of(c.store.After(ctx, 0))
		c.state, c.shared, list = campaign.NewState(), false, slices.Concat(before[:min(len(before), int(list[0].Seq)-1)], list)
	}
	// events of another program are checked before they are folded
	if err := campaign.CheckChainAfter(list, c.state.Seq, c.state.Hash); err != nil {
		return fmt.Errorf("%s: %w (gonb-cope campaign verify says more)", c.store, err)
	}
	if err := c.state.Add(list, c.current.tasks()); err != nil {
		// it is partly changed
		c.stale = true
		return fmt.Errorf("%s: %w", c.store, err)
	}
	return nil
}

// Write acquires the lock and records the events that f returns for the present state, and the files: all of them or
// none. Events that cannot be folded are not recorded. When Write returns nil, the store has everything.
//
// f is called at most once, with a state that includes all recorded events. It must not acquire mu, and so must not call
// methods of c that read events. It must be fast: slow work is done before, and is repeated if another event was recorded
// meanwhile (after). An error of f is returned unchanged, and nothing is recorded.
func (c *Campaign) Write(ctx context.Context, f func(campaign.Moment) ([]campaign.Event, error), files ...campaign.File) (err error) {
	defer try.Caught(&err)
	try.To(c.open(ctx)) // slow work, done before the lock is held
	c.mu.Lock()
	defer c.mu.Unlock()
	release := try.Of(c.store.Lock(ctx))
	defer release()
	try.To(c.catchUp(ctx))
	list, err := f(try.Of(c.moment(ctx, c.state)))
	if err != nil || len(list) == 0 {
		return err
	}
	list = campaign.Seal(list, c.state.Seq, c.state.Hash)
	// only events that can be folded are recorded; otherwise no program could open the campaign again
	if err := c.take(ctx, list); err != nil {
		return &UnrecordedError{fmt.Errorf("it could not be read again: %w", cmp.Or(errors.Unwrap(err), err))} // without its place
	}
	err = c.store.Append(ctx, list, files)
	c.stale = err != nil // the state has the events, but the store does not
	return err
}

// errOther is returned by Write if another event was recorded after the state on which its events are based. Nothing was
// recorded; the caller tries again or reports it.
var errOther = errors.New("another event was recorded in the meantime")

// after returns a function for Campaign.Write that returns the events of f. If the last event no longer has the number
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

// Moment returns the campaign with all events recorded so far. The state in it never changes, and so readers need no lock:
// shared makes the next writer use a new state.
func (c *Campaign) Moment(ctx context.Context) (campaign.Moment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.catchUp(ctx); err != nil {
		return campaign.Moment{}, err
	}
	c.shared = true
	return c.moment(ctx, c.state)
}

// moment returns the campaign in the given state at the present time, with the protocol that includes added arms.
func (c *Campaign) moment(ctx context.Context, s *campaign.State) (campaign.Moment, error) {
	p, err := c.current.of(ctx, c, s)
	return s.Under(p, c.opt.Time()), err
}

// own is like Moment, but returns a private copy of the state, which the caller may change. It reads, checks and folds all
// events.
func (c *Campaign) own(ctx context.Context) (_ campaign.Moment, err error) {
	defer try.Caught(&err)
	d := &Campaign{store: c.store, maker: c.maker, opt: c.opt, state: campaign.NewState()}
	d.current.recipe, d.current.protocol = c.current.now()
	try.To(d.catchUp(ctx))
	return d.moment(ctx, d.state)
}

// checkRevision returns an error if the campaign uses another revision than this program. Results can still be recorded,
// but no round is planned.
func (c *Campaign) checkRevision(s *campaign.State) error {
	if s.Revision == c.opt.Decides() {
		return nil
	}
	return fmt.Errorf("the campaign uses revision %d of the decisions, but this program has revision %d. gonb-cope campaign "+
		"upgrade %s shows and records the changes", s.Revision, c.opt.Decides(), c.store)
}

// Advance makes the next plan if one is due. The algorithm plans without the lock: if another event is recorded meanwhile,
// it plans again. If two programs plan at once, one records its plan, and the other uses it.
func (c *Campaign) Advance(ctx context.Context) (err error) {
	defer try.Caught(&err)
	for {
		m, err := c.Moment(ctx)
		if err != nil || !m.Needed() {
			return err
		}
		try.To(c.checkRevision(m.State))
		// without the lock, because it may take seconds if the store does not have the run
		run := try.Of(c.store.Replay(ctx, m, &c.memory))
		// after ensures that the plan is recorded only on the state that was replayed
		err = c.Write(ctx, after(m.Seq, func(m campaign.Moment) []campaign.Event {
			return []campaign.Event{m.Plan(run, c.opt.Program(), c.opt.Decides())}
		}))
		if u := (*UnrecordedError)(nil); errors.As(err, &u) {
			return fmt.Errorf("the next round could not be planned: %w", u.Err) // the events recorded earlier remain
		}
		if !errors.Is(err, errOther) {
			return err
		}
	}
}

// Ask returns the pulls to measure: the asker's present list if its results are not recorded yet, otherwise further pulls
// of the open round. The list is recorded before Ask returns it. If a cut round only waits for late results, the next
// round begins (see Moment.CloseEarly).
//
// Each step is recorded separately. If the program is killed between two steps, the next request of any person continues
// with the next step.
func (c *Campaign) Ask(ctx context.Context, q campaign.Request) (list campaign.List, err error) {
	defer try.Caught(&err)
	if q.By != "" {
		try.To(campaign.CheckName(q.By))
	}
	try.To(c.Advance(ctx))
	// if CloseEarly ends the round, the next one is planned before the asker gets pulls
	try.To(c.Write(ctx, func(m campaign.Moment) ([]campaign.Event, error) {
		if c.checkRevision(m.State) != nil {
			return nil, nil // planned pulls can still be handed out
		}
		return m.CloseEarly(q), nil
	}))
	try.To(c.Advance(ctx))
	err = c.Write(ctx, func(m campaign.Moment) (made []campaign.Event, err error) {
		// the caller sees the list only if its event was recorded
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

// Do executes an act, and returns its result after it is recorded. If a row of a sheet has a fault, nothing is recorded,
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
		err = c.Write(ctx, do)
	}
	switch {
	case err != nil:
		return done, err
	// arms were added (acts with files have no receipt); the protocol is made now, so that the next reader does not have
	// to
	case len(done.Files) > 0:
		return done, c.open(ctx)
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

// Upgrade lets this program continue a campaign of another revision. It returns the changes of decisions, or nil if the
// revision is the same. With dryRun it records nothing. It replays the campaign without the lock. If another event is
// recorded meanwhile, Upgrade returns an error, because the changes are valid for one state only.
func (c *Campaign) Upgrade(ctx context.Context, by string, dryRun bool) (*campaign.UpgradeBody, error) {
	m, err := c.Moment(ctx)
	if err != nil {
		return nil, err
	}
	changes, made, err := m.Upgrade(ctx, c.opt.Decides(), by)
	if err != nil || dryRun || len(made) == 0 {
		return changes, err
	}
	err = c.Write(ctx, after(m.Seq, func(campaign.Moment) []campaign.Event { return made }))
	if errors.Is(err, errOther) {
		err = fmt.Errorf("%w: upgrade again", err)
	}
	return changes, err
}

// Status returns the progress of the campaign. It records nothing and waits for no lock.
func (c *Campaign) Status(ctx context.Context) (_ campaign.Status, err error) {
	defer try.Caught(&err)
	m := try.Of(c.Moment(ctx))
	st := try.Of(c.store.Replay(ctx, m, &c.memory)).Status(m)
	st.Folder = c.store.String()
	return st, st.Believe(ctx, m)
}

// grow returns the protocol with the arms of a file, for an act that adds them. The current protocol changes only after
// the event is recorded.
func (c *Campaign) grow(ctx context.Context, file campaign.File) (campaign.Protocol, campaign.Growth, error) {
	r, p := c.current.now()
	_, p, g, err := Grown(ctx, c.maker, r, p, file)
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
			return fmt.Errorf("%s belongs to a run of agents (%s), which waits for all pulls of its rounds. So they cannot be changed here",
				c.store, m.Start.Led)
		}
		// f sees the present state, without the lock
		made, err := f(m)
		if err != nil || len(made) == 0 {
			return err
		}
		seq := m.Seq
		try.To(m.Add(campaign.Seal(made, m.Seq, m.Hash), nil))
		if done.Protocol != nil {
			m.Protocol = *done.Protocol
		}
		try.To(m.Try(ctx, &c.memory))
		err = c.Write(ctx, after(seq, func(campaign.Moment) []campaign.Event { return made }), done.Files...)
		if !errors.Is(err, errOther) {
			return err
		}
	}
}

// Close implements campaign.Kept. It closes the store.
func (c *Campaign) Close() error { return c.store.Close() }

// Protocol returns the protocol with the added arms known so far; its AtStart is the protocol of the start. It does not read the
// store: others may have added further arms.
func (c *Campaign) Protocol() campaign.Protocol {
	_, p := c.current.now()
	return p
}

// Recipe returns the script, its data, and added rows known so far.
func (c *Campaign) Recipe() question.Recipe {
	r, _ := c.current.now()
	return r
}

// Led returns a description of the run of agents that plans the rounds; "" if the campaign plans them itself. It is fixed
// at the start.
func (c *Campaign) Led() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Start.Led
}
