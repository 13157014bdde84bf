package folder

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestFaultReadOnly: a folder on a disk that is mounted to be read shows how far the campaign is and can be verified; what
// would be recorded is refused with the reason, and nothing stays in the folder for temporary files.
func TestFaultReadOnly(t *testing.T) {
	disk, temporary := t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("this user cannot mount a file system (%v)", err)
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
	l := asked(t, c, "Ann", 6)
	told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, 1))
	before := try.Of(c.Status(t.Context()))
	c.Close()
	// from here on nothing can be written, not even a -shm
	try.To(syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	t.Setenv("TMPDIR", temporary)
	c = try.Of(Open(t.Context(), dir, again(p), Options{AllowNetwork: true}))
	if st, err := c.Status(t.Context()); err != nil || st.Hash != before.Hash || st.Open.Measured != 1 {
		t.Errorf("on a disk that is read only: %v, %+v", err, st.Open)
	}
	if _, err := Verify(t.Context(), dir, again(p), Options{}); err != nil {
		t.Error(err)
	}
	_, err = c.TellOne(t.Context(), l.Rows[1].ID, 2, campaign.TellOptions{By: "Ann"})
	wants(t, err, "nothing was recorded: nothing can be written in "+dir)
	c.Close()
	if list, _ := os.ReadDir(temporary); len(list) > 0 {
		t.Errorf("%d files stay in the folder for temporary files", len(list))
	}
}
