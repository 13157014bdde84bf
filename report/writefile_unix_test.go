//go:build unix

package report

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A new file has the permissions that the umask leaves, and one that is replaced keeps
// its own.
func TestWriteFilePermissions(t *testing.T) {
	// the process of one case: the umask is the process's
	if folder := os.Getenv("COPE_TEST_UMASK_FOLDER"); folder != "" {
		syscall.Umask(0o077)
		if err := errors.Join(put(filepath.Join(folder, "new"), "x"), put(filepath.Join(folder, "old"), "x"), put(filepath.Join(folder, "open"), "x")); err != nil {
			t.Fatal(err)
		}
		return
	}
	folder := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"old": 0o640, "open": 0o666} {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.WriteFile(path, nil, mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestWriteFilePermissions$")
	cmd.Env = append(os.Environ(), "COPE_TEST_UMASK_FOLDER="+folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]fs.FileMode{"new": 0o600, "old": 0o640, "open": 0o666} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has permissions %o, want %o", name, got, want)
		}
	}
}

// A pipe without a reader is refused at once; one that is read gets all.
func TestWriteFileToPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := put(path, "x"); err == nil || !strings.HasSuffix(err.Error(), "no program reads from this pipe") {
		t.Errorf("error %v", err)
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("0123456789", 100_000) // more than a pipe holds
	written := make(chan error, 1)
	go func() { written <- put(path, text) }()
	var got bytes.Buffer
	for got.Len() < len(text) {
		if _, err := io.CopyN(&got, reader, 1000); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
	if err := <-written; err != nil || got.String() != text {
		t.Errorf("%d bytes came, %v", got.Len(), err)
	}
}
