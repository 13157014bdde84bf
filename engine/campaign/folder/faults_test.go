package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A full disk is an error that records nothing; earlier events can be read, and the same act goes on once there is room.
func TestDiskFull(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 18)
	st, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// SQLite's own limit of the file's size gives the error that a full disk gives (SQLITE_FULL)
	var pages int
	// the limit is of a connection
	c.db.db.SetMaxOpenConns(1)
	try.To(c.db.db.QueryRow("PRAGMA page_count").Scan(&pages))
	try.Of(c.db.db.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)))
	var rows []string
	for _, r := range l.Rows {
		rows = append(rows, row(r.ID, 1))
	}
	long := strings.Repeat("x", 20_000) // more than the pages have room for
	_, err = c.Tell(t.Context(), []byte("id,reward,note\n"+rows[0]+","+long+"\n"+strings.Join(rows[1:], ",\n")+",\n"), campaign.TellOptions{By: "Ann"})
	wants(t, err, "nothing was recorded: the disk is full")
	if after, err := c.Status(t.Context()); err != nil || after.Hash != st.Hash || after.Open.Measured != 0 {
		t.Errorf("after the failure: %v, %+v", err, after.Open)
	}
	try.Of(c.db.db.Exec("PRAGMA max_page_count = 1000000"))
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, rows...); r.Counts[campaign.RowNew] != 18 {
		t.Errorf("after room was made: %+v", r)
	}
	if _, err := Verify(t.Context(), c.dir, again(small(t)), Options{}); err != nil {
		t.Error(err)
	}
}

// An event that was changed, removed, swapped with another or cut off the end is found, and the first
// one is named.
func TestVerify(t *testing.T) {
	for _, f := range []struct{ name, sql, want string }{
		// a recorded value; the person who recorded it; one event less; two that change places; the last one; the script
		{"changed", "UPDATE event SET body = replace(body, '1.25', '9.25') WHERE seq = 4", "event 4 (tell"},
		{"by another", "UPDATE event SET by = 'Eve' WHERE seq = 5", "event 5 (tell"},
		{"removed", "DELETE FROM event WHERE seq = 4", "event 4 is missing: event 5 follows event 3"},
		{"swapped", "UPDATE event SET seq = 99 WHERE seq = 4; UPDATE event SET seq = 4 WHERE seq = 5; UPDATE event SET seq = 5 WHERE seq = 99", "event 4 (tell"},
		{"cut off", "DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)", "is missing: the events end with"},
		{"script", "UPDATE file SET content = CAST('days = protocol(q)' AS BLOB)", "recorded script"},
	} {
		t.Run(f.name, func(t *testing.T) {
			c := begin(t, small(t), Options{})
			l := asked(t, c, "Ann", 3)
			for i, r := range l.Rows {
				told(t, c, campaign.TellOptions{By: "Ann"}, row(r.ID, 0.25+float64(i+1)))
			}
			if v, err := Verify(t.Context(), c.dir, again(small(t)), Options{}); err != nil || v.Events < 6 {
				t.Fatalf("before: %v, %+v", err, v)
			}
			// the triggers refuse it first; if a person removes them, their absence is reported
			if _, err := c.db.db.Exec(f.sql); err == nil {
				t.Error("the database lets events be changed")
			}
			for _, trigger := range []string{"event_stays", "event_remains", "file_stays", "file_remains"} {
				try.Of(c.db.db.Exec("DROP TRIGGER " + trigger))
				_, err := Verify(t.Context(), c.dir, again(small(t)), Options{})
				wants(t, err, "protection of events against changes")
			}
			try.Of(c.db.db.Exec(f.sql))
			_, err := Verify(t.Context(), c.dir, again(small(t)), Options{})
			wants(t, err, f.want)
			if f.name == "changed" {
				_, err := Open(t.Context(), c.dir, again(small(t)), Options{})
				wants(t, err, f.want, "campaign verify")
			}
		})
	}
}

