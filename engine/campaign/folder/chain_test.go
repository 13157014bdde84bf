package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A campaign that goes on from a restored backup, or in two copies, gives no id a second meaning; a list of the other
// copy is refused with both dates, whether its rows have ids or not.
func TestListOfAnotherCopy(t *testing.T) {
	p := small(t)
	c := begin(t, p, Options{})
	asked(t, c, "Zoe", 2)
	// from here on the two folders go on apart: each has an event 4 of its own
	copied := filepath.Join(t.TempDir(), "copy")
	try.To(c.Backup(t.Context(), copied))
	here := asked(t, c, "Ann", 4)
	d, err := Open(t.Context(), copied, again(p), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	// a sheet without ids, with the chain of a list
	list := func(l campaign.List) []byte {
		r := l.Rows[0]
		return []byte("task,arm,reward,campaign_chain\n" + r.Task + ",\"" + r.Arm + "\",1," + l.Chain + "\n")
	}
	_, err = d.Tell(t.Context(), list(here), campaign.TellOptions{By: "Ann"})
	wants(t, err, "was made after event 4 of ", "ends with event 3 of ", "remove the column campaign_chain")
	// the same pulls as Ann's, in the copy
	there := asked(t, d, "Bob", 4)
	for _, a := range here.Rows {
		for _, b := range there.Rows {
			if a.ID == b.ID {
				t.Errorf("%s is a pull of Ann here and one of Bob in the copy", a.ID)
			}
		}
	}
	before := now(d).Hash
	_, err = d.Tell(t.Context(), list(here), campaign.TellOptions{By: "Ann"})
	wants(t, err, "was made after event 4 of ", "has another event 4, of ")
	if r := told(t, d, campaign.TellOptions{By: "Ann", Sheet: "ids"}, row(here.Rows[0].ID, 9.75)); r.Taken || r.Counts[campaign.RowUnknown] != 1 || now(d).Hash != before {
		t.Errorf("%+v", r)
	}
	// the folder that made the lists takes their results, also later ones
	for k, own := range []campaign.List{here, asked(t, c, "Zoe", 1)} {
		if r, err := c.Tell(t.Context(), list(own), campaign.TellOptions{By: "Ann", Sheet: fmt.Sprint(k)}); err != nil || !r.Taken {
			t.Errorf("the list of this folder: %v, %+v", err, r)
		}
	}
}

// A backup of a campaign that others write to is whole, holds the events recorded until then, and nothing secret.
func TestBackup(t *testing.T) {
	p := small(t)
	c := begin(t, p, Options{})
	l := asked(t, c, "Ann", 6)
	try.Of(c.Invite(t.Context(), "", "Ann"))
	told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, 1))
	// the events are in the -wal alone, which a copy of the file would lack
	if _, err := os.Stat(filepath.Join(c.dir, DatabaseFile+"-wal")); err != nil {
		t.Fatal("without a -wal this test tells nothing: ", err)
	}
	dest := filepath.Join(t.TempDir(), "backup")
	try.To(c.Backup(t.Context(), dest))
	v, err := Verify(t.Context(), dest, again(p), Options{})
	if err != nil || v.Hash != now(c).Hash {
		t.Errorf("%v: %+v", err, v)
	}
	wants(t, c.Backup(t.Context(), dest), "is not empty")
	files := try.Of(os.ReadDir(dest))
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	if got := strings.Join(names, " "); strings.Contains(got, "invites") || !strings.Contains(got, "script.cope") || strings.Contains(got, ".new") {
		t.Errorf("files %s", got)
	}
}

// A folder whose database is older than what the folder knows to have been recorded, as a copy without -wal is, says so
// and records nothing.
func TestCopyWithoutWAL(t *testing.T) {
	p := small(t)
	c := begin(t, p, Options{})
	l := asked(t, c, "Ann", 6)
	told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, 1))
	copied := t.TempDir()
	for _, name := range []string{DatabaseFile, headFile} { // without DatabaseFile-wal
		data := try.Of(os.ReadFile(filepath.Join(c.dir, name)))
		try.To(os.WriteFile(filepath.Join(copied, name), data, 0o666))
	}
	_, err := Verify(t.Context(), copied, again(p), Options{})
	wants(t, err, "ends with event 1,", "event 4 was recorded", "campaign.db-wal")
	var said []string
	d := try.Of(Open(t.Context(), copied, again(p), Options{Notice: func(text string) { said = append(said, text) }}))
	defer d.Close()
	if !strings.Contains(strings.Join(said, " "), "event 4 was recorded") {
		t.Errorf("notices %q", said)
	}
	// removing the head means that the older database should go on
	_, err = d.Ask(t.Context(), campaign.Request{By: "Bob"})
	wants(t, err, "event 4 was recorded", "remove campaign.head")
	try.To(os.Remove(filepath.Join(copied, headFile)))
	asked(t, d, "Bob", 1)
	if _, err := Verify(t.Context(), copied, again(p), Options{}); err != nil {
		t.Error(err)
	}
}

// Events that others record while a campaign is verified are not reported as missing.
func TestVerifyWhileOthersRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("writes some hundred events to the disk")
	}
	p := small(t)
	c := begin(t, p, Options{})
	note := func() {
		if _, err := c.Do(t.Context(), &campaign.Comment{Text: "the lamp was changed"}); err != nil {
			t.Error(err)
		}
	}
	for range 300 { // so that it takes as long to look at the events as to record another one
		note()
	}
	stop, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
				note()
			}
		}
	}()
	for range 20 {
		if _, err := Verify(t.Context(), c.dir, again(p), Options{}); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-ended
}
