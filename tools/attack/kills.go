//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// killAtRandom kills commands at random moments of their lives.
func (l *laboratory) killAtRandom(ctx context.Context, s *series, kills int) error {
	span := 100 * time.Millisecond // of a life, a little more than the last one that was whole
	return l.kill(ctx, s, kills, func(a act) (outcome, string, error) {
		life := time.Duration(1 + l.rng.Int64N(int64(span)))
		o, err := program(ctx, l.folder, life, append([]string{l.command}, a.args...)...)
		if err == nil && !o.killed {
			span = (3*span + 5*o.took/4) / 4
		} else {
			span += span / 20
		}
		return o, fmt.Sprintf("killed after %v", life), err
	})
}

// killAtCalls kills commands as they make a system call that changes a file, ends, or syncs.
func (l *laboratory) killAtCalls(ctx context.Context, s *series, kills int) error {
	calls := []struct {
		name string
		most int // the calls at which it is killed are drawn from 1 to this
	}{
		{"pwrite64", 12}, {"pwrite64", 12}, {"pwrite64", 6}, {"fdatasync", 3}, {"fsync", 3}, {"ftruncate", 2}, {"write", 10}, {"unlinkat", 3},
		{"renameat", 2},
		{"openat", 30}, {"flock", 2}, {"fcntl", 60}, {"close", 30}, {"pread64", 30},
	}
	return l.kill(ctx, s, kills, func(a act) (outcome, string, error) {
		call := calls[l.rng.IntN(len(calls))]
		n := 1 + l.rng.IntN(call.most)
		o, err := program(ctx, l.folder, 0,
			injecting(os.DevNull, call.name, "signal=SIGKILL", n, false, "", append([]string{l.command}, a.args...)...)...)
		return o, fmt.Sprintf("killed at %s number %d", call.name, n), err
	})
}

// kill makes acts until as many were killed.
func (l *laboratory) kill(ctx context.Context, s *series, kills int, run func(a act) (outcome, string, error)) error {
	if err := l.start(ctx); err != nil {
		return err
	}
	for tries := 0; kills > 0; tries++ {
		if tries > 400 {
			return fmt.Errorf("%s: %d kills are left after %d commands", s.name, kills, tries)
		}
		a, err := l.next()
		if err != nil {
			return err
		}
		o, how, err := run(a)
		if err != nil {
			return err
		}
		if o.killed {
			kills--
		}
		found, err := l.judge(ctx, a, o)
		if err != nil {
			return err
		}
		s.add(map[bool]int{true: 1}[o.killed], strings.Join(a.args, " ")+", "+how, found...)
	}
	return nil
}
