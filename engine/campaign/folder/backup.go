package folder

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// headFile has the number and the hash of the last event. It detects a database that is older than its folder, for example
// a copy without its -wal file. It is written after each commit, and may be missing or behind. If it is ahead of the
// database, events were lost.
const headFile = "campaign.head"

// readHead returns the number and hash in headFile; 0 and "" if the file is missing or invalid.
func readHead(dir string) (seq int64, hash string) {
	text, err := readShort(filepath.Join(dir, headFile), mostNote)
	if err == nil {
		_, err = fmt.Sscanf(string(text), "%d %64s\n", &seq, &hash)
	}
	if err != nil || len(hash) != 64 {
		return 0, ""
	}
	return seq, hash
}

// writeHead replaces headFile atomically. It ignores errors, since the event is already recorded. The file is not synced
// to disk, and may be behind after a power cut.
func writeHead(dir string, last campaign.Event) {
	_ = atomicfile.Write(filepath.Join(dir, headFile), fmt.Appendf(nil, "%d %s\n", last.Seq, last.Hash), 0o666, false)
}

// checkHead returns an error if the database lacks the event in headFile, which the caller has read before.
func (d *database) checkHead(ctx context.Context, q querier, seq int64, hash string) (err error) {
	defer try.Caught(&err)
	if seq == 0 {
		return nil
	}
	list := try.Of(events(ctx, q, seq-1))
	if len(list) > 0 && list[0].Hash == hash {
		return nil
	}
	last, _ := try.Two(head(ctx, q))
	return fmt.Errorf("%s ends with event %d, but event %d was recorded in this folder. The folder was copied without %[1]s-wal, or an "+
		"older %[1]s was restored. Copy the folder again, with gonb-cope campaign backup. To continue from the older one, remove "+
		"%[4]s", DatabaseFile, last,
		seq, headFile)
}

// Backup writes the present campaign into dest, a folder that must not exist or must be empty. It copies the whole
// database, even while others write to it, and the script and data. Invitations to the page are not copied.
//
// The database gets its final name only after it is complete and on disk: an interrupted backup is not a campaign. The
// copy has the events recorded when SQLite began it; Backup therefore compares it with a state read afterwards. The copy
// has no headFile; the next act in it writes one.
func (c *Campaign) Backup(ctx context.Context, dest string) (err error) {
	defer try.Caught(&err)
	try.To(emptyFolder(dest))
	path := filepath.Join(dest, DatabaseFile)
	draft := path + ".new"
	if _, err := c.db.db.ExecContext(ctx, "VACUUM INTO ?", draft); err != nil {
		os.Remove(draft)
		return fmt.Errorf("the backup was not written: %w", inWords(err))
	}
	err = syncFile(draft)
	if err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		return fmt.Errorf("the backup was not written: %w", err)
	}
	// read after the copy, so that it contains the copy's last event
	s := try.Of(c.Moment(ctx))
	seq, hash, err := headOf(ctx, path)
	if err != nil {
		return fmt.Errorf("the backup was written, but it cannot be read: %w", err)
	}
	if !s.Has(seq, hash) {
		return errors.New("the backup ends with an event that the campaign does not have. Delete it and make it again")
	}
	atomicfile.SyncFolder(dest)
	return copies(dest, c.Recipe())
}

// headOf returns the number and the hash of the last event of a database file, through a separate connection.
func headOf(ctx context.Context, path string) (int64, string, error) {
	db, err := openDatabase(path, false)
	if err != nil {
		return 0, "", err
	}
	defer db.Close()
	return head(ctx, db.db)
}

// syncFile flushes a file to disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// emptyFolder creates a folder if it does not exist. It returns an error if the folder is not empty: nothing may overwrite
// a person's files.
func emptyFolder(dir string) error {
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return fmt.Errorf("%s is not empty: choose another folder", dir)
	}
	return os.MkdirAll(dir, 0o777)
}

