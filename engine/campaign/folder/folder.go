package folder

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
)

// Maker makes the protocol of a recipe, without a forecast. It reads no other files.
type Maker func(ctx context.Context, r question.Recipe) (campaign.Protocol, error)

// Options say how a folder is opened. The zero value is for programs that people use.
type Options struct {
	Now          func() time.Time // nil is the clock
	Build        string           // of the program, for the report
	Revision     int              // 0 means campaign.Revision; tests play later programs
	Led          string           // the run of agents that plans the rounds, in words; "" without one
	AllowNetwork bool             // a folder on the file system of another machine
	Notice       func(string)     // told what is odd and harmless, in sentences; may be nil
}

// Campaign is an open campaign. It is safe for concurrent use, by goroutines and by processes.
type Campaign struct {
	dir     string
	db      *database
	opt     Options
	maker   Maker
	current currentProtocol
	cache   cache

	mu     sync.Mutex
	state  *campaign.State
	shared bool // whether somebody reads the state: it is not changed then, but replaced
	stale  bool // whether the state may hold events that were not recorded: it is replaced, too
}

// Open opens the campaign of a folder.
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

func newCampaign(dir string, db *database, maker Maker, opt Options) *Campaign {
	c := &Campaign{dir: dir, db: db, opt: opt, maker: maker}
	c.cache.path, c.cache.program = filepath.Join(dir, cacheFile), fmt.Sprintf("%d %s", c.revision(), opt.build())
	return c
}

// prepare reads what was recorded, and makes the protocol of it.
func (c *Campaign) prepare(ctx context.Context) error {
	seq, hash := readHead(c.dir)
	start, r, err := c.recipe(ctx)
	if err != nil {
		return err
	}
	p, err := c.maker(ctx, r)
	if err != nil {
		return fmt.Errorf("the recorded script no longer makes the protocol: %w", err)
	}
	if p.Fingerprint() != start.Problem {
		return errors.New("the recorded script makes another problem with this program than it made at the start; use the program " +
			"that began the campaign")
	}
	p.Seed, p.Name = start.Seed, start.Name
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

// recipe returns the start and the recorded files.
func (c *Campaign) recipe(ctx context.Context) (campaign.StartBody, question.Recipe, error) {
	var start campaign.StartBody
	first, err := eventsOf(ctx, c.db.db, "seq = ?", 1)
	if err != nil {
		return start, question.Recipe{}, err
	}
	if err := campaign.CheckChain(first); err != nil {
		return start, question.Recipe{}, fmt.Errorf("%s: %w (gonb-cope campaign verify says more)", c.dir, err)
	}
	if len(first) == 0 {
		return start, question.Recipe{}, fmt.Errorf("%s holds a campaign without a start", c.dir)
	}
	s, err := campaign.Fold(first, nil)
	if err != nil {
		return start, question.Recipe{}, err
	}
	start = s.Start
	r := question.Recipe{Script: start.Script, Set: start.Set}
	if r.Script.Content, err = getFile(ctx, c.db.db, start.Script.SHA256); err != nil {
		return start, r, fmt.Errorf("%s: the recorded script: %w", c.dir, err)
	}
	for _, f := range start.Data {
		if f.Content, err = getFile(ctx, c.db.db, f.SHA256); err != nil {
			return start, r, fmt.Errorf("%s: the recorded copy of %s: %w", c.dir, f.Path, err)
		}
		r.Data = append(r.Data, f)
	}
	return start, r, nil
}

func (c *Campaign) open(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.catchUp(ctx, c.db.db); err != nil {
		return err
	}
	_, err := c.current.of(ctx, c, c.state)
	return err
}

// catchUp takes in the events that others recorded.
func (c *Campaign) catchUp(ctx context.Context, q querier) error {
	if c.state == nil || c.stale {
		c.state, c.shared, c.stale = campaign.NewState(), false, false
	}
	after, before := c.state.Seq, c.state.Hash
	list, err := events(ctx, q, after)
	if err != nil {
		return err
	}
	return c.take(ctx, q, list, after, before)
}

// take folds events that follow the last one.
func (c *Campaign) take(ctx context.Context, q querier, list []campaign.Event, after int64, before string) error {
	if c.shared && len(list) > 0 {
		all, err := events(ctx, q, 0)
		if err != nil {
			return err
		}
		c.state, c.shared, list, after, before = campaign.NewState(), false, all, 0, ""
	}
	if err := campaign.CheckChainAfter(list, after, before); err != nil {
		return fmt.Errorf("%s: %w (gonb-cope campaign verify says more)", c.dir, err)
	}
	if err := c.state.Add(list, c.current.tasks()); err != nil {
		c.stale = true
		return unfit(c.dir, err)
	}
	return nil
}

// unfit says what to do about an event that does not fit those before it.
func unfit(dir string, err error) error {
	return fmt.Errorf("%s: %w (gonb-cope campaign repair %[1]s --look shows what can be set aside)", dir, err)
}

// write takes the lock, looks at the state, and records the events that f makes of it: all of them
// or none, with these files. What cannot be folded is not committed. When it returns without error all is on
// the disk.
func (c *Campaign) write(ctx context.Context, f func(campaign.Moment) ([]campaign.Event, error), files ...campaign.File) error {
	if c.db.copy != "" {
		return &unrecorded{fmt.Errorf("nothing can be written in %s: %w", c.dir, c.db.refused)}
	}
	if err := c.open(ctx); err != nil {
		return err // what takes time is done before the lock is held
	}
	c.mu.Lock()
	defer c.mu.Unlock()
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
		for _, file := range files {
			if _, err := putFile(ctx, tx, file.Content); err != nil {
				return err
			}
		}
		seq, hash = c.state.Seq, c.state.Hash
		made, err := appendEvents(ctx, tx, list)
		if err != nil {
			return err
		}
		folded = true
		if err := c.take(ctx, tx, made, seq, hash); err != nil {
			return &unrecorded{fmt.Errorf("it could not be read again: %w", errors.Unwrap(err))}
		}
		return nil
	})
	c.stale = c.stale || folded && err != nil
	switch {
	case err == nil && folded:
		writeHead(c.dir, c.state)
	case codeOf(err) != 0:
		return &unrecorded{c.db.explain(ctx, err)}
	}
	return err
}

