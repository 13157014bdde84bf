package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"modernc.org/sqlite"
)

// openFolder opens the database of a folder. Where nothing can be written beside it, as on a disk that is mounted
// to be read, what can be read of it is a copy in a folder for temporary files.
func openFolder(ctx context.Context, dir string) (*database, error) {
	path := filepath.Join(dir, DatabaseFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no campaign (no file %s); gonb-cope campaign start makes one", dir, DatabaseFile)
	} else if err != nil {
		return nil, fmt.Errorf("the campaign cannot be read: %w", err)
	}
	db, err := openDatabase(path, false)
	if err != nil {
		return nil, inWords(err)
	}
	first := db.checkSchema(ctx)
	if first == nil {
		return db, nil
	}
	switch codeOf(first) {
	case codeReadOnly, codeCantOpen, codeInput, codeFull:
		db.close()
		db, err := copied(path)
		if err != nil {
			return nil, fmt.Errorf("%w (%w)", inWords(first), err)
		}
		db.refused = inWords(first)
		if err = db.checkSchema(ctx); err == nil {
			return db, nil
		}
		first = db.explain(ctx, err)
		db.close()
		return nil, first
	}
	first = db.explain(ctx, first)
	db.close()
	return nil, first
}

// copied opens a copy of a database, with what its -wal has.
func copied(path string) (*database, error) {
	dir, err := os.MkdirTemp("", "gonb-cope-campaign-*")
	if err != nil {
		return nil, fmt.Errorf("nothing can be written beside %s, and there is no room for a copy of it: %w", path, err)
	}
	db := (*database)(nil)
	to := filepath.Join(dir, DatabaseFile)
	for _, end := range []string{"", "-wal"} {
		if e := copyFile(to+end, path+end); e != nil && !(end != "" && errors.Is(e, fs.ErrNotExist)) {
			err = errors.Join(err, e)
		}
	}
	if err == nil {
		db, err = openDatabase(to, false)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("the campaign cannot be read: %w", err)
	}
	db.path, db.copy = path, dir
	return db, nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// codeOf returns the result code of SQLite in an error, 0 without one.
func codeOf(err error) int {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

var errUnreadable = errors.New("the disk fails to read the database, which may be whole: save the folder on another disk first")

// explain looks a second time at a database that seems damaged: a disk that fails to read looks alike, and asks for
// other acts.
func (d *database) explain(ctx context.Context, err error) error {
	seemsDamaged := errors.Is(err, errUnreadable) || slices.Contains([]int{codeCorrupt, codeNotADB, codeInput}, codeOf(err))
	if !seemsDamaged || ctx.Err() != nil {
		return err
	}
	if e := readable(d.path); e != nil {
		return fmt.Errorf("%w (%w)", errUnreadable, e)
	}
	again, e := openDatabase(d.path, false)
	if e != nil {
		return err
	}
	defer again.close()
	switch e := again.integrity(ctx); {
	case e == nil:
		return errors.New("the disk failed to read or write, and the database is whole: try again") // what it was taken for would mislead
	case codeOf(e) == codeInput || errors.Is(e, errUnreadable):
		return e
	}
	return err
}

// integrity reports what SQLite finds wrong with the database, and apart from it that the disk cannot be read.
func (d *database) integrity(ctx context.Context) error {
	var sound string
	err := d.db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&sound)
	if err != nil || sound == "ok" {
		return inWords(err)
	}
	return d.unsound(sound)
}

// unsound is the error of what a check of integrity says.
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

// readable reads a file to its end, as SQLite does.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	page := make([]byte, 1<<16)
	for at := int64(0); ; at += int64(len(page)) {
		if _, err := f.ReadAt(page, at); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// unrecorded wraps the error of the disk or of the database that kept an act from being recorded.
type unrecorded struct{ err error }

func (u *unrecorded) Error() string { return "nothing was recorded: " + u.err.Error() }

func (u *unrecorded) Unwrap() error { return u.err }
