package folder

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// asked asks for pulls and fails the test where there are none.
func asked(t *testing.T, c *Campaign, by string, count int) campaign.List {
	t.Helper()
	list, err := c.Ask(t.Context(), campaign.Request{By: by, Count: count})
	if err != nil || len(list.Rows) == 0 {
		t.Fatalf("%v: %+v", err, list)
	}
	return list
}

// told tells rows and fails the test where they are not taken.
func told(t *testing.T, c *Campaign, opt campaign.TellOptions, rows ...string) campaign.Receipt {
	t.Helper()
	r, err := c.Tell(t.Context(), sheet(rows), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wants fails the test unless the error has these words.
func wants(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("error %v, want %q in it", err, w)
		}
	}
}

// A result that is told twice is known; with another value it is a conflict that changes nothing; a
// mistyped id is refused with the nearest; and a sheet with such a row is not taken, but for its good
// rows where that is wished.
func TestReceipts(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 4)
	a, b, d := l.Rows[0].ID, l.Rows[1].ID, l.Rows[2].ID
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(a, 1), b+","); r.Counts[campaign.RowNew] != 1 || r.Counts[campaign.RowWaiting] != 1 || !r.Taken {
		t.Errorf("first sheet: %+v", r)
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(a, 1), row(b, 2)); r.Counts[campaign.RowKnown] != 1 || r.Counts[campaign.RowNew] != 1 {
		t.Errorf("growing sheet: %+v", r)
	}
	mistyped := a[:5] + map[bool]string{true: "0", false: "1"}[a[5] != '0']
	before := c.state.Seq
	r := told(t, c, campaign.TellOptions{By: "Bob"}, row(a, 1.5), row(mistyped, 3), row(d, 4))
	if r.Taken || r.Counts[campaign.RowConflict] != 1 || r.Counts[campaign.RowUnknown] != 1 || c.state.Seq != before {
		t.Errorf("sheet with a conflict and a mistyped id: %+v", r)
	}
	text := fmt.Sprint(r.Lines)
	for _, want := range []string{"1 was told before by Ann, and now 1.5", "correct " + a, "mistyped", "the nearest is " + a} {
		if !strings.Contains(text, want) {
			t.Errorf("receipt %q, want %q in it", text, want)
		}
	}
	if r.Lines[0].Line != 2 || r.Lines[1].Line != 3 {
		t.Errorf("lines %d and %d, want 2 and 3", r.Lines[0].Line, r.Lines[1].Line)
	}
	if r := told(t, c, campaign.TellOptions{By: "Bob", TakeGood: true}, row(a, 1.5), row(d, 4)); !r.Taken || r.Counts[campaign.RowNew] != 1 {
		t.Errorf("good rows alone: %+v", r)
	}
}

// Half a file, a wrong encoding, a missing column and a cell that is no number are told with file,
// line and column, and change nothing.
func TestSheetsThatCannotBeRead(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 3)
	a, b := l.Rows[0].ID, l.Rows[1].ID
	for _, s := range []struct{ name, text, want string }{
		{"a column is missing", "id,yield\n" + a + ",1\n", "day.csv:1: the columns are id, yield; expected id,reward"},
		{"a quote that never ends", "id,reward\n" + a + ",\"1\n", "day.csv:"},
		{"half a line", "id,reward,note\n" + a + ",1,x\n" + b, "day.csv:3:1: 1 values, expected 3"},
		{"UTF-16", "\xff\xfei\x00d\x00", "day.csv: UTF-16; save the file as UTF-8"},
		{"Latin-1", "id,reward,note\n" + a + ",1,\xfcber\n", "day.csv:2:10: not UTF-8"},
		{"empty", "", "day.csv: no data"},
	} {
		_, err := c.Tell(t.Context(), []byte(s.text), campaign.TellOptions{By: "Ann", Sheet: "day.csv"})
		if err == nil || !strings.Contains(err.Error(), s.want) {
			t.Errorf("%s: error %v, want %q in it", s.name, err, s.want)
		}
	}
	r, err := c.Tell(t.Context(), []byte("id,reward\n"+a+",much\n"), campaign.TellOptions{By: "Ann", Sheet: "day.csv"})
	if err != nil || r.Taken || len(r.Lines) != 1 || r.Lines[0].Line != 2 || !strings.Contains(r.Lines[0].Text, `column 8: column "reward": expected a finite number, got "much"`) {
		t.Errorf("a cell that is no number: %v, %+v", err, r)
	}
	// a spreadsheet of another country
	r, err = c.Tell(t.Context(), []byte("id;task;reward\r\n"+a+";"+l.Rows[0].Task+";1,25\r\n"), campaign.TellOptions{By: "Ann", Sheet: "day.csv"})
	if err != nil || r.Counts[campaign.RowNew] != 1 || !strings.Contains(fmt.Sprint(r.Notes), "semicolons, numbers have decimal commas") {
		t.Errorf("semicolons: %v, %+v", err, r)
	}
}

