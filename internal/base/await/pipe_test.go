//go:build unix

package await_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/await"
)

// A pipe is read when it has a writer; the wait ends with the context.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	go func() {
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString("text")
			f.Close()
		}
	}()
	if data, err := await.File(context.Background(), path, 10); string(data) != "text" || err != nil {
		t.Errorf("%q, error %v", data, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := await.File(ctx, path, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if await.Regular(path) == nil {
		t.Error("a pipe is taken for a file")
	}
}
