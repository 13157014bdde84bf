//go:build unix

package jetstream_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/clocktest"
	"github.com/gonb-cope/gonb-cope/internal/base/testport"
)

// The clock of the server jumps while a worker that is gone holds a piece of work. Another worker gets the piece when the patience has
// really passed, or earlier. A living worker keeps its piece, or two workers make it.
func TestServerClockJumps(t *testing.T) {
	// the test is built again with a package time whose wall clock reads its offset from a file
	if os.Getenv("GONB_COPE_FAULTS") == "" {
		t.Skip("builds the test with another package time: GONB_COPE_FAULTS=1")
	}
	dir := t.TempDir()
	overlay, err := clocktest.Overlay(dir)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "jumping")
	if text, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	// offsets of the wall clock, one after the other
	for _, c := range []struct {
		name  string
		jumps []time.Duration
		again bool // the server is killed and started again afterwards
	}{
		{"ahead", []time.Duration{time.Hour}, false},
		{"back", []time.Duration{-time.Hour}, false},
		{"ahead and back", []time.Duration{time.Hour, 0}, false},
		{"a day back", []time.Duration{-24 * time.Hour}, false},
		{"back while nobody serves", []time.Duration{-time.Hour}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "clock")
			clock, err := clocktest.New(file)
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			// the server alone has the clock that jumps
			cmd, url := processOf(t, binary, folder, testport.Address(t), clocktest.Variable+"="+file)
			gone, other := join(t, url, ""), join(t, url, "")
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			// take takes a piece of run r, which it offers before where an id is given
			take := func(x cluster.Exchange, id string) cluster.Taken {
				t.Helper()
				if id != "" {
					if err := x.Offer(ctx, "r", cluster.Work{ID: id}); err != nil {
						t.Fatal(err)
					}
				}
				piece, err := x.Take(ctx, "r")
				if err != nil {
					t.Fatalf("taking: %v", err)
				}
				return piece
			}
			// the worker that takes it is never heard again
			take(gone, "before")
			time.Sleep(50 * time.Millisecond)
			if c.again {
				time.Sleep(time.Second) // until it is on the disk that the piece was handed out
				cmd.Process.Kill()
				cmd.Wait()
			}
			for _, offset := range c.jumps {
				time.Sleep(50 * time.Millisecond)
				if err := clock.Jump(offset); err != nil {
					t.Fatal(err)
				}
			}
			if c.again {
				processOf(t, binary, folder, strings.TrimPrefix(url, "nats://"), clocktest.Variable+"="+file)
			}
			// the time from here on is the true one
			began := time.Now()
			piece := take(other, "")
			if err := piece.Done(ctx); err != nil || piece.Work().ID != "before" {
				t.Errorf("%s: %v", piece.Work().ID, err)
			}
			t.Logf("another one has it after %v; the patience is %v", time.Since(began).Round(time.Millisecond), patience)
			// the queue goes on with other work
			if err := take(other, "after").Done(ctx); err != nil {
				t.Error(err)
			}
			// and what is done stays done
			wait, stop := context.WithTimeout(ctx, 3*patience)
			defer stop()
			if again, err := other.Take(wait, "r"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s was done, and is handed out again: %v", again.Work().ID, err)
			}
		})
	}
}