// A sheet of which one column was sorted without the others is refused.
func TestSortedColumn(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 6)
	text := "id,task,arm,reward\n"
	wrong := 0
	for i, r := range l.Rows {
		other := l.Rows[(i+1)%len(l.Rows)]
		if other.Task != r.Task || other.Arm != r.Arm {
			wrong++
		}
		text += fmt.Sprintf("%s,%s,%q,1\n", r.ID, other.Task, other.Arm)
	}
	r, err := c.Tell(t.Context(), []byte(text), campaign.TellOptions{By: "Ann"})
	if err != nil || r.Taken || r.Counts[campaign.RowBad] != wrong || wrong == 0 {
		t.Errorf("%v: %d rows of others, %+v", err, wrong, r)
	}
}

// Rewards far from all others wait for a confirmation, which the report shows.
func TestSlipsOfThePen(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 12)
	var rows []string
	for i, r := range l.Rows[:10] {
		rows = append(rows, row(r.ID, float64(i%3)))
	}
	slip := row(l.Rows[10].ID, 1234)
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, append(rows, slip)...); r.Taken || r.Counts[campaign.RowSure] != 1 || !strings.Contains(fmt.Sprint(r.Lines), "far from all others, whose median is 1") {
		t.Errorf("with a slip: %+v", r)
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, append(rows, slip)...); !r.Taken || r.Counts[campaign.RowNew] != 11 {
		t.Errorf("confirmed: %+v", r)
	}
}

// Two people who ask at once are never handed the same pull; each has one open list, and gets it
// again.
func TestTwoAskers(t *testing.T) {
	c := begin(t, small(t), Options{})
	dir := c.dir
	var mu sync.Mutex
	seen := map[string]string{}
	pulls := map[[2]int]string{}
	var wg sync.WaitGroup
	for k := range 4 {
		by := fmt.Sprintf("asker %d", k)
		wg.Go(func() {
			own, err := Open(t.Context(), dir, again(small(t)), Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer own.Close()
			var first campaign.List
			for range 3 {
				l, err := own.Ask(t.Context(), campaign.Request{By: by, Count: 3})
				if err != nil {
					t.Error(err)
					return
				}
				if first.Rows == nil {
					first = l
				} else if fmt.Sprint(l.Rows) != fmt.Sprint(first.Rows) || !l.Again {
					t.Errorf("%s has %v, and then %v", by, first.Rows, l.Rows)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for _, r := range first.Rows {
				arm, number := pullOf(t, dir, small(t).Problem, r.ID)
				if other := pulls[[2]int{arm, number}]; other != "" || seen[r.ID] != "" {
					t.Errorf("%s and %s have the same pull", by, other)
				}
				seen[r.ID], pulls[[2]int{arm, number}] = by, by
			}
		})
	}
	wg.Wait()
	if len(pulls) == 0 {
		t.Error("nobody was handed anything")
	}
}

// A writer waits for the one before it, and where it waits in vain names that one. Nothing is lost.
func TestTwoWriters(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 2)
	h := helper(t, "holder", c.dir)
	in, err := h.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("%q, %v", line, err)
	}
	began := time.Now()
	_, err = c.TellOne(t.Context(), l.Rows[0].ID, 1, campaign.TellOptions{By: "Ann"})
	wants(t, err, "another program is writing", fmt.Sprintf("process %d", h.Process.Pid), "nothing was recorded")
	if waited := time.Since(began); waited < patience {
		t.Errorf("waited %v, want %v", waited, patience)
	}
	// a reader does not wait
	began = time.Now()
	if st, err := c.Status(t.Context()); err != nil || st.Open == nil || time.Since(began) > patience {
		t.Errorf("status while another writes: %v after %v", err, time.Since(began))
	}
	time.AfterFunc(300*time.Millisecond, func() { in.Close() })
	if r, err := c.TellOne(t.Context(), l.Rows[0].ID, 1, campaign.TellOptions{By: "Ann"}); err != nil || !r.Taken {
		t.Errorf("after the other one is done: %v, %+v", err, r)
	}
	h.Wait()
}

// A full disk is an error that records nothing; what was recorded can be read, and the same act goes
// on once there is room.
func TestDiskFull(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 18)
	st, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// SQLite's own limit of the file's size gives the error that a full disk gives (SQLITE_FULL)
	var pages int
	c.db.db.SetMaxOpenConns(1)
	if err := c.db.db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := c.db.db.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, r := range l.Rows {
		rows = append(rows, row(r.ID, 1))
	}
	long := strings.Repeat("x", 20_000) // more than the pages have room for
	_, err = c.Tell(t.Context(), []byte("id,reward,note\n"+rows[0]+","+long+"\n"+strings.Join(rows[1:], ",\n")+",\n"), campaign.TellOptions{By: "Ann"})
	wants(t, err, "the disk is full: nothing was recorded")
	if after, err := c.Status(t.Context()); err != nil || after.Hash != st.Hash || after.Open.Measured != 0 {
		t.Errorf("after the failure: %v, %+v", err, after.Open)
	}
	if _, err := c.db.db.Exec("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, rows...); r.Counts[campaign.RowNew] != 18 {
		t.Errorf("after room was made: %+v", r)
	}
	if _, err := Verify(t.Context(), c.dir, again(small(t))); err != nil {
		t.Error(err)
	}
}