// A database of a later version is refused, and so is a folder without one.
func TestSchemaOfALaterVersion(t *testing.T) {
	c := begin(t, small(t), Options{})
	try.Of(c.db.db.Exec("UPDATE meta SET value = '2' WHERE name = 'schema'"))
	_, err := Open(t.Context(), c.dir, again(small(t)), Options{})
	wants(t, err, "was written by a later version (schema 2; this one reads 1 and earlier)")
	_, err = Open(t.Context(), t.TempDir(), again(small(t)), Options{})
	wants(t, err, "holds no campaign", "campaign start")
	try.To(os.WriteFile(filepath.Join(t.TempDir(), "x"), nil, 0o600))
	other := t.TempDir()
	try.To(os.WriteFile(filepath.Join(other, DatabaseFile), []byte("not a database, and long enough to be one of something"), 0o600))
	_, err = Open(t.Context(), other, again(small(t)), Options{})
	wants(t, err, "holds no campaign")
}

// Copies of script and data that people change are named, and the recorded ones count.
func TestCopiesThatChanged(t *testing.T) {
	p := small(t)
	r := recipe
	// two files of one name: their copies are data/a.csv and data/2-a.csv
	r.Data = []campaign.File{{Path: "data/a.csv", Content: []byte("x\n")}, {Path: "more/a.csv", Content: []byte("y\n")}}
	dir := filepath.Join(t.TempDir(), "days")
	c := try.Of(Start(t.Context(), dir, r, p, again(p), Options{}))
	c.Close()
	try.To(os.WriteFile(filepath.Join(dir, "script.cope"), []byte("other"), 0o666))
	try.To(os.Remove(filepath.Join(dir, "data", "2-a.csv")))
	var notices []string
	var made question.Recipe
	c = try.Of(Open(t.Context(), dir, func(ctx Context, r question.Recipe) (campaign.Protocol, error) { made = r; return again(p)(ctx, r) }, Options{Notice: func(s string) { notices = append(notices, s) }}))
	defer c.Close()
	if got := strings.Join(notices, "\n"); got != "script.cope was changed since the start; the recorded copy counts\ndata/2-a.csv is gone from the folder; the recorded copy counts" {
		t.Errorf("notices %q", got)
	}
	if string(made.Script.Content) != string(recipe.Script.Content) || string(made.Data[1].Content) != "y\n" {
		t.Errorf("made of %q", made)
	}
}

// A campaign of another revision of the decisions goes on only after an upgrade.
func TestUpgrade(t *testing.T) {
	p := small(t)
	c := begin(t, p, Options{})
	asked(t, c, "Ann", 1000)
	c.Close()
	later, err := Open(t.Context(), c.dir, again(p), Options{Revision: campaign.Revision + 1})
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	l := asked(t, later, "Ann", 1000) // the open round goes on
	var rows []string
	for _, r := range l.Rows {
		rows = append(rows, row(r.ID, 1))
	}
	told(t, later, campaign.TellOptions{By: "Ann"}, rows...)
	_, err = later.Ask(t.Context(), campaign.Request{By: "Ann"})
	wants(t, err, "campaign upgrade", "revision")
	if changes, err := later.Upgrade(t.Context(), "Ann", true); err != nil || changes.String() != "no earlier decision changes" {
		t.Errorf("%v: %v", err, changes)
	}
	if _, err := later.Ask(t.Context(), campaign.Request{By: "Ann"}); err == nil {
		t.Error("a look at the changes upgrades")
	}
	try.Of(later.Upgrade(t.Context(), "Ann", false))
	asked(t, later, "Ann", 3)
}

// A start that is killed, or whose folder is taken, leaves the existing files unchanged.
func TestStartTwice(t *testing.T) {
	p := small(t)
	c := begin(t, p, Options{})
	_, err := Start(t.Context(), c.dir, recipe, p, again(p), Options{})
	if !errors.Is(err, ErrExists) {
		t.Errorf("error %v", err)
	}
	other := p
	other.Options.Epsilon = 0.7
	_, err = Start(t.Context(), filepath.Join(t.TempDir(), "x"), recipe, p, again(other), Options{})
	wants(t, err, "makes a different protocol")
}

// Magic numbers of file systems come from statfs(2).
func TestNetworks(t *testing.T) {
	if kind := networkOf(t.TempDir()); kind != "" {
		t.Skipf("the folder for temporary files is on %s", kind)
	}
	if networks != nil && (networks[0x6969] != "NFS" || networks[0xff534d42] != "CIFS") {
		t.Errorf("networks %v", networks)
	}
}
