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
)

// Maker makes the protocol of a recipe, see record.Maker.
type Maker = record.Maker

// Options state how a folder is opened. The zero value is for programs that people use.
type Options struct {
	Now          func() time.Time // nil is the clock
	Build        string           // build of the program, for the report
	Revision     int              // 0 means campaign.Revision; tests play later programs
	Led          string           // the run of agents that plans the rounds, in words; "" without one
	AllowNetwork bool             // a folder on the file system of another machine
	Notice       func(string)     // receives sentences about what is odd and harmless; may be nil
}

// Campaign is an open campaign. It is safe for concurrent use, by goroutines and by processes.
//
// The order of the locks is mu, then the lock of the folder, then the transaction of the database, which has the
// database's write lock from its beginning. The lock of the protocol comes last, while it is read or made. Readers hold
// mu while events are read, and work on the state after they let go.
type Campaign struct {
	dir     string    // as the caller gave it
	db      *database // open until Close
	opt     Options
	maker   Maker           // of the language of scripts
	current currentProtocol // has a lock of its own
	cache   cache           // its file is read and written without a lock

	// mu protects the three below. state is nil before the first catchUp alone.
	mu     sync.Mutex
	state  *campaign.State
	shared bool // whether the state is in use by a reader: it is not changed then, but replaced
	stale  bool // whether the state may hold events that were not recorded: it is replaced, too
}

// Open opens the campaign of a folder. It evaluates the recorded script and folds all events. A folder that can only be
// read is opened, too, and refuses to record. Options.Notice receives changes beside the database, which are not errors.
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

// newCampaign returns a campaign that has read nothing yet. Two builds of one revision have no cache in common, since they may round
// otherwise.
func newCampaign(dir string, db *database, maker Maker, opt Options) *Campaign {
	c := &Campaign{dir: dir, db: db, opt: opt, maker: maker}
	c.cache.path, c.cache.program = filepath.Join(dir, cacheFile), fmt.Sprintf("%d %s", c.revision(), opt.build())
	return c
}

// prepare reads the recorded events, and makes the protocol of them. No other goroutine has the campaign yet.
func (c *Campaign) prepare(ctx context.Context) error {
	// before the events: the head is written after its event, so that what it names must be among them
	seq, hash := readHead(c.dir)
	start, r, err := c.recipe(ctx)
	if err != nil {
		return err
	}
	p, err := record.Remake(ctx, c.maker, start, r)
	if err != nil {
		return err
	}
	// of the start; open makes it with the arms that were added
	c.current.recipe, c.current.protocol = r, p
	if err := c.open(ctx); err != nil {
		return err
	}
	compareCopies(c.dir, c.current.recipe, c.opt.notice)
	if err := checkHead(c.state, seq, hash); err != nil {
		c.opt.notice(err.Error())
	}
	return nil
}

