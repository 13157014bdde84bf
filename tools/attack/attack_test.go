//go:build unix

// Package attack is the test of make attack. It kills commands of campaigns, has their disk fail, turns bits of their files, hands
// them hostile sheets and has the tests of the server's addresses and of wrong authors run, and prints one table of everything that
// went wrong. All its figures should be 0.
package attack

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// attempts are the numbers of tries of each series.
type attempts struct{ random, calls, failing, bits, cache int }

var (
	command = flag.String("command", "", "the program to attack")
	seed    = flag.Uint64("seed", 1, "of all that is drawn at random; the moments of kills depend on the machine, too")
	part    = flag.Int("part", 1, "do one part in this many of the tries")
)

// TestAttack: every series is made, and all its figures are 0.
func TestAttack(t *testing.T) {
	if *command == "" {
		t.Skip("make attack says which program is attacked, by -command")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	program, err := filepath.Abs(*command)
	if err != nil {
		t.Fatal(err)
	}
	n := attempts{random: 280 / *part, calls: 280 / *part, failing: 1 + 260 / *part, bits: 330 / *part, cache: 330 / *part}
	healthy, err := attack(ctx, program, t.TempDir(), *seed, n)
	if err != nil {
		t.Fatal(err)
	}
	if !healthy {
		t.Error("not every series was made with all figures 0")
	}
}

// attack makes all series, two campaigns at a time, and reports whether all were made and all figures are 0.
func attack(ctx context.Context, command, base string, seed uint64, n attempts) (healthy bool, err error) {
	began := time.Now()
	random, calls, failing := newSeries("SIGKILL at random moments"), newSeries("SIGKILL at the n-th system call"),
		newSeries("errors of the disk at the n-th system call")
	bits, cache := newSeries("bits of campaign.db and its -wal"), newSeries("bits of the cache")
	sheets, addresses := newSeries("hostile sheets"), newSeries("addresses of answers, every role and target")
	authors := newSeries("wrong authors, every role and kind of fact")
	all := []*series{random, calls, failing, bits, cache, sheets, addresses, authors}
	var jobs []func(context.Context, *laboratory) error
	add := func(f func(context.Context, *laboratory) error) { jobs = append(jobs, f) }
	add(func(ctx context.Context, _ *laboratory) error {
		return askServer(ctx, addresses, "TestAttackReplyAddresses", "github.com/gonb-cope/gonb-cope/engine/cluster/jetstream")
	})
	add(func(ctx context.Context, _ *laboratory) error {
		return askServer(ctx, authors, "TestAttackWrongAuthor", "github.com/gonb-cope/gonb-cope/engine/cluster")
	})
	if err := canInject(ctx); err != nil {
		calls.skipped, failing.skipped = err.Error(), err.Error()
	} else {
		for range parts {
			add(func(ctx context.Context, l *laboratory) error {
				return l.killAtCalls(ctx, calls, (n.calls+parts-1)/parts)
			})
		}
		for k := range parts {
			add(func(ctx context.Context, l *laboratory) error { return l.failDisk(ctx, failing, k, n.failing) })
		}
	}
	for range parts {
		add(func(ctx context.Context, l *laboratory) error {
			return l.killAtRandom(ctx, random, (n.random+parts-1)/parts)
		})
		add(func(ctx context.Context, l *laboratory) error { return l.turnBits(ctx, bits, (n.bits+parts-1)/parts) })
	}
	add(func(ctx context.Context, l *laboratory) error { return l.turnCache(ctx, cache, n.cache) })
	add(func(ctx context.Context, l *laboratory) error { return l.handIn(ctx, sheets) })

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for k := range next {
				l, err := newLaboratory(command, filepath.Join(base, fmt.Sprint(k)), seed, uint64(k))
				if err == nil {
					err = jobs[k](ctx, l)
				}
				if err != nil {
					cancel(err)
				}
			}
		})
	}
	for k := range jobs {
		next <- k
	}
	close(next)
	workers.Wait()
	table, healthy := tableOf(all)
	fmt.Printf("%s\n%.0f seconds\n", table, time.Since(began).Seconds())
	return healthy, context.Cause(ctx)
}

// parts are the campaigns of a long series: small ones are fast.
const parts = 6
