//go:build unix

package attack

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
		if tries > 1000 { // calls are counted by thread, so that few of them reach a high number on a busy machine
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

// failing lists the system calls that fail, with the errors that disks give.
var failing = []struct {
	name   string
	errors []string
	most   int    // the calls that fail are drawn from 1 to this
	path   string // calls on this file of the campaign alone count; "" for all
}{
	{"pwrite64", []string{"EIO", "ENOSPC"}, 12, ""},
	{"pwrite64", []string{"EIO", "ENOSPC"}, 4, "campaign.db"},
	{"fdatasync", []string{"EIO"}, 3, ""},
	{"fsync", []string{"EIO", "ENOSPC"}, 3, ""},
	{"pread64", []string{"EIO"}, 30, ""},
	{"pread64", []string{"EIO"}, 12, "campaign.db"},
	{"ftruncate", []string{"EIO", "ENOSPC"}, 2, ""},
	{"flock", []string{"EIO"}, 2, ""},
	{"unlinkat", []string{"EIO"}, 2, ""},
	{"renameat", []string{"EIO", "ENOSPC"}, 2, ""},
	{"openat", []string{"EIO"}, 3, "campaign.db"},
	{"openat", []string{"EIO", "ENOSPC"}, 2, "campaign.db-wal"},
	{"openat", []string{"EIO", "ENOSPC"}, 2, "campaign.db-shm"},
	{"openat", []string{"EIO", "ENOSPC"}, 2, "campaign.head"},
	{"openat", []string{"EIO", "ENOSPC"}, 2, "campaign.lock"},
	{"openat", []string{"EIO", "ENOSPC"}, 2, "cache/replay.gob"},
}

// failDisk lets a system call of a command fail, once or from then on. Each of several campaigns takes some of the calls.
func (l *laboratory) failDisk(ctx context.Context, s *series, part, errors int) error {
	if err := l.start(ctx); err != nil {
		return err
	}
	trace := l.path("trace")
	for tries, left := 0, (errors+parts-1)/parts; left > 0; tries++ {
		if tries > 1000 {
			return fmt.Errorf("%s: %d errors are left after %d commands", s.name, left, tries)
		}
		call := failing[(part+tries*parts)%len(failing)]
		if l.rng.IntN(3) > 0 {
			call = failing[l.rng.IntN(len(failing))]
		}
		a, err := l.next()
		if err != nil {
			return err
		}
		if l.rng.IntN(6) == 0 {
			a = act{kind: "status", by: a.by, text: a.text}
			a.args = [][]string{
				{"campaign", "status", campaignFolder, "--json"}, {"campaign", "verify", campaignFolder},
				{"campaign", "export", campaignFolder, "-o", fmt.Sprint("out", l.number)},
			}[l.rng.IntN(3)]
		}
		n, fault, more := 1+l.rng.IntN(call.most), call.errors[l.rng.IntN(len(call.errors))], l.rng.IntN(4) == 0
		path := ""
		if call.path != "" {
			path = l.path(campaignFolder + "/" + call.path)
		}
		args := injecting(trace, call.name, "error="+fault, n, more, path, append([]string{l.command}, a.args...)...)
		o, err := program(ctx, l.folder, 0, args...)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(trace)
		if err != nil {
			return err
		}
		tried := strings.Contains(string(text), "(INJECTED)")
		if tried {
			left--
		}
		found, err := l.judge(ctx, a, o)
		if err != nil {
			return err
		}
		found = append(found, o.maligns()...)
		if a.args[1] == "status" && o.code == 0 {
			again, err := l.must(ctx, a.args...)
			if err != nil {
				found = append(found, finding{other, err.Error()})
			} else if again != o.out {
				found = append(found, finding{untrue, "another status than without the error"})
			}
		}
		how := fmt.Sprintf(", %s at %s number %d", fault, call.name, n)
		if more {
			how += " and after"
		}
		if call.path != "" {
			how += " of " + call.path
		}
		s.add(map[bool]int{true: 1}[tried], strings.Join(a.args, " ")+how, found...)
	}
	return nil
}
