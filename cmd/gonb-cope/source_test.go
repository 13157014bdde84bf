//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The command waits for a script in a pipe without a writer until an interrupt, which also ends the
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

// A sheet in a pipe of a folder is refused, and such a pipe is not read before a list is written; a pipe of a shell is read.
func TestSheetInPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "list.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	const want = "it is a pipe, not a file. Send it by standard input and write - instead of its name"
	if _, err := readSheet(t.Context(), pipe); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	if err := checkOverwrite(t.Context(), nil, pipe, "Ann"); err != nil {
		t.Error(err)
	}
	r, w := try.Two(os.Pipe())
	defer r.Close()
	try.Of(w.WriteString("id,reward\n"))
	w.Close()
	if data, err := readSheet(t.Context(), fmt.Sprint("/dev/fd/", r.Fd())); string(data) != "id,reward\n" || err != nil {
		t.Errorf("from a shell: %q, %v", data, err)
	}
}
