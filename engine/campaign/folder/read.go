package folder

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"modernc.org/sqlite"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
	"github.com/gonb-cope/gonb-cope/internal/base/filelock"
)

// openFolder opens the database of a folder. If nothing can be written beside it, as on a disk that is mounted
// to be read, what can be read of it is a copy in a folder for temporary files. SQLite makes a -shm beside a database even to read
// it (https://www.sqlite.org/wal.html).
func openFolder(ctx context.Context, dir string) (*database, error) {
	path := filepath.Join(dir, DatabaseFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no campaign: it has no file %s. gonb-cope campaign start makes one", dir, DatabaseFile)
	} else if err != nil {
		return nil, fmt.Errorf("the campaign cannot be read: %w", err)
	}
	if err := checkFiles(dir); err != nil {
		return nil, err
	}
	db, err := openDatabase(path, false)
	if err != nil {
		return nil, inWords(err)
	}
	// the first look into the file: to open it reads nothing
	err = db.checkSchema(ctx)
	switch codeOf(err) {
	case codeReadOnly, codeCantOpen, codeInput, codeFull:
		refused := inWords(err)
		db.close()
		if db, err = copied(ctx, path); err != nil {
			return nil, fmt.Errorf("%w (%w)", refused, err)
		}
		db.refused = refused
		err = db.checkSchema(ctx)
	}
	if err != nil {
		err = db.explain(ctx, err)
		db.close()
		return nil, err
	}
	return db, nil
}

// copied opens a copy of a database, with the contents of its -wal. The copy goes when the database is closed. The two
// files are read one after the other, so that one may seem damaged if another process writes to it meanwhile.
func copied(ctx context.Context, path string) (*database, error) {
	dir, err := os.MkdirTemp("", "gonb-cope-campaign-*")
	if err != nil {
		return nil, fmt.Errorf("a temporary copy of %s cannot be made: %w", path, err)
	}
	db := (*database)(nil)
	to := filepath.Join(dir, DatabaseFile)
	for _, end := range []string{"", "-wal"} {
		e := copyFile(ctx, path+end, to+end)
		// a database whose last program closed it has no -wal
		if end != "" && errors.Is(e, fs.ErrNotExist) {
			e = os.Remove(to + end)
		}
		err = errors.Join(err, e)
	}
	if err == nil {
		db, err = openDatabase(to, false)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("the campaign cannot be read: %w", err)
	}
	// errors name the file that people know
	db.path, db.copy = path, dir
	return db, nil
}

// codeOf returns the result code of SQLite in an error, 0 without one.
func codeOf(err error) int {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// errUnreadable is told apart from damage: there a backup is put back, which a failing disk may lose as well.
var errUnreadable = errors.New("the disk cannot read the database, which may be undamaged. First copy the folder to another disk")

// explain looks a second time at a database that seems damaged: a disk that fails to read looks alike, and asks for
// other acts. It returns err itself if nothing better is known.
func (d *database) explain(ctx context.Context, err error) error {
	seemsDamaged := errors.Is(err, errUnreadable) || slices.Contains([]int{codeCorrupt, codeNotADB, codeInput}, codeOf(err))
	if !seemsDamaged || ctx.Err() != nil {
		return err
	}
	// the whole file, since SQLite reads only the pages that it needs
	if e := passed(ctx, d.path, io.Discard); ctx.Err() != nil {
		return ctx.Err()
	} else if e != nil {
		return fmt.Errorf("%w (%w)", errUnreadable, e)
	}
	// by a connection of its own: pages that were read wrong may stay in the other one's memory
	again, e := openDatabase(d.path, false)
	if e != nil {
		return err
	}
	defer again.close()
	switch e := again.integrity(ctx); {
	case e == nil:
		return errors.New("the disk failed to read or write, but the database is undamaged. Try again") // a wrong kind would mislead
	case codeOf(e) == codeInput || errors.Is(e, errUnreadable):
		return e
	}
	return err
}

// integrity returns an error if SQLite finds the database damaged, and a different one if the disk cannot be read.
func (d *database) integrity(ctx context.Context) error {
	var sound string
	err := d.db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&sound)
	if err != nil || sound == "ok" {
		return inWords(err)
	}
	return d.unsound(sound)
}

// unsound is the error for the findings of a check of integrity: a page that could not be read is the disk's failure.
func (d *database) unsound(said string) error {
	if at := pageError.FindStringSubmatch(said); at != nil {
		if code, err := strconv.Atoi(at[1]); err == nil && code&0xff == codeInput {
			return fmt.Errorf("%w (%s)", errUnreadable, said)
		}
	}
	return fmt.Errorf("%s is damaged: %s; restore the folder from a backup", d.path, said)
}

// pageError is how a check of integrity says which error kept it from a page.
var pageError = regexp.MustCompile(`error code=(\d+)`)

// unrecorded wraps the error of the disk or of the database that kept an act from being recorded. Refusals of an act are none: they say
// themselves what to do.
type unrecorded struct{ err error }

func (u *unrecorded) Error() string { return "nothing was recorded: " + u.err.Error() }

func (u *unrecorded) Unwrap() error { return u.err }

// ErrExists is campaign.ErrExists, which the error of Start wraps.
var ErrExists = campaign.ErrExists