// An event that was changed, removed, swapped with another or cut off the end is found, and the first
// one is named.
func TestVerify(t *testing.T) {
	for _, f := range []struct{ name, sql, want string }{
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
			if v, err := Verify(t.Context(), c.dir, again(small(t))); err != nil || v.Events < 6 {
				t.Fatalf("before: %v, %+v", err, v)
			}
			if _, err := c.db.db.Exec(f.sql); err == nil {
				t.Error("the database lets events be changed")
			}
			for _, trigger := range []string{"event_stays", "event_remains", "file_stays", "file_remains"} {
				if _, err := c.db.db.Exec("DROP TRIGGER " + trigger); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.db.db.Exec(f.sql); err != nil {
				t.Fatal(err)
			}
			_, err := Verify(t.Context(), c.dir, again(small(t)))
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
	if _, err := c.db.db.Exec("UPDATE meta SET value = '2' WHERE name = 'schema'"); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), c.dir, again(small(t)), Options{})
	wants(t, err, "was written by a later version (schema 2; this one reads 1 and earlier)")
	_, err = Open(t.Context(), t.TempDir(), again(small(t)), Options{})
	wants(t, err, "holds no campaign", "campaign start")
	if err := os.WriteFile(filepath.Join(t.TempDir(), "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, DatabaseFile), []byte("not a database, and long enough to be one of something"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), other, again(small(t)), Options{})
	wants(t, err, "holds no campaign")
}

// Copies of script and data that people change are named, and the recorded ones count.
func TestCopiesThatChanged(t *testing.T) {
	p := small(t)
	r := recipe
	r.Data = []campaign.File{{Path: "data/a.csv", Content: []byte("x\n")}, {Path: "more/a.csv", Content: []byte("y\n")}}
	dir := filepath.Join(t.TempDir(), "days")
	c, err := Start(t.Context(), dir, r, p, again(p), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := os.WriteFile(filepath.Join(dir, "script.cope"), []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "data", "2-a.csv")); err != nil {
		t.Fatal(err)
	}
	var notices []string
	var made Recipe
	c, err = Open(t.Context(), dir, func(ctx Context, r Recipe) (campaign.Protocol, error) { made = r; return again(p)(ctx, r) }, Options{Notice: func(s string) { notices = append(notices, s) }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := strings.Join(notices, "\n"); got != "script.cope was changed since the start; the recorded copy counts\ndata/2-a.csv is gone from the folder; the recorded copy counts" {
		t.Errorf("notices %q", got)
	}
	if string(made.Script.Content) != string(recipe.Script.Content) || string(made.Data[1].Content) != "y\n" {
		t.Errorf("made of %q", made)
	}
}

// Pulls that are overdue are handed out again under new ids, and both results count; the clock may be
// set back without any harm, because events are ordered by their numbers.
func TestOverdue(t *testing.T) {
	p := small(t)
	p.Lease = 2
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	c := begin(t, p, Options{Now: func() time.Time { return now }})
	first := asked(t, c, "Ann", 3)
	now = now.AddDate(0, 0, -30) // the clock is set back
	if l := asked(t, c, "Ann", 3); !l.Again {
		t.Errorf("with the clock set back: %+v", l)
	}
	now = time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	if st, err := c.Status(t.Context()); err != nil || st.Open.Overdue != 3 || st.People[0].Overdue != 3 {
		t.Errorf("%v, %+v", err, st.Open)
	}
	second := asked(t, c, "Bob", 3)
	for i, r := range second.Rows {
		if r.ID == first.Rows[i].ID || r.Task != first.Rows[i].Task || r.Arm != first.Rows[i].Arm {
			t.Errorf("handed out again: %+v for %+v", r, first.Rows[i])
		}
	}
	told(t, c, campaign.TellOptions{By: "Bob"}, row(second.Rows[0].ID, 1))
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(first.Rows[0].ID, 2)); r.Counts[campaign.RowNew] != 1 {
		t.Errorf("a result of an overdue list: %+v", r)
	}
	if st, err := c.Status(t.Context()); err != nil || st.Open.Measured != 2 {
		t.Errorf("%v: %+v measured, want both", err, st.Open)
	}
	list, err := events(t.Context(), c.db.db, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range list {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has number %d", i+1, e.Seq)
		}
	}
}

// A result that comes after its round was closed is late: it is recorded, guides, and is of no round.
func TestLate(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 1000)
	var rows []string
	for _, r := range l.Rows[1:] {
		rows = append(rows, row(r.ID, 1))
	}
	told(t, c, campaign.TellOptions{By: "Ann"}, rows...)
	_, err := c.CloseRound(t.Context(), "", "Ann")
	wants(t, err, "needs a reason", "a failed reaction is a reward of 0")
	closing, err := c.CloseRound(t.Context(), "the freezer broke", "Ann")
	if err != nil || closing.Lost != 1 || closing.Measured != len(rows) {
		t.Fatalf("%v: %+v", err, closing)
	}
	if err := c.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, -3))
	if !r.Taken || r.Counts[campaign.RowLate] != 1 || !strings.Contains(fmt.Sprint(r.Lines), "its round, 1, is over") {
		t.Errorf("%+v", r)
	}
	after, err := c.Status(t.Context())
	if err != nil || after.Late != 1 || after.Samples != before.Samples || len(after.Differs) > 0 {
		t.Errorf("%v: late %d, samples %d and %d, %v", err, after.Late, after.Samples, before.Samples, after.Differs)
	}
	if !strings.Contains(strings.Join(after.Assumes, " "), "the 1 pull that was lost") {
		t.Errorf("assumes %q", after.Assumes)
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, -3)); r.Counts[campaign.RowKnown] != 1 {
		t.Errorf("late and again: %+v", r)
	}
}