// recipe returns the start and the recorded files, each checked by its hash. It reads the first event alone, because the others can only be
// folded once the recipe has made a problem. Rows that were added later are not in it: they come in with a state.
func (c *Campaign) recipe(ctx context.Context) (campaign.StartBody, question.Recipe, error) {
	first, err := eventsOf(ctx, c.db.db, "seq = ?", 1)
	if err != nil {
		return campaign.StartBody{}, question.Recipe{}, err
	}
	// before anything is made of it: a start that was changed would name other files
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

// open takes in the recorded events, and makes the protocol with all arms that were added. It can be called again.
func (c *Campaign) open(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.catchUp(ctx, c.db.db); err != nil {
		return err
	}
	_, err := c.current.of(ctx, c, c.state)
	return err
}

// catchUp takes in the events that others recorded, from the database or within a transaction. mu is held.
func (c *Campaign) catchUp(ctx context.Context, q querier) error {
	if c.state == nil || c.stale {
		c.state, c.shared, c.stale = campaign.NewState(), false, false
	}
	// a new state begins before the first event
	after, before := c.state.Seq, c.state.Hash
	list, err := events(ctx, q, after)
	if err != nil {
		return err
	}
	return c.take(ctx, q, list, after, before)
}

// take folds events that follow the last one. mu is held. A state in use is never modified: a new one is made of all
// events, which q must see. Without readers the state grows in place, since folding thousands of events for each act
// would take long.
func (c *Campaign) take(ctx context.Context, q querier, list []campaign.Event, after int64, before string) error {
	if c.shared && len(list) > 0 {
		all, err := events(ctx, q, 0)
		if err != nil {
			return err
		}
		c.state, c.shared, list, after, before = campaign.NewState(), false, all, 0, ""
	}
	// events that another program wrote are checked before they are folded
	if err := campaign.CheckChainAfter(list, after, before); err != nil {
		return fmt.Errorf("%s: %w (gonb-cope campaign verify says more)", c.dir, err)
	}
	if err := c.state.Add(list, c.current.tasks()); err != nil {
		// it is half changed
		c.stale = true
		return fmt.Errorf("%s: %w", c.dir, err)
	}
	return nil
}

// write takes the lock, looks at the state, and records the events that f makes of it: all of them or none, with these
// files. Events that cannot be folded are not committed. When it returns without error all is on the disk.
//
// f is called once or not at all, and looks at the state with all that others recorded. It must not take mu, and so
// calls no method of c that reads events. It is quick: slow work has been done before, or is done again if the state
// moved on (after). An error of f is returned unchanged, and means that nothing was recorded. Errors of the disk and the
// database while it writes are *unrecorded.
func (c *Campaign) write(ctx context.Context, f func(campaign.Moment) ([]campaign.Event, error), files ...campaign.File) error {
	if c.db.copy != "" {
		return &unrecorded{fmt.Errorf("nothing can be written in %s: %w", c.dir, c.db.refused)}
	}
	if err := c.open(ctx); err != nil {
		return err // what takes time is done before the lock is held
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// the database would wait for others, too, but cannot say who they are
	l, err := lock(ctx, c.dir)
	if err != nil {
		return err
	}
	defer l.release()
	folded := false
	err = c.db.transaction(ctx, func(tx *sql.Tx) error {
		if err := c.catchUp(ctx, tx); err != nil {
			return err
		}
		// a folder without its last events must not continue: what it would record has the numbers of events that exist elsewhere
		seq, hash := readHead(c.dir)
		if err := checkHead(c.state, seq, hash); err != nil {
			return &unrecorded{err}
		}
		m, err := c.moment(ctx, c.state)
		if err != nil {
			return err
		}
		list, err := f(m)
		if err != nil || len(list) == 0 {
			return err
		}
		// the files come first: no event names a file that is not there
		for _, file := range files {
			if err := putFile(ctx, tx, file.Content); err != nil {
				return err
			}
		}
		seq, hash = c.state.Seq, c.state.Hash
		made, err := appendEvents(ctx, tx, list)
		if err != nil {
			return err
		}
		// committed events can be folded, or no program could open the campaign again
		folded = true
		if err := c.take(ctx, tx, made, seq, hash); err != nil {
			return &unrecorded{fmt.Errorf("it could not be read again: %w", cmp.Or(errors.Unwrap(err), err))} // without the folder
		}
		return nil
	})
	// the state has the events, and the database took them back
	c.stale = c.stale || folded && err != nil
	switch {
	case err == nil && folded:
		// after the commit: a program that is killed in between leaves a head that is behind, which is harmless
		writeHead(c.dir, c.state)
	case codeOf(err) != 0:
		return &unrecorded{c.db.explain(ctx, err)}
	}
	return err
}

// transaction runs f in a transaction that has the write lock of the database from its beginning (_txlock). So f reads
// the present rows when it writes. An error of f takes back all that it wrote.
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

// Close lets go of the database.
func (c *Campaign) Close() error { return c.db.close() }

// Protocol returns the protocol with the arms that are known to have been added; its AtStart is the one
// of the start. Others may have added arms since: it takes no look at the database.
func (c *Campaign) Protocol() campaign.Protocol {
	_, p := c.current.now()
	return p
}

// notice reports something odd and harmless, if the caller asked for notices.
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

// build names the program and its system, whose arithmetic may round otherwise than another's.
func (o Options) build() string {
	return cmp.Or(o.Build, "unknown") + " " + runtime.GOOS + "/" + runtime.GOARCH
}

// Led returns the run of agents that plans the rounds, in words; "" where the campaign does. It is fixed at the start.
func (c *Campaign) Led() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Start.Led
}

// Lead makes a plan of the run that leads the campaign its open round. A plan that is there already is known by its digest, so that an
// agent which was killed can say it again.
func (c *Campaign) Lead(ctx context.Context, plan engine.Plan) error {
	return c.write(ctx, func(m campaign.Moment) ([]campaign.Event, error) {
		return m.Lead(plan, "the run continued without this agent", c.opt.build()), nil
	})
}

// ToldOf returns the results of the round with a plan's digest once the round is whole; false before. See State.ToldOf.
func (c *Campaign) ToldOf(ctx context.Context, digest string) ([]campaign.ResultRecord, bool, error) {
	m, err := c.fresh(ctx)
	if err != nil {
		return nil, false, err
	}
	results, whole := m.ToldOf(digest)
	return results, whole, nil
}

// Renew simulates the rest of the campaign by so many runs; see campaign.Renew. It writes nothing. progress may be nil.
func (c *Campaign) Renew(ctx context.Context, runs int, progress func(done, total int)) (*campaign.Renewal, error) {
	m, err := c.fresh(ctx)
	if err != nil {
		return nil, err
	}
	return campaign.Renew(ctx, m, &c.cache.memory, runs, progress)
}