// Start makes a campaign in a folder, which is created if it does not exist, from a protocol with its forecast and the
// recipe that it was made from. It is an error when maker makes another problem of that recipe: the campaign could not
// be opened again. If it returns a campaign beside an error the start is recorded.
func Start(ctx context.Context, dir string, r question.Recipe, p campaign.Protocol, maker Maker, opt Options) (*Campaign, error) {
	if err := record.Check(ctx, maker, r, p); err != nil {
		return nil, err
	}
	// of 53 bits, which programs whose numbers are float64 read exactly
	p.Seed = cmp.Or(p.Seed, rand.Uint64()>>11) // a script can state it
	c, err := startWith(ctx, dir, maker, opt, func(tx *sql.Tx) error { return beginWith(ctx, tx, r, p, opt) })
	if err != nil {
		return nil, err
	}
	c.current.recipe, c.current.protocol = r, p
	c.writeCopies()
	if err := c.open(ctx); err != nil {
		return c, err
	}
	writeHead(dir, c.state)
	return c, nil
}

// startWith makes the folder of a campaign whose events and files fill writes.
func startWith(ctx context.Context, dir string, maker Maker, opt Options, fill func(*sql.Tx) error) (*Campaign, error) {
	// looked at again under the lock, in newDatabase; here so that nothing of the folder is touched
	if exists(dir) {
		return nil, fmt.Errorf("%s: %w", dir, ErrExists)
	}
	_, e := os.Lstat(dir)
	made := errors.Is(e, fs.ErrNotExist)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the campaign: %w", err)
	}
	if kind := networkOf(dir); kind != "" && !opt.AllowNetwork {
		return nil, fmt.Errorf("%s is on a network file system (%s), where locks are unreliable. Choose a local folder. If only one machine "+
			"ever uses the folder, write --allow-network-folder", dir, kind)
	}
	db, err := newDatabase(ctx, dir, fill)
	if err != nil {
		if made && !errors.Is(err, ErrExists) { // nothing is left of a folder that holds nothing
			os.Remove(filepath.Join(dir, lockFile))
			os.Remove(dir)
		}
		return nil, err
	}
	return newCampaign(dir, db, maker, opt), nil
}

// writeCopies writes script and data beside the database. The campaign is recorded by then, and copies are for people, so that a failure is
// a notice.
func (c *Campaign) writeCopies() {
	r, _ := c.current.now()
	if err := copies(c.dir, r); err != nil {
		c.opt.notice(fmt.Sprintf("the copies of script and data beside the database could not be written (%v); the recorded ones count", err))
	}
}

// newDatabase makes the database under another name, and gives it its own once it is whole: who
// looks in between sees no campaign, and a program killed in between leaves none. fill writes into the transaction that makes the tables.
// It is ErrExists where another program was quicker.
func newDatabase(ctx context.Context, dir string, fill func(*sql.Tx) error) (*database, error) {
	l, err := lock(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer l.release()
	if exists(dir) {
		return nil, fmt.Errorf("%s: %w", dir, ErrExists)
	}
	path := filepath.Join(dir, DatabaseFile)
	draft := path + ".new"
	clear := func() {
		for _, end := range []string{"", "-wal", "-shm", "-journal"} {
			os.Remove(draft + end)
		}
	}
	clear() // of a start that was killed
	db, err := openDatabase(draft, true)
	if err != nil {
		return nil, inWords(err)
	}
	err = db.transaction(ctx, func(tx *sql.Tx) error {
		if err := db.create(ctx, tx); err != nil {
			return inWords(err)
		}
		return fill(tx)
	})
	if err == nil {
		// all of it goes into the one file that is renamed; nothing is left in a -wal of the old name
		_, err = db.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	// an error of closing a database that could not be written was reported before
	if e := db.close(); err == nil {
		err = e
	}
	if err = inWords(err); err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		clear()
		return nil, err
	}
	// the name, too, is on the disk before the call returns
	atomicfile.SyncFolder(dir)
	return openDatabase(path, false)
}

// beginWith writes the files and the first events.
func beginWith(ctx context.Context, tx *sql.Tx, r question.Recipe, p campaign.Protocol, opt Options) error {
	start := campaign.StartBody{Revision: cmp.Or(opt.Revision, campaign.Revision), Build: opt.build(), Led: opt.Led}
	list, files, err := record.Begin(ctx, p, r, start, opt.now())
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		opt.notice(err.Error())
	}
	return fill(ctx, tx, list, files)
}

// fill writes events and files.
func fill(ctx context.Context, tx *sql.Tx, list []campaign.Event, files []campaign.File) error {
	for _, f := range files {
		if err := putFile(ctx, tx, f.Content); err != nil {
			return err
		}
	}
	_, err := appendEvents(ctx, tx, list)
	return err
}

// lockFile is held for the time of a write, and names its holder. If the system has no locks of files, the database
// waits for others, too, and cannot name them. A program that ends, for any reason, has let go of it.
const lockFile = "campaign.lock"

// patience is the time that a write waits for the lock.
const patience = 2 * time.Second

// locked is a lock that is held.
type locked struct{ file *os.File }

// lock waits for the lock of a folder, and names the process that holds it if it waits in vain. Goroutines of one
// process exclude each other as well, since each opens the file again. An error of the context is returned unchanged.
func lock(ctx context.Context, dir string) (*locked, error) {
	path := filepath.Join(dir, lockFile)
	if err := checkFile(path, mostNote); err != nil {
		return nil, fmt.Errorf("cannot lock the campaign: %w", err)
	}
	file, err := filelock.Take(ctx, path, 0o666, patience)
	if held := (*filelock.HeldError)(nil); errors.As(err, &held) {
		return nil, fmt.Errorf("another program is writing to the campaign (%s). Nothing was recorded: try again", held.Holder)
	}
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("cannot lock the campaign: %w", err)
	}
	return &locked{file}, err
}

// release lets go of the lock.
func (l *locked) release() { l.file.Close() }
