package folder

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// ErrExists is wrapped by the error of Start where the folder holds a campaign already.
var ErrExists = errors.New("the folder holds a campaign already")

// Start makes a campaign in a folder, which is created where it does not exist, from a protocol with
// its forecast and the recipe that it was made from. It is an error when maker makes another problem
// of that recipe: the campaign could not be opened again.
func Start(ctx context.Context, dir string, r question.Recipe, p campaign.Protocol, maker Maker, opt Options) (*Campaign, error) {
	if err := p.Check(ctx); err != nil {
		return nil, err
	}
	again, err := maker(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("the script does not make the protocol by itself, so that nobody could go on with the campaign tomorrow: %w", err)
	}
	if again.Fingerprint() != p.Fingerprint() {
		return nil, errors.New("the script makes another protocol when it is evaluated again, so that nobody could go on with the campaign tomorrow")
	}
	if exists(dir) {
		return nil, fmt.Errorf("%s: %w", dir, ErrExists)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the campaign: %w", err)
	}
	if kind := networkOf(dir); kind != "" && !opt.AllowNetwork {
		return nil, fmt.Errorf("%s is on a file system of another machine (%s), on which locks cannot be relied on: choose a folder of this machine, or say --allow-network-folder where only one machine ever uses it", dir, kind)
	}
	if p.Seed == 0 {
		var b [8]byte
		if _, err := rand.Read(b[:]); err != nil {
			return nil, err
		}
		p.Seed = binary.LittleEndian.Uint64(b[:]) >> 11 // a script can state it
	}
	db, err := newDatabase(ctx, dir, func(tx *sql.Tx) error {
		return record(ctx, tx, r, p, opt)
	})
	if err != nil {
		return nil, err
	}
	c := &Campaign{dir: dir, db: db, opt: opt, maker: maker, kept: keptProtocol{recipe: r, protocol: p}}
	if err := copies(dir, r); err != nil {
		c.notice(fmt.Sprintf("the copies of script and data beside the database could not be written (%v); the recorded ones count", err))
	}
	if err := c.open(ctx); err != nil {
		return c, err
	}
	writeHead(dir, c.state)
	return c, nil
}

// newDatabase makes the database under another name, and gives it its own once it is whole: who
// looks in between sees no campaign, and a program killed in between leaves none.
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
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		os.Remove(draft + end) // of a start that was killed
	}
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
		_, err = db.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	if err = errors.Join(inWords(err), db.close()); err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		for _, end := range []string{"", "-wal", "-shm", "-journal"} {
			os.Remove(draft + end)
		}
		return nil, err
	}
	syncFolder(dir)
	return openDatabase(path, false)
}

// record writes the files and the start.
func record(ctx context.Context, tx *sql.Tx, r question.Recipe, p campaign.Protocol, opt Options) error {
	body := campaign.StartBody{
		Name: p.Name, Set: r.Set, Seed: p.Seed, Problem: p.Fingerprint(), Settings: p.Settings(),
		Revision: cmp.Or(opt.Revision, campaign.Revision), Build: opt.build(), Forecast: p.Forecast, Led: opt.Led,
	}
	for i, f := range append([]campaign.File{r.Script}, r.Data...) {
		hash, err := putFile(ctx, tx, f.Content)
		if err != nil {
			return err
		}
		f.SHA256 = hash
		if i == 0 {
			body.Script = f
		} else {
			body.Data = append(body.Data, f)
		}
	}
	_, err := appendEvents(ctx, tx, []campaign.Event{campaign.NewEvent(campaign.KindStart, opt.now(), "", body)})
	return err
}