// copiesOf yields the script and data files, with the paths of their copies relative to the campaign's folder. Files with
// the same base name are numbered in the order of the recipe, so that a file always has the same path.
func copiesOf(r question.Recipe) iter.Seq2[string, campaign.File] {
	return func(yield func(string, campaign.File) bool) {
		if !yield("script.cope", r.Script) {
			return
		}
		seen := map[string]int{}
		for _, f := range slices.Concat(r.Data, r.Added) {
			base := filepath.Base(filepath.FromSlash(f.Path))
			if seen[base]++; seen[base] > 1 {
				base = fmt.Sprintf("%d-%s", seen[base], base)
			}
			if !yield(filepath.Join("data", base), f) {
				return
			}
		}
	}
}

// copies writes the script and data beside the database, for people to read. Only compareCopies reads them.
func copies(dir string, r question.Recipe) (err error) {
	defer try.Caught(&err)
	try.To(os.MkdirAll(filepath.Join(dir, "data"), 0o777))
	for name, f := range copiesOf(r) {
		try.To(os.WriteFile(filepath.Join(dir, name), f.Content, 0o666))
	}
	return nil
}

// compareCopies calls notice for each copy that differs from its recorded file. It ignores unreadable copies.
func compareCopies(dir string, r question.Recipe, notice func(string)) {
	for name, f := range copiesOf(r) {
		if how := changedCopy(filepath.Join(dir, name), f.Content); how != "" {
			notice(fmt.Sprintf("%s %s; the recorded copy counts", name, how))
		}
	}
}

// Verification describes a campaign in which Verify found no change.
type Verification struct {
	Events int             `json:"events"` // number of events
	At     time.Time       `json:"at"`     // time of the last event
	Hash   string          `json:"hash"`   // hash of the last event
	Files  []campaign.File `json:"files"`  // script, data and added rows, without their contents

	state *campaign.State // after all events, for CheckHead
}

// CheckHead returns an error if no event has the hash that a person wrote down; see campaign.State.CheckHead.
func (v Verification) CheckHead(known string) error { return v.state.CheckHead(known) }

// Verify checks that no recorded event or file was changed, removed or moved. It checks the pages of the database and its
// triggers, the hashes of events and files, and the last event. It also checks that the events can be folded, and that
// this program's cache matches them. The error names the first changed event.
//
// Verify takes no lock: it reads the events and their end in one snapshot, and others may record meanwhile.
func Verify(ctx context.Context, dir string, maker Maker, opt Options) (_ Verification, err error) {
	defer try.Caught(&err)
	var v Verification
	// before the events, as in prepare
	try.To(checkFiles(dir))
	headSeq, headHash := readHead(dir)
	db := try.Of(openFolder(ctx, dir))
	defer db.Close()
	if err := db.integrity(ctx); err != nil {
		return v, db.explain(ctx, err)
	}
	var list []campaign.Event
	var seq int64
	var hash string
	try.To(db.snapshot(ctx, func(q querier) (err error) {
		defer try.Caught(&err)
		list = try.Of(events(ctx, q, 0))
		try.To(campaign.CheckChain(list))
		seq, hash, err = head(ctx, q)
		return err
	}))
	// a chain does not detect events removed from its end
	if last := int64(len(list)); seq != last || last == 0 || list[last-1].Hash != hash {
		return v, fmt.Errorf("event %d is missing: the events end with %d, and %d were recorded", last+1, last, seq)
	}
	v = Verification{Events: len(list), At: list[len(list)-1].At, Hash: hash}
	start, r := try.Two(record.Recipe(ctx, list, db))
	v.Files = append([]campaign.File{start.Script}, start.Data...)
	p, err := maker(ctx, r)
	if err != nil {
		return v, fmt.Errorf("all is as recorded, but the script no longer makes the protocol: %w", err)
	}
	if v.state, err = campaign.Fold(list, p.Problem.TaskOf); err != nil {
		return v, fmt.Errorf("%s: %w", dir, err)
	}
	try.To(db.checkHead(ctx, db.db, headSeq, headHash))
	// makes the protocol with each addition, and so checks the files of these
	if _, p, err = record.Follow(ctx, maker, r, p, v.state, db); err != nil {
		return v, fmt.Errorf("%s: %w", dir, err)
	}
	v.Files = append(v.Files, lists.Map(v.state.Additions(), func(b campaign.AmendBody) campaign.File { return *b.Add })...)
	try.To(db.checkTriggers(ctx))
	return v, db.as(opt).cache.check(ctx, v.state.Under(p, opt.Time()))
}
