//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A file has one lock at a time, whose holder is named, and which ends when the file is closed.
func TestTake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Take(context.Background(), path, 0o600, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Take(context.Background(), path, 0o600, 0)
	held := (*HeldError)(nil)
	if !errors.As(err, &held) || !strings.HasPrefix(held.Holder, fmt.Sprintf("process %d on ", os.Getpid())) {
		t.Errorf("locked twice: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Take(ctx, path, 0o600, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("it does not wait for a context that has ended: %v", err)
	}
	taken := make(chan error)
	go func() {
		second, err := Take(context.Background(), path, 0o600, time.Minute)
		if err == nil {
			err = second.Close()
		}
		taken <- err
	}()
	try.To(first.Close())
	if err := <-taken; err != nil {
		t.Errorf("after the first let go: %v", err)
	}
	if _, err := Take(context.Background(), filepath.Join(path, "below a file"), 0o600, 0); err == nil {
		t.Error("a file was locked that cannot be made")
	}
}

// A lock without a name in it has a holder, too.
func TestHolderWithoutName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first := try.Of(Take(context.Background(), path, 0o600, 0))
	defer first.Close()
	try.To(first.Truncate(0))
	if _, err := Take(context.Background(), path, 0o600, 0); err == nil || !strings.HasSuffix(err.Error(), "a process without a name") {
		t.Error(err)
	}
}
