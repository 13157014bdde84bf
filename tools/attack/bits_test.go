//go:build unix

package attack

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// finish measures a campaign to its end, with every kind of event, and leaves the last one in the -wal alone.
func (l *laboratory) finish(ctx context.Context) error {
	if err := l.start(ctx); err != nil {
		return err
	}
	for round := range 50 {
		before := ledgerOf(l.before)
		out, err := l.must(ctx, "campaign", "ask", campaignFolder, "--by", "Ann", "--count", "100", "--json")
		if err != nil {
			return err
		}
		if l.before, err = l.events(ctx, campaignFolder); err != nil {
			return err
		}
		sum := ledgerOf(l.before)
		if len(sum.order) == len(before.order) {
			if strings.Contains(out, "decided") {
				return l.note(ctx)
			}
			return fmt.Errorf("the campaign is not decided, and nothing is left to measure: %s", out)
		}
		text := "id,reward,note\n"
		for _, id := range sum.owed() {
			arm := sum.arm[id] % 6
			text += fmt.Sprintf("%s,%g,n%d\n", id, 4*float64(arm)+l.rng.NormFloat64(), round)
		}
		if err := l.write("sheet.csv", text); err != nil {
			return err
		}
		if _, err := l.must(ctx, "campaign", "tell", campaignFolder, "sheet.csv", "--sheet", fmt.Sprint("round-", round), "--by", "Ann",
			"--sure"); err != nil {
			return err
		}
		if round == 0 {
			for _, args := range [][]string{{"correct", sum.order[0], "1.5", "--reason", "misread"},
				{"amend", "--capacity", "40", "--reason", "another freezer"}, {"note", "some words"}} {
				if _, err := l.must(ctx, append([]string{"campaign", args[0], campaignFolder}, args[1:]...)...); err != nil {
					return err
				}
			}
		}
	}
	return errors.New("the campaign is not decided after 50 rounds")
}

// note records a note while this program has the database open, so that no checkpoint moves it from the -wal into the
// database.
func (l *laboratory) note(ctx context.Context) (err error) {
	db, err := sql.Open("sqlite", l.path(campaignFolder+"/campaign.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	var n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM event").Scan(&n); err != nil {
		return err
	}
	if _, err := l.must(ctx, "campaign", "note", campaignFolder, "last words"); err != nil {
		return err
	}
	return copyFolder(l.path("kept"), l.path(campaignFolder))
}

// copyFolder copies a campaign, without its cache and what SQLite makes again.
func copyFolder(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case name == "cache":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		case name == "campaign.db-shm":
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o600)
	})
}

// sight is what a campaign shows.
type sight struct{ verify, status, export outcome }

// look asks a campaign for all that it shows; the export with its files.
func (l *laboratory) look(ctx context.Context) (s sight, err error) {
	if s.verify, err = l.do(ctx, "campaign", "verify", campaignFolder); err != nil {
		return s, err
	}
	if s.status, err = l.do(ctx, "campaign", "status", campaignFolder, "--json"); err != nil {
		return s, err
	}
	if err = os.RemoveAll(l.path("out")); err != nil {
		return s, err
	}
	if s.export, err = l.do(ctx, "campaign", "export", campaignFolder, "-o", "out"); err != nil || s.export.code != 0 {
		return s, err
	}
	for _, name := range []string{"measurements.csv", "answers.csv", "log.csv", "events.jsonl", "script.cope", "data/wells.csv"} {
		data, err := os.ReadFile(l.path("out/" + name))
		if err != nil {
			return s, err
		}
		s.export.out += string(data)
	}
	return s, nil
}

// differs returns what is wrong with what a changed folder shows.
func (s sight) differs(whole sight) (found []finding) {
	same := func(a, b outcome) bool { return a.code == b.code && a.out == b.out }
	for what, o := range map[string][2]outcome{"verify": {s.verify, whole.verify}, "status": {s.status, whole.status},
		"export": {s.export, whole.export}} {
		found = append(found, o[0].badly()...)
		if o[0].code == 0 && !same(o[0], o[1]) && (what == "verify" || !alarm.MatchString(o[0].errs)) {
			found = append(found, finding{untrue, what + " says something else, without a word of it"})
		}
	}
	if s.verify.code == 0 && !(same(s.verify, whole.verify) && same(s.status, whole.status) && same(s.export, whole.export)) {
		found = append(found, finding{unproven, "it passes, and what is shown differs: " + s.status.words() + " " + s.export.words()})
	}
	return found
}

// turnBits turns single bits of the database, page by page, and of its -wal.
func (l *laboratory) turnBits(ctx context.Context, s *series, tries int) error {
	if err := l.finish(ctx); err != nil {
		return err
	}
	again := func(name string, change func([]byte)) error {
		if err := os.RemoveAll(l.path(campaignFolder)); err != nil {
			return err
		}
		if err := copyFolder(l.path(campaignFolder), l.path("kept")); err != nil || change == nil {
			return err
		}
		path := l.path(campaignFolder + "/" + name)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		change(data)
		return os.WriteFile(path, data, 0o600)
	}
	if err := again("", nil); err != nil {
		return err
	}
	whole, err := l.look(ctx)
	if err != nil {
		return err
	}
	if whole.verify.code != 0 || whole.status.code != 0 || whole.export.code != 0 {
		return fmt.Errorf("the campaign is not whole before any bit is turned: %s", whole.verify.words())
	}
	page := l.rng.IntN(1 << 20)
	for k := range tries {
		name, at, bit := "campaign.db", 0, l.rng.IntN(8)
		if k%8 == 7 {
			name = "campaign.db-wal"
		}
		err := again(name, func(data []byte) {
			const size = 4096 // of a page
			page++
			at = page%((len(data)+size-1)/size)*size + l.rng.IntN(size)
			at = min(at, len(data)-1)
			data[at] ^= 1 << bit
		})
		if err != nil {
			return err
		}
		now, err := l.look(ctx)
		if err != nil {
			return err
		}
		s.add(1, fmt.Sprintf("bit %d of byte %d of %s", bit, at, name), now.differs(whole)...)
	}
	return nil
}

// turnCache turns single bits of the cache of a campaign that is decided, or cuts it short.
func (l *laboratory) turnCache(ctx context.Context, s *series, tries int) error {
	if err := l.finish(ctx); err != nil {
		return err
	}
	whole, err := l.look(ctx)
	if err != nil {
		return err
	}
	path := l.path(campaignFolder + "/cache/replay.gob")
	cache, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for k := range tries {
		data, at := append([]byte(nil), cache...), l.rng.IntN(len(cache))
		if k%10 == 0 {
			data = data[:at]
		} else {
			data[at] ^= 1 << l.rng.IntN(8)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
		now := sight{verify: whole.verify, export: whole.export}
		if k%10 == 0 {
			now, err = l.look(ctx)
		} else {
			now.status, err = l.do(ctx, "campaign", "status", campaignFolder, "--json")
		}
		if err != nil {
			return err
		}
		found := now.differs(whole)
		for _, o := range []outcome{now.verify, now.status, now.export} {
			if found = append(found, o.maligns()...); o.code != 0 { // nothing that was recorded has changed
				found = append(found, finding{maligned, o.words()})
			}
		}
		s.add(1, fmt.Sprintf("byte %d of %d of the cache", at, len(cache)), found...)
	}
	return nil
}
