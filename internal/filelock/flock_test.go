//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

// A file has one lock at a time, which ends when the file is closed.
func TestTry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	a, b := open(), open()
	if ok, err := Try(a); !ok || err != nil {
		t.Fatalf("the first lock: %t, %v", ok, err)
	}
	if ok, err := Try(b); ok || err != nil {
		t.Errorf("locked twice: %t, %v", ok, err)
	}
	a.Close()
	if ok, err := Try(b); !ok || err != nil {
		t.Errorf("after the first was closed: %t, %v", ok, err)
	}
	if ok, err := Try(a); ok || err == nil {
		t.Errorf("a closed file was locked: %t", ok)
	}
}
