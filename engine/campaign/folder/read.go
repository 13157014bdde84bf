package folder

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"modernc.org/sqlite"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
	"github.com/gonb-cope/gonb-cope/internal/base/filelock"
)

// openFolder opens the database of a folder. If the folder cannot be written, for example on a read-only disk, it opens a
// temporary copy. SQLite needs to create a -shm file even to read a database (https://www.sqlite.org/wal.html).
func openFolder(ctx context.Context, dir string) (*database, error) {
	path := filepath.Join(dir, DatabaseFile)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file, not the folder of a campaign. Write the name of the folder, "+
			"as in gonb-cope campaign status trial", dir)
	}
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
	// sql.Open reads nothing; checkSchema reads the file first
	err = db.checkSchema(ctx)
	switch codeOf(err) {
	case codeReadOnly, codeCantOpen, codeInput, codeFull:
		refused := inWords(err)
		db.Close()
		if db, err = copied(ctx, path); err != nil {
			return nil, fmt.Errorf("%w (%w)", refused, err)
		}
		db.refused = refused
		err = db.checkSchema(ctx)
	}
	if err != nil {
		err = db.explain(ctx, err)
		db.Close()
		return nil, err
	}
	return db, nil
}

// copied opens a temporary copy of a database, including its -wal file. close removes the copy. The two files are copied
// one after the other: if another process writes meanwhile, the copy may seem damaged.
func copied(ctx context.Context, path string) (*database, error) {
	dir, err := os.MkdirTemp("", "gonb-cope-campaign-*")
	if err != nil {
		return nil, fmt.Errorf("a temporary copy of %s cannot be made: %w", path, err)
	}
	db := (*database)(nil)
	to := filepath.Join(dir, DatabaseFile)
	for _, end := range []string{"", "-wal"} {
		e := copyFile(ctx, path+end, to+end)
		// a database that was closed properly has no -wal
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
	// errors name the original file
	db.path, db.dir, db.copy = path, filepath.Dir(path), dir
	return db, nil
}

// codeOf returns the SQLite result code in an error; 0 if there is none.
func codeOf(err error) int {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// errUnreadable is distinguished from damage. A damaged database is restored from a backup; on a failing disk the backup
// could be lost too.
var errUnreadable = errors.New("the disk cannot read the database, which may be undamaged. First copy the folder to another disk")

// explain examines a database that seems damaged once more, because a disk that fails to read causes similar errors but
// needs other actions. It returns a better error if it finds one, otherwise err.
func (d *database) explain(ctx context.Context, err error) error {
	seemsDamaged := errors.Is(err, errUnreadable) || slices.Contains([]int{codeCorrupt, codeNotADB, codeInput}, codeOf(err))
	if !seemsDamaged || ctx.Err() != nil {
		return err
	}
	// the whole file, because SQLite reads only the pages that it needs
	if e := passed(ctx, d.path, io.Discard); ctx.Err() != nil {
		return ctx.Err()
	} else if e != nil {
		return fmt.Errorf("%w (%w)", errUnreadable, e)
	}
	// through a new connection, because the old one may have cached wrong pages
	again, e := openDatabase(d.path, false)
	if e != nil {
		return err
	}
	defer again.Close()
	switch e := again.integrity(ctx); {
	case e == nil:
		return errors.New("the disk failed to read or write, but the database is undamaged. Try again") // does not wrap err
	case codeOf(e) == codeInput || errors.Is(e, errUnreadable):
		return e
	}
	return err
}

// integrity returns an error if SQLite finds the database damaged. If the disk cannot be read, it wraps errUnreadable.
func (d *database) integrity(ctx context.Context) error {
	var sound string
	err := d.db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&sound)
	if err != nil || sound == "ok" {
		return inWords(err)
	}
	return d.unsound(sound)
}

// unsound returns the error for the result of an integrity check. If a page could not be read, the error wraps
// errUnreadable.
func (d *database) unsound(said string) error {
	if at := pageError.FindStringSubmatch(said); at != nil {
		if code, err := strconv.Atoi(at[1]); err == nil && code&0xff == codeInput {
			return fmt.Errorf("%w (%s)", errUnreadable, said)
		}
	}
	return fmt.Errorf("%s is damaged: %s; restore the folder from a backup", d.path, said)
}

// pageError matches the error code of an unreadable page in the result of an integrity check.
var pageError = regexp.MustCompile(`error code=(\d+)`)

// ErrExists is campaign.ErrExists. Start wraps it if the folder already holds a campaign.
var ErrExists = campaign.ErrExists

// startedError returns an error that wraps ErrExists, for the folder dir.
func startedError(dir string) error {
	return fmt.Errorf("%s: %w. Continue it, as with gonb-cope campaign status %[1]s, or choose another folder", dir, ErrExists)
}

// startWith creates the folder and the database of a campaign, with its first events and files.
func startWith(ctx context.Context, dir string, opt Options, list []campaign.Event, files []campaign.File) (*database, error) {
	// newDatabase checks this again under the lock; the check here avoids touching the folder
	if exists(dir) {
		return nil, startedError(dir)
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
	db, err := newDatabase(ctx, dir, list, files)
	if err != nil {
		if made && !errors.Is(err, ErrExists) { // remove a new folder that remained empty
			os.Remove(filepath.Join(dir, lockFile))
			os.Remove(dir)
		}
		return nil, err
	}
	writeHead(dir, list[len(list)-1])
	return db.as(opt), nil
}

// newDatabase makes the database under a temporary name, and renames it when complete. Other programs never see an
// incomplete campaign, and a killed program leaves none. The error wraps ErrExists if another program was faster.
func newDatabase(ctx context.Context, dir string, list []campaign.Event, files []campaign.File) (*database, error) {
	l, err := lock(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer l.release()
	if exists(dir) {
		return nil, startedError(dir)
	}
	path := filepath.Join(dir, DatabaseFile)
	draft := path + ".new"
	clear := func() {
		for _, end := range []string{"", "-wal", "-shm", "-journal"} {
			os.Remove(draft + end)
		}
	}
	clear() // remains of an interrupted start
	db, err := openDatabase(draft, true)
	if err != nil {
		return nil, inWords(err)
	}
	err = db.transaction(ctx, func(tx *sql.Tx) error {
		if err := db.create(ctx, tx); err != nil {
			return inWords(err)
		}
		return fill(ctx, tx, list, files)
	})
	if err == nil {
		// moves everything into the file that is renamed, so that no -wal remains under the old name
		_, err = db.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	// if the database could not be written, the earlier error counts
	if e := db.Close(); err == nil {
		err = e
	}
	if err = inWords(err); err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		clear()
		return nil, err
	}
	// the new name is on disk before newDatabase returns
	atomicfile.SyncFolder(dir)
	return openDatabase(path, false)
}

// lockFile is locked during a write, and names the process that holds it. On a system without file locks, the database's
// own lock still excludes others, without naming them. The system releases the lock when a program ends, for any reason.
const lockFile = "campaign.lock"

// patience is how long a write waits for the lock.
const patience = 2 * time.Second

// Lock implements record.Store.
func (d *database) Lock(ctx context.Context) (release func(), err error) {
	if d.copy != "" {
		return nil, &record.UnrecordedError{Err: fmt.Errorf("nothing can be written in %s: %w", d.dir, d.refused)}
	}
	l, err := lock(ctx, d.dir)
	if err != nil {
		return nil, err
	}
	return l.release, nil
}

// locked is a held lock.
type locked struct{ file *os.File }

// lock acquires the lock of a folder. If it is not free within patience, the error names the process that holds it.
// Goroutines of one process also exclude each other, because each opens the file separately. Errors of the context are
// returned unchanged.
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

// release releases the lock.
func (l *locked) release() { l.file.Close() }
