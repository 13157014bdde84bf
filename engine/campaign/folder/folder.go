package folder

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Maker makes the protocol from a recipe, see record.Maker.
type Maker = record.Maker

// Options state how a folder is opened. The zero value suits programs for people.
type Options struct {
	Now          func() time.Time // nil for the system clock
	Build        string           // build of the program, for the report
	Revision     int              // 0 means campaign.Revision; tests use others to simulate later programs
	Led          string           // description of the run of agents that plans the rounds; "" without one
	AllowNetwork bool             // permit a folder on a network file system
	Notice       func(string)     // receives sentences about harmless irregularities; may be nil
}

// Campaign is an open campaign. It is safe for concurrent use by goroutines and by processes.
//
// Locks are acquired in this order: mu, the lock of the folder, the write lock of the database (at the beginning of the
// transaction), and the lock of current. Readers hold mu while events are read, and use the state after they release mu.
type Campaign struct {
	dir     string    // path as the caller gave it
	db      *database // open until Close
	opt     Options
	maker   Maker           // for the script language
	current currentProtocol // has its own lock
	cache   cache           // its file is read and written without a lock

	// mu protects the three fields below. state is nil only before the first catchUp.
	mu     sync.Mutex
	state  *campaign.State
	shared bool // a reader uses the state: it must be replaced, not changed
	stale  bool // the state may contain events that were not recorded: it must be replaced
}

// Open opens the campaign in a folder. It evaluates the recorded script and folds all events. A folder that can only be
// read is opened too; recording then fails. Open calls Options.Notice for files beside the database that were changed,
// which are not errors.
func Open(ctx context.Context, dir string, maker Maker, opt Options) (*Campaign, error) {
	db, err := openFolder(ctx, dir)
	if err != nil {
		return nil, err
	}
	c := newCampaign(dir, db, maker, opt)
	if err := c.prepare(ctx); err != nil {
		err = db.explain(ctx, err)
		db.close()
		return nil, err
	}
	return c, nil
}

// newCampaign returns a campaign that has not read anything. Two builds of the same revision do not share a cache, because
// their rounding may differ.
func newCampaign(dir string, db *database, maker Maker, opt Options) *Campaign {
	c := &Campaign{dir: dir, db: db, opt: opt, maker: maker}
	c.cache.path, c.cache.program = filepath.Join(dir, cacheFile), fmt.Sprintf("%d %s", c.revision(), opt.build())
	return c
}

// prepare reads the recorded events, and makes the protocol from them. No other goroutine uses the campaign yet.
func (c *Campaign) prepare(ctx context.Context) (err error) {
	defer try.Caught(&err)
	// before the events: headFile is written after its event, so that this event must be among them
	seq, hash := readHead(c.dir)
	start, r := try.Two(c.recipe(ctx))
	p := try.Of(record.Remake(ctx, c.maker, start, r))
	// the protocol of the start; open adds later arms
	c.current.recipe, c.current.protocol = r, p
	try.To(c.open(ctx))
	compareCopies(c.dir, c.current.recipe, c.opt.notice)
	if err := checkHead(c.state, seq, hash); err != nil {
		c.opt.notice(err.Error())
	}
	return nil
}

// recipe returns the start and the recorded files, each checked by its hash. It reads only the first event, because the
// others can be folded only after the recipe has made a problem. It does not include rows that were added later.
func (c *Campaign) recipe(ctx context.Context) (campaign.StartBody, question.Recipe, error) {
	first, err := eventsOf(ctx, c.db.db, "seq = ?", 1)
	if err != nil {
		return campaign.StartBody{}, question.Recipe{}, err
	}
	// checked first: a changed start would name other files
	if err := campaign.CheckChain(first); err != nil {
		return campaign.StartBody{}, question.Recipe{}, fmt.Errorf("%s: %w (gonb-cope campaign verify says more)", c.dir, err)
	}
	if len(first) == 0 {
		return campaign.StartBody{}, question.Recipe{}, fmt.Errorf("%s holds a campaign without a start", c.dir)
	}
	start, r, err := record.Recipe(first[0], c.file(ctx))
	if err != nil {
		err = fmt.Errorf("%s: %w", c.dir, err)
	}
	return start, r, err
}

// file returns a function that reads the recorded files by their hashes.
func (c *Campaign) file(ctx context.Context) func(hash string) ([]byte, error) {
	return func(hash string) ([]byte, error) { return getFile(ctx, c.db.db, hash) }
}

// open folds the recorded events, and makes the protocol with all added arms. It may be called again.
func (c *Campaign) open(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.catchUp(ctx, c.db.db); err != nil {
		return err
	}
	_, err := c.current.of(ctx, c, c.state)
	return err
}

// catchUp folds the events that others recorded. q is the database or a transaction. The caller holds mu.
func (c *Campaign) catchUp(ctx context.Context, q querier) error {
	if c.state == nil || c.stale {
		c.state, c.shared, c.stale = campaign.NewState(), false, false
	}
	// a new state has Seq 0, so that all events are read
	after, before := c.state.Seq, c.state.Hash
	list, err := events(ctx, q, after)
	if err != nil {
		return err
	}
	return c.take(ctx, q, list, after, before)
}