// transaction runs f in a transaction that has the write lock of the database from its beginning.
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
// of the start.
func (c *Campaign) Protocol() campaign.Protocol {
	_, p := c.current.now()
	return p
}

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

func (o Options) build() string {
	return cmp.Or(o.Build, "unknown") + " " + runtime.GOOS + "/" + runtime.GOARCH
}

// Led returns the run of agents that plans the rounds, in words; "" where the campaign does.
func (c *Campaign) Led() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Start.Led
}

// Lead makes a plan of the run that leads the campaign its open round.
func (c *Campaign) Lead(ctx context.Context, plan engine.Plan) error {
	return c.write(ctx, func(m campaign.Moment) ([]campaign.Event, error) {
		return m.Lead(plan, "the run went on without this agent", c.opt.build()), nil
	})
}

// ToldOf returns the results of the round with a plan's digest once the round is whole.
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

// cacheFile keeps what the algorithm made of the last state that was replayed, after the SHA-256 of that. It may be
// deleted at any time: that changes nothing but time.
const cacheFile = "cache/replay.gob"

// cached is the content of the file after the hash.
type cached struct {
	Key string
	Run campaign.Run
}

// cache is the file, for one program.
type cache struct {
	path    string
	program string // its revision of the decisions, and its build
	memory  model.Memory
}

// replay returns what the algorithm makes of a state, from the cache where that has it.
func (c *cache) replay(ctx context.Context, m campaign.Moment) (*campaign.Run, error) {
	if run := c.read(m.State); run != nil && m.Agrees(run) {
		return run, nil
	}
	run, err := m.Replay(ctx, &c.memory)
	if err != nil {
		return nil, err
	}
	keep(c.path, cached{m.State.Hash + " " + c.program, *run})
	return run, nil
}

// read returns the run that the cache has of a state, nil without one.
func (c *cache) read(s *campaign.State) *campaign.Run {
	data, err := os.ReadFile(c.path)
	if err != nil {
		return nil
	}
	entry, whole := opened(data)
	if !whole || entry.Key != s.Hash+" "+c.program {
		return nil
	}
	return &entry.Run
}

// check reports a cache that is not what the events make.
func (c *cache) check(ctx context.Context, m campaign.Moment) error {
	stored := c.read(m.State)
	if stored == nil {
		return nil // it is not read
	}
	run, err := m.Replay(ctx, &c.memory)
	if err != nil {
		return err
	}
	var is, want bytes.Buffer
	if err := errors.Join(gob.NewEncoder(&is).Encode(stored), gob.NewEncoder(&want).Encode(run)); err != nil {
		return err
	}
	if !bytes.Equal(is.Bytes(), want.Bytes()) {
		return fmt.Errorf("%s is not what the events make: status may show what was never measured; delete the folder %s, which "+
			"costs nothing but time; the events are as recorded", c.path, filepath.Dir(c.path))
	}
	return nil
}

// opened reads the content of the file, and reports whether it has the hash of it.
func opened(data []byte) (entry cached, whole bool) {
	if len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) {
		return entry, false
	}
	return entry, gob.NewDecoder(bytes.NewReader(data[sha256.Size:])).Decode(&entry) == nil
}

// keep writes the cache, whole or not at all. That it cannot be written is no failure: a reader may not
// write, and a disk may be full.
func keep(path string, what cached) {
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(what) != nil || os.MkdirAll(filepath.Dir(path), 0o777) != nil {
		return
	}
	sum := sha256.Sum256(b.Bytes())
	_ = atomicfile.Write(path, append(sum[:], b.Bytes()...), 0o666, false) // a file that two wrote has another hash
}