// A pull that failed needs a reason, is handed out again under another id, and a result for it counts
// should it come.
func TestFailed(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 1000)
	id := l.Rows[0].ID
	wants(t, c.Fail(t.Context(), []string{id}, " ", "Ann"), "needs a reason")
	if err := c.Fail(t.Context(), []string{id}, "the vial broke", "Ann"); err != nil {
		t.Fatal(err)
	}
	got := asked(t, c, "Bob", 5)
	if len(got.Rows) != 1 || got.Rows[0].Task != l.Rows[0].Task || got.Rows[0].Arm != l.Rows[0].Arm || got.Rows[0].ID == id {
		t.Errorf("handed out again: %+v", got.Rows)
	}
	told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[1].ID, 1))
	wants(t, c.Fail(t.Context(), []string{l.Rows[1].ID}, "no", "Ann"), "has the result 1; correct replaces it")
	// a sheet can say it, too
	r, err := c.Tell(t.Context(), []byte("id,reward,status,note\n"+l.Rows[2].ID+",,failed,the robot dropped it\n"+l.Rows[3].ID+",,failed,\n"), campaign.TellOptions{By: "Ann", TakeGood: true})
	if err != nil || r.Counts[campaign.RowFailed] != 1 || r.Counts[campaign.RowBad] != 1 {
		t.Errorf("%v: %+v", err, r)
	}
}

