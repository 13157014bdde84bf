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

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A new file has the permissions that the umask leaves, and one that is replaced keeps
// its own.
func TestWriteFilePermissions(t *testing.T) {
	// the process of one case: the umask is the process's
	if folder := os.Getenv("COPE_TEST_UMASK_FOLDER"); folder != "" {
		syscall.Umask(0o077)
		try.To(errors.Join(put(filepath.Join(folder, "new"), "x"), put(filepath.Join(folder, "old"), "x"), put(filepath.Join(folder, "open"), "x")))
		return
	}
	folder := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"old": 0o640, "open": 0o666} {
		path := filepath.Join(folder, name)
		try.To(errors.Join(os.WriteFile(path, nil, mode), os.Chmod(path, mode)))
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestWriteFilePermissions$")
	cmd.Env = append(os.Environ(), "COPE_TEST_UMASK_FOLDER="+folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]fs.FileMode{"new": 0o600, "old": 0o640, "open": 0o666} {
		info := try.Of(os.Stat(filepath.Join(folder, name)))
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has permissions %o, want %o", name, got, want)
		}
	}
}

// A pipe without a reader is refused at once; one that is read gets all.
func TestWriteFileToPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.json")
	try.To(syscall.Mkfifo(path, 0o600))
	if err := put(path, "x"); err == nil || !strings.HasSuffix(err.Error(), "no program reads from this pipe") {
		t.Errorf("error %v", err)
	}
	reader := try.Of(os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0))
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
