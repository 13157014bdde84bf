//go:build unix

package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A script in a pipe that nobody writes to is waited for until an interrupt, which also ends the
// parsing of a script and its check.
func TestReadingStops(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "script.cope")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := readSource(ctx, pipe); !errors.Is(err, errInterrupted) {
		t.Errorf("reading: error %v, want that it was interrupted", err)
	}
	if err := checkScript(ctx, pipe, nil); !errors.Is(err, errInterrupted) {
		t.Errorf("checking: error %v, want that it was interrupted", err)
	}
	long := source{name: "long.cope", text: strings.Repeat("x = 1 + 2\n", 200_000)}
	if _, err := long.parse(ctx); !errors.Is(err, errInterrupted) {
		t.Errorf("parsing: error %v, want that it was interrupted", err)
	}
}