// A correction in a round that is over folds again; where a decision changes the standing is no longer
// a theorem's.
func TestCorrectedAfterwards(t *testing.T) {
	p := small(t)
	p.Options.Epsilon = 1
	c := begin(t, p, Options{})
	var ids []string
	for {
		l, err := c.Ask(t.Context(), campaign.Request{By: "Ann", Count: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Rows) == 0 {
			break
		}
		var rows []string
		for _, r := range l.Rows {
			v := 0.0
			if r.Arm == "b, c" {
				v = 3
				if r.Task == "north" {
					ids = append(ids, r.ID)
				}
			}
			rows = append(rows, row(r.ID, v))
		}
		told(t, c, campaign.TellOptions{By: "Ann"}, rows...)
	}
	st, err := c.Status(t.Context())
	if err != nil || !st.Done || st.Tasks[0].Arm != "b, c" || st.Standing != "proven" {
		t.Fatalf("%v: done %v, %+v, %s", err, st.Done, st.Tasks[0], st.Standing)
	}
	for _, id := range ids {
		if err := c.Correct(t.Context(), id, -3, "the signs were wrong", "Ann"); err != nil {
			t.Fatal(err)
		}
	}
	st, err = c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Differs) == 0 || st.Standing != "heuristic" || st.Corrected != len(ids) {
		t.Errorf("differs %v, standing %s, corrected %d of %d", st.Differs, st.Standing, st.Corrected, len(ids))
	}
	wants(t, c.Correct(t.Context(), ids[0], 1, "", "Ann"), "needs a reason")
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
	if changes, err := later.Upgrade(t.Context(), "Ann", true); err != nil || len(changes) != 1 {
		t.Errorf("%v: %v", err, changes)
	}
	if _, err := later.Ask(t.Context(), campaign.Request{By: "Ann"}); err == nil {
		t.Error("a look at the changes upgrades")
	}
	if _, err := later.Upgrade(t.Context(), "Ann", false); err != nil {
		t.Fatal(err)
	}
	asked(t, later, "Ann", 3)
}

// A start that is killed, or whose folder is taken, leaves what is there as it is.
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
	wants(t, err, "makes another protocol")
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

// An algorithm that takes rounds only as it planned them gets no extra results, and its rounds cannot be
// closed.
func TestWholeRounds(t *testing.T) {
	p := small(t)
	p.Algorithm, p.Lease = "CoKernelFC", 1
	p.Options.Schedule, p.Options.Norm, p.Options.Gap = "paper", 2, 1
	p.Options.Epsilon = 1
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	c := begin(t, p, Options{Now: func() time.Time { return now }})
	first := asked(t, c, "Ann", 1)
	now = now.AddDate(0, 0, 2)
	rest := asked(t, c, "Bob", 1_000_000)
	var rows []string
	for _, r := range rest.Rows {
		rows = append(rows, row(r.ID, 1))
	}
	told(t, c, campaign.TellOptions{By: "Bob"}, rows[:len(rows)-1]...)
	_, err := c.CloseRound(t.Context(), "enough", "Ann")
	wants(t, err, "needs whole rounds")
	if st, err := c.Status(t.Context()); err != nil || st.Open == nil || st.Open.Measured != len(rows)-1 {
		t.Fatalf("%v: a round that cannot be closed was: %+v", err, st.Open)
	}
	told(t, c, campaign.TellOptions{By: "Bob"}, rows...)
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(first.Rows[0].ID, 1)); r.Counts[campaign.RowLate] != 1 || !strings.Contains(fmt.Sprint(r.Lines), "only as it was planned") {
		t.Errorf("an extra result: %+v", r)
	}
	if err := c.Advance(t.Context()); err != nil {
		t.Error(err)
	}
}