// take folds events that follow the last folded one. The caller holds mu. A state with readers is never modified: a new
// state is built from all events, which q must see. Without readers, the state grows in place, because folding thousands
// of events for each act would take long.
func (c *Campaign) take(ctx context.Context, q querier, list []campaign.Event, after int64, before string) error {
	if c.shared && len(list) > 0 {
		all, err := events(ctx, q, 0)
		if err != nil {
			return err
		}
		c.state, c.shared, list, after, before = campaign.NewState(), false, all, 0, ""
	}
	// events of another program are checked before they are folded
	if err := campaign.CheckChainAfter(list, after, before); err != nil {
		return fmt.Errorf("%s: %w (gonb-cope campaign verify says more)", c.dir, err)
	}
	if err := c.state.Add(list, c.current.tasks()); err != nil {
		// it is partly changed
		c.stale = true
		return fmt.Errorf("%s: %w", c.dir, err)
	}
	return nil
}

// write acquires the lock and records the events that f returns for the present state, and the files: all of them or
// none. Events that cannot be folded are not committed. When write returns nil, everything is on disk.
//
// f is called at most once, with a state that includes all recorded events. It must not acquire mu, and so must not call
// methods of c that read events. It must be fast: slow work is done before, and is repeated if another event was recorded
// meanwhile (after). An error of f is returned unchanged, and nothing is recorded. Errors of the disk and the database
// during the write are *unrecorded.
func (c *Campaign) write(ctx context.Context, f func(campaign.Moment) ([]campaign.Event, error), files ...campaign.File) error {
	if c.db.copy != "" {
		return &unrecorded{fmt.Errorf("nothing can be written in %s: %w", c.dir, c.db.refused)}
	}
	if err := c.open(ctx); err != nil {
		return err // slow work, done before the lock is held
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// the database has its own lock, but cannot name the program that holds it
	l, err := lock(ctx, c.dir)
	if err != nil {
		return err
	}
	defer l.release()
	folded := false
	err = c.db.transaction(ctx, func(tx *sql.Tx) (err error) {
		defer try.Caught(&err)
		try.To(c.catchUp(ctx, tx))
		// a folder that lost its last events must not continue: it would reuse the numbers of events that exist elsewhere
		seq, hash := readHead(c.dir)
		if err := checkHead(c.state, seq, hash); err != nil {
			return &unrecorded{err}
		}
		m := try.Of(c.moment(ctx, c.state))
		list, err := f(m)
		if err != nil || len(list) == 0 {
			return err
		}
		// files come first: an event must not name a missing file
		for _, file := range files {
			try.To(putFile(ctx, tx, file.Content))
		}
		seq, hash = c.state.Seq, c.state.Hash
		made := try.Of(appendEvents(ctx, tx, list))
		// only events that can be folded are committed; otherwise no program could open the campaign again
		folded = true
		if err := c.take(ctx, tx, made, seq, hash); err != nil {
			return &unrecorded{fmt.Errorf("it could not be read again: %w", cmp.Or(errors.Unwrap(err), err))} // without the name of the folder
		}
		return nil
	})
	// the state has the events, but the database rolled them back
	c.stale = c.stale || folded && err != nil
	switch {
	case err == nil && folded:
		// after the commit: if the program is killed before, the head is behind, which is harmless
		writeHead(c.dir, c.state)
	case codeOf(err) != 0:
		return &unrecorded{c.db.explain(ctx, err)}
	}
	return err
}

// transaction runs f in a transaction that holds the database's write lock from its beginning (_txlock). f therefore reads
// current rows when it writes. If f returns an error, everything is rolled back.
func (d *database) transaction(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return inWords(err)
	}
	if err := f(tx); err != nil {
		tx.Rollback()
		return err
	}
	return inWords(tx.Commit())
}

// Close closes the database.
func (c *Campaign) Close() error { return c.db.close() }

// Protocol returns the protocol with the added arms known so far; its AtStart is that of the start. It does not read the
// database: others may have added further arms.
func (c *Campaign) Protocol() campaign.Protocol {
	_, p := c.current.now()
	return p
}

// notice calls Notice if it is not nil.
func (o Options) notice(text string) {
	if o.Notice != nil {
		o.Notice(text)
	}
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

// build returns the build and the system of the program. Floating-point rounding may differ between systems.
func (o Options) build() string {
	return cmp.Or(o.Build, "unknown") + " " + runtime.GOOS + "/" + runtime.GOARCH
}

// Led returns a description of the run of agents that plans the rounds; "" if the campaign plans them itself. It is fixed
// at the start.
func (c *Campaign) Led() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Start.Led
}

// Lead makes the plan of the leading run the open round. If a round with the plan's digest exists, it does nothing, so
// that a restarted agent may repeat the call.
func (c *Campaign) Lead(ctx context.Context, plan engine.Plan) error {
	return c.write(ctx, func(m campaign.Moment) ([]campaign.Event, error) {
		return m.Lead(plan, "the run continued without this agent", c.opt.build()), nil
	})
}

// ToldOf returns the results of the round whose plan has the given digest, once the round is complete; otherwise false.
// See State.ToldOf.
func (c *Campaign) ToldOf(ctx context.Context, digest string) ([]campaign.ResultRecord, bool, error) {
	m, err := c.fresh(ctx)
	if err != nil {
		return nil, false, err
	}
	results, whole := m.ToldOf(digest)
	return results, whole, nil
}

// Renew simulates the rest of the campaign with the given number of runs; see campaign.Renew. It writes nothing. progress
// may be nil.
func (c *Campaign) Renew(ctx context.Context, runs int, progress func(done, total int)) (*campaign.Renewal, error) {
	m, err := c.fresh(ctx)
	if err != nil {
		return nil, err
	}
	return campaign.Renew(ctx, m, &c.cache.memory, runs, progress)
}
