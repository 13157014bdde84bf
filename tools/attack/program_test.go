//go:build unix

package attack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// outcome is how a command ended.
type outcome struct {
	code      int
	killed    bool
	hung      bool
	out, errs string
	took      time.Duration
}

// patience is how long a command may take; they take a tenth of a second.
const patience = time.Minute

// program runs a command in a folder. With a prefix that starts it; with a time above 0 it gets SIGKILL then.
func program(ctx context.Context, folder string, kill time.Duration, args ...string) (outcome, error) {
	var o outcome
	var out, errs bytes.Buffer
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Stdout, c.Stderr = folder, &out, &errs
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what strace started ends with it
	began := time.Now()
	if err := c.Start(); err != nil {
		return o, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	end := func() error {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		return <-ended
	}
	moment := make(<-chan time.Time)
	if kill > 0 {
		moment = time.After(kill)
	}
	var err error
	select {
	case err = <-ended:
	case <-moment:
		err = end()
	case <-time.After(patience):
		err, o.hung = end(), true
	case <-ctx.Done():
		_ = end()
		return o, context.Cause(ctx)
	}
	o.took, o.out, o.errs = time.Since(began), out.String(), errs.String()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status := exit.Sys().(syscall.WaitStatus)
		o.code, o.killed = exit.ExitCode(), status.Signaled() && status.Signal() == syscall.SIGKILL && !o.hung
	} else if err != nil {
		return o, err
	}
	return o, nil
}

// leak matches what no user should see.
var leak = regexp.MustCompile(`panic|goroutine|%!|runtime error|fatal error|please report it`)

// badly returns how a command that was not killed ended as none should.
func (o outcome) badly() []finding {
	switch {
	case o.hung:
		return []finding{{other, fmt.Sprintf("did not end within %v", patience)}}
	case o.killed:
		return nil
	case leak.MatchString(o.out + o.errs):
		return []finding{{other, "said " + o.words()}}
	case o.code != 0 && (o.code != 1 || strings.TrimSpace(o.errs) == ""):
		return []finding{{other, fmt.Sprintf("status %d, said %q", o.code, o.words())}}
	}
	return nil
}

// words returns what was said when it failed, in one line.
func (o outcome) words() string { return strings.Join(strings.Fields(o.errs), " ") }

// alarm matches words that send people to a backup, or call what was recorded gone.
var alarm = regexp.MustCompile(
	`(?i)\bdamaged|holds no campaign|holds a campaign without|restore|backup|is missing:|was changed:|never issued|were recorded after`)

// maligns returns a finding where words call a folder damaged that is not.
func (o outcome) maligns() []finding {
	if alarm.MatchString(o.errs) {
		return []finding{{maligned, o.words()}}
	}
	return nil
}

// injecting returns a command with strace before it, which does something at the n-th call of a system call by a thread.
// With a path, only calls on that file count; with more, all calls from the n-th on. The calls are logged in the file trace.
func injecting(trace, call, what string, n int, more bool, path string, args ...string) []string {
	when := fmt.Sprint(n)
	if more {
		when += "+"
	}
	out := []string{"strace", "-f", "-qq", "-o", trace, "--seccomp-bpf", "-e", "trace=" + call, "-e",
		"inject=" + call + ":" + what + ":when=" + when}
	if path != "" {
		out = append(out, "-P", path)
	}
	return append(out, args...)
}

// canInject returns why strace cannot be used.
func canInject(ctx context.Context) error {
	if _, err := exec.LookPath("strace"); err != nil {
		return errors.New("strace is not installed (make parts installs it)")
	}
	o, err := program(ctx, "", 0, injecting(os.DevNull, "write", "error=EIO", 1, false, "", "echo", "word")...)
	if err == nil && o.code == 0 {
		err = fmt.Errorf("strace cannot make system calls fail here: %s", o.words())
	}
	return err
}
