package report

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// put writes text by WriteFile.
func put(path, text string) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// holdsOnly fails the test when a folder holds anything but the named files.
func holdsOnly(t *testing.T, folder string, names ...string) {
	t.Helper()
	entries := try.Of(os.ReadDir(folder))
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the folder holds %q, want %q", got, names)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b := try.Of(os.ReadFile(path))
	return string(b)
}

// Links stay links, whatever they lead to; the file at their end is replaced.
func TestWriteFileFollowsLinks(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a", "a/b", "c"} {
		try.To(os.Mkdir(filepath.Join(folder, name), 0o755))
	}
	for _, l := range []struct{ name, to string }{
		{"folder", "a/b"}, {"c/first", "second"}, {"c/second", "../folder/../end.txt"}, {"c/far", filepath.Join(folder, "a", "far.txt")}, {"loop", "loop"}, {"nowhere", "none/x.txt"},
	} {
		if err := os.Symlink(l.to, filepath.Join(folder, l.name)); err != nil {
			t.Skip(err)
		}
	}
	try.To(put(filepath.Join(folder, "a", "far.txt"), "old"))
	for _, c := range []struct{ path, end string }{{"c/first", "a/end.txt"}, {"c/far", "a/far.txt"}, {"folder/in.txt", "a/b/in.txt"}} {
		for _, text := range []string{"first", "second"} {
			path := filepath.Join(folder, c.path)
			try.To(errors.Join(Writable(path), put(path, text)))
			if got := content(t, filepath.Join(folder, c.end)); got != text {
				t.Errorf("%s leads to %q, want %q", c.path, got, text)
			}
		}
	}
	holdsOnly(t, filepath.Join(folder, "c"), "far", "first", "second")
	holdsOnly(t, filepath.Join(folder, "a"), "b", "end.txt", "far.txt")
	for name, want := range map[string]string{"loop": "too many", "nowhere": "does not exist", "a": "it exists and is not a regular file"} {
		path := filepath.Join(folder, name)
		for _, err := range []error{Writable(path), put(path, "x")} {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), ".cope-") {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
}

// full returns a folder on a disk without room for more than a few kilobytes.
func full(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("a full disk is a small tmpfs, which the superuser of Linux alone can mount")
	}
	folder := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a tmpfs: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", folder).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return folder
}

// What does not fit a disk leaves the old file and no remains, through a link too.
func TestWriteFileOnFullDisk(t *testing.T) {
	small, beside := full(t), t.TempDir()
	target, link := filepath.Join(small, "target.html"), filepath.Join(beside, "link.html")
	try.To(errors.Join(put(target, "old"), os.Symlink(target, link)))
	for _, path := range []string{target, link} {
		err := put(path, strings.Repeat("new ", 1<<16))
		if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "cannot save "+path+": no space left") {
			t.Errorf("%s: %v", path, err)
		}
		if got := content(t, target); got != "old" {
			t.Errorf("after %s the old file holds %d bytes, %.20q", path, len(got), got)
		}
	}
	holdsOnly(t, small, "target.html")
	holdsOnly(t, beside, "link.html")
}

// The longest name that a folder takes can be written, and a longer one is refused
// before anything is rendered.
func TestWriteFileLongNames(t *testing.T) {
	folder := t.TempDir()
	longest := filepath.Join(folder, strings.Repeat("é", 125)+".html")
	if err := errors.Join(Writable(longest), put(longest, "x")); err != nil {
		t.Error(err)
	}
	if err := Writable(longest + "x"); err == nil || !strings.HasSuffix(err.Error(), "file name too long") {
		t.Errorf("error %v", err)
	}
	holdsOnly(t, folder, filepath.Base(longest))
}
