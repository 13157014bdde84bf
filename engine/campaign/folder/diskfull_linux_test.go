package folder

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// On a disk that is really full, a file system of 4 MB, recording results is an error that records nothing. The earlier
// events can be read, also by a program that starts then, and the same sheet goes on once there is room.
func TestDiskReallyFull(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("this user cannot mount a small file system to fill (%v); TestDiskFull has the database's own limit instead", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	p := small(t)
	dir := filepath.Join(disk, "days")
	c, err := Start(t.Context(), dir, recipe, p, again(p), Options{AllowNetwork: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { c.Close() }()
	l := asked(t, c, "Ann", 12)
	told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, 1))
	before := try.Of(c.Status(t.Context()))
	// the rest of the disk is filled, at last byte by byte
	ballast := filepath.Join(disk, "ballast")
	f := try.Of(os.Create(ballast))
	for block := bytes.Repeat([]byte("x"), 4096); ; { // until not a byte is left
		n, err := f.Write(block)
		if err != nil && len(block) == 1 {
			break
		}
		if err != nil || n < len(block) {
			block = block[:1]
		}
	}
	f.Close()

	var rows []string
	for _, r := range l.Rows[1:] {
		rows = append(rows, row(r.ID, 1)+","+strings.Repeat("y", 40_000)) // more than the log has room for
	}
	sheet := []byte("id,reward,note\n" + strings.Join(rows, "\n") + "\n")
	_, err = c.Tell(t.Context(), sheet, campaign.TellOptions{By: "Ann"})
	wants(t, err, "nothing was recorded: the disk is full")
	for k := 0; err != nil && k < 1000; k++ { // notes fill what room is left in the log
		if full := noteBy(t.Context(), c, strings.Repeat("n", 500), "Ann"); full != nil {
			wants(t, full, "nothing was recorded: the disk is full: free some space and try again")
			break
		}
	}
	_, err = c.Ask(t.Context(), campaign.Request{By: "Bob", Count: 6})
	wants(t, err, "nothing was recorded: the disk is full: free some space and try again")
	other, err := Start(t.Context(), filepath.Join(disk, "other"), recipe, p, again(p), Options{AllowNetwork: true})
	if wants(t, err, "the disk is full"); err == nil {
		other.Close()
	} else if strings.Count(err.Error(), "the disk is full") > 1 {
		t.Errorf("it says twice: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(disk, "other", "*")); len(left) > 0 {
		t.Errorf("a start without room leaves %v", left)
	}
	// SQLite makes a -shm and a -wal when it opens a database, for which there is no room
	c.Close()
	if c, err = Open(t.Context(), dir, again(p), Options{}); err != nil {
		t.Fatalf("a program that starts while the disk is full: %v", err)
	}
	if st, err := c.Status(t.Context()); err != nil || st.Hash != before.Hash || st.Open.Measured != 1 {
		t.Errorf("while the disk is full: %v, %+v", err, st.Open)
	}
	_, err = c.Tell(t.Context(), sheet, campaign.TellOptions{By: "Ann"})
	wants(t, err, "the disk is full")
	try.To(os.Remove(ballast))
	r, err := c.Tell(t.Context(), sheet, campaign.TellOptions{By: "Ann"})
	if err != nil || r.Counts[campaign.RowNew] != 11 {
		t.Errorf("after room was made: %v, %+v", err, r.Counts)
	}
	if _, err := Verify(t.Context(), dir, again(p), Options{}); err != nil {
		t.Error(err)
	}
}
