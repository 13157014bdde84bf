package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// headFile has the number and the hash of the last event beside the database, by which a database is noticed that
// is older than its folder, as that of a copy without its -wal is. It is written after each commit, and may be
// missing or behind.
const headFile = "campaign.head"

// readHead returns what the file says; 0 where it says nothing.
func readHead(dir string) (seq int64, hash string) {
	text, err := os.ReadFile(filepath.Join(dir, headFile))
	if err == nil {
		_, err = fmt.Sscanf(string(text), "%d %64s\n", &seq, &hash)
	}
	if err != nil || len(hash) != 64 {
		return 0, ""
	}
	return seq, hash
}

// writeHead writes the file, whole or not at all. That it cannot be written is no failure.
func writeHead(dir string, s *campaign.State) {
	draft := filepath.Join(dir, headFile+".new")
	if os.WriteFile(draft, fmt.Appendf(nil, "%d %s\n", s.Seq, s.Hash), 0o666) != nil || os.Rename(draft, filepath.Join(dir, headFile)) != nil {
		os.Remove(draft)
	}
}

// checkHead reports a state that lacks an event which its folder knows of. The event was read before the state.
func checkHead(s *campaign.State, seq int64, hash string) error {
	if seq == 0 || s.Has(seq, hash) {
		return nil
	}
	return fmt.Errorf("%s ends with event %d, and event %d was recorded in this folder: the folder was copied without "+
		"%[1]s-wal, or an older %[1]s was put back. "+
		"Copy the folder again, with gonb-cope campaign backup; where the older one is meant to go on, remove %[4]s", DatabaseFile, s.Seq,
		seq, headFile)
}

// Backup writes the campaign as it is now into a folder, which must not exist or be empty: the database, whole,
// whoever writes to it meanwhile, and the copies of script and data. Who is invited to the page is not part of it.
func (c *Campaign) Backup(ctx context.Context, dest string) error {
	if err := emptyFolder(dest); err != nil {
		return err
	}
	path := filepath.Join(dest, DatabaseFile)
	draft := path + ".new"
	if _, err := c.db.db.ExecContext(ctx, "VACUUM INTO ?", draft); err != nil {
		os.Remove(draft)
		return fmt.Errorf("the backup was not written: %w", inWords(err))
	}
	err := syncFile(draft)
	if err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		return fmt.Errorf("the backup was not written: %w", err)
	}
	s, err := c.fresh(ctx)
	if err != nil {
		return err
	}
	if seq, hash, err := headOf(ctx, path); err != nil || !s.Has(seq, hash) {
		return errors.Join(errors.New("the backup is not what was recorded"), err)
	}
	syncFolder(dest)
	return copies(dest, c.recipeNow())
}

// headOf returns the number and the hash of the last event of a database.
func headOf(ctx context.Context, path string) (int64, string, error) {
	db, err := openDatabase(path, false)
	if err != nil {
		return 0, "", err
	}
	defer db.close()
	return head(ctx, db.db)
}

// syncFile puts the content of a file on the disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// emptyFolder makes a folder where there is none, and reports one that is not empty.
func emptyFolder(dir string) error {
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return fmt.Errorf("%s is not empty: choose another folder", dir)
	}
	return os.MkdirAll(dir, 0o777)
}
